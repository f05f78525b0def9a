//! Asynchronous calls.

use armilla::codegen::Error;
use armilla::{
    Completion, Encode, ExceptionKind, Minor, Orb, ReplyFuture, SystemException, Version,
};
use armilla_giop::{MessageKind, ReplyStatus, close_connection};
use armilla_tests::alone::alone;
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer, Request, done, forward, reply};
use armilla_tests::probe::everything::ChooseRaises;
use armilla_tests::probe::*;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

fn ping(remote: &EverythingRef) -> ReplyFuture<()> {
    remote.ping_async()
}

fn block(remote: &EverythingRef) -> ReplyFuture<()> {
    remote.block_async()
}

fn echo(remote: &EverythingRef, given: i32) -> ReplyFuture<i32> {
    let arguments = move |out: &mut armilla::Encoder<'_>| {
        out.put_i32(given);
        out.put_i32(-1);
        Ok(())
    };
    let results = |input: &mut armilla::Decoder<'_>| {
        assert_eq!(input.i32()?, -1);
        input.i32()
    };
    remote.invoke_async("echo_long", arguments, results)
}

fn choose(remote: &EverythingRef, which: i32) -> ReplyFuture<i32, Error<ChooseRaises>> {
    let arguments = move |out: &mut armilla::Encoder<'_>| {
        out.put_i32(which);
        out.put_string("why")
    };
    remote.invoke_raises_async("choose", arguments, |input| input.i32())
}

/// Runs a future on the calling thread.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park_timeout(PATIENCE),
        }
    }
}

/// Waits for all of them at once.
struct All<R>(Vec<Option<ReplyFuture<R>>>, Vec<Option<Result<R, SystemException>>>);

impl<R: Unpin> Future for All<R> {
    type Output = Vec<Result<R, SystemException>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self(futures, results) = self.get_mut();
        for (future, result) in futures.iter_mut().zip(results.iter_mut()) {
            if let Some(reply) = future
                && let Poll::Ready(value) = Pin::new(reply).poll(context)
            {
                *result = Some(value);
                *future = None;
            }
        }
        match futures.iter().all(Option::is_none) {
            true => Poll::Ready(results.drain(..).flatten().collect()),
            false => Poll::Pending,
        }
    }
}

fn all<R>(futures: Vec<ReplyFuture<R>>) -> All<R> {
    let results = futures.iter().map(|_| None).collect();
    All(futures.into_iter().map(Some).collect(), results)
}

#[test]
fn a_reply_can_be_awaited_under_any_executor() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    block_on(async {
        assert_eq!(echo(&remote, 7).await.unwrap(), 7);
        assert_eq!(echo(&remote, 8).await.unwrap(), 8);
    });
    assert_eq!(pollster::block_on(echo(&remote, 9)).unwrap(), 9);
}

#[test]
fn a_thread_can_wait_for_a_reply_or_look_whether_it_is_there() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    assert_eq!(echo(&remote, 1).wait().unwrap(), 1);
    let reply = block(&remote);
    server.probe.gate.await_waiting(1);
    assert!(!reply.is_ready());
    let reply = reply.wait_for(Duration::from_millis(10)).unwrap_err();
    server.probe.gate.open();
    eventually("the reply is there", || reply.is_ready());
    reply.wait_for(Duration::ZERO).unwrap().unwrap();
    ReplyFuture::<_, SystemException>::ready(Ok(5)).wait_for(Duration::ZERO).unwrap().unwrap();
}

#[test]
fn what_is_generated_gives_the_same_as_the_calls_that_wait() {
    let server = Server::start();
    for probe in [&server.local, &server.remote(&orbs::client())] {
        let mut kept = -1;
        let (result, copy) = probe.echo_long(7, &mut kept).unwrap();
        assert_eq!(probe.echo_long_async(7, -1).wait(), Ok((result, copy, kept)));
        for which in 0..4 {
            let mut note = "a note".to_owned();
            let waited = probe.choose(which, &mut note).map(|chosen| (chosen, note));
            let later = probe.choose_async(which, "a note").wait();
            assert_eq!(format!("{later:?}"), format!("{waited:?}"));
        }
        probe.set_name_async("Vega").wait().unwrap();
        assert_eq!(probe.name_async().wait().as_deref(), Ok("Vega"));
    }
}

