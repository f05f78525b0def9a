//! The proxies through which plain consumers pull, and those that pull from plain suppliers.

use super::push::plain_event;
use super::{ProxyId, Site};
use crate::connection::{Connection, is_shut_down};
use crate::corba::admin::proxy_pull_consumer::ConnectPullSupplierRaises;
use crate::corba::admin::proxy_pull_supplier::ConnectPullConsumerRaises;
use crate::corba::comm::pull_supplier::{PullRaises, TryPullRaises};
use crate::corba::comm::{PullConsumer as _, PullSupplier as _};
use crate::corba::{admin, comm};
use crate::correlation::Matched;
use crate::entry::Entry;
use crate::error::{EventError, system};
use crate::hub::Hub;
use crate::kept::Client;
use crate::options::ConsumerOptions;
use crate::places::ProxyPermit;
use crate::presence::Presence;
use crate::queue::Delivery;
use crate::subscription::Subscription;
use armilla::{Any, Error, ExceptionKind, ObjectId, SystemException, blocking};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use tracing::warn;

/// Makes a proxy for a plain consumer that will pull. It is connected from now on, so that the
/// consumer misses nothing.
pub(super) fn pull_supplier(
    site: &Site,
    id: ProxyId,
) -> Result<(Arc<dyn admin::ProxyPullSupplier>, admin::ProxyPullSupplierRef), SystemException> {
    let hub = site.hub()?;
    let entry = hub.join(&ConsumerOptions::new(Subscription::everything()))?;
    let consumer = OnceLock::new();
    let proxy = Arc::new(Pulled { site: site.clone(), entry, consumer, id });
    let object = site.activate(proxy.clone() as Arc<dyn admin::ProxyPullSupplier>, &proxy.id);
    // Who has no proxy cannot leave.
    let object = object.inspect_err(|_| hub.leave(&proxy.entry))?;
    proxy.entry.at_end(site.leaving(&proxy.id));
    Ok((proxy, object))
}

/// Makes a proxy that will pull from a plain supplier.
pub(super) fn pull_consumer(
    site: &Site,
    id: ProxyId,
) -> Result<(Arc<dyn admin::ProxyPullConsumer>, admin::ProxyPullConsumerRef), SystemException> {
    let state = Arc::default();
    let permit = site.hub()?.permit_proxy(site.leaving(&id))?;
    let proxy = Arc::new(Puller { site: site.clone(), state, id, permit });
    let id = proxy.id.clone();
    let proxy = proxy as Arc<dyn admin::ProxyPullConsumer>;
    Ok((proxy.clone(), site.activate(proxy, &id)?))
}

/// What a plain consumer pulls from.
struct Pulled {
    site: Site,
    entry: Arc<Entry>,
    /// The consumer once it has connected, perhaps without a reference.
    consumer: OnceLock<comm::PullConsumerRef>,
    id: Arc<OnceLock<ObjectId>>,
}

impl Pulled {
    /// The connection, unless the consumer or the channel has disconnected.
    fn connection(&self) -> Option<&Connection> {
        Some(&self.entry.connection).filter(|connection| !connection.has_ended())
    }
}

impl comm::PullSupplier for Pulled {
    fn pull(&self) -> Result<Any, Error<PullRaises>> {
        let limit = self.site.hub()?.limits.pull;
        let connection = self.connection().ok_or(comm::Disconnected {})?;
        let _call = self.entry.presence.begin();
        // Another thread reads from the connection meanwhile.
        if let Some(delivery) = blocking(|| connection.wait(Some(limit))) {
            return Ok(data_of(delivery));
        }
        self.connection().ok_or(comm::Disconnected {})?;
        let what = format!("no event for {limit:?} (ChannelLimits::pull)");
        Err(system(ExceptionKind::Transient, what).into())
    }

    fn try_pull(&self) -> Result<(Any, bool), Error<TryPullRaises>> {
        let connection = self.connection().ok_or(comm::Disconnected {})?;
        let _call = self.entry.presence.begin();
        Ok(match connection.try_take() {
            Some(delivery) => (data_of(delivery), true),
            None => (Any::default(), false),
        })
    }

    fn disconnect_pull_supplier(&self) -> Result<(), SystemException> {
        let was_connected = !self.entry.connection.has_ended();
        self.site.leave(&self.id);
        let Some(hub) = self.site.hub.upgrade() else {
            self.entry.connection.end();
            return Ok(());
        };
        hub.leave(&self.entry);
        // A plain consumer is told although it has asked for it. It may be gone.
        let consumer = self.consumer.get().filter(|it| was_connected && !it.is_nil());
        let consumer = consumer.map(|consumer| consumer.with_timeout(hub.limits.delivery));
        blocking(|| consumer.map(|consumer| consumer.disconnect_pull_consumer()));
        Ok(())
    }
}

