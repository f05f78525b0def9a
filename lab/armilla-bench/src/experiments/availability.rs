//! Availability of programs, placements, the link and queues: what cannot run, and the remedy.

use super::series::Series;
use crate::line::Line;
use crate::machine::{Placement, queue_cut_short};
use crate::outcome::Absent;
use crate::peers::Peers;
use crate::plan::Plan;
use crate::program::{Program, Transport, peer_names};
use std::sync::atomic::Ordering;

/// The name of all series over a link.
const LINKS: &str = "links between namespaces";

/// Removes the series over a link if `make` fails, and returns the reason. Runs before any
/// measurement, so that the user knows early.
pub(super) fn unlinked(
    experiments: &mut [Vec<Series>],
    make: impl FnOnce(Line) -> Result<(), String>,
) -> Option<Absent> {
    let line = |series: &Series| match series.transport {
        Transport::Link(line) => Some(line),
        _ => None,
    };
    let remedy = make(experiments.iter().flatten().find_map(line)?).err()?;
    eprintln!("omitted {LINKS}: {remedy}");
    experiments.iter_mut().for_each(|series| series.retain(|series| line(series).is_none()));
    Some(Absent { program: LINKS, remedy })
}

/// Removes the series that need a second processor if there is only one. Returns the reason, and
/// the experiments without any series left.
pub(super) fn idle(plan: &Plan, experiments: &mut [Vec<Series>], processors: usize) -> Vec<Absent> {
    let mut idle = Vec::new();
    let apart = |series: &Series| series.placement == Placement::OneCoreEach;
    if processors < 2 && experiments.iter().flatten().any(apart) {
        experiments.iter_mut().for_each(|series| series.retain(|series| !apart(series)));
        let remedy = "this process may use one processor only".to_owned();
        idle.push(Absent { program: Placement::OneCoreEach.name(), remedy });
    }
    for (experiment, _) in plan.experiments.iter().zip(experiments).filter(|(_, s)| s.is_empty()) {
        let remedy = "no series runs over these transports with this placement".to_owned();
        idle.push(Absent { program: experiment.name(), remedy });
    }
    idle
}

/// The programs that do not support every series, and the requested peers without any series,
/// except those in `absent`.
pub(super) fn left_out(plan: &Plan, experiments: &[Vec<Series>], absent: &[Absent]) -> Vec<Absent> {
    let mut all: Vec<Absent> = Vec::new();
    for Series { programs, transport, .. } in experiments.iter().flatten() {
        for program in programs.iter().filter(|program| !program.supports(*transport)) {
            let remedy = format!("it does not support {}", transport.name());
            all.push(Absent { program: program.name, remedy });
        }
    }
    let takes_part = |name: &str| {
        let mut taking = experiments.iter().flatten().flat_map(|series| &series.programs);
        taking.any(|program| program.name == name) || absent.iter().any(|a| a.program == name)
    };
    let named = peer_names().filter(|name| plan.peers.iter().flatten().any(|peer| peer == name));
    for program in named.filter(|name| !takes_part(name)) {
        let remedy = "these experiments do not use it".to_owned();
        all.push(Absent { program, remedy });
    }
    all.sort_by(|a, b| (a.program, &a.remedy).cmp(&(b.program, &b.remedy)));
    all.dedup();
    all
}

/// Builds the peers of all series, and removes those that cannot be built.
pub(super) fn make_peers(peers: &Peers, experiments: &mut [Vec<Series>]) -> Vec<Absent> {
    let mut programs: Vec<Program> = Vec::new();
    for program in experiments.iter().flatten().flat_map(Series::able) {
        if !programs.contains(program) {
            programs.push(program.clone());
        }
    }
    // After a stop, a peer that was not built is not absent.
    let goes_on = |_: &&Program| !peers.stop().load(Ordering::Relaxed);
    let asked = programs.iter().take_while(goes_on);
    let absent: Vec<Absent> = asked.filter_map(|program| peers.make(program).err()).collect();
    if peers.stop().load(Ordering::Relaxed) {
        return Vec::new();
    }
    for series in experiments.iter_mut().flatten() {
        series.programs.retain(|program| absent.iter().all(|a| a.program != program.name));
    }
    absent
}

