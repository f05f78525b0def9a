//! TypeCodes that a program makes while it runs, and what they say of themselves.

use armilla_cdr::type_code::{
    TypeCodeErrorKind as Kind, TypeCodeFactory as Factory, UnionCode, UnionMember,
};
use armilla_cdr::{Any, ByteOrder, CdrErrorKind, Encode, Encoder, TypeCode, TypeCodeKind};

fn case(label: Option<i64>, name: &str, ty: TypeCode) -> UnionMember {
    UnionMember { label, name: name.into(), ty }
}

#[test]
fn what_breaks_a_rule_is_not_made() {
    let long = || TypeCode::Long;
    let kind = |result: Result<TypeCode, armilla_cdr::type_code::TypeCodeError>| {
        result.map_err(|error| error.kind).err()
    };
    let structure = |id: &str, name: &str, members: &[(&str, TypeCode)]| {
        kind(Factory::create_struct_tc(id, name, members.iter().cloned()))
    };
    assert_eq!(structure("IDL:S:1.0", "S", &[("a", long())]), None);
    assert_eq!(structure("", "", &[("", long()), ("", long())]), None, "names are optional");
    assert_eq!(structure("S", "S", &[("a", long())]), Some(Kind::RepositoryId));
    assert_eq!(structure("IDL:S:1.0", "7", &[("a", long())]), Some(Kind::Name));
    assert_eq!(structure("IDL:S:1.0", "S", &[("a b", long())]), Some(Kind::MemberName));
    assert_eq!(
        structure("IDL:S:1.0", "S", &[("a", long()), ("A", long())]),
        Some(Kind::MemberName)
    );
    let lost = TypeCode::exception("IDL:E:1.0", "E", [("a", long())]);
    for nothing in [TypeCode::Void, TypeCode::Null, lost] {
        assert_eq!(structure("IDL:S:1.0", "S", &[("a", nothing.clone())]), Some(Kind::Member));
        assert_eq!(kind(Factory::create_sequence_tc(0, nothing.clone())), Some(Kind::Member));
        let base = Factory::create_value_tc("IDL:V:1.0", "V", 0, nothing.clone(), []);
        assert_eq!(base.is_ok(), nothing == TypeCode::Null);
    }
    assert_eq!(kind(Factory::create_array_tc(0, long())), Some(Kind::Range));
    assert_eq!(kind(Factory::create_fixed_tc(32, 2)), Some(Kind::Range));
    assert_eq!(kind(Factory::create_fixed_tc(5, 6)), Some(Kind::Range));
    assert_eq!(kind(Factory::create_recursive_tc("")), Some(Kind::RepositoryId));
    assert_eq!(kind(Factory::create_interface_tc("", "I")), Some(Kind::RepositoryId));
    assert_eq!(kind(Factory::create_enum_tc("", "E", ["a", "a"])), Some(Kind::MemberName));
}

#[test]
fn the_cases_of_a_union_fit_its_discriminator() {
    let make = |discriminator: TypeCode, cases: &[UnionMember]| {
        Factory::create_union_tc("IDL:U:1.0", "U", discriminator, cases.iter().cloned())
    };
    let kind = |discriminator, cases: &[UnionMember]| {
        make(discriminator, cases).map_err(|error| error.kind).err()
    };
    let (a, b) = (case(Some(1), "a", TypeCode::Long), case(Some(300), "b", TypeCode::Short));
    assert_eq!(kind(TypeCode::Short, &[a.clone(), b.clone()]), None);
    assert_eq!(kind(TypeCode::Octet, &[a.clone(), b.clone()]), Some(Kind::LabelType));
    assert_eq!(kind(TypeCode::Double, std::slice::from_ref(&a)), Some(Kind::Discriminator));
    assert_eq!(kind(TypeCode::Long, &[a.clone(), a.clone()]), Some(Kind::DuplicateLabel));
    let default = case(None, "c", TypeCode::Any);
    let again = case(None, "d", TypeCode::Any);
    assert_eq!(kind(TypeCode::Long, &[default.clone(), again]), Some(Kind::DuplicateLabel));
    let again = case(Some(2), "a", TypeCode::Long);
    let union = make(TypeCode::Long, &[a, again, default]).unwrap();
    assert_eq!(union.member_count(), Some(3), "one for each label");
    assert_eq!(union.default_index(), Some(2));
    assert_eq!(union.member_label(1).unwrap().get::<i32>().unwrap(), Some(2));
    assert_eq!(union.member_label(2).unwrap(), Any::new(&0_u8).unwrap());
    assert_eq!(union.member_label(3), None);
}

