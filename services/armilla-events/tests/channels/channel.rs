//! A channel in its own process: subscriptions, queues, priorities, slow consumers.

use crate::common;
use armilla::Orb;
use armilla_events::corba::{DiscardPolicy, Event, OrderPolicy, TIMEOUT_TYPE, TIMER_TYPE};
use armilla_events::{
    ChannelLimits, Consumer, ConsumerConnection, ConsumerError, ConsumerOptions, EventChannel,
    EventError, Subscription,
};
use armilla_rt::{Priority, RtOrb};
use common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

#[test]
fn consumers_get_the_sources_and_types_that_they_want() {
    let (orb, channel) = served();
    let connect = |subscription| {
        let (consumer, receive) = collector();
        channel.connect(consumer, ConsumerOptions::new(subscription)).unwrap();
        receive
    };
    let altitude = connect(Subscription::of_type(20));
    let radar = connect(Subscription::of_source(7));
    let both =
        connect(Subscription::all_of([Subscription::of_type(20), Subscription::of_type(21)]));
    for (source, event_type) in [(1, 20), (7, 22), (7, 21)] {
        channel.push(Event::signal(source, event_type));
    }
    assert_eq!(next(&altitude), [20]);
    assert_eq!([next(&radar), next(&radar)], [[22], [21]]);
    assert_eq!(next(&both), [20, 21]);
    channel.push(Event::signal(5, 99));
    assert_eq!(channel.statistics().unwanted, 1);
    orb.shutdown();
}

#[test]
fn values_of_idl_types_arrive_as_they_were() {
    let (orb, channel) = served();
    let (send, receive) = std::sync::mpsc::channel();
    let consumer = move |events: &[Event]| {
        send.send(events[0].value::<String>()).unwrap();
    };
    channel.connect(consumer, ConsumerOptions::new(Subscription::everything())).unwrap();
    channel.push(Event::new(1, 20, &"north".to_owned()).unwrap());
    assert_eq!(receive.recv_timeout(PATIENCE).unwrap().unwrap().as_deref(), Some("north"));
    channel.push(Event::new(1, 20, &5).unwrap());
    assert_eq!(receive.recv_timeout(PATIENCE).unwrap().unwrap(), None, "another type");
    orb.shutdown();
}

#[test]
fn timers_are_suppliers() {
    let (orb, channel) = served();
    let (consumer, receive) = collector();
    let tick = Subscription::every(Duration::from_millis(1));
    let once = Subscription::after(Duration::from_millis(2)).as_event(0, 30);
    let timers = Subscription::any_of([tick, once]);
    channel.connect(consumer, ConsumerOptions::new(timers)).unwrap();
    let mut seen: Vec<u32> = Vec::new();
    until("ticks, and the one-shot timer", || {
        seen.extend(next(&receive));
        seen.contains(&30) && seen.iter().filter(|it| **it == TIMER_TYPE).count() >= 3
    });
    assert_eq!(seen.iter().filter(|it| **it == 30).count(), 1);
    orb.shutdown();
}

#[test]
fn a_timer_that_is_always_due_leaves_room_for_events() {
    let (orb, channel) = served();
    let (collect, receive) = collector();
    let slow = move |events: &[Event]| {
        // The next period has passed when this returns.
        std::thread::sleep(Duration::from_millis(1));
        collect(events);
    };
    let timer = Subscription::every(Duration::from_micros(100));
    let wanted = Subscription::any_of([timer, Subscription::of_type(20)]);
    channel.connect(slow, ConsumerOptions::new(wanted)).unwrap();
    assert_eq!(next(&receive), [TIMER_TYPE]);
    (0..3).for_each(|_| channel.push(Event::signal(1, 20)));
    let mut seen = [0; 2];
    until("events and timers are delivered", || {
        seen[usize::from(next(&receive) == [20])] += 1;
        seen[1] == 3
    });
    assert!(seen[0] > 0, "the timer too");
    orb.shutdown();
}

#[test]
fn a_consumer_is_told_when_nothing_comes_in_time() {
    let (orb, channel) = served();
    let (consumer, receive) = collector();
    let watched = Subscription::of_type(20).within(Duration::from_millis(5));
    channel.connect(consumer, ConsumerOptions::new(watched)).unwrap();
    assert_eq!(next(&receive), [TIMEOUT_TYPE]);
    channel.push(Event::signal(1, 20));
    until("the event comes among the timeouts", || next(&receive) == [20]);
    orb.shutdown();
}

