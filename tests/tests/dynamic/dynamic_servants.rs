//! Dynamic servants: the order of operations on a request, exceptions, activation, and deferred
//! replies (CORBA 3.4 Part 1, 11).

use armilla::dynamic::{
    Context, DynamicServant, ParameterMode, Request, Response, ServerRequest, UnknownUserException,
    serve,
};
use armilla::{
    Any, AnyServant, Completion, Cookie, Error, ExceptionKind, Minor, Object, ObjectId, Orb, Poa,
    ResponseHandler, ServantLocator, ServantManager, ServantManagerError, SystemException,
    TypeCode, Typed,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use std::borrow::Cow;
use std::sync::{Arc, Mutex};

type Result<T = (), E = SystemException> = std::result::Result<T, E>;

const ID: &str = "IDL:armilla.org/Test/Scripted:1.0";

/// Serves every operation by a function.
struct Scripted<F>(F);

impl<F> DynamicServant for Scripted<F>
where
    F: Fn(&mut ServerRequest<'_, '_>) -> Result + Send + Sync + 'static,
{
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        ID.into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result {
        (self.0)(request)
    }
}

/// Runs a suite with an object that a function serves, within the process and from afar.
fn served(
    script: impl Fn(&mut ServerRequest<'_, '_>) -> Result + Send + Sync + 'static,
    suite: impl Fn(&Object),
) {
    let server = Server::of(orbs::listening());
    let near = server.root_poa().activate(serve(Scripted(script))).unwrap();
    suite(near.object());
    suite(&orbs::travel_object(near.object(), &orbs::client()));
}

fn any(number: i32) -> Any {
    Any::new(&number).unwrap()
}

/// A call with two numbers and a number as its result.
fn call(object: &Object, operation: &str) -> Request {
    let mut request = object.request(operation);
    request.add_in("one", any(1)).add_in("two", any(2)).set_return_type(TypeCode::Long);
    request
}

/// Kind and minor code of what a call failed with.
fn failure<T: std::fmt::Debug>(
    outcome: Result<T, Error<UnknownUserException>>,
) -> (ExceptionKind, Minor) {
    match outcome {
        Err(Error::System(exception)) => (exception.kind(), exception.minor()),
        other => panic!("{other:?}"),
    }
}

/// Asks for `count` numbers.
fn numbers<'q>(
    request: &'q mut ServerRequest<'_, '_>,
    count: usize,
) -> Result<&'q [armilla::dynamic::NamedValue]> {
    request.arguments(std::iter::repeat_n((ParameterMode::In, TypeCode::Long), count))
}

fn refused() -> Any {
    Any::new(&Refused { reason: "so".into(), number: 5 }).unwrap()
}

#[test]
fn operations_out_of_order_are_refused_with_the_minor_code() {
    let script = |request: &mut ServerRequest<'_, '_>| match request.operation() {
        "arguments_twice" => {
            numbers(request, 2).map(drop).and_then(|()| numbers(request, 2).map(drop))
        }
        "arguments_after_exception" => {
            request.set_exception(refused())?;
            numbers(request, 2).map(drop)
        }
        "context_first" => request.context().map(drop),
        "context_twice" => {
            numbers(request, 2)?;
            request.context()?;
            request.context().map(drop)
        }
        "context_after_result" => {
            numbers(request, 2)?;
            request.set_result(any(1))?;
            request.context().map(drop)
        }
        "context_after_exception" => {
            numbers(request, 2)?;
            request.set_exception(refused())?;
            request.context().map(drop)
        }
        "result_first" => request.set_result(any(1)),
        "result_twice" => {
            numbers(request, 2)?;
            request.set_result(any(1))?;
            request.set_result(any(1))
        }
        "result_after_exception" => {
            numbers(request, 2)?;
            request.set_exception(refused())?;
            request.set_result(any(1))
        }
        "later_first" => request.response_handler().map(drop),
        other => panic!("{other}"),
    };
    served(script, |object| {
        for (minor, operations) in [
            (
                Minor::BAD_INV_ORDER_ARGUMENTS_OUT_OF_ORDER,
                &["arguments_twice", "arguments_after_exception"][..],
            ),
            (
                Minor::BAD_INV_ORDER_CONTEXT_OUT_OF_ORDER,
                &[
                    "context_first",
                    "context_twice",
                    "context_after_result",
                    "context_after_exception",
                ],
            ),
            (
                Minor::BAD_INV_ORDER_RESULT_OUT_OF_ORDER,
                &["result_first", "result_twice", "result_after_exception", "later_first"],
            ),
        ] {
            for operation in operations {
                let expected = (ExceptionKind::BadInvOrder, minor);
                assert_eq!(failure(call(object, operation).invoke()), expected, "{operation}");
            }
        }
    });
}

