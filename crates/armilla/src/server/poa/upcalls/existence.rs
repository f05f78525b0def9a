//! Whether an object that only a default servant knows exists.

use crate::exception::Completion;
use crate::runtime::Orb;
use crate::server::poa::policies::RequestProcessing;
use crate::server::poa::{Current, ObjectId, PoaInner};
use armilla_ipc::memory::Slot;
use std::sync::Arc;

impl PoaInner {
    /// Whether the default servant says of an object that is not active that it does not exist.
    /// Only a servant with a [`ServantBase`](crate::ServantBase) of its own is asked.
    #[cold]
    pub(crate) fn is_denied(self: &Arc<Self>, orb: &Orb, id: &[u8], hint: Slot) -> bool {
        if self.policies.processing != RequestProcessing::DefaultServant
            || self.lookup(orb, id, hint).is_some()
        {
            return false;
        }
        let servant = self.default_servant.load_full();
        let Some(servant) = servant.as_deref() else { return false };
        let Some(base) = servant.get().base() else { return false };
        let current = Current::unmapped(orb.poa_of(self), ObjectId::new(id), servant.clone());
        let asked = orb.call_back("non_existent", Completion::No, || base.non_existent(&current));
        // A servant that fails tells more when it is called.
        matches!(asked, Ok(Ok(true)))
    }
}
