//! Code of the program that panics on the client's side, wherever the client calls it: only the call
//! that it belongs to fails. The connections, the threads of the ORB and the calling thread serve
//! on.

use super::{LIMIT, NEWEST};
use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption};
use armilla::transport::{
    Address, IiopProfile, Listening, MakeProfile, ObjectProfile, Publication, Readiness, SendError,
    Stream, TaggedComponent, TaggedProfile, Transport, connect, listen,
};
use armilla::{
    CallChoice, CallSelector, CdrResult, ClientExtension, ConnectionPolicy, Decoder, Encoder,
    ExceptionKind, Ior, Object, Orb, ReplyFuture, Settings, SystemException, Version,
};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer};
use armilla_tests::probe::*;
use std::borrow::Cow;
use std::future::Future;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

/// Where the program is to panic next, once.
#[derive(Clone, Debug, Default)]
struct Trap(Arc<Mutex<Option<&'static str>>>);

impl Trap {
    fn set(&self, place: &'static str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
    }

    fn is_sprung(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    fn pass(&self, place: &str) {
        let mut armed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if armed.take_if(|wanted| *wanted == place).is_some() {
            drop(armed);
            panic!("on purpose: {place}");
        }
    }
}

/// Sends the outcome of a call that is left to a callback.
fn callback<R: Send + 'static>(
    reply: ReplyFuture<R>,
) -> mpsc::Receiver<Result<R, SystemException>> {
    let (sender, receiver) = mpsc::channel();
    reply.on_reply(move |result| sender.send(result).unwrap());
    receiver
}

/// Every kind of call works, and every kind of time limit.
#[track_caller]
fn assert_serves(remote: &EverythingRef, after: &str) {
    let shared = remote.with_connection_policy(ConnectionPolicy::Multiplexed);
    let heard = callback(remote.increment_async());
    for called in [remote.ping(), shared.ping(), remote.ping_async().wait()] {
        called.unwrap_or_else(|error| panic!("after {after}: {error}"));
    }
    let heard = heard.recv_timeout(PATIENCE);
    heard.unwrap_or_else(|_| panic!("after {after}: no reply")).unwrap();
}

/// The threads that enforce time limits live.
fn assert_expires(client: &Orb) {
    let silent = Peer::start(|_, mut wire| while wire.message().is_some() {});
    let remote = silent.reference(client, NEWEST);
    let late = callback(remote.with_timeout(LIMIT).ping_async());
    for limit in [LIMIT, Duration::from_millis(1200)] {
        let error = remote.with_timeout(limit).ping().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Timeout);
    }
    let late = late.recv_timeout(PATIENCE).expect("it expires");
    assert_eq!(late.unwrap_err().kind(), ExceptionKind::Timeout);
}

#[test]
fn callbacks_of_replies_and_failures() {
    let server = Server::start();
    let client = orbs::client();
    let remote = server.remote(&client);
    let silent = Peer::start(|_, mut wire| while wire.message().is_some() {});
    let closing = Peer::start(|_, mut wire| drop(wire.message()));
    let nowhere = peer::resolve(&client, &peer::ior(&[peer::dead_port()], NEWEST));
    let calls = [
        ("a reply", remote.ping_async()),
        ("a time limit", silent.reference(&client, NEWEST).with_timeout(LIMIT).ping_async()),
        ("a lost connection", closing.reference(&client, NEWEST).ping_async()),
        ("no connection", nowhere.ping_async()),
    ];
    for (what, call) in calls {
        let (sender, receiver) = mpsc::channel();
        let callback = move |_| {
            // It is dropped by the panic.
            let _sender: mpsc::Sender<()> = sender;
            panic!("on purpose: {what}");
        };
        call.on_reply(callback);
        assert_eq!(receiver.recv_timeout(PATIENCE), Err(mpsc::RecvTimeoutError::Disconnected));
        assert_serves(&remote, what);
    }
    assert_expires(&client);
}

/// A waker with a trap at each of its operations.
struct Bad(Trap);

impl Wake for Bad {
    fn wake(self: Arc<Self>) {
        self.0.pass("wake");
    }
}

impl Drop for Bad {
    fn drop(&mut self) {
        self.0.pass("drop");
    }
}

