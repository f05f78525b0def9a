//! The limits of asynchronous calls: they expire in every state, and while other calls are blocked.

use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption};
use armilla::{
    Completion, ExceptionKind, Object, Policies, Rebind, ReplyFuture, SystemException, Version,
};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer};
use armilla_tests::probe::*;
use armilla_tests::process::Process;
use rustix::process::Signal;
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

fn ping(remote: &EverythingRef) -> ReplyFuture<()> {
    remote.invoke_async("ping", |_| Ok(()), |_| Ok(()))
}

fn only(choose: impl FnOnce(&mut Policies)) -> Policies {
    let mut policies = Policies::default();
    choose(&mut policies);
    policies
}

#[test]
fn they_do_not_wait_for_a_connection_longer_than_they_may_take() {
    // A listener with a full queue does not answer connection attempts.
    let listener = deaf();
    let port = listener.0.local_addr().unwrap().port();
    let client = orbs::client();
    let remote = peer::resolve(&client, &peer::ior(&[port], Version::V1_2));
    let short = remote.with_timeout(Duration::from_millis(50));
    let begun = Instant::now();
    let error = ping(&short).wait().unwrap_err();
    assert!(matches!(error.kind(), ExceptionKind::Timeout | ExceptionKind::Transient), "{error}");
    assert!(begun.elapsed() < PATIENCE / 2, "as long as a connection may take: {error}");
    assert_eq!(error.kind(), ExceptionKind::Timeout, "{error}");
}

#[test]
fn they_end_where_no_time_is_left_for_a_connection() {
    let server = Server::start();
    let never = only(|policies| policies.connect_timeout = Some(Duration::ZERO));
    let at_once = only(|policies| policies.request_timeout = Some(Duration::from_nanos(1)));
    for policies in [never, at_once] {
        let remote = server.remote(&orbs::client()).with_policies(policies);
        let ended = ping(&remote).wait_for(PATIENCE).expect("it has no time, and ends");
        let error = ended.unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Timeout, "{error}");
        assert_eq!(error.completed(), Completion::No);
    }
}

/// Takes more time than calls have, once: at their beginning, or where they fail, and sends them
/// elsewhere then.
#[derive(Clone, Default)]
struct Dawdler(Arc<Mutex<Option<Task>>>);

