//! TypeCodes that are small but expensive, in a request to a live server. The server answers each
//! soon, with an exception or the value, and the connection stays open.

#[path = "../../../crates/armilla-cdr/tests/random/deep.rs"]
mod deep;

use armilla::dynamic::{DynAny, DynamicServant, ParameterMode, ServerRequest, serve};
use armilla::{Any, ExceptionKind, ObjectId, SystemException, TypeCode, Version};
use armilla_cdr::{ByteOrder, Decode, Encode, Encoder};
use armilla_giop::{Message, ReplyStatus, SystemExceptionBody, decode_reply};
use armilla_tests::orbs;
use armilla_tests::peer::{Wire, request};
use deep::messages;
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// Gives back the any that it gets.
struct Parrot;

impl DynamicServant for Parrot {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:armilla.org/Parrot:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let given = request.arguments([(ParameterMode::In, TypeCode::Any)])?;
        let given = given[0].value().cloned().unwrap_or_default();
        request.set_result(given)
    }
}

/// Many times what any of this takes on a machine that does something else as well; what such types
/// cost where they are not stopped is minutes and more.
const SOON: Duration = Duration::from_secs(60);

/// What the server answers to each of these arguments, one request behind the other on one
/// connection.
fn answers(arguments: &[Vec<u8>]) -> Vec<Result<Any, ExceptionKind>> {
    let orb = orbs::listening();
    let parrot = orb.root_poa().activate(serve(Parrot)).unwrap();
    let key = parrot.object().ior().iiop_profiles().next().unwrap().unwrap().object_key;
    let (host, port) = orb.published_addresses().unwrap()[0].clone();
    let mut wire = Wire::connect((&host, port));
    let answers = arguments.iter().map(|arguments| {
        let call = request(Version::V1_2, ByteOrder::NATIVE, &key, "repeat", |out| {
            out.copy_raw(arguments);
            Ok(())
        });
        let start = Instant::now();
        wire.send(&call);
        let reply = wire.message().expect("the server closed the connection");
        assert!(start.elapsed() < SOON, "{:?} for {} octets", start.elapsed(), call.len());
        let message = Message::parse(&reply).unwrap().unwrap();
        let (header, mut body) = decode_reply(&message).unwrap();
        match header.status {
            ReplyStatus::NoException => Ok(Any::decode(&mut body).unwrap()),
            _ => {
                let body = SystemExceptionBody::decode(&mut body).unwrap();
                Err(ExceptionKind::from_repository_id(&body.id))
            }
        }
    });
    let answers = answers.collect();
    orb.shutdown();
    answers
}

/// The octets of what `encode` writes at the beginning of arguments.
fn octets(value: &impl Encode) -> Vec<u8> {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    value.encode(&mut out).unwrap();
    out.to_vec()
}

/// 800 KB: sequences within sequences, each an encapsulation in the one before.
fn nested() -> Vec<u8> {
    let level = |level: u32| [19, (66_000 - level) * 12 - 8, u32::from(ByteOrder::NATIVE.flag())];
    (0..66_000).flat_map(level).flat_map(u32::to_ne_bytes).collect()
}

/// Nested structs of two sequences of the same struct: a small type with 2^30 paths, and a value of
/// 8 octets.
fn branching() -> Any {
    let mut code = TypeCode::Long;
    for level in 0..30 {
        let (name, part) = (format!("Level{level}"), TypeCode::sequence(code, 0));
        let id = format!("IDL:{name}:1.0");
        code = TypeCode::structure(&id, &name, [("a", part.clone()), ("b", part)]);
    }
    Any::with_type(code, &[0_u32; 2]).unwrap()
}

#[test]
fn small_expensive_types_are_refused_soon_and_the_connection_stays_open() {
    // A type that is nothing but an indirection to itself.
    let endless = [0xffff_ffff_u32, (-4_i32).cast_unsigned()].map(u32::to_ne_bytes).concat();
    let boundless = TypeCode::array(TypeCode::array(TypeCode::Long, u32::MAX), u32::MAX);
    let plain = Any::new(&7).unwrap();
    let got = answers(&[nested(), endless, octets(&boundless), octets(&plain)]);
    let refused = Err(ExceptionKind::Marshal);
    assert_eq!(got, [refused.clone(), refused.clone(), refused, Ok(plain)]);
}

