//! Threading policies: one call at a time, a limited number, and the main thread.

use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException, Threading};
use armilla_tests::gate::Gate;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

/// A listener that is not ready for two calls at once.
struct Alone(std::sync::atomic::AtomicBool, std::sync::OnceLock<ListenerRef>);

impl Listener for Alone {
    fn hear(&self, _text: &str) -> Result<(), SystemException> {
        use std::sync::atomic::Ordering::SeqCst;
        assert!(!self.0.swap(true, SeqCst), "two calls at once");
        thread::sleep(std::time::Duration::from_millis(1));
        self.0.store(false, SeqCst);
        Ok(())
    }

    fn descend(&self, _partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        // Calls its own object, which must not wait for itself.
        match depth {
            0 => Ok(0),
            _ => Ok(1 + self.1.get().unwrap().descend(&EverythingRef::nil(), depth - 1)?),
        }
    }
}

fn alone(orb: &Orb, threading: Threading) -> ListenerRef {
    let poa =
        orb.root_poa().create_poa(format!("{threading:?}")).policy(threading).build().unwrap();
    let servant = Arc::new(Alone(Default::default(), Default::default()));
    let reference = poa.activate(servant.clone() as Arc<dyn Listener>).unwrap();
    servant.1.set(reference.clone()).unwrap();
    reference
}

/// Many calls from many threads, near and far.
fn besiege(near: &ListenerRef, clients: &[Orb]) {
    let far: Vec<_> = clients.iter().map(|client| travel(near, client)).collect();
    thread::scope(|scope| {
        for reference in far.iter().chain([near, near]) {
            scope.spawn(move || {
                (0..20).for_each(|_| reference.hear("").unwrap());
                assert_eq!(reference.descend(&EverythingRef::nil(), 5), Ok(5));
            });
        }
    });
}

#[test]
fn a_single_threaded_poa_makes_one_call_at_a_time() {
    let server = Server::start();
    let clients: Vec<_> = (0..4).map(|_| orbs::client()).collect();
    besiege(&alone(&server, Threading::SingleThread), &clients);
}

/// A listener that is ready for two calls at once.
#[derive(Default)]
struct Pair {
    now: AtomicUsize,
    gate: Gate,
    myself: std::sync::OnceLock<ListenerRef>,
}

impl Listener for Pair {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        assert!(self.now.fetch_add(1, SeqCst) < 2, "three calls at once");
        match text {
            "wait" => self.gate.pass(),
            _ => thread::yield_now(),
        }
        self.now.fetch_sub(1, SeqCst);
        Ok(())
    }

    fn descend(&self, partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        match depth {
            0 => self.hear("").map(|()| 0),
            _ => Ok(1 + self.myself.get().unwrap().descend(partner, depth - 1)?),
        }
    }
}

#[test]
fn a_poa_may_make_some_calls_at_a_time() {
    let server = Server::start();
    let clients: Vec<_> = (0..4).map(|_| orbs::client()).collect();
    let poa = server.root_poa().create_poa("some").max_concurrent_requests(2).build().unwrap();
    let servant = Arc::new(Pair::default());
    let near = poa.activate(servant.clone() as Arc<dyn Listener>).unwrap();
    servant.myself.set(near.clone()).unwrap();
    let far: Vec<_> = clients.iter().map(|client| travel(&near, client)).collect();
    thread::scope(|scope| {
        for reference in far.iter().chain([&near, &near]) {
            scope.spawn(move || {
                reference.hear("wait").unwrap();
                (0..20).for_each(|_| reference.hear("").unwrap());
                // Within the process a servant may call on, though no other could.
                assert_eq!(reference.descend(&EverythingRef::nil(), 3), Ok(3));
            });
        }
        servant.gate.await_waiting(2);
        servant.gate.open();
    });
    poa.destroy(true, true).unwrap();
    let error =
        server.root_poa().create_poa("none").max_concurrent_requests(0).build().unwrap_err();
    assert!(error.to_string().contains("at least one"), "{error}");
}

#[test]
fn a_call_that_waits_where_some_are_made_at_a_time_ends_in_its_time() {
    let server = Server::start();
    let poa = server.root_poa().create_poa("one").max_concurrent_requests(1).build().unwrap();
    let probe = Arc::new(Probe::default());
    let near: EverythingRef = poa.activate(probe.clone() as Arc<dyn Everything>).unwrap();
    thread::scope(|scope| {
        let busy = scope.spawn(|| near.block());
        probe.gate.await_waiting(1);
        let error = near.with_timeout(Duration::from_millis(20)).ping().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Timeout);
        assert!(error.to_string().contains("\"one\""), "{error}");
        probe.gate.open();
        busy.join().unwrap().unwrap();
    });
    near.ping().unwrap();
}

