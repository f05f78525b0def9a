//! A process with coordinators and resources, and its disk.

use crate::resource::Resource;
use crate::world::{Answer, Call, Name, Planned, Time, World, node_of};
use armilla_transactions::model::{
    Action, Event, Forced, Key, Options, Outcome, Record, Refusal, Reply, Status, SuperiorAnswer,
    Transaction, Vote, recover,
};
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Default)]
pub(crate) struct Node {
    pub(crate) up: bool,
    pub(crate) life: u32,
    pub(crate) steps: u64,
    pub(crate) transactions: BTreeMap<Key, Transaction>,
    pub(crate) resources: BTreeMap<u32, Resource>,
    /// What survives a crash, and what may.
    pub(crate) disk: Vec<Vec<u8>>,
    unsynced: Vec<Vec<u8>>,
    /// After a failed `fsync` nothing is written any more.
    broken: bool,
    wakes: BTreeMap<Key, Time>,
}

/// What a node has asked somebody, or has to do.
#[derive(Debug, Clone)]
pub(crate) enum Asked {
    /// A coordinator has asked a participant; the call that it serves meanwhile, if any.
    Participant {
        key: Key,
        which: usize,
        call: Call,
        serves: Option<u64>,
    },
    Superior {
        key: Key,
    },
    /// A resource has asked its coordinator.
    Resource {
        number: u32,
    },
    /// A record reaches the disk.
    Force {
        key: Key,
        record: Record,
        serves: Option<u64>,
    },
    /// A resource has written that it is prepared.
    Prepared {
        number: u32,
        serves: u64,
    },
    /// A resource in doubt asks.
    Doubt {
        number: u32,
    },
    Wake {
        key: Key,
    },
    Client {
        key: Key,
        event: Event,
    },
    /// Whoever runs the node restarts it, because its log has failed.
    Restart,
}

impl Node {
    /// Whether a record waits that need not be on the disk yet.
    pub(crate) fn has_unwritten_end(&self) -> bool {
        !self.unsynced.is_empty()
    }

    pub(crate) fn crash(&mut self, keeps: bool) {
        if keeps {
            self.disk.append(&mut self.unsynced);
        }
        self.unsynced.clear();
        self.up = false;
        self.life += 1;
        self.broken = false;
        self.transactions.clear();
        self.wakes.clear();
        self.resources.values_mut().for_each(Resource::crash);
    }
}

impl World {
    pub(crate) fn restart(&mut self, node: usize) {
        self.note(|| format!("node {node} starts"));
        self.nodes[node].up = true;
        let records: Vec<Record> =
            self.nodes[node].disk.iter().map(|it| Record::parse(it).unwrap()).collect();
        for transaction in recover(&records, self.now, options()) {
            let key = transaction.key();
            self.nodes[node].transactions.insert(key, transaction);
        }
        let keys: Vec<Key> = self.nodes[node].transactions.keys().copied().collect();
        for key in keys {
            if !self.process(node, key, Event::Tick, None) {
                return;
            }
        }
        let doubtful: Vec<u32> = self.nodes[node].doubtful();
        for number in doubtful {
            self.due(node, self.now, Asked::Doubt { number });
        }
    }

    /// Gives an event to a transaction and does what follows. Returns whether the node lives.
    pub(crate) fn process(
        &mut self,
        node: usize,
        key: Key,
        event: Event,
        serves: Option<u64>,
    ) -> bool {
        let now = self.now;
        let Some(transaction) = self.nodes[node].transactions.get_mut(&key) else { return true };
        let shown = format!("node {node}: {event:?}");
        let actions = transaction.handle(event, now);
        let status = transaction.status();
        self.note(|| format!("{shown} ⇒ {status}: {actions:?}"));
        for action in actions {
            if !self.step(node) {
                return false;
            }
            self.act(node, key, action, serves);
        }
        self.wake(node, key);
        true
    }

    fn wake(&mut self, node: usize, key: Key) {
        let known = self.nodes[node].transactions.get(&key);
        let Some(at) = known.and_then(Transaction::wake_at) else { return };
        if self.nodes[node].wakes.get(&key).is_some_and(|known| *known <= at) {
            return;
        }
        self.nodes[node].wakes.insert(key, at);
        self.due(node, at.max(self.now), Asked::Wake { key });
    }

