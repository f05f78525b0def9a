//! Observers: what they are told, and when they are dropped.

use super::{PATIENCE, Setup};
use armilla::{Error, ExceptionKind, SystemException};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier};
use std::time::Instant;
use telecom::observers::{MAX_FAILURES, MAX_OBSERVERS, MAX_QUEUE};
use telecom::telecom::manager::{UnwatchRaises, WatchRaises};
use telecom::telecom::{Alarm, AlarmObserver, AlarmObserverRef, Element, Manager, Severity};

fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "{what} takes too long");
        std::thread::yield_now();
    }
}

/// Hands on what it is told.
struct Listening(Sender<(Vec<Alarm>, u64)>);

impl AlarmObserver for Listening {
    fn notify(&self, changed: &[Alarm], lost: u64) -> Result<(), SystemException> {
        self.0.send((changed.to_vec(), lost)).ok();
        Ok(())
    }
}

fn next(receiver: &Receiver<(Vec<Alarm>, u64)>) -> (Vec<Alarm>, u64) {
    receiver.recv_timeout(PATIENCE).unwrap()
}

#[test]
fn an_observer_is_told_of_each_change_until_it_leaves() {
    let setup = Setup::new(10);
    let (sender, receiver) = channel();
    let (number, _observer) = setup.watch(Listening(sender));
    let element = setup.manager.find("ne00007").unwrap();
    element.report(Severity::Major, "hot").unwrap();
    let (changed, lost) = next(&receiver);
    assert_eq!((changed.len(), &*changed[0].text, lost), (1, "hot", 0));
    setup.manager.acknowledge(changed[0].number, "Ada").unwrap();
    assert_eq!(next(&receiver).0[0].acknowledged_by, "Ada");
    element.report(Severity::Cleared, "").unwrap();
    assert_eq!(next(&receiver).0[0].how_severe, Severity::Cleared);

    setup.manager.unwatch(number).unwrap();
    let again = setup.manager.unwatch(number);
    assert!(matches!(again, Err(Error::User(UnwatchRaises::Unknown(_)))), "{again:?}");
    assert_eq!(setup.service.observers.count(), 0);
}

/// Does not return from its first call before somebody meets it at the barrier.
struct Slow(Arc<Barrier>, Listening);

impl AlarmObserver for Slow {
    fn notify(&self, changed: &[Alarm], lost: u64) -> Result<(), SystemException> {
        self.1.notify(changed, lost)?;
        if changed[0].text == "first" {
            self.0.wait();
        }
        Ok(())
    }
}

#[test]
fn a_slow_observer_loses_the_oldest_and_is_told_how_many() {
    let setup = Setup::new(1);
    let (barrier, (sender, receiver)) = (Arc::new(Barrier::new(2)), channel());
    setup.watch(Slow(barrier.clone(), Listening(sender)));
    setup.service.report("ne00000", Severity::Minor, "first");
    assert_eq!(next(&receiver).1, 0);
    for number in 0..MAX_QUEUE + 5 {
        setup.service.report("ne00000", Severity::Minor, &number.to_string());
    }
    barrier.wait();
    let (changed, lost) = next(&receiver);
    assert_eq!((changed.len(), &*changed[0].text, lost), (MAX_QUEUE, "5", 5));
}

/// Fails, and counts how often.
struct Failing(Sender<()>);

impl AlarmObserver for Failing {
    fn notify(&self, _: &[Alarm], _: u64) -> Result<(), SystemException> {
        self.0.send(()).ok();
        Err(ExceptionKind::NoResources.because("out of paper"))
    }
}

#[test]
fn an_observer_that_fails_is_dropped_and_others_are_told_all_the_same() {
    let setup = Setup::new(1);
    let (failed, failures) = channel();
    let (sender, receiver) = channel();
    setup.watch(Failing(failed));
    setup.watch(Listening(sender));
    setup.service.report("ne00000", Severity::Minor, "hot");
    assert_eq!(next(&receiver).0[0].text, "hot");
    (0..MAX_FAILURES).for_each(|_| failures.recv_timeout(PATIENCE).unwrap());
    wait_for("dropping the observer", || setup.service.observers.count() == 1);
    assert!(failures.try_recv().is_err(), "it is called no further");
}

#[test]
fn an_observer_that_does_not_exist_is_dropped_at_once() {
    let setup = Setup::new(1);
    let (sender, _receiver) = channel();
    let (_, observer) = setup.watch(Listening(sender));
    let poa = setup.client.root_poa();
    poa.deactivate(&poa.reference_to_id(&observer).unwrap()).unwrap();
    setup.service.report("ne00000", Severity::Minor, "hot");
    wait_for("dropping the observer", || setup.service.observers.count() == 0);
}

#[test]
fn there_is_a_limit_to_observers_and_nil_is_none() {
    let setup = Setup::new(1);
    let nil = setup.manager.watch(&AlarmObserverRef::nil()).unwrap_err();
    assert!(matches!(&nil, Error::System(e) if e.kind() == ExceptionKind::BadParam), "{nil}");
    let (sender, _receiver) = channel();
    let (_, observer) = setup.watch(Listening(sender));
    for _ in 1..MAX_OBSERVERS {
        setup.manager.watch(&observer).unwrap();
    }
    let refused = setup.manager.watch(&observer);
    assert!(matches!(refused, Err(Error::User(WatchRaises::TooMany(_)))), "{refused:?}");
}
