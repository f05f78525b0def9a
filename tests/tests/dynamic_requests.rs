//! What becomes of dynamic requests on their way: forwards, limits of time, lost connections, oneways,
//! adapters that refuse, and many at once (CORBA 3.4 Part 1, 10.2 to 10.4).

use armilla::dynamic::{Context, Request, UnknownUserException};
use armilla::{
    Any, Completion, Error, ExceptionKind, Minor, Object, PollableSet, SyncScope, SystemException,
    TypeCode, Typed, Version,
};
use armilla_giop::{Message, MessageKind, ResponseFlags, decode_request};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{Peer, done, forward};
use armilla_tests::probe::*;
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
    block.invoke().unwrap();
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
fn a_oneway_asks_for_what_the_sync_scope_waits_for() {
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
            let expected = (ExceptionKind::BadParam, Minor::omg(32));
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
fn an_exception_that_the_request_was_not_told_of_is_unknown_for_the_standard_reason() {
    let server = Server::start();
    let far = server.remote(&orbs::client());
    for object in [server.local.object(), far.object()] {
        let mut choose = object.request("choose");
        choose.add_in("which", any(1)).add_inout("note", Any::new("why").unwrap());
        choose.set_return_type(TypeCode::Long).add_exception(Empty::type_code());
        for unknown in [system(choose.invoke()), system(choose.send_deferred().wait())] {
            assert_eq!((unknown.kind(), unknown.minor()), (ExceptionKind::Unknown, Minor::OMG_1));
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
        assert_eq!((discarded.kind(), discarded.minor()), (ExceptionKind::Transient, Minor::OMG_1));
        let discarded = system(echo(object, 3).send_deferred().wait());
        assert_eq!((discarded.kind(), discarded.minor()), (ExceptionKind::Transient, Minor::OMG_1));
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
fn a_context_goes_to_generated_servants_too() {
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
