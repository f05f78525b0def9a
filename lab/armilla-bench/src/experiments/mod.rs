//! The experiments: the cells of each, and the run of a plan.

mod availability;
mod batch;
mod demux;
mod ladder;
mod latency;
mod link;
mod run;
mod series;
mod tails;
mod ttcp;

use crate::budget::Budget;
use crate::counting;
use crate::machine::Machine;
use crate::network::Link;
use crate::outcome::{Absent, Outcome};
use crate::peers::Peers;
use crate::plan::{Experiment, Plan};
use crate::report::Progress;
use availability::{idle, left_out, make_peers, small_queues, unlinked};
use run::{Run, count_requests};
use series::Series;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Runs `plan` until it ends or `stop` becomes true. Shows the progress on standard error.
///
/// # Errors
/// The directory for compiled peers cannot be created, or no part of the plan can run here.
pub fn run(plan: &Plan, stop: &Arc<AtomicBool>) -> io::Result<Outcome> {
    let started = Instant::now();
    let peers = Peers::open(stop)?;
    let series = plan.experiments.iter().map(|experiment| series_of(plan, *experiment));
    let mut experiments: Vec<Vec<Series>> = series.collect();
    let link = |line| Link::make(peers.reaper(), line, plan.delay()).map(drop);
    let mut absent: Vec<Absent> = unlinked(&mut experiments, link).into_iter().collect();
    absent.extend(idle(plan, &mut experiments, Machine::processors()));
    if experiments.iter().all(Vec::is_empty) {
        let why: Vec<_> = absent.iter().map(|a| format!("{}: {}", a.program, a.remedy)).collect();
        return Err(io::Error::other(why.join("; ")));
    }
    absent.extend(make_peers(&peers, &mut experiments));
    absent.extend(small_queues(&experiments));
    absent.extend(left_out(plan, &experiments, &absent));
    let limit = plan.limit().map(|limit| limit.saturating_sub(started.elapsed()));
    let expected = expected_of(plan, &experiments);
    let budget = Budget::new(limit, expected);
    let mut run = Run::new(plan, &peers, Progress::new(expected), budget, absent);
    for series in &experiments {
        series.iter().for_each(|series| run.perform(series));
        run.count(series);
    }
    run.profile();
    Ok(run.end())
}

/// The series of an experiment.
fn series_of(plan: &Plan, experiment: Experiment) -> Vec<Series> {
    match experiment {
        Experiment::Ttcp => ttcp::series(plan),
        Experiment::Latency => latency::series(plan),
        Experiment::Demux => demux::series(plan),
        Experiment::Ladder => ladder::series(plan),
        Experiment::Batch => batch::series(plan),
        Experiment::Tails => tails::series(plan),
    }
}

/// The approximate time of all series.
fn expected_of(plan: &Plan, experiments: &[Vec<Series>]) -> Duration {
    let counted =
        |series: &Vec<Series>| counting::expected(&count_requests(series).collect::<Vec<_>>()).1;
    let measured = experiments.iter().flatten().map(|series| series.expected_whole(plan));
    measured.chain(experiments.iter().map(counted)).sum()
}
