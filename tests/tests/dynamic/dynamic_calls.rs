//! Dynamic calls and dynamic servants against generated ones.

use armilla::dynamic::{DynamicServant, NamedValue, ParameterMode, Request, ServerRequest, serve};
use armilla::{
    Any, Completion, Error, ExceptionKind, Minor, Object, ObjectId, SystemException, TypeCode,
    Typed,
};
use armilla_tests::orbs::{Server, client, listening, travel, travel_object};
use armilla_tests::probe::everything::ChooseRaises;
use armilla_tests::probe::*;
use std::borrow::Cow;
use std::fmt::Debug;

type Result<T, E = SystemException> = std::result::Result<T, E>;

const EVERYTHING: &str = "IDL:armilla.org/Probe/Everything:1.0";

/// Is an `Everything` as far as its operations echo, and has a name.
struct Impersonator;

impl DynamicServant for Impersonator {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        EVERYTHING.into()
    }

    fn is_a(&self, _object: &ObjectId, repository_id: &str) -> bool {
        [EVERYTHING, "IDL:armilla.org/Probe/Named:1.0"].contains(&repository_id)
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<()> {
        let ty = match request.operation() {
            "choose" => return choose(request),
            "ping" => {
                request.arguments([])?;
                return Ok(());
            }
            "_get_name" => {
                request.arguments([])?;
                return request.set_result(Any::new("dynamic")?);
            }
            "echo_point" => Point::type_code(),
            "echo_labels" => TypeCode::sequence(Label::type_code(), 0),
            "echo_points" => TypeCode::sequence(Point::type_code(), 0),
            "echo_choice" => Choice::type_code(),
            "echo_tree" => Tree::type_code(),
            "echo_object" => Object::type_code(),
            "echo_few" => TypeCode::sequence(TypeCode::Long, 3),
            _ => {
                let no = ExceptionKind::BadOperation;
                return Err(SystemException::new(
                    no,
                    Minor::BAD_OPERATION_UNKNOWN_OPERATION,
                    Completion::No,
                ));
            }
        };
        echo(request, ty)
    }
}

/// Returns what `kept` was, and sets `copy` and `kept` to what was given.
fn echo(request: &mut ServerRequest<'_, '_>, ty: TypeCode) -> Result<()> {
    use ParameterMode::{In, InOut, Out};
    let arguments = request.arguments([In, Out, InOut].map(|mode| (mode, ty.clone())))?;
    let (given, kept) = (arguments[0].value().cloned(), arguments[2].value().cloned());
    assert!(arguments[1].value().is_none());
    request.set_argument(1, given.clone().unwrap());
    request.set_argument(2, given.unwrap());
    request.set_result(kept.unwrap())
}

fn choose(request: &mut ServerRequest<'_, '_>) -> Result<()> {
    let parameters =
        [(ParameterMode::In, TypeCode::Long), (ParameterMode::InOut, TypeCode::String(0))];
    let arguments = request.arguments(parameters)?;
    let value = |index: usize| arguments[index].value().unwrap();
    let which: i32 = value(0).get()?.unwrap();
    let note: String = value(1).get()?.unwrap();
    match which {
        0 => request.set_result(Any::new(&42)?),
        1 => request.set_exception(Any::new(&Refused { reason: note, number: which })?),
        2 => request.set_exception(Any::new(&Empty)?),
        3 => request.set_result(Any::new("no long at all")?),
        4 => request.set_exception(Any::new("no exception")?),
        5 => request.set_result(Any::new(&TypeCode::recursive("IDL:Nowhere:1.0"))?),
        _ => {
            let no = ExceptionKind::NoPermission;
            Err(SystemException::new(no, Minor(7), Completion::No))
        }
    }
}

/// Runs a suite against a generated servant and a dynamic one, in this process and from afar.
fn everywhere(suite: impl Fn(&Object)) {
    let server = Server::start();
    let dynamic = server.root_poa().activate(serve(Impersonator)).unwrap();
    let client = client();
    suite(server.local.object());
    suite(server.remote(&client).object());
    suite(dynamic.object());
    suite(&travel_object(dynamic.object(), &client));
}

/// A call of an operation that echoes values of the type `T`.
fn echoing<T: Typed>(object: &Object, operation: &str) -> Request {
    let mut request = object.request(operation);
    request.add(NamedValue::new("given", ParameterMode::In, T::type_code()));
    request.add_out("copy", T::type_code());
    request.add(NamedValue::new("kept", ParameterMode::InOut, T::type_code()));
    request.set_return_type(T::type_code());
    request
}

