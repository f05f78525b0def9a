//! What becomes of a place, in one atomic word: how often it was given away, whether something stands there,
//! and how many hold it.

use std::process::abort;
use std::sync::atomic::{AtomicU64, Ordering};

/// The lower half but for the flags: how many hold what stands here, apart from the table.
const HOLDS: u64 = (1 << 30) - 1;

/// Something stands here, and everybody may look at it.
const PRESENT: u64 = 1 << 30;

/// Something stands here that was taken out, and goes when nobody looks at it or holds it any more.
const LEAVING: u64 = 1 << 31;

/// Where the generation stands.
const GENERATION: u32 = 32;

/// One word: all its changes stand in one order.
#[derive(Debug)]
pub(super) struct Life(AtomicU64);

impl Life {
    /// Nothing has stood here yet.
    pub(super) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// The generation of what stands or stood here last.
    pub(super) fn generation(&self) -> u32 {
        (self.0.load(Ordering::Acquire) >> GENERATION) as u32
    }

    /// Gives a free place away, before anything stands there. Returns the generation of what will.
    pub(super) fn give_away(&self) -> u32 {
        let generation = self.generation().wrapping_add(1);
        self.0.store(u64::from(generation) << GENERATION, Ordering::SeqCst);
        generation
    }

    /// Begins with what was put into a place that was given away, which is held once.
    pub(super) fn begin(&self, generation: u32) {
        self.0.store(u64::from(generation) << GENERATION | PRESENT | 1, Ordering::SeqCst);
    }

    /// Whether what was put in by this generation is present.
    #[inline(always)]
    pub(super) fn is_present(&self, generation: u32) -> bool {
        let life = self.0.load(Ordering::SeqCst);
        life & !HOLDS == u64::from(generation) << GENERATION | PRESENT
    }

    /// Whether something is present.
    pub(super) fn is_any_present(&self) -> bool {
        self.0.load(Ordering::SeqCst) & PRESENT != 0
    }

    /// Whether something was taken out that has not gone yet.
    #[inline(always)]
    pub(super) fn is_leaving(&self) -> bool {
        self.0.load(Ordering::SeqCst) & LEAVING != 0
    }

    /// Takes out what is present by this generation, or by any. Returns whether this call did.
    pub(super) fn leave(&self, generation: Option<u32>) -> bool {
        let change = |life: u64| {
            let meant = generation.is_none_or(|generation| life >> GENERATION == generation.into());
            (meant && life & PRESENT != 0).then_some(life ^ PRESENT | LEAVING)
        };
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, change).is_ok()
    }

    /// Holds what stands here once more. Who asks knows that it stays meanwhile.
    pub(super) fn hold(&self) {
        let before = self.0.fetch_add(1, Ordering::SeqCst);
        if before & HOLDS > HOLDS / 2 {
            // Somebody forgets what is held, over and over. Soon nobody would know what is held.
            abort();
        }
    }

    /// Gives a hold back. Returns the generation of what stands here where that was the last one, and it is leaving.
    pub(super) fn let_go(&self) -> Option<u32> {
        left(self.0.fetch_sub(1, Ordering::SeqCst) - 1)
    }

    /// The generation of what stands here where it is leaving and nobody holds it.
    pub(super) fn left(&self) -> Option<u32> {
        left(self.0.load(Ordering::SeqCst))
    }

    /// Ends what stands here. Returns whether there was something.
    pub(super) fn end(&self) -> bool {
        self.0.fetch_and(!(PRESENT | LEAVING), Ordering::SeqCst) & (PRESENT | LEAVING) != 0
    }
}

fn left(life: u64) -> Option<u32> {
    (life & (LEAVING | HOLDS) == LEAVING).then_some((life >> GENERATION) as u32)
}
