//! Suppliers and consumers of other processes, plain event clients, and federation.

use crate::common;
use armilla::{Any, Error, Orb, SystemException};
use armilla_events::corba::admin::{
    ConsumerAdmin as _, EventChannel as _, ProxyPullConsumer as _, ProxyPullSupplier as _,
    ProxyPushConsumer as _, ProxyPushSupplier as _, SupplierAdmin as _,
};
use armilla_events::corba::comm::pull_supplier::{PullRaises, TryPullRaises};
use armilla_events::corba::comm::push_consumer::PushRaises;
use armilla_events::corba::comm::{
    self, PullSupplier, PushConsumer, PushSupplier as _, PushSupplierRef, pull_supplier,
    push_consumer,
};
use armilla_events::corba::event_channel::ConnectConsumerRaises;
use armilla_events::corba::{
    DiscardPolicy, Event, EventChannel as _, ProxyPushSupplier as _, PushConsumer as _, admin,
};
use armilla_events::{
    ChannelLimits, ConsumerOptions, EventChannel, Gateway, GatewayOptions, Subscription,
};
use armilla_rt::{Priority, ThreadpoolOptions};
use common::*;
use std::sync::Mutex;
use std::sync::mpsc::Sender;
use std::time::Duration;

fn everything() -> ConsumerOptions {
    ConsumerOptions::new(Subscription::everything())
}

#[test]
fn remote_suppliers_and_consumers_meet_in_the_channel() {
    let (orb, channel) = served();
    let (client, _) = server();
    let distant = remote(&orb, &channel, &client);
    let (consumer, receive) = remote_consumer(&client);
    let wanted = ConsumerOptions::new(Subscription::of_type(20));
    let demand = distant.connect_consumer(&consumer, &wanted.to_qos()).unwrap();
    let supply = distant.connect_supplier(&PushSupplierRef::nil()).unwrap();
    supply.push(&[Event::signal(1, 20), Event::signal(1, 21), Event::signal(2, 20)]).unwrap();
    assert_eq!([next(&receive), next(&receive)], [[20], [20]]);
    demand.change_subscription(Subscription::of_type(21).term()).unwrap();
    supply.push(&[Event::signal(1, 20), Event::signal(1, 21)]).unwrap();
    assert_eq!(next(&receive), [21]);
    assert_eq!(demand.statistics().unwrap().queued, 3);
    let statistics = distant.statistics().unwrap();
    assert_eq!((statistics.pushed, statistics.suppliers, statistics.consumers), (5, 1, 1));
    demand.disconnect_push_supplier().unwrap();
    supply.disconnect_push_consumer().unwrap();
    assert!(supply.push(&[]).is_err());
    until("nobody is left", || {
        let statistics = distant.statistics().unwrap();
        (statistics.suppliers, statistics.consumers) == (0, 0)
    });
    client.shutdown();
    orb.shutdown();
}

#[test]
fn what_makes_no_sense_is_refused_with_its_reason() {
    let (orb, channel) = served();
    let (client, _) = server();
    let distant = remote(&orb, &channel, &client);
    let (consumer, _receive) = remote_consumer(&client);
    let mut qos = everything().to_qos();
    qos.subscription = Subscription::all_of([]).term().clone();
    match distant.connect_consumer(&consumer, &qos).unwrap_err() {
        Error::User(ConnectConsumerRaises::InvalidSubscription(invalid)) => {
            assert!(invalid.reason.contains("at least one part"), "{}", invalid.reason);
        }
        other => panic!("{other}"),
    }
    let mut qos = everything().to_qos();
    qos.priority = -5;
    match distant.connect_consumer(&consumer, &qos).unwrap_err() {
        Error::User(ConnectConsumerRaises::InvalidQos(invalid)) => {
            assert!(invalid.reason.contains("-5"), "{}", invalid.reason);
        }
        other => panic!("{other}"),
    }
    client.shutdown();
    orb.shutdown();
}

