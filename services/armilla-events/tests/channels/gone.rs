//! Clients that are gone without a word leave nothing.

use crate::common;
use admin::{
    ConsumerAdmin as _, EventChannel as _, ProxyPullSupplier as _, ProxyPushConsumer as _,
    SupplierAdmin as _,
};
use armilla::{Any, Orb};
use armilla_events::corba::{Event, EventChannel as _, PushConsumer as _, admin, comm};
use armilla_events::{ChannelLimits, ConsumerOptions, EventChannel, Subscription};
use comm::{PullSupplier as _, PushConsumer as _};
use common::{remote, remote_consumer, served_with, server, until};
use std::time::Duration;

/// How many clients come and go.
const MANY: usize = 10_000;

/// Few places, which are free as soon as their clients are idle.
fn few_places() -> ChannelLimits {
    let mut limits = ChannelLimits::default();
    (limits.consumers, limits.suppliers) = (16, 16);
    limits.idle_if_full = Duration::ZERO;
    limits
}

/// Places that are free soon after their clients are gone, without being needed.
fn quick() -> ChannelLimits {
    let mut limits = ChannelLimits::default();
    (limits.probe, limits.idle) = (Duration::from_millis(20), Duration::from_millis(50));
    limits
}

fn plain(orb: &Orb, channel: &EventChannel, client: &Orb) -> admin::EventChannelRef {
    remote(orb, channel, client).upcast()
}

#[test]
fn ten_thousand_pull_consumers_that_vanish_keep_nobody_out() {
    let (orb, channel) = served_with(few_places());
    let (client, _) = server();
    let consumers = plain(&orb, &channel, &client).for_consumers().unwrap();
    let nil = comm::PullConsumerRef::nil();
    for number in 0..MANY {
        let proxy = consumers.obtain_pull_supplier().unwrap();
        // Some never connect, as the specification has it for pull.
        if number % 2 == 0 {
            proxy.connect_pull_consumer(&nil).unwrap();
        }
        assert!(!proxy.try_pull().unwrap().1);
    }
    assert!(channel.statistics().consumers <= 16);
    let last = consumers.obtain_pull_supplier().unwrap();
    channel.push(Event::signal(1, 20));
    assert!(last.try_pull().unwrap().1);
    client.shutdown();
    orb.shutdown();
}

#[test]
fn ten_thousand_suppliers_that_vanish_keep_nobody_out() {
    let (orb, channel) = served_with(few_places());
    let (client, _) = server();
    let distant = remote(&orb, &channel, &client);
    let suppliers = plain(&orb, &channel, &client).for_suppliers().unwrap();
    let nil = comm::PushSupplierRef::nil();
    for number in 0..MANY {
        match number % 3 {
            0 => distant.connect_supplier(&nil).unwrap().push(&[Event::signal(1, 20)]).unwrap(),
            connects => {
                let proxy = suppliers.obtain_push_consumer().unwrap();
                if connects == 1 {
                    proxy.connect_push_supplier(&nil).unwrap();
                }
                proxy.push(&Any::new(&7).unwrap()).unwrap();
            }
        }
    }
    assert!(channel.statistics().suppliers <= 16);
    client.shutdown();
    orb.shutdown();
}

#[test]
fn ten_thousand_push_consumers_that_vanish_keep_nobody_out() {
    let (orb, channel) = served_with(few_places());
    let (client, _) = server();
    let distant = remote(&orb, &channel, &client);
    // They are called by nobody, so only their places tell of them.
    let qos = ConsumerOptions::new(Subscription::of_type(99)).to_qos();
    for _ in 0..MANY {
        let (consumer, _) = remote_consumer(&client);
        distant.connect_consumer(&consumer, &qos).unwrap();
        let id = client.root_poa().reference_to_id(consumer.object()).unwrap();
        client.root_poa().deactivate(&id).unwrap();
    }
    assert!(channel.statistics().consumers <= 16);
    client.shutdown();
    orb.shutdown();
}

#[test]
fn consumers_that_vanish_are_noticed_without_an_event() {
    let (orb, channel) = served_with(quick());
    let (client, _) = server();
    let distant = remote(&orb, &channel, &client);
    let (gone, _) = server();
    let (consumer, _) = remote_consumer(&gone);
    let (stays, _receive) = remote_consumer(&client);
    let qos = ConsumerOptions::new(Subscription::of_type(99)).to_qos();
    let of_gone = client.resolve(&gone.object_to_string(&consumer).unwrap()).unwrap();
    let of_gone = distant.connect_consumer(&of_gone, &qos).unwrap();
    let of_stays = distant.connect_consumer(&stays, &qos).unwrap();
    let consumers = plain(&orb, &channel, &client).for_consumers().unwrap();
    let idle = consumers.obtain_pull_supplier().unwrap();
    gone.shutdown();
    until("the dead are disconnected", || channel.statistics().consumers == 1);
    until("their proxies are gone", || {
        [of_gone.object(), idle.object()].iter().all(|proxy| proxy.non_existent().unwrap())
    });
    assert_eq!(of_stays.object().non_existent(), Ok(false));
    client.shutdown();
    orb.shutdown();
}