/// A channel with a consumer that waits at the gate with its first event, and one queued place.
struct Slow {
    gate: Gate,
    connection: ConsumerConnection,
    receive: Receiver<Vec<u32>>,
}

fn slow(channel: &EventChannel, options: ConsumerOptions) -> Slow {
    let (collect, receive) = collector();
    let gate = Gate::default();
    let of_consumer = gate.clone();
    let consumer = move |events: &[Event]| {
        of_consumer.pass();
        collect(events);
    };
    let connection = channel.connect(consumer, options).unwrap();
    channel.push(Event::signal(1, 20));
    gate.await_comers(1);
    Slow { gate, connection, receive }
}

fn wants_everything(discard: DiscardPolicy) -> ConsumerOptions {
    ConsumerOptions::new(Subscription::everything()).queue_length(2).discard(discard)
}

#[test]
fn a_slow_consumer_holds_nobody_else_and_its_losses_are_counted() {
    let (orb, channel) = served();
    for (discard, left) in
        [(DiscardPolicy::DiscardOldest, [23, 24]), (DiscardPolicy::DiscardNewest, [21, 22])]
    {
        let Slow { gate, connection, receive } = slow(&channel, wants_everything(discard));
        let (consumer, other) = collector();
        let quick =
            channel.connect(consumer, ConsumerOptions::new(Subscription::everything())).unwrap();
        for event_type in 21..=24 {
            channel.push(Event::signal(1, event_type));
            assert_eq!(next(&other), [event_type]);
        }
        let statistics = connection.statistics();
        assert_eq!((statistics.discarded, statistics.waiting, statistics.most_waiting), (2, 2, 2));
        gate.open();
        assert_eq!(next(&receive), [20]);
        assert_eq!(left.map(|_| next(&receive)[0]), left);
        until("all are delivered", || connection.statistics().delivered == 3);
        connection.disconnect();
        quick.disconnect();
    }
    orb.shutdown();
}

#[test]
fn a_burst_that_a_slow_consumer_meets_is_kept_up_to_its_memory() {
    let (orb, channel) = served();
    let options = || ConsumerOptions::new(Subscription::everything());
    let Slow { gate, connection, receive } = slow(&channel, options());
    (21..=220).for_each(|event_type| channel.push(Event::signal(1, event_type)));
    gate.open();
    (20..=220).for_each(|event_type| assert_eq!(next(&receive), [event_type]));
    assert_eq!(connection.statistics().discarded, 0);
    connection.disconnect();

    let Slow { gate, connection, .. } = slow(&channel, options());
    let data = vec![7_u8; 1 << 20];
    (0..8).for_each(|_| channel.push(Event::new(1, 20, &data[..]).unwrap()));
    let statistics = connection.statistics();
    assert!(statistics.waiting == 3 && statistics.discarded == 5, "{statistics:?}");
    gate.open();
    connection.disconnect();
    orb.shutdown();
}

#[test]
fn a_queue_that_blocks_loses_nothing_until_the_time_is_over() {
    let limits = ChannelLimits::default();
    let (orb, channel) = served_with(limits);
    let Slow { gate, connection, receive } =
        slow(&channel, wants_everything(DiscardPolicy::BlockSupplier));
    let opener = {
        let (gate, connection) = (gate.clone(), connection.clone());
        std::thread::spawn(move || {
            until("the queue is full", || connection.statistics().waiting == 2);
            gate.open();
        })
    };
    (21..=40).for_each(|event_type| channel.push(Event::signal(1, event_type)));
    opener.join().unwrap();
    (20..=40).for_each(|event_type| assert_eq!(next(&receive), [event_type]));
    assert_eq!(connection.statistics().discarded, 0);
    connection.disconnect();
    let mut limits = ChannelLimits::default();
    limits.block = Duration::from_millis(1);
    let (rt_orb, rt) = server();
    let impatient = EventChannel::builder(&rt).limits(limits).build().unwrap();
    let Slow { gate, connection, .. } =
        slow(&impatient, wants_everything(DiscardPolicy::BlockSupplier));
    (21..=23).for_each(|event_type| impatient.push(Event::signal(1, event_type)));
    assert_eq!(connection.statistics().discarded, 1);
    assert_eq!(impatient.statistics().blocked, 1);
    gate.open();
    rt_orb.shutdown();
    orb.shutdown();
}

