//! The channels of a service, and what is kept of them.

use super::metrics::Counts;
use super::operators::Operators;
use crate::channel::EventChannel;
use crate::corba::EventChannelRef;
use crate::entry::ConsumerState;
use crate::error::EventError;
use crate::hub::Toll;
use crate::kept::{Keeper, Kept, Persistence};
use crate::options::ChannelLimits;
use crate::store::{KeptChannel, Store, StoreError};
use armilla::{Caller, Completion, ExceptionKind, Minor, Orb, Poa, SystemException};
use armilla_rt::RtOrb;
use armilla_security::{Resource, ServerSecurity};
use armilla_service::{Events, Lifecycle, Stage};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The longest name of a channel, in octets.
const LONGEST_NAME: usize = 128;

/// The most consumers and suppliers that a channel may be made for.
const MOST_CLIENTS: u32 = 65_536;

/// Names that the service has published for itself.
pub(super) const OWN_NAMES: [&str; 3] = ["EventChannelFactory", "omniEvents", "EventService"];

/// Why a channel is not made, found or removed.
#[derive(Debug)]
pub(super) enum ChannelError {
    Exists,
    Unknown,
    Refused(String),
}

impl From<StoreError> for ChannelError {
    fn from(error: StoreError) -> Self {
        Self::Refused(format!("the store: {error}"))
    }
}

impl From<SystemException> for ChannelError {
    fn from(exception: SystemException) -> Self {
        Self::Refused(exception.to_string())
    }
}

/// A channel that serves.
#[derive(Clone)]
pub(super) struct Running {
    pub(super) channel: EventChannel,
    pub(super) kept: KeptChannel,
}

/// The channels.
pub(super) struct Service {
    orb: Orb,
    rt: RtOrb,
    /// The POA above those of the channels.
    poa: Poa,
    store: Store,
    defaults: ChannelLimits,
    most: usize,
    pub(super) operators: Operators,
    /// The context of a naming service in which channels are bound.
    context: Option<String>,
    /// What knows who pushes, and how much they may.
    security: Option<ServerSecurity>,
    channels: Mutex<BTreeMap<String, Running>>,
    /// Held while a channel is made or removed, so that the store and the channels agree.
    changing: Mutex<()>,
    changed: Events,
    lifecycle: Lifecycle,
}

/// What a service is made from.
pub(super) struct Parts {
    pub(super) store: Store,
    pub(super) defaults: ChannelLimits,
    pub(super) most: usize,
    pub(super) operators: Operators,
    pub(super) context: Option<String>,
    pub(super) security: Option<ServerSecurity>,
    pub(super) changed: Events,
    pub(super) lifecycle: Lifecycle,
}

impl Service {
    pub(super) fn new(orb: &Orb, poa: &Poa, parts: Parts) -> Arc<Self> {
        let Parts { store, defaults, most, operators, context, security, changed, lifecycle } =
            parts;
        Arc::new(Self {
            orb: orb.clone(),
            rt: RtOrb::new(orb),
            poa: poa.clone(),
            store,
            defaults,
            most,
            operators,
            context,
            security,
            channels: Mutex::default(),
            changing: Mutex::default(),
            changed,
            lifecycle,
        })
    }

    fn channels(&self) -> MutexGuard<'_, BTreeMap<String, Running>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changing(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the channels that are kept, and connects their clients again.
    pub(super) fn restore(self: &Arc<Self>) -> Result<(), ChannelError> {
        for (name, (kept, clients)) in self.store.load()? {
            let count = clients.len();
            let channel = self.open(&name, &kept, clients)?;
            tracing::info!(name, clients = count, "an event channel is restored");
            self.channels().insert(name, Running { channel, kept });
        }
        Ok(())
    }

    /// Whether the service can do its work.
    pub(super) fn check(&self) -> Result<(), String> {
        self.store.check().map_err(|error| format!("the store cannot be written: {error}"))
    }

    /// What takes events from the shares of those who push them, if there are limits.
    fn toll(&self) -> Option<Toll> {
        let security = self.security.clone()?;
        let limits = security.limits().is_some_and(|it| it.restrict(Resource::Events));
        limits.then(|| -> Toll { Arc::new(move |events| security.pass(events)) })
    }

