//! What makes references to the objects of one POA (CORBA 3.4 Part 1, 16.5.3).

use super::ior::adapter_names;
use crate::exception::SystemException;
use crate::object::Object;
use crate::poa::{ObjectId, Poa};

/// Says where a POA is, and makes references to its objects: `ObjectReferenceTemplate`, which is a
/// factory too. [`IorInfo::adapter_template`](super::IorInfo::adapter_template) gives one.
#[derive(Debug, Clone)]
pub struct ObjectReferenceTemplate(pub(super) Poa);

impl ObjectReferenceTemplate {
    /// The name of the server, [`Settings::server_id`](crate::Settings::server_id).
    pub fn server_id(&self) -> &str {
        &self.0.orb().settings().server_id
    }

    /// The name of the ORB, [`Settings::orb_id`](crate::Settings::orb_id).
    pub fn orb_id(&self) -> &str {
        &self.0.orb().settings().orb_id
    }

    /// The names of the POA and those above it, from the root down.
    pub fn adapter_name(&self) -> Vec<String> {
        adapter_names(self.0.adapter_id())
    }

    /// A reference to the object of the POA with this id, active or not. The interceptors see it.
    ///
    /// # Errors
    /// `BAD_PARAM` for an id that cannot be the POA's.
    pub fn make_object(
        &self,
        repository_id: &str,
        id: impl Into<ObjectId>,
    ) -> Result<Object, SystemException> {
        Ok(self.0.create_object_with_id(repository_id, id)?)
    }
}