#[test]
fn a_reply_can_be_left_to_a_function() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let (sender, receiver) = mpsc::channel();
    for given in 0..10 {
        let sender = sender.clone();
        echo(&remote, given).on_reply(move |reply| sender.send(reply.unwrap()).unwrap());
    }
    let mut heard: Vec<_> = (0..10).map(|_| receiver.recv_timeout(PATIENCE).unwrap()).collect();
    heard.sort_unstable();
    assert!(heard.into_iter().eq(0..10));
    let (sender, here) = (sender.clone(), thread::current().id());
    ReplyFuture::<_, SystemException>::ready(Ok(1)).on_reply(move |reply| {
        assert_eq!(thread::current().id(), here);
        sender.send(reply.unwrap()).unwrap();
    });
    assert_eq!(receiver.recv().unwrap(), 1);
}

#[test]
fn reply_callbacks_may_make_calls() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let (sender, receiver) = mpsc::channel();
    let again = remote.clone();
    ping(&remote).on_reply(move |reply| {
        reply.unwrap();
        again.ping().unwrap();
        let shared = again.with_connection_policy(armilla::ConnectionPolicy::Multiplexed);
        shared.ping().unwrap();
        assert_eq!(echo(&again, 3).wait().unwrap(), 3);
        echo(&again, 4).on_reply(move |reply| sender.send(reply.unwrap()).unwrap());
    });
    assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), 4);
}

/// The thread that runs the callback sends and reads for all calls that no thread waits for.
#[test]
fn reply_callbacks_may_make_calls_larger_than_all_queues() {
    use armilla::ConnectionPolicy::{Exclusive, Multiplexed};
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let given = vec![7_u8; 7 << 20];
    for policy in [Exclusive, Multiplexed] {
        let nested = remote.with_connection_policy(policy);
        let calls: [fn(&EverythingRef, &[u8]) -> usize; 3] = [
            |remote, given| remote.echo_octets(given, &mut Vec::new()).unwrap().1.len(),
            |remote, given| remote.echo_octets_async(given, &[]).wait().unwrap().1.len(),
            |remote, given| {
                let mut replies = armilla::PollableSet::new();
                replies.add((), remote.echo_octets_async(given, &[]));
                replies.wait().unwrap().1.unwrap().1.len()
            },
        ];
        for call in calls {
            let (sender, receiver) = mpsc::channel();
            let (nested, given) = (nested.clone(), given.clone());
            ping(&remote).on_reply(move |reply| {
                reply.unwrap();
                sender.send(call(&nested, &given)).unwrap();
            });
            let len = receiver.recv_timeout(PATIENCE).expect("it does not wait for itself");
            assert_eq!(len, 7 << 20);
        }
    }
}

/// It counts the threads of its process.
#[test]
fn while_callbacks_block_all_other_calls_go_on_and_threads_are_few() {
    alone(|| {
        let server = Server::start();
        let client = orbs::client();
        let remote = server.remote(&client);
        let silent = Peer::start(|_, mut wire| while wire.message().is_some() {});
        let (sender, ended) = mpsc::channel();
        for _ in 0..100 {
            let (nested, sender) = (remote.clone(), sender.clone());
            ping(&remote).on_reply(move |_| sender.send(nested.block()).unwrap());
        }
        server.probe.gate.await_waiting(10);
        // A reply, and the end of a time limit.
        assert_eq!(block_on(echo(&remote, 7)).unwrap(), 7);
        let short =
            silent.reference(&client, Version::V1_2).with_timeout(Duration::from_millis(20));
        assert_eq!(block_on(ping(&short)).unwrap_err().kind(), ExceptionKind::Timeout);
        // More than the queues hold, sent by a thread that only waits.
        let given = vec![7_u8; 7 << 20];
        let copied = block_on(remote.echo_octets_async(&given, &[])).unwrap().1;
        assert!(copied == given);
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        let names =
            tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
        let threads = names.filter(|name| name.trim() == "armilla-replies").count();
        assert!((2..20).contains(&threads), "{threads}");
        server.probe.gate.open();
        for _ in 0..100 {
            ended.recv_timeout(PATIENCE).expect("it ends").unwrap();
        }
    });
}

/// It may hold a lock that the callback takes, and whether the reply is early must not matter.
#[test]
fn the_thread_that_registers_a_callback_does_not_run_it_although_the_reply_is_there() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let ready = || {
        let reply = ping(&remote);
        eventually("the reply is there", || reply.is_ready());
        reply
    };
    let (sender, ran) = mpsc::channel();
    let lock = Arc::new(Mutex::new(()));
    let held = lock.lock().unwrap();
    let taken = lock.clone();
    ready().on_reply(move |reply| {
        drop(taken.lock().unwrap());
        sender.send((reply, thread::current().id())).unwrap();
    });
    drop(held);
    let (reply, thread) = ran.recv_timeout(PATIENCE).unwrap();
    reply.unwrap();
    assert_ne!(thread, thread::current().id());
    // One that panics ends nothing else.
    ready().on_reply(|_| panic!("on purpose"));
    assert_eq!(block_on(echo(&remote, 6)).unwrap(), 6);
}

