//! Timers on a clock that tests set: when they are due, and what is pushed.

use crate::time::Driven;
use armilla::{Any, Error, ExceptionKind, Orb, SystemException};
use armilla_cos::time::corba::{TimeService as _, Uto};
use armilla_cos::time::model::UNIX;
use armilla_cos::time::{Clock, TimeOptions, TimeService};
use armilla_cos::timers::corba::{
    EventStatus, PushConsumer, PushConsumerRef, TimeType, TimerEventHandler, TimerEventService,
    TimerEventT, push_consumer,
};
use armilla_cos::timers::model::{Refusal, Status, TimerId, Timers, When};
use armilla_cos::timers::{Store, TimerOptions, TimerService};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const ONE: TimerId = TimerId(1);
const TWO: TimerId = TimerId(2);

#[test]
fn relative_timers_do_not_follow_a_clock_that_is_set_and_absolute_ones_do() {
    let (clock, mut timers) = (Driven::new(None), Timers::new(10));
    timers.add(ONE);
    timers.add(TWO);
    timers.set(ONE, When::Absolute(UNIX + 1000), clock.read()).unwrap();
    timers.set(TWO, When::Relative(1000), clock.read()).unwrap();
    assert_eq!(timers.pause(clock.read()), Some(1000));
    assert!(timers.follow_clock());
    // Somebody sets the clock.
    clock.0.lock().unwrap().time += 999;
    assert_eq!(timers.take_due(clock.read()), []);
    clock.pass(1);
    assert_eq!(timers.take_due(clock.read()), [ONE]);
    assert!(!timers.follow_clock(), "the other one is relative");
    clock.pass(998);
    assert_eq!(timers.take_due(clock.read()), []);
    clock.pass(1);
    assert_eq!(timers.take_due(clock.read()), [TWO]);
    assert_eq!(timers.pause(clock.read()), None);
    timers.pushed(TWO, true);
    assert_eq!(timers.status(TWO), Some(Status::Triggered));
    // What has passed is due at once.
    timers.pushed(ONE, false);
    assert_eq!(timers.status(ONE), Some(Status::Failed));
    timers.set(ONE, When::Absolute(1), clock.read()).unwrap();
    assert_eq!(timers.take_due(clock.read()), [ONE]);
}

#[test]
fn a_periodic_timer_keeps_its_beat_and_leaves_out_what_it_has_missed() {
    let (clock, mut timers) = (Driven::new(None), Timers::new(10));
    timers.add(ONE);
    timers.set(ONE, When::Periodic(100), clock.read()).unwrap();
    let beats = (0..1000).filter(|_| {
        clock.pass(1);
        let due = timers.take_due(clock.read());
        due.iter().for_each(|id| timers.pushed(*id, true));
        !due.is_empty()
    });
    assert_eq!(beats.count(), 10);
    // A stop of five beats and a half.
    clock.pass(550);
    assert_eq!(timers.take_due(clock.read()), [ONE]);
    assert_eq!(timers.missed(), 4);
    assert_eq!(timers.pause(clock.read()), Some(50));
    // The push takes longer than a beat.
    clock.pass(50);
    assert_eq!(timers.take_due(clock.read()), []);
    assert_eq!(timers.missed(), 5);
    timers.pushed(ONE, true);
    assert_eq!(timers.status(ONE), Some(Status::Set));
    assert_eq!(
        (timers.cancel(ONE), timers.cancel(ONE), timers.cancel(TWO)),
        (Some(true), Some(false), None)
    );
    clock.pass(1000);
    assert_eq!(timers.take_due(clock.read()), []);
}

#[test]
fn zero_is_the_time_of_before_and_short_periods_are_refused() {
    let (clock, mut timers) = (Driven::new(None), Timers::new(10));
    timers.add(ONE);
    let now = clock.read();
    assert_eq!(timers.set(ONE, When::Relative(0), now), Err(Refusal::NoTimeBefore));
    assert_eq!(timers.set(ONE, When::Periodic(9), now), Err(Refusal::TooShort));
    assert_eq!(timers.set(TWO, When::Relative(9), now), Err(Refusal::Unknown));
    timers.set(ONE, When::Relative(70), now).unwrap();
    timers.set(ONE, When::Periodic(0), now).unwrap();
    assert_eq!(timers.pause(now), Some(70));
    assert_eq!(timers.due(ONE, now), Some(Some(UNIX + 70)));
    clock.pass(1);
    assert_eq!(timers.set(ONE, When::Relative(u64::MAX), clock.read()), Err(Refusal::TooLate));
    assert_eq!(timers.counts(), (1, 1));
    assert!(timers.remove(ONE) && !timers.remove(ONE));
    assert_eq!(timers.counts(), (0, 0));
}