/// At which point, and where to.
type Task = (&'static str, Option<Object>);

impl Dawdler {
    const LIMIT: Duration = Duration::from_millis(10);

    fn dawdle(&self, point: &str) -> Result<(), Interruption> {
        let told = self.0.lock().unwrap().take_if(|(wanted, _)| *wanted == point);
        let Some((_, elsewhere)) = told else { return Ok(()) };
        std::thread::sleep(Self::LIMIT * 3);
        elsewhere.map_or(Ok(()), |object| Err(Interruption::Forward(object)))
    }

    /// The four ways to say how long a call has.
    fn limits() -> [Policies; 4] {
        let (time, end) = (Some(Self::LIMIT), Some(Instant::now() + Self::LIMIT));
        [
            only(|policies| policies.round_trip_timeout = time),
            only(|policies| policies.reply_end = end),
            only(|policies| policies.request_timeout = time),
            only(|policies| policies.request_end = end),
        ]
    }
}

impl ClientInterceptor for Dawdler {
    fn send_request(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.dawdle("send")
    }

    fn receive_exception(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.dawdle("exception")
    }
}

type Call = fn(&EverythingRef) -> Result<i32, SystemException>;

#[test]
fn the_time_that_interceptors_take_is_that_of_the_call() {
    let (server, other) = (Server::start(), Server::start());
    let dawdler = Dawdler::default();
    let client = orbs::builder().client_interceptor(dawdler.clone()).build().unwrap();
    let elsewhere = Some(other.remote(&client).object().clone());
    let calls: [Call; 3] = [
        |remote| remote.increment(),
        |remote| remote.remark("late").map(|()| 0),
        |remote| {
            let reply = remote.invoke_async("increment", |_| Ok(()), |input| input.i32());
            reply.wait_for(PATIENCE).expect("its time has passed, and it ends")
        },
    ];
    for call in calls {
        // With a connection that is there, and with one that has yet to be made.
        for met in [true, false] {
            for at in 0..4 {
                let remote = server.remote(&client);
                if met {
                    remote.ping().unwrap();
                    ping(&remote).wait().unwrap();
                }
                let hurried = remote.with_policies(Dawdler::limits()[at].clone());
                let elsewhere = elsewhere.clone().filter(|_| !met);
                *dawdler.0.lock().unwrap() = Some(("send", elsewhere));
                let error = call(&hurried).unwrap_err();
                assert_eq!(error.kind(), ExceptionKind::Timeout, "{at} {met} {error}");
                assert_eq!(error.completed(), Completion::No, "{at} {met} {error}");
            }
        }
    }
    let executed = [&server, &other].map(|server| server.local.count().unwrap());
    assert_eq!(executed, [0, 0]);
    assert!(server.local.remarks(0).unwrap().is_empty());
    // A request that was sent is not sent again after its time limit, nor is one that found no
    // connection in time, although no thread waits for it.
    let (listener, _waiting) = deaf();
    let port = listener.local_addr().unwrap().port();
    let unreached = peer::resolve(&client, &peer::ior(&[port], Version::V1_2));
    for target in [server.remote(&client), unreached] {
        for at in 0..4 {
            let failing = target.with_policies(Dawdler::limits()[at].clone());
            *dawdler.0.lock().unwrap() = Some(("exception", elsewhere.clone()));
            let reply: ReplyFuture<()> = failing.invoke_async("lacking", |_| Ok(()), |_| Ok(()));
            let ended = reply.wait_for(PATIENCE).expect("its time has passed, and it ends");
            assert_eq!(ended.unwrap_err().kind(), ExceptionKind::Timeout);
        }
    }
}

#[test]
fn waiting_for_a_call_in_the_reply_thread_obeys_its_time_limit() {
    let server = Server::start();
    let client = orbs::client();
    let remote = server.remote(&client);
    let silent = Peer::start(|_, mut wire| while wire.message().is_some() {});
    let (listener, _waiting) = deaf();
    let unreached = listener.local_addr().unwrap().port();
    for port in [silent.port(), unreached] {
        let object = peer::resolve(&client, &peer::ior(&[port], Version::V1_2));
        let short = object.with_timeout(Duration::from_millis(20));
        let (sender, receiver) = mpsc::channel();
        // Nobody waits for this reply, so that the thread that reads for all hears of it.
        ping(&remote).on_reply(move |_| sender.send(ping(&short).wait()).unwrap());
        let ended = receiver.recv_timeout(PATIENCE).expect("it may take 20 ms, and ends");
        assert_eq!(ended.unwrap_err().kind(), ExceptionKind::Timeout);
    }
    ping(&remote).wait().unwrap();
}

/// A listener that has as many connections as fit its queue.
fn deaf() -> (TcpListener, Vec<std::net::TcpStream>) {
    use rustix::net;
    let socket = net::socket(net::AddressFamily::INET, net::SocketType::STREAM, None).unwrap();
    net::bind(&socket, &std::net::SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    net::listen(&socket, 0).unwrap();
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().unwrap();
    let limit = Duration::from_millis(200);
    let fill = || std::net::TcpStream::connect_timeout(&address, limit).ok();
    let waiting = std::iter::from_fn(fill).take(64).collect();
    (listener, waiting)
}

/// A server that reads nothing on its first connection until the test says so, and then answers.
/// It tells nothing when octets have come, and then the operation of each call.
fn unread() -> (Peer, mpsc::Sender<()>, mpsc::Receiver<String>) {
    let (go, goes) = mpsc::channel::<()>();
    let (tell, told) = mpsc::channel();
    let (goes, tell) = (Mutex::new(goes), Mutex::new(tell));
    let peer = Peer::start(move |_, mut wire| {
        wire.peek();
        tell.lock().unwrap().send(String::new()).ok();
        goes.lock().unwrap().recv().ok();
        while let Some(message) = wire.message() {
            let message = armilla_giop::Message::parse(&message).unwrap().unwrap();
            let Ok((request, _)) = armilla_giop::decode_request(&message) else { continue };
            tell.lock().unwrap().send(request.operation.to_string()).ok();
            let (order, id) = (message.header.order, request.request_id);
            let status = armilla_giop::ReplyStatus::NoException;
            wire.send(&peer::reply(Version::V1_2, order, id, status, |_| Ok(())));
        }
    });
    (peer, go, told)
}

/// A call with more octets than the system and the queue take for a server that does not read.
fn large(remote: &EverythingRef, operation: &'static str) -> ReplyFuture<()> {
    let arguments = |out: &mut armilla::Encoder<'_>| out.copy_octets(&vec![7; 12 << 20]);
    remote.invoke_async(operation, arguments, |_| Ok(()))
}

#[test]
fn they_wait_for_a_server_that_does_not_read_without_a_thread_and_stay_in_order() {
    let (peer, go, told) = unread();
    let remote = peer.reference(&orbs::client(), Version::V1_2);
    let _connects = ping(&remote);
    eventually("it connects", || peer.connections() > 0);
    // If one of them blocked this thread, the server would never read.
    let operations = ["first", "second", "third", "fourth"];
    let calls = operations.map(|operation| large(&remote, operation));
    let small = ping(&remote);
    assert!(!small.is_ready());
    go.send(()).unwrap();
    calls.into_iter().for_each(|call| call.wait().unwrap());
    small.wait().unwrap();
    let told: Vec<_> = told.iter().take(7).collect();
    assert_eq!(told, ["", "ping", "first", "second", "third", "fourth", "ping"]);
}

#[test]
fn while_they_wait_for_a_server_that_does_not_read_they_expire_and_are_cancelled() {
    let (peer, go, told) = unread();
    let remote = peer.reference(&orbs::client(), Version::V1_2);
    let first = large(&remote, "first");
    let late = large(&remote.with_timeout(Duration::from_millis(50)), "late");
    let error = late.wait_for(PATIENCE).expect("it expires").unwrap_err();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::Timeout, Completion::No));
    assert!(error.to_string().contains("50 ms"), "{error}");
    drop(large(&remote, "dropped"));
    let last = large(&remote, "last");
    go.send(()).unwrap();
    first.wait().unwrap();
    last.wait().unwrap();
    assert_eq!(told.iter().take(3).collect::<Vec<_>>(), ["", "first", "last"]);
}

