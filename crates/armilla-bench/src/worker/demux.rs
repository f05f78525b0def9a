//! The object adapter alone: requests that are encoded, dispatched and answered within one process,
//! to find out what it takes to find an object and its operation.

use super::answer::Answer;
use super::many::{Many, Strategy, Table, object_id};
use super::{Commands, Outcome, Worker};
use armilla::{Collocation, Orb, Poa, Ref};
use std::sync::{Arc, LazyLock};

/// To how many objects calls go at most, spread evenly over all: what the caller keeps of each shall
/// not grow with their number.
const CALLED: u32 = 100;

/// How many calls are chosen ahead; afterwards they repeat.
const CHOSEN: usize = 256;

/// The most operations that an interface has.
const OPERATIONS: usize = 1000;

/// With more objects than that nobody searches one after the other.
const MOST_LINEAR: u32 = 1000;

/// The names of operations.
pub(super) fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        (0..OPERATIONS).map(|number| &*format!("operation_{number}").leak()).collect()
    });
    &NAMES
}

/// The client, its server and everything between.
pub(super) struct Client {
    orb: Orb,
    strategy: Strategy,
    adapter: Option<Poa>,
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
        Ok(Self { orb, strategy, adapter: None, called: Vec::new(), operations: 1 })
    }

    /// Activates `objects` objects with `operations` operations each.
    fn fill(&mut self, objects: u32, operations: usize) -> Outcome<Option<Answer>> {
        if let Some(adapter) = self.adapter.take() {
            self.called.clear();
            adapter.destroy(false, true)?;
        }
        if self.strategy == Strategy::Linear && objects > MOST_LINEAR {
            return Ok(None);
        }
        let builder = self.orb.root_poa().create_poa("many").multiple_ids().user_ids();
        let adapter = builder.lookup(self.strategy.lookup(objects)).build()?;
        let names = names().get(..operations).ok_or("too many operations")?;
        let servant: Arc<dyn Many> = Arc::new(Table::new(self.strategy, names)?);
        let step = objects.div_ceil(CALLED).max(1);
        for number in 0..objects {
            let object = adapter.activate_with_id(object_id(number), servant.clone())?;
            if (objects - 1 - number).is_multiple_of(step) {
                self.called.push(object);
            }
        }
        self.adapter = Some(adapter);
        self.operations = operations;
        Answer::of_all(|| Ok(())).map(Some)
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
                let count: usize = count.parse()?;
                Answer::of_all(|| {
                    let mut calls = calls.iter().cycle().take(count);
                    calls
                        .try_for_each(|(object, name)| object.invoke(name, |_| Ok(()), |_| Ok(())))
                        .map_err(Into::into)
                })
                .map(Some)
            }
            _ => Ok(None),
        }
    }
}
