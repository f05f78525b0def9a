//! Dynamic values: construction, inspection, marshalling by TypeCode, and JSON.

use crate::random;
use armilla::dynamic::{DynAny, DynAnyError};
use armilla::{Any, Decode, Decoder, Encode, Encoder, TypeCode, Typed, Value};
use armilla_cdr::{ByteOrder, CodeSet};
use armilla_tests::dynamic::{Choice, Derived, Node, Part, Price, Sign, Small, Wide, node};
use armilla_tests::probe::{Colour, Label, Point, Refused, Tree};
use armilla_tests::{dynamic, values};
use proptest::prelude::*;
use serde_json::json;

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// The octets of a value behind so many others; an exception has its repository id before it.
fn octets<T: Typed + Encode>(value: &T, order: ByteOrder, before: usize) -> Vec<u8> {
    let mut out = Encoder::with_buffer(vec![0; before], order, CodeSet::Utf8);
    if let TypeCode::Exception(code) = &T::type_code() {
        out.put_string(&code.id).unwrap();
    }
    value.encode(&mut out).unwrap();
    out.to_vec()
}

/// Checks that the interpreting marshaller reads and writes what the compiled one does, and that
/// the value survives being an any and a text.
fn check<T: Typed + Encode>(value: &T) {
    check_with(value, octets);
}

/// As [`octets`], with the types of valuetypes, which the interpreting marshaller always names.
fn octets_in_any<T: Typed + Encode>(value: &T, order: ByteOrder, before: usize) -> Vec<u8> {
    let mut out = Encoder::with_buffer(vec![0; before], order, CodeSet::Utf8);
    Any::new(value).unwrap().write(&mut out).unwrap();
    out.to_vec()
}

fn check_graph<T: Typed + Encode>(value: &T) {
    check_with(value, octets_in_any);
}

/// As [`check`]; `wanted` is what the interpreting marshaller writes.
fn check_with<T: Typed + Encode>(value: &T, wanted: fn(&T, ByteOrder, usize) -> Vec<u8>) {
    let code = value.dynamic_type_code();
    for order in ORDERS {
        for before in 0..8 {
            let compiled = octets(value, order, before);
            let mut input = Decoder::at(&compiled, before, order).with_code_set(CodeSet::Utf8);
            let tree = DynAny::decode(&code, &mut input).unwrap();
            assert_eq!(input.remaining(), 0);
            let mut out = Encoder::with_buffer(vec![0; before], order, CodeSet::Utf8);
            tree.encode(&mut out).unwrap();
            let wanted = wanted(value, order, before);
            assert_eq!(out.to_vec(), wanted, "{order:?}, {before} octets before: {code:?}");
        }
    }
    let any = Any::new(value).unwrap();
    let tree = DynAny::from_any(&any).unwrap();
    assert_eq!(tree.to_any().unwrap(), any);
    assert_eq!(tree.copy().unwrap(), tree);
    let json = tree.to_json().unwrap();
    assert_eq!(DynAny::from_json(&code, &json).unwrap().to_any().unwrap(), any, "{json}");
}

fn part(n: u8) -> Part {
    Part { key: "x".repeat(n.into()), initials: [b'a', n, 0xe9], weight: n.into() }
}

#[test]
fn interpreted_values_have_the_octets_of_compiled_ones() {
    let point = Point { tag: 7, x: -0.125, y: -3 };
    check(&true);
    check(&vec![1.5_f32, f32::MIN]);
    check(&vec![u64::MAX, 0]);
    check(&vec![b'x'; 300]);
    check(&"text".to_owned());
    check(&vec![point; 5]);
    check(&vec![Label { text: "é".into(), shade: Colour::Green, place: point }; 3]);
    let leaf = Tree { name: "leaf".into(), children: vec![] };
    check(&Tree { name: "root".into(), children: vec![leaf.clone(), leaf] });
    check(&vec![part(0), part(4)]);
    check(&Choice::Many(vec![part(1)]));
    check(&Choice::Text("two".into()));
    check(&Derived { first: 1, second: "two".into() });
    check(&Small::Minus("one".into()));
    check(&Small::Other { discriminator: 5, value: 9 });
    let end = Node { number: 0, onward: node::Link::Unlisted { discriminator: false } };
    check(&Node { number: 1, onward: node::Link::Next(vec![end]) });
    check(&dynamic::Refused { reason: "no".into(), evidence: Any::new(&part(2)).unwrap() });
    let cost: Price = "-19.90".parse().unwrap();
    check(&Wide { cost, mark: 'ß', text: "wide".into(), ..Wide::default() });
    check(&Sign::Cost { discriminator: 'c', value: cost });
    check(&Part::type_code());
    check(&armilla::Object::nil());
}