impl admin::ProxyPullSupplier for Pulled {
    fn connect_pull_consumer(
        &self,
        pull_consumer: &comm::PullConsumerRef,
    ) -> Result<(), Error<ConnectPullConsumerRaises>> {
        let limit = self.site.hub()?.limits.delivery;
        let set = self.consumer.set(pull_consumer.clone());
        set.map_err(|_| admin::AlreadyConnected {})?;
        if !pull_consumer.is_nil() {
            self.entry.presence.set_reference(pull_consumer.object());
            let consumer = pull_consumer.with_timeout(limit);
            // It may be gone.
            let tell = move || drop(consumer.disconnect_pull_consumer());
            self.entry.at_channels_end(Box::new(tell));
        }
        self.site.keep(&self.id, Client::PlainPullConsumer, pull_consumer.object(), &[])?;
        Ok(())
    }
}

/// The data of a delivery to a plain consumer, whose subscription has no conjunctions.
fn data_of(delivery: Delivery) -> Any {
    match delivery.matched {
        Matched::One(event) => event.data.clone(),
        Matched::Several(events) => events.first().map_or(Any::default(), |it| it.data.clone()),
    }
}

/// What pulls from a plain supplier.
struct Puller {
    site: Site,
    state: Arc<PullState>,
    id: Arc<OnceLock<ObjectId>>,
    permit: ProxyPermit,
}

#[derive(Default)]
struct PullState {
    connected: AtomicBool,
    ended: AtomicBool,
}

impl comm::PullConsumer for Puller {
    fn disconnect_pull_consumer(&self) -> Result<(), SystemException> {
        self.state.ended.store(true, Ordering::SeqCst);
        self.site.leave(&self.id);
        Ok(())
    }
}

impl admin::ProxyPullConsumer for Puller {
    fn connect_pull_supplier(
        &self,
        pull_supplier: &comm::PullSupplierRef,
    ) -> Result<(), Error<ConnectPullSupplierRaises>> {
        let hub = self.site.hub()?;
        if pull_supplier.is_nil() {
            return Err(system(ExceptionKind::BadParam, "the supplier is nil").into());
        }
        if self.state.connected.swap(true, Ordering::SeqCst) {
            return Err(admin::AlreadyConnected {}.into());
        }
        // The thread that pulls notices when the supplier is gone.
        self.permit.connect();
        let presence = Arc::new(Presence::new());
        presence.keep();
        let number = hub.add_supplier(None, &presence, Box::new(|| {}));
        let number = number.map_err(SystemException::from)?;
        let kept = self.site.keep(&self.id, Client::PlainPullSupplier, pull_supplier.object(), &[]);
        if let Err(error) = kept {
            hub.remove_supplier(number);
            return Err(error.into());
        }
        let leave = self.site.leaving(&self.id);
        let (state, supplier) = (self.state.clone(), pull_supplier.clone());
        let weak = self.site.hub.clone();
        let work = move || {
            let supplier = supplier.with_timeout(hub.limits.delivery);
            drop(hub);
            let more = || weak.upgrade().filter(|hub| !hub.has_ended());
            while let Some(hub) = more().filter(|_| !state.ended.load(Ordering::SeqCst)) {
                match pull_once(&hub, &supplier) {
                    ControlFlow::Continue(()) => {}
                    ControlFlow::Break(true) => break,
                    // The process ends, not the connection.
                    ControlFlow::Break(false) => return,
                }
            }
            if weak.upgrade().is_none_or(|hub| hub.is_closed()) {
                // The process ends, not the connection.
                return;
            }
            // It may be gone.
            supplier.disconnect_pull_supplier().ok();
            more().and_then(|hub| hub.remove_supplier(number));
            leave();
        };
        let spawned = thread::Builder::new().name("event-pull".into()).spawn(work);
        spawned.map(drop).map_err(|error| {
            self.site.hub.upgrade().and_then(|hub| hub.remove_supplier(number));
            let what = EventError::Limit(format!("no thread to pull: {error}"));
            SystemException::from(what).into()
        })
    }
}

/// Asks a supplier for one event, and pauses if there is none. Whether to go on, or else whether the
/// supplier is lost.
fn pull_once(hub: &Hub, supplier: &comm::PullSupplierRef) -> ControlFlow<bool> {
    match supplier.try_pull() {
        Ok((data, true)) => hub.publish(&plain_event(data)),
        Ok((_, false)) => thread::sleep(hub.limits.pull_interval),
        Err(Error::User(_)) => return ControlFlow::Break(true),
        Err(Error::System(exception)) if is_shut_down(&exception) => {
            return ControlFlow::Break(false);
        }
        Err(Error::System(exception)) => {
            warn!("a pull supplier of events failed: {exception}");
            return ControlFlow::Break(true);
        }
    }
    ControlFlow::Continue(())
}