/// All other calls on the connection were cancelled.
#[test]
fn a_connection_on_which_they_wait_is_not_idle() {
    let (peer, go, told) = unread();
    let builder = orbs::builder().settings(|s| s.client_idle = Duration::from_secs(1));
    let client = builder.build().unwrap();
    let remote = peer.reference(&client, Version::V1_2);
    let first = large(&remote, "first");
    assert_eq!(told.recv_timeout(PATIENCE).unwrap(), "");
    let connections = peer.connections();
    let bound = remote.with_policies(only(|policies| policies.rebind = Some(Rebind::NoReconnect)));
    let (sender, receiver) = mpsc::channel();
    let nested = remote.with_connection_policy(armilla::ConnectionPolicy::Multiplexed);
    large(&bound, "second").on_reply(move |result| sender.send((result, nested.ping())).unwrap());
    drop(first);
    // The housekeeping looks at the connection a few times meanwhile.
    assert!(receiver.recv_timeout(Duration::from_millis(2500)).is_err());
    drop(go);
    let (result, nested) = receiver.recv_timeout(PATIENCE).expect("it ends");
    result.unwrap();
    nested.unwrap();
    assert_eq!(told.iter().take(3).collect::<Vec<_>>(), ["first", "second", "ping"]);
    assert_eq!(peer.connections(), connections);
}

#[test]
fn what_waits_for_a_server_that_does_not_read_goes_to_the_next_connection() {
    let (go, goes) = mpsc::channel::<()>();
    let goes = Mutex::new(goes);
    let peer = Peer::start(move |number, mut wire| {
        if number == 0 {
            // It reads nothing and resets the connection.
            goes.lock().unwrap().recv().ok();
            return wire.reset();
        }
        while let Some(request) = wire.request() {
            wire.send(&peer::done(&request));
        }
    });
    let remote = peer.reference(&orbs::client(), Version::V1_2);
    let first = large(&remote, "first");
    let second = large(&remote, "second");
    assert!(!first.is_ready() && !second.is_ready());
    go.send(()).unwrap();
    second.wait().unwrap();
    // It was sent in part, and so not executed.
    first.wait().unwrap();
}

#[test]
fn a_server_that_stops_holds_no_thread_whatever_the_transport() {
    let directory = std::env::temp_dir();
    let name = |scheme: &str| {
        let file = format!("armilla-{}-{}", std::process::id(), orbs::unique(scheme));
        format!("{scheme}://{}", directory.join(file).display())
    };
    for endpoint in [name("shmiop"), name("uiop"), "iiop://127.0.0.1:0".to_owned()] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probe"));
        let server = Process::start(command.args(["serve", "-ORBEndpoint", &endpoint]));
        let remote: EverythingRef = orbs::client().resolve(&server.url).unwrap();
        remote.ping_async().wait().unwrap();
        server.stop();
        let given = vec![7; 3 << 20];
        // If one of them blocked this thread, the server would not go on.
        let calls: Vec<_> = (0..3).map(|_| remote.echo_octets_async(&given, &[])).collect();
        drop(remote.increment_async());
        server.signal(Signal::CONT);
        for call in calls {
            let (_, copy, _) = call.wait().unwrap();
            assert!(copy == given, "{endpoint}");
        }
    }
}
