//! Checks of valuetypes: sharing, cycles, null, boxes, chunks within chunks, truncation, and state
//! that a program writes itself.

use super::Checks;
use crate::exotics::{branch, leaf};
use crate::interop::*;
use crate::report::{Outcome, expect};
use armilla::{Value, ValueBaseRef};

impl Checks<'_> {
    pub(super) fn graphs(&mut self) {
        let mut found = None;
        self.check("mirror", "narrows", |echo| {
            found = Some(echo.mirror()?.narrow::<dyn Mirror>()?);
            Ok(())
        });
        let Some(mirror) = found else { return };
        self.identity(&mirror);
        self.chunks(&mirror);
        self.special_values(&mirror);
    }

    fn identity(&mut self, mirror: &MirrorRef) {
        let one = Value::new(Node { number: 1, next: None, weight: 0.5 });
        let two = Some(Value::new(Node { number: 2, next: Some(one.clone()), weight: 0.5 }));
        self.check("are_one", "shared_and_null", |_| {
            expect(mirror.are_one(&two, &two)?, "one value has become two")?;
            expect(!mirror.are_one(&two, &Some(one.clone()))?, "two values have become one")?;
            expect(mirror.are_one(&None, &None)?, "null has become something")
        });
        self.check("echo", "shared_among_parameters", |_| {
            let given = Some(Value::new(Node { number: 3, next: Some(one.clone()), weight: 0.5 }));
            let (second, copy) = mirror.echo(&given, &two)?;
            let (second, copy) = present(second.zip(copy))?;
            let same = copy.get().next == second.get().next;
            expect(same, "what they shared has become two")?;
            let numbers = (copy.get().number, second.get().number);
            expect(numbers == (3, 2), format!("{numbers:?}"))
        });
        self.check("sum", "chain_of_200", |_| {
            let chain = (1..=200)
                .fold(None, |next, number| Some(Value::new(Node { number, next, weight: 0.0 })));
            let sum = mirror.sum(&chain)?;
            expect(sum == 20_100, sum)
        });
        self.check("sum", "cycle", |_| {
            let last = Value::new(Node { number: 4, next: None, weight: 0.0 });
            let first = Value::new(Node { number: 3, next: Some(last.clone()), weight: 0.0 });
            last.update(|last| last.next = Some(first.clone()));
            let sum = mirror.sum(&Some(first))?;
            last.update(|last| last.next = None);
            expect(sum == 7, sum)
        });
        self.check("echo_nodes", "null_and_shared", |_| {
            let nodes = mirror.echo_nodes(&[two.clone(), None, two.clone(), Some(one.clone())])?;
            let [first, None, second, Some(last)] = &nodes[..] else {
                return expect(false, format!("{nodes:?}"));
            };
            expect(first == second, "one value has become two")?;
            let next = first.as_ref().and_then(|first| first.get().next.clone());
            expect(next.as_ref() == Some(last), "what follows has become another")
        });
        // omniORB loses what was there once a message has 87 values.
        self.check("echo_nodes", "chain_of_80", |_| {
            let chain = |nodes: &mut NodeSeq, number| {
                let next = nodes.last().cloned().flatten();
                nodes.push(Some(Value::new(Node { number, next, weight: 0.5 })));
            };
            let mut given = NodeSeq::new();
            (0..80).for_each(|number| chain(&mut given, number));
            let nodes = mirror.echo_nodes(&given)?;
            let linked = |(number, node): (usize, &NodeRef)| {
                let state = node.as_ref().map(Value::get);
                let before = number.checked_sub(1).and_then(|at| nodes.get(at)).cloned().flatten();
                state.is_some_and(|node| node.number == number as i32 && node.next == before)
            };
            let different = nodes.iter().enumerate().position(|node| !linked(node));
            expect(nodes.len() == 80 && different.is_none(), format!("differs at {different:?}"))
        });
    }

    fn chunks(&mut self, mirror: &MirrorRef) {
        let one = Value::new(Node { number: 1, next: None, weight: 0.5 });
        self.check("echo", "derived_value", |_| {
            let (_, copy) = mirror.echo(&Some(leaf(9, &one, "leaf").upcast()), &None)?;
            let leaf = present(present(copy)?.downcast::<Leaf>())?;
            expect(leaf.get().title == "leaf" && leaf.get().base.number == 9, "another leaf")?;
            expect(leaf.get().extra == leaf.get().base.next, "one value has become two")
        });
        for (number, case) in [(1, "leaf"), (2, "cycle")] {
            self.check("make", case, |_| made_leaf(mirror, number));
        }
        self.check("make_branch", "chunks_in_chunks", |_| {
            let made = present(mirror.make_branch(6)?)?;
            expect(is_branch(&made, 6), format!("{made:?}"))
        });
        self.check("echo", "chunks_in_chunks", |_| {
            let (_, copy) = mirror.echo(&Some(branch(6).upcast()), &None)?;
            let copy = present(present(copy)?.downcast::<Branch>())?;
            expect(is_branch(&copy, 6), format!("{copy:?}"))
        });
        self.check("truncated", "to_the_base", |_| truncated(mirror));
    }

    fn special_values(&mut self, mirror: &MirrorRef) {
        self.check("echo_letters", "boxed_once", |_| {
            let letters = Some(Value::new(Letters("letters".to_owned())));
            let (echoed, are_one) = mirror.echo_letters(&letters, &letters)?;
            expect(present(echoed)?.get().0 == "letters", "other letters")?;
            // In Java, a boxed string is a string: it has no identity to be lost.
            let other = Some(Value::new(Letters("others".to_owned())));
            expect(are_one && !mirror.echo_letters(&letters, &other)?.1, "another identity")
        });
        self.check("echo_letters", "null", |_| {
            let (echoed, _) = mirror.echo_letters(&None, &None)?;
            expect(echoed.is_none(), "null has become something")
        });
        self.check("echo_numbers", "lengths", |_| {
            // The last is larger than any buffer, so that it may come in fragments.
            for count in [0, 1, 1000, 10_000] {
                let given = Some(Value::new(Numbers((0..count).collect())));
                let (result, copy) = mirror.echo_numbers(&given)?;
                let wanted: Vec<i32> = (0..count).collect();
                expect(present(result)?.get().0 == wanted, "another result")?;
                expect(present(copy)?.get().0 == wanted, "another copy")?;
            }
            Ok(())
        });
        self.check("echo_stamp", "custom", |_| {
            let given = Stamp { seconds: i64::MIN, zone: "UTC+1".to_owned() };
            let (result, copy) = mirror.echo_stamp(&Some(Value::new(given.clone())))?;
            expect(*present(result)?.get() == given, "another result")?;
            expect(*present(copy)?.get() == given, "another copy")
        });
        self.check("echo_base", "of_its_own_type", |_| {
            let given = Value::new(Node { number: 1, next: None, weight: 0.5 });
            let base: ValueBaseRef = Some(given.upcast());
            let echoed = present(present(mirror.echo_base(&base)?)?.downcast::<Node>())?;
            expect(*echoed.get() == *given.get(), "another value")?;
            expect(mirror.echo_base(&None)?.is_none(), "null has become something")
        });
    }
}

