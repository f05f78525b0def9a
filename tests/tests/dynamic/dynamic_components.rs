//! Assignment to the components of dynamic values, and the position of the cursor afterwards (CORBA
//! 3.4 Part 1, 9.2).

use armilla::dynamic::{DynAny, DynAnyError, TypeCodeKind};
use armilla::{Any, TypeCode, Typed, Value};
use armilla_tests::probe::Point;
use armilla_tests::values;

fn any<T: Typed + armilla::Encode + ?Sized>(value: &T) -> Any {
    Any::new(value).unwrap()
}

fn is_mismatch<T>(result: Result<T, DynAnyError>) -> bool {
    matches!(result, Err(DynAnyError::TypeMismatch { .. }))
}

fn is_invalid<T>(result: Result<T, DynAnyError>) -> bool {
    matches!(result, Err(DynAnyError::InvalidValue(_)))
}

/// `union switch (long) { case 1: case 2: long number; case 3: string text; }`, and with a default
/// case `default: boolean other;`.
fn union(with_default: bool) -> DynAny {
    let cases = [
        (1, "number", TypeCode::Long),
        (2, "number", TypeCode::Long),
        (3, "text", TypeCode::String(0)),
        (0, "other", TypeCode::Boolean),
    ];
    let (default, count) = if with_default { (Some(3), 4) } else { (None, 3) };
    let cases = cases.into_iter().take(count);
    DynAny::new(&TypeCode::union("IDL:U:1.0", "U", TypeCode::Long, default, cases)).unwrap()
}

#[test]
fn the_member_of_a_union_follows_a_discriminator_that_is_changed_in_its_place() {
    let mut value = union(false);
    assert_eq!((value.current(), value.get_long().unwrap()), (Some(0), 1), "the first label");
    value.component(1).unwrap().insert_long(7).unwrap();
    value.insert_long(2).unwrap();
    assert_eq!(value.component(1).unwrap().get_long().unwrap(), 7, "another label of the same");
    value.insert_long(3).unwrap();
    assert_eq!(value.component(1).unwrap().get_string().unwrap(), "", "another member is new");
    assert_eq!(value.to_any().unwrap().decoder().u32().unwrap(), 3);
    value.seek(1);
    value.component(0).unwrap().insert_long(99).unwrap();
    assert_eq!((value.component_count(), value.current()), (1, None), "no member any more");
    assert!(value.as_union().unwrap().has_no_active_member());
    assert_eq!(DynAny::from_any(&value.to_any().unwrap()).unwrap(), value);
}

#[test]
fn a_discriminator_that_can_have_no_member_stays_what_it_was() {
    let endless = TypeCode::structure("IDL:S:1.0", "S", [("s", TypeCode::recursive("IDL:S:1.0"))]);
    let cases = [(1, "number", TypeCode::Long), (2, "endless", endless)];
    let code = TypeCode::union("IDL:V:1.0", "V", TypeCode::Long, None, cases);
    let mut value = DynAny::new(&code).unwrap();
    value.insert_long(2).unwrap();
    assert_eq!(value.get_long().unwrap(), 1);
    assert!(value.as_union().unwrap().set_member_name("endless").is_err());
    assert_eq!(value.as_union().unwrap().member_name().as_deref(), Some("number"));
}