    /// Makes a channel. Without a name it gets one.
    pub(super) fn create(
        self: &Arc<Self>,
        name: &str,
        kept: KeptChannel,
    ) -> Result<(String, EventChannelRef), ChannelError> {
        let _changing = self.changing();
        let name = match name {
            "" => self.free_name(),
            name => checked_name(name)?.to_owned(),
        };
        if self.channels().contains_key(&name) {
            return Err(ChannelError::Exists);
        }
        if self.channels().len() >= self.most {
            let most = self.most;
            let what = format!("there are {most} channels, the limit of the service (--channels)");
            return Err(ChannelError::Refused(what));
        }
        if kept.consumers.max(kept.suppliers) > MOST_CLIENTS {
            let what = format!("at most {MOST_CLIENTS} consumers and suppliers");
            return Err(ChannelError::Refused(what));
        }
        if kept.queue_length as usize > self.defaults.longest_queue {
            let most = self.defaults.longest_queue;
            return Err(ChannelError::Refused(format!("a queue has at most {most} deliveries")));
        }
        let channel = self.open(&name, &kept, Vec::new())?;
        if let Err(error) = self.store.put_channel(&name, &kept) {
            // What is not on the disk is not there.
            self.orb.unpublish(&name);
            channel.destroy();
            return Err(error.into());
        }
        let reference = channel.reference().clone();
        self.channels().insert(name.clone(), Running { channel, kept });
        self.changed.change(&name);
        tracing::info!(name, "an event channel is made");
        Ok((name, reference))
    }

    /// The first name of this kind that no channel has.
    fn free_name(&self) -> String {
        let channels = self.channels();
        let names = (1_u64..).map(|number| format!("channel-{number}"));
        let mut free = names.filter(|name| !channels.contains_key(name));
        free.next().unwrap_or_default()
    }

    fn open(
        self: &Arc<Self>,
        name: &str,
        kept: &KeptChannel,
        clients: Vec<Kept>,
    ) -> Result<EventChannel, SystemException> {
        let keeper = OfChannel { service: Arc::downgrade(self), name: name.to_owned() };
        let persistence = Persistence { keeper: Arc::new(keeper), clients };
        let (service, of_channel) = (Arc::downgrade(self), name.to_owned());
        let rights = move |client: Option<&Caller>| {
            let service =
                service.upgrade().ok_or_else(|| SystemException::from(EventError::Ended))?;
            service.operators.check(client)?;
            // The channel ends itself; what is kept of it goes first.
            service.forget(&of_channel).map(drop).map_err(|error| refused(&error))
        };
        let builder = EventChannel::builder(&self.rt).name(name).limits(self.limits(kept));
        let builder = builder.parent(&self.poa).rights(Arc::new(rights)).persistence(persistence);
        let channel = builder.toll(self.toll()).build()?;
        self.orb.publish(name, channel.reference())?;
        if let Some(context) = &self.context {
            let text = format!("{context}/{}", escaped(name));
            let bound = self.orb.bind_name(&text, channel.reference());
            // The service works without names.
            if let Err(error) = bound {
                tracing::warn!(name = text, %error, "a channel is not bound in the naming service");
            }
        }
        Ok(channel)
    }

    fn limits(&self, kept: &KeptChannel) -> ChannelLimits {
        let mut limits = self.defaults;
        let set = |limit: &mut usize, asked: u64| {
            if asked > 0 {
                *limit = usize::try_from(asked).unwrap_or(usize::MAX);
            }
        };
        set(&mut limits.queue_length, kept.queue_length.into());
        set(&mut limits.queue_octets, kept.queue_octets);
        set(&mut limits.consumers, kept.consumers.into());
        set(&mut limits.suppliers, kept.suppliers.into());
        limits.remote_block |= kept.consumers_may_block;
        limits
    }

    /// The channel with this name.
    pub(super) fn find(&self, name: &str) -> Option<Running> {
        self.channels().get(name).cloned()
    }

