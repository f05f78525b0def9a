//! The proxies of clients that an earlier process has connected, and their connections.

use super::pull::{pull_consumer, pull_supplier};
use super::push::{connect_consumer, connect_supplier, decoded, push_consumer, push_supplier};
use super::{ProxyId, Site};
use crate::kept::{Client, Kept};
use armilla::codegen::Interface;
use armilla::{ObjectId, Ref, SystemException};
use std::fmt::Debug;
use std::sync::atomic::Ordering;
use tracing::warn;

impl Site {
    /// Connects these clients again, each by the proxy that it knows. One that cannot be connected
    /// is forgotten, and the log says so.
    pub(super) fn restore(&self, clients: &[Kept]) {
        let Some(persistence) = &self.persistence else { return };
        persistence.restores.store(true, Ordering::SeqCst);
        for kept in clients {
            if let Err(why) = self.restore_one(kept) {
                let (client, reference) = (kept.client, &kept.reference);
                warn!(
                    ?client,
                    reference, why, "a client of an event channel is not connected again"
                );
                persistence.keeper.forget(&kept.proxy);
            }
        }
        persistence.restores.store(false, Ordering::SeqCst);
    }

    fn restore_one(&self, kept: &Kept) -> Result<(), String> {
        let id = ProxyId::default();
        id.set(ObjectId::from(&*kept.proxy)).ok();
        match kept.client {
            Client::Consumer => {
                let qos = decoded(&kept.qos).ok_or("what it asked for cannot be read")?;
                let consumer = self.client(kept).map_err(text)?;
                connect_consumer(self, &consumer, &qos, id).map(drop).map_err(text)
            }
            Client::Supplier => {
                let supplier = self.client(kept).map_err(text)?;
                connect_supplier(self, &supplier, id).map(drop).map_err(text)
            }
            Client::PlainPushConsumer => {
                let (proxy, _) = push_supplier(self, id).map_err(text)?;
                proxy.connect_push_consumer(&self.client(kept).map_err(text)?).map_err(text)
            }
            Client::PlainPullConsumer => {
                let (proxy, _) = pull_supplier(self, id).map_err(text)?;
                proxy.connect_pull_consumer(&self.client(kept).map_err(text)?).map_err(text)
            }
            Client::PlainPushSupplier => {
                let (proxy, _) = push_consumer(self, id).map_err(text)?;
                proxy.connect_push_supplier(&self.client(kept).map_err(text)?).map_err(text)
            }
            Client::PlainPullSupplier => {
                let (proxy, _) = pull_consumer(self, id).map_err(text)?;
                proxy.connect_pull_supplier(&self.client(kept).map_err(text)?).map_err(text)
            }
        }
    }

    /// The reference of a client.
    fn client<I: Interface + ?Sized>(&self, kept: &Kept) -> Result<Ref<I>, SystemException> {
        match &*kept.reference {
            "" => Ok(Ref::nil()),
            text => Ok(self.hub()?.rt.orb().string_to_object(text)?.assume()),
        }
    }
}

fn text(error: impl Debug) -> String {
    format!("{error:?}")
}
