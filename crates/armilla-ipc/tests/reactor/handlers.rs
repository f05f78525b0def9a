//! The reactor: which handlers it calls, when, and which it calls no more.

use crate::{probe, signals};
use armilla_ipc::reactor::{Interest, Next, Pool, PoolOptions, Reactor, Timer};
use probe::{LONG, probe, read_byte, settle};
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

fn count_one(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::SeqCst);
}

fn both() -> [Reactor; 2] {
    [Reactor::new().unwrap(), Reactor::shared().unwrap()]
}

#[test]
fn a_handler_is_called_for_each_byte_and_for_the_end() {
    for reactor in both() {
        let (handler, mut peer) = probe(|_, _, socket| read_byte(socket));
        reactor.register(handler.clone()).unwrap();
        settle(&reactor);
        assert_eq!(handler.calls.load(Ordering::SeqCst), 0);
        peer.write_all(b"abc").unwrap();
        settle(&reactor);
        assert_eq!(handler.calls.load(Ordering::SeqCst), 3);
        drop(peer);
        settle(&reactor);
        assert_eq!(handler.closed.load(Ordering::SeqCst), 1);
        assert_eq!(Arc::strong_count(&handler), 1, "the reactor has let go of it");
    }
}

#[test]
fn a_stale_token_means_nothing_even_if_its_place_is_taken() {
    for reactor in both() {
        let (old, _old_peer) = probe(|_, _, socket| read_byte(socket));
        let (new, mut new_peer) = probe(|_, _, socket| read_byte(socket));
        let stale = reactor.register(old.clone()).unwrap();
        assert!(reactor.deregister(stale));
        let token = reactor.register(new.clone()).unwrap();
        assert_ne!(stale, token);
        assert!(!reactor.deregister(stale));
        assert!(!reactor.resume(stale, Interest::READ).unwrap());
        new_peer.write_all(b"x").unwrap();
        settle(&reactor);
        assert_eq!(new.calls.load(Ordering::SeqCst), 1);
        assert_eq!((old.calls.load(Ordering::SeqCst), old.closed.load(Ordering::SeqCst)), (0, 1));
    }
}

#[test]
fn an_event_in_flight_for_a_deregistered_handler_is_dropped() {
    // Both are ready, and the one that comes first deregisters the other.
    let reactor = Reactor::new().unwrap();
    let tokens = Arc::new(Mutex::new(Vec::new()));
    let make = || {
        let tokens = Arc::clone(&tokens);
        probe(move |reactor, own, socket| {
            for &token in tokens.lock().unwrap().iter().filter(|&&token| token != own) {
                reactor.deregister(token);
            }
            read_byte(socket)
        })
    };
    let [(first, mut to_first), (second, mut to_second)] = [make(), make()];
    for handler in [&first, &second] {
        let token = reactor.register(handler.clone()).unwrap();
        tokens.lock().unwrap().push(token);
    }
    to_first.write_all(b"x").unwrap();
    to_second.write_all(b"x").unwrap();
    settle(&reactor);
    let calls = [&first, &second].map(|handler| handler.calls.load(Ordering::SeqCst));
    assert_eq!(calls.iter().sum::<usize>(), 1, "{calls:?}");
}

#[test]
fn a_handler_may_deregister_itself_or_panic_and_is_closed_once() {
    for reactor in both() {
        let (handler, mut peer) = probe(|reactor, token, _| {
            assert!(reactor.deregister(token));
            assert!(!reactor.deregister(token));
            Next::READ
        });
        reactor.register(handler.clone()).unwrap();
        let (angry, mut provoker) = probe(|_, _, _| panic!("provoked by the test"));
        reactor.register(angry.clone()).unwrap();
        peer.write_all(b"x").unwrap();
        settle(&reactor);
        provoker.write_all(b"x").unwrap();
        let handle_events = || reactor.handle_events(Some(LONG));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(handle_events)).is_err());
        settle(&reactor);
        for handler in [&handler, &angry] {
            assert_eq!(handler.calls.load(Ordering::SeqCst), 1);
            assert_eq!(handler.closed.load(Ordering::SeqCst), 1);
        }
    }
}

#[test]
fn a_pausing_handler_is_left_alone_until_it_is_resumed() {
    for reactor in both() {
        let (handler, mut peer) = probe(|_, _, socket| {
            read_byte(socket);
            Next::Pause
        });
        let token = reactor.register(handler.clone()).unwrap();
        peer.write_all(b"ab").unwrap();
        settle(&reactor);
        assert_eq!(handler.calls.load(Ordering::SeqCst), 1);
        drop(peer);
        settle(&reactor); // not even the end disturbs it
        assert_eq!(handler.calls.load(Ordering::SeqCst), 1);
        assert!(reactor.resume(token, Interest::READ).unwrap());
        settle(&reactor);
        assert_eq!(handler.calls.load(Ordering::SeqCst), 2);
    }
}

