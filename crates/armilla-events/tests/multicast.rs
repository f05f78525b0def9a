//! Channels of a multicast group, on the loopback interface.

mod common;

use armilla_events::corba::Event;
use armilla_events::{
    ConsumerOptions, EventChannel, EventDatagram, EventError, MulticastGateway, MulticastOptions,
    Subscription,
};
use armilla_ipc::udp::{Interface, UdpMulticast};
use common::*;
use std::net::SocketAddr;

/// A group that no other test uses, with this port.
fn group(last: u8, port: u16) -> SocketAddr {
    SocketAddr::from(([239, 255, 91, last], port))
}

fn join(channel: &EventChannel, group: SocketAddr) -> MulticastGateway {
    let mut options =
        MulticastOptions::new(group, ConsumerOptions::new(Subscription::everything()));
    options.interface = Some("lo".to_owned());
    MulticastGateway::join(channel, options).unwrap()
}

#[test]
fn events_of_each_channel_reach_all_others_once() {
    let channels = [served(), served(), served()];
    let first = join(&channels[0].1, group(1, 0));
    let group = first.group();
    let gateways = [first, join(&channels[1].1, group), join(&channels[2].1, group)];
    let receivers = channels.each_ref().map(|(_, channel)| {
        let (consumer, receive) = collector();
        channel.connect(consumer, ConsumerOptions::new(Subscription::everything())).unwrap();
        receive
    });
    // In the second round everything of the first has been taken from all queues: what came from
    // elsewhere has not left again.
    for round in [20, 30] {
        for (at, (_, channel)) in channels.iter().enumerate() {
            channel.push(Event::new(1, round + at as u32, "said").unwrap());
        }
        for receive in &receivers {
            let mut types = [(); 3].map(|()| next(receive)[0]);
            types.sort_unstable();
            assert_eq!(types, [round, round + 1, round + 2]);
        }
    }
    until("what was sent is counted", || gateways.iter().all(|it| it.counts().sent >= 2));
    for gateway in &gateways {
        let counts = gateway.counts();
        assert_eq!((counts.sent, counts.received, counts.lost), (2, 4, 0), "{counts:?}");
        assert_eq!((counts.stopped, counts.stale, counts.malformed), (0, 0, 0), "{counts:?}");
    }
    assert!(receivers.iter().all(|receive| receive.try_recv().is_err()));
    drop(gateways);
    assert!(channels.iter().all(|(_, channel)| channel.statistics().consumers == 1));
    channels.iter().for_each(|(orb, _)| orb.shutdown());
}

#[test]
fn what_is_lost_stale_or_malformed_is_counted() {
    let (orb, channel) = served();
    let gateway = join(&channel, group(2, 0));
    let socket = UdpMulticast::bind(gateway.group()).unwrap();
    socket.set_interface(Interface::named("lo").unwrap()).unwrap();
    let (consumer, receive) = collector();
    let wanted = ConsumerOptions::new(Subscription::everything());
    channel.connect(consumer, wanted).unwrap();
    let send = |number: u64, hops: u8| {
        let event = Event::signal(1, 20 + number as u32).with_hops(hops);
        let datagram = EventDatagram { sender: 9, number, event };
        socket.send(&datagram.encode().unwrap()).unwrap();
    };
    send(1, 1);
    send(4, 1);
    send(4, 1);
    send(2, 1);
    send(5, 0);
    socket.send(b"AEVT no datagram").unwrap();
    send(6, 1);
    assert_eq!([(); 3].map(|()| next(&receive)[0]), [21, 24, 26]);
    let counts = gateway.counts();
    assert_eq!((counts.received, counts.lost, counts.stale), (3, 2, 2), "{counts:?}");
    assert_eq!((counts.stopped, counts.malformed), (1, 1), "{counts:?}");
    orb.shutdown();
}

#[test]
fn an_event_that_is_too_large_is_counted_and_the_others_go_on() {
    let (orb, channel) = served();
    let mut options =
        MulticastOptions::new(group(3, 0), ConsumerOptions::new(Subscription::everything()));
    options.interface = Some("lo".to_owned());
    options.largest = 200;
    let gateway = MulticastGateway::join(&channel, options).unwrap();
    channel.push(Event::new(1, 20, &vec![0_u8; 300]).unwrap());
    channel.push(Event::new(1, 20, &vec![0_u8; 30]).unwrap());
    until("both are counted", || gateway.counts().sent + gateway.counts().unsent == 2);
    assert_eq!((gateway.counts().sent, gateway.counts().unsent), (1, 1));
    orb.shutdown();
}

#[test]
fn a_group_that_cannot_be_joined_is_named() {
    let (orb, channel) = served();
    let refused = |group: &str, interface: Option<&str>| {
        let wanted = ConsumerOptions::new(Subscription::everything());
        let mut options = MulticastOptions::new(group.parse().unwrap(), wanted);
        options.interface = interface.map(str::to_owned);
        MulticastGateway::join(&channel, options).unwrap_err()
    };
    let error = refused("127.0.0.1:0", None);
    assert!(matches!(error, EventError::Network(_)), "{error}");
    assert!(error.to_string().contains("127.0.0.1 is not a multicast address"), "{error}");
    let error = refused("239.255.91.4:0", Some("nowhere0")).to_string();
    assert!(error.contains("nowhere0"), "{error}");
    assert_eq!(channel.statistics().consumers, 0);
    orb.shutdown();
}