#[test]
fn a_panicking_callback_does_not_affect_others() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    (0..3).for_each(|_| block(&remote).on_reply(|_| panic!("on purpose")));
    server.probe.gate.await_waiting(3);
    server.probe.gate.open();
    for _ in 0..3 {
        assert_eq!(block_on(echo(&remote, 6)).unwrap(), 6);
    }
}

#[test]
fn exceptions_come_through() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    assert_eq!(choose(&remote, 0).wait().unwrap(), 42);
    match choose(&remote, 1).wait().unwrap_err() {
        Error::User(ChooseRaises::Refused(refused)) => assert_eq!(refused.reason, "why"),
        other => panic!("{other}"),
    }
    match block_on(choose(&remote, 3)).unwrap_err() {
        Error::System(exception) => assert_eq!(exception.kind(), ExceptionKind::NoPermission),
        other => panic!("{other}"),
    }
    let missing: ReplyFuture<()> = remote.invoke_async("missing", |_| Ok(()), |_| Ok(()));
    assert_eq!(missing.wait().unwrap_err().kind(), ExceptionKind::BadOperation);
    let nil: EverythingRef = EverythingRef::nil();
    assert_eq!(ping(&nil).wait().unwrap_err().kind(), ExceptionKind::InvObjref);
}

#[test]
fn ten_thousand_calls_are_under_way_at_once_on_one_thread() {
    const CALLS: i32 = 10_000;
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let results = block_on(all((0..CALLS).map(|given| echo(&remote, given)).collect()));
    assert!(results.into_iter().map(Result::unwrap).eq(0..CALLS));
}

/// The queues of both sides fill many times over, so sending must not block the reading of replies.
#[test]
fn calls_larger_than_all_queues_do_not_wait_for_each_other() {
    const OCTETS: usize = 256 * 1024;
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let given: Vec<u8> = (0..OCTETS).map(|n| (n % 251) as u8).collect();
    let call = |_| {
        let given = given.clone();
        let arguments = move |out: &mut armilla::Encoder<'_>| {
            out.copy_octets(&given)?;
            out.copy_octets(&[])
        };
        remote.invoke_async("echo_octets", arguments, |input| {
            input.octets()?;
            Ok(input.octets()?.to_vec())
        })
    };
    let replies: Vec<_> = (0..200).map(call).collect();
    for reply in replies {
        assert!(reply.wait().unwrap() == given);
    }
}

#[test]
fn reply_callbacks_may_send_more_than_the_server_accepts() {
    const OCTETS: usize = 128 * 1024;
    let server = Server::start();
    let client = orbs::builder().settings(|settings| settings.queued_requests = 1024);
    let remote = server.remote(&client.build().unwrap());
    let (sender, receiver) = mpsc::channel();
    fn bounce(remote: EverythingRef, left: u32, sender: mpsc::Sender<()>) {
        let octets = vec![7_u8; OCTETS];
        let arguments = move |out: &mut armilla::Encoder<'_>| {
            out.copy_octets(&octets)?;
            out.copy_octets(&[])
        };
        let reply: ReplyFuture<()> = remote.invoke_async("echo_octets", arguments, |_| Ok(()));
        reply.on_reply(move |reply| {
            reply.unwrap();
            match left {
                0 => sender.send(()).unwrap(),
                _ => bounce(remote, left - 1, sender),
            }
        });
    }
    (0..40).for_each(|_| bounce(remote.clone(), 5, sender.clone()));
    (0..40).for_each(|_| receiver.recv_timeout(PATIENCE).unwrap());
}

#[test]
fn replies_come_in_any_order() {
    let peer = Peer::start(|_, mut wire| {
        let mut requests: Vec<_> = (0..100).map(|_| wire.request().unwrap()).collect();
        requests.reverse();
        for (value, request) in requests.iter().enumerate() {
            wire.send(&number(request, 99 - value as i32));
        }
        wire.message();
    });
    let remote = peer.reference(&orbs::client(), Version::V1_2);
    let call = |_| remote.invoke_async("increment", |_| Ok(()), |input| input.i32());
    let results = block_on(all((0..100).map(call).collect()));
    assert!(results.into_iter().map(Result::unwrap).eq(0..100), "and calls arrive in theirs");
}

