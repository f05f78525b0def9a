//! The program of `lab/interop/dynamic-check`: `serve`, `serve dsi`, `call REFERENCE`,
//! `random REFERENCE`, and `call-typed REFERENCE`, which puts no values into anys.

#![allow(missing_docs)]

use armilla::dynamic::{
    Context, DynAny, DynamicServant, ParameterMode, Request, ServerRequest, serve,
};
use armilla::{
    Any, Completion, Error, ExceptionKind, Minor, Object, ObjectId, Orb, SystemException,
};
use armilla::{ByteOrder, Decimal, Decode, Decoder, TypeCode, Typed, Value};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::borrow::Cow;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

#[path = "../../../../crates/armilla-cdr/tests/random/mod.rs"]
mod random;

armilla::include_idl!("mirror");
use r#dyn::*;

type Result<T = (), E = SystemException> = std::result::Result<T, E>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["serve", ..] => {
            let orb = Orb::from_args(arguments.iter().cloned())?;
            let object = match words.get(1) {
                Some(&"dsi") => {
                    orb.root_poa().activate(serve(DynamicGlass::default()))?.object().clone()
                }
                _ => orb.root_poa().activate(mirror::tie(Glass::default()))?.object().clone(),
            };
            println!("{}", orb.object_to_string(&object)?);
            Ok(orb.run()?)
        }
        ["call", reference] => {
            let orb = Orb::new()?;
            let object = orb.string_to_object(reference)?;
            check(&object)?;
            check_context(&object)?;
            Ok(check_stub(&orb.resolve(reference)?)?)
        }
        ["call-typed", reference] => {
            let orb = Orb::new()?;
            check_typed(&orb.string_to_object(reference)?)?;
            Ok(check_stub(&orb.resolve(reference)?)?)
        }
        ["random", reference] => {
            let orb = Orb::new()?;
            check_random(&orb.string_to_object(reference)?)
        }
        _ => panic!("serve [dsi], or call, call-typed or random REFERENCE"),
    }
}

fn refused(given: &Point) -> Refused {
    Refused { reason: "thirteen".to_owned(), place: given.clone() }
}

#[derive(Default)]
struct Glass(AtomicI32);

impl Mirror for Glass {
    fn level(&self) -> Result<i32> {
        Ok(self.0.load(Ordering::Relaxed))
    }

    fn set_level(&self, value: i32) -> Result {
        self.0.store(value, Ordering::Relaxed);
        Ok(())
    }

    fn echo_any(&self, given: &Any, kept: &mut Any) -> Result<Any> {
        Ok(std::mem::replace(kept, given.clone()))
    }

    fn echo_point(
        &self,
        given: &Point,
        kept: &mut Point,
    ) -> Result<(Point, Point), Error<mirror::EchoPointRaises>> {
        match given.tag {
            13 => Err(refused(given).into()),
            _ => Ok((std::mem::replace(kept, given.clone()), given.clone())),
        }
    }

    fn echo_choice(&self, given: &Choice, kept: &mut Choice) -> Result<Choice> {
        Ok(std::mem::replace(kept, given.clone()))
    }

    fn remark(&self, text: &str) -> Result {
        self.set_level(text.len().try_into().unwrap_or(i32::MAX))
    }

    fn placed(&self, given: &str, context: &Context) -> Result<String> {
        Ok(with_properties(given.to_owned(), context))
    }
}

#[derive(Default)]
struct DynamicGlass(AtomicI32);

