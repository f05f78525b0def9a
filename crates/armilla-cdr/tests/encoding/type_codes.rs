//! TypeCodes that a program makes while it runs, and what they say of themselves.

use armilla_cdr::type_code::{
    TypeCodeErrorKind as Kind, TypeCodeFactory as Factory, TypeIndex, UnionCode, UnionMember,
};
use armilla_cdr::{Any, ByteOrder, CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};
use armilla_cdr::{TypeCode, TypeCodeKind};
use std::sync::Arc;

fn case(label: Option<i64>, name: &str, ty: TypeCode) -> UnionMember {
    UnionMember { label, name: name.into(), ty }
}

#[test]
fn types_that_break_a_rule_are_not_created() {
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
    let boxed = Factory::create_value_box_tc("IDL:B:1.0", "B", TypeCode::String(0)).unwrap();
    let alias = Factory::create_alias_tc("IDL:A:1.0", "A", boxed).unwrap();
    assert_eq!(kind(Factory::create_value_box_tc("IDL:C:1.0", "C", alias)), Some(Kind::Member));
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
    let half = case(Some(0xd800), "a", TypeCode::Long);
    assert_eq!(kind(TypeCode::WChar, &[half]), Some(Kind::LabelType), "no character");
    let default = case(None, "c", TypeCode::Any);
    let again = case(None, "d", TypeCode::Any);
    assert_eq!(kind(TypeCode::Long, &[default.clone(), again]), Some(Kind::DuplicateLabel));
    let other = case(Some(2), "a", TypeCode::Short);
    assert_eq!(kind(TypeCode::Long, &[a.clone(), other]), Some(Kind::MemberName), "another type");
    let again = case(Some(2), "a", TypeCode::Long);
    let union = make(TypeCode::Long, &[a, again, default]).unwrap();
    assert_eq!(union.member_count(), Some(3), "one for each label");
    assert_eq!(union.default_index(), Some(2));
    assert_eq!(union.member_label(1).unwrap().get::<i32>().unwrap(), Some(2));
    assert_eq!(union.member_label(2).unwrap(), Any::new(&0_u8).unwrap());
    assert_eq!(union.member_label(3), None);
}

#[test]
fn a_type_lists_its_parts() {
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
    let object = TypeCode::object_reference("IDL:omg.org/CORBA/Object:1.0", "Object");
    let account = TypeCode::object_reference("IDL:Bank/Account:1.0", "Account");
    let customer = TypeCode::alias("IDL:Customer:1.0", "Customer", account.clone());
    assert!(customer.is_derived_from(&object) && !object.is_derived_from(&account));
    assert!(TypeCode::home("IDL:H:1.0", "H").is_derived_from(&object));
    let abstraction = TypeCode::abstract_interface("IDL:A:1.0", "A");
    assert!(!abstraction.is_derived_from(&object) && !value.is_derived_from(&object));
    let array = Factory::create_array_tc(3, TypeCode::Any).unwrap();
    assert_eq!((array.length(), array.content_type()), (Some(3), Some(&TypeCode::Any)));
    assert_eq!(array.id(), None);
    assert_eq!(TypeCode::Long.member_count(), None);
    let compact = value.compact();
    assert_eq!((compact.id(), compact.name()), (Some("IDL:V:1.0"), Some("")));
    assert_eq!(compact.member_name(0), Some(""));
    assert!(compact != value && compact.is_equivalent(&value));
}

fn octets(code: &TypeCode) -> CdrResult<Vec<u8>> {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    code.encode(&mut out)?;
    Ok(out.to_vec())
}

fn read(octets: &[u8]) -> CdrResult<TypeCode> {
    TypeCode::decode(&mut Decoder::new(octets, ByteOrder::NATIVE))
}

#[test]
fn a_type_that_nests_too_deep_is_not_written_and_not_made() {
    let deep = |levels| (0..levels).fold(TypeCode::Long, |ty, _| TypeCode::sequence(ty, 0));
    assert!(octets(&deep(64)).is_ok());
    assert_eq!(octets(&deep(65)).unwrap_err().kind, CdrErrorKind::TooDeep { limit: 64 });
    assert!(Factory::create_sequence_tc(0, deep(63)).is_ok());
    assert!(Factory::create_struct_tc("", "", [("a", deep(63)), ("b", deep(3))]).is_ok());
    let error = Factory::create_sequence_tc(0, deep(64)).unwrap_err();
    assert_eq!(error.kind, Kind::TooDeep);
    let error = Factory::create_struct_tc("", "", [("a", deep(3)), ("b", deep(64))]).unwrap_err();
    assert_eq!(error.kind, Kind::TooDeep);
}