#[test]
fn values_that_nest_without_end_are_refused_soon_and_those_at_the_limit_come_back() {
    // Up to 800 KB each: nested anys, structs, unions, arrays and valuetypes. The argument is an
    // any that contains them.
    for (steps, answered) in [(250, true), (100_000, false)] {
        let messages = messages(steps).into_iter().map(|(_, octets)| octets).collect::<Vec<_>>();
        for (answer, octets) in answers(&messages).iter().zip(&messages) {
            match answered {
                true => assert_eq!(&self::octets(answer.as_ref().unwrap()), octets),
                false => assert_eq!(answer, &Err(ExceptionKind::Marshal)),
            }
        }
    }
    // A type that nests without end, as the type of an any within an any and within a struct.
    let within = |kind: u32| [kind.to_ne_bytes().to_vec(), nested()].concat();
    let plain = Any::new(&7).unwrap();
    assert_eq!(
        answers(&[within(11), within(12), octets(&plain)]),
        [Err(ExceptionKind::Marshal), Err(ExceptionKind::Marshal), Ok(plain)]
    );
}

#[test]
fn a_type_with_many_ways_through_it_is_handled_as_the_few_types_that_it_consists_of() {
    let branching = branching();
    let start = Instant::now();
    let arguments = octets(&branching);
    assert!(arguments.len() < 8 << 10, "{} octets", arguments.len());
    let got = answers(&[arguments]);
    assert_eq!(got, [Ok(branching.clone())]);
    let compact = branching.type_code().compact();
    assert!(compact.is_equivalent(branching.type_code()));
    let tree = DynAny::from_any(&branching).unwrap();
    assert_eq!(tree.to_any().unwrap(), branching);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn a_dyn_any_of_more_elements_than_there_is_memory_is_refused() {
    let start = Instant::now();
    for element in [TypeCode::Long, TypeCode::String(0), TypeCode::array(TypeCode::Octet, 9)] {
        let code = TypeCode::array(TypeCode::array(element, u32::MAX), u32::MAX);
        assert!(DynAny::new(&code).is_err());
    }
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn each_value_of_a_union_costs_the_same_however_many_cases_there_are() {
    const COUNT: i64 = 60_000;
    let cases = (0..COUNT).map(|label| (label, "", TypeCode::Boolean));
    let code = TypeCode::union("IDL:Wide:1.0", "Wide", TypeCode::Long, None, cases);
    let code = TypeCode::sequence(code, 0);
    let mut out = Encoder::new(ByteOrder::NATIVE);
    code.encode(&mut out).unwrap();
    out.put_u32(COUNT as u32);
    for _ in 0..COUNT {
        // The last of the labels.
        out.put_u32(COUNT as u32 - 1);
        out.put_bool(true);
    }
    let octets = out.to_vec();
    let start = Instant::now();
    let got = answers(&[octets]).remove(0).unwrap();
    assert_eq!(DynAny::from_any(&got).unwrap().component_count(), COUNT as usize);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

/// Empty lists whose elements may take no octets, as most of their members suggest.
#[test]
fn an_empty_list_costs_the_same_whatever_its_elements_would_consist_of() {
    const COUNT: u32 = 200_000;
    let nothing = TypeCode::structure::<&str>("IDL:Nothing:1.0", "", []);
    let last = [("last", TypeCode::Long)];
    let members = std::iter::repeat_n(("", nothing), 990).chain(last);
    let element = TypeCode::structure("IDL:Element:1.0", "", members);
    let mut out = Encoder::new(ByteOrder::NATIVE);
    TypeCode::sequence(TypeCode::sequence(element, 0), 0).write(&mut out).unwrap();
    out.put_u32(COUNT);
    (0..COUNT).for_each(|_| out.put_u32(0));
    let octets = out.to_vec();
    let start = Instant::now();
    let got = answers(&[octets]).remove(0).unwrap();
    assert_eq!(DynAny::from_any(&got).unwrap().component_count(), COUNT as usize);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}