#[test]
fn the_owner_decides_whether_remote_consumers_may_block_suppliers() {
    for may in [false, true] {
        let mut limits = ChannelLimits::default();
        limits.remote_block = may;
        let (orb, channel) = served_with(limits);
        let (client, _) = server();
        let (consumer, _receive) = remote_consumer(&client);
        let qos = everything().discard(DiscardPolicy::BlockSupplier).to_qos();
        let connected = remote(&orb, &channel, &client).connect_consumer(&consumer, &qos);
        match connected {
            Ok(_) => assert!(may),
            Err(error) => {
                let text = format!("{error:?}");
                assert!(!may && text.contains("InvalidQos") && text.contains("owner"), "{text}");
            }
        }
        // A consumer of the process always may.
        channel
            .connect(|_: &[Event]| (), everything().discard(DiscardPolicy::BlockSupplier))
            .unwrap();
        client.shutdown();
        orb.shutdown();
    }
}

#[test]
fn a_dead_consumer_is_disconnected_and_holds_nobody() {
    let (orb, channel) = served();
    let (dying, _) = server();
    let (consumer, _receive) = remote_consumer(&dying);
    let text = dying.object_to_string(&consumer).unwrap();
    let dead: armilla_events::corba::PushConsumerRef = orb.resolve(&text).unwrap();
    let connection = channel.connect(dead, everything()).unwrap();
    dying.shutdown();
    let (alive, receive) = collector();
    channel.connect(alive, everything()).unwrap();
    until("the dead one is disconnected", || {
        channel.push(Event::signal(1, 20));
        assert_eq!(next(&receive), [20]);
        !connection.is_connected()
    });
    until("the channel has one consumer", || channel.statistics().consumers == 1);
    orb.shutdown();
}

#[test]
fn suppliers_push_in_the_lane_of_their_priority() {
    let (orb, rt) = server();
    let [low, high] = [10, 50].map(|number| Priority::new(number).unwrap());
    let lanes = ThreadpoolOptions::with_lanes("events").lane(low, 1, 0).lane(high, 1, 0);
    let pool = rt.create_threadpool(lanes).unwrap();
    let channel = EventChannel::builder(&rt).threadpool(&pool).priority(low).build().unwrap();
    let (consumer, receive) = collector();
    channel.connect(consumer, everything()).unwrap();
    let (client, client_rt) = server();
    let distant = remote(&orb, &channel, &client);
    let supply = distant.connect_supplier(&PushSupplierRef::nil()).unwrap();
    std::thread::spawn(move || {
        // Without the privilege the thread has the CORBA priority all the same.
        client_rt.current().set_priority(high).ok();
        supply.push(&[Event::signal(1, 20)]).unwrap();
        client_rt.current().set_priority(Priority::new(30).unwrap()).ok();
        let error = supply.push(&[Event::signal(1, 21)]).unwrap_err();
        assert!(error.to_string().contains("lanes or bands"), "{error}");
    })
    .join()
    .unwrap();
    assert_eq!(next(&receive), [20]);
    client.shutdown();
    orb.shutdown();
}

/// A plain consumer, which sends what it gets.
struct Plain(Sender<i32>);

impl PushConsumer for Plain {
    fn push(&self, data: &Any) -> Result<(), Error<PushRaises>> {
        self.0.send(data.get().unwrap().unwrap()).ok();
        Ok(())
    }

    fn disconnect_push_consumer(&self) -> Result<(), SystemException> {
        self.0.send(-1).ok();
        Ok(())
    }
}

/// A plain supplier from which the channel pulls.
struct Source(Mutex<Vec<i32>>);

impl PullSupplier for Source {
    fn pull(&self) -> Result<Any, Error<PullRaises>> {
        unreachable!("the channel polls")
    }

    fn try_pull(&self) -> Result<(Any, bool), Error<TryPullRaises>> {
        Ok(match self.0.lock().unwrap().pop() {
            Some(number) => (Any::new(&number).unwrap(), true),
            None => (Any::default(), false),
        })
    }

