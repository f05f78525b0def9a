//! Rare types: structs without members, maps with unordered keys, `Principal`.

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("rare");
}

use armilla::dynamic::DynAny;
use armilla::{
    Any, ByteOrder, CdrErrorKind, Decode, Decoder, Encode, Encoder, SystemException, TypeCode,
};
use armilla_tests::orbs::{client, listening};
use idl::rare::{ByHeight, Hardly, Lists, Nested, Nothing, Owned, Registry, RegistryRef, registry};

struct Desk;

impl Registry for Desk {
    fn owner(&self) -> Result<Vec<u8>, SystemException> {
        Ok(b"me".to_vec())
    }

    fn set_owner(&self, value: &[u8]) -> Result<(), SystemException> {
        assert_eq!(value, b"you");
        Ok(())
    }

    fn swap(
        &self,
        mine: &[u8],
        other: &mut Vec<u8>,
    ) -> Result<(Vec<u8>, Nothing), SystemException> {
        Ok((std::mem::replace(other, mine.to_vec()), Nothing))
    }

    fn sorted(
        &self,
        given: &[(f64, String)],
        changed: &mut Nested,
    ) -> Result<ByHeight, SystemException> {
        changed.push((Hardly::default(), given.to_vec()));
        let mut sorted = given.to_vec();
        sorted.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        Ok(sorted)
    }
}

fn heights() -> ByHeight {
    vec![(2.5, "tall".to_owned()), (0.5, "small".to_owned())]
}

#[test]
fn rare_types_are_passed_like_any_other() {
    let orb = listening();
    let near: RegistryRef = orb.root_poa().activate(registry::tie(Desk)).unwrap();
    let elsewhere = client();
    let far = elsewhere.resolve(&orb.object_to_string(near.object()).unwrap()).unwrap();
    for registry in [near, far] {
        assert_eq!(registry.owner().unwrap(), b"me");
        registry.set_owner(b"you").unwrap();
        let mut other = b"theirs".to_vec();
        assert_eq!(registry.swap(b"mine", &mut other).unwrap(), (b"theirs".to_vec(), Nothing));
        assert_eq!(other, b"mine");
        let mut changed = Nested::new();
        let sorted = registry.sorted(&heights(), &mut changed).unwrap();
        assert_eq!(sorted[0], (0.5, "small".to_owned()));
        assert_eq!(changed, [(Hardly::default(), heights())]);
    }
}

#[test]
fn structs_without_members_take_no_octets_and_lists_of_them_only_a_length() {
    let lists = Lists { nothings: vec![Nothing; 3], few: vec![Hardly::default(); 2] };
    let mut out = Encoder::new(ByteOrder::Big);
    lists.encode(&mut out).unwrap();
    let octets = out.to_vec();
    assert_eq!(octets, [0, 0, 0, 3, 0, 0, 0, 2]);
    assert_eq!(Lists::decode(&mut Decoder::new(&octets, ByteOrder::Big)).unwrap(), lists);

    // Nobody makes four thousand millions of them out of four octets.
    let many = [255, 255, 255, 255, 0, 0, 0, 0];
    let refused = Lists::decode(&mut Decoder::new(&many, ByteOrder::Big)).unwrap_err();
    let kind = CdrErrorKind::BoundExceeded { bound: 65_536, length: 4_294_967_295 };
    assert_eq!(refused.kind, kind);
}

#[test]
fn rare_types_go_into_an_any_and_come_out_of_it() {
    let owned = Owned {
        owner: b"me".to_vec(),
        heights: heights(),
        sorted: vec![(Hardly::default(), heights())],
    };
    let any = Any::new(&owned).unwrap();
    let TypeCode::Struct(code) = any.type_code() else { panic!("{any:?}") };
    assert_eq!(code.members[0].ty, TypeCode::Principal);
    assert_eq!(any.get::<Owned>().unwrap(), Some(owned));

    // As it was read from a message, by its TypeCode.
    let mut out = Encoder::new(ByteOrder::Little);
    any.write(&mut out).unwrap();
    let octets = out.to_vec();
    let mut input = Decoder::new(&octets, ByteOrder::Little);
    assert_eq!(Any::read(any.type_code().clone(), &mut input).unwrap(), any);
}

#[test]
fn an_any_has_no_more_values_without_octets_than_is_reasonable() {
    let nothing = TypeCode::structure::<&str>("IDL:Nothing:1.0", "Nothing", []);
    let few = TypeCode::array(nothing.clone(), 100);
    let read = |code: &TypeCode| Any::read(code.clone(), &mut Decoder::new(&[], ByteOrder::NATIVE));
    assert!(read(&nothing).is_ok() && read(&few).is_ok());
    // Lists of them are only a length, which nothing need follow.
    let lists = Any::new(&Lists { nothings: vec![Nothing; 3], few: vec![] }).unwrap();
    assert_eq!(lists.get::<Lists>().unwrap().unwrap().nothings.len(), 3);
    let mut tree = DynAny::from_any(&lists).unwrap();
    assert_eq!(tree.component(0).unwrap().component_count(), 3);
    assert_eq!(tree.to_any().unwrap(), lists);
    assert_eq!(DynAny::from_json(lists.type_code(), &tree.to_json().unwrap()).unwrap(), tree);
    let one = TypeCode::sequence(TypeCode::array(nothing.clone(), 2), 0);
    let list = |count: u32| Any::with_type(one.clone(), &count);
    assert_eq!(DynAny::from_any(&list(5).unwrap()).unwrap().component_count(), 5);
    assert!(list(500).is_err() && list(u32::MAX).is_err());
    let many = TypeCode::array(few, u32::MAX);
    let refused = read(&many).unwrap_err().to_string();
    assert!(refused.contains("too many values that take no octets"), "{refused}");
}