impl DynamicServant for DynamicGlass {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:Dyn/Mirror:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result {
        use ParameterMode::{In, InOut, Out};
        let (ty, modes) = match request.operation() {
            "echo_any" => (TypeCode::Any, &[In, InOut][..]),
            "echo_choice" => (Choice::type_code(), &[In, InOut][..]),
            "echo_point" => (Point::type_code(), &[In, Out, InOut][..]),
            "_get_level" => {
                request.arguments([])?;
                return request.set_result(Any::new(&self.0.load(Ordering::Relaxed))?);
            }
            "_set_level" => {
                let arguments = request.arguments([(In, TypeCode::Long)])?;
                let level = arguments[0].value().map_or(Ok(None), Any::get::<i32>)?;
                self.0.store(level.unwrap_or_default(), Ordering::Relaxed);
                return Ok(());
            }
            "remark" => {
                let text = request.arguments([(In, TypeCode::String(0))])?[0].value();
                let text: Option<String> = text.map_or(Ok(None), Any::get)?;
                self.0.store(text.map_or(0, |text| text.len() as i32), Ordering::Relaxed);
                return Ok(());
            }
            "placed" => return placed(request),
            _ => {
                let no = ExceptionKind::BadOperation;
                return Err(SystemException::new(
                    no,
                    Minor::BAD_OPERATION_UNKNOWN_OPERATION,
                    Completion::No,
                ));
            }
        };
        let arguments = request.arguments(modes.iter().map(|mode| (*mode, ty.clone())))?;
        let given = arguments[0].value().cloned().unwrap_or_default();
        let kept = arguments[modes.len() - 1].value().cloned().unwrap_or_default();
        if let Some(point @ Point { tag: 13, .. }) = given.get::<Point>()? {
            return request.set_exception(Any::new(&refused(&point))?);
        }
        (1..modes.len()).for_each(|index| request.set_argument(index, given.clone()));
        request.set_result(kept)
    }
}

/// Returns the given text with the context properties for the `context` clause appended.
fn placed(request: &mut ServerRequest<'_, '_>) -> Result {
    let given = request.arguments([(ParameterMode::In, TypeCode::String(0))])?[0].value();
    let text: String = given.map_or(Ok(None), Any::get)?.unwrap_or_default();
    let context = request.context()?;
    request.set_result(Any::new(&with_properties(text, &context))?)
}

/// A text with the context properties for the clause of `placed` appended.
fn with_properties(mut text: String, context: &Context) -> String {
    for pattern in ["user", "sys.*"] {
        for (name, value) in context.get_values(pattern).unwrap_or_default() {
            text.push_str(&format!(" {name}={value}"));
        }
    }
    text
}

fn point(tag: u8) -> Point {
    Point { tag, x: f64::from(tag) / 4.0, name: "wide é€".into() }
}

/// Makes calls by TypeCodes only.
fn check(object: &Object) -> Result<(), Box<dyn std::error::Error>> {
    check_typed(object)?;
    let mut request = object.request("echo_any");
    request
        .add_in("given", Any::new(&Any::default())?)
        .add_inout("kept", Any::new(&Any::default())?);
    request.set_return_type(TypeCode::Any);
    for any in anys()? {
        let code = any.type_code().clone();
        check_any(&mut request, &any).map_err(|error| format!("{code:?}: {error}"))?;
    }
    Ok(())
}

/// Sends properties to a servant that returns them, by a request and by a stub.
fn check_context(object: &Object) -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::new().create_child("session")?;
    context.set_values([("user", "ann"), ("sys.host", "alpha"), ("shell", "zsh")])?;
    let mut request = object.request("placed");
    request.add_in("given", Any::new("here")?).set_return_type(TypeCode::String(0));
    request.set_context(&context, ["user", "sys.*"])?.invoke()?;
    let (placed, expected) =
        (request.return_value().get::<String>()?, "here user=ann sys.host=alpha");
    assert_eq!(placed.as_deref(), Some(expected));
    let mirror: MirrorRef = object.narrow()?;
    assert_eq!(mirror.placed("here", &context)?, expected);
    assert_eq!(mirror.placed("here", &Context::new())?, "here");
    Ok(())
}