/// A struct of so many members, each of them `height` sequences around the one before, to which an
/// indirection leads.
fn ladder(members: usize, height: usize) -> Vec<u8> {
    let flag = u32::from(ByteOrder::NATIVE.flag());
    let mut words = vec![15, 0, flag, 4, u32::from_ne_bytes(*b"L:1\0"), 1, 0, members as u32];
    let mut above = None;
    for _ in 0..members {
        words.extend([1, 0]);
        let top = words.len();
        let innermost = 1 + u32::from(above.is_some());
        let level = |within: u32| [19, 4 * (1 + 4 * within + innermost + 1), flag];
        words.extend((0..height as u32).rev().flat_map(level));
        match above {
            None => words.push(3),
            Some(above) => {
                words.push(0xffff_ffff);
                words.push((4 * (above as i32 - words.len() as i32)).cast_unsigned());
            }
        }
        words.resize(words.len() + height, 0);
        above = Some(top);
    }
    words[1] = 4 * (words.len() as u32 - 2);
    words.into_iter().flat_map(u32::to_ne_bytes).collect()
}

#[test]
fn what_an_indirection_leads_to_counts_for_the_depth() {
    let crafted = ladder(9, 7);
    let code = read(&crafted).unwrap();
    assert_eq!(octets(&code).unwrap(), crafted, "63 sequences in a struct");
    for (members, height) in [(2, 32), (20_000, 60)] {
        let error = read(&ladder(members, height)).unwrap_err();
        assert_eq!(error.kind, CdrErrorKind::TooDeep { limit: 64 });
    }
    // The same in memory, where nothing hinders it.
    let wrap = |ty| (0..32).fold(ty, |ty, _| TypeCode::sequence(ty, 0));
    let rung = wrap(TypeCode::Long);
    let code = TypeCode::structure("L:1", "", [("", rung.clone()), ("", wrap(rung))]);
    assert_eq!(octets(&code).unwrap_err().kind, CdrErrorKind::TooDeep { limit: 64 });
}

#[test]
fn a_shared_part_of_any_kind_is_written_once() {
    let colour = TypeCode::enumeration("IDL:C:1.0", "C", (0..100).map(|n| format!("colour_{n}")));
    let account = TypeCode::object_reference("IDL:A:1.0", "A");
    for part in [colour, account, TypeCode::sequence(TypeCode::Long, 3)] {
        let many = (0..100).map(|n| (format!("m{n}"), part.clone()));
        let many = TypeCode::structure("IDL:S:1.0", "S", many);
        let written = octets(&many).unwrap();
        assert!(written.len() < octets(&part).unwrap().len() + 100 * 20, "{}", written.len());
        assert_eq!(read(&written).unwrap(), many);
    }
}

#[test]
fn parts_that_share_memory_and_differ_are_not_taken_for_each_other() {
    let element = Arc::new(TypeCode::structure("IDL:S:1.0", "S", [("a", TypeCode::Long)]));
    let codes = [
        TypeCode::Sequence(element.clone(), 0),
        TypeCode::Sequence(element.clone(), 5),
        TypeCode::Array(element, 5),
    ];
    let names = ["a", "b", "c"];
    let code = TypeCode::structure("IDL:T:1.0", "T", names.into_iter().zip(codes));
    let back = read(&octets(&code).unwrap()).unwrap();
    assert_eq!(back, code);
    let lengths: Vec<_> = (0..3).map(|n| back.member_type(n).and_then(TypeCode::length)).collect();
    assert_eq!(lengths, [Some(0), Some(5), Some(5)]);
    assert!(back.member_type(1) != back.member_type(2), "a sequence is no array");
    assert!(back.compact().is_equivalent(&code));
}