#[test]
fn a_handler_that_is_resumed_before_it_pauses_does_not_sleep_for_ever() {
    for reactor in both() {
        let (handler, mut peer) = probe(|reactor, token, socket| {
            let next = read_byte(socket);
            reactor.resume(token, Interest::READ).unwrap();
            if next == Next::Deregister { next } else { Next::Pause }
        });
        reactor.register(handler.clone()).unwrap();
        peer.write_all(b"abc").unwrap();
        settle(&reactor);
        assert_eq!(handler.calls.load(Ordering::SeqCst), 3);
    }
}

#[test]
fn timers_come_in_order_not_early_and_not_when_cancelled() {
    for reactor in both() {
        let (sender, receiver) = mpsc::channel();
        let start = Instant::now();
        let mut timers = Vec::new();
        for millis in [30, 10, 20, 15] {
            let sender = sender.clone();
            let handler = move |_: &Reactor, _: Timer| {
                sender.send((millis, start.elapsed())).unwrap();
                None
            };
            timers.push(reactor.arm(Duration::from_millis(millis), Arc::new(handler)));
        }
        assert!(reactor.cancel(timers[3]));
        assert!(!reactor.cancel(timers[3]), "cancelled already");
        assert!(reactor.rearm(timers[1], Duration::from_millis(25)));
        let mut order = Vec::new();
        while order.len() < 3 {
            reactor.handle_events(Some(LONG)).unwrap();
            for (millis, elapsed) in receiver.try_iter() {
                let due = if millis == 10 { 25 } else { millis };
                assert!(elapsed >= Duration::from_millis(due), "{millis} after {elapsed:?}");
                order.push(millis);
            }
        }
        assert_eq!(order, [20, 10, 30]);
        assert!(!reactor.rearm(timers[0], LONG), "expired already");
    }
}

#[test]
fn a_timer_repeats_itself_until_it_is_cancelled_even_by_itself() {
    for reactor in both() {
        let count = Arc::new(AtomicU32::new(0));
        let seen = Arc::clone(&count);
        let handler = move |reactor: &Reactor, timer: Timer| {
            if seen.fetch_add(1, Ordering::SeqCst) == 4 {
                assert!(reactor.cancel(timer));
            }
            Some(Duration::from_millis(1))
        };
        reactor.arm(Duration::ZERO, Arc::new(handler));
        while count.load(Ordering::SeqCst) < 5 {
            reactor.handle_events(Some(LONG)).unwrap();
        }
        assert_eq!(reactor.handle_events(Some(Duration::from_millis(10))).unwrap(), 0);
    }
}

#[test]
fn a_timer_for_the_end_of_days_is_in_the_way_of_none() {
    for reactor in both() {
        let (sender, receiver) = mpsc::channel();
        let note = |delay: Option<Duration>| {
            let sender = sender.clone();
            Arc::new(move |_: &Reactor, _: Timer| {
                sender.send(()).unwrap();
                delay
            })
        };
        let far = reactor.arm(Duration::MAX, note(None));
        let soon = reactor.arm(Duration::ZERO, note(Some(Duration::MAX)));
        assert_eq!(reactor.handle_events(Some(LONG)).unwrap(), 1);
        assert_eq!(reactor.handle_events(Some(Duration::from_millis(5))).unwrap(), 0);
        assert_eq!(receiver.try_iter().count(), 1);
        assert!(reactor.rearm(far, Duration::ZERO));
        assert_eq!(reactor.handle_events(Some(Duration::MAX)).unwrap(), 1);
        assert!(reactor.cancel(soon), "it is armed anew for ever");
        assert!(!reactor.cancel(far), "it has expired");
    }
}

#[test]
fn timers_of_one_moment_come_in_the_order_in_which_they_were_armed() {
    for reactor in both() {
        let order = Arc::new(Mutex::new(Vec::new()));
        for number in 0..100 {
            let order = Arc::clone(&order);
            let handler = move |_: &Reactor, _: Timer| {
                order.lock().unwrap().push(number);
                None
            };
            reactor.arm(Duration::ZERO, Arc::new(handler));
        }
        while order.lock().unwrap().len() < 100 {
            reactor.handle_events(Some(LONG)).unwrap();
        }
        assert!(order.lock().unwrap().is_sorted());
    }
}

