//! Hazard pointers: what threads are using at this moment, where every thread can see it.
//!
//! A [`HazardPointer`] is a word, mostly an address, that a thread publishes before it uses what
//! the word stands for, and clears afterwards (M. M. Michael, "Hazard Pointers: Safe Memory
//! Reclamation for Lock-Free Objects", 2004). A thread writes to its own cache lines alone. A
//! thread that reclaims something scans the hazard pointers of all.
//!
//! # Why no user is missed
//! The reclaiming thread first raises a flag, then issues a heavy [`fence`](crate::fence), then
//! scans. A user publishes its hazard pointer, issues a light fence, then loads the flag; when the
//! use ends it clears the hazard pointer, issues a light fence, and loads the flag again. The two
//! fences promise:
//!
//! - A user that does not see the flag has published its hazard pointer before the scan. A user
//!   that sees the flag backs out, as if the use ended.
//! - A user that clears its hazard pointer and does not see the flag has cleared it before the
//!   scan. A user that sees the flag does what is left to the last user.
//!
//! # Safety contract
//! - *Records live for ever.* They are leaked; when a thread ends another one takes over its
//!   record.
//! - *Every slot pointer leads into a record*: `Local::free` is null, or leads to a word of the
//!   thread's record other than the first, or behind its last. Pointers to slots are made from a
//!   pointer to the whole record.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::mem;
use std::num::NonZeroUsize;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many hazard pointers a thread can have at once: 15 where a word has 64 bits, 31 where it has
/// 32.
pub const DEPTH: usize = WORDS - 1;

/// The words of a record, which fill it.
const WORDS: usize = 128 / size_of::<usize>();

/// The value of a slot that is not in use; no word is that.
const CLEAR: usize = 0;

/// The hazard pointers of one thread, which alone writes them. The first word is never in use: the
/// slots are a stack, and a pointer to a free one is told from the end of the record by its address
/// alone.
#[derive(Debug)]
#[repr(align(128))]
struct Record([AtomicUsize; WORDS]);

const _: () = assert!(size_of::<[AtomicUsize; WORDS]>() == align_of::<Record>());

/// The records of all threads: as many as there ever were threads at once with hazard pointers.
struct Records {
    all: Vec<&'static Record>,
    /// Those of threads that have ended.
    free: Vec<&'static Record>,
}

static RECORDS: Mutex<Records> = Mutex::new(Records { all: Vec::new(), free: Vec::new() });

/// What a thread knows of its record.
struct Local {
    /// The lowest slot that is free, where all above it are free too; null where that is not so,
    /// because slots were cleared out of order, or the thread has no record.
    free: Cell<*const AtomicUsize>,
    record: Cell<Option<&'static Record>>,
}

/// Gives the record of a thread back when it ends.
struct GiveBack;

thread_local! {
    // It has no destructor, and is reached without asking whether it is there.
    static LOCAL: Local = const { Local { free: Cell::new(ptr::null()), record: Cell::new(None) } };
    static GIVE_BACK: GiveBack = const { GiveBack };
}

impl Drop for GiveBack {
    fn drop(&mut self) {
        LOCAL.with(|local| {
            local.free.set(ptr::null());
            // A hazard pointer that was forgotten is never cleared.
            let record = local.record.take().filter(|record| record.protected().next().is_none());
            record.inspect(|record| records().free.push(record));
        });
    }
}

/// A word that the calling thread protects, until this is dropped. It stays in the thread.
#[derive(Debug)]
#[must_use = "a hazard pointer is cleared when it is dropped"]
pub struct HazardPointer(NonNull<AtomicUsize>);

impl HazardPointer {
    /// Publishes `word`. `None` where the thread has [`DEPTH`] hazard pointers, or ends.
    /// A light fence follows.
    #[inline(always)]
    pub fn protect(word: NonZeroUsize) -> Option<Self> {
        Self::protect_fast(word).or_else(|| protect_beyond(word))
    }

    /// The same where nothing has to be found out first: `None` also for the thread's first hazard
    /// pointer, and while there is one that was made before one that is cleared.
    #[inline(always)]
    pub fn protect_fast(word: NonZeroUsize) -> Option<Self> {
        let free = LOCAL.with(|local| local.free.get());
        if is_slot(free) { Some(Self::at(free, word)) } else { None }
    }

    /// Publishes `word` in a slot that is free.
    #[inline(always)]
    fn at(free: *const AtomicUsize, word: NonZeroUsize) -> Self {
        LOCAL.with(|local| local.free.set(free.wrapping_add(1)));
        // SAFETY: by the contract a slot lies in a record, whose pointer is not null.
        let hazard = Self(unsafe { NonNull::new_unchecked(free.cast_mut()) });
        hazard.write(word.get());
        hazard
    }