#[test]
fn the_cursor_of_a_union_is_where_its_operations_leave_it() {
    let mut value = union(true);
    let number = |number: i32| DynAny::from_any(&any(&number)).unwrap();
    value.as_union().unwrap().set_discriminator(&number(3)).unwrap();
    assert_eq!(value.current(), Some(1), "at the member");
    value.as_union().unwrap().set_to_default_member().unwrap();
    assert_eq!((value.current(), value.component_count()), (Some(0), 2));
    value.component(1).unwrap().insert_boolean(true).unwrap();
    value.as_union().unwrap().set_discriminator(&number(77)).unwrap();
    value.as_union().unwrap().set_to_default_member().unwrap();
    assert_eq!(value.get_long().unwrap(), 77, "it was at the default case already");
    assert!(value.component(1).unwrap().get_boolean().unwrap());
    assert!(is_mismatch(value.as_union().unwrap().set_to_no_active_member()));

    let mut value = union(false);
    value.seek(1);
    value.as_union().unwrap().set_to_no_active_member().unwrap();
    assert_eq!((value.current(), value.component_count()), (Some(0), 1));
    assert!(value.as_union().unwrap().member_kind().is_none());
    assert!(is_mismatch(value.as_union().unwrap().set_to_default_member()));
    value.as_union().unwrap().set_discriminator(&number(98)).unwrap();
    assert_eq!(value.current(), Some(0), "there is no member to go to");
    let text = DynAny::from_any(&any("three")).unwrap();
    assert!(is_mismatch(value.as_union().unwrap().set_discriminator(&text)));
    let all = [(0, "no", TypeCode::Long), (1, "yes", TypeCode::Long)];
    let all = TypeCode::union("IDL:B:1.0", "B", TypeCode::Boolean, None, all);
    let mut value = DynAny::new(&all).unwrap();
    assert!(is_mismatch(value.as_union().unwrap().set_to_no_active_member()), "all are labels");
}

#[test]
fn the_cursor_stays_at_its_element_when_a_sequence_grows_and_shrinks() {
    let mut value = DynAny::new(&TypeCode::sequence(TypeCode::Long, 6)).unwrap();
    assert_eq!(value.current(), None);
    assert!(value.current_component().unwrap().is_none(), "it could have some");
    value.as_sequence().unwrap().set_length(2).unwrap();
    assert_eq!(value.current(), Some(0), "the first that is new");
    value.insert_long(5).unwrap();
    value.next();
    value.as_sequence().unwrap().set_length(4).unwrap();
    assert_eq!(value.current(), Some(1), "it was at an element");
    value.seek(9);
    value.as_sequence().unwrap().set_length(6).unwrap();
    assert_eq!(value.current(), Some(4), "it was at none");
    value.seek(1);
    value.as_sequence().unwrap().set_length(2).unwrap();
    assert_eq!(value.current(), Some(1));
    value.as_sequence().unwrap().set_length(1).unwrap();
    assert_eq!(value.current(), None, "its element is gone");
    assert_eq!(value.get_long_seq().unwrap(), [5]);
    assert!(is_invalid(value.as_sequence().unwrap().set_length(7)));
    value.as_sequence().unwrap().set_length(0).unwrap();
    assert_eq!((value.current(), value.component_count()), (None, 0));
    assert!(is_invalid(value.insert_long(1)));
    let elements: Vec<DynAny> = [1, 2].iter().map(|n| DynAny::from_any(&any(n)).unwrap()).collect();
    value.as_sequence().unwrap().set_elements_as_dyn_any(&elements).unwrap();
    assert_eq!((value.current(), value.get_long_seq().unwrap()), (Some(0), vec![1, 2]));
    value.as_sequence().unwrap().set_elements(&[]).unwrap();
    assert_eq!(value.current(), None);
    let mut long = DynAny::new(&TypeCode::sequence(TypeCode::Short, 0)).unwrap();
    long.as_sequence().unwrap().set_length(1_500_000).unwrap();
    assert_eq!(long.component_count(), 1_500_000, "as long as the program wants it");
}

