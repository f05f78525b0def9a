//! How much the execution times may grow.

use super::{AnalysisOptions, Report, analyse_once};
use crate::system::System;

/// No factor above this is looked for: a hundred times.
const MOST: u64 = 100_000;

/// The largest factor, in thousandths, by which all execution times may be multiplied so that the
/// system is schedulable.
pub(crate) fn growth(system: &System, question: AnalysisOptions, report: &Report) -> Option<u64> {
    let used = report.processors.iter().map(|one| one.utilisation.parts_per_million()).max()?;
    let room = (1_000_u64 * 1_000_000).div_ceil(used.max(1)).saturating_add(1);
    let room = room.saturating_mul(question.threads as u64);
    let fits = |thousandths: u64| {
        let Some(scaled) = system.scaled(thousandths) else { return false };
        analyse_once(&scaled, question).is_ok_and(|report| report.is_schedulable())
    };
    let now = report.is_schedulable();
    let (mut low, mut high) = if now { (1_000, room.min(MOST) + 1) } else { (0, 1_000) };
    high = high.max(low + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}