fn number(request: &Request, number: i32) -> Vec<u8> {
    reply(request.version, request.order, request.id, ReplyStatus::NoException, |out| {
        out.put_i32(number);
        Ok(())
    })
}

#[test]
fn dropping_a_reply_cancels_the_call() {
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let peer = Peer::start(move |_, mut wire| {
        let first = wire.request().unwrap();
        sender.lock().unwrap().send(()).unwrap();
        assert_eq!(wire.kind(), Some(MessageKind::CancelRequest));
        wire.send(&done(&first));
        let second = wire.request().unwrap();
        wire.send(&done(&second));
        wire.message();
    });
    let remote = peer.reference(&orbs::client(), Version::V1_2);
    let reply = ping(&remote);
    receiver.recv_timeout(PATIENCE).unwrap();
    drop(reply);
    ping(&remote).wait().unwrap();
    assert_eq!(peer.connections(), 1);
}

#[test]
fn limits_of_time_hold() {
    let server = Server::start();
    let client = orbs::client();
    let remote = server.remote(&client).with_timeout(Duration::from_millis(500));
    assert_eq!(echo(&remote, 1).wait().unwrap(), 1, "the connection is there");
    let awaited = block_on(block(&remote)).unwrap_err();
    let waited = block(&remote).wait().unwrap_err();
    let (sender, receiver) = mpsc::channel();
    block(&remote).on_reply(move |reply| sender.send(reply).unwrap());
    let called = receiver.recv_timeout(PATIENCE).unwrap().unwrap_err();
    for error in [awaited, waited, called] {
        assert_eq!(error.kind(), ExceptionKind::Timeout);
        assert_eq!((error.minor(), error.completed()), (Minor::REPLY_TIMED_OUT, Completion::Maybe));
        assert!(error.to_string().contains("within 500 ms"), "{error}");
    }
    server.probe.gate.open();
    assert_eq!(echo(&server.remote(&client), 5).wait().unwrap(), 5, "the connection is good");
}

#[test]
fn forwards_are_followed() {
    let server = Server::start();
    let client = orbs::client();
    let home = peer::resolve(&client, &server.local.object().ior());
    let ior = home.object().ior();
    let peer = Peer::answering(move |request| forward(request, &ior));
    let remote = peer.reference(&client, Version::V1_2);
    assert_eq!(echo(&remote, 11).wait().unwrap(), 11);
    assert_eq!(block_on(echo(&remote, 12)).unwrap(), 12);
    assert_eq!(peer.connections(), 1);
    // From a URL, which names the lowest version and no code sets, to where these are agreed on.
    for text in ["ascii", "Ümlaut"] {
        let url = server.publish("probe", server.local.object()).unwrap();
        let remote: EverythingRef = client.string_to_object(&url).unwrap().assume();
        let owned = text.to_owned();
        let arguments = move |out: &mut armilla::Encoder<'_>| out.put_string(&owned);
        let renamed: ReplyFuture<()> = remote.invoke_async("_set_name", arguments, |_| Ok(()));
        renamed.wait().unwrap();
        assert_eq!(remote.name().unwrap(), text);
    }
}

#[test]
fn calls_that_were_not_begun_are_made_elsewhere() {
    let server = Peer::answering(|request| number(request, 21));
    let ports = [peer::dead_port(), server.port()];
    let client = orbs::client();
    let remote = peer::resolve(&client, &peer::ior(&ports, Version::V1_2));
    let call = || remote.invoke_async("increment", |_| Ok(()), |input| input.i32());
    assert_eq!(block_on(call()).unwrap(), 21);
    assert_eq!(call().wait().unwrap(), 21);
}

#[test]
fn calls_under_way_come_to_their_end_although_the_client_is_shut_down() {
    let (go, may_reply) = mpsc::channel();
    let (say, heard) = mpsc::channel();
    let script = Mutex::new((may_reply, say));
    let peer = Peer::start(move |_, mut wire| {
        let (may_reply, say) = &*script.lock().unwrap();
        let requests = [wire.request().unwrap(), wire.request().unwrap()];
        say.send(Vec::new()).unwrap();
        may_reply.recv_timeout(PATIENCE).unwrap();
        requests.iter().for_each(|request| assert!(wire.send(&done(request))));
        say.send(wire.until_end()).unwrap();
    });
    let client = orbs::client();
    let remote = peer.reference(&client, Version::V1_2);
    let (awaited, (sender, receiver)) = (ping(&remote), mpsc::channel());
    ping(&remote).on_reply(move |result| sender.send(result).unwrap());
    assert!(heard.recv_timeout(PATIENCE).unwrap().is_empty(), "both have arrived");
    client.shutdown();
    go.send(()).unwrap();
    awaited.wait().unwrap();
    receiver.recv_timeout(PATIENCE).unwrap().unwrap();
    assert_eq!(heard.recv_timeout(PATIENCE).unwrap(), [MessageKind::CloseConnection]);
    let refused = ping(&remote).wait().unwrap_err();
    assert_eq!(
        (refused.kind(), refused.minor()),
        (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_ORB_SHUT_DOWN)
    );
}

