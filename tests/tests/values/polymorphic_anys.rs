//! Anys whose values have types derived from the declared ones, which the TypeCode of the any does
//! not describe.

use armilla::dynamic::{DynAny, DynAnyError, DynamicServant, ServerRequest, serve};
use armilla::dynamic::{NamedValue, ParameterMode};
use armilla::{Any, Error, ExceptionKind, Minor, ObjectId, Orb, SystemException, TypeCode, Value};
use armilla_cdr::{ByteOrder, CdrErrorKind, CodeSet, Decode, Decoder, Encode, Encoder, Typed};
use armilla_tests::orbs::{client, listening, travel_object};
use armilla_tests::values::*;
use std::borrow::Cow;

fn document(number: i32, title: &str) -> Value<Document> {
    let base = Node { number, ..Node::default() };
    Value::new(Document { base, title: title.to_owned(), ..Document::default() })
}

/// Two documents where nodes are declared; the second leads to the first.
fn pair() -> Pair {
    let first = document(1, "first");
    let second = document(2, "second");
    second.update(|second| second.base.next = Some(first.upcast()));
    Pair { first: Some(first.upcast()), second: Some(second.upcast()) }
}

/// What arrives of an any at a program that knows the types of `orb`.
fn arrived(any: &Any, orb: &Orb, order: ByteOrder) -> Result<Any, CdrErrorKind> {
    let mut out = Encoder::with_buffer(Vec::new(), order, CodeSet::Utf8);
    any.encode(&mut out).unwrap();
    let octets = out.to_vec();
    let input = Decoder::new(&octets, order).with_code_set(CodeSet::Utf8);
    Any::decode(&mut input.with_context(orb)).map_err(|error| error.kind)
}

fn title(node: &NodeRef) -> Option<String> {
    let document = node.as_ref()?.downcast::<Document>()?;
    Some(document.get().title.clone())
}

fn check_pair(any: &Any) {
    let pair = any.get::<Pair>().unwrap().unwrap();
    assert_eq!(title(&pair.first).as_deref(), Some("first"));
    assert_eq!(title(&pair.second).as_deref(), Some("second"));
    assert!(pair.second.unwrap().get().next == pair.first, "it is shared");
}

#[test]
fn an_any_keeps_what_derived_values_have_beyond_the_declared_type() {
    let any = Any::new(&pair()).unwrap();
    assert_eq!(any.type_code(), &Pair::type_code());
    assert_eq!(any.dynamic_types(), [Document::type_code()]);
    check_pair(&any);
    let orb = client();
    orb.register_value::<Document>();
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let copy = arrived(&any, &orb, order).unwrap();
        check_pair(&copy);
        assert_eq!(copy, any);
        check_pair(&arrived(&copy, &orb, order).unwrap());
    }
    let nested = Any::new(&vec![any.clone(), any]).unwrap();
    let copy = arrived(&nested, &orb, ByteOrder::Big).unwrap();
    copy.get::<Vec<Any>>().unwrap().unwrap().iter().for_each(check_pair);
}

#[test]
fn values_whose_type_is_not_known_stay_whole_if_they_lie_in_chunks_and_else_are_refused() {
    let orb = client();
    let any = Any::new(&pair()).unwrap();
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let passed = arrived(&any, &orb, order).unwrap();
        assert_eq!(passed.dynamic_types(), [], "documents are not known");
        check_pair(&passed);
        check_pair(&arrived(&passed, &orb, order).unwrap());
        // Who looks into it sees what is known.
        let mut tree = DynAny::from_any(&passed).unwrap();
        let first = tree.component(0).unwrap();
        assert_eq!(first.component_count(), Node::type_code().member_count().unwrap());
        let refused = DynAny::from_any_without_truncation(&passed).unwrap_err();
        assert_eq!(refused, DynAnyError::MustTruncate);
    }
    assert!(DynAny::from_any_without_truncation(&any).is_ok(), "documents are known here");

    let labelled = Labelled { base: Circle { radius: 2.0 }, ..Labelled::default() };
    let cycles = vec![Some(Value::new(labelled).upcast::<Circle>())];
    let any = Any::new(&cycles).unwrap();
    let refused = arrived(&any, &orb, ByteOrder::Little);
    assert_eq!(refused, Err(CdrErrorKind::UnknownValueType));
    orb.register_value::<Labelled>();
    let cycles = arrived(&any, &orb, ByteOrder::Little).unwrap();
    let cycles = cycles.get::<Vec<CircleRef>>().unwrap().unwrap();
    assert_eq!(cycles[0].as_ref().unwrap().repository_id(), "IDL:armilla.org/Values/Labelled:1.0");
}