/// The checks of values with declared types.
fn check_typed(object: &Object) -> Result<(), Box<dyn std::error::Error>> {
    let mut request = object.request("echo_point");
    request.add_in("given", Any::new(&point(7))?).add_out("copy", Point::type_code());
    request.add_inout("kept", Any::new(&point(1))?);
    request.set_return_type(Point::type_code()).add_exception(Refused::type_code());
    request.invoke()?;
    assert_eq!(request.return_value().get::<Point>()?, Some(point(1)));
    for returned in &request.arguments()[1..] {
        assert_eq!(returned.value().unwrap().get::<Point>()?, Some(point(7)));
    }
    request.set_argument(0, Any::new(&point(13))?);
    let Err(Error::User(raised)) = request.invoke() else { panic!("nothing was raised") };
    assert_eq!(raised.exception.get::<Refused>()?.unwrap().place, point(13));
    let mut request = object.request("_set_level");
    request.add_in("value", Any::new(&42)?).invoke()?;
    let mut request = object.request("_get_level");
    request.set_return_type(TypeCode::Long).invoke()?;
    assert_eq!(request.return_value().get::<i32>()?, Some(42));
    object.request("remark").add_in("text", Any::new("five!")?).send_oneway()?;
    let end = Instant::now() + Duration::from_secs(20);
    while request.return_value().get::<i32>()? != Some(5) {
        assert!(Instant::now() < end, "the oneway did not arrive");
        request.invoke()?;
    }
    Ok(())
}

/// Sends an any and compares the returned one.
fn check_any(request: &mut Request, any: &Any) -> Result<(), Box<dyn std::error::Error>> {
    request.set_argument(0, Any::new(any)?).set_argument(1, Any::new(&Any::default())?);
    request.invoke()?;
    let back: Any = request.arguments()[1].value().unwrap().get()?.unwrap();
    assert_eq!(back.type_code(), any.type_code());
    assert_eq!(DynAny::from_any(&back)?, DynAny::from_any(any)?);
    Ok(())
}

/// The number of random values that are sent.
const ROUNDS: u64 = 2000;

/// Sends values of random types, and compares the returned ones octet by octet.
fn check_random(object: &Object) -> Result<(), Box<dyn std::error::Error>> {
    let mut request = object.request("echo_any");
    request.add_in("given", Any::new(&Any::default())?);
    request.add_inout("kept", Any::new(&Any::default())?).set_return_type(TypeCode::Any);
    let mut runner = TestRunner::deterministic();
    let types = random::types();
    let (mut sent, mut failed) = (0, 0);
    for seed in 1..=ROUNDS {
        let code = types.new_tree(&mut runner).map_err(|reason| reason.to_string())?.current();
        if !is_carried(&code) {
            continue;
        }
        let octets = random::message(&code, seed, ByteOrder::NATIVE, 0);
        let any: Any = Any::decode(&mut Decoder::new(&octets, ByteOrder::NATIVE))?;
        sent += 1;
        if let Err(error) = there_and_back(&mut request, &any) {
            failed += 1;
            eprintln!("{error}: {code:?}");
        }
    }
    println!("{sent} values at random there and back, {failed} changed or refused");
    if failed == 0 { Ok(()) } else { Err("some did not come back as they went".into()) }
}

/// Whether omniORB passes on values of this type in an any without knowing the type. It does not
/// for valuetypes without a factory, events, homes, exceptions without their ids, and the
/// generator's references, which have no address. It reads the label of a default case as one of
/// the discriminator's type instead of an octet, which fails for types of eight octets. It does not
/// support wide characters as labels.
fn is_carried(code: &TypeCode) -> bool {
    match code {
        TypeCode::Value(_)
        | TypeCode::Event(_)
        | TypeCode::ValueBox(_)
        | TypeCode::AbstractInterface(_)
        | TypeCode::ObjectReference(_)
        | TypeCode::Component(_)
        | TypeCode::Home(_)
        | TypeCode::Exception(_) => false,
        // The generator creates valuetypes there.
        TypeCode::Any => false,
        TypeCode::Union(code) => {
            let is_chosen = match code.discriminator {
                TypeCode::LongLong | TypeCode::ULongLong => code.default.is_none(),
                TypeCode::WChar => false,
                _ => true,
            };
            is_chosen && code.cases.iter().all(|case| is_carried(&case.ty))
        }
        TypeCode::Struct(code) => code.members.iter().all(|member| is_carried(&member.ty)),
        TypeCode::Alias(code) => is_carried(&code.ty),
        TypeCode::Sequence(element, _) | TypeCode::Array(element, _) => is_carried(element),
        _ => true,
    }
}