#[test]
fn wakers() {
    let client = orbs::client();
    let trap = Trap::default();
    for place in ["wake", "drop"] {
        let server = Server::start();
        let remote = server.remote(&client);
        let mut reply = remote.block_async();
        let waker = Waker::from(Arc::new(Bad(trap.clone())));
        assert!(pin!(&mut reply).poll(&mut Context::from_waker(&waker)).is_pending());
        drop(waker);
        trap.set(place);
        server.probe.gate.open();
        eventually(place, || trap.is_sprung());
        eventually("the reply", || reply.is_ready());
        reply.wait().unwrap();
        assert_serves(&remote, place);
    }
    // The last waker of another task goes when the future is polled by this one.
    let silent = Peer::start(|_, mut wire| while wire.message().is_some() {});
    let mut reply = silent.reference(&client, NEWEST).ping_async();
    let waker = Waker::from(Arc::new(Bad(trap.clone())));
    assert!(pin!(&mut reply).poll(&mut Context::from_waker(&waker)).is_pending());
    drop(waker);
    trap.set("drop");
    let mut poll = || pin!(&mut reply).poll(&mut Context::from_waker(Waker::noop()));
    assert!(catch_unwind(AssertUnwindSafe(|| poll().is_pending())).is_err());
    assert!(poll().is_pending());
    drop(reply);
    let server = Server::start();
    assert_serves(&server.remote(&client), "a waker that was replaced");
    assert_expires(&client);
}

#[derive(Clone)]
struct Watcher(Trap);

impl ClientInterceptor for Watcher {
    fn send_request(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.0.pass("send_request");
        Ok(())
    }

    fn receive_reply(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.0.pass("receive_reply");
        Ok(())
    }

    fn receive_exception(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.0.pass("receive_exception");
        Ok(())
    }

    fn receive_other(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.0.pass("receive_other");
        Ok(())
    }
}

#[test]
fn interceptors() {
    let server = Server::start();
    let home = server.local.object().ior();
    let forwarding = Peer::answering(move |request| peer::forward(request, &home));
    let trap = Trap::default();
    let client = orbs::builder().client_interceptor(Watcher(trap.clone())).build().unwrap();
    let remote = server.remote(&client);
    let nowhere = peer::resolve(&client, &peer::ior(&[peer::dead_port()], NEWEST));
    let places = [
        ("send_request", &remote),
        ("receive_reply", &remote),
        ("receive_exception", &nowhere),
        ("receive_other", &forwarding.reference(&client, NEWEST)),
    ];
    for (place, target) in places {
        let target = travelled(target, &client);
        for shared in [false, true] {
            let policy = [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed];
            let target =
                travelled(&target, &client).with_connection_policy(policy[usize::from(shared)]);
            trap.set(place);
            assert_eq!(target.ping().unwrap_err().kind(), ExceptionKind::Unknown, "{place}");
        }
        for called_back in [false, true] {
            let target = travelled(&target, &client);
            trap.set(place);
            let reply = target.ping_async();
            let ended = match called_back {
                true => callback(reply).recv_timeout(PATIENCE).expect("it ends"),
                false => reply.wait_for(PATIENCE).expect("it ends"),
            };
            assert_eq!(ended.unwrap_err().kind(), ExceptionKind::Unknown, "{place}");
        }
        assert_serves(&remote, place);
    }
    assert_expires(&client);
}

/// The reference anew, without what calls have taught it.
fn travelled(remote: &EverythingRef, client: &Orb) -> EverythingRef {
    orbs::travel(remote, client)
}

/// Arguments are encoded while the calling thread has its buffers and a connection, and results
/// decoded while it holds the reply.
#[test]
fn arguments_and_results() {
    let server = Server::start();
    let client = orbs::client();
    let trap = &Trap::default();
    let given = "the last request of a thread is the template for its next";
    for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
        let remote = server.remote(&client).with_connection_policy(policy);
        let echo = || {
            let arguments = |out: &mut Encoder<'_>| {
                out.put_string(given)?;
                trap.pass("arguments");
                out.put_string("")
            };
            let results = |input: &mut Decoder<'_>| {
                input.string()?;
                trap.pass("results");
                input.string().map(|text| text.to_string())
            };
            remote.invoke("echo_string", arguments, results)
        };
        assert_eq!(echo().unwrap(), given);
        for place in ["arguments", "results", "arguments"] {
            trap.set(place);
            let called = catch_unwind(AssertUnwindSafe(echo));
            assert!(called.is_err() && trap.is_sprung(), "{place}");
            assert_eq!(echo().unwrap(), given, "{policy:?} after {place}");
            assert_serves(&remote, place);
        }
        trap.set("results");
        let got = trap.clone();
        let results = move |input: &mut Decoder<'_>| {
            got.pass("results");
            input.i32()
        };
        let reply = remote.invoke_async("increment", |_| Ok(()), results);
        let heard = callback(reply).recv_timeout(PATIENCE);
        assert!(heard.is_err() && trap.is_sprung());
        assert_serves(&remote, "results in a callback");
    }
    assert_expires(&client);
}

