//! `get_interface`: the interface of an object, from the interface repository (CORBA 3.4 Part 1,
//! 8.3.1).

use crate::client::endpoint::LocalObject;
use crate::client::reference::Object;
use crate::client::request::Operation;
use crate::client::synchronous::invoke;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use crate::signature::Signature;
use armilla_cdr::{Decode, Encode, TypeCode, Typed};

/// The name of the repository's initial reference.
const REPOSITORY: &str = "InterfaceRepository";

/// The operation of the repository that finds a definition.
const LOOK_UP: &str = "lookup_id";

/// The IDL signature of `lookup_id`.
fn signature(operation: &str) -> Option<Signature> {
    let text = TypeCode::String(0);
    (operation == LOOK_UP)
        .then(|| Signature::new().with_in("search_id", text).with_result(Object::type_code()))
}

impl Object {
    /// The `InterfaceDef` of the object's interface, from the interface repository of its server:
    /// `get_interface`. It is an object like any other; the crate `armilla-ifr` has its type.
    ///
    /// # Errors
    /// `INTF_REPOS` when the server has no interface repository, or when the repository does not
    /// contain the interface. Otherwise those of a call.
    #[doc(alias = "get_interface")]
    #[doc(alias = "_get_interface")]
    pub fn interface(&self) -> Result<Self, SystemException> {
        let reference = self.reference()?;
        match self.local_object().and_then(LocalObject::repository_id) {
            Some(interface) => interface_of(&reference.orb, &interface),
            None => invoke(self, Operation::of_object("_interface"), &|_| Ok(()), |input| {
                let interface: Self = Decode::decode(input)?;
                Ok(interface)
            }),
        }
    }
}

/// Looks up this repository id in the interface repository of `orb`.
pub(crate) fn interface_of(orb: &Orb, repository_id: &str) -> Result<Object, SystemException> {
    let repository = orb.resolve_initial_references(REPOSITORY).map_err(|error| {
        let hint = format!("-ORBInitRef {REPOSITORY}=corbaloc::HOST:PORT/{REPOSITORY} names one");
        missing(
            Minor::INTF_REPOS_UNAVAILABLE,
            format!("the server has no interface repository: {}", error.as_cause()),
        )
        .with_hint(hint)
    })?;
    let found = invoke(
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
            format!("the interface repository does not contain {repository_id}"),
        )),
        false => Ok(found),
    }
}

/// `INTF_REPOS` with this minor code.
fn missing(minor: Minor, what: String) -> SystemException {
    SystemException::new(ExceptionKind::IntfRepos, minor, Completion::No).with_reason(what)
}
