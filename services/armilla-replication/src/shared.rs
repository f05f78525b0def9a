//! What the parts of a member share: its rules behind a lock, and when it last heard the primary.

use crate::checkpointable::ObjectState;
use crate::model::Member;
use crate::peers::World;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

pub(crate) struct Shared {
    pub(crate) world: World,
    /// Set once the member has references.
    member: OnceLock<Mutex<Member<ObjectState>>>,
    begun: Instant,
    /// When the primary was heard last, in milliseconds from `begun`.
    heard: AtomicU64,
    pub(crate) ends: AtomicBool,
}

impl Shared {
    pub(crate) fn new(world: World) -> Self {
        let (member, heard, ends) = Default::default();
        Self { world, member, begun: Instant::now(), heard, ends }
    }

    pub(crate) fn set(&self, member: Member<ObjectState>) {
        self.member.set(Mutex::new(member)).ok();
    }

    /// The rules of the member; `None` while it starts.
    pub(crate) fn member(&self) -> Option<MutexGuard<'_, Member<ObjectState>>> {
        Some(self.member.get()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The primary was heard.
    pub(crate) fn hear(&self) {
        self.heard.store(self.elapsed(), Ordering::Relaxed);
    }

    /// How long the primary has been silent.
    pub(crate) fn silence(&self) -> Duration {
        Duration::from_millis(self.elapsed().saturating_sub(self.heard.load(Ordering::Relaxed)))
    }
}

/// The time in units of 100 ns since 1582-10-15 (`TimeBase::TimeT`), in which requests expire.
pub(crate) fn now() -> u64 {
    /// From there to 1970-01-01.
    const EPOCH: u128 = 0x01b2_1dd2_1381_4000;
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(EPOCH + since.as_nanos() / 100).unwrap_or(u64::MAX)
}
