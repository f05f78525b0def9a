//! The CORBA objects of a channel, over the hub, which has all rules.
//!
//! `channel` is the channel itself and its administrations, `push` and `pull` are the proxies.

mod channel;
mod pull;
mod push;

pub(crate) use channel::serve;

use crate::error::EventError;
use crate::farewell::Ending;
use crate::hub::Hub;
use armilla::codegen::Interface;
use armilla::{ObjectId, Poa, Ref, SystemException};
use std::sync::{Arc, OnceLock, Weak};

/// Where the objects of a channel are, and its hub. An ORB keeps servants until its end, so they
/// do not keep the channel.
#[derive(Clone)]
struct Site {
    hub: Weak<Hub>,
    poa: Poa,
}

impl Site {
    fn hub(&self) -> Result<Arc<Hub>, SystemException> {
        let hub = self.hub.upgrade().filter(|hub| !hub.has_ended());
        hub.ok_or_else(|| EventError::Ended.into())
    }

    /// Activates a proxy, which learns its object id.
    fn activate<I: Interface + ?Sized>(
        &self,
        servant: Arc<I>,
        id: &OnceLock<ObjectId>,
    ) -> Result<Ref<I>, SystemException> {
        let object = self.poa.activate(servant)?;
        id.set(self.poa.reference_to_id(object.object())?).ok();
        Ok(object)
    }

    /// What deactivates a proxy.
    fn leaving(&self, id: &Arc<OnceLock<ObjectId>>) -> Ending {
        let (site, id) = (self.clone(), id.clone());
        Box::new(move || site.leave(&id))
    }

    /// Deactivates a proxy.
    fn leave(&self, id: &OnceLock<ObjectId>) {
        // It may be gone already.
        id.get().into_iter().for_each(|id| drop(self.poa.deactivate(id)));
    }
}