#[test]
fn interpreted_graphs_of_values_have_the_octets_of_compiled_ones_in_an_any() {
    let node = |number| Value::new(values::Node { number, ..values::Node::default() });
    let (first, second) = (node(1), node(2));
    first.update(|state| state.next = Some(second.clone()));
    second.update(|state| state.next = Some(first.clone()));
    check_graph(&values::Pair { first: Some(first.clone()), second: Some(second) });
    check_graph(&Some(Value::new(values::Text("in a box".into()))));
    check_graph(&values::NodeRef::None);
    let titled = values::Document { title: "On values".into(), ..Default::default() };
    let report = values::Report { base: titled, extra: Some(node(3)), ..Default::default() };
    check_graph(&Some(Value::new(report)));
    let numbers = Some(Value::new(values::Numbers(vec![0.5, 2.0])));
    let document =
        values::Document { appendix: Some(first), figures: numbers, ..Default::default() };
    check_graph(&Some(Value::new(document)));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_value_survives_being_a_tree_and_a_text(code in random::types(), seed in 1..u64::MAX) {
        let sent = random::message(&code, seed, ByteOrder::Big, 0);
        let any = Any::decode(&mut Decoder::new(&sent, ByteOrder::Big)).unwrap();
        let tree = DynAny::from_any(&any).unwrap();
        prop_assert_eq!(&tree.to_any().unwrap(), &any);
        prop_assert_eq!(random::encoded(&tree.to_any().unwrap(), ByteOrder::Big, 0), sent);
        let json = tree.to_json().unwrap();
        let again = DynAny::from_json(&code, &json).unwrap();
        prop_assert_eq!(&again.to_json().unwrap(), &json);
        prop_assert!(again == tree, "{}", json);
        if let Ok(nothing) = DynAny::new(&code) {
            prop_assert_eq!(&DynAny::from_any(&nothing.to_any().unwrap()).unwrap(), &nothing);
        }
    }
}

#[test]
fn the_cursor_goes_from_component_to_component() {
    let mut point = DynAny::new(&Point::type_code()).unwrap();
    assert_eq!((point.component_count(), point.current()), (3, Some(0)));
    point.insert_octet(9).unwrap();
    assert!(point.next());
    point.insert_double(1.5).unwrap();
    assert!(matches!(point.insert_long(1), Err(DynAnyError::TypeMismatch { .. })));
    assert!(point.next() && !point.next());
    assert!(matches!(point.insert_short(1), Err(DynAnyError::InvalidValue(_))), "past the end");
    assert!(point.current_component().unwrap().is_none());
    assert!(point.seek(2) && !point.seek(3));
    point.rewind();
    assert_eq!(point.get_octet().unwrap(), 9);
    point.seek(1);
    let members = point.as_struct().unwrap();
    assert_eq!(members.current_member_name().as_deref(), Some("x"));
    assert_eq!(members.current_member_kind(), Some(armilla_cdr::TypeCodeKind::Double));
    let any = point.to_any().unwrap();
    assert_eq!(any.get::<Point>().unwrap(), Some(Point { tag: 9, x: 1.5, y: 0 }));
    let mut long = DynAny::new(&TypeCode::Long).unwrap();
    assert_eq!(long.component_count(), 0);
    assert!(matches!(long.current_component(), Err(DynAnyError::TypeMismatch { .. })));
    long.insert_long(7).unwrap();
    assert_eq!(long.get_long().unwrap(), 7);
}

