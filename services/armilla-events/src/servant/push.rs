//! The proxies through which suppliers push, and through which consumers are pushed to.

use super::{ProxyId, Site};
use crate::corba::admin::proxy_push_consumer::ConnectPushSupplierRaises;
use crate::corba::admin::proxy_push_supplier::ConnectPushConsumerRaises;
use crate::corba::comm::PushSupplier as _;
use crate::corba::comm::push_consumer::PushRaises as PlainPushRaises;
use crate::corba::event_channel::{ConnectConsumerRaises, ConnectSupplierRaises};
use crate::corba::proxy_push_supplier::ChangeSubscriptionRaises;
use crate::corba::push_consumer::PushRaises;
use crate::corba::{
    ConsumerQos, ConsumerStatistics, DiscardPolicy, Event, EventHeader, InvalidQos,
    InvalidSubscription, LimitReached, ProxyPushConsumer, ProxyPushConsumerRef, ProxyPushSupplier,
    ProxyPushSupplierRef, PushConsumer, PushConsumerRef, Term, admin, comm,
};
use crate::entry::Entry;
use crate::error::{EventError, system};
use crate::farewell::Ending;
use crate::hub::Hub;
use crate::kept::Client;
use crate::options::ConsumerOptions;
use crate::places::ProxyPermit;
use crate::presence::Presence;
use crate::subscription::Subscription;
use armilla::{
    Any, ByteOrder, Decode, Decoder, Encode, Encoder, Error, ExceptionKind, ObjectId,
    SystemException, blocking,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Connects a supplier of the real-time channel.
pub(super) fn connect_supplier(
    site: &Site,
    supplier: &comm::PushSupplierRef,
    id: ProxyId,
) -> Result<ProxyPushConsumerRef, Error<ConnectSupplierRaises>> {
    let reference = supplier.object();
    let supplier = Some(supplier.clone()).filter(|supplier| !supplier.is_nil());
    let proxy = Arc::new(Supply { id, ..Supply::new(site, None) });
    let number =
        site.hub()?.add_supplier(supplier, &proxy.presence, proxy.ending()).map_err(|error| {
            match error {
                EventError::Limit(reason) => Error::User(LimitReached { reason }.into()),
                other => Error::System(other.into()),
            }
        })?;
    proxy.number.set(number).ok();
    let object = site.activate(proxy.clone() as Arc<dyn ProxyPushConsumer>, &proxy.id);
    let kept = |_: &_| site.keep(&proxy.id, Client::Supplier, reference, &[]);
    let object = object.and_then(|object| kept(&object).map(|()| object));
    // Who has no proxy cannot leave.
    Ok(object.inspect_err(|_| drop(proxy.disconnect()))?)
}

/// Connects a consumer of the real-time channel.
pub(super) fn connect_consumer(
    site: &Site,
    consumer: &PushConsumerRef,
    qos: &ConsumerQos,
    id: ProxyId,
) -> Result<ProxyPushSupplierRef, Error<ConnectConsumerRaises>> {
    let reference = consumer.object();
    let hub = site.hub()?;
    if consumer.is_nil() {
        return Err(InvalidQos { reason: "the consumer is nil".to_owned() }.into());
    }
    let options = ConsumerOptions::from_qos(qos)?;
    if options.discard == DiscardPolicy::BlockSupplier && !hub.limits.remote_block {
        let reason = "BLOCK_SUPPLIER: the owner of this channel does not let consumers of other \
                      processes slow its suppliers (ChannelLimits::remote_block)";
        return Err(InvalidQos { reason: reason.to_owned() }.into());
    }
    let consumer = consumer.with_timeout(hub.limits.delivery);
    let entry = hub.connect(Arc::new(consumer), &options)?;
    let ended = entry.clone();
    let proxy = Arc::new(Demand { site: site.clone(), entry, id: id.clone() });
    let object = site.activate(proxy as Arc<dyn ProxyPushSupplier>, &id).and_then(|object| {
        site.keep(&id, Client::Consumer, reference, &encoded(qos)?)?;
        Ok(object)
    });
    // Who has no proxy cannot leave.
    let object = object.inspect_err(|_| hub.leave(&ended))?;
    ended.at_end(site.leaving(&id));
    Ok(object)
}

/// Makes a proxy for a plain supplier that will push.
pub(super) fn push_consumer(
    site: &Site,
    id: ProxyId,
) -> Result<(Arc<dyn admin::ProxyPushConsumer>, admin::ProxyPushConsumerRef), SystemException> {
    let permit = site.hub()?.permit_proxy(site.leaving(&id))?;
    let proxy = Arc::new(Supply { id, ..Supply::new(site, Some(permit)) });
    let id = proxy.id.clone();
    let proxy = proxy as Arc<dyn admin::ProxyPushConsumer>;
    Ok((proxy.clone(), site.activate(proxy, &id)?))
}

/// Makes a proxy for a plain consumer to push to.
pub(super) fn push_supplier(
    site: &Site,
    id: ProxyId,
) -> Result<(Arc<dyn admin::ProxyPushSupplier>, admin::ProxyPushSupplierRef), SystemException> {
    let (entry, ended) = Default::default();
    let permit = site.hub()?.permit_proxy(site.leaving(&id))?;
    let proxy = Arc::new(PlainDemand { site: site.clone(), entry, ended, id, permit });
    let id = proxy.id.clone();
    let proxy = proxy as Arc<dyn admin::ProxyPushSupplier>;
    Ok((proxy.clone(), site.activate(proxy, &id)?))
}

/// What a consumer asks for, to be kept.
fn encoded(qos: &ConsumerQos) -> Result<Vec<u8>, SystemException> {
    let mut out = Encoder::new(ByteOrder::Big);
    let failed = |error: armilla::CdrError| system(ExceptionKind::Marshal, error.to_string());
    qos.encode(&mut out).map_err(failed)?;
    Ok(out.to_vec())
}

/// The same from what was kept.
pub(super) fn decoded(octets: &[u8]) -> Option<ConsumerQos> {
    ConsumerQos::decode(&mut Decoder::new(octets, ByteOrder::Big)).ok()
}

/// What a supplier pushes to. A plain supplier need not connect to it.
struct Supply {
    site: Site,
    /// The number of the supplier, once it has connected.
    number: OnceLock<u64>,
    ended: Arc<AtomicBool>,
    id: Arc<OnceLock<ObjectId>>,
    presence: Arc<Presence>,
    permit: Option<ProxyPermit>,
}

impl Supply {
    fn new(site: &Site, permit: Option<ProxyPermit>) -> Self {
        let (number, ended, id) = Default::default();
        let presence = permit.as_ref().map(|permit| permit.presence.clone());
        let presence = presence.unwrap_or_else(|| Arc::new(Presence::new()));
        Self { site: site.clone(), number, ended, id, presence, permit }
    }

    /// What ends the proxy of a supplier that is gone.
    fn ending(&self) -> Ending {
        let (ended, leave) = (self.ended.clone(), self.site.leaving(&self.id));
        Box::new(move || {
            ended.store(true, Ordering::SeqCst);
            leave();
        })
    }

    /// The hub, unless the supplier or the channel has disconnected.
    fn hub(&self) -> Option<Arc<Hub>> {
        let ended = self.ended.load(Ordering::Relaxed);
        self.site.hub.upgrade().filter(|hub| !ended && !hub.has_ended())
    }

    /// Ends the connection. Returns the supplier with a time limit, if it was connected until now
    /// and has given its reference.
    fn disconnect(&self) -> Option<comm::PushSupplierRef> {
        if self.ended.swap(true, Ordering::SeqCst) {
            return None;
        }
        self.site.leave(&self.id);
        let hub = self.site.hub.upgrade()?;
        let supplier = hub.remove_supplier(*self.number.get()?)?;
        Some(supplier.with_timeout(hub.limits.delivery))
    }
}

impl PushConsumer for Supply {
    fn push(&self, received: &[Event]) -> Result<(), Error<PushRaises>> {
        let hub = self.hub().ok_or(comm::Disconnected {})?;
        let _call = self.presence.begin();
        hub.take_toll(received.len())?;
        received.iter().for_each(|event| hub.publish_foreign(event, None));
        Ok(())
    }

    fn disconnect_push_consumer(&self) -> Result<(), SystemException> {
        self.disconnect();
        Ok(())
    }
}

impl ProxyPushConsumer for Supply {}

impl comm::PushConsumer for Supply {
    fn push(&self, data: &Any) -> Result<(), Error<PlainPushRaises>> {
        let hub = self.hub().ok_or(comm::Disconnected {})?;
        let _call = self.presence.begin();
        hub.take_toll(1)?;
        hub.publish(&plain_event(data.clone()));
        Ok(())
    }

    fn disconnect_push_consumer(&self) -> Result<(), SystemException> {
        // A plain supplier is told although it has asked for it. It may be gone.
        let supplier = self.disconnect();
        blocking(|| supplier.map(|supplier| supplier.disconnect_push_supplier()));
        Ok(())
    }
}

impl admin::ProxyPushConsumer for Supply {
    fn connect_push_supplier(
        &self,
        push_supplier: &comm::PushSupplierRef,
    ) -> Result<(), Error<ConnectPushSupplierRaises>> {
        let hub = self.site.hub()?;
        if self.number.get().is_some() {
            return Err(admin::AlreadyConnected {}.into());
        }
        let supplier = Some(push_supplier.clone()).filter(|supplier| !supplier.is_nil());
        let number = hub.add_supplier(supplier, &self.presence, self.ending());
        let number = number.map_err(SystemException::from)?;
        self.permit.iter().for_each(ProxyPermit::connect);
        if self.number.set(number).is_err() {
            hub.remove_supplier(number);
            return Err(admin::AlreadyConnected {}.into());
        }
        let reference = push_supplier.object();
        if let Err(error) = self.site.keep(&self.id, Client::PlainPushSupplier, reference, &[]) {
            self.disconnect();
            return Err(error.into());
        }
        if self.ended.load(Ordering::SeqCst) {
            // It was disconnected meanwhile, and nobody would remove it.
            hub.remove_supplier(number);
        }
        Ok(())
    }
}

/// The event that a plain supplier pushes: of no source and type in particular.
pub(super) fn plain_event(data: Any) -> Arc<Event> {
    Arc::new(Event { header: EventHeader::new(0, 0), data })
}

/// What a consumer of the real-time channel controls.
struct Demand {
    site: Site,
    entry: Arc<Entry>,
    id: Arc<OnceLock<ObjectId>>,
}

impl comm::PushSupplier for Demand {
    fn disconnect_push_supplier(&self) -> Result<(), SystemException> {
        leave(&self.site, &self.entry);
        self.site.leave(&self.id);
        Ok(())
    }
}

impl ProxyPushSupplier for Demand {
    fn change_subscription(
        &self,
        subscription: &Term,
    ) -> Result<(), Error<ChangeSubscriptionRaises>> {
        let subscription = Subscription::from(subscription.clone());
        self.site.hub()?.subscribe(&self.entry, &subscription).map_err(|error| match error {
            EventError::Subscription(reason) => Error::User(InvalidSubscription { reason }.into()),
            other => Error::System(other.into()),
        })
    }

    fn suspend_connection(&self) -> Result<(), SystemException> {
        self.entry.connection.suspend(true);
        Ok(())
    }

    fn resume_connection(&self) -> Result<(), SystemException> {
        self.entry.connection.suspend(false);
        Ok(())
    }

    fn statistics(&self) -> Result<ConsumerStatistics, SystemException> {
        let connection = &self.entry.connection;
        match connection.has_ended() {
            true => Err(system(ExceptionKind::ObjectNotExist, "the consumer is disconnected")),
            false => Ok(connection.statistics()),
        }
    }
}

/// What a plain consumer connects to.
struct PlainDemand {
    site: Site,
    entry: OnceLock<Arc<Entry>>,
    ended: AtomicBool,
    id: Arc<OnceLock<ObjectId>>,
    permit: ProxyPermit,
}

impl comm::PushSupplier for PlainDemand {
    fn disconnect_push_supplier(&self) -> Result<(), SystemException> {
        self.ended.store(true, Ordering::SeqCst);
        self.site.leave(&self.id);
        if let Some(entry) = self.entry.get() {
            match self.site.hub.upgrade() {
                Some(hub) => hub.part(entry),
                None => _ = entry.connection.end(),
            }
        }
        Ok(())
    }
}

impl admin::ProxyPushSupplier for PlainDemand {
    fn connect_push_consumer(
        &self,
        push_consumer: &comm::PushConsumerRef,
    ) -> Result<(), Error<ConnectPushConsumerRaises>> {
        let hub = self.site.hub()?;
        if push_consumer.is_nil() {
            return Err(system(ExceptionKind::BadParam, "the consumer is nil").into());
        }
        if self.entry.get().is_some() {
            return Err(admin::AlreadyConnected {}.into());
        }
        let consumer = push_consumer.with_timeout(hub.limits.delivery);
        let options = ConsumerOptions::new(Subscription::everything());
        let entry = hub.connect(Arc::new(consumer), &options).map_err(SystemException::from)?;
        if let Err(entry) = self.entry.set(entry.clone()) {
            hub.leave(&entry);
            return Err(admin::AlreadyConnected {}.into());
        }
        self.permit.connect();
        entry.at_end(self.site.leaving(&self.id));
        let reference = push_consumer.object();
        if let Err(error) = self.site.keep(&self.id, Client::PlainPushConsumer, reference, &[]) {
            hub.leave(&entry);
            return Err(error.into());
        }
        if self.ended.load(Ordering::SeqCst) {
            // It was disconnected meanwhile, and has no proxy to leave by.
            hub.part(&entry);
        }
        Ok(())
    }
}

fn leave(site: &Site, entry: &Arc<Entry>) {
    match site.hub.upgrade() {
        Some(hub) => hub.leave(entry),
        None => _ = entry.connection.end(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla::Orb;
    use armilla_rt::RtOrb;
    use std::collections::BTreeMap;

    struct Nobody;

    impl PushConsumer for Nobody {
        fn push(&self, _: &[Event]) -> Result<(), Error<PushRaises>> {
            Ok(())
        }

        fn disconnect_push_consumer(&self) -> Result<(), SystemException> {
            Ok(())
        }
    }

    #[test]
    fn who_gets_no_proxy_is_not_connected() {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let rt = RtOrb::new(&orb);
        let hub = Hub::new(&rt, crate::ChannelLimits::default(), None, BTreeMap::new(), false);
        let hub = Arc::new(hub);
        let poa = orb.root_poa().create_poa("gone").build().unwrap();
        // Nothing can be activated there any more.
        poa.destroy(false, false).unwrap();
        let site = Site { hub: Arc::downgrade(&hub), poa, persistence: None };
        let consumer = crate::corba::push_consumer::tie(Nobody);
        let consumer = orb.root_poa().activate(consumer).unwrap();
        let everything = ConsumerOptions::new(Subscription::everything()).to_qos();
        connect_consumer(&site, &consumer, &everything, Arc::default()).unwrap_err();
        connect_supplier(&site, &comm::PushSupplierRef::nil(), Arc::default()).unwrap_err();
        assert!(super::super::pull::pull_supplier(&site, Arc::default()).is_err());
        let statistics = hub.statistics();
        assert_eq!((statistics.consumers, statistics.suppliers), (0, 0));
        orb.shutdown();
    }
}