    /// All channels, in the order of their names.
    pub(super) fn list(&self) -> Vec<(String, Running)> {
        self.channels().iter().map(|(name, running)| (name.clone(), running.clone())).collect()
    }

    /// What is counted of all channels.
    pub(super) fn counts(&self) -> Vec<Counts> {
        let counts = |(name, Running { channel, .. }): (String, Running)| {
            let consumers = channel.hub().consumers();
            Counts::new(name, channel.statistics(), consumers.into_iter().map(|it| it.statistics))
        };
        self.list().into_iter().map(counts).collect()
    }

    /// The consumers of a channel.
    pub(super) fn consumers(&self, name: &str) -> Option<Vec<ConsumerState>> {
        Some(self.find(name)?.channel.hub().consumers())
    }

    /// Disconnects all clients of a channel, and forgets it.
    pub(super) fn remove(&self, name: &str) -> Result<(), ChannelError> {
        let running = self.find(name).ok_or(ChannelError::Unknown)?;
        self.forget(name)?;
        running.channel.destroy();
        Ok(())
    }

    /// Forgets a channel that ends. Who drops it last destroys it.
    fn forget(&self, name: &str) -> Result<Option<Running>, ChannelError> {
        let _changing = self.changing();
        // What is still on the disk is still there.
        self.store.remove_channel(name)?;
        let forgotten = self.channels().remove(name);
        self.orb.unpublish(name);
        if let Some(context) = &self.context {
            // It may be bound no longer.
            self.orb.unbind_name(&format!("{context}/{}", escaped(name))).ok();
        }
        self.changed.change(name);
        tracing::info!(name, "an event channel is removed");
        Ok(forgotten)
    }

    /// Ends all channels with the process. Their clients are connected again by the next one.
    pub(super) fn close(&self) {
        for (_, running) in self.list() {
            running.channel.hub().close();
        }
    }
}

/// Checks the name of a channel.
fn checked_name(name: &str) -> Result<&str, ChannelError> {
    let refuse = |why: String| Err(ChannelError::Refused(format!("the name {name:?}: {why}")));
    if name.len() > LONGEST_NAME {
        return refuse(format!("it has more than {LONGEST_NAME} octets"));
    }
    if name.chars().any(|character| character.is_control() || character == '/') {
        return refuse("it has a control character or a slash".to_owned());
    }
    if OWN_NAMES.contains(&name) {
        return refuse("it is one of the service itself".to_owned());
    }
    Ok(name)
}

/// A name as a component of a name in a naming service (Naming Service 1.3, 2.4).
fn escaped(name: &str) -> String {
    let escape = |c: char| match c {
        '.' | '/' | '\\' => format!("\\{c}"),
        c => c.to_string(),
    };
    name.chars().map(escape).collect()
}

fn refused(error: &ChannelError) -> SystemException {
    let what = match error {
        ChannelError::Refused(why) => why.clone(),
        ChannelError::Exists | ChannelError::Unknown => "there is no such channel".to_owned(),
    };
    SystemException::new(ExceptionKind::PersistStore, Minor::default(), Completion::No)
        .with_reason(what)
}

/// Keeps the clients of a channel in the store of its service.
struct OfChannel {
    service: Weak<Service>,
    name: String,
}

impl Keeper for OfChannel {
    fn keep(&self, client: &Kept) -> Result<(), SystemException> {
        let service =
            self.service.upgrade().ok_or_else(|| SystemException::from(EventError::Ended))?;
        let kept = service.store.put_client(&self.name, client);
        kept.map_err(|error| refused(&ChannelError::from(error)))?;
        service.changed.change(&self.name);
        Ok(())
    }

    fn forget(&self, proxy: &str) {
        let Some(service) = self.service.upgrade() else { return };
        // Who is lost while the service ends is to be connected again.
        if service.lifecycle.stage() == Stage::Draining {
            return;
        }
        if let Err(error) = service.store.remove_client(&self.name, proxy) {
            tracing::warn!(name = self.name, %error, "a client that is gone is still in the store");
        }
        service.changed.change(&self.name);
    }
}