    fn act(&mut self, node: usize, key: Key, action: Action, serves: Option<u64>) {
        let participant = |which: usize, world: &Self| {
            world.nodes[node].transactions[&key].participants()[which].name().clone()
        };
        let (which, call) = match action {
            Action::Prepare(which) => (which, Call::Prepare),
            Action::CommitOnePhase(which) => (which, Call::OnePhase),
            Action::Commit(which) => (which, Call::Commit),
            Action::Rollback(which) => (which, Call::Rollback),
            Action::Forget(which) => (which, Call::Forget),
            Action::Before(synchronization) => {
                let event = Event::Before { synchronization, failed: false };
                self.process(node, key, event, serves);
                return;
            }
            Action::After(..) => return,
            Action::Bequeath => panic!("there are no subtransactions in this world"),
            Action::Force(record) => {
                let at = self.now + Duration::from_millis(1 + self.random.below(10));
                return self.due(node, at, Asked::Force { key, record, serves });
            }
            Action::Write(record) => {
                if !self.nodes[node].broken {
                    self.nodes[node].unsynced.push(record.to_octets());
                }
                return;
            }
            Action::AskSuperior => {
                let transaction = &self.nodes[node].transactions[&key];
                let superior = transaction.superior().expect("who asks has a superior").clone();
                let participant = superior.split(':').nth(3).unwrap().parse().unwrap();
                let asked = Asked::Superior { key };
                return self.call(node, &superior, Call::Replay { participant }, asked);
            }
            Action::Reply(reply) => {
                if let Some(id) = serves {
                    self.answer(node, id, Answer::Reply(reply));
                }
                return;
            }
            Action::End => {
                self.nodes[node].transactions.remove(&key);
                return;
            }
        };
        let name = participant(which, self);
        self.call(node, &name, call, Asked::Participant { key, which, call, serves });
    }

    pub(crate) fn serve(&mut self, node: usize, to: &Name, call: Call, id: u64) {
        let mut parts = to.split(':');
        if parts.next() == Some("r") {
            let number = parts.nth(1).unwrap().parse().unwrap();
            return self.serve_resource(node, number, call, id);
        }
        let key: Key = parts.nth(1).unwrap().parse().unwrap();
        if !self.nodes[node].transactions.contains_key(&key) {
            return self.answer(node, id, Answer::Refused(Refusal::Gone));
        }
        let event = match call {
            Call::Prepare => Event::Prepare,
            Call::Commit => Event::CommitPrepared,
            Call::Rollback => Event::Rollback,
            Call::OnePhase => Event::CommitOnePhase,
            Call::Forget => Event::Forget,
            Call::Replay { participant } => Event::Replay(Some(participant)),
        };
        self.process(node, key, event, Some(id));
    }

    /// A call has been answered.
    pub(crate) fn answered(&mut self, node: usize, asked: Asked, answer: Answer) {
        match asked {
            Asked::Participant { key, which, call, serves } => {
                let event = match call {
                    Call::Prepare => Event::Voted(which, vote(answer)),
                    Call::OnePhase => Event::OnePhase(which, one_phase(answer)),
                    Call::Commit => Event::Delivered(which, delivered(answer, true)),
                    Call::Rollback => Event::Delivered(which, delivered(answer, false)),
                    Call::Forget | Call::Replay { .. } => return,
                };
                self.process(node, key, event, serves);
            }
            Asked::Superior { key } => {
                self.process(node, key, Event::Superior(superior(answer)), None);
            }
            Asked::Resource { number } => self.resource_hears(node, number, superior(answer)),
            _ => {}
        }
    }

    pub(crate) fn do_due(&mut self, node: usize, what: Asked) {
        match what {
            Asked::Force { key, record, serves } => self.force(node, key, &record, serves),
            Asked::Prepared { number, serves } => self.resource_prepared(node, number, serves),
            Asked::Doubt { number } => self.resource_asks(node, number),
            Asked::Wake { key } => {
                self.nodes[node].wakes.remove(&key);
                self.process(node, key, Event::Tick, None);
                self.wake(node, key);
            }
            Asked::Client { key, event } => {
                self.process(node, key, event, Some(crate::world::CLIENT));
            }
            Asked::Restart => self.crash(node, Duration::from_millis(500)),
            _ => {}
        }
    }