    /// Publishes `word` instead. A light fence follows.
    #[inline(always)]
    pub fn set(&mut self, word: NonZeroUsize) {
        self.write(word.get());
    }

    #[inline(always)]
    fn write(&self, word: usize) {
        // SAFETY: by the contract the slot lies in a record, which lives for ever.
        let slot = unsafe { self.0.as_ref() };
        // What was done under the last word comes before.
        slot.store(word, Ordering::Release);
    }

    /// Clears it. Returns `false` where the thread has later ones still: the caller then calls
    /// [`find_free`]. A light fence follows.
    #[inline(always)]
    pub fn clear_fast(self) -> bool {
        let is_last = self.clear();
        mem::forget(self);
        is_last
    }

    #[inline(always)]
    fn clear(&self) -> bool {
        self.write(CLEAR);
        let slot = self.0.as_ptr().cast_const();
        LOCAL.with(|local| {
            let is_last = local.free.get() == slot.wrapping_add(1);
            if is_last {
                local.free.set(slot);
            }
            is_last
        })
    }
}

impl Drop for HazardPointer {
    /// Clears it. A light fence follows.
    #[inline(always)]
    fn drop(&mut self) {
        if !self.clear() {
            find_free();
        }
    }
}

/// Whether this leads to a slot: neither null nor the end of a record.
#[inline(always)]
fn is_slot(free: *const AtomicUsize) -> bool {
    !free.addr().is_multiple_of(size_of::<Record>())
}

/// Publishes where no slot is known to be free: it is the thread's first, or there is none, or
/// slots were cleared out of order.
#[cold]
fn protect_beyond(word: NonZeroUsize) -> Option<HazardPointer> {
    let known = LOCAL.with(|local| local.record.get());
    let record = match known {
        Some(record) => record,
        None => {
            // Not in a thread that is ending.
            GIVE_BACK.try_with(|_| ()).ok()?;
            let record = Record::take();
            LOCAL.with(|local| local.record.set(Some(record)));
            record
        }
    };
    let free = record.slot(record.depth());
    let hazard = is_slot(free).then(|| HazardPointer::at(free, word));
    find_free();
    hazard
}

/// Looks for the lowest free slot of the calling thread, where all slots above it are free too.
#[cold]
pub fn find_free() {
    LOCAL.with(|local| {
        let Some(record) = local.record.get() else { return };
        let depth = record.depth();
        let has_gaps = record.protected().count() < depth;
        local.free.set(if has_gaps { ptr::null() } else { record.slot(depth) });
    });
}

/// How many slots of the calling thread are in use, and cleared below one that is.
pub fn depth() -> usize {
    LOCAL.with(|local| match (local.record.get(), local.free.get()) {
        (Some(record), free) if free.is_null() => record.depth(),
        (Some(record), free) => (free.addr() - record.slot(0).addr()) / size_of::<AtomicUsize>(),
        (None, _) => 0,
    })
}

/// The even words that the calling thread protects, each with the number of slots below it, the
/// oldest first.
pub fn protected_here() -> impl DoubleEndedIterator<Item = (usize, NonZeroUsize)> {
    let record = LOCAL.with(|local| local.record.get());
    let words = record.map_or(&[][..], Record::slots).iter().enumerate();
    words.filter_map(|(below, word)| {
        let word = NonZeroUsize::new(word.load(Ordering::Relaxed))?;
        word.get().is_multiple_of(2).then_some((below, word))
    })
}

impl Record {
    /// For a thread that has none.
    fn take() -> &'static Self {
        let mut records = records();
        records.free.pop().unwrap_or_else(|| {
            let new: &'static Self = Box::leak(Box::new(Self(Default::default())));
            records.all.push(new);
            new
        })
    }

    fn slots(&self) -> &[AtomicUsize] {
        &self.0[1..]
    }

    /// The slot above this many, or the end.
    fn slot(&'static self, below: usize) -> *const AtomicUsize {
        self.0.as_ptr().wrapping_add(1 + below)
    }

    /// The number of slots up to the highest one in use.
    fn depth(&self) -> usize {
        let in_use = |word: &AtomicUsize| word.load(Ordering::Relaxed) != CLEAR;
        self.slots().iter().rposition(in_use).map_or(0, |highest| highest + 1)
    }

    /// What is protected.
    fn protected(&self) -> impl Iterator<Item = usize> {
        let words = self.slots().iter().map(|word| word.load(Ordering::Acquire));
        words.filter(|word| *word != CLEAR)
    }
}

