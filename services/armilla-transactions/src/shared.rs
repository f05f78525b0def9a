//! What all parts that serve the transactions of a program share.

use crate::associations::Associations;
use crate::corba::TransactionFactoryRef;
use crate::engine::{Engine, Entry};
use crate::servant::Site;
use armilla::interceptor::{PiCurrent, SlotId};
use armilla::{ExceptionKind, SystemException};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

pub(crate) struct Shared {
    pub(crate) engine: Arc<Engine>,
    pub(crate) associations: Arc<Associations<Entry>>,
    pub(crate) context_ids: &'static [u32],
    pub(crate) propagates_always: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) remote_operators: bool,
    /// Set when the ORB is made.
    pub(crate) current: OnceLock<(PiCurrent, SlotId)>,
    /// Set when the service starts.
    pub(crate) site: OnceLock<Arc<Site>>,
    pub(crate) factory: OnceLock<(TransactionFactoryRef, String)>,
    pub(crate) threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Shared {
    pub(crate) fn slot(&self) -> Option<SlotId> {
        self.current.get().map(|(_, slot)| *slot)
    }

    pub(crate) fn site(&self) -> Result<&Arc<Site>, SystemException> {
        self.site.get().ok_or_else(|| {
            ExceptionKind::TransactionUnavailable
                .because("the transactions of this process have not started")
                .with_hint("call `Transactions::start` once the ORB is made")
        })
    }
}
