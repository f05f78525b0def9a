//! The schedule of measurements: rounds, starts of programs, and the time that they take.

use crate::plan::{Experiment, Plan};
use crate::task::Step;
use std::time::Duration;

/// The time of one program in one round of a cell.
const SLICE: Duration = Duration::from_millis(4);

/// The factor by which slices are shorter if cells are compared with each other. The number of
/// rounds grows by twice this factor.
const FINER: u32 = 2;

/// The factor by which slices of bulk transfer are longer, because both sides need time to reach a
/// steady state.
const BULK: u32 = 3;

/// The minimum number of rounds of compared cells, whose differences are a few per cent.
const FINE: usize = 40;

/// The approximate time to start a program.
pub(crate) const START: Duration = Duration::from_millis(20);

/// The approximate time to prepare an object.
const OBJECT: Duration = Duration::from_micros(4);

/// The number of starts of a program for a cell of bulk transfer, or for compared cells; for the
/// former in a quick run.
const STARTS: usize = 4;
const FEW_STARTS: usize = 2;

/// The warm-up of a connection for bulk transfer, as a multiple of the measured data, limited by
/// the volume. While the congestion window is small, TCP gathers messages; it stops growing only
/// after tens of thousands of them.
pub(crate) const WARM_UP: u32 = 5;

/// Whether steps are compared with each other, by short times that differ by a few per cent.
pub(crate) fn is_fine(steps: &[Step]) -> bool {
    steps.len() > 1 && steps.iter().all(|step| !step.task.workload.is_bulk())
}

/// The number of rounds of these steps.
pub(crate) fn rounds(plan: &Plan, steps: &[Step]) -> usize {
    match is_fine(steps) {
        false => plan.repetitions(),
        true => (2 * FINER as usize * plan.repetitions()).max(FINE),
    }
}

/// The number of starts of the programs for `steps`, except bulk transfer.
pub(crate) fn starts(plan: &Plan, steps: &[Step]) -> usize {
    let on_ladder = |step: &Step| step.cell.experiment == Experiment::Ladder.name();
    match steps {
        [step] if !plan.quick && on_ladder(step) && !step.task.workload.is_bulk() => STARTS,
        steps if is_fine(steps) => STARTS,
        _ => 1,
    }
}

/// The number of starts of the programs for a cell of bulk transfer.
pub(crate) const fn bulk_starts(plan: &Plan) -> usize {
    if plan.quick { FEW_STARTS } else { STARTS }
}

/// The approximate time of a program for `steps`.
pub(crate) fn expected(plan: &Plan, steps: &[Step]) -> Duration {
    let each = steps.iter().map(|step| expected_of(plan, step, steps));
    let anew = START * bulk_starts(plan) as u32;
    let bulk = steps.first().is_some_and(|step| step.task.workload.is_bulk());
    each.sum::<Duration>() + if bulk { anew } else { Duration::ZERO }
}

/// The same for one step, without restarts.
fn expected_of(plan: &Plan, step: &Step, steps: &[Step]) -> Duration {
    let rounds = u32::try_from(rounds(plan, steps)).unwrap_or(u32::MAX);
    let fine = is_fine(steps);
    let slice = slice(step, fine);
    // Most programs need longer than the first for the same calls, and commands have a latency.
    let each = if fine { slice * 3 / 2 } else { slice * 6 / 5 };
    // Pairs of successive cells share their objects.
    let prepared =
        if step.prepare.is_some() { OBJECT * step.cell.objects / 2 } else { Duration::ZERO };
    match step.task.workload.is_bulk() {
        // The volume of the study ends most rounds and warm-ups early.
        true => slice * (rounds + 1) + slice * WARM_UP / 3 * bulk_starts(plan) as u32,
        false => each * (rounds + 1) + prepared,
    }
}

/// The time of a program in one round of a step. `fine` steps have shorter rounds.
pub(crate) fn slice(step: &Step, fine: bool) -> Duration {
    let slice = if fine { SLICE / FINER } else { SLICE };
    let workload = step.task.workload;
    slice * if workload.is_bulk() || workload.is_flood() { BULK } else { 1 }
}
