//! Factories of references to the objects of one POA (CORBA 3.4 Part 1, 16.5.3).

use crate::client::Object;
use crate::exception::SystemException;
use crate::runtime::WeakOrb;
use crate::server::interception::ior::adapter_names;
use crate::server::poa::{ObjectId, Poa, PoaInner};
use std::fmt;
use std::sync::Weak;

/// Makes the references of a POA: `ObjectReferenceFactory`. A service that wants them to lead
/// elsewhere, or to carry data that depends on the object, sets one for the POA
/// ([`IorInfo::set_current_factory`](crate::interceptor::IorInfo::set_current_factory)).
///
/// Closures implement it too. A factory should not keep the POA alive: an
/// [`ObjectReferenceTemplate`] does not, but a [`Poa`] stored in the factory of the same POA does.
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

/// Identifies a POA, and makes references to its objects as the POA itself does:
/// `ObjectReferenceTemplate`.
/// [`IorInfo::adapter_template`](crate::interceptor::IorInfo::adapter_template) returns it. It does
/// not keep the POA alive.
#[derive(Clone)]
pub struct ObjectReferenceTemplate {
    orb: WeakOrb,
    poa: Weak<PoaInner>,
    server_id: String,
    orb_id: String,
    adapter_name: Vec<String>,
}

impl ObjectReferenceTemplate {
    pub(super) fn new(poa: &Poa) -> Self {
        let settings = poa.orb().settings();
        Self {
            orb: poa.orb().downgrade(),
            poa: poa.downgrade(),
            server_id: settings.server_id.clone(),
            orb_id: settings.orb_id.clone(),
            adapter_name: adapter_names(poa.adapter_id()),
        }
    }

    /// The name of the server, [`Settings::server_id`](crate::Settings::server_id).
    pub fn server_id(&self) -> &str {
        &self.server_id
    }

    /// The name of the ORB, [`Settings::orb_id`](crate::Settings::orb_id).
    pub fn orb_id(&self) -> &str {
        &self.orb_id
    }

    /// The names of the POA and its ancestors, from the root down.
    pub fn adapter_name(&self) -> &[String] {
        &self.adapter_name
    }
}

impl ObjectReferenceFactory for ObjectReferenceTemplate {
    /// `BAD_PARAM` for an id that cannot be the POA's, `OBJECT_NOT_EXIST` when the POA is gone.
    fn make_object(&self, repository_id: &str, id: &ObjectId) -> Result<Object, SystemException> {
        let poa = self.poa.upgrade().and_then(|poa| Some(self.orb.upgrade()?.poa_of(&poa)));
        let poa = poa.ok_or_else(SystemException::object_not_exist)?;
        Ok(poa.plain_object(repository_id, id)?)
    }
}

impl fmt::Debug for ObjectReferenceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectReferenceTemplate")
            .field("server_id", &self.server_id)
            .field("orb_id", &self.orb_id)
            .field("adapter_name", &self.adapter_name)
            .finish_non_exhaustive()
    }
}