#[test]
fn a_timer_that_was_kept_goes_on_in_another_monotonic_time() {
    let (clock, mut before) = (Driven::new(None), Timers::new(10));
    for (id, when) in [
        (ONE, When::Relative(1000)),
        (TWO, When::Periodic(100)),
        (TimerId(3), When::Absolute(UNIX + 700)),
        (TimerId(4), When::Relative(50)),
    ] {
        before.add(id);
        before.set(id, when, clock.read()).unwrap();
    }
    let kept: Vec<_> =
        (1..=4).map(|id| (TimerId(id), before.saved(TimerId(id), clock.read()).unwrap())).collect();
    // The process is away for 550 units, and its monotonic time begins anew.
    let (clock, mut after) = (Driven::new(None), Timers::new(10));
    clock.0.lock().unwrap().time += 550;
    kept.iter().for_each(|(id, saved)| after.restore(*id, *saved, clock.read()));
    // One was due meanwhile. So were five beats, which are left out.
    assert_eq!(after.take_due(clock.read()), [TimerId(4)]);
    assert_eq!((after.missed(), after.pause(clock.read())), (5, Some(50)));
    clock.pass(50);
    assert_eq!(after.take_due(clock.read()), [TWO]);
    clock.pass(100);
    assert_eq!(after.take_due(clock.read()), [TimerId(3)]);
    clock.pass(300);
    assert!(after.take_due(clock.read()).contains(&ONE));
    assert_eq!(after.saved(TimerId(9), clock.read()), None);
}

#[test]
fn a_clock_that_was_set_back_meanwhile_holds_no_kept_timer_up() {
    let (clock, mut before) = (Driven::new(None), Timers::new(10));
    for (id, when) in [(ONE, When::Relative(1000)), (TWO, When::Periodic(100))] {
        before.add(id);
        before.set(id, when, clock.read()).unwrap();
    }
    let kept = [ONE, TWO].map(|id| (id, before.saved(id, clock.read()).unwrap()));
    let (clock, mut after) = (Driven::new(None), Timers::new(10));
    clock.0.lock().unwrap().time -= 1_000_000;
    kept.iter().for_each(|(id, saved)| after.restore(*id, *saved, clock.read()));
    clock.pass(100);
    assert_eq!(after.take_due(clock.read()), [TWO]);
    clock.pass(900);
    assert!(after.take_due(clock.read()).contains(&ONE));
}

/// Hands on what is pushed.
struct Consumer(Mutex<Sender<TimerEventT>>);

impl PushConsumer for Consumer {
    fn push(&self, event: &Any) -> Result<(), Error<push_consumer::PushRaises>> {
        let event = event.get::<TimerEventT>().unwrap().expect("a timer event");
        self.0.lock().unwrap().send(event).unwrap();
        Ok(())
    }

    fn disconnect_push_consumer(&self) -> Result<(), SystemException> {
        Ok(())
    }
}

fn consumer(orb: &Orb) -> (PushConsumerRef, Receiver<TimerEventT>) {
    let (sender, receiver) = channel();
    let consumer = push_consumer::tie(Consumer(Mutex::new(sender)));
    (orb.root_poa().activate(consumer).unwrap(), receiver)
}

