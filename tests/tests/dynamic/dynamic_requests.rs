//! Dynamic requests: forwards, time limits, lost connections, oneways, refusing adapters, and
//! concurrency (CORBA 3.4 Part 1, 10.2 to 10.4).

use crate::random;
use armilla::dynamic::{
    Context, DynAny, DynamicServant, ParameterMode, Request, ServerRequest, UnknownUserException,
    serve,
};
use armilla::{
    Any, Completion, Decode, Decoder, Error, ExceptionKind, Minor, Object, ObjectId, Policies,
    PollableSet, Rebind, SyncScope, SystemException, TypeCode, Typed, Version,
};
use armilla_cdr::ByteOrder;
use armilla_giop::{Message, MessageKind, ResponseFlags, decode_request};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{Peer, done, forward};
use armilla_tests::probe::*;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

type Outcome<T = ()> = Result<T, Error<UnknownUserException>>;

fn any(number: i32) -> Any {
    Any::new(&number).unwrap()
}

fn echo(object: &Object, number: i32) -> Request {
    let mut request = object.request("echo_long");
    request.add_in("given", any(number)).add_out("copy", TypeCode::Long);
    request.add_inout("kept", any(-1)).set_return_type(TypeCode::Long);
    request
}

#[track_caller]
fn system<T: std::fmt::Debug>(outcome: Outcome<T>) -> SystemException {
    match outcome {
        Err(Error::System(exception)) => exception,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_comes_back_comes_back_from_where_the_call_was_forwarded_to() {
    let server = Server::start();
    let client = orbs::client();
    let ior = server.remote(&client).object().ior();
    let peer = Peer::answering(move |request| forward(request, &ior));
    for defer in [false, true] {
        let reference = peer.reference(&client, Version::V1_2);
        let mut request = echo(reference.object(), 11);
        let (result, arguments) = match defer {
            false => {
                request.invoke().unwrap();
                (request.return_value().clone(), request.arguments().to_vec())
            }
            true => {
                let response = request.send_deferred().wait().unwrap();
                (response.result, response.arguments)
            }
        };
        let values: Vec<_> = arguments.iter().map(|each| each.value().cloned()).collect();
        assert_eq!(result, any(-1));
        assert_eq!(values, [Some(any(11)), Some(any(11)), Some(any(11))]);
    }
    // From a URL, which names neither a later version nor code sets.
    let url = server.publish("probe", &server.local).unwrap();
    let mut rename = client.string_to_object(&url).unwrap().request("_set_name");
    rename.add_in("value", Any::new("Ümlaut").unwrap()).invoke().unwrap();
    assert_eq!(server.local.name().unwrap(), "Ümlaut");
}

#[test]
fn the_policies_of_the_reference_hold() {
    let server = Server::start();
    let client = orbs::client();
    let object = server.remote(&client).object().with_timeout(Duration::from_millis(300));
    echo(&object, 1).invoke().unwrap();
    let mut block = object.request("block");
    for late in [system(block.invoke()), system(block.send_deferred().wait())] {
        assert_eq!((late.kind(), late.completed()), (ExceptionKind::Timeout, Completion::Maybe));
        assert!(late.to_string().contains("within 300 ms"), "{late}");
    }
    server.probe.gate.open();
    eventually("the same request in time", || block.invoke().is_ok());
}

#[test]
fn a_reply_can_be_asked_for_after_its_connection_broke() {
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let peer = Peer::start(move |_, mut wire| {
        wire.request();
        drop(wire);
        sender.lock().unwrap().send(()).unwrap();
    });
    let reference = peer.reference(&orbs::client(), Version::V1_2);
    let reply = reference.object().request("ping").send_deferred();
    receiver.recv_timeout(PATIENCE).unwrap();
    eventually("the loss", || reply.is_ready());
    let lost = system(reply.wait());
    assert_eq!((lost.kind(), lost.completed()), (ExceptionKind::CommFailure, Completion::Maybe));
}

#[test]
fn a_request_may_go_while_its_call_is_under_way_and_dropping_the_reply_cancels_it() {
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let peer = Peer::start(move |_, mut wire| {
        let first = wire.request().unwrap();
        wire.send(&done(&first));
        wire.request();
        sender.lock().unwrap().send(None).unwrap();
        sender.lock().unwrap().send(wire.kind()).unwrap();
        wire.message();
    });
    let reference = peer.reference(&orbs::client(), Version::V1_2);
    let request = reference.object().request("ping");
    let reply = request.send_deferred();
    drop(request);
    assert!(reply.wait().unwrap().arguments.is_empty());
    let reply = reference.object().request("ping").send_deferred();
    assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), None);
    drop(reply);
    assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), Some(MessageKind::CancelRequest));
}

