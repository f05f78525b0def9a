//! The schedule of measurements: rounds, starts of programs, and the time that they take.

use crate::plan::{Experiment, Plan};
use crate::task::Step;
use std::time::Duration;

/// How long one program works in one round of a cell.
const SLICE: Duration = Duration::from_millis(4);

/// How many times as short the slices are where cells are compared with each other; the rounds are
/// twice as many times as many.
const FINER: u32 = 2;

/// How many times as long it moves data in bulk: it takes a while until both sides run as they do in
/// the long run.
const BULK: u32 = 3;

/// The fewest rounds of those: the least that is told is some per cent.
const FINE: usize = 40;

/// About how long it takes to start a program.
pub(crate) const START: Duration = Duration::from_millis(20);

/// About how long it takes to prepare an object.
const OBJECT: Duration = Duration::from_micros(4);

/// How often programs are started anew for a cell of bulk transfer, or for cells where little things
/// matter; and for the former in a quick run.
const STARTS: usize = 4;
const FEW_STARTS: usize = 2;

/// How many times what is measured of a bulk transfer is moved before, over the same connection, but no
/// more than the volume: TCP gathers messages while the congestion window is small, and takes tens of
/// thousands of them until that grows no more.
pub(crate) const WARM_UP: u32 = 5;

/// Whether steps are measured together to tell differences of some per cent between short times.
pub(crate) fn is_fine(steps: &[Step]) -> bool {
    steps.len() > 1 && steps.iter().all(|step| !step.task.workload.is_bulk())
}

/// In how many rounds these steps are measured together.
pub(crate) fn rounds(plan: &Plan, steps: &[Step]) -> usize {
    match is_fine(steps) {
        false => plan.repetitions(),
        true => (2 * FINER as usize * plan.repetitions()).max(FINE),
    }
}

/// How often the programs are started for `steps`, but for those of bulk transfer.
pub(crate) fn starts(plan: &Plan, steps: &[Step]) -> usize {
    let on_ladder = |step: &Step| step.cell.experiment == Experiment::Ladder.name();
    match steps {
        [step] if !plan.quick && on_ladder(step) && !step.task.workload.is_bulk() => STARTS,
        steps if is_fine(steps) => STARTS,
        _ => 1,
    }
}

/// How often the programs are started for a cell of bulk transfer.
pub(crate) const fn bulk_starts(plan: &Plan) -> usize {
    if plan.quick { FEW_STARTS } else { STARTS }
}

/// About how long a program takes for `steps`, which are measured together.
pub(crate) fn expected(plan: &Plan, steps: &[Step]) -> Duration {
    let each = steps.iter().map(|step| expected_of(plan, step, steps));
    let anew = START * bulk_starts(plan) as u32;
    let bulk = steps.first().is_some_and(|step| step.task.workload.is_bulk());
    each.sum::<Duration>() + if bulk { anew } else { Duration::ZERO }
}

/// The same of one of them, but for starting it again.
fn expected_of(plan: &Plan, step: &Step, steps: &[Step]) -> Duration {
    let rounds = u32::try_from(rounds(plan, steps)).unwrap_or(u32::MAX);
    let fine = is_fine(steps);
    let slice = slice(step, fine);
    // Most need longer for as many calls than the first, and nobody answers at once.
    let each = if fine { slice * 3 / 2 } else { slice * 6 / 5 };
    // Cells with the same objects follow each other in pairs.
    let prepared =
        if step.prepare.is_some() { OBJECT * step.cell.objects / 2 } else { Duration::ZERO };
    match step.task.workload.is_bulk() {
        // The volume of the study ends most turns, and what warms up, before their time is over.
        true => slice * (rounds + 1) + slice * WARM_UP / 3 * bulk_starts(plan) as u32,
        false => each * (rounds + 1) + prepared,
    }
}

/// How long a program works in one round of a step, and in one that is `fine`.
pub(crate) fn slice(step: &Step, fine: bool) -> Duration {
    let slice = if fine { SLICE / FINER } else { SLICE };
    let workload = step.task.workload;
    slice * if workload.is_bulk() || workload.is_flood() { BULK } else { 1 }
}
