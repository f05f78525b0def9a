//! Anys in which values are of types that inherit from the declared ones, which the TypeCode of the any
//! does not describe.

use armilla::dynamic::{DynAny, DynamicServant, ServerRequest, serve};
use armilla::dynamic::{NamedValue, ParameterMode};
use armilla::{Any, Error, ExceptionKind, Minor, Orb, SystemException, TypeCode, Value};
use armilla_cdr::{ByteOrder, CdrErrorKind, Decode, Decoder, Encode, Encoder, Typed};
use armilla_tests::orbs::{client, listening, travel_object};
use armilla_tests::values::*;

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
    let mut out = Encoder::new(order);
    any.encode(&mut out).unwrap();
    let octets = out.to_vec();
    Any::decode(&mut Decoder::new(&octets, order).with_context(orb)).map_err(|error| error.kind)
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
    assert_eq!(any.types_beyond(), [Document::type_code()]);
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
fn values_whose_type_is_not_known_are_truncated_if_they_may_be_and_else_refused() {
    let orb = client();
    let truncated = arrived(&Any::new(&pair()).unwrap(), &orb, ByteOrder::Big).unwrap();
    let pair = truncated.get::<Pair>().unwrap().unwrap();
    assert_eq!((title(&pair.first), title(&pair.second)), (None, None));
    assert_eq!(pair.second.unwrap().get().number, 2);

    let labelled = Labelled { base: Circle { radius: 2.0 }, ..Labelled::default() };
    let circles = vec![Some(Value::new(labelled).upcast::<Circle>())];
    let any = Any::new(&circles).unwrap();
    let refused = arrived(&any, &orb, ByteOrder::Little);
    assert_eq!(refused, Err(CdrErrorKind::UnknownValueType));
    orb.register_value::<Labelled>();
    let circles = arrived(&any, &orb, ByteOrder::Little).unwrap();
    let circles = circles.get::<Vec<CircleRef>>().unwrap().unwrap();
    assert_eq!(circles[0].as_ref().unwrap().repository_id(), "IDL:armilla.org/Values/Labelled:1.0");
}

#[test]
fn values_of_abstract_types_go_into_anys() {
    let shape: ShapeRef = Some(Value::new(Circle { radius: 1.0 }).upcast());
    let any = Any::with_type(Shape::type_code(), &shape).unwrap();
    let orb = client();
    orb.register_value::<Circle>();
    let copy = arrived(&any, &orb, ByteOrder::Big).unwrap();
    let circle = copy.get::<ShapeRef>().unwrap().flatten().unwrap().downcast::<Circle>();
    assert_eq!(circle.unwrap().get().radius, 1.0);
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
    assert_eq!(node.types_beyond(), [Document::type_code()]);
    assert_eq!(title(&node.get::<NodeRef>().unwrap().flatten()).as_deref(), Some("first"));
}

/// Gives back what it is given, a `Pair`.
struct Echo;

impl DynamicServant for Echo {
    fn primary_interface(&self) -> &str {
        "IDL:Echo:1.0"
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let given = request.arguments([(ParameterMode::In, Pair::type_code())])?;
        let given = given[0].value().cloned().unwrap_or_default();
        request.set_result(given)
    }
}

#[test]
fn dynamic_calls_carry_derived_values_where_both_sides_know_them() {
    let (server, client) = (listening(), client());
    let echo = server.root_poa().activate(serve(Echo)).unwrap();
    let far = travel_object(echo.object(), &client);
    let mut request = far.request("echo");
    request.add(NamedValue::with_value("pair", ParameterMode::In, Any::new(&pair()).unwrap()));
    request.set_return_type(Pair::type_code());
    client.register_value::<Document>();
    request.invoke().unwrap();
    let pair = request.return_value().get::<Pair>().unwrap().unwrap();
    assert_eq!(title(&pair.first), None, "the server does not know documents");
    server.register_value::<Document>();
    request.invoke().unwrap();
    check_pair(request.return_value());
    server.shutdown();
}

#[test]
fn a_value_that_nobody_knows_is_refused_as_one_without_a_factory() {
    let server = listening();
    let echo = server.root_poa().activate(serve(Echo)).unwrap();
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
    assert_eq!((refused.kind(), refused.minor()), (ExceptionKind::Marshal, Minor::OMG_1));
    server.shutdown();
}
