//! The interface of an object as the interface repository describes it (CORBA 3.4 Part 1, 8.3.1).

use super::Object;
use crate::client::{self, LocalObject, Operation};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use crate::signature::Signature;
use armilla_cdr::{Decode, Encode, TypeCode, Typed};

/// The name of the initial reference.
const REPOSITORY: &str = "InterfaceRepository";

/// The operation of the repository that finds a definition.
const LOOK_UP: &str = "lookup_id";

/// What IDL says of it.
fn signature(operation: &str) -> Option<Signature> {
    let text = TypeCode::String(0);
    (operation == LOOK_UP)
        .then(|| Signature::new().with_in("search_id", text).with_result(Object::type_code()))
}

impl Object {
    /// The `InterfaceDef` of the object's interface, from the interface repository that its server
    /// knows: `get_interface`. It is an object like any other; the crate `armilla-ifr` has its type.
    ///
    /// # Errors
    /// `INTF_REPOS` when the server knows no interface repository, or that does not know the
    /// interface; what a call can fail with.
    pub fn interface(&self) -> Result<Self, SystemException> {
        let reference = self.reference()?;
        match self.local_object().and_then(LocalObject::repository_id) {
            Some(interface) => interface_of(&reference.orb, &interface),
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
    let found = client::invoke(
        &repository,
        Operation::of_idl(LOOK_UP, signature),
        &|out| repository_id.encode(out),
        |input| {
            let found: Object = Decode::decode(input)?;
            Ok(found)
        },
    )?;
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
