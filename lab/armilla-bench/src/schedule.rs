//! The schedule of measurements: rounds, starts of programs, and the time that they take.

use crate::line::Line;
use crate::plan::{Experiment, Plan};
use crate::program::Transport;
use crate::task::{CALLS, Step};
use std::time::Duration;

/// The time of one program in one round of a cell.
const SLICE: Duration = Duration::from_millis(4);

/// The same where the slow calls count: a thousand and more calls.
const TAIL_SLICE: Duration = Duration::from_millis(500);

/// The factor by which slices are shorter if cells are compared with each other. The number of
/// rounds grows by twice this factor.
const FINER: u32 = 2;

/// The factor by which slices of bulk transfer are longer, because both sides need time to reach a
/// steady state.
const BULK: u32 = 3;

/// The minimum number of rounds of compared cells, whose differences are a few per cent.
const FINE: usize = 40;

/// The calls of a trial that estimates the time of a call.
const TRIAL: u32 = 20;

/// The approximate time to start a program.
pub(crate) const START: Duration = Duration::from_millis(20);

/// The approximate time to prepare an object.
const OBJECT: Duration = Duration::from_micros(4);

/// The number of starts of a program for compared cells.
const STARTS: usize = 4;

/// The rounds of bulk transfer over a line, which decides how long it takes; and in a quick run.
const LINE_ROUNDS: usize = 5;
const FEW_LINE_ROUNDS: usize = 3;

/// The time of one program in one round of bulk transfer over a slow line: enough for several
/// windows.
const LINE_SLICE: Duration = Duration::from_millis(100);

/// A line below this rate is slow, in bits per second.
const SLOW: u64 = 100_000_000;

/// The warm-up of a connection for bulk transfer, as a multiple of the measured data, limited by
/// the volume. While the congestion window is small, TCP gathers messages; it stops growing only
/// after tens of thousands of them.
pub(crate) const WARM_UP: u32 = 5;

/// Whether steps are compared with each other, by short times that differ by a few per cent.
pub(crate) fn is_fine(steps: &[Step]) -> bool {
    steps.len() > 1 && steps.iter().all(|step| !step.task.workload.is_bulk() && !step.task.tail)
}

/// The number of rounds of these steps.
pub(crate) fn rounds(plan: &Plan, steps: &[Step]) -> usize {
    match is_fine(steps) {
        false if is_renewed(steps) => plan.repetitions(),
        false if is_bulk(steps) && plan.quick => FEW_LINE_ROUNDS,
        false if is_bulk(steps) => LINE_ROUNDS,
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

fn is_bulk(steps: &[Step]) -> bool {
    steps.first().is_some_and(|step| step.task.workload.is_bulk())
}

/// The line that a step uses, if any.
fn line(step: &Step) -> Option<Line> {
    match Transport::parse(step.cell.transport) {
        Some(Transport::Link(line)) => Some(line),
        _ => None,
    }
}

/// Whether programs restart for each round of these steps: for bulk transfer within the machine.
/// Over a line the line decides, and not where the memory of a program lies.
pub(crate) fn is_renewed(steps: &[Step]) -> bool {
    is_bulk(steps) && steps.iter().all(|step| line(step).is_none())
}

/// The number of calls of a trial, which estimates the time of a call.
pub(crate) fn trial(transport: Transport) -> u32 {
    match transport {
        Transport::Link(line) if line.rate() < SLOW => CALLS.0,
        _ => TRIAL,
    }
}

/// The approximate time of a program for `steps`.
pub(crate) fn expected(plan: &Plan, steps: &[Step]) -> Duration {
    let each = steps.iter().map(|step| expected_of(plan, step, steps));
    let anew = START * u32::try_from(rounds(plan, steps)).unwrap_or(u32::MAX);
    each.sum::<Duration>() + if is_renewed(steps) { anew } else { Duration::ZERO }
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
        true if is_renewed(steps) => slice * (rounds + 1) + slice * WARM_UP / 3 * rounds,
        true => slice.max(least(step)) * (rounds + 1),
        false => each * (rounds + 1) + prepared,
    }
}

/// The time of the fewest calls of a step over its line.
fn least(step: &Step) -> Duration {
    let octets = usize::try_from(step.cell.bytes).unwrap_or(usize::MAX);
    line(step).map_or(Duration::ZERO, |line| line.time(octets) * CALLS.0)
}

/// The time of a program in one round of a step. `fine` steps have shorter rounds.
pub(crate) fn slice(step: &Step, fine: bool) -> Duration {
    let slice = if fine { SLICE / FINER } else { SLICE };
    let workload = step.task.workload;
    if step.task.tail {
        return TAIL_SLICE;
    }
    if workload.is_bulk() && line(step).is_some_and(|line| line.rate() < SLOW) {
        return LINE_SLICE;
    }
    slice * if workload.is_bulk() || workload.is_flood() { BULK } else { 1 }
}