#[test]
fn access_to_components_of_other_types_is_an_error() {
    let empty = TypeCode::exception("IDL:E:1.0", "E", [] as [(&str, TypeCode); 0]);
    for code in
        [empty, TypeCode::Long, TypeCode::Fixed { digits: 3, scale: 0 }, TypeCode::String(0)]
    {
        let mut value = DynAny::new(&code).unwrap();
        assert_eq!((value.component_count(), value.current()), (0, None), "{code:?}");
        assert!(is_mismatch(value.current_component()), "{code:?}");
        assert!(!value.next() && !value.seek(0), "{code:?}");
        value.rewind();
        assert_eq!(value.current(), None);
    }
    let nested = TypeCode::structure("IDL:N:1.0", "N", [("point", Point::type_code())]);
    let mut nested = DynAny::new(&nested).unwrap();
    assert!(is_mismatch(nested.insert_octet(1)), "the component has components itself");
    assert!(is_mismatch(nested.get_octet()));
    let list = TypeCode::sequence(TypeCode::Long, 2);
    let mut holder = DynAny::new(&TypeCode::structure("IDL:H:1.0", "H", [("list", list)])).unwrap();
    assert!(is_mismatch(holder.insert_string("three")), "the bound is not one of a string");
    assert!(is_mismatch(holder.insert_wstring("\0")));
}

#[test]
fn members_with_wrong_names_are_of_another_type_and_missing_ones_an_invalid_value() {
    let mut point = DynAny::new(&Point::type_code()).unwrap();
    let (tag, x, y) = (any(&1_u8), any(&2.0), any(&3_i16));
    let mut view = point.as_struct().unwrap();
    assert!(is_invalid(view.set_members([("tag", &tag)])));
    assert!(is_mismatch(view.set_members([("tag", &tag), ("X", &x), ("y", &y)])));
    assert!(is_mismatch(view.set_members([("tag", &tag), ("x", &y), ("y", &x)])));
    view.set_members([("", &tag), ("x", &x), ("", &y)]).unwrap();
    assert_eq!(
        point.to_any().unwrap().get::<Point>().unwrap(),
        Some(Point { tag: 1, x: 2.0, y: 3 })
    );
    let parts = [tag, any(&-1.0), y].map(|part| DynAny::from_any(&part).unwrap());
    point.seek(2);
    let named = [("tag", &parts[0]), ("x", &parts[1]), ("y", &parts[2])];
    point.as_struct().unwrap().set_members_as_dyn_any(named).unwrap();
    assert_eq!(point.current(), Some(0));
    point.next();
    assert_eq!(point.get_double().unwrap(), -1.0);
    point.seek(3);
    assert_eq!(point.as_struct().unwrap().current_member_name(), None);
}

#[test]
fn the_literals_of_fixed_numbers_are_those_of_idl() {
    let mut value = DynAny::new(&TypeCode::Fixed { digits: 4, scale: 2 }).unwrap();
    let mut view = value.as_fixed().unwrap();
    for (text, exact, seen) in [
        (" 12.34d ", true, "12.34"),
        ("1D", true, "1.00"),
        (".5", true, "0.50"),
        ("7.", true, "7.00"),
        ("+3.1", true, "3.10"),
        ("-0.009", false, "0.00"),
        ("-99.9999", false, "-99.99"),
        ("0000000000000000000000000000000000000001.5", true, "1.50"),
    ] {
        assert_eq!(
            (view.set_value(text).unwrap(), view.value().as_str()),
            (exact, seen),
            "{text:?}"
        );
    }
    for text in ["", " ", "d", ".", "-", "1dd", "1.2.3", "1e3", "12 34", "0x10", "١"] {
        assert!(is_mismatch(view.set_value(text)), "{text:?} is no literal");
    }
    for text in ["100", "-123.4", "99999999999999999999999999999999999999999999"] {
        assert!(is_invalid(view.set_value(text)), "{text:?} has too many digits");
    }
    assert_eq!(view.value(), "1.50");
}

#[test]
fn enumerators_are_chosen_among_those_that_there_are() {
    let code = TypeCode::enumeration("IDL:Signal:1.0", "Signal", ["STOP", "GO"]);
    let mut value = DynAny::new(&code).unwrap();
    assert_eq!(value.current(), None);
    let mut view = value.as_enum().unwrap();
    assert_eq!((view.number(), view.name().as_str()), (0, "STOP"));
    view.set_name("GO").unwrap();
    assert!(is_invalid(view.set_name("go")) && is_invalid(view.set_number(2)));
    assert_eq!(view.number(), 1);
    assert!(is_mismatch(value.insert_ulong(0)), "an enum is no number");
}