fn there_and_back(request: &mut Request, any: &Any) -> Result<(), Box<dyn std::error::Error>> {
    request.set_argument(0, Any::new(any)?).set_argument(1, Any::new(&Any::default())?);
    request.invoke()?;
    let back: Any = request.arguments()[1].value().ok_or("nothing came back")?.get()?.unwrap();
    match back == *any {
        true => Ok(()),
        false => Err("came back changed".into()),
    }
}

fn anys() -> Result<Vec<Any>, Box<dyn std::error::Error>> {
    let child = Tree { name: "child".into(), children: vec![] };
    let tree = Tree { name: "root".into(), children: vec![child.clone(), child] };
    let (first, second) = (Value::new(Node::default()), Value::new(Node::default()));
    first.update(|node| node.next = Some(second.clone()));
    second.update(|node| node.next = Some(first.clone()));
    let price: Decimal<5, 2> = "-12.50".parse()?;
    let unseen = TypeCode::structure(
        "IDL:Unseen:1.0",
        "Unseen",
        [
            ("array", TypeCode::array(TypeCode::array(TypeCode::Short, 3), 2)),
            ("octets", TypeCode::sequence(TypeCode::Octet, 8)),
            ("wide", TypeCode::sequence(TypeCode::WChar, 0)),
            ("exact", TypeCode::Fixed { digits: 6, scale: 3 }),
            ("type", TypeCode::TypeCode),
            ("text", TypeCode::alias("IDL:Text:1.0", "Text", TypeCode::String(9))),
        ],
    );
    let mut built = DynAny::new(&unseen)?;
    built.component(1).unwrap().as_sequence()?.set_length(5)?;
    built.component(3).unwrap().as_fixed()?.set_value("123.456")?;
    built.component(4).unwrap().insert_typecode(Choice::type_code())?;
    built.component(5).unwrap().insert_string("nine char")?;
    Ok(vec![
        Any::new(&1_i16)?,
        Any::new(&u64::MAX)?,
        Any::new(&true)?,
        Any::new("text")?,
        Any::new(&vec![point(3); 3])?,
        Any::new(&tree)?,
        Any::new(&Some(first))?,
        Any::new(&Choice::Price { discriminator: Colour::Blue, value: price })?,
        Any::new(&Choice::Text("two".into()))?,
        Any::new(&Any::new(&5_i32)?)?,
        Any::new(&Tree::type_code())?,
        built.to_any()?,
    ])
}

/// Calls a dynamic servant by a generated stub.
fn check_stub(mirror: &MirrorRef) -> Result {
    mirror.set_level(7)?;
    assert_eq!(mirror.level()?, 7);
    let mut kept = point(1);
    let (before, copy) = mirror.echo_point(&point(2), &mut kept).map_err(|error| match error {
        Error::System(exception) => exception,
        Error::User(_) => SystemException::new(ExceptionKind::Unknown, Minor(0), Completion::Yes),
    })?;
    assert_eq!((before, copy, kept), (point(1), point(2), point(2)));
    let raised = mirror.echo_point(&point(13), &mut point(1)).unwrap_err();
    assert_eq!(raised, refused(&point(13)).into());
    let mut kept = Choice::Text("before".into());
    let many = Choice::Many(vec![point(3)]);
    assert_eq!(mirror.echo_choice(&many, &mut kept)?, Choice::Text("before".into()));
    assert_eq!(kept, many);
    Ok(())
}