#[test]
fn members_of_a_struct_are_set_all_or_none() {
    let mut point = DynAny::new(&Point::type_code()).unwrap();
    let (tag, x, y) =
        (Any::new(&1_u8).unwrap(), Any::new(&2.0).unwrap(), Any::new(&3_i16).unwrap());
    let before = point.clone();
    let mut view = point.as_struct().unwrap();
    assert!(view.set_members([("tag", &tag), ("x", &x)]).is_err(), "one is missing");
    assert!(view.set_members([("tag", &tag), ("y", &x), ("x", &y)]).is_err(), "wrong names");
    assert!(view.set_members([("tag", &tag), ("x", &x), ("y", &x)]).is_err(), "wrong type");
    assert_eq!(point, before);
    point.as_struct().unwrap().set_members([("tag", &tag), ("x", &x), ("y", &y)]).unwrap();
    let mut view = point.as_struct().unwrap();
    assert_eq!(view.member("y").unwrap().get_short().unwrap(), 3);
    assert_eq!(view.members()[1].0, "x");
    assert!(view.member("z").is_none());
    assert!(point.as_union().is_err());
}

#[test]
fn a_union_follows_its_discriminator() {
    let mut union = DynAny::new(&Small::type_code()).unwrap();
    let mut view = union.as_union().unwrap();
    assert_eq!(view.member_name().as_deref(), Some("minus"));
    view.member().unwrap().insert_string("less").unwrap();
    view.set_to_default_member().unwrap();
    assert_eq!(view.member_name().as_deref(), Some("other"));
    view.member().unwrap().insert_long(5).unwrap();
    assert!(view.set_to_no_active_member().is_err(), "the default case takes all that is left");
    let mut discriminator = view.discriminator().unwrap();
    discriminator.insert_octet(77).unwrap();
    view.set_discriminator(&discriminator).unwrap();
    assert_eq!(view.member().unwrap().get_long().unwrap(), 5, "the member is the same");
    view.set_member_name("minus").unwrap();
    assert_eq!(view.member().unwrap().get_string().unwrap(), "", "another member is a new one");
    assert!(view.set_member_name("plus").is_err());
    assert_eq!(union.component_count(), 2);
    let link = TypeCode::union("", "", TypeCode::Boolean, None, [(1, "next", TypeCode::Long)]);
    let mut union = DynAny::new(&link).unwrap();
    let mut view = union.as_union().unwrap();
    view.set_to_no_active_member().unwrap();
    assert!(view.has_no_active_member() && view.member().is_none());
    assert_eq!(union.component_count(), 1);
}

#[test]
fn sequences_grow_and_shrink_within_their_bound() {
    let mut bytes = DynAny::new(&TypeCode::sequence(TypeCode::Octet, 4)).unwrap();
    let mut view = bytes.as_sequence().unwrap();
    assert!(matches!(view.set_length(5), Err(DynAnyError::InvalidValue(_))));
    view.set_length(3).unwrap();
    bytes.seek(2);
    bytes.insert_octet(0xff).unwrap();
    assert_eq!(
        bytes.to_any().unwrap().get_with_context::<Vec<u8>>(&()).unwrap(),
        None,
        "has a bound"
    );
    assert_eq!(octets_of(&bytes), [3, 0, 0, 0, 0, 0, 0xff]);
    bytes.as_sequence().unwrap().set_length(1).unwrap();
    assert_eq!((bytes.component_count(), bytes.current()), (1, None));
    let elements = [Any::new(&1_u8).unwrap(), Any::new("two").unwrap()];
    assert!(bytes.as_sequence().unwrap().set_elements(&elements).is_err());
    assert_eq!(bytes.component_count(), 1, "nothing was changed");
    let mut array = DynAny::new(&TypeCode::array(TypeCode::Long, 2)).unwrap();
    assert!(array.as_array().unwrap().set_elements(&[Any::new(&1).unwrap()]).is_err());
    let both = [Any::new(&1).unwrap(), Any::new(&2).unwrap()];
    array.as_array().unwrap().set_elements(&both).unwrap();
    assert_eq!(array.to_any().unwrap().get::<[i32; 2]>().unwrap(), Some([1, 2]));
}

