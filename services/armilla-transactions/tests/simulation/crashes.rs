//! One failure at each step, whichever node takes it.

use crate::check::{Client, NODES, Scenario};
use crate::resource::Plan;
use crate::world::{Chaos, Planned};
use armilla_transactions::model::{Outcome, Reply, Vote};
use std::time::Duration;

const COMMITS: Plan = Plan::Votes(Vote::Commit);

/// Each has a coordinator, some a subordinate, and participants elsewhere.
fn scenarios() -> Vec<Scenario> {
    let of = |client, subordinates: &[usize], resources: &[(usize, usize, Plan)]| Scenario {
        client,
        subordinates: subordinates.to_vec(),
        resources: resources.to_vec(),
        synchronizations: 1,
        deadline: Duration::from_secs(20),
    };
    let (rolls_back, reads) = (Plan::Votes(Vote::Rollback), Plan::Votes(Vote::ReadOnly));
    vec![
        of(Client::Commits, &[], &[(0, 3, COMMITS), (0, 4, COMMITS)]),
        of(Client::Commits, &[1], &[(0, 3, COMMITS), (1, 4, COMMITS), (1, 5, COMMITS)]),
        of(Client::Commits, &[1, 2], &[(0, 0, COMMITS), (1, 1, COMMITS), (2, 3, COMMITS)]),
        of(Client::Commits, &[1], &[(0, 3, COMMITS), (1, 4, rolls_back), (1, 5, COMMITS)]),
        of(Client::Commits, &[1], &[(0, 3, reads), (1, 4, COMMITS), (1, 5, reads)]),
        of(Client::Commits, &[], &[(0, 3, COMMITS)]),
        of(Client::Commits, &[1], &[(1, 4, COMMITS), (1, 5, COMMITS)]),
        of(Client::RollsBack, &[1], &[(0, 3, COMMITS), (1, 4, COMMITS)]),
        of(Client::MarksAndCommits, &[1], &[(0, 3, COMMITS), (1, 4, COMMITS)]),
        of(Client::Vanishes, &[1], &[(0, 3, COMMITS), (1, 4, COMMITS)]),
    ]
}

#[test]
fn without_a_failure_clients_get_what_they_ask_for() {
    let expected = [true, true, true, false, true, true, true, false, false];
    for (scenario, commits) in scenarios().iter().zip(expected) {
        let world = scenario.run(1, Chaos::default(), None).expect(scenario);
        let outcome = if commits { Outcome::Committed } else { Outcome::RolledBack };
        assert_eq!(world.told, Some(Reply::Outcome(outcome)), "{scenario:?}");
    }
}

#[test]
fn a_crash_at_each_step_of_each_node_leaves_all_or_nothing() {
    let mut crashes = 0;
    for scenario in scenarios() {
        for node in 0..NODES {
            for step in 0.. {
                let mut happened = false;
                for down in [50, 3_000, 30_000] {
                    let down = Duration::from_millis(down);
                    let planned = Planned::Crash { node, step, down };
                    let run = scenario.run(step, Chaos::default(), Some(planned));
                    let world = run.expect(&(&scenario, planned));
                    happened |= world.nodes[node].life > 0;
                }
                if !happened {
                    break;
                }
                crashes += 1;
            }
        }
    }
    assert!(crashes > 300, "{crashes} steps");
}

#[test]
fn each_message_may_get_lost() {
    for scenario in scenarios() {
        for message in 0.. {
            let planned = Planned::Loss { message };
            let world = scenario.run(3, Chaos::default(), Some(planned));
            let world = world.expect(&(&scenario, planned));
            if world.messages <= message {
                break;
            }
        }
    }
}

#[test]
fn each_record_may_not_be_written_and_nobody_may_know() {
    for scenario in scenarios() {
        for record in 0.. {
            let mut happened = false;
            for (present, told) in [(false, true), (false, false), (true, false)] {
                let planned = Planned::Disk { record, present, told };
                let run = scenario.run(4, Chaos::default(), Some(planned));
                happened |= run.expect(&(&scenario, planned)).records > record;
            }
            if !happened {
                break;
            }
        }
    }
}
