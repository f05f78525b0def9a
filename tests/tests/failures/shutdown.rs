//! Shutdown of an ORB: requests in progress finish, clients are notified, and nothing hangs.

use armilla::interceptor::{ServerInterceptor, ServerRequestInfo};
use armilla::{
    AnyServant, Completion, Concurrency, ExceptionKind, ManagerState, Minor, ObjectId, Poa,
    PoaError, ServantActivator, ServantManager, ServantManagerError, SystemException, Version,
};
use armilla_cdr::ByteOrder;
use armilla_giop::{HEADER_LEN, MessageKind};
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, CONCURRENCIES, Server};
use armilla_tests::peer::{self, Peer, Wire, done};
use armilla_tests::probe::*;
use armilla_tests::process::Process;
use armilla_tests::servant::{Ear, Probe};
use rustix::process::Signal;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// A connection that has made one call and stays open.
fn connected(address: (&str, u16), key: &[u8]) -> Wire {
    let mut wire = Wire::connect(address);
    wire.send(&ping(key));
    assert_eq!(wire.kind(), Some(MessageKind::Reply));
    wire
}

fn ping(key: &[u8]) -> Vec<u8> {
    peer::request(Version::V1_2, ByteOrder::NATIVE, key, "ping", |_| Ok(()))
}

fn key(reference: &EverythingRef) -> Vec<u8> {
    reference.object().ior().iiop_profiles().next().unwrap().unwrap().object_key
}

#[test]
fn a_request_under_way_is_answered_and_then_the_connection_closes_in_order() {
    let server = Server::start();
    let key = key(&server.local);
    let mut idle = connected(server.address(), &key);
    let mut busy = Wire::connect(server.address());
    busy.send(&peer::request(Version::V1_2, ByteOrder::NATIVE, &key, "block", |_| Ok(())));
    server.probe.gate.await_waiting(1);
    thread::scope(|scope| {
        let ending = scope.spawn(|| server.shutdown());
        assert_eq!(idle.until_end(), [MessageKind::CloseConnection]);
        assert!(!ending.is_finished(), "the request under way was not waited for");
        // A request that comes now is not begun any more.
        busy.send(&ping(&key));
        server.probe.gate.open();
        assert_eq!(busy.until_end(), [MessageKind::Reply, MessageKind::CloseConnection]);
    });
}

#[test]
fn calls_to_a_server_that_was_shut_down_are_transient() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    remote.ping().unwrap();
    server.shutdown();
    let error = remote.ping().unwrap_err();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::Transient, Completion::No));
    assert!(error.to_string().contains("refused"), "{error}");
}

#[test]
fn an_orb_that_was_shut_down_calls_and_activates_nothing_more() {
    let server = Server::start();
    let client = orbs::listening();
    let remote = server.remote(&client);
    remote.ping().unwrap();
    client.shutdown();
    let poa = client.root_poa();
    for error in [
        remote.ping().unwrap_err(),
        remote.object().locate().unwrap_err(),
        poa.activate(everything::tie(Probe::default())).unwrap_err().into(),
    ] {
        let got = (error.kind(), error.minor(), error.completed());
        assert_eq!(
            got,
            (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_ORB_SHUT_DOWN, Completion::No),
            "{error}"
        );
    }
    server.local.ping().unwrap();
    server.shutdown();
    let error = server.local.ping().unwrap_err();
    assert_eq!(
        (error.kind(), error.minor()),
        (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_ORB_SHUT_DOWN)
    );
}

#[test]
fn a_servant_may_call_while_its_orb_shuts_down() {
    let server = Server::start();
    let client = orbs::listening();
    let (ear, listener) = Ear::activate(&client);
    let remote = server.remote(&client);
    let gate = &server.probe.gate;
    thread::scope(|scope| {
        let call = scope.spawn(|| remote.block_and_call_back(&listener, "last words"));
        gate.await_waiting(1);
        let ending = scope.spawn(|| server.shutdown());
        assert!(!ending.is_finished());
        gate.open();
        call.join().unwrap().unwrap();
    });
    assert_eq!(ear.heard(), ["last words"]);
    client.shutdown();
}

