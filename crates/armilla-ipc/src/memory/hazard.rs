//! What threads are using at this moment, where every thread can see it.
//!
//! A [`HazardPointer`] is a word, mostly an address, that a thread writes where others can read it, and takes back
//! when it is dropped. It costs four stores: no two threads write to the same cache line. Who must know
//! whether something is claimed reads the claims of all threads.
//!
//! # Why nobody is missed
//! Who stops the use of a thing first raises a flag that users look at, then issues a heavy
//! [`barrier`](crate::barrier), then reads the claims. Who uses it makes a claim, issues a light barrier, then
//! looks at the flag; when the use ends likewise, with the claim dropped. So, as the two barriers promise:
//!
//! - who claims and does not see the flag has the claim seen. Who sees the flag backs out, as if the use ended;
//! - who drops the claim and does not see the flag has that seen. Who sees the flag does what is left to who
//!   is last.
//!
//! The claims of a thread are given to another one when it ends.

use std::cell::Cell;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many claims a thread can hold at once.
pub const DEPTH: usize = 15;

/// Stands where nothing is claimed; no word is that.
const NOTHING: usize = 0;

/// The claims of one thread, which alone writes them.
#[derive(Debug)]
#[repr(align(128))]
struct Record {
    words: [AtomicUsize; DEPTH],
    /// How many of them are in use, those among them included that were dropped before later ones. It is raised
    /// before a claim is made and lowered after it was dropped: who reads the claims need not look beyond.
    depth: AtomicUsize,
}

/// The claims of all threads. There are as many records as there ever were threads at once that claimed.
struct All {
    records: Vec<&'static Record>,
    /// Those of threads that have ended.
    free: Vec<&'static Record>,
}

static ALL: Mutex<All> = Mutex::new(All { records: Vec::new(), free: Vec::new() });

/// Gives the claims of a thread back when it ends.
struct GiveBack;

thread_local! {
    /// The claims of the calling thread. It has no destructor, and is reached without asking whether it is there.
    static HERE: Cell<Option<&'static Record>> = const { Cell::new(None) };
    static GIVE_BACK: GiveBack = const { GiveBack };
}

impl Drop for GiveBack {
    fn drop(&mut self) {
        // A claim that was forgotten is never over.
        let record = HERE.take().filter(|record| record.depth.load(Ordering::Relaxed) == 0);
        record.inspect(|record| all().free.push(record));
    }
}

/// A word that the calling thread claims, until this is dropped.
#[derive(Debug)]
#[must_use = "a claim is over when it is dropped"]
pub struct HazardPointer {
    record: &'static Record,
    at: usize,
    /// It is dropped by the thread that made it.
    thread: PhantomData<*const ()>,
}

impl HazardPointer {
    /// Claims `word`. `None` where the thread holds [`DEPTH`] claims, or ends.
    /// A light barrier follows.
    #[inline(always)]
    pub fn protect(word: NonZeroUsize) -> Option<Self> {
        match HERE.get() {
            Some(record) => record.protect(word),
            None => first_protect(word),
        }
    }

    /// Claims `word` instead. A light barrier follows.
    #[inline(always)]
    pub fn set(&mut self, word: NonZeroUsize) {
        self.write(word.get());
    }

    #[inline(always)]
    fn write(&self, word: usize) {
        if let Some(claim) = self.record.words.get(self.at) {
            // What was done under the claim comes before what follows the last one.
            claim.store(word, Ordering::Release);
        }
    }
}

impl Drop for HazardPointer {
    /// A light barrier follows.
    #[inline(always)]
    fn drop(&mut self) {
        self.write(NOTHING);
        self.record.dropped(self.at);
    }
}

/// Claims where the thread has claimed nothing before.
#[cold]
fn first_protect(word: NonZeroUsize) -> Option<HazardPointer> {
    // Not in a thread that is ending.
    GIVE_BACK.try_with(|_| ()).ok()?;
    let record = Record::take();
    HERE.set(Some(record));
    record.protect(word)
}

impl Record {
    /// Claims for a thread that has none.
    fn take() -> &'static Self {
        let mut all = all();
        all.free.pop().unwrap_or_else(|| {
            let words = Default::default();
            let new: &'static Self =
                Box::leak(Box::new(Self { words, depth: AtomicUsize::new(0) }));
            all.records.push(new);
            new
        })
    }

    #[inline(always)]
    fn protect(&'static self, word: NonZeroUsize) -> Option<HazardPointer> {
        let at = self.depth.load(Ordering::Relaxed);
        let claim = self.words.get(at)?;
        self.depth.store(at + 1, Ordering::Release);
        claim.store(word.get(), Ordering::Release);
        Some(HazardPointer { record: self, at, thread: PhantomData })
    }

    #[inline(always)]
    fn dropped(&self, at: usize) {
        // A claim that is dropped before a later one leaves its place to that one.
        if self.depth.load(Ordering::Relaxed) == at + 1 {
            self.depth.store(at, Ordering::Release);
            if at > 0 {
                self.drop_left();
            }
        }
    }

    #[inline(never)]
    fn drop_left(&self) {
        let is_dropped = |at: &usize| self.words[*at].load(Ordering::Relaxed) == NOTHING;
        let below = || self.depth.load(Ordering::Relaxed).checked_sub(1).filter(is_dropped);
        while let Some(below) = below() {
            self.depth.store(below, Ordering::Release);
        }
    }

    /// What is claimed.
    fn protected(&self) -> impl Iterator<Item = usize> {
        let depth = self.depth.load(Ordering::Acquire);
        let words = self.words.iter().take(depth).map(|claim| claim.load(Ordering::Acquire));
        words.filter(|word| *word != NOTHING)
    }
}

fn all() -> MutexGuard<'static, All> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a thread claims one of these words. A heavy barrier has gone before.
pub fn is_protected<const N: usize>(words: [NonZeroUsize; N]) -> bool {
    // One look at each claim, which may change from one of them to another.
    all().records.iter().any(|record| {
        record.protected().any(|claimed| words.iter().any(|word| word.get() == claimed))
    })
}

/// The words that were claimed at one time.
#[derive(Debug)]
pub struct HazardSet(Vec<usize>);

impl HazardSet {
    /// Those that are claimed now. A heavy barrier has gone before.
    pub fn scan() -> Self {
        let mut words: Vec<_> =
            all().records.iter().flat_map(|record| record.protected()).collect();
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
        let mut claims = all();
        assert_eq!(claims.len(), DEPTH);
        let last = claims.pop();
        drop(claims);
        assert!(is_protected([word(0x2000 + DEPTH)]) && !is_protected([word(0x2001)]));
        assert!(HazardPointer::protect(word(0x2001)).is_none());
        drop(last);
        assert_eq!(all().len(), DEPTH);
    }

    #[test]
    fn the_hazard_pointers_of_a_thread_end_with_it() {
        thread::spawn(|| drop(HazardPointer::protect(word(0x3001)))).join().expect("it ends");
        assert!(!is_protected([word(0x3001)]));
    }

    /// Thread-locals are dropped in an order that nobody promises.
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
        for claims_before in [false, true] {
            let keep = move || {
                // Which of the two is known first to go with the thread.
                claims_before.then(|| HazardPointer::protect(word(0x4001)));
                KEPT.with(|kept| kept.0.set(HazardPointer::protect(word(0x4001))));
            };
            thread::spawn(keep).join().expect("it ends");
            assert!(!is_protected([word(0x4001)]));
        }
    }
}