    fn disconnect_pull_supplier(&self) -> Result<(), SystemException> {
        Ok(())
    }
}

#[test]
fn plain_event_clients_push_and_pull() {
    let (orb, channel) = served();
    let (client, _) = server();
    let distant = remote(&orb, &channel, &client);
    let distant: admin::EventChannelRef = distant.upcast();
    let (consumers, suppliers) =
        (distant.for_consumers().unwrap(), distant.for_suppliers().unwrap());
    let (send, receive) = std::sync::mpsc::channel();
    let plain = client.root_poa().activate(push_consumer::tie(Plain(send))).unwrap();
    let push_from = consumers.obtain_push_supplier().unwrap();
    push_from.connect_push_consumer(&plain).unwrap();
    assert!(push_from.connect_push_consumer(&plain).is_err(), "already connected");
    let pull_from = consumers.obtain_pull_supplier().unwrap();
    assert!(!pull_from.try_pull().unwrap().1);
    let push_to = suppliers.obtain_push_consumer().unwrap();
    push_to.connect_push_supplier(&PushSupplierRef::nil()).unwrap();
    let number = |number: i32| Any::new(&number).unwrap();
    push_to.push(&number(41)).unwrap();
    assert_eq!(receive.recv_timeout(PATIENCE).unwrap(), 41);
    assert_eq!(pull_from.pull().unwrap().get().unwrap(), Some(41));
    let source = Source(Mutex::new(vec![43, 42]));
    let source = client.root_poa().activate(pull_supplier::tie(source)).unwrap();
    let pull_to = suppliers.obtain_pull_consumer().unwrap();
    pull_to.connect_pull_supplier(&source).unwrap();
    assert_eq!([(); 2].map(|()| receive.recv_timeout(PATIENCE).unwrap()), [42, 43]);
    assert_eq!(pull_from.pull().unwrap().get().unwrap(), Some(42));
    distant.destroy().unwrap();
    assert_eq!(receive.recv_timeout(PATIENCE).unwrap(), -1, "told of the end");
    assert!(push_to.push(&number(44)).is_err());
    assert!(distant.for_consumers().is_err());
    client.shutdown();
    orb.shutdown();
}

/// Tells that it was disconnected.
struct Told(Sender<i32>);

impl comm::PushSupplier for Told {
    fn disconnect_push_supplier(&self) -> Result<(), SystemException> {
        self.0.send(-2).ok();
        Ok(())
    }
}

impl comm::PullConsumer for Told {
    fn disconnect_pull_consumer(&self) -> Result<(), SystemException> {
        self.0.send(-3).ok();
        Ok(())
    }
}

#[test]
fn plain_clients_that_disconnect_are_told_once() {
    let (orb, channel) = served();
    let (client, _) = server();
    let distant: admin::EventChannelRef = remote(&orb, &channel, &client).upcast();
    let (send, receive) = std::sync::mpsc::channel();
    let told = || Told(send.clone());
    let consumers = distant.for_consumers().unwrap();
    let pushing = consumers.obtain_push_supplier().unwrap();
    let taking = client.root_poa().activate(push_consumer::tie(Plain(send.clone())));
    pushing.connect_push_consumer(&taking.unwrap()).unwrap();
    let push_to = distant.for_suppliers().unwrap().obtain_push_consumer().unwrap();
    let supplier = client.root_poa().activate(comm::push_supplier::tie(told())).unwrap();
    push_to.connect_push_supplier(&supplier).unwrap();
    let pulling = consumers.obtain_pull_supplier().unwrap();
    let consumer = client.root_poa().activate(comm::pull_consumer::tie(told())).unwrap();
    pulling.connect_pull_consumer(&consumer).unwrap();
    assert!(pulling.connect_pull_consumer(&consumer).is_err(), "already connected");
    let next = || receive.recv_timeout(PATIENCE).unwrap();
    pushing.disconnect_push_supplier().unwrap();
    assert_eq!(next(), -1);
    push_to.disconnect_push_consumer().unwrap();
    assert_eq!(next(), -2);
    pulling.disconnect_pull_supplier().unwrap();
    assert_eq!(next(), -3);
    assert!(pushing.disconnect_push_supplier().is_err(), "its proxy is gone");
    assert!(receive.try_recv().is_err(), "once");
    client.shutdown();
    orb.shutdown();
}

