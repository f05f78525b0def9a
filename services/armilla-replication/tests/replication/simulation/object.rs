//! What a simulated member has: an object, a disk, and chance.

use armilla_replication::model::{Change, Failure, History, Journal, Kept, Record, State};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Pseudo-random numbers (xorshift64*), the same for a seed.
pub(super) struct Random(Cell<u64>);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(Cell::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    pub(super) fn below(&self, limit: u64) -> u64 {
        let mut state = self.0.get();
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        self.0.set(state);
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit
    }

    pub(super) fn one_in(&self, limit: u64) -> bool {
        self.below(limit) == 0
    }
}

/// An object that counts each request, by number. Its state is text.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) all: RefCell<BTreeMap<u64, u32>>,
    changed: Cell<Option<u64>>,
    /// How many requests it executes until it replies something else than it should.
    pub(super) deviates_after: Cell<Option<u32>>,
}

impl Counts {
    pub(super) fn execute_number(&self, request: u64) -> Vec<u8> {
        let mut counts = self.all.borrow_mut();
        *counts.entry(request).or_default() += 1;
        self.changed.set(Some(request));
        let left = self.deviates_after.get();
        self.deviates_after.set(left.map(|left| left.saturating_sub(1)));
        match left {
            Some(0) => b"what it has thrown the dice for".to_vec(),
            // A reply that tells the history apart.
            _ => counts.len().to_string().into(),
        }
    }

    fn read(octets: &[u8]) -> BTreeMap<u64, u32> {
        let numbers: Vec<u64> = std::str::from_utf8(octets)
            .unwrap()
            .split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect();
        numbers.chunks(2).map(|pair| (pair[0], pair[1] as u32)).collect()
    }
}

impl State for Counts {
    fn change(&self) -> Result<Change, Failure> {
        let request = self.changed.take().unwrap_or_default();
        let count = self.all.borrow().get(&request).copied().unwrap_or_default();
        Ok(Change::Update(format!("{request} {count}").into()))
    }

    fn whole(&self) -> Result<Vec<u8>, Failure> {
        let text: Vec<_> = self.all.borrow().iter().map(|(k, v)| format!("{k} {v}")).collect();
        Ok(text.join(" ").into())
    }

    fn make(&self, change: &Change) -> Result<(), Failure> {
        match change {
            Change::Update(octets) => self.all.borrow_mut().extend(Self::read(octets)),
            Change::State(octets) => *self.all.borrow_mut() = Self::read(octets),
            Change::Request(_) => panic!("a request is no change"),
        }
        Ok(())
    }

    /// Of every other request, it is written what it has changed.
    fn change_to_keep(&self) -> Result<Option<Change>, Failure> {
        match self.changed.get() {
            Some(request) if request % 2 == 0 => self.change().map(Some),
            _ => Ok(None),
        }
    }

    fn execute(&self, record: &Record) -> Option<(u32, Vec<u8>)> {
        let Change::Request(order) = &record.change else { panic!("no request") };
        let number = u64::from_le_bytes(order.request[..].try_into().unwrap());
        Some((0, self.execute_number(number)))
    }
}

/// The disk of a place, which outlives the processes there. Sometimes the process dies while it writes,
/// before or after that is on the disk.
#[derive(Clone, Default)]
pub(super) struct Disk(pub(super) Arc<Mutex<Written>>);

#[derive(Default)]
pub(super) struct Written {
    kept: Vec<Vec<u8>>,
    /// How many writes are left until the process dies, and whether the last one is on the disk.
    pub(super) fate: Option<(u64, bool)>,
    pub(super) has_died: bool,
}

impl Journal for Disk {
    fn keep(&self, kept: &Kept) -> Result<(), Failure> {
        let mut disk = self.0.lock().unwrap();
        assert!(!disk.has_died, "it writes after it has died");
        let octets = kept.to_octets().unwrap();
        match disk.fate.take() {
            Some((0, is_done)) => {
                if is_done {
                    disk.kept.push(octets);
                }
                disk.has_died = true;
                Err(Failure("it dies".into()))
            }
            fate => {
                disk.fate = fate.map(|(left, is_done)| (left - 1, is_done));
                disk.kept.push(octets);
                Ok(())
            }
        }
    }
}

impl Disk {
    pub(super) fn read(&self) -> Option<History> {
        let disk = self.0.lock().unwrap();
        disk.kept.iter().fold(None, |history, octets| {
            History::follow(history, Kept::from_octets(octets).unwrap()).unwrap()
        })
    }
}