/// Selects the reference itself, or another one when asked again.
struct Selector {
    trap: Trap,
    object: Object,
}

impl CallSelector for Selector {
    fn select(&self) -> Result<CallChoice<'_>, SystemException> {
        self.trap.pass("select");
        Ok(CallChoice { object: Cow::Borrowed(&self.object), context: None })
    }

    fn select_for(&self, _: Option<(u32, [u8; 4])>) -> Result<CallChoice<'_>, SystemException> {
        self.trap.pass("select_for");
        self.select()
    }

    fn select_again(&self, _: &Object, _: &SystemException) -> bool {
        self.trap.pass("select_again");
        false
    }
}

/// Attaches to references to one port, whose calls go to `object`.
struct Extension {
    trap: Trap,
    port: u16,
    object: Object,
}

impl ClientExtension for Extension {
    fn attach(&self, _: &Orb, ior: &Ior) -> Result<Option<Arc<dyn CallSelector>>, SystemException> {
        let port = ior.iiop_profiles().next().and_then(Result::ok).map(|profile| profile.port);
        if port != Some(self.port) {
            return Ok(None);
        }
        self.trap.pass("attach");
        let selector = Selector { trap: self.trap.clone(), object: self.object.clone() };
        Ok(Some(Arc::new(selector)))
    }

    fn local_context(&self) -> Result<Option<(u32, [u8; 4])>, SystemException> {
        self.trap.pass("local_context");
        Ok(None)
    }
}

/// Selectors are asked by the calling thread, by the one that reads replies, and by one of the ORB.
#[test]
fn extensions() {
    let server = Server::start();
    let client = orbs::client();
    let remote = server.remote(&client);
    let trap = Trap::default();
    let dead = peer::resolve(&client, &peer::ior(&[peer::dead_port()], NEWEST));
    let attached = peer::dead_port();
    let extension = Extension { trap: trap.clone(), port: attached, object: dead.object().clone() };
    client.set_client_extension(Arc::new(extension));
    let chosen = || peer::resolve(&client, &peer::ior(&[attached], NEWEST));
    for place in ["attach", "select", "select_again", "local_context"] {
        let target = chosen();
        trap.set(place);
        let call = || match place {
            "local_context" => target.ping_async().wait(),
            _ => target.ping(),
        };
        let called = catch_unwind(AssertUnwindSafe(call));
        assert!(called.map_or(true, |called| called.is_err()) && trap.is_sprung(), "{place}");
        assert_serves(&remote, place);
    }
    let there = peer::ior(&[attached], NEWEST);
    let forwarding = Peer::answering(move |request| peer::forward(request, &there));
    let forwarded = || forwarding.reference(&client, NEWEST).ping_async();
    let calls: [(&'static str, &dyn Fn() -> ReplyFuture<()>); 4] = [
        ("select_again", &|| chosen().ping_async()),
        ("select_for", &forwarded),
        ("select", &forwarded),
        ("attach", &forwarded),
    ];
    for (place, call) in calls {
        for called_back in [false, true] {
            trap.set(place);
            let ended = match called_back {
                true => callback(call()).recv_timeout(PATIENCE).expect(place),
                false => call().wait_for(PATIENCE).expect(place),
            };
            assert!(ended.is_err() && trap.is_sprung(), "{place}");
            assert_serves(&remote, place);
        }
    }
    assert_expires(&client);
}

/// TCP with a trap at each operation of the client's end. It has a descriptor or not: a reactor
/// watches it, or threads read and send.
#[derive(Debug, Clone)]
struct Trapped {
    trap: Trap,
    is_watched: bool,
}

const TAG_TRAPPED: u32 = 0x4152_4d11;

impl Transport for Trapped {
    fn scheme(&self) -> &str {
        "trapped"
    }

    fn form(&self) -> &str {
        "trapped://HOST:PORT"
    }

    fn listen(&self, endpoint: &str, settings: &Settings) -> io::Result<Listening> {
        let acceptor = listen(&tcp(endpoint)?, &settings.stream_options())?;
        let Address::Tcp { host, port } = acceptor.local().clone() else { unreachable!() };
        let publications = vec![Publication::Profile(Box::new(Here { host, port }))];
        Ok(Listening { acceptor, publications })
    }

    fn connect(
        &self,
        address: &str,
        timeout: Duration,
        settings: &Settings,
    ) -> io::Result<Box<dyn Stream>> {
        self.trap.pass("connect");
        let place = address.strip_prefix("trapped://").unwrap();
        let inner = connect(&tcp(place)?, Some(timeout), &settings.stream_options())?;
        Ok(Box::new(TrappedStream { inner, with: self.clone() }))
    }

    fn read_profile(&self, profile: &TaggedProfile) -> Option<CdrResult<ObjectProfile>> {
        (profile.id == TAG_TRAPPED).then(|| {
            let read = IiopProfile::decode_data(&profile.data)?;
            Ok(ObjectProfile {
                address: format!("trapped://{}:{}", read.host, read.port),
                version: read.version,
                object_key: read.object_key,
                components: read.components,
            })
        })
    }
}

fn tcp(place: &str) -> io::Result<Address> {
    format!("tcp://{place}").parse().map_err(io::Error::other)
}

struct Here {
    host: String,
    port: u16,
}

impl MakeProfile for Here {
    fn make(
        &self,
        version: Version,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> CdrResult<TaggedProfile> {
        let (host, port) = (self.host.clone(), self.port);
        let (object_key, components) = (object_key.to_vec(), components.to_vec());
        let like = IiopProfile { version, host, port, object_key, components }.to_tagged()?;
        Ok(TaggedProfile { id: TAG_TRAPPED, ..like })
    }
}

#[derive(Debug)]
struct TrappedStream {
    inner: Box<dyn Stream>,
    with: Trapped,
}

impl Stream for TrappedStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.with.trap.pass("recv");
        self.inner.recv(buffer)
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.with.trap.pass("recv");
        self.inner.try_recv(buffer)
    }

    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.with.trap.pass("send");
        self.inner.send_all(bytes)
    }

    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        self.with.trap.pass("send");
        self.inner.send_all_vectored(parts)
    }

    fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.with.trap.pass("send");
        self.inner.try_send_vectored(parts)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.with.trap.pass("set_timeout");
        self.inner.set_recv_timeout(timeout)
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.with.trap.pass("set_timeout");
        self.inner.set_send_timeout(timeout)
    }

    fn readiness(&self) -> io::Result<Readiness> {
        self.with.trap.pass("readiness");
        self.inner.readiness()
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.inner.descriptor().filter(|_| self.with.is_watched)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.with.trap.pass("shutdown");
        self.inner.shutdown(how)
    }

    fn peer(&self) -> &Address {
        self.inner.peer()
    }

    fn local(&self) -> &Address {
        self.inner.local()
    }
}