#[test]
fn values_of_abstract_types_go_into_anys() {
    let shape: ShapeRef = Some(Value::new(Circle { radius: 1.0 }).upcast());
    let any = Any::with_type(Shape::type_code(), &shape).unwrap();
    let orb = client();
    orb.register_value::<Circle>();
    let copy = arrived(&any, &orb, ByteOrder::Big).unwrap();
    let cycle = copy.get::<ShapeRef>().unwrap().flatten().unwrap().downcast::<Circle>();
    assert_eq!(cycle.unwrap().get().radius, 1.0);
}

#[test]
fn dynamic_values_have_the_types_of_what_is_in_them() {
    let any = Any::new(&pair()).unwrap();
    let mut tree = DynAny::from_any(&any).unwrap();
    let mut first = tree.component(0).unwrap();
    let value = first.as_value().unwrap();
    assert_eq!(value.value_type(), Some(Document::type_code()));
    assert_eq!(value.member_names()[3], "title");
    first.component(3).unwrap().insert_string("first").unwrap();
    let shared = first.clone();
    drop(first);
    assert_eq!(tree.to_any().unwrap(), any);
    check_pair(&tree.to_any().unwrap());
    check_pair(&tree.copy().unwrap().to_any().unwrap());
    // A value of another whole, where a node is declared.
    let mut node = DynAny::new(&Node::type_code()).unwrap();
    node.as_value().unwrap().share(&shared).unwrap();
    let node = node.to_any().unwrap();
    assert_eq!(node.dynamic_types(), [Document::type_code()]);
    assert_eq!(title(&node.get::<NodeRef>().unwrap().flatten()).as_deref(), Some("first"));
}

/// Gives back what it is given, a value of this type.
struct Echo(TypeCode);

impl DynamicServant for Echo {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:Echo:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let given = request.arguments([(ParameterMode::In, self.0.clone())])?;
        let given = given[0].value().cloned().unwrap_or_default();
        request.set_result(given)
    }
}

#[test]
fn dynamic_calls_carry_derived_values_whether_or_not_the_server_knows_them() {
    let (server, client) = (listening(), client());
    let echo = server.root_poa().activate(serve(Echo(Pair::type_code()))).unwrap();
    let far = travel_object(echo.object(), &client);
    let mut request = far.request("echo");
    request.add(NamedValue::with_value("pair", ParameterMode::In, Any::new(&pair()).unwrap()));
    request.set_return_type(Pair::type_code());
    client.register_value::<Document>();
    request.invoke().unwrap();
    check_pair(request.return_value());
    server.register_value::<Document>();
    request.invoke().unwrap();
    check_pair(request.return_value());
    server.shutdown();
}

/// A value that its own type marshals, with a node in it that leads back to itself.
fn sealed(text: &str) -> SealedRef {
    let inside = Value::new(Node { number: 6, ..Node::default() });
    inside.update(|node| node.next = Some(inside.clone()));
    Some(Value::new(Sealed { text: text.to_owned(), inside: Some(inside) }))
}

fn check_sealed(sealed: &SealedRef, text: &str) {
    let sealed = sealed.as_ref().unwrap().get();
    let inside = sealed.inside.as_ref().unwrap();
    assert_eq!((sealed.text.as_str(), inside.get().number), (text, 6));
    assert!(inside.get().next == sealed.inside, "it leads back to itself");
    inside.update(|node| node.next = None);
}

#[test]
fn custom_values_go_into_anys_and_come_out_of_them() {
    for text in ["", "abc", "abcd", "abcdefgh"] {
        let any = Any::new(&sealed(text)).unwrap();
        assert_eq!(any.type_code(), &Sealed::type_code());
        check_sealed(&any.get().unwrap().unwrap(), text);
        let nested = Any::new(&vec![any.clone(), Any::new(&1_u8).unwrap(), any.clone()]).unwrap();
        let nested = arrived(&nested, &client(), ByteOrder::NATIVE).unwrap();
        let nested = nested.get::<Vec<Any>>().unwrap().unwrap();
        assert_eq!((&nested[0], &nested[2]), (&any, &any));
        check_sealed(&nested[2].get().unwrap().unwrap(), text);
    }
    let null = Any::new(&SealedRef::None).unwrap();
    assert_eq!(
        arrived(&null, &client(), ByteOrder::Big).unwrap().get::<SealedRef>(),
        Ok(Some(None))
    );
}

#[test]
fn custom_values_pass_through_programs_that_do_not_know_them() {
    let (server, client) = (listening(), client());
    let echo = server.root_poa().activate(serve(Echo(Sealed::type_code()))).unwrap();
    let far = travel_object(echo.object(), &client);
    for text in ["", "abc", "abcdefg"] {
        let mut request = far.request("echo");
        request.add_in("sealed", Any::new(&sealed(text)).unwrap());
        request.set_return_type(Sealed::type_code());
        request.invoke().unwrap();
        check_sealed(&request.return_value().get().unwrap().unwrap(), text);
    }
    server.shutdown();
}

