//! Which objects are being called, where every thread can see it.
//!
//! A call of an active object changes nothing that threads share. Each thread has *claims*, one for
//! every call under way in it, up to a depth: a call writes the address of its object there when it
//! begins and takes it back when it ends. Who must know whether an object is being called reads the
//! claims of all threads. Calls that are deeper count in the object itself, for all the same.
//!
//! # Why nobody is missed
//! Who stops calls, by deactivating an object or closing a gate, first raises a flag that calls look
//! at, then issues a heavy [`barrier`], then reads the claims. A call writes its claim, issues a light
//! barrier, then looks at the flags; when it ends likewise, with the claim taken back. So, as the two
//! barriers promise:
//!
//! - a call that begins and does not see the flag has its claim seen, and is waited for. One that sees
//!   the flag backs out, as if it ended;
//! - a call that ends and does not see the flag has its end seen, and nobody waits for it. One that
//!   sees the flag does what is left to it: it wakes those who wait, or ends the object.
//!
//! Of several calls that leave a deactivated object the last ends it. Each of them sees the flag and
//! issues a heavy barrier of its own before it reads the claims of the others: until the one of who
//! raised the flag has passed, a call may be under way that has not seen the flag and whose claim is
//! not seen yet. Heavy barriers stand in some order; when the last one has passed all claims but those
//! of others who stay are back, and who issued it sees that. When several see it, a bit in the object
//! says which of them ends it.
//!
//! `model.rs` tries every order of all these steps, with processors that delay what they store.
//!
//! An address stands for one object only while it is claimed: what is called is in the table of all
//! active objects, or was lent from there, until the call has ended.

use super::Activation;
use crate::orb::lock;
use armilla_ipc::barrier;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many calls within each other a thread claims.
pub(super) const DEPTH: usize = 8;

/// The claims of one thread, which alone writes them. They are apart from those of others, so that no
/// two threads write to the same cache line.
#[repr(align(128))]
pub(super) struct Claims([AtomicUsize; DEPTH]);

/// No object has this address.
const NOTHING: usize = 0;

/// The claims of all threads. There are as many as there ever were threads at once that were called.
struct All {
    claims: Vec<&'static Claims>,
    /// Those of threads that have ended.
    free: Vec<&'static Claims>,
}

static ALL: Mutex<All> = Mutex::new(All { claims: Vec::new(), free: Vec::new() });

impl Claims {
    /// Claims for a thread that has none.
    pub(super) fn take() -> &'static Self {
        let mut all = lock(&ALL);
        all.free.pop().unwrap_or_else(|| {
            let new: &'static Self = Box::leak(Box::new(Self(Default::default())));
            all.claims.push(new);
            new
        })
    }

    /// The thread ends, and none of its claims is in use.
    pub(super) fn give_back(&'static self) {
        lock(&ALL).free.push(self);
    }

    /// A call of the object begins. A light barrier follows.
    #[inline(always)]
    pub(super) fn set(&self, at: usize, activation: &Activation) {
        if let Some(claim) = self.0.get(at) {
            claim.store(address(activation), Ordering::Relaxed);
        }
    }

    /// It has ended. A light barrier follows.
    #[inline(always)]
    pub(super) fn clear(&self, at: usize) {
        if let Some(claim) = self.0.get(at) {
            // What the call did comes before what follows the last one.
            claim.store(NOTHING, Ordering::Release);
        }
    }

    /// Whether the calling thread, whose claims these are, has ended this one.
    pub(super) fn is_clear(&self, at: usize) -> bool {
        self.0.get(at).is_none_or(|claim| claim.load(Ordering::Relaxed) == NOTHING)
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|claim| claim.load(Ordering::Acquire)).filter(|claim| *claim != NOTHING)
    }
}

/// Whether a thread claims the object. A heavy barrier has gone before.
pub(super) fn is_claimed(activation: &Activation) -> bool {
    let address = address(activation);
    lock(&ALL).claims.iter().any(|claims| claims.iter().any(|claim| claim == address))
}

/// The objects that were claimed at one time.
pub(super) struct Claimed(Vec<usize>);

impl Claimed {
    /// Those that are claimed by calls which did not see the flags that were raised before.
    pub(super) fn now() -> Self {
        barrier::heavy();
        Self::again()
    }

    /// Those of them that are claimed still. A heavy barrier has gone before.
    pub(super) fn again() -> Self {
        let mut claimed: Vec<_> =
            lock(&ALL).claims.iter().flat_map(|claims| claims.iter()).collect();
        claimed.sort_unstable();
        Self(claimed)
    }

    pub(super) fn contains(&self, activation: &Activation) -> bool {
        self.0.binary_search(&address(activation)).is_ok()
    }
}

#[inline(always)]
fn address(activation: &Activation) -> usize {
    std::ptr::from_ref(activation).addr()
}
