//! Dynamic values at the depth limit and beyond: in messages, in trees, in graphs of valuetypes.

#[path = "../../../crates/armilla-cdr/tests/random/deep.rs"]
mod deep;

use armilla::dynamic::DynAny;
use armilla::{Any, Decode, Decoder, TypeCode};
use armilla_cdr::ByteOrder;
use deep::{messages, with_little_stack};

fn read(octets: &[u8]) -> Any {
    Any::decode(&mut Decoder::new(octets, ByteOrder::NATIVE)).unwrap()
}

#[test]
fn values_as_deep_as_the_limit_are_trees_on_little_stack() {
    with_little_stack(|| {
        for (code, octets) in messages(254) {
            let any = read(&octets);
            let tree = DynAny::from_any(&any).unwrap_or_else(|error| panic!("{error}: {code:?}"));
            // The octets may differ: a tree writes the id of each value.
            let again = DynAny::from_any(&tree.to_any().unwrap()).unwrap();
            assert!(again == tree, "{code:?}");
            let copies = [tree.clone(), tree.copy().unwrap()];
            assert!(copies.iter().all(|copy| *copy == tree), "{code:?}");
            let mut other = DynAny::new(any.type_code()).unwrap();
            other.assign(&tree).unwrap();
            other.set_any(&any).unwrap();
            assert!(other == tree, "{code:?}");
        }
    });
}

#[test]
fn values_as_deep_as_the_limit_are_texts_on_little_stack() {
    with_little_stack(|| {
        for (code, octets) in messages(254) {
            let tree = DynAny::from_any(&read(&octets)).unwrap();
            let json = tree.to_json().unwrap_or_else(|error| panic!("{error}: {code:?}"));
            let again = DynAny::from_json(tree.to_any().unwrap().type_code(), &json).unwrap();
            assert!(again == tree, "{code:?}");
        }
    });
}

/// `struct Tree { sequence<Tree> children; };`
fn tree() -> TypeCode {
    const ID: &str = "IDL:Tree:1.0";
    TypeCode::structure(ID, "Tree", [("children", TypeCode::sequence(TypeCode::recursive(ID), 0))])
}

#[test]
fn a_tree_that_a_program_builds_nests_no_deeper_than_values_may() {
    with_little_stack(|| {
        let mut value = DynAny::new(&tree()).unwrap();
        let refused = (0..5_000).find_map(|level| {
            let mut outer = DynAny::new(&tree()).unwrap();
            let mut children = outer.component(0).unwrap();
            let taken = children.as_sequence().unwrap().set_elements_as_dyn_any(&[value.clone()]);
            drop(children);
            value = outer;
            taken.err().map(|error| (level, error.to_string()))
        });
        let (level, why) = refused.expect("it would go on for ever");
        assert!((100..300).contains(&level) && why.contains("deep"), "{level}: {why}");
    });
}

/// A line of so many valuetypes, each of which leads to the one before.
fn line(length: usize) -> DynAny {
    const ID: &str = "IDL:Node:1.0";
    let code = TypeCode::value(ID, "", 0, TypeCode::Null, [("on", TypeCode::recursive(ID), true)]);
    let null = DynAny::new(&code).unwrap();
    let mut first = null.clone();
    first.as_value().unwrap().set_to_value().unwrap();
    (1..length).fold(first, |last, _| {
        let mut next = null.clone();
        next.as_value().unwrap().set_to_value().unwrap();
        next.component(0).unwrap().as_value().unwrap().share(&last).unwrap();
        next
    })
}

#[test]
fn long_chains_of_valuetypes_are_compared_and_freed() {
    with_little_stack(|| {
        let (one, other) = (line(50_000), line(50_000));
        assert!(one == other && one != line(49_999));
        assert!(one.clone() == one);
        for error in [one.to_any().map(drop), one.copy().map(drop), one.to_json().map(drop)] {
            let why = error.unwrap_err().to_string();
            assert!(why.contains("deep"), "{why}");
        }
        let kept = one.clone();
        drop((one, other));
        drop(kept);
        let short = line(200);
        assert!(short.copy().unwrap() == short);
    });
}