#[test]
fn all_that_was_sent_must_be_asked_for() {
    let script = |request: &mut ServerRequest<'_, '_>| match request.operation() {
        "nothing" => Ok(()),
        "one" => {
            numbers(request, 1)?;
            request.set_result(any(1))
        }
        "one_of_void" => numbers(request, 1).map(drop),
        "context" => {
            numbers(request, 2)?;
            request.set_result(any(1))
        }
        "three" => numbers(request, 3).map(drop),
        other => panic!("{other}"),
    };
    served(script, |object| {
        let marshal = |minor| (ExceptionKind::Marshal, minor);
        for operation in ["nothing", "one", "one_of_void"] {
            assert_eq!(
                failure(call(object, operation).invoke()),
                marshal(Minor::MARSHAL_ARGUMENTS_NOT_DESCRIBED),
                "{operation}"
            );
        }
        assert_eq!(
            failure(object.request("nothing").invoke()),
            marshal(Minor::MARSHAL_ARGUMENTS_NOT_DESCRIBED),
            "not even for none"
        );
        let mut request = call(object, "context");
        request.invoke().unwrap();
        request.set_context(&Context::new(), ["user"]).unwrap();
        assert_eq!(failure(request.invoke()), marshal(Minor::MARSHAL_CONTEXT_NOT_REQUESTED));
        let missing = (ExceptionKind::Marshal, Minor::DECODING_FAILED);
        assert_eq!(failure(call(object, "three").invoke()), missing);
    });
}