#[test]
fn nothing_of_a_destroyed_channel_exists_and_all_are_told() {
    let (orb, rt) = server();
    let channel = EventChannel::builder(&rt).build().unwrap();
    let (client, _) = server();
    let distant = remote(&orb, &channel, &client);
    let (consumers, suppliers) =
        (distant.for_consumers().unwrap(), distant.for_suppliers().unwrap());
    let (send, told) = std::sync::mpsc::channel();
    let root = client.root_poa();
    let pulling = consumers.obtain_pull_supplier().unwrap();
    let consumer = root.activate(comm::pull_consumer::tie(Told(send.clone()))).unwrap();
    pulling.connect_pull_consumer(&consumer).unwrap();
    let push_to = suppliers.obtain_push_consumer().unwrap();
    push_to.connect_push_supplier(&supplier(&client, &send)).unwrap();
    let supply = distant.connect_supplier(&PushSupplierRef::nil()).unwrap();
    let (consumer, receive) = remote_consumer(&client);
    let demand = distant.connect_consumer(&consumer, &everything().to_qos()).unwrap();
    let idle = consumers.obtain_push_supplier().unwrap();
    distant.destroy().unwrap();
    let mut both = [(); 2].map(|()| told.recv_timeout(PATIENCE).unwrap());
    both.sort_unstable();
    assert_eq!(both, [-3, -2]);
    assert_eq!(next(&receive), [0; 0], "the consumer of the real-time channel too");
    let objects = [
        ("channel", distant.object()),
        ("consumers", consumers.object()),
        ("suppliers", suppliers.object()),
        ("a proxy to pull from", pulling.object()),
        ("a proxy to push to", push_to.object()),
        ("a proxy of a supplier", supply.object()),
        ("a proxy of a consumer", demand.object()),
        ("a proxy without a consumer", idle.object()),
    ];
    for (what, object) in objects {
        assert!(object.non_existent().unwrap(), "{what}");
    }
    channel.destroy();
    let again = EventChannel::builder(&rt).build().unwrap();
    assert!(!remote(&orb, &again, &client).object().non_existent().unwrap(), "its name is free");
    client.shutdown();
    orb.shutdown();
}

#[test]
fn suppliers_that_do_not_answer_hold_the_end_of_a_channel_for_a_short_time() {
    let mut limits = ChannelLimits::default();
    limits.delivery = Duration::from_secs(1);
    let (orb, channel) = served_with(limits);
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let gone = Orb::builder().listen(&format!("iiop://{address}")).unwrap().build().unwrap();
    let (told, _receive) = std::sync::mpsc::channel();
    for _ in 0..60 {
        let text = gone.object_to_string(supplier(&gone, &told)).unwrap();
        channel.reference().connect_supplier(&orb.resolve(&text).unwrap()).unwrap();
    }
    gone.shutdown();
    // Who connects there is never answered.
    let _silent = std::net::TcpListener::bind(address).unwrap();
    let begun = std::time::Instant::now();
    channel.destroy();
    // One after the other takes a minute.
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    orb.shutdown();
}

#[test]
fn an_event_of_another_process_passes_on_no_further_than_the_channel_allows() {
    let (orb, channel) = served();
    let (client, _) = server();
    let (send, receive) = std::sync::mpsc::channel();
    let consumer = move |events: &[Event]| send.send(events[0].header.hops).unwrap();
    channel.connect(consumer, everything()).unwrap();
    let supply = remote(&orb, &channel, &client);
    let supply = supply.connect_supplier(&PushSupplierRef::nil()).unwrap();
    let hops = [255, 2].map(|hops| Event::signal(1, 20).with_hops(hops));
    supply.push(&hops).unwrap();
    channel.push(Event::signal(1, 20).with_hops(9));
    // What the program itself pushes is its own affair.
    assert_eq!([(); 3].map(|()| receive.recv_timeout(PATIENCE).unwrap()), [4, 2, 9]);
    client.shutdown();
    orb.shutdown();
}

