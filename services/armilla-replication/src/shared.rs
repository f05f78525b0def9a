//! What the parts of a member share: its rules behind a lock, how they were left, and when the member
//! last heard the primary.

use crate::checkpointable::ObjectState;
use crate::lessons::{Lessons, Parts};
use crate::model::{Clock, Member, Role, View};
use crate::peers::World;
use crate::rounds::Rounds;
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, SystemTime};

pub(crate) struct Shared {
    pub(crate) world: World,
    /// Set once the member has references.
    member: OnceLock<Mutex<Member<ObjectState>>>,
    /// The role and the view when the rules were last given back. Who keeps watch does not wait for a
    /// request that is being served.
    left: Mutex<Option<(Role, View)>>,
    /// When the primary was heard last, in nanoseconds of the clock.
    heard: AtomicU64,
    pub(crate) ends: AtomicBool,
    /// The states that newcomers fetch.
    pub(crate) lessons: Lessons,
    /// What the primary tells in parts.
    pub(crate) parts: Parts,
    /// Requests that share calls to backups.
    pub(crate) rounds: Rounds,
    /// For how long backups are asked to promise something.
    asks_for: AtomicU64,
    /// The operations that change nothing.
    pub(crate) reads: BTreeSet<String>,
}

impl Shared {
    pub(crate) fn new(world: World, reads: BTreeSet<String>) -> Self {
        let (member, left, ends, lessons, parts, rounds, asks_for) = Default::default();
        let heard = AtomicU64::new(world.elapsed());
        Self { world, member, left, heard, ends, lessons, parts, rounds, asks_for, reads }
    }

    pub(crate) fn set(&self, member: Member<ObjectState>) {
        self.asks_for.store(member.asks_for(), Ordering::Relaxed);
        self.member.set(Mutex::new(member)).ok();
        drop(self.member());
    }

    /// The rules of the member; `None` while it starts.
    pub(crate) fn member(&self) -> Option<Rules<'_>> {
        let member = self.member.get()?.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Rules { member, left: &self.left })
    }

    /// The same, and `None` while somebody else has them, such as a request that is being served.
    pub(crate) fn idle_member(&self) -> Option<Rules<'_>> {
        let member = match self.member.get()?.try_lock() {
            Ok(member) => member,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Rules { member, left: &self.left })
    }

    /// The role and the view, as the rules were last given back.
    pub(crate) fn standing(&self) -> Option<(Role, View)> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// For how long backups are asked to promise that they do not take over.
    pub(crate) fn asks_for(&self) -> u64 {
        self.asks_for.load(Ordering::Relaxed)
    }

    /// The primary was heard.
    pub(crate) fn hear(&self) {
        self.heard.store(self.world.elapsed(), Ordering::Relaxed);
    }

    /// How long the primary has been silent.
    pub(crate) fn silence(&self) -> Duration {
        let heard = self.heard.load(Ordering::Relaxed);
        Duration::from_nanos(self.world.elapsed().saturating_sub(heard))
    }
}

/// The rules of a member, for one user at a time.
pub(crate) struct Rules<'s> {
    member: MutexGuard<'s, Member<ObjectState>>,
    left: &'s Mutex<Option<(Role, View)>>,
}

impl Deref for Rules<'_> {
    type Target = Member<ObjectState>;

    fn deref(&self) -> &Member<ObjectState> {
        &self.member
    }
}

impl DerefMut for Rules<'_> {
    fn deref_mut(&mut self) -> &mut Member<ObjectState> {
        &mut self.member
    }
}

impl Drop for Rules<'_> {
    fn drop(&mut self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let (role, view) = (self.member.role(), self.member.view());
        if left.as_ref().is_none_or(|(was, seen)| *was != role || seen != view) {
            *left = Some((role, view.clone()));
        }
    }
}

/// The time in units of 100 ns since 1582-10-15 (`TimeBase::TimeT`), in which requests expire.
pub(crate) fn now() -> u64 {
    /// From there to 1970-01-01.
    const EPOCH: u128 = 0x01b2_1dd2_1381_4000;
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(EPOCH + since.as_nanos() / 100).unwrap_or(u64::MAX)
}