#[test]
fn timers_push_their_data_when_it_is_time() {
    let clock = Driven::new(None);
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let driven = Arc::new(clock.clone());
    let time = TimeService::serve_clock(&orb, driven, TimeOptions::default()).unwrap();
    let mut options = TimerOptions::default();
    options.most = 2;
    let service = TimerService::serve(&orb, &time, options).unwrap();
    let (pushed, events) = consumer(&orb);
    let timers = service.reference();
    let timer = timers.register(&pushed, &Any::new("lunch").unwrap()).unwrap();
    assert_eq!(timer.status(), Ok(EventStatus::EsTimeCleared));
    let (is_set, _) = timer.time_set().unwrap();
    assert!(!is_set);
    let length = time.reference().new_universal_time(10_000_000, 0, 0).unwrap();
    timer.set_timer(TimeType::TtRelative, &length).unwrap();
    let (is_set, due) = timer.time_set().unwrap();
    assert_eq!((is_set, due.time()), (true, Ok(UNIX + 10_000_000)));
    assert_eq!(timer.status(), Ok(EventStatus::EsTimeSet));
    clock.pass(9_999_999);
    service.look();
    assert!(events.recv_timeout(Duration::from_millis(50)).is_err());
    clock.pass(1);
    service.look();
    let event = events.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(event.event_data.get::<String>().unwrap(), Some("lunch".to_owned()));
    assert_eq!(timers.event_time(&event).unwrap().time(), Ok(UNIX + 10_000_000));

    // One whose consumer has gone ends.
    let (gone, _) = consumer(&orb);
    let id = orb.root_poa().reference_to_id(&gone).unwrap();
    orb.root_poa().deactivate(&id).unwrap();
    let lost = timers.register(&gone, &Any::default()).unwrap();
    let full = timers.register(&pushed, &Any::default()).unwrap_err();
    assert_eq!(full.kind(), ExceptionKind::ImpLimit);
    lost.set_timer(TimeType::TtAbsolute, &time.reference().new_universal_time(1, 0, 0).unwrap())
        .unwrap();
    let end = std::time::Instant::now() + Duration::from_secs(60);
    while service.totals().0 == 2 {
        assert!(std::time::Instant::now() < end, "it is there after a minute");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(lost.status().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    timers.unregister(&timer).unwrap();
    assert_eq!(timers.unregister(&timer).unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    service.close();
    orb.shutdown();
}

/// A timer service on the disk, at a clock that was let go on for so long before.
fn on_disk(directory: &std::path::Path, passed: u64) -> (Orb, Driven, TimeService, TimerService) {
    let clock = Driven::new(None);
    clock.0.lock().unwrap().time += passed;
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let driven = Arc::new(clock.clone());
    let time = TimeService::serve_clock(&orb, driven, TimeOptions::default()).unwrap();
    let store = Store::open(directory, &orb).unwrap();
    let options = TimerOptions::default();
    let service = TimerService::serve_store(&orb, &time, store, options).unwrap();
    orb.perform_work().unwrap();
    (orb, clock, time, service)
}

#[test]
fn timers_in_a_store_outlive_the_process() {
    let name = format!("armilla-timers-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    std::fs::remove_dir_all(&directory).ok();
    let client = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let (pushed, events) = consumer(&client);
    let (orb, clock, time, service) = on_disk(&directory, 0);
    let timers = service.reference();
    let length = |units| time.reference().new_universal_time(units, 0, 0).unwrap();
    let register = |data: &str| timers.register(&pushed, &Any::new(data).unwrap()).unwrap();
    let [later, cleared, gone, done] = ["later", "cleared", "gone", "done"].map(register);
    later.set_timer(TimeType::TtRelative, &length(10_000_000)).unwrap();
    cleared.set_timer(TimeType::TtRelative, &length(1_000_000)).unwrap();
    assert_eq!(cleared.cancel_timer(), Ok(true));
    timers.unregister(&gone).unwrap();
    done.set_timer(TimeType::TtRelative, &length(1_000)).unwrap();
    later.set_data(&Any::new("lunch").unwrap()).unwrap();
    clock.pass(1_000);
    service.look();
    let event = events.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(event.event_data.get::<String>().unwrap(), Some("done".to_owned()));
    // What follows a push is kept before the service has ended.
    service.close();
    orb.shutdown();
    drop((time, service));

    let (orb, clock, _time, service) = on_disk(&directory, 4_000_000);
    assert_eq!(service.totals(), (3, 1, 0));
    clock.pass(5_999_999);
    service.look();
    assert!(events.recv_timeout(Duration::from_millis(50)).is_err());
    clock.pass(1);
    service.look();
    let event = events.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(event.event_data.get::<String>().unwrap(), Some("lunch".to_owned()));
    service.close();
    orb.shutdown();
    client.shutdown();
    std::fs::remove_dir_all(directory).unwrap();
}
