//! The report of the experiment: a table, JSON, and a page.

use super::program::C;
use super::{Imaging, ImagingCell};
use serde_json::json;
use std::fmt;

impl Imaging {
    /// The results as JSON: an object with the machine, the conclusion, the bars, all cells, absent
    /// programs and failures.
    pub fn json(&self) -> String {
        let results = json!({
            "machine": self.machine,
            "interrupted": self.interrupted,
            "conclusion": self.conclusion(),
            "bars": self.bars(),
            "cells": self.cells,
            "absent": self.absent,
            "failures": self.failures,
        });
        format!("{results:#}\n")
    }
}

impl fmt::Display for Imaging {
    /// The tables.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.machine)?;
        for cells in self.cells.chunk_by(same) {
            let Some(first) = cells.first() else { continue };
            writeln!(
                f,
                "\n{}, {}, {} at once, {} rounds",
                first.place.describe(),
                first.images,
                first.viewers,
                first.rounds
            )?;
            writeln!(
                f,
                "  {:24} {:>7} {:>15} {:>7} {:>8} {:>9}",
                "", "MiB/s", "least … most", "× c", "s/GiB", "memory"
            )?;
            for cell in cells {
                let ratio = cell.ratio_to_c.filter(|_| cell.way != C.name);
                let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
                writeln!(
                    f,
                    "  {:24} {:>7.0} {:>7.0}…{:<7.0} {ratio:>7} {:>8.3} {:>5.0} MiB",
                    cell.way,
                    cell.rate,
                    cell.rate_min,
                    cell.rate_max,
                    cell.processor_seconds_per_gib,
                    cell.server_peak as f64 / f64::from(1 << 20)
                )?;
            }
        }
        writeln!(f, "\n{}\n", self.conclusion())?;
        for bar in self.bars() {
            let verdict = if bar.met { "met" } else { "MISSED" };
            writeln!(f, "{verdict:6} {}: {:.3} ({})", bar.demand, bar.measured, bar.worst)?;
        }
        for absent in &self.absent {
            writeln!(f, "absent: {}: {}", absent.program, absent.remedy)?;
        }
        self.failures.iter().try_for_each(|failure| writeln!(f, "failed: {failure}"))
    }
}

/// Whether two results are of one cell.
fn same(one: &ImagingCell, other: &ImagingCell) -> bool {
    (one.place, &one.images, one.viewers) == (other.place, &other.images, other.viewers)
}