#[test]
fn a_context_is_a_snapshot_of_the_values_that_match_the_clause() {
    let script = |request: &mut ServerRequest<'_, '_>| {
        numbers(request, 2)?;
        let context = request.context()?;
        let found = context.get_values("*").unwrap_or_default();
        request.set_result(Any::new(&format!("{found:?}"))?)
    };
    served(script, |object| {
        let mut request = call(object, "look");
        request.set_return_type(TypeCode::String(0));
        let found = |request: &mut Request| {
            request.invoke().unwrap();
            request.return_value().get::<String>().unwrap().unwrap()
        };
        assert_eq!(found(&mut request), "[]", "the request carries none");
        let root = Context::new();
        root.set_values([("sys.host", "alpha"), ("sys.port", "1"), ("user", "nobody")]).unwrap();
        let child = root.create_child("session").unwrap();
        child.set_one_value("user", "ann").unwrap();
        request.set_context(&child, ["user", "sys.*", "missing"]).unwrap();
        let all = r#"[("sys.host", "alpha"), ("sys.port", "1"), ("user", "ann")]"#;
        assert_eq!(found(&mut request), all);
        child.delete_values("user").unwrap();
        root.delete_values("sys*").unwrap();
        assert_eq!(found(&mut request), r#"[("user", "nobody")]"#);
        let deferred = request.send_deferred();
        root.delete_values("user").unwrap();
        let response = deferred.wait().unwrap();
        let said = response.result.get::<String>().unwrap().unwrap();
        assert_eq!(said, r#"[("user", "nobody")]"#, "as it was when it was sent");
        assert_eq!(found(&mut request), "[]");
    });
}

#[test]
fn contexts_refuse_what_cannot_be_with_the_reason() {
    let orb = orbs::client();
    let root = orb.default_context();
    let reason = |outcome: Result<()>| {
        let exception = outcome.unwrap_err();
        (exception.kind(), exception.minor())
    };
    let bad = |minor| (ExceptionKind::BadParam, minor);
    for name in ["", "1st", "a b", "a*", ".a", "ä"] {
        assert_eq!(
            reason(root.set_one_value(name, "x")),
            bad(Minor::BAD_PARAM_INVALID_PROPERTY_NAME),
            "{name:?}"
        );
    }
    for pattern in ["", "a*b", "**", "1*", "*a"] {
        assert_eq!(
            reason(root.get_values(pattern).map(drop)),
            bad(Minor::BAD_PARAM_INVALID_PROPERTY_PATTERN),
            "{pattern:?}"
        );
        assert_eq!(
            reason(root.delete_values(pattern)),
            bad(Minor::BAD_PARAM_INVALID_PROPERTY_PATTERN),
            "{pattern:?}"
        );
        let mut request = Object::nil().request("x");
        assert_eq!(
            reason(request.set_context(root, [pattern]).map(drop)),
            bad(Minor::BAD_PARAM_INVALID_PROPERTY_PATTERN)
        );
    }
    for name in ["", "1", "a.b", "a b"] {
        assert_eq!(
            reason(root.create_child(name).map(drop)),
            bad(Minor::BAD_PARAM_INVALID_CONTEXT_NAME),
            "{name:?}"
        );
    }
    assert_eq!(
        reason(root.set_values([("fine", "x"), ("not fine", "y")])),
        bad(Minor::BAD_PARAM_INVALID_PROPERTY_NAME)
    );
    let bad = |minor| (ExceptionKind::BadContext, minor);
    assert_eq!(
        reason(root.get_values("fine").map(drop)),
        bad(Minor::BAD_CONTEXT_NO_MATCHING_PROPERTY),
        "all or none"
    );
    assert_eq!(reason(root.delete_values("fine")), bad(Minor::BAD_CONTEXT_NO_MATCHING_PROPERTY));
    let inner = root.create_child("outer").unwrap().create_child("inner").unwrap();
    assert_eq!(inner.scope("outer").unwrap().parent().unwrap().name(), "");
    assert_eq!(inner.scope("inner").unwrap().name(), "inner");
    assert_eq!(reason(root.scope("inner").map(drop)), bad(Minor::BAD_CONTEXT_SCOPE_NOT_FOUND));
    orb.default_context().set_one_value("Is.shared_1", "x").unwrap();
    assert_eq!(inner.get_values("Is.*").unwrap().len(), 1);
    assert_eq!(
        reason(inner.own_values("Is.*").map(drop)),
        bad(Minor::BAD_CONTEXT_NO_MATCHING_PROPERTY)
    );
}

#[test]
fn an_exception_may_be_raised_at_any_time_and_the_last_one_counts() {
    let system = || {
        let members = [("minor", TypeCode::ULong), ("completed", TypeCode::ULong)];
        let code =
            TypeCode::exception("IDL:omg.org/CORBA/NO_PERMISSION:1.0", "NO_PERMISSION", members);
        // As it stands in an any; completed with 1, which is NO.
        Any::with_type(code, &[77_u32, 1]).unwrap()
    };
    let script = move |request: &mut ServerRequest<'_, '_>| match request.operation() {
        "at_once" => request.set_exception(refused()),
        "behind_the_result" => {
            numbers(request, 2)?;
            request.set_result(any(1))?;
            request.set_exception(refused())
        }
        "another" => {
            request.set_exception(Any::new(&Empty)?)?;
            request.set_exception(refused())
        }
        "system" => request.set_exception(system()),
        "none" => request.set_exception(any(1)),
        other => panic!("{other}"),
    };
    served(script, |object| {
        for operation in ["at_once", "behind_the_result", "another"] {
            let mut request = call(object, operation);
            request.add_exception(Refused::type_code());
            let Err(Error::User(raised)) = request.invoke() else { panic!("{operation}") };
            assert_eq!(raised.exception.get::<Refused>().unwrap().unwrap().number, 5);
            let undeclared = call(object, operation).invoke().unwrap_err();
            assert_eq!(
                failure(Err::<(), _>(undeclared)),
                (ExceptionKind::Unknown, Minor::UNKNOWN_UNLISTED_USER_EXCEPTION)
            );
        }
        let Err(Error::System(raised)) = call(object, "system").invoke() else { panic!("raised") };
        let expected = (ExceptionKind::NoPermission, Minor(77), Completion::No);
        assert_eq!((raised.kind(), raised.minor(), raised.completed()), expected);
        let none = failure(call(object, "none").invoke());
        assert_eq!(none, (ExceptionKind::BadParam, Minor::BAD_PARAM_NOT_AN_EXCEPTION));
    });
}

#[test]
fn a_oneway_request_is_served_and_its_result_is_dropped() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = heard.clone();
    let script = move |request: &mut ServerRequest<'_, '_>| {
        let expected = request.response_expected();
        let number = numbers(request, 2)?[1].value().unwrap().get::<i32>()?.unwrap();
        kept.lock().unwrap().push((expected, number));
        match expected {
            true => request.set_result(any(number)),
            false => request.set_exception(refused()),
        }
    };
    served(script, |object| {
        heard.lock().unwrap().clear();
        let mut request = call(object, "tell");
        request.send_oneway().unwrap();
        eventually("the oneway", || *heard.lock().unwrap() == [(false, 2)]);
        request.invoke().unwrap();
        assert_eq!(*heard.lock().unwrap(), [(false, 2), (true, 2)]);
    });
}

type Reply = ResponseHandler<Response, Error<UnknownUserException>>;

#[test]
fn a_reply_that_comes_later_has_results_exceptions_and_an_owner() {
    let kept: Arc<Mutex<Vec<(String, Response, Reply)>>> = Arc::default();
    let keep = kept.clone();
    let script = move |request: &mut ServerRequest<'_, '_>| {
        let modes = [ParameterMode::In, ParameterMode::InOut];
        let arguments = request.arguments(modes.map(|mode| (mode, TypeCode::Long)))?.to_vec();
        let response = Response { result: any(7), arguments };
        let (name, reply) = (request.operation().to_owned(), request.response_handler()?);
        assert_eq!(
            request.set_result(any(1)).unwrap_err().minor(),
            Minor::BAD_INV_ORDER_RESULT_OUT_OF_ORDER
        );
        keep.lock().unwrap().push((name, response, reply));
        // It replies no more, so this goes nowhere.
        Err(SystemException::new(ExceptionKind::Internal, Minor(1), Completion::No))
    };
    served(script, |object| {
        let mut request = object.request("result");
        request.add_in("one", any(1)).add_inout("two", any(2)).set_return_type(TypeCode::Long);
        request.add_exception(Refused::type_code());
        let ask = |operation: &str| {
            let mut request = request.clone();
            if operation != "result" {
                request = object.request(operation);
                request.add_in("one", any(1)).add_inout("two", any(2));
                request.set_return_type(TypeCode::Long).add_exception(Refused::type_code());
            }
            std::thread::spawn(move || request.invoke().map(|()| request))
        };
        let calls = ["result", "raise", "system", "drop", "wrong"].map(ask);
        eventually("the requests", || kept.lock().unwrap().len() == 5);
        for (name, mut response, reply) in kept.lock().unwrap().drain(..) {
            match &*name {
                "result" => {
                    response.arguments[1].set_value(any(20));
                    reply.complete(Ok(response));
                }
                "raise" => {
                    reply.complete(Err(Error::User(UnknownUserException { exception: refused() })));
                }
                "system" => {
                    let no =
                        SystemException::new(ExceptionKind::NoPermission, Minor(3), Completion::No);
                    reply.complete(Err(no.into()));
                }
                "wrong" => {
                    let exception = any(1);
                    reply.complete(Err(Error::User(UnknownUserException { exception })));
                }
                _ => drop(reply),
            }
        }
        let [result, raised, system, dropped, wrong] = calls.map(|call| call.join().unwrap());
        let result = result.unwrap();
        assert_eq!(result.return_value(), &any(7));
        assert_eq!(result.arguments()[1].value(), Some(&any(20)));
        let Err(Error::User(raised)) = raised else { panic!("{raised:?}") };
        assert_eq!(raised.exception, refused());
        assert_eq!(failure(system), (ExceptionKind::NoPermission, Minor(3)));
        assert_eq!(failure(dropped), (ExceptionKind::NoResponse, Minor::REPLY_ABANDONED));
        assert_eq!(failure(wrong).0, ExceptionKind::BadParam);
    });
}

/// Is an object of the interface that its id names.
struct Crowd(Orb);

impl Crowd {
    fn id(&self) -> String {
        let current = self.0.poa_current().unwrap();
        String::from_utf8(current.object_id().as_bytes().to_vec()).unwrap()
    }
}

impl DynamicServant for Crowd {
    fn primary_interface(&self, object: &ObjectId) -> Cow<'_, str> {
        format!("IDL:{}:1.0", String::from_utf8_lossy(object.as_bytes())).into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result {
        request.arguments([])?;
        request.set_result(Any::new(&format!("{} of {}", request.operation(), self.id()))?)
    }
}

/// Lends a servant to every request.
struct Lender(Arc<dyn DynamicServant>);

impl ServantLocator for Lender {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        Ok((self.0.clone().into(), Cookie::default()))
    }

    fn postinvoke(&self, _: &ObjectId, _: &Poa, _: &str, _: Cookie, _: AnyServant) -> Result {
        Ok(())
    }
}