#[test]
fn the_state_of_a_valuetype_is_set_at_once_and_makes_a_value_of_null() {
    let mut node = DynAny::new(&values::Node::type_code()).unwrap();
    let nothing = DynAny::new(&values::Node::type_code()).unwrap();
    let null = nothing.to_any().unwrap();
    assert_eq!((node.component_count(), node.current()), (0, None));
    assert!(node.current_component().unwrap().is_none(), "a value would have components");
    let mut view = node.as_value().unwrap();
    assert!(view.members().is_empty() && view.current_member_name().is_none());
    let number = any(&4);
    assert!(is_invalid(view.set_members([("number", &number)])));
    assert!(view.is_null(), "what failed has changed nothing");
    let secret = any("s");
    assert!(is_mismatch(view.set_members([
        ("secret", &secret),
        ("next", &null),
        ("number", &number)
    ])));
    view.set_members([("number", &number), ("next", &null), ("secret", &secret)]).unwrap();
    assert_eq!(view.current_member_name().as_deref(), Some("number"));
    assert_eq!(view.current_member_kind(), Some(TypeCodeKind::Long));
    let shared = node.clone();
    let parts = ["number", "next", "secret"].into_iter();
    let members: Vec<DynAny> = node.as_value().unwrap().members();
    let mut changed = members.clone();
    changed[0].insert_long(9).unwrap();
    changed[1].as_value().unwrap().share(&shared).unwrap();
    let named = parts.zip(&changed);
    node.as_value().unwrap().set_members_as_dyn_any(named).unwrap();
    let node = node.to_any().unwrap().get::<values::NodeRef>().unwrap().flatten().unwrap();
    assert_eq!(node.get().number, 9);
    assert!(node.get().next.as_ref() == Some(&node), "it leads to itself");
    node.update(|node| node.next = None);
}

#[test]
fn a_box_is_opened_and_filled() {
    let mut text = DynAny::new(&values::Text::type_code()).unwrap();
    let mut view = text.as_value().unwrap();
    assert!(is_invalid(view.boxed()), "null has nothing in it");
    assert!(is_mismatch(view.set_boxed(&any(&1))) && view.is_null());
    view.set_boxed(&any("inside")).unwrap();
    assert_eq!(view.boxed().unwrap().get_string().unwrap(), "inside");
    let mut boxed = view.boxed().unwrap();
    boxed.insert_string("another").unwrap();
    view.set_boxed_as_dyn_any(&boxed).unwrap();
    assert_eq!(text.component_count(), 1);
    assert_eq!(text.get_string().unwrap(), "another");
    text.as_value().unwrap().set_to_null();
    assert!(text.as_value().unwrap().is_null());
    let mut node = DynAny::new(&values::Node::type_code()).unwrap();
    assert!(is_mismatch(node.as_value().unwrap().boxed()), "no box");
}

#[test]
fn what_a_type_has_no_values_of_is_an_inconsistent_type() {
    for code in [
        TypeCode::Principal,
        TypeCode::Fixed { digits: 32, scale: 0 },
        armilla::dynamic::TypeCodeFactory::create_native_tc("IDL:N:1.0", "N").unwrap(),
        armilla::dynamic::TypeCodeFactory::create_local_interface_tc("IDL:L:1.0", "L").unwrap(),
    ] {
        assert!(
            matches!(DynAny::new(&code), Err(DynAnyError::InconsistentTypeCode(_))),
            "{code:?}"
        );
    }
}

#[test]
fn a_new_union_has_the_first_member_that_a_discriminator_selects() {
    let cases =
        [(0, "no", TypeCode::Long), (0, "off", TypeCode::Short), (1, "on", TypeCode::Octet)];
    let code = TypeCode::union("IDL:U:1.0", "U", TypeCode::Boolean, Some(0), cases);
    let mut union = DynAny::new(&code).unwrap();
    assert_eq!(union.as_union().unwrap().member_name().as_deref(), Some("off"));
    assert_eq!(DynAny::from_any(&union.to_any().unwrap()).unwrap(), union);
}