#[test]
fn calls_that_cross_the_close_of_the_connection_are_made_again() {
    let peer = Peer::start(|number, mut wire| {
        if number == 0 {
            (0..10).for_each(|_| drop(wire.request()));
            wire.send(&close_connection(Version::V1_2));
            return;
        }
        while let Some(request) = wire.request() {
            wire.send(&done(&request));
        }
    });
    let remote = peer.reference(&orbs::client(), Version::V1_2);
    let results = block_on(all((0..10).map(|_| ping(&remote)).collect()));
    results.into_iter().for_each(Result::unwrap);
    assert_eq!(peer.connections(), 2);
}

#[test]
fn a_connection_that_breaks_ends_its_calls_with_the_truth() {
    let peer = Peer::start(|_, mut wire| drop((wire.request(), wire.request())));
    let remote = peer.reference(&orbs::client(), Version::V1_2);
    for result in block_on(all((0..2).map(|_| ping(&remote)).collect())) {
        let error = result.unwrap_err();
        assert_eq!(
            (error.kind(), error.completed()),
            (ExceptionKind::CommFailure, Completion::Maybe)
        );
        assert_eq!(error.minor(), Minor::CONNECTION_LOST);
    }
    let nobody = peer::resolve(&orbs::client(), &peer::ior(&[peer::dead_port()], Version::V1_2));
    let error = ping(&nobody).wait().unwrap_err();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::Transient, Completion::No));
    assert!(error.to_string().contains("127.0.0.1"), "{error}");
}

#[test]
fn arguments_are_encoded_before_the_call_returns() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    let encoded = AtomicUsize::new(0);
    let text = String::from("tycho");
    let reply: ReplyFuture<()> = remote.invoke_async(
        "_set_name",
        |out| {
            encoded.fetch_add(1, Ordering::SeqCst);
            text.as_str().encode(out)
        },
        |_| Ok(()),
    );
    assert_eq!(encoded.load(Ordering::SeqCst), 1);
    drop(text);
    reply.wait().unwrap();
    assert_eq!(remote.name().unwrap(), "tycho");
}

#[test]
fn it_works_over_every_version_and_transport() {
    let path = std::env::temp_dir().join(format!("armilla-asynchronous-{}", std::process::id()));
    let listening = |endpoint: Option<&str>, version| {
        let mut builder = orbs::builder().max_giop(version).listen("iiop://127.0.0.1:0").unwrap();
        if let Some(scheme) = endpoint {
            let endpoint = format!("{scheme}://{}.{scheme}", path.display());
            builder = builder.listen(&endpoint).unwrap();
        }
        Server::of(builder.build().unwrap())
    };
    let versions = peer::VERSIONS.map(|version| (None, version));
    let transports = ["uiop", "shmiop"].map(|scheme| (Some(scheme), Version::V1_2));
    for (scheme, version) in versions.into_iter().chain(transports) {
        let server = listening(scheme, version);
        let client: Orb = orbs::client();
        let remote = server.remote(&client);
        let results = block_on(all((0..200).map(|given| echo(&remote, given)).collect()));
        assert!(results.into_iter().map(Result::unwrap).eq(0..200), "{scheme:?} {version}");
        assert_eq!(echo(&remote, 5).wait().unwrap(), 5);
    }
}

#[test]
fn waiting_for_the_first_call_obeys_its_time_limit() {
    // Far longer than the call, but shorter than threads wait without a look at the clock.
    // Repeated, because a loaded machine may cause one delay.
    let soon = Duration::from_millis(700);
    let in_time = (0..3).any(|_| {
        let server = Server::start();
        server.root_poa().manager().hold_requests(false).unwrap();
        let remote = server.remote(&orbs::client()).with_timeout(Duration::from_millis(20));
        let began = std::time::Instant::now();
        let error = ping(&remote).wait().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Timeout);
        began.elapsed() < soon
    });
    assert!(in_time);
}