/// Tells that it was disconnected.
struct Told(Gate, Arc<AtomicBool>);

impl Consumer for Told {
    fn push(&self, _: &[Event]) -> Result<(), ConsumerError> {
        self.0.pass();
        Ok(())
    }

    fn disconnected(&self) {
        self.1.store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_consumer_may_be_disconnected_when_its_queue_is_full_or_the_channel_ends() {
    let (orb, channel) = served();
    let told = || (Gate::default(), Arc::<AtomicBool>::default());
    let (gate, flag) = told();
    let options = wants_everything(DiscardPolicy::DisconnectConsumer);
    let connection = channel.connect(Told(gate.clone(), flag.clone()), options.clone()).unwrap();
    channel.push(Event::signal(1, 20));
    gate.await_comers(1);
    (21..=23).for_each(|event_type| channel.push(Event::signal(1, event_type)));
    assert!(!connection.is_connected());
    assert_eq!((channel.statistics().disconnected, channel.statistics().consumers), (1, 0));
    gate.open();
    until("the consumer is told", || flag.load(Ordering::SeqCst));
    let (gate, flag) = told();
    channel.connect(Told(gate, flag.clone()), options.clone()).unwrap();
    channel.destroy();
    until("the consumer is told of the end", || flag.load(Ordering::SeqCst));
    let refused = channel.connect(|_: &[Event]| (), options).unwrap_err();
    assert!(matches!(refused, EventError::Ended), "{refused}");
    orb.shutdown();
}

#[test]
fn a_consumer_that_keeps_failing_is_disconnected() {
    let (orb, channel) = served();
    let consumer = |_: &[Event]| panic!("a consumer of the test");
    let options = ConsumerOptions::new(Subscription::everything());
    let connection = channel.connect(consumer, options).unwrap();
    (0..3).for_each(|_| channel.push(Event::signal(1, 20)));
    until("it is disconnected", || !connection.is_connected());
    assert_eq!(connection.statistics().failed, 3);
    orb.shutdown();
}

#[test]
fn what_has_expired_is_not_delivered_and_counted() {
    let (orb, channel) = served();
    let options = ConsumerOptions::new(Subscription::everything());
    let Slow { gate, connection, receive } = slow(&channel, options);
    let mut old = Event::signal(1, 21).with_time_to_live(Duration::from_secs(1));
    old.header.created -= 2_000_000_000;
    channel.push(old);
    channel.push(Event::signal(1, 22).with_time_to_live(Duration::from_secs(3_600)));
    gate.open();
    assert_eq!([next(&receive), next(&receive)], [[20], [22]]);
    assert_eq!(connection.statistics().expired, 1);
    orb.shutdown();
}

/// An event that has expired before it is pushed.
fn expired(event_type: u32) -> Event {
    let mut old = Event::signal(1, event_type).with_time_to_live(Duration::from_secs(1));
    old.header.created -= 2_000_000_000;
    old
}

#[test]
fn what_has_expired_takes_no_place_from_what_is_of_use() {
    let (orb, channel) = served();
    for discard in [
        DiscardPolicy::DiscardNewest,
        DiscardPolicy::DiscardOldest,
        DiscardPolicy::DisconnectConsumer,
        DiscardPolicy::BlockSupplier,
    ] {
        let Slow { gate, connection, receive } = slow(&channel, wants_everything(discard));
        channel.push(Event::signal(1, 21));
        channel.push(expired(22));
        channel.push(Event::signal(1, 23));
        gate.open();
        assert_eq!([(); 3].map(|()| next(&receive)[0]), [20, 21, 23], "{discard:?}");
        let statistics = connection.statistics();
        assert_eq!((statistics.expired, statistics.discarded), (1, 0), "{discard:?}");
        connection.disconnect();
    }
    assert_eq!(channel.statistics().blocked, 0);
    orb.shutdown();
}

/// A channel whose suppliers wait longer than any test.
fn patient() -> (armilla::Orb, EventChannel) {
    let mut limits = ChannelLimits::default();
    limits.block = PATIENCE * 10;
    served_with(limits)
}

#[test]
fn a_blocked_supplier_goes_on_when_a_delivery_expires() {
    let (orb, channel) = patient();
    let options = wants_everything(DiscardPolicy::BlockSupplier);
    let Slow { gate, connection, receive } = slow(&channel, options);
    channel.push(Event::signal(1, 21));
    channel.push(Event::signal(1, 22).with_time_to_live(Duration::from_millis(50)));
    let (send, pushed) = channel_of_suppliers(&channel, [23]);
    drop(send);
    pushed.recv_timeout(PATIENCE).expect("the supplier need not wait for the consumer");
    let statistics = connection.statistics();
    assert_eq!((statistics.expired, statistics.discarded, statistics.waiting), (1, 0, 2));
    gate.open();
    assert_eq!([(); 3].map(|()| next(&receive)[0]), [20, 21, 23]);
    orb.shutdown();
}

/// A thread for each of these events, which pushes it and says so.
fn channel_of_suppliers<const N: usize>(
    events: &EventChannel,
    types: [u32; N],
) -> (std::sync::mpsc::Sender<()>, Receiver<()>) {
    let (send, pushed) = channel();
    for event_type in types {
        let (events, send) = (events.clone(), send.clone());
        std::thread::spawn(move || {
            events.push(Event::signal(1, event_type));
            send.send(()).ok();
        });
    }
    (send, pushed)
}

#[test]
fn each_place_that_becomes_free_wakes_a_supplier() {
    let (orb, channel) = patient();
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    let (seen, receive) = std::sync::mpsc::channel();
    let consumer = move |events: &[Event]| {
        seen.send(types(events)).unwrap();
        gate.lock().unwrap().recv().ok();
    };
    let connection =
        channel.connect(consumer, wants_everything(DiscardPolicy::BlockSupplier)).unwrap();
    channel.push(Event::signal(1, 20));
    assert_eq!(next(&receive), [20]);
    channel.push(Event::signal(1, 21).with_time_to_live(Duration::from_secs(1)));
    channel.push(Event::signal(1, 22));
    let (_send, pushed) = channel_of_suppliers(&channel, [23, 24]);
    until("both have waited", || channel.statistics().blocked == 2);
    until("one event has expired", || connection.statistics().expired == 1);
    // The consumer takes one delivery, and holds it: with the one that expired there are two places.
    go.send(()).unwrap();
    assert_eq!(next(&receive), [22]);
    (0..2).for_each(|_| pushed.recv_timeout(PATIENCE).expect("there is a place for each"));
    assert_eq!(connection.statistics().waiting, 2);
    drop(go);
    orb.shutdown();
}

/// What panics once more when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "a bomb of the test");
    }
}

