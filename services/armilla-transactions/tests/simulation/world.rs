//! A world of nodes: its clock, its network, its failures. The same seed makes the same world.

use crate::node::{Asked, Node};
use armilla_transactions::model::{Refusal, Reply, Vote};
use std::collections::BTreeMap;
use std::time::Duration;

pub(crate) type Time = Duration;

/// SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Whether something happens that happens so often in a thousand.
    pub(crate) fn happens(&mut self, in_a_thousand: u64) -> bool {
        in_a_thousand > 0 && self.below(1000) < in_a_thousand
    }
}

/// What a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Prepare,
    Commit,
    Rollback,
    OnePhase,
    Forget,
    Replay { participant: usize },
}

/// What a call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Done,
    Vote(Vote),
    /// What a coordinator says.
    Reply(Reply),
    Refused(Refusal),
}

/// Whom a call is for: `r:node:number` or `c:node:key`.
pub(crate) type Name = std::sync::Arc<str>;

/// Who waits for an answer, in which life of its process.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    pub(crate) node: usize,
    pub(crate) life: u32,
    pub(crate) asked: Asked,
}

#[derive(Debug, Clone)]
pub(crate) enum Item {
    Request {
        id: u64,
        to: Name,
        call: Call,
    },
    Answer {
        id: u64,
        answer: Answer,
    },
    /// Nothing came back.
    Silence {
        id: u64,
    },
    /// What a node has to do at a time.
    Due {
        node: usize,
        life: u32,
        what: Asked,
    },
    Restart {
        node: usize,
    },
    /// An operator looks for heuristic outcomes.
    Operator,
}

/// How often things fail, in a thousand times.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Chaos {
    pub(crate) loss: u64,
    pub(crate) duplicates: u64,
    pub(crate) crashes: u64,
    pub(crate) disk: u64,
}

/// One failure at a chosen place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Planned {
    /// A node crashes at its step with this number.
    Crash { node: usize, step: u64, down: Time },
    /// The message with this number is lost.
    Loss { message: u64 },
    /// The record with this number is not written, or nobody knows whether it is.
    Disk { record: u64, present: bool, told: bool },
}

pub(crate) struct World {
    pub(crate) random: Random,
    pub(crate) now: Time,
    sequence: u64,
    queue: BTreeMap<(Time, u64), Item>,
    pub(crate) waiting: BTreeMap<u64, Waiting>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) chaos: Chaos,
    pub(crate) planned: Option<Planned>,
    pub(crate) messages: u64,
    pub(crate) records: u64,
    /// What the client was told.
    pub(crate) told: Option<Reply>,
    pub(crate) trace: Vec<String>,
}

/// When failures stop.
pub(crate) const HEALS: Time = Duration::from_secs(60);
/// When everything has to be over.
pub(crate) const ENDS: Time = Duration::from_secs(600);

impl World {
    pub(crate) fn new(seed: u64, nodes: usize, chaos: Chaos) -> Self {
        let nodes = (0..nodes).map(|_| Node::default()).collect();
        let mut world = Self {
            random: Random(seed),
            now: Time::ZERO,
            sequence: 0,
            queue: BTreeMap::new(),
            waiting: BTreeMap::new(),
            nodes,
            chaos,
            planned: None,
            messages: 0,
            records: 0,
            told: None,
            trace: Vec::new(),
        };
        for after in [120, 180, 240, 300] {
            world.at(Duration::from_secs(after), Item::Operator);
        }
        world
    }

    pub(crate) fn note(&mut self, text: impl FnOnce() -> String) {
        let text = format!("{:>10.3} {}", self.now.as_secs_f64(), text());
        self.trace.push(text);
    }

    pub(crate) fn at(&mut self, time: Time, item: Item) -> u64 {
        self.sequence += 1;
        self.queue.insert((time, self.sequence), item);
        self.sequence
    }

    pub(crate) fn fails(&mut self, in_a_thousand: u64) -> bool {
        self.now < HEALS && self.random.happens(in_a_thousand)
    }

    pub(crate) fn due(&mut self, node: usize, at: Time, what: Asked) {
        let life = self.nodes[node].life;
        self.at(at, Item::Due { node, life, what });
    }