#[test]
fn the_response_flags_of_a_oneway_follow_its_sync_scope() {
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let peer = Peer::start(move |_, mut wire| {
        while let Some(request) = wire.request() {
            let message = Message::parse(&request.octets).unwrap().unwrap();
            let (header, _) = decode_request(&message).unwrap();
            let flags = (header.response_expected, header.sync_with_server);
            sender.lock().unwrap().send(flags).unwrap();
            if header.response_expected {
                wire.send(&done(&request));
            }
        }
    });
    let reference = peer.reference(&orbs::client(), Version::V1_2);
    for (scope, flags) in [
        (SyncScope::None, ResponseFlags::None),
        (SyncScope::WithTransport, ResponseFlags::None),
        (SyncScope::WithServer, ResponseFlags::Server),
        (SyncScope::WithTarget, ResponseFlags::Target),
    ] {
        let object = reference.object().with_sync_scope(scope);
        object.request("remark").add_in("text", Any::new("x").unwrap()).send_oneway().unwrap();
        object.flush();
        let seen = receiver.recv_timeout(PATIENCE).unwrap();
        let expected = (flags != ResponseFlags::None, flags == ResponseFlags::Server);
        assert_eq!(seen, expected, "{scope:?}");
    }
    let server = Server::start();
    let far = server.remote(&orbs::client());
    for object in [far.object(), server.local.object()] {
        let object = object.with_sync_scope(SyncScope::WithTarget);
        let unknown = object.request("no_such_operation").send_oneway().unwrap_err();
        assert_eq!(unknown.kind(), ExceptionKind::BadOperation);
    }
}

#[test]
fn operations_of_the_reference_itself_cannot_be_sent() {
    let server = Server::start();
    let object = server.remote(&orbs::client()).object().clone();
    for operation in ["_hash", "_is_equivalent", "_validate_connection"] {
        let mut request = object.request(operation);
        let refused = [
            system(request.invoke()),
            system(request.send_deferred().wait()),
            request.send_oneway().unwrap_err(),
        ];
        for exception in refused {
            let expected = (ExceptionKind::BadParam, Minor::BAD_PARAM_IMPLICIT_OPERATION);
            assert_eq!((exception.kind(), exception.minor()), expected, "{operation}");
        }
    }
    let mut is_a = object.request("_is_a");
    is_a.add_in("id", Any::new("IDL:armilla.org/Probe/Named:1.0").unwrap());
    is_a.set_return_type(TypeCode::Boolean).invoke().unwrap();
    assert_eq!(is_a.return_value().get::<bool>().unwrap(), Some(true));
    let mut non_existent = object.request("_non_existent");
    non_existent.set_return_type(TypeCode::Boolean).invoke().unwrap();
    assert_eq!(non_existent.return_value().get::<bool>().unwrap(), Some(false));
}

#[test]
fn an_undeclared_user_exception_is_unknown_with_the_standard_minor_code() {
    let server = Server::start();
    let far = server.remote(&orbs::client());
    for object in [server.local.object(), far.object()] {
        let mut choose = object.request("choose");
        choose.add_in("which", any(1)).add_inout("note", Any::new("why").unwrap());
        choose.set_return_type(TypeCode::Long).add_exception(Empty::type_code());
        for unknown in [system(choose.invoke()), system(choose.send_deferred().wait())] {
            assert_eq!(
                (unknown.kind(), unknown.minor()),
                (ExceptionKind::Unknown, Minor::UNKNOWN_UNLISTED_USER_EXCEPTION)
            );
            assert!(unknown.to_string().contains("Probe/Refused"), "{unknown}");
        }
        assert_eq!(choose.arguments()[1].value(), Some(&Any::new("why").unwrap()), "as before");
        choose.set_argument(0, any(9));
        let raised = system(choose.invoke());
        assert_eq!((raised.kind(), raised.minor()), (ExceptionKind::NoPermission, Minor(7)));
    }
}

#[test]
fn adapters_treat_dynamic_calls_as_any_others() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("gated").build().unwrap();
    let probe: Arc<dyn Everything> = Arc::new(armilla_tests::servant::Probe::default());
    let near = poa.activate(probe).unwrap();
    let far = orbs::travel(&near, &orbs::client());
    for object in [near.object(), far.object()] {
        poa.manager().activate().unwrap();
        echo(object, 3).invoke().unwrap();
        poa.manager().discard_requests(true).unwrap();
        let discarded = system(echo(object, 3).invoke());
        assert_eq!(
            (discarded.kind(), discarded.minor()),
            (ExceptionKind::Transient, Minor::TRANSIENT_REQUEST_DISCARDED)
        );
        let discarded = system(echo(object, 3).send_deferred().wait());
        assert_eq!(
            (discarded.kind(), discarded.minor()),
            (ExceptionKind::Transient, Minor::TRANSIENT_REQUEST_DISCARDED)
        );
    }
}

