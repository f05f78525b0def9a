//! Fixed priorities: their order, and what they become on a given range.

use crate::steps::Step;
use crate::strategy::Strategy;
use crate::system::System;
use std::cmp::Reverse;

/// Native priorities that a program may use; a greater number is more urgent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriorityRange {
    lowest: i32,
    highest: i32,
}

impl PriorityRange {
    /// Priorities from `lowest` to `highest`, both included; an error if there is none.
    pub fn new(lowest: i32, highest: i32) -> Result<Self, String> {
        if lowest > highest {
            return Err(format!("the priorities from {lowest} to {highest} are none: swap them"));
        }
        Ok(Self { lowest, highest })
    }

    /// How many priorities there are.
    pub fn count(self) -> u64 {
        (i64::from(self.highest) - i64::from(self.lowest)) as u64 + 1
    }

    /// The lowest priority.
    pub fn lowest(self) -> i32 {
        self.lowest
    }

    /// The highest priority.
    pub fn highest(self) -> i32 {
        self.highest
    }
}

impl Default for PriorityRange {
    /// 1 to 99: `SCHED_FIFO` on Linux.
    fn default() -> Self {
        Self { lowest: 1, highest: 99 }
    }
}

/// The priorities of operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Priorities {
    /// The level of each task, by its number; 0 is the most urgent one of its processor.
    pub(crate) levels: Vec<usize>,
    /// The native priority of each task.
    pub(crate) native: Vec<i32>,
}

/// Gives each operation of a processor a priority of its own, as long as the range has one.
///
/// If there are more operations than priorities, neighbours share one: level and priority are
/// equal then, and the analysis treats them as delaying each other.
pub(crate) fn assign(
    system: &System,
    steps: &[Step],
    strategy: Strategy,
    range: PriorityRange,
) -> Priorities {
    let keys = keys(system, steps, strategy);
    let mut levels = vec![0; keys.len()];
    let mut native = vec![range.lowest(); keys.len()];
    for processor in 0..system.processors.len() {
        let mut order: Vec<usize> =
            (0..keys.len()).filter(|task| system.links[*task].processor == processor).collect();
        order.sort_by_key(|task| {
            let declared = &system.tasks()[*task];
            (keys[*task], Reverse((declared.criticality, declared.importance)), *task)
        });
        let (count, places) = (order.len() as u64, range.count());
        for (rank, task) in order.into_iter().enumerate() {
            let rank = rank as u64;
            let level = if count <= places { rank } else { rank * places / count };
            levels[task] = level as usize;
            native[task] = (i64::from(range.highest()) - level as i64) as i32;
        }
    }
    Priorities { levels, native }
}

/// What the strategy orders the tasks by: less is more urgent.
fn keys(system: &System, steps: &[Step], strategy: Strategy) -> Vec<u64> {
    let mut keys = vec![u64::MAX; system.tasks().len()];
    for step in steps {
        for member in &step.members {
            let key = match strategy {
                Strategy::RateMonotonic => step.period,
                _ => step.deadline,
            };
            keys[*member] = keys[*member].min(key);
        }
    }
    keys
}