/// A custom value as a program with this byte order sends it.
fn sealed_there(order: ByteOrder, text: &str) -> Any {
    let mut out = Encoder::with_buffer(Vec::new(), order, CodeSet::Utf8);
    let sealed = sealed(text);
    Sealed::type_code().write(&mut out).unwrap();
    sealed.encode(&mut out).unwrap();
    let octets = out.to_vec();
    Any::decode(&mut Decoder::new(&octets, order).with_code_set(CodeSet::Utf8)).unwrap()
}

#[test]
fn custom_values_without_chunks_as_jacorb_writes_them_are_read_by_their_types() {
    let state = |order, code_set| {
        let mut out = Encoder::with_buffer(Vec::new(), order, code_set);
        Sealed::type_code().write(&mut out).unwrap();
        out.put_u32(0x7fff_ff02);
        out.put_string("IDL:armilla.org/Values/Sealed:1.0").unwrap();
        out.put_null_value();
        out.put_string("Ærø").unwrap();
        out.to_vec()
    };
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let octets = state(order, CodeSet::Iso8859_1);
        let orb = client();
        assert!(Any::decode(&mut Decoder::new(&octets, order).with_context(&orb)).is_err());
        orb.register_value::<Sealed>();
        let any = Any::decode(&mut Decoder::new(&octets, order).with_context(&orb)).unwrap();
        assert_eq!(
            any,
            Any::new(&Some(Value::new(Sealed { text: "ørÆ".into(), inside: None }))).unwrap()
        );
    }
}

#[test]
fn a_message_takes_the_byte_order_of_opaque_values() {
    let (server, client) = (listening(), client());
    let near = server.root_poa().activate(serve(Echo(TypeCode::Any))).unwrap();
    let far = travel_object(near.object(), &client);
    for object in [&far, near.object()] {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let any = Any::new(&sealed_there(order, "there")).unwrap();
            let mut request = object.request("echo");
            request.add_in("any", any.clone());
            request.set_return_type(TypeCode::Any);
            for _ in 0..2 {
                request.invoke().unwrap();
                assert_eq!(request.return_value(), &any);
            }
            let later = request.send_deferred().wait().unwrap();
            let echoed = later.result.get::<Any>().unwrap().unwrap();
            check_sealed(&echoed.get().unwrap().unwrap(), "there");
        }
    }
    let both = [ByteOrder::Big, ByteOrder::Little].map(|order| sealed_there(order, "there"));
    let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::NATIVE, CodeSet::Utf8);
    let refused = both.iter().try_for_each(|any| any.encode(&mut out)).unwrap_err();
    assert_eq!(refused.kind, CdrErrorKind::OtherByteOrder);
    server.shutdown();
}

#[test]
fn dynamic_values_cannot_look_into_custom_ones() {
    let any = Any::new(&sealed("text")).unwrap();
    let refused = DynAny::from_any(&any).unwrap_err();
    assert!(matches!(refused, DynAnyError::InconsistentTypeCode(_)), "{refused:?}");
    let members = [("number", TypeCode::Long), ("sealed", Sealed::type_code())];
    let mut whole = DynAny::new(&TypeCode::structure("IDL:S:1.0", "S", members)).unwrap();
    let mut inner = whole.component(1).unwrap();
    let refused = inner.as_value().unwrap().set_to_value().unwrap_err();
    assert!(matches!(refused, DynAnyError::InconsistentTypeCode(_)), "{refused:?}");
    assert!(inner.as_value().unwrap().is_null());
    drop(inner);
    let whole = whole.to_any().unwrap();
    assert!(DynAny::from_any(&whole).is_ok(), "null is of every type");
}

#[test]
fn a_value_of_an_unknown_type_is_refused_for_want_of_a_factory() {
    let server = listening();
    let echo = server.root_poa().activate(serve(Echo(Pair::type_code()))).unwrap();
    let far = travel_object(echo.object(), &client());
    let state = [("number", TypeCode::Long, true)];
    let strange = TypeCode::value("IDL:Strange:1.0", "Strange", 0, Node::type_code(), state);
    let mut made = DynAny::new(&strange).unwrap();
    made.as_value().unwrap().set_to_value().unwrap();
    let mut pair = DynAny::new(&Pair::type_code()).unwrap();
    pair.component(0).unwrap().as_value().unwrap().share(&made).unwrap();
    let mut request = far.request("echo");
    request.add_in("pair", pair.to_any().unwrap());
    request.set_return_type(Pair::type_code());
    let Err(Error::System(refused)) = request.invoke() else { panic!("it is not known") };
    assert_eq!(
        (refused.kind(), refused.minor()),
        (ExceptionKind::Marshal, Minor::MARSHAL_NO_VALUE_FACTORY)
    );
    server.shutdown();
}