fn octets_of(value: &DynAny) -> Vec<u8> {
    let mut out = Encoder::new(ByteOrder::Little);
    value.encode(&mut out).unwrap();
    out.to_vec()
}

#[test]
fn enums_and_decimal_numbers_are_set_by_text() {
    let mut colour = DynAny::new(&Colour::type_code()).unwrap();
    let mut view = colour.as_enum().unwrap();
    view.set_name("BLUE").unwrap();
    assert_eq!(view.number(), 2);
    assert!(view.set_name("MAUVE").unwrap_err().to_string().contains("RED, GREEN, BLUE"));
    assert!(view.set_number(3).is_err());
    let mut price = DynAny::new(&TypeCode::Fixed { digits: 5, scale: 2 }).unwrap();
    let mut view = price.as_fixed().unwrap();
    assert_eq!(view.value(), "0.00");
    assert!(view.set_value("-12.5").unwrap());
    assert_eq!(view.value(), "-12.50");
    assert!(!view.set_value("3.14159").unwrap(), "digits were cut off");
    assert_eq!(view.value(), "3.14");
    for wrong in ["1000", "1e3", "", ".", "-", "1.2.3"] {
        assert!(view.set_value(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn valuetypes_are_shared_between_those_that_lead_to_them() {
    let mut pair = DynAny::new(&values::Pair::type_code()).unwrap();
    let mut first = pair.component(0).unwrap();
    assert!(first.as_value().unwrap().is_null());
    first.as_value().unwrap().set_to_value().unwrap();
    first.insert_long(5).unwrap();
    let shared = first.clone();
    drop(first);
    pair.component(1).unwrap().as_value().unwrap().share(&shared).unwrap();
    let mut seen = pair.component(1).unwrap();
    seen.insert_long(6).unwrap();
    assert_eq!(seen.as_value().unwrap().member_names()[0], "number");
    drop(seen);
    let pair = pair.to_any().unwrap().get::<values::Pair>().unwrap().unwrap();
    assert!(pair.first == pair.second);
    assert_eq!(pair.first.unwrap().get().number, 6);
}

#[test]
fn a_type_that_contains_itself_can_be_built_to_any_depth() {
    let mut tree = DynAny::new(&Tree::type_code()).unwrap();
    let mut children = tree.component(1).unwrap();
    children.as_sequence().unwrap().set_length(2).unwrap();
    let mut child = children.component(1).unwrap();
    child.insert_string("child").unwrap();
    assert_eq!(child.type_code(), Tree::type_code());
    child.component(1).unwrap().as_sequence().unwrap().set_length(1).unwrap();
    let alone = child.to_any().unwrap();
    assert_eq!(alone.get::<Tree>().unwrap().unwrap().children.len(), 1);
    drop(child);
    drop(children);
    let tree = tree.to_any().unwrap().get::<Tree>().unwrap().unwrap();
    assert_eq!(tree.children[1].name, "child");
}

#[test]
fn oversized_values_are_not_created() {
    let huge = TypeCode::array(TypeCode::array(TypeCode::Octet, u32::MAX), u32::MAX);
    assert!(matches!(DynAny::new(&huge), Err(DynAnyError::InconsistentTypeCode(_))));
    let endless = TypeCode::structure("IDL:S:1.0", "S", [("s", TypeCode::recursive("IDL:S:1.0"))]);
    assert!(DynAny::new(&endless).is_err());
    let unknown = TypeCode::sequence(TypeCode::recursive("IDL:Unknown:1.0"), 0);
    assert!(DynAny::new(&unknown).unwrap().as_sequence().unwrap().set_length(1).is_err());
}

#[test]
fn a_type_that_would_fill_the_memory_is_not_written_as_text() {
    let mut ty = TypeCode::Long;
    for level in 0..60 {
        let members = [("left", ty.clone()), ("right", ty)];
        ty = TypeCode::structure(format!("IDL:Level{level}:1.0"), "", members);
    }
    let tree = DynAny::from_any(&Any::new(&ty).unwrap()).unwrap();
    assert!(matches!(tree.to_json(), Err(DynAnyError::InvalidValue(_))));
}

#[test]
fn text_is_checked_and_errors_name_the_member() {
    let label = |json| DynAny::from_json(&Label::type_code(), &json);
    let good = json!({"text": "t", "shade": "GREEN", "place": {"tag": 1, "x": 2, "y": -3}});
    let value = label(good).unwrap().to_any().unwrap().get::<Label>().unwrap().unwrap();
    assert_eq!((value.shade, value.place), (Colour::Green, Point { tag: 1, x: 2.0, y: -3 }));
    let error = |json| label(json).unwrap_err().to_string();
    let wrong = json!({"text": "t", "shade": "GREEN", "place": {"tag": 256, "x": 2, "y": -3}});
    assert!(error(wrong).contains("place: tag: 256 is out of range"));
    assert!(error(json!({"text": "t", "shade": "GREEN"})).contains("\"place\" is missing"));
    assert!(error(json!({"txt": "t"})).contains("text, shade, place"));
    let refused = Refused { reason: "no".into(), number: 3 };
    let tree = DynAny::from_any(&Any::new(&refused).unwrap()).unwrap();
    assert_eq!(tree.to_json().unwrap().to_string(), r#"{"reason":"no","number":3}"#);
    let plain = DynAny::from_json(&TypeCode::Any, &json!(2.5)).unwrap().get_any().unwrap();
    assert_eq!(plain.get::<f64>().unwrap(), Some(2.5));
}

#[test]
fn sequences_of_basic_types_go_in_and_out_at_once() {
    let sequence = |element, bound| DynAny::new(&TypeCode::sequence(element, bound)).unwrap();
    let mut longs = sequence(TypeCode::Long, 3);
    longs.insert_long_seq(&[1, -2, 3]).unwrap();
    assert_eq!(longs.get_long_seq().unwrap(), [1, -2, 3]);
    assert_eq!(longs.current(), Some(0));
    assert_eq!(longs.to_any().unwrap().decoder().sequence::<i32>().unwrap(), [1, -2, 3]);
    assert!(matches!(longs.insert_long_seq(&[0; 4]), Err(DynAnyError::InvalidValue(_))));
    assert!(matches!(longs.insert_ulong_seq(&[1]), Err(DynAnyError::TypeMismatch { .. })));
    assert_eq!(longs.get_long_seq().unwrap(), [1, -2, 3], "what failed has changed nothing");

    let mut octets = DynAny::from_any(&Any::new(&vec![7_u8; 300]).unwrap()).unwrap();
    assert_eq!(octets.get_octet_seq().unwrap(), [7; 300]);
    octets.insert_octet_seq(b"abc").unwrap();
    assert_eq!(octets.to_any().unwrap().get::<Vec<u8>>().unwrap(), Some(b"abc".to_vec()));

    let mut array = DynAny::new(&TypeCode::array(TypeCode::Double, 2)).unwrap();
    array.insert_double_seq(&[0.5, -1.0]).unwrap();
    assert_eq!(array.get_double_seq().unwrap(), [0.5, -1.0]);
    assert!(matches!(array.insert_double_seq(&[0.5]), Err(DynAnyError::InvalidValue(_))));

    // The component at the cursor, where the value itself is no such sequence.
    let flags = TypeCode::sequence(TypeCode::Boolean, 0);
    let members = [("name", TypeCode::String(0)), ("flags", flags)];
    let mut record = DynAny::new(&TypeCode::structure("IDL:R:1.0", "R", members)).unwrap();
    assert!(matches!(record.get_boolean_seq(), Err(DynAnyError::TypeMismatch { .. })));
    record.next();
    record.insert_boolean_seq(&[true, false]).unwrap();
    assert_eq!(record.get_boolean_seq().unwrap(), [true, false]);
    assert!(DynAny::new(&TypeCode::Long).unwrap().get_long_seq().is_err());
}

#[test]
fn a_dynamic_value_goes_into_an_any() {
    let mut any = DynAny::new(&TypeCode::Any).unwrap();
    let price = DynAny::from_any(&Any::new(&1.5_f64).unwrap()).unwrap();
    any.insert_dyn_any(&price).unwrap();
    assert_eq!(any.get_dyn_any().unwrap(), price);
}
