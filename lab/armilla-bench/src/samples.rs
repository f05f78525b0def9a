//! The samples of a cell, and the records made from them.

use crate::plan::Experiment;
use crate::process::Measured;
use crate::program::ALIKE;
use crate::program::Program;
use crate::record::{Gain, Record, median};
use crate::task::{Step, Task};

/// A step, with the measurements of all programs in each round.
pub(crate) struct Samples<'s> {
    pub(crate) step: &'s Step,
    /// The number of calls of each program in a round.
    pub(crate) counts: Vec<u32>,
    pub(crate) rounds: Vec<Vec<Option<Measured>>>,
}

/// The time that counts, in nanoseconds: that of all calls, or of one.
fn time_of(task: Task, measured: &Measured) -> f64 {
    match task {
        _ if task.is_timed_whole() => measured.total,
        Task { tail: true, .. } => measured.p999,
        _ => measured.median,
    }
}

impl Samples<'_> {
    /// The value of a measurement, in the unit of the metric.
    pub(crate) fn value(&self, measured: &Measured, place: usize) -> f64 {
        let task = self.step.task;
        task.value(self.counts[place], time_of(task, measured))
    }

    /// The median over the rounds of the ratio of a program's value here to that in `other`.
    pub(crate) fn ratio(&self, other: &Self, place: usize) -> Option<f64> {
        let rounds = self.rounds.iter().zip(&other.rounds);
        let both = rounds.filter_map(|(here, there)| Some((here[place]?, there[place]?)));
        let ratio = median(both.map(|(a, b)| self.value(&a, place) / other.value(&b, place)));
        Some(ratio).filter(|ratio| ratio.is_finite())
    }

    /// Whether two equal programs differ by more than [`ALIKE`].
    pub(crate) fn differs(&self, (one, other): (usize, usize)) -> bool {
        let both = self.rounds.iter().filter_map(|round| round[one].zip(round[other]));
        let ratios = both.map(|(a, b)| self.value(&b, other) / self.value(&a, one));
        // Without a round in which both ran there is nothing to compare.
        (median(ratios) - 1.0).abs() > ALIKE
    }

    /// The gain of a program over the first one, in the ladder.
    pub(crate) fn gain(&self, place: usize) -> Option<Gain> {
        if self.step.cell.experiment != Experiment::Ladder.name() {
            return None;
        }
        let both =
            self.rounds.iter().filter_map(|round| Some((round.first()?.as_ref()?, round[place]?)));
        let values = both.map(|(first, this)| (self.value(first, 0), self.value(&this, place)));
        Gain::of(values.map(|(first, this)| match self.step.task.metric().is_less_better() {
            true => first / this,
            false => this / first,
        }))
    }

    /// The record of one program; `None` without measurements.
    pub(crate) fn summary(
        &self,
        (index, reference): (usize, Option<usize>),
        program: &Program,
    ) -> Option<Record> {
        let Self { step: Step { cell, task, .. }, counts, rounds } = self;
        let of = |pick: &dyn Fn(&Measured) -> f64| {
            let picked = rounds.iter().filter_map(move |round| round[index].as_ref().map(pick));
            picked.map(|nanos| task.value(counts[index], nanos)).collect::<Vec<_>>()
        };
        let whole = task.is_timed_whole();
        let values = of(&|measured| time_of(*task, measured));
        if values.is_empty() {
            return None;
        }
        let ratios = reference.map(|reference| {
            let both = rounds.iter().filter_map(|round| Some((round[index]?, round[reference]?)));
            median(both.map(|(a, b)| self.value(&a, index) / self.value(&b, reference)))
        });
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (p1, p99, min, max) = match whole {
            true => (least(&values), most(&values), least(&values), most(&values)),
            false => {
                let (p1, p99) = (of(&|m| m.p1), of(&|m| m.p99));
                (median(p1), median(p99), least(&of(&|m| m.min)), most(&of(&|m| m.max)))
            }
        };
        let metric = task.metric();
        Some(Record {
            cell: cell.clone(),
            program: program.name.to_owned(),
            style: program.style(),
            metric,
            unit: metric.unit(),
            median: median(values.iter().copied()),
            p1,
            p99,
            min,
            max,
            repetitions: values.len(),
            ratio_to_c: ratios.filter(|ratio| ratio.is_finite()),
            ratio_to_one: None,
            ratio_to_sequence: None,
            gain: None,
        })
    }
}