#[test]
fn hundreds_of_thousands_of_timers_keep_their_order_while_most_are_moved_and_cancelled() {
    let reactor = Reactor::new().unwrap();
    let order = Arc::new(Mutex::new(Vec::new()));
    let note = |number: u64| {
        let order = Arc::clone(&order);
        Arc::new(move |_: &Reactor, _: Timer| {
            order.lock().unwrap().push(number);
            None
        })
    };
    let idle = Arc::new(|_: &Reactor, _: Timer| panic!("it was cancelled"));
    let many: Vec<_> = (0..200_000)
        .map(|n| reactor.arm(Duration::from_secs(100 + n % 777), idle.clone()))
        .collect();
    let few: Vec<_> = (0..100).map(|n| reactor.arm(LONG, note(n))).collect();
    assert!(many.iter().all(|&timer| reactor.rearm(timer, Duration::from_secs(200))));
    // Those that expire, the last one first, in the midst of all others. Each later than the one
    // before even if this thread is held up between them.
    for (number, &timer) in few.iter().enumerate().rev() {
        assert!(reactor.rearm(timer, Duration::from_millis(200 - number as u64)));
    }
    while order.lock().unwrap().len() < few.len() {
        reactor.handle_events(Some(LONG)).unwrap();
    }
    let expected: Vec<u64> = (0..100).rev().collect();
    assert_eq!(*order.lock().unwrap(), expected);
    assert!(many.iter().all(|&timer| reactor.cancel(timer)));
    assert!(!many.iter().any(|&timer| reactor.cancel(timer)));
}

#[test]
fn signals_that_interrupt_the_waiting_lose_no_event() {
    for reactor in both() {
        let (handler, mut peer) = probe(|_, _, socket| read_byte(socket));
        reactor.register(handler.clone()).unwrap();
        let ticks = Arc::new(AtomicUsize::new(0));
        let tick = Arc::clone(&ticks);
        let on_expiry = move |_: &Reactor, _: Timer| {
            count_one(&tick);
            Some(Duration::from_micros(300))
        };
        reactor.arm(Duration::ZERO, Arc::new(on_expiry));
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let (reactor, done) = (&reactor, &done);
            let running = scope.spawn(move || {
                let this = signals::this_thread();
                scope.spawn(move || signals::pester(this, done, LONG));
                reactor.run()
            });
            for _ in 0..200 {
                peer.write_all(b".").unwrap();
                thread::sleep(Duration::from_micros(100));
            }
            let start = Instant::now();
            while handler.calls.load(Ordering::SeqCst) < 200 || ticks.load(Ordering::SeqCst) < 20 {
                assert!(start.elapsed() < LONG, "an event was lost");
                thread::yield_now();
            }
            done.store(true, Ordering::SeqCst);
            reactor.stop();
            running.join().unwrap().unwrap();
        });
    }
}

#[test]
fn notifications_arrive_at_least_once_after_each_and_cost_one_call_for_many() {
    for reactor in both() {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let notifier = reactor.notifier(move |_| count_one(&counter)).unwrap();
        for _ in 0..1000 {
            notifier.notify();
        }
        settle(&reactor);
        assert_eq!(count.load(Ordering::SeqCst), 1);
        let other = notifier.clone();
        thread::spawn(move || other.notify()).join().unwrap();
        settle(&reactor);
        assert_eq!(count.load(Ordering::SeqCst), 2);
        assert!(reactor.deregister(notifier.token()));
    }
}

#[test]
fn a_signal_is_an_event_and_one_that_cannot_be_caught_is_refused() {
    let reactor = Reactor::new().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let usr1 = signal_hook::consts::SIGUSR1;
    let action = move |_: &Reactor| count_one(&counter);
    let token = reactor.on_signal(usr1, action).unwrap();
    signal_hook::low_level::raise(usr1).unwrap();
    while count.load(Ordering::SeqCst) == 0 {
        reactor.handle_events(Some(LONG)).unwrap();
    }
    assert!(reactor.deregister(token));
    let error = reactor.on_signal(signal_hook::consts::SIGKILL, |_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn stop_ends_every_thread_that_runs_the_reactor() {
    for reactor in both() {
        thread::scope(|scope| {
            let threads = if reactor.is_shared() { 3 } else { 1 };
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(|| reactor.run())).collect();
            thread::sleep(Duration::from_millis(10)); // most likely waiting by now; correct if not
            reactor.stop();
            for thread in running {
                thread.join().unwrap().unwrap();
            }
        });
        reactor.run().unwrap();
    }
}

#[test]
fn a_reactor_for_one_thread_refuses_a_second() {
    let reactor = Arc::new(Reactor::new().unwrap());
    let (sender, receiver) = mpsc::channel();
    let again = move |reactor: &Reactor, _: Timer| {
        sender.send(reactor.handle_events(None).unwrap_err().kind()).unwrap();
        None
    };
    reactor.arm(Duration::ZERO, Arc::new(again));
    reactor.handle_events(Some(LONG)).unwrap();
    assert_eq!(receiver.recv().unwrap(), ErrorKind::ResourceBusy);
    let error = Pool::start(reactor, PoolOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}
