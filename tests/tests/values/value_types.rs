//! Which values say of which type they are: those of whose type the receiver cannot be sure.

use armilla::codegen::Valuetype;
use armilla::{Abstract, Any, Value, ValueBase};
use armilla_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder, Typed};
use armilla_tests::values::*;

fn tag<T: Encode>(value: &T) -> u32 {
    let mut out = Encoder::new(ByteOrder::Big);
    value.encode(&mut out).unwrap();
    u32::from_be_bytes(*out.to_vec().first_chunk().unwrap())
}

#[test]
fn a_value_says_its_type_where_another_or_none_is_declared() {
    let (report, circle) = (Value::new(Report::default()), Value::new(Circle { radius: 1.0 }));
    let sealed = Some(Value::new(Sealed { text: "abc".to_owned(), inside: None }));
    assert_eq!(tag(&Some(report.clone())), 0x7fff_ff00, "neither ids nor chunks");
    assert_eq!(tag(&Some(report.upcast::<Node>())), 0x7fff_ff0e, "to be truncated");
    assert_eq!(tag(&Some(report.upcast::<ValueBase>())), 0x7fff_ff0e);
    assert_eq!(tag(&Some(circle.upcast::<ValueBase>())), 0x7fff_ff02);
    assert_eq!(tag(&sealed), 0x7fff_ff0a, "what is custom is always in chunks");
    let printable: Option<Abstract<dyn Printable>> = Some(Abstract::Value(circle.upcast()));
    let mut out = Encoder::new(ByteOrder::Big);
    printable.encode(&mut out).unwrap();
    assert_eq!(out.to_vec()[4..8], [0x7f, 0xff, 0xff, 0x02]);
    // The TypeCode of an any may be that of a base.
    let any = Any::with_type(NodeRef::type_code(), &Some(report)).unwrap();
    assert_eq!(any.decoder().u32(), Ok(0x7fff_ff0e));
    let again = any.get::<NodeRef>().unwrap().flatten().unwrap();
    assert_eq!(again.repository_id(), Report::REPOSITORY_ID);
}

/// A receiver reads an argument as a value of the declared type, which the argument need not name.
#[test]
fn a_value_that_is_taken_out_of_a_message_says_its_type() {
    let report = Some(Value::new(Report { author: "A".to_owned(), ..Report::default() }));
    let mut out = Encoder::new(ByteOrder::Big);
    report.encode(&mut out).unwrap();
    let octets = out.to_vec();
    assert_eq!(octets[..4], [0x7f, 0xff, 0xff, 0x00]);
    let read = Any::read(ReportRef::type_code(), &mut Decoder::new(&octets, ByteOrder::Big));
    let mut written = Encoder::new(ByteOrder::Big);
    read.unwrap().write(&mut written).unwrap();
    let written = written.to_vec();
    let node = NodeRef::decode(&mut Decoder::new(&written, ByteOrder::Big)).unwrap().unwrap();
    assert_eq!(node.downcast::<Report>().unwrap().get().author, "A");
}

/// omniORB writes no id in an any, whose TypeCode says the type.
#[test]
fn a_value_without_an_id_in_an_any_is_of_the_type_that_the_type_code_says() {
    let report = Some(Value::new(Report { author: "A".to_owned(), ..Report::default() }));
    let code = ReportRef::type_code();
    let mut out = Encoder::new(ByteOrder::Big);
    code.encode(&mut out).unwrap();
    report.encode(&mut out).unwrap();
    let octets = out.to_vec();
    let any = Any::decode(&mut Decoder::new(&octets, ByteOrder::Big)).unwrap();
    let node = any.get::<NodeRef>().unwrap().flatten().unwrap();
    assert_eq!(node.downcast::<Report>().unwrap().get().author, "A");
}
