//! Resources with a disk of their own: what a database does.

use crate::node::{Asked, Node, superior_name};
use crate::world::{Answer, Call, World};
use armilla_transactions::model::{Backoff, Heuristic, Key, Refusal, SuperiorAnswer, Vote};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Work was done, and is lost in a crash.
    Active,
    /// It is being written that it is prepared.
    Preparing,
    Prepared,
    Committed,
    RolledBack,
    ReadOnly,
    /// It has decided on its own, and waits to be told to forget.
    Heuristic(Heuristic),
}

/// What it is going to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    Votes(Vote),
    /// It votes to commit, and then decides on its own.
    Decides(Heuristic),
}

#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) state: State,
    pub(crate) plan: Plan,
    /// Its coordinator: where, which transaction, which participant.
    pub(crate) coordinator: (usize, Key, usize),
    pub(crate) asks: u32,
}

impl Resource {
    pub(crate) fn crash(&mut self) {
        if matches!(self.state, State::Active | State::Preparing) {
            self.state = State::RolledBack;
        }
    }
}

impl Node {
    pub(crate) fn doubtful(&self) -> Vec<u32> {
        let doubtful = self.resources.iter().filter(|(_, it)| it.state == State::Prepared);
        doubtful.map(|(number, _)| *number).collect()
    }
}

impl World {
    fn resource(&mut self, node: usize, number: u32) -> &mut Resource {
        self.nodes[node].resources.get_mut(&number).expect("resources stay")
    }

    pub(crate) fn serve_resource(&mut self, node: usize, number: u32, call: Call, id: u64) {
        let resource = self.resource(node, number);
        let plan = resource.plan;
        let gone = Answer::Refused(Refusal::Gone);
        let answer = match (call, resource.state) {
            (Call::Prepare, State::Active) => match plan {
                Plan::Votes(Vote::Rollback) => {
                    resource.state = State::RolledBack;
                    Answer::Vote(Vote::Rollback)
                }
                Plan::Votes(Vote::ReadOnly) => {
                    resource.state = State::ReadOnly;
                    Answer::Vote(Vote::ReadOnly)
                }
                Plan::Votes(Vote::Commit) | Plan::Decides(_) => {
                    resource.state = State::Preparing;
                    let at = self.now + Duration::from_millis(1 + self.random.below(10));
                    return self.due(node, at, Asked::Prepared { number, serves: id });
                }
            },
            (Call::Prepare, State::Prepared) => Answer::Vote(Vote::Commit),
            (Call::Prepare | Call::Commit | Call::OnePhase, State::Preparing) => {
                Answer::Refused(Refusal::Other)
            }
            (Call::Commit, State::Prepared) => match plan {
                Plan::Decides(what) => self.decide(node, number, what),
                Plan::Votes(_) => {
                    resource.state = State::Committed;
                    Answer::Done
                }
            },
            (Call::Commit, State::Active) => Answer::Refused(Refusal::NotPrepared),
            (Call::Rollback, State::Prepared) => match plan {
                Plan::Decides(what) => self.decide(node, number, what),
                Plan::Votes(_) => {
                    resource.state = State::RolledBack;
                    Answer::Done
                }
            },
            (Call::Rollback, State::Active | State::Preparing) => {
                resource.state = State::RolledBack;
                Answer::Done
            }
            (Call::OnePhase, State::Active) => match plan {
                Plan::Votes(Vote::Rollback) => {
                    resource.state = State::RolledBack;
                    Answer::Refused(Refusal::RolledBack)
                }
                Plan::Votes(Vote::ReadOnly) => {
                    resource.state = State::ReadOnly;
                    Answer::Done
                }
                Plan::Votes(Vote::Commit) => {
                    resource.state = State::Committed;
                    Answer::Done
                }
                Plan::Decides(what) => self.decide(node, number, what),
            },
            (Call::Commit | Call::Rollback, State::Heuristic(what)) => {
                Answer::Refused(Refusal::Heuristic(what))
            }
            (Call::Forget, State::Heuristic(_)) => Answer::Done,
            _ => gone,
        };
        self.note(|| format!("r:{node}:{number} answers {answer:?}"));
        // What was written is there, whether anybody hears of it or not.
        if self.step(node) {
            self.answer(node, id, answer);
        }
    }

    fn decide(&mut self, node: usize, number: u32, what: Heuristic) -> Answer {
        self.resource(node, number).state = State::Heuristic(what);
        Answer::Refused(Refusal::Heuristic(what))
    }

    pub(crate) fn resource_prepared(&mut self, node: usize, number: u32, serves: u64) {
        if !self.step(node) {
            return;
        }
        let resource = self.resource(node, number);
        if resource.state != State::Preparing {
            return self.answer(node, serves, Answer::Vote(Vote::Rollback));
        }
        resource.state = State::Prepared;
        self.due(node, self.now + Duration::from_secs(4), Asked::Doubt { number });
        if self.step(node) {
            self.answer(node, serves, Answer::Vote(Vote::Commit));
        }
    }

    pub(crate) fn resource_asks(&mut self, node: usize, number: u32) {
        let resource = self.resource(node, number);
        if resource.state != State::Prepared {
            return;
        }
        resource.asks += 1;
        let (at, key, participant) = resource.coordinator;
        let name = superior_name(at, key, participant);
        self.call(node, &name, Call::Replay { participant }, Asked::Resource { number });
    }

    pub(crate) fn resource_hears(&mut self, node: usize, number: u32, answer: SuperiorAnswer) {
        let now = self.now;
        let resource = self.resource(node, number);
        if resource.state != State::Prepared {
            return;
        }
        let commits = match answer {
            SuperiorAnswer::Committed => true,
            SuperiorAnswer::RolledBack => false,
            SuperiorAnswer::AskAgain | SuperiorAnswer::Unreachable => {
                let wait = Backoff::default().first * (1 << resource.asks.min(4));
                return self.due(node, now + wait, Asked::Doubt { number });
            }
        };
        match (resource.plan, commits) {
            (Plan::Decides(what), _) => resource.state = State::Heuristic(what),
            (_, true) => resource.state = State::Committed,
            (_, false) => resource.state = State::RolledBack,
        }
        self.note(|| format!("r:{node}:{number} hears {answer:?}"));
    }
}
