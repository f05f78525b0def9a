//! Traversal of cyclic dynamic values.

use armilla::TypeCode;
use armilla::dynamic::{DynAny, ValueIdentity};
use std::collections::HashSet;
use std::sync::{Arc, Barrier};

const ID: &str = "IDL:Node:1.0";

/// `valuetype Node { public long number; public Node next; public sequence<Node> friends; };`
fn null() -> DynAny {
    let members = [
        ("number", TypeCode::Long, true),
        ("next", TypeCode::recursive(ID), true),
        ("friends", TypeCode::sequence(TypeCode::recursive(ID), 0), true),
    ];
    DynAny::new(&TypeCode::value(ID, "Node", 0, TypeCode::Null, members)).unwrap()
}

fn node(number: i32) -> DynAny {
    let mut node = null();
    node.as_value().unwrap().set_to_value().unwrap();
    node.insert_long(number).unwrap();
    node
}

fn identity(value: &mut DynAny) -> Option<ValueIdentity> {
    value.as_value().unwrap().identity()
}

/// Lets `from` lead to `to` next.
fn link(from: &mut DynAny, to: &DynAny) {
    from.component(1).unwrap().as_value().unwrap().share(to).unwrap();
}

/// One leads to two, two to one; two is a friend of its own.
fn cycle() -> (DynAny, DynAny) {
    let (mut one, mut two) = (node(1), node(2));
    link(&mut one, &two);
    link(&mut two, &one);
    let friends = [two.clone()];
    let mut place = two.component(2).unwrap();
    place.as_sequence().unwrap().set_elements_as_dyn_any(&friends).unwrap();
    drop(place);
    (one, two)
}

/// The numbers of all values that `value` leads to, in the order in which they are met.
fn walk(value: &mut DynAny, met: &mut HashSet<ValueIdentity>, seen: &mut Vec<i32>) {
    if let Some(identity) = value.as_value().ok().and_then(|value| value.identity())
        && !met.insert(identity)
    {
        return;
    }
    if value.component_count() == 0 {
        seen.extend(value.get_long());
        return;
    }
    value.rewind();
    loop {
        let Some(mut component) = value.current_component().unwrap() else { return };
        walk(&mut component, met, seen);
        drop(component);
        value.next();
    }
}

#[test]
fn traversal_of_a_cycle_of_values_ends() {
    let (mut one, mut two) = cycle();
    for (from, order) in [(&mut one, [1, 2]), (&mut two, [2, 1])] {
        let mut seen = Vec::new();
        walk(from, &mut HashSet::new(), &mut seen);
        assert_eq!(seen, order);
    }
    let mut copy = DynAny::from_any(&one.to_any().unwrap()).unwrap();
    let mut seen = Vec::new();
    walk(&mut copy, &mut HashSet::new(), &mut seen);
    assert_eq!((seen, copy == one), (vec![1, 2], true));
}

#[test]
fn a_value_has_one_identity_for_all_references() {
    let (mut one, mut two) = cycle();
    let first = identity(&mut one);
    assert!(first.is_some() && first != identity(&mut two));
    assert_eq!(identity(&mut two.component(1).unwrap()), first);
    assert_eq!(identity(&mut one.clone()), first, "a clone leads to the same value");
    assert_ne!(identity(&mut one.copy().unwrap()), first, "a copy is another one");
    assert_eq!(identity(&mut null()), None);
}

#[test]
fn a_value_is_reached_every_way_while_a_component_of_it_is_held() {
    let (mut one, _) = cycle();
    let itself = one.clone();
    let mut next = one.component(1).unwrap();
    assert!(next.to_any().is_ok() && next.copy().unwrap() == *next);
    let mut back = next.component(1).unwrap();
    back.component(0).unwrap().insert_long(7).unwrap();
    assert_eq!(back.as_value().unwrap().members()[0].get_long().unwrap(), 7);
    assert_eq!(itself.clone().get_long().unwrap(), 7, "seen at once");
    assert!(itself.to_any().is_ok());
}

#[test]
fn a_cycle_that_is_broken_during_traversal_stays_broken() {
    let (mut one, mut two) = cycle();
    let mut next = one.component(1).unwrap();
    let mut back = next.component(1).unwrap();
    back.component(1).unwrap().as_value().unwrap().set_to_null();
    drop(back);
    drop(next);
    assert!(identity(&mut one.component(1).unwrap()).is_none());
    assert!(identity(&mut two.component(1).unwrap()).is_some());
    assert_eq!(one.get_long().unwrap(), 1, "the rest is as before");

    let mut friends = two.component(2).unwrap();
    friends.as_sequence().unwrap().set_length(3).unwrap();
    drop(friends);
    two.component(2).unwrap().next();
    assert_eq!(two.component(2).unwrap().current(), Some(1), "a cursor stays where it was put");
}

#[test]
fn threads_walk_through_a_circle_that_others_change() {
    let (one, two) = cycle();
    let start = Arc::new(Barrier::new(4));
    let run = |mut value: DynAny, changes: bool| {
        let start = start.clone();
        move || {
            start.wait();
            for number in 0..500 {
                if changes {
                    value.component(0).unwrap().insert_long(number).unwrap();
                    continue;
                }
                let mut seen = Vec::new();
                walk(&mut value, &mut HashSet::new(), &mut seen);
                assert_eq!(seen.len(), 2);
                assert!(value.to_any().is_ok() && value.clone() == value);
            }
        }
    };
    let runs = [(&one, true), (&two, false), (&two, true), (&one, false)];
    let threads = runs.map(|(value, changes)| std::thread::spawn(run(value.clone(), changes)));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(
        [one, two].map(|mut value| value.component(0).unwrap().get_long().unwrap()),
        [499; 2]
    );
}