#[test]
fn the_main_thread_serves_what_is_its_own() {
    let server = Server::start();
    let clients: Vec<_> = (0..4).map(|_| orbs::client()).collect();
    let near = alone(&server, Threading::MainThread);
    let orb = server.orb.clone();
    let running = thread::spawn(move || {
        let main = thread::current().id();
        orb.run().unwrap();
        main
    });
    besiege(&near, &clients);
    let named = server.root_poa().create_poa("who").policy(Threading::MainThread).build().unwrap();
    struct Who;
    impl Listener for Who {
        fn hear(&self, _text: &str) -> Result<(), SystemException> {
            Ok(())
        }
        fn descend(&self, _partner: &EverythingRef, _depth: i32) -> Result<i32, SystemException> {
            let id = format!("{:?}", thread::current().id());
            Ok(id.bytes().filter(u8::is_ascii_digit).fold(0, |n, d| 10 * n + i32::from(d - b'0')))
        }
    }
    let who = named.activate(listener::tie(Who)).unwrap();
    let near = who.descend(&EverythingRef::nil(), 0).unwrap();
    let far = travel(&who, &clients[0]).descend(&EverythingRef::nil(), 0).unwrap();
    server.shutdown();
    let main = format!("{:?}", running.join().unwrap());
    assert_eq!([format!("ThreadId({near})"), format!("ThreadId({far})")], [main.clone(), main]);
}

#[test]
fn a_program_with_a_loop_of_its_own_performs_the_work() {
    let server = Server::start();
    let near = alone(&server, Threading::MainThread);
    let far = travel(&near, &orbs::client());
    thread::scope(|scope| {
        let call = scope.spawn(|| far.hear("from afar"));
        armilla_tests::gate::eventually("work comes", || server.work_pending().unwrap());
        server.perform_work().unwrap();
        call.join().unwrap().unwrap();
        assert_eq!(server.work_pending(), Ok(false));
    });
    near.hear("by the main thread itself").unwrap();
    // The loop of a program ends with its ORB.
    server.shutdown();
    let over = SystemException::new(
        ExceptionKind::BadInvOrder,
        Minor::BAD_INV_ORDER_ORB_SHUT_DOWN,
        Completion::No,
    );
    assert_eq!(server.work_pending(), Err(over.clone()));
    assert_eq!(server.perform_work(), Err(over));
}

#[test]
fn a_program_may_serve_for_some_time_and_go_on_with_something_else() {
    let server = Server::start();
    let clients: Vec<_> = (0..2).map(|_| orbs::client()).collect();
    let near = alone(&server, Threading::MainThread);
    let far = travel(&near, &clients[0]);
    thread::scope(|scope| {
        let call = scope.spawn(|| far.hear("while the program does something else"));
        armilla_tests::gate::eventually("work comes", || server.work_pending().unwrap());
        assert_eq!(server.run_for(Duration::ZERO), Ok(true), "what has come is done");
        call.join().unwrap().unwrap();
    });
    assert_eq!(server.run_for(Duration::ZERO), Ok(true));
    let orb = server.orb.clone();
    let program = thread::spawn(move || {
        while orb.run_for(Duration::from_millis(1)).unwrap() {}
        // For ever is not for ever either.
        orb.run_for(Duration::MAX)
    });
    besiege(&near, &clients);
    server.shutdown();
    assert_eq!(program.join().unwrap(), Ok(false));
}

#[test]
fn run_for_returns_at_once_when_the_orb_shuts_down() {
    let server = Server::start();
    let near = alone(&server, Threading::MainThread);
    let orb = server.orb.clone();
    let serving = thread::spawn(move || orb.run_for(Duration::MAX));
    travel(&near, &orbs::client()).hear("served meanwhile").unwrap();
    server.shutdown();
    assert_eq!(serving.join().unwrap(), Ok(false));
}

#[test]
fn what_waits_for_the_main_thread_fails_when_the_orb_ends() {
    let limits = orbs::builder().settings(|s| s.drain_timeout = Duration::from_millis(10));
    let server = Server::of(limits.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let near = alone(&server, Threading::MainThread);
    thread::scope(|scope| {
        let call = scope.spawn(|| near.hear(""));
        armilla_tests::gate::eventually("work comes", || server.work_pending().unwrap());
        server.shutdown();
        assert_eq!(call.join().unwrap().unwrap_err().kind(), ExceptionKind::BadInvOrder);
    });
}

#[test]
fn a_servant_that_calls_itself_over_a_socket_times_out_and_keeps_serving() {
    let short = std::time::Duration::from_millis(50);
    for threading in [Threading::SingleThread, Threading::MainThread] {
        let server = Server::start();
        let near = alone(&server, threading);
        let far = travel(&near, &orbs::client());
        let through = Detour(far.with_timeout(short), Default::default());
        let poa = server.root_poa().find_poa(&format!("{threading:?}"), false).unwrap();
        let detour = poa.activate(listener::tie(through)).unwrap();
        let running = match threading {
            Threading::MainThread => Some(thread::spawn({
                let orb = server.orb.clone();
                move || orb.run().unwrap()
            })),
            _ => None,
        };
        // The nested call cannot begin before the outer one has ended.
        let outer = travel(&detour, &orbs::client());
        outer.hear("").unwrap();
        assert_eq!(outer.descend(&EverythingRef::nil(), 0), Ok(1), "the nested call was late");
        far.hear("afterwards").unwrap();
        near.hear("afterwards").unwrap();
        server.shutdown();
        running.into_iter().for_each(|running| running.join().unwrap());
    }
}

/// Calls another object of its POA over a socket, and counts the late calls.
struct Detour(ListenerRef, std::sync::atomic::AtomicI32);

impl Listener for Detour {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        let error = self.0.hear(text).unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Timeout, "{error}");
        self.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Ok(())
    }

    fn descend(&self, _partner: &EverythingRef, _depth: i32) -> Result<i32, SystemException> {
        Ok(self.1.load(std::sync::atomic::Ordering::SeqCst))
    }
}
