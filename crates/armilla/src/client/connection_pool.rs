//! Pools of connections beside the usual one: a copy of a reference names the pool that its calls
//! use.

use crate::runtime::Orb;
use crate::settings::Settings;
use crate::sync::lock;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};
use armilla_giop::ior::Component;
use std::sync::{Arc, Mutex};

/// A pool of connections that calls through some references share with no others. It is a component
/// that the client itself adds to its copy of a reference; nobody else has a use for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectionPool(u32);

impl Component for ConnectionPool {
    /// "ARM" and a two, from the range of the vendor.
    const ID: u32 = 0x4152_4d02;
}

impl Encode for ConnectionPool {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.0.encode(out)
    }
}

impl<'a> Decode<'a> for ConnectionPool {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.u32().map(Self)
    }
}

/// The settings of the pools, by their numbers.
#[derive(Default)]
pub(super) struct ConnectionPools(Mutex<Vec<Arc<Settings>>>);

impl ConnectionPools {
    fn add(&self, settings: Settings) -> ConnectionPool {
        let mut pools = lock(&self.0);
        pools.push(Arc::new(settings));
        ConnectionPool(u32::try_from(pools.len() - 1).unwrap_or(u32::MAX))
    }

    /// The settings of a pool; `None` for a number that a reference from elsewhere has made up.
    pub(super) fn settings(&self, ConnectionPool(number): ConnectionPool) -> Option<Arc<Settings>> {
        lock(&self.0).get(number as usize).cloned()
    }
}

impl Orb {
    /// A new pool of connections, whose connections are made with the settings of the ORB as
    /// `change` changes them: queues, keep-alive, code point. Calls through a reference use it if
    /// the reference has it as a component.
    pub fn connection_pool(&self, change: impl FnOnce(&mut Settings)) -> ConnectionPool {
        let mut settings = self.settings().clone();
        change(&mut settings);
        self.client().pools().add(settings)
    }
}