/// A consumer that panics in each of its ways.
struct Panics;

impl Consumer for Panics {
    fn push(&self, _: &[Event]) -> Result<(), ConsumerError> {
        std::panic::panic_any(Bomb)
    }

    fn disconnected(&self) {
        panic!("a consumer of the test");
    }
}

#[test]
fn whatever_a_consumer_panics_with_no_queue_is_left_that_nobody_empties() {
    let (orb, channel) = patient();
    let options = wants_everything(DiscardPolicy::BlockSupplier);
    let connection = channel.connect(Panics, options.clone()).unwrap();
    let (consumer, receive) = collector();
    channel.connect(consumer, options).unwrap();
    let (_send, pushed) = channel_of_suppliers(&channel, [20, 21, 22, 23, 24, 25, 26]);
    (0..7).for_each(|_| pushed.recv_timeout(PATIENCE).expect("no supplier waits for ever"));
    until("it is disconnected", || !connection.is_connected());
    (0..7).for_each(|_| drop(next(&receive)));
    until("the channel has one consumer", || channel.statistics().consumers == 1);
    orb.shutdown();
}

#[test]
fn a_queue_may_deliver_by_priority() {
    let (orb, channel) = served();
    let options = ConsumerOptions::new(Subscription::everything());
    let Slow { gate, receive, .. } = slow(&channel, options.order(OrderPolicy::PriorityOrder));
    for (event_type, priority) in [(21, 3), (22, 90), (23, 50)] {
        channel.push(Event::signal(1, event_type).with_priority(priority));
    }
    gate.open();
    assert_eq!([(); 4].map(|()| next(&receive)[0]), [20, 22, 23, 21]);
    orb.shutdown();
}