#[test]
fn one_request_serves_many_threads() {
    let server = Server::start();
    let far = server.remote(&orbs::client());
    let request = echo(far.object(), 0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (shared, mut own) = (&request, request.clone());
            scope.spawn(move || {
                for round in 0..50 {
                    let number = thread * 100 + round;
                    own.set_argument(0, any(number)).set_argument(2, any(-1));
                    own.invoke().unwrap();
                    assert_eq!(own.arguments()[1].value(), Some(&any(number)));
                    let response = shared.send_deferred().wait().unwrap();
                    assert_eq!(response.arguments[1].value(), Some(&any(0)));
                }
            });
        }
    });
}

#[test]
fn many_replies_are_taken_as_they_come() {
    let server = Server::start();
    let client = orbs::client();
    let object = server.remote(&client).object().clone();
    let mut replies = PollableSet::new();
    assert!(replies.wait().is_none() && replies.take_ready().is_none());
    replies.add(-1, object.request("block").send_deferred());
    for number in 0..20 {
        replies.add(number, echo(&object, number).send_deferred());
    }
    replies.add(-2, object.request("no_such_operation").send_deferred());
    replies.add(-3, Object::nil().request("ping").send_deferred());
    assert_eq!(replies.len(), 23);
    let mut came: Vec<i32> = Vec::new();
    for _ in 0..22 {
        let (tag, outcome) = replies.wait_for(PATIENCE).expect("a reply");
        match tag {
            -1 => panic!("nobody opened the gate"),
            -2 => assert_eq!(system(outcome).kind(), ExceptionKind::BadOperation),
            -3 => assert_eq!(system(outcome).kind(), ExceptionKind::InvObjref),
            number => assert_eq!(outcome.unwrap().arguments[1].value(), Some(&any(number))),
        }
        came.push(tag);
    }
    came.sort_unstable();
    let expected: Vec<i32> = (-3..20).filter(|tag| *tag != -1).collect();
    assert_eq!(came, expected);
    assert!(replies.wait_for(Duration::from_millis(20)).is_none(), "it is blocked");
    assert!(replies.take_ready().is_none());
    assert_eq!(replies.len(), 1);
    server.probe.gate.open();
    let (tag, outcome) = replies.wait().unwrap();
    assert_eq!(tag, -1);
    outcome.unwrap();
    assert!(replies.is_empty() && replies.wait().is_none());
}

#[test]
fn what_is_taken_out_of_a_set_is_cancelled() {
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let peer = Peer::start(move |_, mut wire| {
        let requests = [(); 3].map(|()| wire.request().unwrap());
        sender.lock().unwrap().send(None).unwrap();
        sender.lock().unwrap().send(wire.kind()).unwrap();
        wire.send(&done(&requests[0]));
        wire.send(&done(&requests[2]));
        wire.message();
    });
    let reference = peer.reference(&orbs::client(), Version::V1_2);
    let mut replies = PollableSet::new();
    for tag in ["one", "unwanted", "three"] {
        replies.add(tag, reference.object().request("ping").send_deferred());
    }
    assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), None);
    replies.retain(|tag| *tag != "unwanted");
    assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), Some(MessageKind::CancelRequest));
    let mut came = [(); 2].map(|()| replies.wait_for(PATIENCE).unwrap());
    came.sort_by_key(|(tag, _)| *tag);
    assert!(came.iter().all(|(_, outcome)| outcome.is_ok()));
    assert_eq!(came.map(|(tag, _)| tag), ["one", "three"]);
    assert!(replies.is_empty());
}

#[test]
fn generated_servants_get_the_context() {
    let server = Server::start();
    let context = server.default_context();
    context.set_one_value("LANG", "C").unwrap();
    // Generated code does not look at it, nor does it take it for an argument.
    let object = server.remote(&orbs::client()).object().clone();
    let mut request = echo(&object, 5);
    request.set_context(context, ["LANG", "LC_*"]).unwrap().invoke().unwrap();
    assert_eq!(request.arguments()[1].value(), Some(&any(5)));
    request.set_context(&Context::new(), []).unwrap().invoke().unwrap();
}

/// Gives back what it gets, of whatever types: the result and what is `out` are the first argument.
struct Parrot(TypeCode);

