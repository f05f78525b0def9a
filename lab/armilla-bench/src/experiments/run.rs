//! The execution of a plan, series by series.

use super::link;
use super::series::Series;
use crate::budget::Budget;
use crate::counting::{self, CountRequest};
use crate::functions;
use crate::machine::{Machine, congestion};
use crate::measure::{ProgramSet, Setup};
use crate::network::Link;
use crate::outcome::{Absent, Conditions, Outcome};
use crate::peers::Peers;
use crate::plan::{Experiment, Plan};
use crate::program::{Program, Transport};
use crate::report::Progress;
use std::collections::HashMap;
use std::mem::take;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A run in progress.
pub(super) struct Run<'a> {
    plan: &'a Plan,
    peers: &'a Peers,
    congestion: String,
    began: Instant,
    progress: Progress,
    budget: Budget,
    /// Programs that cannot start over a transport, or hang there.
    unable: HashMap<Transport, Vec<Program>>,
    outcome: Outcome,
}

impl<'a> Run<'a> {
    /// A run before its first series.
    pub(super) fn new(
        plan: &'a Plan,
        peers: &'a Peers,
        progress: Progress,
        budget: Budget,
        absent: Vec<Absent>,
    ) -> Self {
        let congestion = congestion();
        let machine = Machine::this(&congestion);
        let (records, links, failures, shortfall, profiles) = Default::default();
        let interrupted = false;
        let conditions = Conditions::now(plan.repetitions());
        let outcome = Outcome {
            machine,
            records,
            links,
            absent,
            failures,
            shortfall,
            profiles,
            interrupted,
            conditions,
        };
        Self {
            plan,
            peers,
            congestion,
            progress,
            budget,
            unable: HashMap::new(),
            outcome,
            began: Instant::now(),
        }
    }

    /// Measures a series, unless the run has been stopped.
    pub(super) fn perform(&mut self, series: &Series) {
        let Self { plan, peers, congestion, progress, budget, unable, outcome, .. } = self;
        let stopped = || peers.stop().load(Ordering::Relaxed);
        progress.enter(series.turns(plan), series.expected_whole(plan));
        let link = match series.transport {
            _ if stopped() => return,
            Transport::Link(line) => match Link::make(peers.reaper(), line, plan.delay()) {
                Ok(link) => {
                    let (checks, failures) = link::check(peers, series.transport, &link);
                    outcome.links.extend(checks);
                    outcome.failures.extend(failures);
                    Some(link)
                }
                Err(failure) => {
                    outcome.failures.push(format!("no link of its own: {failure}"));
                    return;
                }
            },
            _ => None,
        };
        let Series { transport, placement, queue, .. } = *series;
        let setup = Setup { peers, transport, placement, queue, congestion, link: link.as_ref() };
        let unable = unable.entry(transport).or_default();
        let mut set = ProgramSet::start(setup, &series.programs, take(unable));
        for steps in series.chunks() {
            let deadline = budget.part(series.expected(plan, steps));
            outcome.records.extend(set.measure(plan, steps, deadline, |cell| {
                let goes_on = !stopped();
                if goes_on {
                    progress.step(cell);
                }
                goes_on
            }));
        }
        outcome.shortfall.cells += set.shortened;
        let failures;
        (failures, *unable) = set.end();
        outcome.failures.extend(failures);
        outcome.failures.extend(link.as_ref().and_then(Link::failure));
    }

    /// Counts the instructions of those series that request it.
    pub(super) fn count(&mut self, series: &[Series]) {
        let requests: Vec<CountRequest<'_>> = count_requests(series).collect();
        if requests.is_empty() || self.peers.stop().load(Ordering::Relaxed) {
            return;
        }
        let Self { peers, congestion, progress, budget, outcome, .. } = self;
        let (jobs, expected) = counting::expected(&requests);
        progress.enter(jobs, expected);
        if let Err(absent) = counting::check() {
            outcome.absent.push(absent);
            return;
        }
        let deadline = budget.part(expected);
        let begin = |cell: &_| progress.count(cell);
        let counted = counting::count(peers, congestion, &requests, deadline, begin);
        outcome.records.extend(counted.records);
        outcome.failures.extend(counted.failures);
        outcome.shortfall.uncounted += counted.left_out;
    }

    /// Profiles programs by function, if the run is a whole one.
    pub(super) fn profile(&mut self) {
        let whole = !self.plan.quick && self.plan.experiments == Experiment::ALL;
        if !whole || self.peers.stop().load(Ordering::Relaxed) {
            return;
        }
        match functions::profiles(self.plan, self.peers) {
            Ok(profiles) => self.outcome.profiles = Some(profiles),
            Err(error) => self.outcome.failures.push(format!("profiles: {error}")),
        }
    }

    /// The outcome.
    pub(super) fn end(self) -> Outcome {
        let interrupted = self.peers.stop().load(Ordering::Relaxed);
        let seconds = self.began.elapsed().as_secs();
        let conditions = Conditions { seconds, ..self.outcome.conditions };
        Outcome { interrupted, conditions, ..self.outcome }
    }
}

/// The requests to count instructions.
pub(super) fn count_requests(series: &[Series]) -> impl Iterator<Item = CountRequest<'_>> {
    series.iter().filter(|series| series.counted).flat_map(|series| {
        let Series { transport, queue, steps, .. } = series;
        series.able().flat_map(move |program| {
            let one =
                move |step| CountRequest { program, transport: *transport, queue: *queue, step };
            steps.iter().map(one)
        })
    })
}