fn present<T>(value: Option<T>) -> Result<T, Box<dyn std::error::Error>> {
    value.ok_or_else(|| "a value is null, or of another type".into())
}

fn made_leaf(mirror: &MirrorRef, number: i32) -> Outcome {
    let leaf = present(mirror.make(number)?)?;
    expect(leaf.get().title == "made" && leaf.get().base.number == number, "another leaf")?;
    expect(leaf.get().extra == leaf.get().base.next, "one node has become two")?;
    let node = present(leaf.get().extra.clone())?;
    let state = node.get();
    expect((state.number, state.weight) == (5, 2.5), "another node")?;
    let wanted = (number == 2).then(|| leaf.upcast());
    expect(state.next == wanted, "the cycle does not close where it should")
}

/// Whether this is what `make_branch` gives.
fn is_branch(made: &Value<Branch>, depth: i32) -> bool {
    let state = made.get();
    let child = state.children.first().cloned().flatten();
    let below = child.as_ref().and_then(Value::downcast::<Branch>);
    let children_are_one = state.children.iter().all(|other| *other == child);
    let right = state.base.base.number == depth && state.mark == 165 && children_are_one;
    let count = if depth > 0 { 2 } else { 0 };
    right
        && state.children.len() == count
        && (depth == 0 || below.is_some_and(|below| is_branch(&below, depth - 1)))
}

/// A server that knows only nodes cuts a leaf down to one, and goes on with what follows it.
fn truncated(mirror: &MirrorRef) -> Outcome {
    let one = Value::new(Node { number: 1, next: None, weight: 0.5 });
    let two = Some(Value::new(Node { number: 2, next: Some(one.clone()), weight: 0.25 }));
    let (second, copy) = mirror.echo(&Some(leaf(9, &one, "leaf").upcast()), &two)?;
    let (second, copy) = present(second.zip(copy))?;
    let state = (copy.get().number, copy.get().weight, second.get().number, second.get().weight);
    expect(state == (9, 1.5, 2, 0.25), format!("{state:?}"))?;
    expect(copy.get().next == second.get().next, "what they shared has become two")?;
    let sum = mirror.sum(&Some(branch(3).upcast()))?;
    expect(sum == 3, sum)
}
