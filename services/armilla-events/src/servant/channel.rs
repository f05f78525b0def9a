//! The channel as an object, and what it hands proxies out with.

use super::Site;
use super::pull::{pull_consumer, pull_supplier};
use super::push::{connect_consumer, connect_supplier, push_consumer, push_supplier};
use crate::corba::event_channel::{ConnectConsumerRaises, ConnectSupplierRaises};
use crate::corba::{
    ChannelStatistics, ConsumerQos, EventChannel, EventChannelRef, ProxyPushConsumerRef,
    ProxyPushSupplierRef, PushConsumerRef, admin, comm, event_channel,
};
use crate::hub::Hub;
use armilla::{Error, Poa, SystemException};
use std::sync::{Arc, OnceLock};

/// Activates the object of a channel.
pub(crate) fn serve(hub: &Arc<Hub>, poa: &Poa) -> Result<EventChannelRef, SystemException> {
    let site = Site { hub: Arc::downgrade(hub), poa: poa.clone() };
    let consumers = poa.activate(admin::consumer_admin::tie(Administration(site.clone())))?;
    let suppliers = poa.activate(admin::supplier_admin::tie(Administration(site.clone())))?;
    let servant = Channel { site: site.clone(), consumers, suppliers };
    let of_channel = site.poa.clone();
    // Fails if the ORB has ended: then there is nothing to end. Calls under way continue.
    hub.at_end(Box::new(move || drop(of_channel.destroy(true, false))));
    site.activate(event_channel::tie(servant), &OnceLock::new())
}

struct Channel {
    site: Site,
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
        self.site.hub()?.destroy();
        Ok(())
    }
}

impl EventChannel for Channel {
    fn connect_supplier(
        &self,
        supplier: &comm::PushSupplierRef,
    ) -> Result<ProxyPushConsumerRef, Error<ConnectSupplierRaises>> {
        connect_supplier(&self.site, supplier)
    }

    fn connect_consumer(
        &self,
        consumer: &PushConsumerRef,
        qos: &ConsumerQos,
    ) -> Result<ProxyPushSupplierRef, Error<ConnectConsumerRaises>> {
        connect_consumer(&self.site, consumer, qos)
    }

    fn statistics(&self) -> Result<ChannelStatistics, SystemException> {
        Ok(self.site.hub()?.statistics())
    }
}

/// Hands plain proxies out (Event Service 1.2, 2.3).
struct Administration(Site);

impl admin::ConsumerAdmin for Administration {
    fn obtain_push_supplier(&self) -> Result<admin::ProxyPushSupplierRef, SystemException> {
        push_supplier(&self.0)
    }

    fn obtain_pull_supplier(&self) -> Result<admin::ProxyPullSupplierRef, SystemException> {
        pull_supplier(&self.0)
    }
}

impl admin::SupplierAdmin for Administration {
    fn obtain_push_consumer(&self) -> Result<admin::ProxyPushConsumerRef, SystemException> {
        push_consumer(&self.0)
    }

    fn obtain_pull_consumer(&self) -> Result<admin::ProxyPullConsumerRef, SystemException> {
        pull_consumer(&self.0)
    }
}