#[test]
fn a_type_without_a_repository_id_may_contain_itself() {
    // A struct that contains a sequence of itself.
    let flag = u32::from(ByteOrder::NATIVE.flag());
    let nameless = [1, 0, 1, 0];
    let head = [15, 56, flag];
    let sequence = [19, 16, flag, 0xffff_ffff, (-56_i32).cast_unsigned(), 0];
    let words = [&head[..], &nameless, &[1, 1, 0], &sequence].concat();
    let octets_of = |words: &[u32]| words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let crafted: Vec<u8> = octets_of(&words);
    let code = read(&crafted).unwrap();
    assert_eq!(code.member_type(0).unwrap().content_type(), Some(&TypeCode::recursive("")));
    assert_eq!(octets(&code).unwrap(), crafted);
    // Within another of the kind, by which it cannot be named any more.
    let inner = [15, 56, flag, 1, 0, 1, 0, 1, 1, 0, 19, 16, flag, 0xffff_ffff];
    let outward = [(-96_i32).cast_unsigned(), 0];
    let words = [&[15, 96, flag][..], &nameless, &[1, 1, 0], &inner, &outward].concat();
    let error = read(&octets_of(&words)).unwrap_err();
    assert!(error.to_string().contains("same repository id"), "{error}");
}

#[test]
fn a_type_with_many_paths_is_shown_by_its_parts() {
    let double = |code: TypeCode, level: u32| {
        let id = format!("IDL:Level{level}:1.0");
        TypeCode::structure(id, "", [("a", code.clone()), ("b", code)])
    };
    let code = (0..60).fold(TypeCode::Long, double);
    let shown = format!("{code:?}");
    assert!(shown.len() < 10_000, "{}", shown.len());
    assert!(shown.starts_with("Struct { id: \"IDL:Level59:1.0\", name: \"\", members: [(\"a\", "));
    assert!(shown.ends_with("(\"b\", Struct(\"IDL:Level58:1.0\"))] }"), "{shown}");
    let again = TypeCode::sequence(TypeCode::array(TypeCode::recursive("IDL:T:1.0"), 3), 0);
    assert_eq!(format!("{again:?}"), "Sequence(Array(Recursive(\"IDL:T:1.0\"), 3), 0)");
    let price = TypeCode::Fixed { digits: 5, scale: 2 };
    assert_eq!(format!("{price:?} {:?}", TypeCode::String(4)), "Fixed(5, 2) String(4)");
}