impl Drop for TrappedStream {
    fn drop(&mut self) {
        self.with.trap.pass("drop");
    }
}

/// A call that meets a trap may fail, or panic in the thread that made it.
fn attempt(call: impl FnOnce() -> Result<(), SystemException>) {
    drop(catch_unwind(AssertUnwindSafe(call)));
}

#[test]
fn transports() {
    for is_watched in [true, false] {
        let trap = Trap::default();
        let with = Trapped { trap: trap.clone(), is_watched };
        let orb = orbs::builder().transport(with.clone()).listen("trapped://127.0.0.1:0");
        let server = Server::of(orb.unwrap().build().unwrap());
        let short = Duration::from_millis(100);
        let client = orbs::builder().transport(with).settings(|settings| {
            settings.client_idle = short;
            settings.connections_per_endpoint = 1;
        });
        let client = client.build().unwrap();
        let remote = server.remote(&client);
        let shared = remote.with_connection_policy(ConnectionPolicy::Multiplexed);
        for place in ["connect", "send", "recv", "set_timeout", "readiness", "shutdown", "drop"] {
            let calls: [&dyn Fn(); 5] = [
                &|| attempt(|| remote.ping()),
                &|| attempt(|| shared.ping()),
                &|| attempt(|| remote.ping_async().wait_for(PATIENCE).expect("it ends")),
                &|| drop(callback(remote.ping_async()).recv_timeout(PATIENCE).expect("it ends")),
                &|| attempt(|| shared.with_timeout(LIMIT).block()),
            ];
            for call in calls {
                trap.set(place);
                call();
                *trap.0.lock().unwrap() = None;
                assert_serves(&remote, place);
            }
            // The housekeeping closes what is idle.
            trap.set(place);
            std::thread::sleep(short * 2);
            *trap.0.lock().unwrap() = None;
            assert_serves(&remote, place);
        }
        assert_expires(&client);
    }
}
