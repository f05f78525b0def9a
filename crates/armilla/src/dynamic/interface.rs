//! The interface of an object as the interface repository describes it (CORBA 3.4 Part 1, 8.3.1).

use crate::client::{self, Operation};
use crate::exception::{Completion, Error, ExceptionKind, Minor, SystemException};
use crate::object::Object;
use crate::runtime::Orb;
use crate::signature::NamedValue;
use crate::signature::ParameterMode;
use armilla_cdr::{Any, Decode, Typed};

/// The name of the initial reference.
const REPOSITORY: &str = "InterfaceRepository";

impl Object {
    /// The `InterfaceDef` of the object's interface, from the interface repository that its server
    /// knows: `get_interface`. It is an object like any other; the crate `armilla-ifr` has its type.
    ///
    /// # Errors
    /// `INTF_REPOS` when the server knows no interface repository, or that does not know the
    /// interface; what a call can fail with.
    pub fn interface(&self) -> Result<Self, SystemException> {
        let reference = self.reference()?;
        match self.declared_here() {
            Some(activation) => {
                let interface = activation.skeleton().repository_id(&|| activation.id());
                interface_of(&reference.orb, &interface)
            }
            None => {
                client::invoke(self, Operation::of_object("_interface"), &|_| Ok(()), |input| {
                    let interface: Self = Decode::decode(input)?;
                    Ok(interface)
                })
            }
        }
    }
}

/// What the interface repository of `orb` knows under this repository id.
#[cold]
pub(crate) fn interface_of(orb: &Orb, repository_id: &str) -> Result<Object, SystemException> {
    let repository = orb.resolve_initial_references(REPOSITORY).map_err(|error| {
        let hint = format!("-ORBInitRef {REPOSITORY}=corbaloc::HOST:PORT/{REPOSITORY} names one");
        missing(
            Minor::INTF_REPOS_UNAVAILABLE,
            format!("the server knows no interface repository: {error}"),
        )
        .with_hint(hint)
    })?;
    let mut request = repository.request("lookup_id");
    let id = Any::new(repository_id)?;
    request.add(NamedValue::with_value("search_id", ParameterMode::In, id));
    request.set_return_type(Object::type_code());
    request.invoke().map_err(|error| match error {
        Error::System(exception) => exception,
        Error::User(raised) => missing(Minor::INTF_REPOS_UNAVAILABLE, raised.to_string()),
    })?;
    let found = request.return_value().get_with_context::<Object>(orb)?.unwrap_or_default();
    match found.is_nil() {
        true => Err(missing(
            Minor::INTF_REPOS_UNKNOWN_INTERFACE,
            format!("the interface repository does not know {repository_id}"),
        )),
        false => Ok(found),
    }
}

/// `INTF_REPOS` with a minor code of the specification.
#[cold]
fn missing(minor: Minor, what: String) -> SystemException {
    SystemException::new(ExceptionKind::IntfRepos, minor, Completion::No).with_reason(what)
}
