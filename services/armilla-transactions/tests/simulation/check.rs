//! A transaction in a world, and what must be true when everything is over.

use crate::node::{Asked, coordinator, options, superior_name};
use crate::resource::{Plan, Resource, State};
use crate::world::{Chaos, Name, Planned, World};
use armilla_transactions::model::{
    Event, GlobalId, Heuristic, Key, Outcome, Record, Reply, Transaction, Vote, recover,
};
use std::time::Duration;

/// What a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    Commits,
    RollsBack,
    MarksAndCommits,
    /// It does nothing any more.
    Vanishes,
}

/// Who takes part: the nodes of subordinates, each below the one before, and the resources with the
/// place of their coordinator in that list (0 is the root), their node, and their plan.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) client: Client,
    pub(crate) subordinates: Vec<usize>,
    pub(crate) resources: Vec<(usize, usize, Plan)>,
    pub(crate) synchronizations: usize,
    pub(crate) deadline: Duration,
}

pub(crate) const NODES: usize = 6;

impl Scenario {
    /// A world in which the scenario is about to begin.
    pub(crate) fn world(&self, seed: u64, chaos: Chaos, planned: Option<Planned>) -> World {
        let mut world = World::new(seed, NODES, chaos);
        world.planned = planned;
        world.nodes.iter_mut().for_each(|node| node.up = true);
        let places: Vec<(usize, Key)> = std::iter::once(0)
            .chain(self.subordinates.iter().copied())
            .enumerate()
            .map(|(place, node)| (node, Key([place as u8 + 1; 16])))
            .collect();
        let global = GlobalId { format: 1, branch_length: 0, octets: vec![1] };
        let deadline = Some(self.deadline);
        for (place, (node, key)) in places.iter().copied().enumerate() {
            let made = match place {
                0 => Transaction::root(key, global.clone(), deadline, options()),
                _ => Transaction::subordinate(key, global.clone(), deadline, options()),
            };
            world.nodes[node].transactions.insert(key, made);
            if place > 0 {
                let which = register(&mut world, places[place - 1], coordinator(node, key));
                let (above, of) = places[place - 1];
                let subordinate = world.nodes[node].transactions.get_mut(&key).unwrap();
                subordinate.set_superior(superior_name(above, of, which));
            }
        }
        for (number, (place, node, plan)) in self.resources.iter().copied().enumerate() {
            let number = number as u32;
            let (at, key) = places[place];
            let which = register(&mut world, (at, key), format!("r:{node}:{number}").into());
            let coordinator = (at, key, which);
            let resource = Resource { state: State::Active, plan, coordinator, asks: 0 };
            world.nodes[node].resources.insert(number, resource);
        }
        let root = world.nodes[0].transactions.get_mut(&places[0].1).unwrap();
        for _ in 0..self.synchronizations {
            root.register_synchronization().unwrap();
        }
        self.start(&mut world, places[0].1);
        for (node, key) in places {
            world.due(node, self.deadline, Asked::Wake { key });
        }
        world
    }

    fn start(&self, world: &mut World, key: Key) {
        let at = Duration::from_millis(10);
        let events: &[Event] = match self.client {
            Client::Commits => &[Event::Commit],
            Client::RollsBack => &[Event::Rollback],
            Client::MarksAndCommits => &[Event::RollbackOnly, Event::Commit],
            Client::Vanishes => &[],
        };
        for event in events {
            world.due(0, at, Asked::Client { key, event: event.clone() });
        }
    }

    /// Runs it, and returns what is wrong at the end.
    pub(crate) fn run(&self, seed: u64, chaos: Chaos, planned: Option<Planned>) -> Run {
        let mut world = self.world(seed, chaos, planned);
        world.run();
        Run { wrong: wrong(&world), world }
    }
}

pub(crate) struct Run {
    pub(crate) wrong: Option<String>,
    pub(crate) world: World,
}

impl Run {
    /// Fails with everything that has happened.
    pub(crate) fn expect(self, what: &dyn std::fmt::Debug) -> World {
        if let Some(wrong) = self.wrong {
            panic!("{wrong}\nin {what:?}\n{}", self.world.trace.join("\n"));
        }
        self.world
    }
}

fn register(world: &mut World, (node, key): (usize, Key), name: Name) -> usize {
    world.nodes[node].transactions.get_mut(&key).unwrap().register(name).unwrap()
}

/// What is wrong with the end of a world.
fn wrong(world: &World) -> Option<String> {
    let states = || world.nodes.iter().flat_map(|node| node.resources.values());
    let committed = states().filter(|it| it.state == State::Committed).count();
    let other = states()
        .filter(|it| matches!(it.state, State::Active | State::RolledBack | State::Preparing))
        .count();
    if states().any(|it| it.state == State::Prepared) {
        return Some("a resource is in doubt for ever".to_owned());
    }
    if committed > 0 && other > 0 {
        return Some(format!("{committed} have committed, {other} have not"));
    }
    match world.told {
        Some(Reply::Outcome(Outcome::Committed)) if other > 0 => {
            return Some("the client was told of a commit that is none".to_owned());
        }
        Some(Reply::Outcome(Outcome::RolledBack)) if committed > 0 => {
            return Some("the client was told of a rollback that is none".to_owned());
        }
        _ => {}
    }
    for (number, node) in world.nodes.iter().enumerate() {
        if !node.transactions.is_empty() {
            return Some(format!("node {number} has transactions for ever"));
        }
        let records: Vec<Record> = node.disk.iter().map(|it| Record::parse(it).unwrap()).collect();
        let left = recover(&records, world.now, options());
        // What an unforced record says is read at the next start.
        if !left.is_empty() && !world.nodes[number].has_unwritten_end() {
            return Some(format!("the log of node {number} keeps {left:?}"));
        }
    }
    None
}

/// A scenario that a seed makes.
pub(crate) fn of_seed(seed: u64) -> Scenario {
    let mut random = crate::world::Random(seed ^ 0x5eed);
    let client = match random.below(10) {
        0 => Client::RollsBack,
        1 => Client::MarksAndCommits,
        2 => Client::Vanishes,
        _ => Client::Commits,
    };
    let subordinates: Vec<usize> = (0..random.below(3)).map(|it| it as usize + 1).collect();
    let coordinators = subordinates.len() as u64 + 1;
    let resources = (0..1 + random.below(5)).map(|_| {
        let plan = match random.below(40) {
            0 => Plan::Votes(Vote::Rollback),
            1..4 => Plan::Votes(Vote::ReadOnly),
            4 => Plan::Decides(Heuristic::Rollback),
            5 => Plan::Decides(Heuristic::Commit),
            _ => Plan::Votes(Vote::Commit),
        };
        (random.below(coordinators) as usize, random.below(NODES as u64) as usize, plan)
    });
    let resources = resources.collect();
    let synchronizations = random.below(3) as usize;
    let deadline = Duration::from_secs(1 + random.below(8));
    Scenario { client, subordinates, resources, synchronizations, deadline }
}