/// The warning if the system limits the largest queues, for all programs alike.
pub(super) fn small_queues(experiments: &[Vec<Series>]) -> Option<Absent> {
    let remedy = queue_cut_short(largest_queue(experiments)?)?;
    Some(Absent { program: "large queues", remedy })
}

fn largest_queue(experiments: &[Vec<Series>]) -> Option<usize> {
    experiments.iter().flatten().map(|series| series.queue).max()
}

#[cfg(test)]
mod tests {
    use super::super::{batch, latency, ttcp};
    use super::*;
    use crate::machine::cut_short;
    use crate::plan::Experiment;

    const LINK: Transport = Transport::Link(Line::Ethernet100);

    fn plan(experiments: &[Experiment], transports: &[Transport]) -> Plan {
        let (experiments, transports) = (experiments.to_vec(), Some(transports.to_vec()));
        Plan {
            experiments,
            quick: false,
            peers: None,
            transports,
            placement: None,
            link_delay: None,
        }
    }

    #[test]
    fn an_experiment_without_work_is_reported() {
        let plan = plan(&[Experiment::Batch, Experiment::Latency], &[LINK]);
        let mut experiments = vec![batch::series(&plan), latency::series(&plan)];
        let idle = idle(&plan, &mut experiments, 2);
        assert_eq!(idle.iter().map(|absent| absent.program).collect::<Vec<_>>(), ["latency"]);
    }

    #[test]
    fn one_processor_is_not_taken_for_two() {
        let plan = plan(&[Experiment::Latency], &[Transport::Tcp]);
        let mut experiments = vec![latency::series(&plan)];
        let idle = idle(&plan, &mut experiments, 1);
        assert_eq!(idle[0].program, "one-core-each");
        let placements = experiments[0].iter().map(|series| series.placement);
        assert!(placements.clone().all(|placement| placement != Placement::OneCoreEach));
        assert!(placements.count() > 1);
    }

    #[test]
    fn without_a_link_the_rest_is_run() {
        let plan = plan(&[Experiment::Batch], &[Transport::Tcp, LINK]);
        let mut experiments = vec![batch::series(&plan)];
        assert_eq!(unlinked(&mut experiments, |_| Ok(())), None);
        assert_eq!(experiments[0].len(), 2);
        let absent = unlinked(&mut experiments, |_| Err("needs root".into())).unwrap();
        assert_eq!((absent.program, absent.remedy.as_str()), (LINKS, "needs root"));
        assert_eq!(
            experiments[0].iter().map(|s| s.transport).collect::<Vec<_>>(),
            [Transport::Tcp]
        );
        let unasked = |_| panic!("nothing needs a link any more");
        assert_eq!(unlinked(&mut experiments, unasked), None);
    }

    #[test]
    fn queues_that_the_system_does_not_allow_are_told() {
        let experiments = [ttcp::series(&plan(&[Experiment::Ttcp], &[Transport::Tcp]))];
        let largest = largest_queue(&experiments).unwrap();
        assert_eq!(cut_short(largest, 1 << 20), None);
        let remedy = cut_short(largest, 212_992).unwrap();
        assert!(remedy.contains("queues of 1048576 octets to 212992"), "{remedy}");
    }

    #[test]
    fn one_run_has_no_cell_twice() {
        for quick in [false, true] {
            let plan = Plan { quick, transports: None, ..plan(&Experiment::ALL, &[]) };
            let all = Experiment::ALL.map(|experiment| super::super::series_of(&plan, experiment));
            let steps: Vec<_> = all.iter().flatten().flat_map(|series| &series.steps).collect();
            for (place, step) in steps.iter().enumerate() {
                let again = steps[..place].iter().find(|other| other.cell == step.cell);
                assert!(again.is_none(), "{:?}", step.cell);
            }
        }
    }
}
