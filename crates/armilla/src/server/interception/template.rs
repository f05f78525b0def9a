//! Templates of references: what a POA makes its references from (CORBA 3.4 Part 1, 16.5.3).

use crate::client::Object;
use crate::exception::SystemException;
use crate::runtime::WeakOrb;
use crate::server::interception::ior::adapter_names;
use crate::server::poa::{ObjectId, ObjectReferenceFactory, Poa, PoaInner};
use std::fmt;
use std::sync::Weak;

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
