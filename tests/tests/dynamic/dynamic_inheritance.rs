//! Derived valuetypes in dynamic values: accepted if their TypeCodes show the inheritance.

use armilla::dynamic::{DynAny, DynAnyError};
use armilla::{
    Any, ByteOrder, Decode, Decoder, Encoder, ExceptionKind, TypeCode, Typed, Value, ValueBase,
};
use armilla_tests::{orbs, values};
use serde_json::json;

fn value(name: &str, base: TypeCode, members: Vec<(&str, TypeCode)>) -> TypeCode {
    let members = members.into_iter().map(|(name, ty)| (name, ty, true));
    TypeCode::value(format!("IDL:{name}:1.0"), name, 0, base, members)
}

/// The octets of a value with one repository id and the long 7.
fn put_seven(id: &str, out: &mut Encoder<'_>) {
    out.put_u32(0x7fff_ff02);
    out.put_string(id).unwrap();
    out.put_i32(7);
}

/// An any that holds `put`, as one of the type `code`.
fn any(code: &TypeCode, put: impl Fn(&mut Encoder<'_>)) -> Any {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    code.write(&mut out).unwrap();
    put(&mut out);
    Any::decode(&mut Decoder::new(&out.to_vec(), ByteOrder::NATIVE)).unwrap()
}

fn seven() -> Vec<(&'static str, TypeCode)> {
    vec![("seven", TypeCode::Long)]
}

#[test]
fn a_value_of_another_type_than_the_declared_one_is_refused() {
    let base = value("Base", TypeCode::Null, seven());
    let derived = value("Derived", base.clone(), vec![]);
    let other = value("Other", TypeCode::Null, seven());
    let members = [("derived", derived.clone()), ("other", other)];
    let code = TypeCode::structure("IDL:Both:1.0", "Both", members);
    for (first, second, fits) in [
        ("IDL:Derived:1.0", "IDL:Other:1.0", true),
        ("IDL:Base:1.0", "IDL:Other:1.0", false),
        ("IDL:Derived:1.0", "IDL:Derived:1.0", false),
        ("IDL:Other:1.0", "IDL:Other:1.0", false),
    ] {
        let any = any(&code, |out| {
            put_seven(first, out);
            out.align(4);
            put_seven(second, out);
        });
        let read = DynAny::from_any(&any);
        assert_eq!(read.is_ok(), fits, "{first} {second}: {read:?}");
        assert!(fits || matches!(read, Err(DynAnyError::Encoding(_))));
    }
    // The base may have any that inherits from it.
    let code = TypeCode::structure("IDL:B:1.0", "B", [("base", base), ("derived", derived)]);
    let any = any(&code, |out| {
        put_seven("IDL:Derived:1.0", out);
        out.put_null_value();
    });
    assert!(DynAny::from_any(&any).is_ok());
}

#[test]
fn a_type_inherits_from_one_that_encloses_it() {
    // valuetype Root { long seven; }; valuetype Branch : Root { Leaf leaf; };
    // valuetype Leaf : Branch {};
    let root = value("Root", TypeCode::Null, seven());
    let leaf = value("Leaf", TypeCode::recursive("IDL:Branch:1.0"), vec![]);
    let branch = value("Branch", root.clone(), vec![("leaf", leaf)]);
    let code = TypeCode::structure("IDL:T:1.0", "T", [("root", root), ("branch", branch)]);
    let any = any(&code, |out| {
        put_seven("IDL:Leaf:1.0", out);
        out.put_null_value();
        out.put_null_value();
    });
    let mut tree = DynAny::from_any(&any).unwrap();
    let leaf = tree.component(0).unwrap().clone();
    tree.component(1).unwrap().as_value().unwrap().share(&leaf).unwrap();
    let again = DynAny::from_any(&tree.to_any().unwrap()).unwrap();
    assert!(again == tree);
}

#[test]
fn values_stand_and_are_shared_where_an_abstract_valuetype_is_declared() {
    let cycle = Value::new(values::Circle { radius: 0.5 });
    let cycle = DynAny::from_any(&Any::new(&Some(cycle)).unwrap()).unwrap();
    let shape = TypeCode::value(
        "IDL:armilla.org/Values/Shape:1.0",
        "Shape",
        2,
        TypeCode::Null,
        [] as [(&str, TypeCode, bool); 0],
    );
    let circle_type = cycle.type_code();
    let members = [("first", shape.clone()), ("second", shape), ("third", circle_type)];
    let mut shapes = DynAny::new(&TypeCode::structure("IDL:S:1.0", "S", members)).unwrap();
    for index in 0..3 {
        shapes.component(index).unwrap().as_value().unwrap().share(&cycle).unwrap();
    }
    let any = shapes.to_any().unwrap();
    let mut again = DynAny::from_any(&any).unwrap();
    assert!(again == shapes);
    let identities =
        [0, 1, 2].map(|index| again.component(index).unwrap().as_value().unwrap().identity());
    assert!(identities[0].is_some() && identities[1..].iter().all(|one| *one == identities[0]));
    assert!(again.component(0).unwrap().as_value().unwrap().set_to_value().is_ok(), "it is one");
    again.component(0).unwrap().as_value().unwrap().set_to_null();
    let made = again.component(0).unwrap().as_value().unwrap().set_to_value();
    assert!(matches!(made, Err(DynAnyError::InconsistentTypeCode(_))), "there are none of Shape");
}

#[test]
fn an_orb_knows_valuetypes_by_their_type_codes() {
    let base = value("Base", TypeCode::Null, seven());
    let derived = value("Derived", base.clone(), vec![("more", TypeCode::Short)]);
    let orb = orbs::client();
    let json = json!({"$type": "IDL:Derived:1.0", "seven": 7, "more": 8});
    let read = || DynAny::from_json_within(&base, &json, &orb);
    assert!(matches!(read(), Err(DynAnyError::InvalidValue(_))), "nobody knows it yet");
    orb.register_value_type(&TypeCode::alias("IDL:D:1.0", "D", derived.clone())).unwrap();
    assert!(orb.has_value("IDL:Derived:1.0"));
    let any = read().unwrap().to_any().unwrap();
    assert_eq!((any.type_code(), any.dynamic_types()), (&base, std::slice::from_ref(&derived)));
    assert_eq!(DynAny::from_any(&any).unwrap().to_json().unwrap(), json);
    let other = DynAny::from_json_within(&value("Other", TypeCode::Null, vec![]), &json, &orb);
    assert!(other.is_err(), "it does not inherit from that");
    orb.unregister_value("IDL:Derived:1.0").unwrap();
    assert!(read().is_err());
    let refused = orb.register_value_type(&TypeCode::Long).unwrap_err();
    assert_eq!(refused.kind(), ExceptionKind::BadParam);
}

#[test]
fn what_the_program_has_a_type_for_stays_that_type() {
    let orb = orbs::client();
    orb.register_value::<values::Circle>();
    let cycle = <values::Circle as Typed>::type_code();
    let id = cycle.id().unwrap();
    let empty: [(&str, TypeCode, bool); 0] = [];
    orb.register_value_type(&TypeCode::value(id, "Empty", 0, TypeCode::Null, empty)).unwrap();
    let json = json!({"$type": id, "radius": 0.5});
    let any = ValueBase::type_code();
    let value = DynAny::from_json_within(&any, &json, &orb).unwrap().to_any().unwrap();
    assert_eq!(value.dynamic_types(), [cycle]);
}
