//! Generated graphs of values: a peer returns each as it came, so that it reads what we write, and
//! we read what it writes.
//!
//! A graph is made of a seed alone. A check that fails names the seed; the client makes that one
//! graph again with `--shapes SEED,1`.

use super::Checks;
use crate::interop::*;
use crate::report::{Outcome, expect};
use armilla::{Any, Value};
use std::collections::HashMap;
use std::fmt::Write;

/// The most values of a graph. omniORB loses what was there once a message has 87 values.
const MAX_NODES: u64 = 24;

/// Which graphs are generated.
#[derive(Debug, Clone, Copy)]
pub struct Shapes {
    /// The seed of the first graph; the next one has the next seed.
    pub seed: u64,
    /// How many graphs each check sends.
    pub count: u64,
}

impl std::str::FromStr for Shapes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once(',').and_then(|(seed, count)| {
            Some(Self { seed: seed.parse().ok()?, count: count.parse().ok()? })
        });
        numbers.ok_or_else(|| format!("{text} is not SEED,COUNT"))
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    /// A number below `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// A graph: values that lead to one another in trees, with sharing and in cycles.
struct Graph(Vec<Value<Node>>);

impl Graph {
    fn new(seed: u64) -> (Self, Random) {
        let mut random = Random(seed);
        let count = 1 + random.below(MAX_NODES);
        let mut graph = Self((0..count).map(|number| node(number, &mut random)).collect());
        let style = random.below(4);
        for from in 0..graph.0.len() {
            graph.link(from, style, &mut random);
        }
        (graph, random)
    }

    /// Some value of the graph, or null.
    fn some(&self, random: &mut Random) -> NodeRef {
        self.0.get(random.below(self.0.len() as u64 + 1) as usize).cloned()
    }

    /// Where the value `from` leads: in a list, to later values, or anywhere.
    fn target(&self, from: usize, style: u64, random: &mut Random) -> NodeRef {
        let next = from + 1;
        let index = match style {
            0 => next,
            1 if next < self.0.len() => next + random.below((self.0.len() - next) as u64) as usize,
            1 => next,
            _ => return self.some(random).filter(|_| random.below(3) > 0),
        };
        self.0.get(index).cloned()
    }

    fn link(&mut self, from: usize, style: u64, random: &mut Random) {
        let value = self.0[from].clone();
        // A list goes on in one member alone: often the last one of the state.
        let only = (style == 0).then(|| random.below(3));
        let target = |member, random: &mut Random| match only {
            Some(only) if only != member => None,
            _ => self.target(from, style, random),
        };
        let (next, extra) = (target(0, random), target(1, random));
        let children: NodeSeq = (0..random.below(4)).map(|_| target(2, random)).collect();
        value.update(|node| node.next = next);
        if let Some(leaf) = value.downcast::<Leaf>() {
            leaf.update(|leaf| leaf.extra = extra);
        }
        if let Some(branch) = value.downcast::<Branch>() {
            branch.update(|branch| branch.children = children);
        }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        self.0.drain(..).for_each(Value::break_cycles);
    }
}

/// A value of any of the types, which leads nowhere yet.
fn node(number: u64, random: &mut Random) -> Value<Node> {
    let base = Node { number: number as i32, next: None, weight: random.below(9) as f64 / 4.0 };
    let title = "titles of every length".chars().take(random.below(10) as usize).collect();
    let mark = random.below(256) as u8;
    match random.below(3) {
        0 => Value::new(base),
        1 => Value::new(Leaf { base, title, extra: None }).upcast(),
        _ => {
            let base = Leaf { base, title, extra: None };
            Value::new(Branch { base, children: Vec::new(), mark }).upcast()
        }
    }
}

/// All that can be reached from these values, each in full where it is met first.
#[derive(Default)]
struct Description {
    text: String,
    // A handle is compared by the identity of its value, which does not change.
    #[allow(clippy::mutable_key_type)]
    met: HashMap<Value<Node>, usize>,
}

impl Description {
    fn of(roots: &[NodeRef]) -> String {
        let mut description = Self::default();
        roots.iter().for_each(|root| description.add(root));
        description.text
    }

    fn add(&mut self, value: &NodeRef) {
        let Some(value) = value else { return self.text.push_str("- ") };
        if let Some(number) = self.met.get(value) {
            _ = write!(self.text, "={number} ");
            return;
        }
        let number = self.met.len();
        self.met.insert(value.clone(), number);
        let state = value.get();
        _ = write!(self.text, "{number}({} {} ", state.number, state.weight);
        self.add(&state.next);
        if let Some(leaf) = value.downcast::<Leaf>() {
            let leaf = leaf.get();
            _ = write!(self.text, "{:?} ", leaf.title);
            self.add(&leaf.extra);
        }
        if let Some(branch) = value.downcast::<Branch>() {
            let branch = branch.get();
            _ = write!(self.text, "[{} ", branch.children.len());
            branch.children.iter().for_each(|child| self.add(child));
            _ = write!(self.text, "] {}", branch.mark);
        }
        self.text.push_str(") ");
    }
}

/// Compares what came back with what was sent, and frees the cycles in what came back.
fn compare(returned: Vec<NodeRef>, sent: &[NodeRef]) -> Outcome {
    let (got, wanted) = (Description::of(&returned), Description::of(sent));
    returned.into_iter().flatten().for_each(Value::break_cycles);
    expect(got == wanted, format!("came back as {got}, was {wanted}"))
}

impl Checks<'_> {
    /// Sends generated graphs in each position in which a value can be.
    pub fn run_shapes(&mut self, shapes: Shapes) {
        let mut found = None;
        self.check("shapes", "narrow", |echo| {
            let mirror = echo.mirror()?.narrow::<dyn Mirror>()?;
            found = Some((mirror, echo.exotics()?.narrow::<dyn Exotics>()?));
            Ok(())
        });
        let Some((mirror, exotics)) = found else { return };
        self.shape("parameters", shapes, |graph, random| {
            let (a, b) = (graph.some(random), graph.some(random));
            let (result, copy) = mirror.echo(&a, &b)?;
            compare(vec![copy, result], &[a, b])
        });
        self.shape("sequence", shapes, |graph, random| {
            let nodes: NodeSeq = (0..random.below(9)).map(|_| graph.some(random)).collect();
            compare(mirror.echo_nodes(&nodes)?, &nodes)
        });
        self.shape("value_base", shapes, |graph, random| {
            let value = graph.some(random);
            let result = mirror.echo_base(&value.as_ref().map(Value::upcast))?;
            compare(vec![result.and_then(|value| value.downcast())], &[value])
        });
        self.shape("any", shapes, |graph, random| {
            let one = graph.some(random);
            let many: NodeSeq = (0..random.below(4)).map(|_| graph.some(random)).collect();
            let mut kept = Any::new(&many)?;
            let (result, copy) = exotics.echo_any(&Any::new(&one)?, &mut kept)?;
            for any in [&copy, &kept] {
                compare(vec![any.get::<NodeRef>()?.ok_or("no node")?], std::slice::from_ref(&one))?;
            }
            compare(result.get::<NodeSeq>()?.ok_or("no sequence of nodes")?, &many)
        });
    }

    fn shape(
        &mut self,
        position: &str,
        shapes: Shapes,
        send: impl Fn(&Graph, &mut Random) -> Outcome,
    ) {
        self.check("shapes", position, |_| {
            (shapes.seed..).take(shapes.count as usize).try_for_each(|seed| {
                let (graph, mut random) = Graph::new(seed);
                send(&graph, &mut random).map_err(|error| format!("seed {seed}: {error}").into())
            })
        });
    }
}