#[test]
fn a_pull_waits_for_an_event_and_ends_in_time() {
    let mut limits = ChannelLimits::default();
    limits.pull = Duration::from_millis(5);
    let (orb, channel) = served_with(limits);
    let consumers = admin::EventChannel::for_consumers(channel.reference()).unwrap();
    let pull_from = consumers.obtain_pull_supplier().unwrap();
    let error = pull_from.pull().unwrap_err().to_string();
    assert!(error.contains("no event for 5ms"), "{error}");
    channel.push(Event::new(1, 20, &7).unwrap());
    assert_eq!(pull_from.pull().unwrap().get().unwrap(), Some(7));
    pull_from.disconnect_pull_supplier().unwrap();
    assert!(pull_from.try_pull().is_err());
    orb.shutdown();
}

#[test]
fn channels_of_two_processes_are_one_and_no_event_goes_round() {
    let ((first_orb, first), (second_orb, second)) = (served(), served());
    let distant = |from: &Orb, channel, to: &Orb| remote(from, channel, to);
    let join = |orb: &Orb, from, to| {
        Gateway::connect(orb, &from, to, GatewayOptions::new(everything())).unwrap()
    };
    let there = join(&second_orb, distant(&first_orb, &first, &second_orb), &second);
    let back = join(&first_orb, distant(&second_orb, &second, &first_orb), &first);
    let (consumer, at_first) = collector();
    first.connect(consumer, everything()).unwrap();
    let (consumer, at_second) = collector();
    second.connect(consumer, everything()).unwrap();
    first.push(Event::signal(1, 20));
    second.push(Event::signal(1, 21));
    let both = |receive| {
        let mut both = [next(receive)[0], next(receive)[0]];
        both.sort_unstable();
        both
    };
    assert_eq!([both(&at_first), both(&at_second)], [[20, 21], [20, 21]]);
    until("each gateway has stopped the other's", || {
        (there.counts(), back.counts()) == ((1, 1), (1, 1))
    });
    assert!(at_first.try_recv().is_err() && at_second.try_recv().is_err());
    drop((there, back));
    assert_eq!((first.statistics().consumers, second.statistics().consumers), (1, 1));
    first_orb.shutdown();
    second_orb.shutdown();
}

#[test]
fn a_gateway_connects_again_when_its_channel_has_disconnected_it() {
    let ((from_orb, from), (orb, to)) = (served(), served());
    let mut options = GatewayOptions::new(everything());
    options.consumer = options.consumer.queue_length(1).discard(DiscardPolicy::DisconnectConsumer);
    options.check = Duration::from_millis(1);
    let distant = remote(&from_orb, &from, &orb);
    let gateway = Gateway::connect(&orb, &distant, &to, options).unwrap();
    let gate = Gate::default();
    let (collect, receive) = collector();
    let at_gate = gate.clone();
    let consumer = move |events: &[Event]| {
        at_gate.pass();
        collect(events);
    };
    let blocking = everything().queue_length(1).discard(DiscardPolicy::BlockSupplier);
    to.connect(consumer, blocking).unwrap();
    // One at the gate, one in either queue, one that blocks the gateway: no room for the next.
    until("the gateway is disconnected", || {
        from.push(Event::signal(1, 20));
        from.statistics().disconnected == 1
    });
    gate.open();
    until("the gateway is connected again", || from.statistics().consumers == 1);
    from.push(Event::signal(1, 21));
    until("events pass on again", || next(&receive) == [21]);
    drop(gateway);
    from_orb.shutdown();
    orb.shutdown();
}