#[test]
fn a_union_finds_its_cases_and_a_label_that_none_has() {
    let union = |ty: TypeCode, default, labels: &[i64]| {
        let cases = labels.iter().map(|label| (*label, format!("m{label}"), TypeCode::Long));
        match &TypeCode::union("IDL:U:1.0", "U", ty, default, cases) {
            TypeCode::Union(code) => code.clone(),
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

/// Types that a program has nested so deep, one for each way in which types can nest.
fn abysses(depth: usize) -> Vec<TypeCode> {
    let id = |level: usize| format!("IDL:T{level}:1.0");
    let member = |ty| [("m", ty)];
    let wraps: [&dyn Fn(TypeCode, usize) -> TypeCode; 9] = [
        &|ty, _| TypeCode::sequence(ty, 0),
        &|ty, _| TypeCode::array(ty, 1),
        &|ty, level| TypeCode::alias(id(level), "", ty),
        &|ty, level| TypeCode::value_box(id(level), "", ty),
        &|ty, _| TypeCode::structure("", "", member(ty)),
        &|ty, level| TypeCode::exception(id(level), "", member(ty)),
        &|ty, _| TypeCode::union("", "", TypeCode::Long, None, [(1, "", ty)]),
        &|ty, level| TypeCode::value(id(level), "", 0, TypeCode::Null, [("m", ty, true)]),
        &|ty, level| TypeCode::event(id(level), "", 0, ty, [] as [(&str, TypeCode, bool); 0]),
    ];
    let nested =
        |wrap: &&dyn Fn(TypeCode, usize) -> TypeCode| (0..depth).fold(TypeCode::Long, wrap);
    wraps.iter().map(nested).collect()
}

#[test]
fn types_that_a_program_nests_without_end_take_no_stack() {
    let (mut codes, others) = (abysses(25_000), abysses(25_000));
    let alternating = |code, level| match level % 2 {
        0 => TypeCode::sequence(code, 0),
        _ => TypeCode::structure("", "", [("a", TypeCode::Short), ("m", code)]),
    };
    codes.push((0..25_000).fold(TypeCode::Long, alternating));
    for (code, other) in codes.iter().zip(&others) {
        assert_eq!(code, other);
        assert!(code.is_equivalent(other) && code.clone() == *code);
        assert!(!code.is_derived_from(other) || code.is_valuetype());
        let shown = format!("{code:?}");
        assert!(shown.len() < 20_000, "{}", shown.len());
        assert!(code.compact().is_equivalent(code));
        assert_eq!(&code.closed(|_| None), code);
        let count = TypeIndex::new(code).iter().count();
        assert!(count == 0 || count == 25_000, "{count}");
    }
    for code in &codes {
        let too_deep = CdrErrorKind::TooDeep { limit: 64 };
        assert_eq!(octets(code).unwrap_err().kind, too_deep);
        let made = Factory::create_sequence_tc(0, code.clone()).map_err(|error| error.kind);
        assert!(matches!(made, Err(Kind::TooDeep | Kind::Member)), "{made:?}");
        Any::with_type(code.clone(), &0).ok();
        Any::read(code.clone(), &mut Decoder::new(&[0; 64], ByteOrder::NATIVE)).ok();
    }
    // One that several threads have goes with the last of them, whoever that is.
    std::thread::scope(|scope| {
        for code in codes {
            let clones = [code.clone(), code];
            clones.into_iter().for_each(|clone| drop(scope.spawn(move || drop(clone))));
        }
    });
}

#[test]
fn the_label_of_a_default_case_may_be_as_long_as_the_discriminator() {
    for (order, id) in [(ByteOrder::Big, "IDL:U:1.0"), (ByteOrder::Little, "IDL:Union:1.0")] {
        for with_octet in [true, false] {
            let mut body = Encoder::new(order);
            body.put_u8(order.flag());
            body.put_string(id).unwrap();
            body.put_string("U").unwrap();
            TypeCode::LongLong.write(&mut body).unwrap();
            body.put_i32(1);
            body.put_u32(2);
            body.put_i64(i64::MIN);
            body.put_string("low").unwrap();
            TypeCode::Long.write(&mut body).unwrap();
            match with_octet {
                true => body.put_u8(0),
                false => body.put_i64(0),
            }
            body.put_string("").unwrap();
            TypeCode::String(0).write(&mut body).unwrap();
            let mut out = Encoder::new(order);
            out.put_u32(16);
            out.copy_octets(&body.to_vec()).unwrap();
            let cases = [(i64::MIN, "low", TypeCode::Long), (0, "", TypeCode::String(0))];
            let code = TypeCode::union(id, "U", TypeCode::LongLong, Some(1), cases);
            let octets = out.to_vec();
            assert_eq!(
                TypeCode::decode(&mut Decoder::new(&octets, order)),
                Ok(code),
                "{with_octet}"
            );
        }
    }
}

#[test]
fn a_type_that_contains_itself_is_the_same_however_often_it_is_written_out() {
    const ID: &str = "IDL:Tree:1.0";
    let tree = |name: &str, inner| {
        let members = [(name, TypeCode::Long), ("children", TypeCode::sequence(inner, 0))];
        TypeCode::structure(ID, "Tree", members)
    };
    let once = tree("n", TypeCode::recursive(ID));
    let twice = tree("n", once.clone());
    let thrice = TypeCode::alias("IDL:A:1.0", "A", tree("n", twice.clone()));
    for (one, other) in [(&once, &twice), (&twice, &once), (&twice, &tree("n", twice.clone()))] {
        assert_eq!(one, other);
    }
    assert_eq!(thrice, TypeCode::alias("IDL:A:1.0", "A", once.clone()));
    let other = tree("n", tree("m", TypeCode::recursive(ID)));
    for (one, other) in [(&once, &other), (&other, &once), (&twice, &other), (&other, &twice)] {
        assert_ne!(one, other);
    }
    assert_ne!(twice, tree("n", TypeCode::recursive("IDL:Other:1.0")));
    // A part alone stands for nothing.
    assert_ne!(TypeCode::recursive(ID), once);
}
