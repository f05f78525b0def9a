//! The CORBA objects of a channel, over the hub, which has all rules.
//!
//! `channel` is the channel itself and its administrations, `push` and `pull` are the proxies,
//! `restore` makes those of clients that an earlier process has connected.

mod channel;
mod pull;
mod push;
mod restore;

pub(crate) use channel::{Rights, serve};

use crate::error::{EventError, system};
use crate::farewell::Ending;
use crate::hub::Hub;
use crate::kept::{Client, Keeper, Kept};
use armilla::codegen::Interface;
use armilla::{ExceptionKind, Object, ObjectId, Poa, Ref, SystemException};
use armilla_ipc::random;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// Where the objects of a channel are, and its hub. An ORB keeps servants until its end, so they
/// do not keep the channel.
#[derive(Clone)]
struct Site {
    hub: Weak<Hub>,
    poa: Poa,
    /// How clients outlive the process, if they do: then the POA has user ids.
    persistence: Option<Arc<Persistent>>,
}

/// How the clients of a channel outlive the process.
struct Persistent {
    keeper: Arc<dyn Keeper>,
    /// While clients of before are restored, they are kept already.
    restores: AtomicBool,
}

/// The object id of a proxy, once it has one.
type ProxyId = Arc<OnceLock<ObjectId>>;

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
        if self.persistence.is_none() {
            let object = self.poa.activate(servant)?;
            id.set(self.poa.reference_to_id(object.object())?).ok();
            return Ok(object);
        }
        let chosen = match id.get() {
            Some(id) => id.clone(),
            None => unguessable()?,
        };
        let object = self.poa.activate_with_id(chosen.clone(), servant)?;
        id.set(chosen).ok();
        Ok(object)
    }

    /// Keeps a client that has connected, so that it is connected again when the process is started
    /// anew.
    fn keep(
        &self,
        id: &OnceLock<ObjectId>,
        client: Client,
        reference: &Object,
        qos: &[u8],
    ) -> Result<(), SystemException> {
        let (Some(persistence), Some(id)) = (&self.persistence, id.get()) else { return Ok(()) };
        if persistence.restores.load(Ordering::SeqCst) {
            return Ok(());
        }
        let hub = self.hub()?;
        let reference = match reference.is_nil() {
            true => String::new(),
            false => hub.rt.orb().object_to_string(reference)?,
        };
        let proxy = String::from_utf8_lossy(id.as_bytes()).into_owned();
        persistence.keeper.keep(&Kept { proxy, client, reference, qos: qos.to_vec() })
    }

    /// What deactivates a proxy.
    fn leaving(&self, id: &Arc<OnceLock<ObjectId>>) -> Ending {
        let (site, id) = (self.clone(), id.clone());
        Box::new(move || site.leave(&id))
    }

    /// Deactivates a proxy.
    fn leave(&self, id: &OnceLock<ObjectId>) {
        let Some(id) = id.get() else { return };
        // It may be gone already.
        self.poa.deactivate(id).ok();
        if let Some(persistence) = &self.persistence {
            persistence.keeper.forget(&String::from_utf8_lossy(id.as_bytes()));
        }
    }
}

/// An object id that is that of no other proxy, of this process or of another one, and that nobody
/// can guess: who knows the key of a proxy can disconnect its client.
fn unguessable() -> Result<ObjectId, SystemException> {
    let number = || {
        random::number().map_err(|error| {
            system(ExceptionKind::NoResources, format!("no random numbers: {error}"))
        })
    };
    Ok(ObjectId::from(format!("{:016x}{:016x}", number()?, number()?)))
}
