//! The channel as an object, and what it hands proxies out with.

use super::pull::{pull_consumer, pull_supplier};
use super::push::{connect_consumer, connect_supplier, push_consumer, push_supplier};
use super::{Persistent, Site};
use crate::corba::event_channel::{ConnectConsumerRaises, ConnectSupplierRaises};
use crate::corba::{
    ChannelStatistics, ConsumerQos, EventChannel, EventChannelRef, ProxyPushConsumerRef,
    ProxyPushSupplierRef, PushConsumerRef, admin, comm, event_channel,
};
use crate::hub::Hub;
use crate::kept::Persistence;
use armilla::{Caller, Error, ObjectId, Poa, SystemException};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// Who may end a channel, if not everybody.
pub(crate) type Rights = Arc<dyn Fn(Option<&Caller>) -> Result<(), SystemException> + Send + Sync>;

/// Activates the object of a channel, and connects its clients of before.
pub(crate) fn serve(
    hub: &Arc<Hub>,
    poa: &Poa,
    rights: Option<Rights>,
    persistence: Option<Persistence>,
) -> Result<EventChannelRef, SystemException> {
    let (clients, persistence) = match persistence {
        Some(Persistence { keeper, clients }) => {
            (clients, Some(Arc::new(Persistent { keeper, restores: AtomicBool::new(false) })))
        }
        None => (Vec::new(), None),
    };
    let site = Site { hub: Arc::downgrade(hub), poa: poa.clone(), persistence };
    let id = |name: &str| {
        let id = OnceLock::new();
        id.set(ObjectId::from(name)).ok();
        id
    };
    let consumers = admin::consumer_admin::tie(Administration(site.clone()));
    let consumers = site.activate(consumers, &id("consumers"))?;
    let suppliers = admin::supplier_admin::tie(Administration(site.clone()));
    let suppliers = site.activate(suppliers, &id("suppliers"))?;
    let servant = Channel { site: site.clone(), consumers, suppliers, rights };
    let of_channel = site.poa.clone();
    // Fails if the ORB has ended: then there is nothing to end. Calls under way continue.
    hub.at_end(Box::new(move || drop(of_channel.destroy(true, false))));
    let channel = site.activate(event_channel::tie(servant), &id("channel"))?;
    site.restore(&clients);
    Ok(channel)
}

struct Channel {
    site: Site,
    rights: Option<Rights>,
    consumers: admin::ConsumerAdminRef,
    suppliers: admin::SupplierAdminRef,
}

impl admin::EventChannel for Channel {
    fn for_consumers(&self) -> Result<admin::ConsumerAdminRef, SystemException> {
        self.site.hub().map(|_| self.consumers.clone())
    }

    fn for_suppliers(&self) -> Result<admin::SupplierAdminRef, SystemException> {
        self.site.hub().map(|_| self.suppliers.clone())
    }

    fn destroy(&self) -> Result<(), SystemException> {
        let hub = self.site.hub()?;
        if let Some(rights) = &self.rights {
            rights(Caller::current().as_ref())?;
        }
        hub.destroy();
        Ok(())
    }
}

impl EventChannel for Channel {
    fn connect_supplier(
        &self,
        supplier: &comm::PushSupplierRef,
    ) -> Result<ProxyPushConsumerRef, Error<ConnectSupplierRaises>> {
        connect_supplier(&self.site, supplier, Arc::default())
    }

    fn connect_consumer(
        &self,
        consumer: &PushConsumerRef,
        qos: &ConsumerQos,
    ) -> Result<ProxyPushSupplierRef, Error<ConnectConsumerRaises>> {
        connect_consumer(&self.site, consumer, qos, Arc::default())
    }

    fn statistics(&self) -> Result<ChannelStatistics, SystemException> {
        Ok(self.site.hub()?.statistics())
    }
}

/// Hands plain proxies out (Event Service 1.2, 2.3).
struct Administration(Site);

impl admin::ConsumerAdmin for Administration {
    fn obtain_push_supplier(&self) -> Result<admin::ProxyPushSupplierRef, SystemException> {
        Ok(push_supplier(&self.0, Arc::default())?.1)
    }

    fn obtain_pull_supplier(&self) -> Result<admin::ProxyPullSupplierRef, SystemException> {
        Ok(pull_supplier(&self.0, Arc::default())?.1)
    }
}

impl admin::SupplierAdmin for Administration {
    fn obtain_push_consumer(&self) -> Result<admin::ProxyPushConsumerRef, SystemException> {
        Ok(push_consumer(&self.0, Arc::default())?.1)
    }

    fn obtain_pull_consumer(&self) -> Result<admin::ProxyPullConsumerRef, SystemException> {
        Ok(pull_consumer(&self.0, Arc::default())?.1)
    }
}
