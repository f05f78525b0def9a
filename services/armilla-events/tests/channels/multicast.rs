//! Channels of a multicast group, on the loopback interface.

use crate::alone::alone;
use crate::common;
use armilla_events::corba::Event;
use armilla_events::{
    ConsumerOptions, EventChannel, EventDatagram, EventError, MulticastGateway, MulticastOptions,
    Subscription,
};
use armilla_ipc::udp::{Interface, UdpMulticast};
use common::*;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;
use std::{fs, thread};

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

/// A socket at an address of this host that sends to a group: another host, as far as receivers see.
struct Stranger(UdpSocket, SocketAddr);

impl Stranger {
    fn at(last: u8, group: SocketAddr) -> Self {
        Self(UdpSocket::bind(SocketAddr::from(([127, 0, 0, last], 0))).unwrap(), group)
    }

    fn send(&self, number: u64, event: Event) {
        let datagram = EventDatagram { sender: 9, number, event }.encode().unwrap();
        self.0.send_to(&datagram, self.1).unwrap();
    }
}

#[test]
fn what_many_hops_are_claimed_for_does_not_go_round_in_the_group() {
    let channels = [served(), served()];
    let first = join(&channels[0].1, group(5, 0));
    let group = first.group();
    let gateways = [first, join(&channels[1].1, group)];
    let receivers = channels.each_ref().map(|(_, channel)| {
        let (consumer, receive) = collector();
        channel.connect(consumer, ConsumerOptions::new(Subscription::everything())).unwrap();
        receive
    });
    Stranger::at(1, group).send(1, Event::signal(1, 20).with_hops(255));
    assert_eq!(receivers.each_ref().map(next), [[20], [20]]);
    // What was queued for the group before this has been sent when this has.
    channels.iter().for_each(|(_, channel)| channel.push(Event::signal(1, 21)));
    until("each has sent its own", || gateways.iter().all(|it| it.counts().sent > 0));
    assert_eq!(gateways.each_ref().map(|it| it.counts().sent), [1, 1]);
    channels.iter().for_each(|(orb, _)| orb.shutdown());
}

#[test]
fn a_gateway_hears_the_hosts_that_it_is_told_of_and_none_silences_another() {
    let (orb, channel) = served();
    let everybody = join(&channel, group(6, 0));
    let (second_orb, second) = served();
    let wanted = ConsumerOptions::new(Subscription::everything());
    let mut options = MulticastOptions::new(everybody.group(), wanted.clone());
    options.interface = Some("lo".to_owned());
    options.sources = vec![[127, 0, 0, 1].into()];
    let one = MulticastGateway::join(&second, options).unwrap();
    let receivers = [&channel, &second].map(|channel| {
        let (consumer, receive) = collector();
        channel.connect(consumer, wanted.clone()).unwrap();
        receive
    });
    let [known, other] = [1, 2].map(|last| Stranger::at(last, everybody.group()));
    known.send(1, Event::signal(1, 20));
    // In the name of the sender, whose number stands in each of its datagrams.
    other.send(u64::MAX, Event::signal(1, 21));
    known.send(2, Event::signal(1, 22));
    assert_eq!([(); 3].map(|()| next(&receivers[0])[0]), [20, 21, 22]);
    assert_eq!([(); 2].map(|()| next(&receivers[1])[0]), [20, 22]);
    assert_eq!((everybody.counts().received, one.counts().received), (3, 2));
    orb.shutdown();
    second_orb.shutdown();
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

/// How often the threads that listen to groups have slept in this process.
fn sleeps() -> u64 {
    let threads = fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let listening = threads.filter(|thread| {
        fs::read_to_string(thread.join("comm")).is_ok_and(|name| name.trim() == "event-multicast")
    });
    let slept = listening.map(|thread| {
        let status = fs::read_to_string(thread.join("status")).unwrap();
        let field = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        field.unwrap().trim().parse::<u64>().unwrap()
    });
    slept.sum()
}

#[test]
fn who_listens_to_a_silent_group_sleeps() {
    alone(|| {
        let (orb, channel) = served();
        let gateway = join(&channel, group(7, 0));
        until("nothing wakes the thread for half a second", || {
            let before = sleeps();
            thread::sleep(Duration::from_millis(500));
            before > 0 && sleeps() == before
        });
        // It hears all the same, and ends when it is told.
        Stranger::at(1, gateway.group()).send(1, Event::signal(1, 20));
        until("the event is heard", || gateway.counts().received == 1);
        drop(gateway);
        orb.shutdown();
    });
}