    /// A step of a node: here it may crash. Returns whether it lives.
    pub(crate) fn step(&mut self, node: usize) -> bool {
        let step = self.nodes[node].steps;
        self.nodes[node].steps += 1;
        if let Some(Planned::Crash { node: of, step: at, down }) = self.planned
            && (of, at) == (node, step)
        {
            self.crash(node, down);
            return false;
        }
        if self.fails(self.chaos.crashes) {
            let down = Duration::from_millis(100 + self.random.below(8000));
            self.crash(node, down);
            return false;
        }
        true
    }

    pub(crate) fn crash(&mut self, node: usize, down: Time) {
        self.note(|| format!("node {node} crashes"));
        let keeps = self.random.happens(500);
        self.nodes[node].crash(keeps);
        self.at(self.now + down, Item::Restart { node });
    }

    fn delay(&mut self) -> Time {
        Duration::from_micros(200 + self.random.below(5000))
    }

    /// Calls somebody; the answer comes as an event of the caller.
    pub(crate) fn call(&mut self, node: usize, to: &Name, call: Call, asked: Asked) {
        let life = self.nodes[node].life;
        let id = self.at(self.now + Duration::from_secs(2), Item::Silence { id: 0 });
        let silent = (self.now + Duration::from_secs(2), id);
        self.queue.insert(silent, Item::Silence { id });
        self.waiting.insert(id, Waiting { node, life, asked });
        let local = node_of(to) == node;
        let copies = match call {
            Call::OnePhase => 1,
            _ if !local && self.fails(self.chaos.duplicates) => 2,
            _ => 1,
        };
        for _ in 0..copies {
            if local || !self.is_lost() {
                let delay = self.delay();
                self.at(self.now + delay, Item::Request { id, to: to.clone(), call });
            }
        }
    }

    fn is_lost(&mut self) -> bool {
        let message = self.messages;
        self.messages += 1;
        let planned = self.planned == Some(Planned::Loss { message });
        let lost = planned || self.fails(self.chaos.loss);
        if lost {
            self.note(|| format!("message {message} is lost"));
        }
        lost
    }

    /// Answers a call.
    pub(crate) fn answer(&mut self, from: usize, id: u64, answer: Answer) {
        if id == CLIENT {
            if let Answer::Reply(reply) = answer {
                self.note(|| format!("the client is told {reply:?}"));
                self.told = Some(reply);
            }
            return;
        }
        let Some(waiting) = self.waiting.get(&id) else { return };
        if waiting.node == from || !self.is_lost() {
            let delay = self.delay();
            self.at(self.now + delay, Item::Answer { id, answer });
        }
    }

    /// Lets everything happen until nothing is left to happen.
    pub(crate) fn run(&mut self) {
        while let Some(((time, _), item)) = self.queue.pop_first() {
            if time > ENDS {
                break;
            }
            self.now = time;
            self.happen(item);
        }
    }

    fn happen(&mut self, item: Item) {
        match item {
            Item::Request { id, to, call } => {
                let node = node_of(&to);
                if !self.nodes[node].up {
                    let refusal = Refusal::Unreachable { maybe_done: false };
                    return self.resolve(id, Answer::Refused(refusal));
                }
                self.note(|| format!("{to} is asked: {call:?}"));
                if self.step(node) {
                    self.serve(node, &to, call, id);
                }
            }
            Item::Answer { id, answer } => self.resolve(id, answer),
            Item::Silence { id } => {
                self.resolve(id, Answer::Refused(Refusal::Unreachable { maybe_done: true }));
            }
            Item::Due { node, life, what } => {
                if self.nodes[node].up && self.nodes[node].life == life {
                    self.do_due(node, what);
                }
            }
            Item::Restart { node } => self.restart(node),
            Item::Operator => {
                for node in 0..self.nodes.len() {
                    self.operate(node);
                }
            }
        }
    }

    fn resolve(&mut self, id: u64, answer: Answer) {
        let Some(Waiting { node, life, asked }) = self.waiting.remove(&id) else { return };
        if self.nodes[node].up && self.nodes[node].life == life && self.step(node) {
            self.answered(node, asked, answer);
        }
    }
}

/// The call of the client.
pub(crate) const CLIENT: u64 = 0;

/// Where somebody is.
pub(crate) fn node_of(name: &str) -> usize {
    name.split(':').nth(1).and_then(|node| node.parse().ok()).expect("a name has a node")
}
