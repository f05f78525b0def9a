//! Measured execution times, as a table that can be analysed.

use crate::time::Nanos;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::str::FromStr;

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

/// A line for each operation: nanoseconds, executions and the name. [`FromStr`] reads it.
impl fmt::Display for MeasuredTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (operation, (worst, count)) in &self.worst {
            // A name of IDL has no line ends; one that a program made up must not end the line.
            writeln!(f, "{} {count} {}", worst.0, operation.replace(['\n', '\r'], " "))?;
        }
        Ok(())
    }
}

/// Reads what `Display` writes.
impl FromStr for MeasuredTimes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut times = Self::new();
        for (number, line) in (1..).zip(text.lines()) {
            let mut parts = line.splitn(3, ' ');
            let mut next = || parts.next();
            let found = (|| Some((next()?.parse().ok()?, next()?.parse().ok()?, next()?)))();
            let Some((worst, count, operation)) = found else {
                return Err(format!("line {number}: NANOSECONDS EXECUTIONS NAME is needed"));
            };
            times.merge(&Self { worst: [(operation.to_owned(), (Nanos(worst), count))].into() });
        }
        Ok(times)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_joined() {
        let mut times = MeasuredTimes::new();
        times.record("A::f", Nanos(70));
        times.record("A::f", Nanos(90));
        times.record("B::g h", Nanos(5));
        let read: MeasuredTimes = times.to_string().parse().unwrap();
        assert_eq!(read, times);
        let twice: MeasuredTimes = format!("{times}{times}").parse().unwrap();
        assert!(twice.to_table(0).contains("90 ns in 4 executions"), "{}", twice.to_table(0));
        for wrong in ["x 1 A::f", "1 A::f", "1 -1 A::f", "18446744073709551616 1 A::f", " "] {
            let error = wrong.parse::<MeasuredTimes>().unwrap_err();
            assert!(error.contains("line 1"), "{error}");
        }
    }
}