fn check<T>(object: &Object, operation: &str, values: &[T])
where
    T: Typed + armilla::codegen::Encode + for<'a> armilla::codegen::Decode<'a> + PartialEq + Debug,
{
    let mut request = echoing::<T>(object, operation);
    for value in values {
        request.set_argument(0, Any::new(value).unwrap());
        request.set_argument(2, Any::new(&values[0]).unwrap());
        request.invoke().unwrap();
        assert_eq!(request.return_value().get::<T>().unwrap().as_ref(), Some(&values[0]));
        for returned in &request.arguments()[1..] {
            let returned = returned.value().unwrap().get::<T>().unwrap();
            assert_eq!(returned.as_ref(), Some(value), "{operation}");
        }
    }
}

fn point(n: u8) -> Point {
    Point { tag: n, x: f64::from(n) / 4.0, y: -i16::from(n) }
}

fn label(n: u8) -> Label {
    Label { text: n.to_string(), shade: Colour::Blue, place: point(n) }
}

#[test]
fn one_request_is_made_many_times_with_other_arguments() {
    everywhere(|object| {
        check(object, "echo_point", &[point(1), point(2), point(3)]);
        check(object, "echo_points", &[vec![], (0..50).map(point).collect(), vec![point(9)]]);
        check(object, "echo_labels", &[vec![label(3)], (0..50).map(label).collect()]);
        check(object, "echo_choice", &[Choice::Number(3), Choice::Text("three".into())]);
        let leaf = Tree { name: "leaf".into(), children: vec![] };
        check(object, "echo_tree", &[Tree { name: "root".into(), children: vec![leaf] }]);
    });
}

#[test]
fn a_request_learns_of_user_exceptions_by_their_type_codes() {
    everywhere(|object| {
        let mut request = object.request("choose");
        request.add_in("which", Any::new(&0).unwrap());
        request.add_inout("note", Any::new("because").unwrap());
        request.set_return_type(TypeCode::Long);
        request.invoke().unwrap();
        assert_eq!(request.return_value().get::<i32>().unwrap(), Some(42));
        request.set_argument(0, Any::new(&1).unwrap());
        let undeclared = request.invoke().unwrap_err();
        let Error::System(exception) = undeclared else { panic!("{undeclared:?}") };
        assert_eq!(exception.kind(), ExceptionKind::Unknown);
        assert!(exception.to_string().contains("Refused"), "{exception}");
        request.add_exception(Empty::type_code()).add_exception(Refused::type_code());
        request.set_argument(1, Any::new("because").unwrap());
        let Err(Error::User(raised)) = request.invoke() else { panic!("nothing was raised") };
        assert_eq!(raised.repository_id(), "IDL:armilla.org/Probe/Refused:1.0");
        let refused = raised.exception.get::<Refused>().unwrap().unwrap();
        assert_eq!(refused.reason, "because");
        request.set_argument(0, Any::new(&2).unwrap());
        let Err(Error::User(raised)) = request.invoke() else { panic!("nothing was raised") };
        assert!(raised.exception.get::<Empty>().unwrap().is_some());
        request.set_argument(0, Any::new(&9).unwrap());
        let Err(Error::System(exception)) = request.invoke() else { panic!("no exception") };
        assert_eq!((exception.kind(), exception.minor()), (ExceptionKind::NoPermission, Minor(7)));
    });
}

#[test]
fn generated_stubs_call_dynamic_servants() {
    let server = listening();
    let near = server.root_poa().activate(serve(Impersonator)).unwrap();
    let client = client();
    let far = travel(&near, &client);
    for object in [near.object(), far.object()] {
        assert!(object.is_a(EVERYTHING).unwrap());
        assert!(object.is_a("IDL:armilla.org/Probe/Named:1.0").unwrap());
        assert!(!object.is_a("IDL:armilla.org/Probe/Stranger:1.0").unwrap());
        assert!(!object.non_existent().unwrap());
        let everything: EverythingRef = object.narrow().unwrap();
        everything.ping().unwrap();
        assert_eq!(everything.name().unwrap(), "dynamic");
        let mut kept = label(1);
        let labels = vec![label(1), label(2)];
        let mut kept_labels = vec![];
        let (_, copy) = everything.echo_labels(&labels, &mut kept_labels).unwrap();
        assert_eq!((&copy, &kept_labels), (&labels, &labels));
        let refused = everything.choose(1, &mut "so".to_owned()).unwrap_err();
        let expected = Refused { reason: "so".into(), number: 1 };
        assert_eq!(refused, Error::User(ChooseRaises::Refused(expected)));
        let failure = |which| match everything.choose(which, &mut "so".to_owned()) {
            Err(Error::System(exception)) => (exception.kind(), exception.minor()),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            failure(4),
            (ExceptionKind::BadParam, Minor::BAD_PARAM_NOT_AN_EXCEPTION),
            "no exception"
        );
        assert_eq!(
            failure(5),
            (ExceptionKind::BadTypecode, Minor::BAD_TYPECODE_INCOMPLETE),
            "an incomplete type"
        );
        let unknown = everything.echo_label(&label(4), &mut kept).unwrap_err();
        assert_eq!(unknown.kind(), ExceptionKind::BadOperation);
        let (_, copy) = everything.echo_object(object, &mut Object::nil()).unwrap();
        assert_eq!(&copy, object);
        assert!(everything.choose(3, &mut String::new()).is_err(), "a result of another type");
    }
    server.shutdown();
}

