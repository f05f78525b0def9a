//! Factories of references to the objects of one POA (CORBA 3.4 Part 1, 16.5.3), and what else
//! interceptors have established for its references.

use super::ObjectId;
use crate::client::Object;
use crate::exception::SystemException;
use crate::server::addresses::publications::ComponentByAddresses;
use armilla_giop::ior::TaggedComponent;
use std::sync::Arc;

/// Makes the references of a POA: `ObjectReferenceFactory`. A service that wants them to lead
/// elsewhere, or to carry data that depends on the object, sets one for the POA
/// ([`IorInfo::set_current_factory`](crate::interceptor::IorInfo::set_current_factory)).
///
/// Closures implement it too. A factory should not keep the POA alive: an
/// [`ObjectReferenceTemplate`](crate::interceptor::ObjectReferenceTemplate) does not, but a [`Poa`](super::Poa) stored in the factory of the same POA does.
pub trait ObjectReferenceFactory: Send + Sync {
    /// Makes a reference to the object with this id, active or not. Several threads may call it at
    /// once.
    ///
    /// # Errors
    /// The caller that asked for the reference gets the error.
    fn make_object(&self, repository_id: &str, id: &ObjectId) -> Result<Object, SystemException>;
}

impl<F> ObjectReferenceFactory for F
where
    F: Fn(&str, &ObjectId) -> Result<Object, SystemException> + Send + Sync,
{
    fn make_object(&self, repository_id: &str, id: &ObjectId) -> Result<Object, SystemException> {
        self(repository_id, id)
    }
}

/// What interceptors have established for the references of a POA.
#[derive(Default)]
pub(crate) struct Established {
    pub(crate) components: Vec<TaggedComponent>,
    /// Those that tell of the addresses of each profile.
    pub(crate) by_addresses: Vec<ComponentByAddresses>,
    /// `None` if the POA makes its references itself.
    pub(crate) factory: Option<Arc<dyn ObjectReferenceFactory>>,
}