impl DynamicServant for Parrot {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:armilla.org/Parrot:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        use ParameterMode::{In, InOut, Out};
        let modes = [In, Out, InOut].map(|mode| (mode, self.0.clone()));
        let given = request.arguments(modes)?;
        let [given, kept] = [0, 2].map(|n: usize| given[n].value().cloned().unwrap_or_default());
        if request.operation() == "raise" {
            let raised = TypeCode::exception(RAISED, "Raised", [("what", self.0.clone())]);
            return request.set_exception(Any::read(raised, &mut given.decoder())?);
        }
        request.set_argument(1, given.clone());
        request.set_argument(2, given);
        request.set_result(kept)
    }
}

const RAISED: &str = "IDL:armilla.org/Parrot/Raised:1.0";

#[test]
fn arguments_results_and_exceptions_of_every_type_go_there_and_back() {
    let (server, client) = (orbs::listening(), orbs::client());
    let mut runner = TestRunner::deterministic();
    let types = random::types();
    let read = |octets: &[u8]| Any::decode(&mut Decoder::new(octets, ByteOrder::NATIVE)).unwrap();
    for seed in 1..=150 {
        let code = types.new_tree(&mut runner).unwrap().current();
        if matches!(code, TypeCode::Exception(_)) {
            continue;
        }
        let value = |seed| read(&random::message(&code, seed, ByteOrder::NATIVE, 0));
        let (given, kept) = (value(seed), value(seed + 1000));
        let near = server.root_poa().activate(serve(Parrot(code.clone()))).unwrap();
        for object in [near.object(), &orbs::travel_object(near.object(), &client)] {
            let mut request = object.request("repeat");
            request.add_in("given", given.clone()).add_out("copy", code.clone());
            request.add_inout("kept", kept.clone()).set_return_type(code.clone());
            let response = request.send_deferred().wait().unwrap();
            request.invoke().unwrap();
            assert_eq!((request.return_value(), &response.result), (&kept, &kept), "{code:?}");
            for arguments in [request.arguments(), &response.arguments] {
                assert!(arguments.iter().all(|each| each.value() == Some(&given)), "{code:?}");
            }
            let raised = TypeCode::exception(RAISED, "Raised", [("what", code.clone())]);
            let mut raise = object.request("raise");
            raise.add_in("given", given.clone()).add_out("copy", code.clone());
            raise.add_inout("kept", kept.clone()).add_exception(raised);
            let Err(Error::User(raised)) = raise.invoke() else { panic!("{code:?}") };
            let mut what = DynAny::from_any(&raised.exception).unwrap();
            let what = what.component(0).unwrap().to_any().unwrap();
            assert_eq!(DynAny::from_any(&what).unwrap(), DynAny::from_any(&given).unwrap());
        }
    }
}

#[test]
fn a_request_object_is_reusable_after_every_outcome() {
    let server = Server::start();
    let ior = server.remote(&orbs::client()).object().ior();
    let peer = Peer::answering(move |request| forward(request, &ior));
    let reference = peer.reference(&orbs::client(), Version::V1_2);
    let object = reference.object().with_timeout(PATIENCE);
    let mut request = object.request("choose");
    request.add_in("which", any(0)).add_inout("note", Any::new("why").unwrap());
    request.set_return_type(TypeCode::Long).add_exception(Refused::type_code());
    for _ in 0..3 {
        request.set_argument(0, any(1));
        let Err(Error::User(raised)) = request.invoke() else { panic!("raised") };
        assert!(raised.exception.get::<Refused>().unwrap().is_some());
        request.set_argument(0, any(9));
        assert_eq!(system(request.invoke()).kind(), ExceptionKind::NoPermission);
        request.set_argument(0, Any::new("of another type").unwrap());
        assert_eq!(system(request.invoke()).kind(), ExceptionKind::BadParam);
        request.set_argument(0, any(0)).set_argument(1, Any::new("again").unwrap());
        request.invoke().unwrap();
        assert_eq!(request.return_value(), &any(42));
        assert_eq!(request.arguments()[1].value(), Some(&Any::new("again!").unwrap()));
    }
}

#[test]
fn a_request_is_not_forwarded_where_the_reference_is_not_to_be_bound_anew() {
    let server = Server::start();
    let ior = server.remote(&orbs::client()).object().ior();
    let count = AtomicUsize::new(0);
    let peer = Peer::answering(move |request| match count.fetch_add(1, Ordering::Relaxed) {
        0 => done(request),
        _ => forward(request, &ior),
    });
    let policies = Policies { rebind: Some(Rebind::NoRebind), ..Policies::default() };
    let reference = peer.reference(&orbs::client(), Version::V1_2);
    let object = reference.object().with_policies(policies);
    let mut ping = object.request("ping");
    ping.invoke().unwrap();
    for refused in [system(ping.invoke()), system(ping.send_deferred().wait())] {
        assert_eq!(refused.kind(), ExceptionKind::Rebind, "{refused}");
    }
}