#[test]
fn consumers_run_at_their_priority_or_at_that_of_the_schedule() {
    use armilla_schedule::{
        AnalysisOptions, Nanos, PriorityRange, Strategy, System, Task, TaskSet, analyse,
    };
    let tasks = vec![
        Task::periodic("Hud::draw", Nanos::from_millis(50), Nanos::from_millis(4)),
        Task::periodic("Filter::update", Nanos::from_millis(10), Nanos::from_millis(1)),
    ];
    let system = System::new(TaskSet { tasks, ..TaskSet::default() }).unwrap();
    let mut question = AnalysisOptions::of(Strategy::RateMonotonic);
    question.range = PriorityRange::new(10, 90).unwrap();
    let report = analyse(&system, question).unwrap();
    let scheduled = |name: &str| {
        let operation = report.operations.iter().find(|operation| operation.name == name).unwrap();
        i16::try_from(operation.priority.unwrap()).unwrap()
    };
    assert!(scheduled("Filter::update") > scheduled("Hud::draw"));
    let (orb, rt) = server();
    let lowest = Priority::new(1).unwrap();
    let events = EventChannel::builder(&rt).priority(lowest).schedule(&report).build().unwrap();
    let all = ConsumerOptions::new(Subscription::everything());
    for (options, number) in [
        (all.clone().operation("Filter::update"), scheduled("Filter::update")),
        (all.clone().operation("Hud::draw"), scheduled("Hud::draw")),
        (all.clone().priority(Priority::new(7).unwrap()).operation("Hud::draw"), 7),
        (all.clone(), 1),
    ] {
        let (send, receive) = channel();
        let rt = rt.clone();
        let consumer = move |_: &[Event]| {
            send.send(rt.current().priority().unwrap().get()).unwrap();
        };
        let connection = events.connect(consumer, options).unwrap();
        events.push(Event::signal(1, 20));
        assert_eq!(receive.recv_timeout(PATIENCE).unwrap(), number);
        connection.disconnect();
    }
    let beyond = all.priority(Priority::new(500).unwrap());
    let refused = events.connect(|_: &[Event]| (), beyond).unwrap_err().to_string();
    assert!(refused.contains("500") && refused.contains("no native priority"), "{refused}");
    assert_eq!(events.statistics().consumers, 0);
    orb.shutdown();
}

#[test]
fn subscriptions_change_and_pause_while_running() {
    let (orb, channel) = served();
    let (consumer, receive) = collector();
    let options = ConsumerOptions::new(Subscription::of_type(20));
    let connection = channel.connect(consumer, options).unwrap();
    connection.change_subscription(&Subscription::of_type(21)).unwrap();
    channel.push(Event::signal(1, 20));
    channel.push(Event::signal(1, 21));
    assert_eq!(next(&receive), [21]);
    assert!(connection.change_subscription(&Subscription::any_of([])).is_err());
    connection.suspend();
    channel.push(Event::signal(1, 21));
    connection.resume();
    connection.change_subscription(&Subscription::every(Duration::from_millis(1))).unwrap();
    assert_eq!(next(&receive), [TIMER_TYPE], "what came meanwhile is gone");
    orb.shutdown();
}

#[test]
fn bounds_are_named_when_they_are_reached() {
    let mut limits = ChannelLimits::default();
    (limits.consumers, limits.longest_queue) = (1, 10);
    let (orb, channel) = served_with(limits);
    let options = || ConsumerOptions::new(Subscription::everything());
    let connect = |options| channel.connect(|_: &[Event]| (), options);
    let long = connect(options().queue_length(11)).unwrap_err().to_string();
    assert!(long.contains("a queue of 11; the most are 10"), "{long}");
    connect(options()).unwrap();
    let many = connect(options()).unwrap_err().to_string();
    assert!(many.contains("1 consumers"), "{many}");
    orb.shutdown();
}

#[test]
fn a_consumer_whose_priority_cannot_be_mapped_is_refused_and_leaves_nothing() {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let rt = RtOrb::new(&orb).with_mapping(Panicking);
    let channel = EventChannel::builder(&rt).build().unwrap();
    let options = || ConsumerOptions::new(Subscription::everything());
    let urgent = options().priority(Priority::new(10).unwrap());
    let error = channel.connect(|_: &[Event]| (), urgent).unwrap_err();
    assert!(matches!(&error, EventError::Qos(why) if why.contains("panicked")), "{error}");
    assert_eq!(channel.statistics().consumers, 0);
    let (consumer, deliveries) = collector();
    let _connection = channel.connect(consumer, options()).unwrap();
    channel.push(Event::signal(1, 7));
    assert_eq!(next(&deliveries), [7]);
    orb.shutdown();
}