/// A supplier that is told of the end of its channel.
fn supplier(orb: &Orb, told: &Sender<i32>) -> PushSupplierRef {
    orb.root_poa().activate(comm::push_supplier::tie(Told(told.clone()))).unwrap()
}

#[test]
fn a_supplier_takes_the_place_of_one_that_is_gone() {
    let mut limits = ChannelLimits::default();
    limits.suppliers = 2;
    let (orb, channel) = served_with(limits);
    let (told, _receive) = std::sync::mpsc::channel();
    let [(gone, _), (stays, _), (comes, _)] = [(); 3].map(|()| server());
    let connect =
        |client: &Orb| remote(&orb, &channel, client).connect_supplier(&supplier(client, &told));
    let [of_gone, of_stays] = [&gone, &stays].map(|client| connect(client).unwrap());
    let error = connect(&comes).unwrap_err().to_string();
    assert!(error.contains("LimitReached"), "{error}");
    gone.shutdown();
    let of_comes = connect(&comes).unwrap();
    assert_eq!(channel.statistics().suppliers, 2);
    of_stays.push(&[Event::signal(1, 20)]).unwrap();
    of_comes.push(&[Event::signal(1, 20)]).unwrap();
    let of_gone = remote_proxy(&gone, &comes, &of_gone);
    assert!(of_gone.push(&[]).is_err(), "its proxy is gone too");
    assert!(connect(&comes).is_err(), "both are there");
    // A plain supplier likewise.
    stays.shutdown();
    let plain: admin::EventChannelRef = remote(&orb, &channel, &comes).upcast();
    let proxy = plain.for_suppliers().unwrap().obtain_push_consumer().unwrap();
    proxy.connect_push_supplier(&supplier(&comes, &told)).unwrap();
    proxy.push(&Any::new(&7).unwrap()).unwrap();
    comes.shutdown();
    orb.shutdown();
}

/// The same proxy as another process knows it.
fn remote_proxy(
    from: &Orb,
    to: &Orb,
    proxy: &armilla_events::corba::ProxyPushConsumerRef,
) -> armilla_events::corba::ProxyPushConsumerRef {
    to.resolve(&from.object_to_string(proxy).unwrap()).unwrap()
}

#[test]
fn nothing_is_left_of_consumers_that_are_gone() {
    let mut limits = ChannelLimits::default();
    (limits.consumers, limits.suppliers) = (1, 0);
    let (orb, channel) = served_with(limits);
    let (client, _) = server();
    let distant = remote(&orb, &channel, &client);
    // There are proxies for one at a time.
    for _ in 0..3 {
        let (gone, _) = server();
        let (consumer, _) = remote_consumer(&gone);
        let consumer = client.resolve(&gone.object_to_string(&consumer).unwrap()).unwrap();
        let proxy = distant.connect_consumer(&consumer, &everything().to_qos()).unwrap();
        gone.shutdown();
        until("the consumer is disconnected", || {
            channel.push(Event::signal(1, 20));
            channel.statistics().consumers == 0
        });
        until("its proxy is gone", || proxy.object().non_existent().unwrap());

        let (gone, _) = server();
        let (send, _) = std::sync::mpsc::channel();
        let consumer = gone.root_poa().activate(push_consumer::tie(Plain(send))).unwrap();
        let consumer = client.resolve(&gone.object_to_string(&consumer).unwrap()).unwrap();
        let plain: admin::EventChannelRef = distant.clone().upcast();
        let proxy = plain.for_consumers().unwrap().obtain_push_supplier().unwrap();
        proxy.connect_push_consumer(&consumer).unwrap();
        gone.shutdown();
        until("the plain consumer is disconnected", || {
            channel.push(Event::signal(1, 20));
            channel.statistics().consumers == 0
        });
        until("its proxy is gone too", || proxy.object().non_existent().unwrap());
    }
    client.shutdown();
    orb.shutdown();
}
