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
use armilla_cos::timers::{TimerOptions, TimerService};
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
    // Somebody sets the clock.
    clock.0.lock().unwrap().time += 999;
    assert_eq!(timers.take_due(clock.read()), []);
    clock.pass(1);
    assert_eq!(timers.take_due(clock.read()), [ONE]);
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
