//! The trial of a store: each of its operations on the disk fails in turn, in every way.

use super::{Fault, Faults, Scratch};
use std::collections::BTreeSet;
use std::path::Path;

/// A store that is tried. Its changes have numbers.
pub trait Trial: Sized {
    /// Opens the store in a directory, or makes it.
    ///
    /// # Errors
    /// It cannot be opened; the text says where and why.
    fn open(directory: &Path) -> Result<Self, String>;

    /// Makes a change. It is acknowledged when this returns.
    ///
    /// # Errors
    /// It was not made; the text says where and why.
    fn change(&mut self, number: u32) -> Result<(), String>;

    /// The changes that it has.
    fn changes(&self) -> BTreeSet<u32>;

    /// How many changes make it do everything that it does to the disk. Default: two.
    const CHANGES: u32 = 2;
}

/// How a run ends.
#[derive(Debug, Clone, Copy)]
enum End {
    /// The store is closed.
    Closed,
    /// The process is killed.
    Killed,
    /// The power fails.
    PowerFailed,
}

/// One run.
#[derive(Debug, Clone, Copy)]
struct Run {
    fault: Fault,
    lasts: bool,
    before: usize,
    end: End,
}

/// Lets the first, the second, … operation of a store on the disk fail, until all go well: once, and
/// until the disk is repaired; in every way; and with every end of the process, in turn. Returns
/// the number of failures.
///
/// # Panics
/// Something acknowledged is not there afterwards, or what was refused is there meanwhile; an error
/// does not say where it is; or the store does not recover with the disk.
pub fn try_every_failure<T: Trial>(name: &str) -> usize {
    let failures = |fault: Fault| {
        let directory = Scratch::new(&format!("{name}-{fault:?}"));
        let runs = [false, true].map(|lasts| {
            let ends = [End::Closed, End::Killed, End::PowerFailed];
            let end = |before: usize| ends[(before + usize::from(lasts)) % ends.len()];
            let run = |before| Run { fault, lasts, before, end: end(before) };
            (0..).map(run).take_while(|run| run.happens::<T>(&directory)).count()
        });
        runs.iter().sum::<usize>()
    };
    std::thread::scope(|scope| {
        let threads = Fault::ALL.map(|fault| scope.spawn(move || failures(fault)));
        let count = |thread: std::thread::ScopedJoinHandle<'_, usize>| match thread.join() {
            Ok(count) => count,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.map(count).iter().sum()
    })
}

/// What was acknowledged, and what was refused.
#[derive(Debug, Default)]
struct Told {
    acknowledged: BTreeSet<u32>,
    refused: BTreeSet<u32>,
}

impl Run {
    /// Runs, and returns whether anything failed.
    fn happens<T: Trial>(self, scratch: &Scratch) -> bool {
        let directory = scratch.path();
        std::fs::remove_dir_all(directory).ok();
        let faults = Faults::below(directory).expect("nothing is there yet");
        faults.fail(self.fault, self.before, self.lasts);
        let mut told = Told::default();
        let store = match T::open(directory) {
            Ok(mut store) => {
                (1..=T::CHANGES).for_each(|number| self.change(&mut store, number, &mut told));
                Some(store)
            }
            Err(error) => {
                self.says_where(&error, directory);
                None
            }
        };
        faults.heal();
        let (failed, last) = faults.failed();
        let what = format!("{self:?} ({last})");
        let mut store = store.unwrap_or_else(|| {
            T::open(directory).unwrap_or_else(|error| panic!("{what}: cannot be opened: {error}"))
        });
        for number in T::CHANGES + 1..=T::CHANGES + 2 {
            let changed = store.change(number);
            changed.unwrap_or_else(|error| panic!("{what}: does not recover: {error}"));
            told.acknowledged.insert(number);
        }
        assert_eq!(store.changes(), told.acknowledged, "{what}: in memory");
        self.end(store, &faults);
        told.check::<T>(directory, &what);
        // Whatever the first process has left must outlive the power from now on.
        faults.restart(true).expect("the directory can be written");
        told.check::<T>(directory, &format!("{what}, later"));
        failed > 0
    }

    fn change<T: Trial>(self, store: &mut T, number: u32, told: &mut Told) {
        match store.change(number) {
            Ok(()) => drop(told.acknowledged.insert(number)),
            Err(error) => {
                self.says_where(&error, Path::new(""));
                told.refused.insert(number);
            }
        }
        assert_eq!(store.changes(), told.acknowledged, "{self:?}: after change {number}");
    }

    fn says_where(self, error: &str, directory: &Path) {
        let place = directory.to_str().filter(|text| !text.is_empty()).unwrap_or("armilla-faults");
        assert!(error.contains(place), "{self:?}: where? {error}");
    }

    fn end<T: Trial>(self, store: T, faults: &Faults) {
        match self.end {
            End::Closed => drop(store),
            End::Killed | End::PowerFailed => {
                faults.die();
                drop(store);
                let power_failed = matches!(self.end, End::PowerFailed);
                faults.restart(power_failed).expect("the directory can be written");
            }
        }
    }
}

impl Told {
    /// Opens the store once more, and checks that it has all that was acknowledged and nothing that
    /// nobody asked for.
    fn check<T: Trial>(&mut self, directory: &Path, what: &str) {
        let store = T::open(directory);
        let mut store = store.unwrap_or_else(|error| panic!("{what}: opened again: {error}"));
        let (there, next) = (store.changes(), self.acknowledged.last().map_or(1, |last| last + 1));
        let lost: Vec<_> = self.acknowledged.difference(&there).collect();
        assert!(
            lost.is_empty(),
            "{what}: {lost:?} were acknowledged, and only {there:?} are there"
        );
        let odd: Vec<_> = there
            .iter()
            .filter(|n| !self.acknowledged.contains(n) && !self.refused.contains(n))
            .collect();
        assert!(odd.is_empty(), "{what}: nobody asked for {odd:?}");
        // What has come through is acknowledged from now on.
        self.acknowledged = there;
        let changed = store.change(next);
        changed.unwrap_or_else(|error| panic!("{what}: cannot be changed: {error}"));
        self.acknowledged.insert(next);
    }
}
