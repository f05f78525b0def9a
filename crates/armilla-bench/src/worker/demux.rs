//! The object adapter alone: requests that are encoded, dispatched and answered within one process,
//! to find out what it takes to find an object and its operation.

use super::answer::Answer;
use super::many::{Many, Strategy, Tables, names, object_id};
use super::{Commands, Outcome, Worker};
use armilla::{Collocation, Orb, Poa, Ref};
use std::sync::Arc;

/// To how many objects calls go at most, spread evenly over all: what the caller keeps of each shall
/// not grow with their number.
const CALLED: u32 = 100;

/// How many calls are chosen ahead; afterwards they repeat.
const CHOSEN: usize = 256;

/// With more objects than that nobody searches one after the other.
const MOST_LINEAR: u32 = 1000;

/// The client, its server and everything between.
pub(super) struct Client {
    orb: Orb,
    strategy: Strategy,
    adapter: Option<Poa>,
    /// How many objects it has.
    objects: u32,
    /// What all of them are.
    servant: Arc<Tables>,
    /// In ascending order of their places; the last is the last of all.
    called: Vec<Ref<dyn Many>>,
    operations: usize,
}

impl Client {
    pub(super) fn new(worker: &Worker) -> Outcome<Self> {
        let name = worker.options.first().map_or("active", String::as_str);
        let strategy = Strategy::parse(name).ok_or_else(|| format!("{name:?} is no strategy"))?;
        let collocation = |settings: &mut armilla::Settings| {
            settings.collocation = Collocation::ThroughPoa;
        };
        let orb = Orb::builder().settings(collocation).listen("iiop://127.0.0.1:0")?.build()?;
        let servant = Arc::new(Tables::new(strategy)?);
        let (adapter, called) = (None, Vec::new());
        Ok(Self { orb, strategy, adapter, objects: 0, servant, called, operations: 1 })
    }

    /// Has `objects` active objects with `operations` operations each.
    fn fill(&mut self, objects: u32, operations: u32) -> Outcome<Option<Answer>> {
        if self.objects != objects {
            if let Some(adapter) = self.adapter.take() {
                self.called.clear();
                adapter.destroy(false, true)?;
            }
            self.objects = objects;
            if self.strategy != Strategy::Linear || objects <= MOST_LINEAR {
                self.activate(objects)?;
            }
        }
        self.servant.choose(operations)?;
        self.operations = operations as usize;
        Answer::of_all(|| Ok(())).map(Some)
    }

    fn activate(&mut self, objects: u32) -> Outcome {
        let builder = self.orb.root_poa().create_poa("many").multiple_ids().user_ids();
        let adapter = builder.lookup(self.strategy.lookup(objects)).build()?;
        let servant: Arc<dyn Many> = self.servant.clone();
        let step = objects.div_ceil(CALLED).max(1);
        for number in 0..objects {
            let object = adapter.activate_with_id(object_id(number), servant.clone())?;
            if (objects - 1 - number).is_multiple_of(step) {
                self.called.push(object);
            }
        }
        self.adapter = Some(adapter);
        Ok(())
    }

    /// The calls of an order: places among the objects, and names.
    fn choose(&self, order: &str) -> Vec<(&Ref<dyn Many>, &'static str)> {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut any = |below: usize| {
            // Xorshift: calls need no better randomness.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 33) as usize % below.max(1)
        };
        let last = (self.called.len().saturating_sub(1), self.operations - 1);
        let chosen = (0..CHOSEN).map(|_| match order {
            "worst" => last,
            _ => (any(self.called.len()), any(self.operations)),
        });
        chosen.filter_map(|(o, n)| Some((self.called.get(o)?, *names().get(n)?))).collect()
    }
}

impl Commands for Client {
    fn carry_out(&mut self, words: &[&str]) -> Outcome<Option<Answer>> {
        match *words {
            ["fill", objects, operations] => self.fill(objects.parse()?, operations.parse()?),
            ["call", "demux", _, count, order] if !self.called.is_empty() => {
                let calls = self.choose(order);
                let mut calls = calls.iter().cycle();
                let call = || match calls.next() {
                    Some((object, name)) => Ok(object.invoke(name, |_| Ok(()), |_| Ok(()))?),
                    None => Ok(()),
                };
                Answer::of_groups(count.parse()?, call).map(Some)
            }
            _ => Ok(None),
        }
    }
}