fn records() -> MutexGuard<'static, Records> {
    RECORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a thread protects one of these words. A heavy fence has gone before.
pub fn is_protected<const N: usize>(words: [NonZeroUsize; N]) -> bool {
    // One load of each hazard pointer, which may change from one of the words to another.
    records().all.iter().any(|record| {
        record.protected().any(|protected| words.iter().any(|word| word.get() == protected))
    })
}

/// The words that were protected at one time.
#[derive(Debug)]
pub struct HazardSet(Vec<usize>);

impl HazardSet {
    /// Those that are protected now. A heavy fence has gone before.
    pub fn scan() -> Self {
        let mut words: Vec<_> =
            records().all.iter().flat_map(|record| record.protected()).collect();
        words.sort_unstable();
        Self(words)
    }

    /// Whether one of these words was among them.
    pub fn contains<const N: usize>(&self, words: [NonZeroUsize; N]) -> bool {
        words.iter().any(|word| self.0.binary_search(&word.get()).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn word(word: usize) -> NonZeroUsize {
        NonZeroUsize::new(word).expect("it is not 0")
    }

    #[test]
    fn a_word_is_protected_until_its_pointer_is_dropped() {
        let claim = HazardPointer::protect(word(0x1001)).expect("the first of this thread");
        assert!(is_protected([word(0x1001)]) && HazardSet::scan().contains([word(0x1001)]));
        drop(claim);
        assert!(!is_protected([word(0x1001)]) && !HazardSet::scan().contains([word(0x1001)]));
    }

    #[test]
    fn hazard_pointers_may_be_dropped_in_any_order() {
        let all = || (0x2001..).map(word).map_while(HazardPointer::protect).collect::<Vec<_>>();
        let mut hazards = all();
        assert_eq!(hazards.len(), DEPTH);
        let last = hazards.pop();
        drop(hazards);
        assert!(is_protected([word(0x2000 + DEPTH)]) && !is_protected([word(0x2001)]));
        assert!(HazardPointer::protect(word(0x2001)).is_none());
        drop(last);
        assert_eq!(all().len(), DEPTH);
    }

    /// Each pair leaves a gap: the older one is cleared first.
    #[test]
    fn gaps_are_closed_with_what_lies_above_them() {
        let outer = HazardPointer::protect(word(0x5002)).expect("the first of this thread");
        for _ in 0..3 * DEPTH {
            let pair =
                [0x5004, 0x5006].map(|it| HazardPointer::protect(word(it)).expect("there is room"));
            drop(pair);
        }
        assert_eq!(depth(), 1);
        let inner = HazardPointer::protect(word(0x5008)).expect("there is room");
        let looked = HazardPointer::protect(word(0x5009)).expect("there is room");
        let here: Vec<_> = protected_here().collect();
        assert_eq!(here, [(0, word(0x5002)), (1, word(0x5008))]);
        assert_eq!(depth(), 3);
        drop((outer, inner));
        assert_eq!(depth(), 3);
        let above = HazardPointer::protect(word(0x500a)).expect("there is room");
        drop(looked);
        assert_eq!(depth(), 4);
        drop(above);
        assert_eq!(depth(), 0);
    }

    #[test]
    fn the_hazard_pointers_of_a_thread_end_with_it() {
        thread::spawn(|| drop(HazardPointer::protect(word(0x3001)))).join().expect("it ends");
        assert!(!is_protected([word(0x3001)]));
    }

    /// Thread-locals are dropped in no particular order.
    #[test]
    fn what_a_thread_keeps_is_protected_until_it_is_dropped_though_the_thread_ends() {
        struct Kept(Cell<Option<HazardPointer>>);
        impl Drop for Kept {
            fn drop(&mut self) {
                assert!(is_protected([word(0x4001)]));
                self.0.take();
                assert!(!is_protected([word(0x4001)]));
                drop(HazardPointer::protect(word(0x4001)));
            }
        }
        thread_local!(static KEPT: Kept = const { Kept(Cell::new(None)) });
        for hazards_before in [false, true] {
            let keep = move || {
                // Which of the two is known first to go with the thread.
                hazards_before.then(|| HazardPointer::protect(word(0x4001)));
                KEPT.with(|kept| kept.0.set(HazardPointer::protect(word(0x4001))));
            };
            thread::spawn(keep).join().expect("it ends");
            assert!(!is_protected([word(0x4001)]));
        }
    }
}