#[test]
fn a_servant_that_does_not_end_is_given_up_after_the_drain_timeout() {
    let limits = orbs::builder().settings(|s| s.drain_timeout = Duration::from_millis(50));
    let server = Server::of(limits.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let remote = server.remote(&orbs::client());
    thread::scope(|scope| {
        let call = scope.spawn(|| remote.block());
        server.probe.gate.await_waiting(1);
        let begun = Instant::now();
        server.shutdown();
        assert!(begun.elapsed() < PATIENCE / 2);
        server.probe.gate.open();
        assert!(call.join().unwrap().is_ok(), "its reply is sent all the same");
    });
}

#[test]
fn limits_that_outlast_all_times_are_none() {
    let limits = orbs::builder().call_timeout(Some(Duration::MAX)).settings(|s| {
        (s.drain_timeout, s.connect_timeout) = (Duration::MAX, Duration::MAX);
    });
    let server = Server::of(limits.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let client = orbs::builder().call_timeout(Some(Duration::MAX)).build().unwrap();
    let remote = server.remote(&client);
    remote.ping().unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| remote.block());
        server.probe.gate.await_waiting(1);
        let ending = scope.spawn(|| server.shutdown());
        server.probe.gate.open();
        assert!(call.join().unwrap().is_ok());
        ending.join().unwrap();
    });
}

#[test]
fn shutting_down_twice_or_without_ever_listening_does_nothing() {
    let server = Server::start();
    thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(|| server.shutdown())));
    });
    server.shutdown();
    let client = orbs::client();
    client.shutdown();
    let error = client.publish("Late", &server.local).unwrap_err();
    assert_eq!(error.minor(), Minor::BAD_INV_ORDER_ORB_SHUT_DOWN, "it does not begin to listen");
    assert!(client.run().is_ok(), "nor to run");
}

#[test]
fn a_client_that_shuts_down_closes_its_connections_in_order() {
    let (sender, kinds) = mpsc::channel();
    let peer = Peer::start(move |_, mut wire| {
        let Some(request) = wire.request() else { return };
        wire.send(&done(&request));
        sender.send(wire.until_end()).ok();
    });
    let client = orbs::client();
    peer.reference(&client, Version::V1_2).ping().unwrap();
    client.shutdown();
    assert_eq!(kinds.recv_timeout(PATIENCE).unwrap(), [MessageKind::CloseConnection]);
}

#[test]
fn its_managers_are_inactive_and_what_they_held_is_answered_at_once() {
    let server = Server::start();
    let holding = server.create_poa_manager("holding").unwrap();
    let poa = server.root_poa().create_poa("held").manager(&holding).build().unwrap();
    let near = poa.activate(everything::tie(Probe::default())).unwrap();
    let far = orbs::travel(&near, &orbs::client());
    thread::scope(|scope| {
        let held = [&near, &far].map(|reference| scope.spawn(|| reference.ping()));
        eventually("both are held", || holding.held_requests() == 2);
        server.shutdown();
        for call in held {
            let error = call.join().unwrap().unwrap_err();
            let got = (error.kind(), error.minor(), error.completed());
            assert_eq!(
                got,
                (ExceptionKind::ObjAdapter, Minor::OBJ_ADAPTER_UNAVAILABLE, Completion::No),
                "{error}"
            );
        }
    });
    for manager in [&holding, server.root_poa().manager()] {
        assert_eq!(manager.state(), ManagerState::Inactive);
        assert_eq!(manager.activate(), Err(PoaError::AdapterInactive));
    }
    let late = SystemException::from(server.create_poa_manager("late").unwrap_err());
    assert_eq!(
        (late.kind(), late.minor()),
        (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_ORB_SHUT_DOWN)
    );
}

/// Gives the servant that it has, and notes that it got it back.
struct Keeper(Arc<Probe>, Arc<AtomicBool>);

impl ServantActivator for Keeper {
    fn incarnate(&self, _: &ObjectId, _: &Poa) -> Result<AnyServant, ServantManagerError> {
        let servant: Arc<dyn Everything> = self.0.clone();
        Ok(servant.into())
    }

