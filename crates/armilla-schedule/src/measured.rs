//! Measured execution times, as a table that can be analysed.

use crate::time::Nanos;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Worst cases that a running program has measured, to be written as a table.
///
/// It keeps one number for each operation. It is not shared between threads: each thread that
/// measures has its own, and [`merge`](Self::merge) joins them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeasuredTimes {
    /// The longest execution of each operation, and how often it was measured.
    worst: BTreeMap<String, (Nanos, u64)>,
}

impl MeasuredTimes {
    /// Nothing measured yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes note of one execution.
    pub fn record(&mut self, operation: &str, time: Nanos) {
        match self.worst.get_mut(operation) {
            Some((worst, count)) => {
                (*worst, *count) = ((*worst).max(time), count.saturating_add(1))
            }
            None => _ = self.worst.insert(operation.to_owned(), (time, 1)),
        }
    }

    /// Adds what others have measured.
    pub fn merge(&mut self, other: &Self) {
        for (operation, (time, count)) in &other.worst {
            let (worst, sum) = self.worst.entry(operation.clone()).or_default();
            (*worst, *sum) = ((*worst).max(*time), sum.saturating_add(*count));
        }
    }

    /// The table in TOML, each worst case enlarged by `margin` per cent, because a measurement
    /// need not have met the worst case.
    ///
    /// ```
    /// use armilla_schedule::{MeasuredTimes, Nanos};
    ///
    /// let mut measured = MeasuredTimes::new();
    /// measured.record("Sensor::sample", Nanos(250));
    /// measured.record("Sensor::sample", Nanos(300));
    /// assert!(measured.to_table(20).contains("wcet = \"360 ns\" # 300 ns in 2 executions"));
    /// ```
    pub fn to_table(&self, margin: u32) -> String {
        let mut table = format!("# Measured worst cases, enlarged by {margin} %.\n");
        for (operation, (worst, count)) in &self.worst {
            let enlarged = u128::from(worst.0) * (100 + u128::from(margin));
            let enlarged = u64::try_from(enlarged.div_ceil(100)).unwrap_or(u64::MAX).max(1);
            let name = quoted(operation);
            // Writing to a string cannot fail.
            _ = write!(
                table,
                "\n[[task]]\nname = {name}\nwcet = \"{}\" # {worst} in {count} executions\n",
                Nanos(enlarged)
            );
        }
        table
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => _ = write!(quoted, "\\u{:04X}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