#[test]
fn a_value_is_assigned_where_the_types_are_equivalent() {
    let alias = TypeCode::alias("IDL:Count:1.0", "Count", TypeCode::Long);
    let mut count = DynAny::new(&alias).unwrap();
    count.set_any(&any(&5)).unwrap();
    assert_eq!(count.to_any().unwrap().type_code(), &alias, "the type stays");
    let mut point = DynAny::new(&Point::type_code()).unwrap();
    point.seek(2);
    let before = point.clone();
    assert!(is_mismatch(point.assign(&count)) && is_mismatch(point.set_any(&any("x"))));
    assert_eq!((point.current(), &point), (Some(2), &before));
    point.set_any(&any(&Point { tag: 1, x: 0.0, y: 0 })).unwrap();
    assert_eq!(point.current(), Some(0));
    assert_ne!(point, before);
}

#[test]
fn a_valuetype_goes_in_where_a_base_or_an_abstract_interface_is_expected() {
    let node = values::Node { number: 7, ..Default::default() };
    let document = values::Document { base: node, title: "T".into(), ..Default::default() };
    let document = Some(Value::new(document));
    let mut pair = DynAny::new(&values::Pair::type_code()).unwrap();
    pair.insert_val(&document).unwrap();
    let first = pair.component(0).unwrap().as_value().unwrap().value_type().unwrap();
    assert_eq!(first.id(), values::Document::type_code().id());
    let seen = pair.get_val::<values::DocumentRef>().unwrap().unwrap();
    assert_eq!((seen.get().title.as_str(), seen.get().base.number), ("T", 7));
    assert!(pair.get_val::<values::NodeRef>().unwrap().is_some(), "it inherits from that");
    assert!(is_mismatch(pair.get_val::<values::TextRef>()));
    assert!(is_mismatch(pair.get_val::<i32>()) && is_mismatch(pair.insert_val(&1_i32)));
    assert!(is_mismatch(pair.insert_val(&Some(Value::new(values::Text("no node".into()))))));
    let any = pair.to_any().unwrap();
    assert_eq!(DynAny::from_any(&any).unwrap(), pair);
    pair.insert_val(&values::NodeRef::None).unwrap();
    assert!(pair.get_val::<values::NodeRef>().unwrap().is_none());
    assert!(pair.component(0).unwrap().as_value().unwrap().is_null());
    pair.seek(9);
    assert!(
        is_invalid(pair.insert_val(&document)) && is_invalid(pair.get_val::<values::NodeRef>())
    );

    let code = TypeCode::abstract_interface("IDL:armilla.org/Values/Printable:1.0", "Printable");
    let mut printable = DynAny::new(&code).unwrap();
    let cycle = Some(Value::new(values::Circle { radius: 0.5 }));
    printable.insert_val(&cycle).unwrap();
    let seen = printable.get_val::<values::CircleRef>().unwrap().unwrap();
    assert_eq!(seen.get().radius, 0.5);
    printable.insert_reference(armilla::Object::nil()).unwrap();
    assert!(is_mismatch(printable.get_val::<values::CircleRef>()), "a reference");
    printable.insert_val(&cycle).unwrap();
    assert!(is_mismatch(printable.get_ior()), "a value");
    assert!(is_mismatch(printable.insert_val(&1_i32)));
    assert!(printable.get_val::<values::CircleRef>().unwrap().is_some(), "as before");
}

