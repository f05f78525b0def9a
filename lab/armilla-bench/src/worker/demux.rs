//! The object adapter alone: requests are encoded, dispatched and answered within one process, to
//! measure the lookup of an object and its operation.

use super::answer::Answer;
use super::many::{Many, Strategy, Tables, names, object_id};
use super::{Commands, Outcome, Worker};
use armilla::{Collocation, Orb, Ref};
use std::sync::Arc;

/// The maximum number of called objects, spread evenly over all. The caller's data for so few
/// objects stays in the cache, so the experiment measures the lookup alone.
const CALLED: u32 = 16;

/// The number of calls that are chosen in advance and repeated; small for the same reason.
const CHOSEN: usize = 64;

/// The maximum number of objects for linear search.
const MOST_LINEAR: u32 = 1000;

/// The client, with the server in the same process.
pub(super) struct Client {
    orb: Orb,
    strategy: Strategy,
    /// The servant of all objects.
    servant: Arc<Tables>,
    /// One set for each requested number of objects. All sets stay active, so that calls can
    /// alternate.
    object_sets: Vec<ObjectSet>,
    /// The index of the current set.
    chosen: usize,
    operations: usize,
}

/// The objects of an adapter.
struct ObjectSet {
    objects: u32,
    /// The called objects, in order; the last is the last object of the adapter. Empty if there are
    /// too many objects for the strategy.
    called: Vec<Ref<dyn Many>>,
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
        Ok(Self { orb, strategy, servant, object_sets: Vec::new(), chosen: 0, operations: 1 })
    }

    /// Selects `objects` objects with `operations` operations each.
    fn fill(&mut self, objects: u32, operations: u32) -> Outcome<Option<Answer>> {
        self.chosen =
            match self.object_sets.iter().position(|object_set| object_set.objects == objects) {
                Some(place) => place,
                None => {
                    let called = match self.strategy == Strategy::Linear && objects > MOST_LINEAR {
                        true => Vec::new(),
                        false => self.activate(objects)?,
                    };
                    self.object_sets.push(ObjectSet { objects, called });
                    self.object_sets.len() - 1
                }
            };
        self.servant.choose(operations)?;
        self.operations = operations as usize;
        Answer::of_all(|| Ok(())).map(Some)
    }

    /// Creates an adapter with so many objects, and returns the called ones.
    fn activate(&self, objects: u32) -> Outcome<Vec<Ref<dyn Many>>> {
        let name = format!("many_{objects}");
        let builder = self.orb.root_poa().create_poa(name).multiple_ids().user_ids();
        let adapter = builder.lookup(self.strategy.lookup(objects)).build()?;
        let servant: Arc<dyn Many> = self.servant.clone();
        let step = objects.div_ceil(CALLED).max(1);
        let mut called = Vec::new();
        for number in 0..objects {
            let object = adapter.activate_with_id(object_id(number), servant.clone())?;
            if (objects - 1 - number).is_multiple_of(step) {
                called.push(object);
            }
        }
        Ok(called)
    }

    /// The called objects.
    fn called(&self) -> &[Ref<dyn Many>] {
        self.object_sets.get(self.chosen).map_or(&[], |object_set| &object_set.called)
    }

    /// Chooses calls in an order: objects and operation names.
    fn choose(&self, order: &str) -> Vec<(&Ref<dyn Many>, &'static str)> {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut any = |below: usize| {
            // Xorshift is random enough.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 33) as usize % below.max(1)
        };
        let called = self.called();
        let last = (called.len().saturating_sub(1), self.operations - 1);
        let chosen = (0..CHOSEN).map(|_| match order {
            "worst" => last,
            _ => (any(called.len()), any(self.operations)),
        });
        chosen.filter_map(|(o, n)| Some((called.get(o)?, *names().get(n)?))).collect()
    }
}

impl Commands for Client {
    fn carry_out(&mut self, words: &[&str]) -> Outcome<Option<Answer>> {
        match *words {
            ["fill", objects, operations] => self.fill(objects.parse()?, operations.parse()?),
            ["call", "demux", _, count, order] if !self.called().is_empty() => {
                let calls = self.choose(order);
                let call = |(object, name): &(&Ref<dyn Many>, &'static str)| {
                    Ok(object.invoke(name, |_| Ok(()), |_| Ok(()))?)
                };
                // Other programs have used the caches meanwhile: warm them first, to measure the
                // lookup alone.
                calls.iter().try_for_each(call)?;
                let mut calls = calls.iter().cycle();
                let next = || calls.next().map_or(Ok(()), call);
                Answer::of_groups(count.parse()?, next).map(Some)
            }
            _ => Ok(None),
        }
    }
}