#[test]
fn a_type_says_what_it_consists_of() {
    let members = [("text".to_owned(), TypeCode::String(5), true)];
    let base = Factory::create_value_tc("IDL:B:1.0", "B", 0, TypeCode::Null, []).unwrap();
    let value = Factory::create_event_tc("IDL:V:1.0", "V", 3, base.clone(), members).unwrap();
    assert_eq!(value.kind(), Some(TypeCodeKind::Event));
    assert_eq!((value.id(), value.name()), (Some("IDL:V:1.0"), Some("V")));
    assert_eq!(value.concrete_base_type(), Some(&base));
    assert_eq!(base.concrete_base_type(), None);
    assert_eq!(value.type_modifier(), Some(3));
    assert_eq!(value.member_visibility(0), Some(true));
    assert_eq!(value.member_type(0).unwrap().length(), Some(5));
    assert!(value.is_derived_from(&base) && !base.is_derived_from(&value));
    let array = Factory::create_array_tc(3, TypeCode::Any).unwrap();
    assert_eq!((array.length(), array.content_type()), (Some(3), Some(&TypeCode::Any)));
    assert_eq!(array.id(), None);
    assert_eq!(TypeCode::Long.member_count(), None);
    let compact = value.compact();
    assert_eq!((compact.id(), compact.name()), (Some("IDL:V:1.0"), Some("")));
    assert_eq!(compact.member_name(0), Some(""));
    assert!(compact != value && compact.is_equivalent(&value));
}

#[test]
fn a_type_that_nests_too_deep_is_not_written() {
    let deep = |levels| (0..levels).fold(TypeCode::Long, |ty, _| TypeCode::sequence(ty, 0));
    assert!(deep(64).encode(&mut Encoder::new(ByteOrder::NATIVE)).is_ok());
    let error = deep(65).encode(&mut Encoder::new(ByteOrder::NATIVE)).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::TooDeep { limit: 64 });
}

#[test]
fn a_union_finds_its_cases_and_a_label_that_none_has() {
    let union = |ty: TypeCode, default, labels: &[i64]| {
        let cases = labels.iter().map(|label| (*label, format!("m{label}"), TypeCode::Long));
        match TypeCode::union("IDL:U:1.0", "U", ty, default, cases) {
            TypeCode::Union(code) => code,
            _ => unreachable!("it is a union"),
        }
    };
    let name = |code: &UnionCode, number| code.select(number).map(|case| case.name.clone());
    let code = union(TypeCode::Short, None, &[5, -1, 0, 2, 1, -2, 5]);
    assert_eq!(name(&code, -2).as_deref(), Some("m-2"));
    assert_eq!(name(&code, 5).as_deref(), Some("m5"));
    assert_eq!((name(&code, 3), code.unused_label()), (None, Some(3)));
    // The label of the default case counts for nothing.
    let code = union(TypeCode::Boolean, Some(1), &[1, 0]);
    assert_eq!(name(&code, 0).as_deref(), Some("m0"));
    assert_eq!((name(&code, 1).as_deref(), code.unused_label()), (Some("m1"), Some(0)));
    assert_eq!(union(TypeCode::Boolean, None, &[0, 1]).unused_label(), None);
    let small = TypeCode::enumeration("IDL:E:1.0", "E", ["A", "B"]);
    assert_eq!(union(small.clone(), None, &[0]).unused_label(), Some(1));
    assert_eq!(union(small, None, &[1, 0]).unused_label(), None);
    let octets: Vec<i64> = (0..256).rev().collect();
    assert_eq!(union(TypeCode::Octet, None, &octets).unused_label(), None);
    assert_eq!(union(TypeCode::Short, None, &octets).unused_label(), Some(256));
    let upper: Vec<i64> = (0..=i64::from(i16::MAX)).chain([-1, -3]).collect();
    assert_eq!(union(TypeCode::Short, None, &upper).unused_label(), Some(-2));
}

#[test]
fn an_incomplete_type_is_not_written() {
    let open = TypeCode::sequence(TypeCode::recursive("IDL:Nowhere:1.0"), 0);
    let error = open.encode(&mut Encoder::new(ByteOrder::NATIVE)).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::IncompleteTypeCode);
}