#[test]
fn typedefs_at_every_level_change_nothing_but_the_type() {
    let alias = |name: &str, ty| TypeCode::alias(format!("IDL:{name}:1.0"), name, ty);
    let twice = |name: &str, ty| alias(&format!("{name}Again"), alias(name, ty));
    let colour = TypeCode::enumeration("IDL:C:1.0", "C", ["red", "green"]);
    let cases = [(0, "number", twice("Number", TypeCode::Long)), (1, "text", TypeCode::String(3))];
    let union = TypeCode::union("IDL:U:1.0", "U", twice("Shade", colour.clone()), None, cases);
    let members = [
        ("union", twice("Union", union)),
        ("list", twice("List", TypeCode::sequence(twice("Octet", TypeCode::Octet), 4))),
        (
            "grid",
            twice("Grid", TypeCode::array(twice("Row", TypeCode::array(TypeCode::Short, 2)), 2)),
        ),
        ("price", twice("Price", TypeCode::Fixed { digits: 4, scale: 2 })),
    ];
    let code = twice("Whole", TypeCode::structure("IDL:S:1.0", "S", members));
    let mut value = DynAny::new(&code).unwrap();
    let mut part = value.component(0).unwrap();
    assert_eq!(part.as_union().unwrap().discriminator_kind(), Some(TypeCodeKind::Enum));
    assert_eq!(part.as_union().unwrap().member_kind(), Some(TypeCodeKind::Long));
    part.component(1).unwrap().insert_long(4).unwrap();
    let mut green = DynAny::new(&colour).unwrap();
    green.as_enum().unwrap().set_name("green").unwrap();
    part.as_union().unwrap().set_discriminator(&green).unwrap();
    part.as_union().unwrap().member().unwrap().insert_string("abc").unwrap();
    drop(part);
    value.seek(1);
    value.insert_octet_seq(&[1, 2, 3]).unwrap();
    assert!(is_invalid(value.insert_octet_seq(&[0; 5])));
    value.component(2).unwrap().component(1).unwrap().insert_short_seq(&[5, -6]).unwrap();
    value.component(3).unwrap().as_fixed().unwrap().set_value("12.34").unwrap();
    let any = value.to_any().unwrap();
    assert_eq!(any.type_code(), &code);
    assert_eq!(DynAny::from_any(&any).unwrap(), value);
    let plain = DynAny::new(code.resolved()).unwrap();
    value.assign(&plain).unwrap();
    assert_eq!(value, plain);
    assert_eq!(value.to_any().unwrap().type_code(), &code, "the type stays");
}

#[test]
fn a_copy_is_another_value() {
    let mut point = DynAny::new(&Point::type_code()).unwrap();
    let list = TypeCode::sequence(Point::type_code(), 0);
    let mut list = DynAny::new(&list).unwrap();
    list.as_sequence().unwrap().set_elements_as_dyn_any(&[point.clone()]).unwrap();
    let mut taken = list.as_sequence().unwrap().elements();
    let mut copy = list.copy().unwrap();
    point.insert_octet(1).unwrap();
    taken[0].insert_octet(2).unwrap();
    copy.component(0).unwrap().insert_octet(3).unwrap();
    assert_eq!(list.component(0).unwrap().get_octet().unwrap(), 0, "nobody has changed it");
    list.as_sequence().unwrap().set_length(0).unwrap();
    assert_eq!((taken[0].get_octet().unwrap(), copy.component_count()), (2, 1));
    // Exceptions, and references in them, are values like others.
    let object = TypeCode::object_reference("IDL:omg.org/CORBA/Object:1.0", "Object");
    let refused = TypeCode::exception("IDL:E:1.0", "E", [("whom", object), ("why", TypeCode::Any)]);
    let mut refused = DynAny::new(&refused).unwrap();
    assert!(refused.get_ior().unwrap().is_nil());
    refused.next();
    refused.insert_dyn_any(&copy).unwrap();
    assert_eq!(refused.get_dyn_any().unwrap(), copy);
    assert_eq!(refused.as_struct().unwrap().current_member_name().as_deref(), Some("why"));
    assert_eq!(DynAny::from_any(&refused.to_any().unwrap()).unwrap(), refused);
}
