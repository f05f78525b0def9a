//! What a bank keeps on the disk: changes that are prepared, and those that were committed.

use armilla_log::{Log, LogError, Options};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The books of a bank. A change is named by its amount.
#[derive(Debug)]
pub(super) struct Books {
    log: Log,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    prepared: BTreeSet<i64>,
    committed: Vec<i64>,
}

impl State {
    fn apply(&mut self, record: &[u8]) {
        let (kind, amount) = record.split_at(1);
        let amount = i64::from_be_bytes(amount.try_into().expect("a record has nine octets"));
        match kind {
            b"p" => {
                self.prepared.insert(amount);
            }
            b"c" => {
                assert!(self.prepared.remove(&amount), "{amount} was committed unprepared");
                self.committed.push(amount);
            }
            _ => {
                self.prepared.remove(&amount);
            }
        }
    }
}

impl Books {
    pub(super) fn open(directory: &Path) -> Result<Self, LogError> {
        let log = Log::open(directory, Options::default())?;
        let mut state = State::default();
        for record in log.read_from(log.first()) {
            state.apply(&record?.data);
        }
        Ok(Self { log, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, kind: u8, amount: i64, wanted: fn(&State, i64) -> bool) -> Result<(), LogError> {
        let record = [&[kind][..], &amount.to_be_bytes()].concat();
        let position = {
            let mut state = self.state();
            if !wanted(&state, amount) {
                return Ok(());
            }
            let position = self.log.append(&record)?;
            state.apply(&record);
            position
        };
        self.log.commit(position)
    }

    pub(super) fn prepare(&self, amount: i64) -> Result<(), LogError> {
        self.note(b'p', amount, |_, _| true)
    }

    pub(super) fn commit(&self, amount: i64) -> Result<(), LogError> {
        self.note(b'c', amount, |state, amount| state.prepared.contains(&amount))
    }

    pub(super) fn roll_back(&self, amount: i64) -> Result<(), LogError> {
        self.note(b'r', amount, |state, amount| state.prepared.contains(&amount))
    }

    pub(super) fn prepared(&self) -> Vec<i64> {
        self.state().prepared.iter().copied().collect()
    }

    pub(super) fn committed(&self) -> Vec<i64> {
        self.state().committed.clone()
    }
}