    fn force(&mut self, node: usize, key: Key, record: &Record, serves: Option<u64>) {
        // The power fails before the record is on the disk, …
        if !self.step(node) {
            return;
        }
        let number = self.records;
        self.records += 1;
        let chance = self.fails(self.chaos.disk);
        let failure = match self.planned {
            Some(Planned::Disk { record, present, told }) if record == number => {
                Some((present, told))
            }
            _ if chance => Some((self.random.happens(500), self.random.happens(300))),
            _ => None,
        };
        let what = match failure {
            _ if self.nodes[node].broken => Forced::Absent,
            Some((_, true)) => Forced::Absent,
            Some((present, false)) => {
                if present {
                    self.write(node, record);
                }
                self.nodes[node].broken = true;
                let at = self.now + Duration::from_secs(3);
                self.due(node, at, Asked::Restart);
                Forced::Unknown
            }
            None => {
                self.write(node, record);
                Forced::Durable
            }
        };
        // … or after.
        if self.step(node) {
            self.process(node, key, Event::Forced(what), serves);
        }
    }

    fn write(&mut self, node: usize, record: &Record) {
        let node = &mut self.nodes[node];
        node.disk.append(&mut node.unsynced);
        node.disk.push(record.to_octets());
    }

    /// An operator has seen every heuristic outcome.
    pub(crate) fn operate(&mut self, node: usize) {
        let heuristic = |(key, it): (&Key, &Transaction)| it.heuristic().map(|_| *key);
        let keys: Vec<Key> = self.nodes[node].transactions.iter().filter_map(heuristic).collect();
        for key in keys {
            self.process(node, key, Event::Forget, None);
        }
    }
}

pub(crate) fn options() -> Options {
    Options::default()
}

pub(crate) fn coordinator(node: usize, key: Key) -> Name {
    format!("c:{node}:{key}").into()
}

pub(crate) fn superior_name(node: usize, key: Key, participant: usize) -> Name {
    let name: Name = format!("c:{node}:{key}:{participant}").into();
    debug_assert_eq!(node_of(&name), node);
    name
}

fn vote(answer: Answer) -> Result<Vote, Refusal> {
    match answer {
        Answer::Vote(vote) | Answer::Reply(Reply::Vote(vote)) => Ok(vote),
        Answer::Reply(Reply::Outcome(Outcome::RolledBack)) => Ok(Vote::Rollback),
        other => Err(refusal(other)),
    }
}

fn one_phase(answer: Answer) -> Result<(), Refusal> {
    match answer {
        Answer::Done | Answer::Reply(Reply::Outcome(Outcome::Committed)) => Ok(()),
        other => Err(refusal(other)),
    }
}

fn delivered(answer: Answer, commit: bool) -> Result<(), Refusal> {
    use armilla_transactions::model::Heuristic;
    match answer {
        Answer::Done | Answer::Reply(Reply::Done) => Ok(()),
        Answer::Reply(Reply::Outcome(Outcome::Committed)) if commit => Ok(()),
        Answer::Reply(Reply::Outcome(Outcome::RolledBack)) if !commit => Ok(()),
        Answer::Reply(Reply::Outcome(Outcome::Committed)) => {
            Err(Refusal::Heuristic(Heuristic::Commit))
        }
        other => Err(refusal(other)),
    }
}

fn superior(answer: Answer) -> SuperiorAnswer {
    match answer {
        Answer::Reply(Reply::Status(Status::Committed)) => SuperiorAnswer::Committed,
        Answer::Reply(Reply::Status(Status::RolledBack)) | Answer::Refused(Refusal::Gone) => {
            SuperiorAnswer::RolledBack
        }
        _ => SuperiorAnswer::AskAgain,
    }
}

fn refusal(answer: Answer) -> Refusal {
    match answer {
        Answer::Refused(refusal) => refusal,
        Answer::Reply(Reply::Outcome(Outcome::RolledBack)) => Refusal::RolledBack,
        Answer::Reply(Reply::Outcome(Outcome::Heuristic { what, .. })) => Refusal::Heuristic(what),
        Answer::Reply(Reply::NotPrepared) => Refusal::NotPrepared,
        _ => Refusal::Other,
    }
}