#[test]
fn one_dynamic_servant_is_all_objects_of_an_adapter() {
    let server = Server::start();
    let servant = serve(Crowd(server.orb.clone()));
    let made = |name: &str| server.root_poa().create_poa(name).user_ids().multiple_ids();
    let lender = ServantManager::locator(Lender(servant.clone()));
    let active = made("active").build().unwrap();
    for id in ["Ann", "Bob"] {
        active.activate_with_id(id, servant.clone()).unwrap();
    }
    let poas = [
        active,
        made("default").default_servant(servant).build().unwrap(),
        made("lent").servant_manager(lender).build().unwrap(),
    ];
    for poa in poas {
        for id in ["Ann", "Bob"] {
            // The reference of an active object has its interface; others have none.
            let near = poa.create_object_with_id("", id).unwrap();
            let says = if poa.name() == "active" { format!("IDL:{id}:1.0") } else { String::new() };
            assert_eq!(near.ior().type_id, says);
            for object in [near.clone(), orbs::travel_object(&near, &orbs::client())] {
                let mut request = object.request("_get_name");
                request.set_return_type(TypeCode::String(0)).invoke().unwrap();
                let said = request.return_value().get::<String>().unwrap().unwrap();
                assert_eq!(said, format!("_get_name of {id}"));
                assert!(object.is_a(&format!("IDL:{id}:1.0")).unwrap());
                assert!(!object.is_a("IDL:Eve:1.0").unwrap());
                assert!(!object.non_existent().unwrap());
                let mut request = object.request("_repository_id");
                request.set_return_type(TypeCode::String(0)).invoke().unwrap();
                let interface = request.return_value().get::<String>().unwrap().unwrap();
                assert_eq!(interface, format!("IDL:{id}:1.0"));
                let interface = object.interface().unwrap_err();
                assert_eq!(interface.kind(), ExceptionKind::IntfRepos, "it knows no repository");
            }
        }
    }
}