#[test]
fn what_does_not_fit_its_type_is_not_sent() {
    let server = Server::start();
    let object = server.remote(&client());
    let mut request = echoing::<Point>(object.object(), "echo_point");
    let system = |outcome: Result<(), Error<armilla::dynamic::UnknownUserException>>| {
        let Err(Error::System(exception)) = outcome else { panic!("{outcome:?}") };
        exception
    };
    let refused = |exception: SystemException, why: &str| {
        let kind = (exception.kind(), exception.completed());
        assert_eq!(kind, (ExceptionKind::BadParam, Completion::No));
        assert!(exception.to_string().contains(why), "{exception}");
    };
    let name = request.arguments()[0].name().to_owned();
    refused(system(request.invoke()), &format!("{name:?} has no value"));
    request.set_argument(0, Any::new(&7).unwrap());
    let why =
        format!("{name:?} is of the type Long, and Struct {}", Point::type_code().id().unwrap());
    refused(system(request.invoke()), &why);
    refused(request.send_oneway().unwrap_err(), &why);
    refused(system(request.send_deferred().wait().map(drop)), &why);
    let mut request = object.object().request("no_such_operation");
    assert_eq!(system(request.invoke()).kind(), ExceptionKind::BadOperation);
    let mut request = Object::nil().request("ping");
    assert_eq!(system(request.invoke()).kind(), ExceptionKind::InvObjref);
}

#[test]
fn requests_do_not_take_each_others_headers() {
    let server = Server::start();
    let remote = server.remote(&client());
    for round in 0..50 {
        // The name of one may come to lie where that of the one before lay.
        let operation = ["ping", "_get"][usize::from(round % 2 == 1)];
        let outcome = remote.object().request(operation).invoke();
        assert_eq!(outcome.is_ok(), operation == "ping", "round {round}");
    }
}

#[test]
fn a_oneway_is_sent_and_not_waited_for() {
    everywhere(|object| {
        if !object.is_a("IDL:armilla.org/Probe/Counted:1.0").unwrap() {
            return;
        }
        let mut request = object.request("remark");
        request.add_in("text", Any::new("heard").unwrap());
        request.send_oneway().unwrap();
        let mut remarks = object.request("remarks");
        remarks.add_in("least", Any::new(&1_u32).unwrap());
        remarks.set_return_type(TypeCode::sequence(TypeCode::String(0), 0));
        remarks.invoke().unwrap();
        let heard = remarks.return_value().get::<Vec<String>>().unwrap().unwrap();
        assert!(heard.iter().all(|text| text == "heard") && !heard.is_empty());
    });
}

#[test]
fn deferred_requests_are_under_way_together() {
    everywhere(|object| {
        let mut request = echoing::<Point>(object, "echo_point");
        request.set_argument(2, Any::new(&point(0)).unwrap());
        let calls = (1..20).map(|n| {
            request.set_argument(0, Any::new(&point(n)).unwrap());
            (n, request.send_deferred())
        });
        let calls: Vec<_> = calls.collect();
        for (n, call) in calls.into_iter().rev() {
            let response = call.wait().unwrap();
            assert_eq!(response.result.get::<Point>().unwrap(), Some(point(0)));
            let values = response.arguments.iter().map(|argument| argument.value().unwrap());
            let values: Vec<_> = values.map(|any| any.get::<Point>().unwrap().unwrap()).collect();
            assert_eq!(values, [point(n), point(n), point(n)]);
        }
        let mut refused = object.request("choose");
        refused.add_in("which", Any::new(&1).unwrap());
        refused.add_inout("note", Any::new("later").unwrap());
        refused.add_exception(Refused::type_code());
        let Err(Error::User(raised)) = refused.send_deferred().wait() else { panic!("raised") };
        assert_eq!(raised.exception.get::<Refused>().unwrap().unwrap().reason, "later");
        refused.set_argument(0, Any::new("no number").unwrap());
        refused.set_return_type(TypeCode::Long);
        let Err(Error::System(_)) = refused.send_deferred().wait() else { panic!("no number") };
    });
}