    fn etherealize(&self, _: &ObjectId, _: &Poa, _: AnyServant, cleanup: bool, _: bool) {
        assert!(cleanup);
        self.1.store(true, Ordering::SeqCst);
    }
}

#[test]
fn calls_within_the_process_are_waited_for_and_their_servants_go_back_before_it_is_over() {
    let orb = orbs::client();
    let (probe, is_back) = (Arc::new(Probe::default()), Arc::new(AtomicBool::new(false)));
    let manager = ServantManager::activator(Keeper(probe.clone(), is_back.clone()));
    let poa = orb.root_poa().create_poa("kept").user_ids().servant_manager(manager);
    let near: EverythingRef = poa.build().unwrap().create_reference_with_id("a").unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| near.block());
        probe.gate.await_waiting(1);
        let ending = scope.spawn(|| {
            orb.shutdown();
            is_back.load(Ordering::SeqCst)
        });
        let inactive = || orb.root_poa().manager().state() == ManagerState::Inactive;
        eventually("the end has begun", inactive);
        probe.gate.open();
        assert!(call.join().unwrap().is_ok());
        assert!(ending.join().unwrap(), "it has returned before the servant was back");
    });
}

#[test]
fn run_ends_when_another_thread_shuts_down() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    thread::scope(|scope| {
        let running = [(); 2].map(|()| scope.spawn(|| server.run()));
        remote.ping().unwrap();
        server.shutdown();
        running.into_iter().for_each(|run| run.join().unwrap().unwrap());
    });
    assert!(server.run().is_ok(), "what has ended does not run again");
}

/// Ends its own server.
struct Last(armilla::Orb);

