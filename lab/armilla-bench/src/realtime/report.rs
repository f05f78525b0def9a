//! The report of the real-time experiment as a table and as JSON.

use super::{Cell, RealTime, Variant};
use std::fmt::{self, Write};

impl RealTime {
    /// The results as JSON.
    pub fn json(&self) -> String {
        let json = serde_json::to_string_pretty(self);
        json.unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}")) + "\n"
    }

    /// The floor of a cell: plain sockets in the same conditions.
    pub(super) fn floor(&self, cell: &Cell) -> Option<&Cell> {
        self.cells.iter().find(|other| {
            other.variant == Variant::Sockets && other.rate == cell.rate && other.load == cell.load
        })
    }
}

impl fmt::Display for RealTime {
    /// The tables of all parts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.machine)?;
        writeln!(f, "{}", self.platform)?;
        self.mutexes.iter().try_for_each(|wait| writeln!(f, "{wait}"))?;
        self.overload.iter().try_for_each(|run| writeln!(f, "{run}"))?;
        self.calls(f)?;
        for absent in &self.absent {
            writeln!(f, "absent: {}: {}", absent.program, absent.remedy)?;
        }
        self.failures.iter().try_for_each(|failure| writeln!(f, "failed: {failure}"))
    }
}

impl RealTime {
    /// The table of calls beside load: microseconds from the release of a period to the end of its
    /// call.
    fn calls(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cells.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "E7: µs from the release of a period to the end of its call, which works 100 µs; each \
             call of a low-priority client works 1 ms; inverted: it took longer after the wake-up \
             than its work and a whole call of low priority; late: those missed because the timer \
             woke the client too late; placement: {}\n",
            self.placement.name()
        )?;
        writeln!(
            f,
            "{:>7} {:24} {:9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>14} {:>6} {:>8} {:>9}",
            "rate",
            "load",
            "variant",
            "p50",
            "p99",
            "p99.9",
            "p99.99",
            "max",
            "wake",
            "missed",
            "late",
            "inverted",
            "× sockets"
        )?;
        for cell in &self.cells {
            let latencies = cell.latencies;
            let ratio = self.floor(cell).map(|floor| latencies.p999 / floor.latencies.p999);
            let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
            let mut missed = String::new();
            write!(missed, "{}/{}", latencies.missed, latencies.periods)?;
            writeln!(
                f,
                "{:>4} Hz {:24} {:9} {:>9.0} {:>9.0} {:>9.0} {:>9.0} {:>9.0} {:>9.0} {missed:>14} \
                 {:>6} {:>8} {ratio:>9}",
                cell.rate,
                cell.load.describe(),
                cell.variant.name(),
                latencies.p50,
                latencies.p99,
                latencies.p999,
                latencies.p9999,
                latencies.max,
                latencies.wake_p999,
                latencies.woken_late,
                latencies.inversions,
            )?;
        }
        Ok(())
    }
}