impl Listener for Last {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        match text {
            "wait" => self.0.try_shutdown(true),
            "begin" => self.0.try_shutdown(false),
            _ => {
                self.0.shutdown();
                Ok(())
            }
        }
    }

    fn descend(&self, _partner: &EverythingRef, _depth: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

#[test]
fn a_servant_may_shut_its_orb_down_but_not_wait_for_that() {
    for far in [false, true] {
        for how in ["begin", "as it is"] {
            let server = Server::start();
            let near = server.root_poa().activate(listener::tie(Last(server.orb.clone()))).unwrap();
            let called = if far { orbs::travel(&near, &orbs::client()) } else { near.clone() };
            thread::scope(|scope| {
                let running = scope.spawn(|| server.run());
                let error = called.hear("wait").unwrap_err();
                assert_eq!(
                    (error.kind(), error.minor()),
                    (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_WOULD_DEADLOCK)
                );
                server.local.ping().unwrap();
                called.hear(how).unwrap();
                running.join().unwrap().unwrap();
            });
            assert!(called.hear("").is_err());
            assert!(server.try_shutdown(true).is_ok(), "it is over");
        }
    }
}

#[test]
fn an_idle_connection_is_closed_in_order_after_its_time() {
    let limits = orbs::builder().settings(|s| s.server_idle = Duration::from_millis(30));
    let server = Server::of(limits.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let mut wire = connected(server.address(), &key(&server.local));
    assert_eq!(wire.until_end(), [MessageKind::CloseConnection]);
    let remote = server.remote(&orbs::client());
    remote.ping().unwrap();
    let mut other = connected(server.address(), &key(&server.local));
    assert_eq!(other.until_end(), [MessageKind::CloseConnection]);
    remote.ping().unwrap();
}

#[test]
fn a_process_ends_in_order_when_it_is_asked_to() {
    for signal in [Signal::INT, Signal::TERM] {
        let mut process = Process::start(Command::new(env!("CARGO_BIN_EXE_probe")).arg("serve"));
        let remote: EverythingRef = orbs::client().resolve(&process.url).unwrap();
        let mut wire = connected(process.address(), &key(&remote.myself().unwrap()));
        process.signal(signal);
        assert_eq!(wire.until_end(), [MessageKind::CloseConnection], "{signal:?}");
        assert_eq!(process.await_end().code(), Some(0), "{signal:?}");
        assert_eq!(remote.ping().unwrap_err().kind(), ExceptionKind::Transient);
    }
}

/// Is there as long as its ORB.
struct Witness(#[expect(dead_code, reason = "it counts by being there")] Arc<()>);

impl ServerInterceptor for Witness {}

/// A server that keeps what a client does not read, and a witness of its ORB.
fn keeping(concurrency: Concurrency) -> (Server, Arc<()>) {
    let witness = Arc::new(());
    let orb = orbs::builder().settings(|settings| {
        settings.concurrency = concurrency;
        settings.drain_timeout = Duration::from_millis(100);
        settings.queued_replies = 64 << 20;
    });
    let orb = orb.server_interceptor(Witness(witness.clone()));
    let orb = orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    // A servant that knows no reference to itself: it would keep the ORB.
    let probe = Arc::new(Probe::default());
    let local = orb.root_poa().activate(probe.clone() as Arc<dyn Everything>).unwrap();
    orb.perform_work().unwrap();
    (Server { orb, probe, local }, witness)
}

/// A client that has asked for a reply of this many octets, and has not read it.
fn unread(server: &Server, octets: u32) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = server.request_with(7, "produce", |out| {
        out.put_u32(octets);
        Ok(())
    });
    stream.write_all(&request).unwrap();
    assert!(stream.peek(&mut [0]).unwrap() > 0, "the reply has begun");
    stream
}

#[test]
fn a_client_that_reads_after_the_drain_timeout_sees_the_end_of_its_connection() {
    for concurrency in CONCURRENCIES {
        let (server, witness) = keeping(concurrency);
        // Where there is a dedicated thread, this connection has it.
        let mut first = TcpStream::connect(server.address()).unwrap();
        first.write_all(&server.request(1, "ping")).unwrap();
        first.peek(&mut [0]).unwrap();
        let mut late = unread(&server, 15 << 20);
        server.shutdown();
        let mut buffer = vec![0; 1 << 20];
        let end = loop {
            match late.read(&mut buffer) {
                Ok(0) => break Ok(()),
                Ok(_) => {}
                Err(error) => break Err(error.kind()),
            }
        };
        assert!(
            matches!(end, Ok(()) | Err(ErrorKind::ConnectionReset)),
            "{end:?}, {concurrency:?}"
        );
        drop((first, late, server));
        eventually("the ORB is gone", || Arc::strong_count(&witness) == 1);
    }
}

#[test]
fn connections_of_clients_that_never_read_are_gone_after_the_shutdown() {
    for concurrency in [CONCURRENCIES[1], CONCURRENCIES[2]] {
        let (server, witness) = keeping(concurrency);
        let mut clients: Vec<_> = (0..4).map(|_| unread(&server, 12 << 20)).collect();
        if let Concurrency::Hybrid { .. } = concurrency {
            // The thread of this one waits as long as the client stays.
            drop(clients.remove(0));
        }
        server.shutdown();
        drop(server);
        eventually("the ORB is gone", || Arc::strong_count(&witness) == 1);
        drop(clients);
    }
}

/// Raises an exception in place of the replies of one operation.
struct Refusing;

impl ServerInterceptor for Refusing {
    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        match request.operation() {
            "block" => Err(ExceptionKind::TransactionRolledback.because("as told")),
            _ => Ok(()),
        }
    }
}

#[test]
fn a_reply_that_cannot_be_sent_ends_the_connection_even_if_another_thread_leads_it() {
    // A message may be as large as the request, and an exception is larger.
    let most = Server::start().request(1, "block").len() - HEADER_LEN;
    for concurrency in CONCURRENCIES {
        let orb = orbs::builder().settings(|settings| {
            settings.concurrency = concurrency;
            settings.max_message = most;
        });
        let orb = orb.server_interceptor(Refusing).listen("iiop://127.0.0.1:0").unwrap();
        let server = Server::of(orb.build().unwrap());
        let mut wire = Wire::connect(server.address());
        wire.send(&server.request(1, "block"));
        server.probe.gate.await_waiting(1);
        wire.send(&server.request(2, "ping"));
        assert_eq!(wire.kind(), Some(MessageKind::Reply), "another thread leads now");
        server.probe.gate.open();
        assert_eq!(wire.until_end(), [], "{concurrency:?}: the client waits for no reply");
    }
}
