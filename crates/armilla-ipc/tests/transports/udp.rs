//! The datagram suite over UDP; broadcast and multicast on the loopback.

#![cfg(feature = "udp")]

use crate::datagrams;
use armilla_ipc::datagram::Datagram;
use armilla_ipc::option::{AppliesTo, BusyPoll, CodePoint, Dscp, Options, Priority, RecvBuffer};
use armilla_ipc::udp::{Interface, Udp, UdpBroadcast, UdpMulticast, UdpSocket};
use datagrams::{Sockets, TestTransport, datagram_conformance};
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

impl TestTransport for Udp {
    fn fresh() -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
    }
}

datagram_conformance!(Udp);

/// The suite over broadcasts to the loopback network.
mod broadcast {
    use super::*;

    enum Broadcast {}

    impl Sockets for Broadcast {
        type Addr = SocketAddr;
        type Socket = UdpBroadcast;

        fn make() -> (UdpBroadcast, SocketAddr, SocketAddr) {
            let socket = UdpBroadcast::bind(0).unwrap();
            let port = socket.local().unwrap().port();
            let everybody = SocketAddr::from((Ipv4Addr::new(127, 255, 255, 255), port));
            (socket, everybody, SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        }
    }

    datagram_conformance!(sockets Broadcast);
}

/// The suite over groups on the loopback.
mod multicast {
    use super::*;

    enum Multicast {}

    impl Sockets for Multicast {
        type Addr = SocketAddr;
        type Socket = UdpMulticast;

        fn make() -> (UdpMulticast, SocketAddr, SocketAddr) {
            let (socket, loopback) = group(6);
            let group = socket.group();
            socket.join(group.ip(), loopback).unwrap();
            // The system chooses the source address, and not always that of the interface.
            socket.set_recv_timeout(SOON).unwrap();
            socket.send(b"who am I?").unwrap();
            let (_, name) = socket.recv_from(&mut [0; 16]).unwrap();
            (socket, group, name)
        }
    }

    datagram_conformance!(sockets Multicast);
}

const SOON: Option<Duration> = Some(Duration::from_secs(20));
const NEVER: Option<Duration> = Some(Duration::from_millis(40));

fn received(socket: &impl Datagram<Addr = SocketAddr>) -> std::io::Result<Vec<u8>> {
    let mut buffer = [0; 64];
    let (received, _) = socket.recv_from(&mut buffer)?;
    Ok(buffer[..received.length].to_vec())
}

#[test]
fn only_a_broadcast_socket_may_broadcast() {
    let receiver = UdpBroadcast::bind(0).unwrap();
    receiver.set_recv_timeout(SOON).unwrap();
    let port = receiver.local().unwrap().port();
    let everybody = SocketAddr::from((Ipv4Addr::new(127, 255, 255, 255), port));

    let plain = UdpSocket::bind(Udp::fresh()).unwrap();
    let error = plain.send_to(b"hey", &everybody).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);

    let sender = UdpBroadcast::bind(0).unwrap();
    sender.send_to(b"hey", &everybody).unwrap();
    assert_eq!(received(&receiver).unwrap(), b"hey");
}

/// A socket of a group of its own on the loopback, which has not joined it yet.
fn group(last: u8) -> (UdpMulticast, Interface) {
    let loopback = Interface::named("lo").unwrap();
    let socket = UdpMulticast::bind(SocketAddr::from(([239, 255, 77, last], 0))).unwrap();
    socket.set_interface(loopback).unwrap();
    socket.set_recv_timeout(NEVER).unwrap();
    (socket, loopback)
}

#[test]
fn a_group_is_heard_from_join_to_leave() {
    let (socket, loopback) = group(1);
    let ip = socket.group().ip();
    socket.send(b"too early").unwrap();
    assert_eq!(received(&socket).unwrap_err().kind(), ErrorKind::TimedOut);

    socket.join(ip, loopback).unwrap();
    assert_eq!(socket.join(ip, loopback).unwrap_err().kind(), ErrorKind::AddrInUse);
    socket.set_recv_timeout(SOON).unwrap();
    socket.send(b"in time").unwrap();
    assert_eq!(received(&socket).unwrap(), b"in time");

    socket.leave(ip, loopback).unwrap();
    assert_eq!(socket.leave(ip, loopback).unwrap_err().kind(), ErrorKind::AddrNotAvailable);
    socket.set_recv_timeout(NEVER).unwrap();
    socket.send(b"too late").unwrap();
    assert_eq!(received(&socket).unwrap_err().kind(), ErrorKind::TimedOut);
}

#[test]
fn a_group_can_be_joined_for_a_single_source() {
    let (socket, loopback) = group(2);
    let ip = socket.group().ip();
    let [good, bad] = [[127, 0, 0, 1], [127, 0, 0, 9]].map(IpAddr::from);
    socket.join_source(ip, good, loopback).unwrap();
    let send_from = |source: IpAddr, bytes: &[u8]| {
        let sender = UdpSocket::bind((source, 0).into()).unwrap();
        rustix::net::sockopt::set_ip_multicast_if_with_ifindex(
            &sender,
            &Ipv4Addr::UNSPECIFIED,
            &Ipv4Addr::UNSPECIFIED,
            1,
        )
        .unwrap();
        sender.send_to(bytes, &socket.group()).unwrap();
    };
    socket.set_recv_timeout(SOON).unwrap();
    send_from(bad, b"bad");
    send_from(good, b"good");
    assert_eq!(received(&socket).unwrap(), b"good");
    socket.leave_source(ip, good, loopback).unwrap();
    socket.set_recv_timeout(NEVER).unwrap();
    send_from(good, b"good");
    assert_eq!(received(&socket).unwrap_err().kind(), ErrorKind::TimedOut);
}

#[test]
fn the_loopback_of_a_group_can_be_switched_off_and_its_reach_be_set() {
    let (socket, loopback) = group(3);
    socket.join(socket.group().ip(), loopback).unwrap();
    assert_eq!(socket.hops().unwrap(), 1, "stays in the own network");
    socket.set_hops(7).unwrap();
    assert_eq!(socket.hops().unwrap(), 7);
    // The option alone: the loopback interface brings everything back in its own way.
    assert!(socket.loopback().unwrap());
    socket.set_loopback(false).unwrap();
    assert!(!socket.loopback().unwrap());
}

#[test]
fn a_socket_gets_only_datagrams_of_its_own_groups() {
    let (socket, loopback) = group(4);
    let other = SocketAddr::from(([239, 255, 77, 5], socket.group().port()));
    let neighbour = UdpMulticast::bind(other).unwrap();
    neighbour.set_interface(loopback).unwrap();
    neighbour.join(other.ip(), loopback).unwrap();
    neighbour.send(b"for the neighbour").unwrap();
    assert_eq!(received(&socket).unwrap_err().kind(), ErrorKind::TimedOut);
}

#[test]
fn datagrams_have_options_of_their_own() {
    fn holds<O: AppliesTo<UdpSocket> + Clone + PartialEq>(socket: &UdpSocket, option: O) {
        socket.set_option(option.clone()).unwrap();
        assert_eq!(socket.option::<O>().unwrap(), option);
    }
    for local in ["127.0.0.1:0", "[::1]:0"] {
        let Ok(socket) = UdpSocket::bind(local.parse().unwrap()) else { continue }; // no IPv6 here
        holds(&socket, Dscp(CodePoint::EXPEDITED));
        holds(&socket, Priority(2));
        holds(&socket, socket.option::<BusyPoll>().unwrap());
        socket.set_option(RecvBuffer(30_000)).unwrap();
        assert_eq!(socket.option::<RecvBuffer>().unwrap(), RecvBuffer(60_000));
    }
}

#[test]
fn only_a_group_address_makes_a_group() {
    let error = UdpMulticast::bind(Udp::fresh()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("127.0.0.1"), "{error}");
    let error = Interface::named("no-such-card").unwrap_err();
    assert!(error.to_string().contains("no-such-card"), "{error}");
}

/// A socket of an IPv6 group on the loopback; `None` where there is no IPv6.
fn group_v6() -> Option<(UdpMulticast, Interface)> {
    let socket = UdpMulticast::bind("[ff01::7:7]:0".parse().unwrap()).ok()?;
    let loopback = Interface::named("lo").unwrap();
    socket.set_interface(loopback).ok()?;
    socket.join(socket.group().ip(), loopback).ok()?;
    socket.leave(socket.group().ip(), loopback).unwrap();
    socket.set_recv_timeout(NEVER).unwrap();
    Some((socket, loopback))
}

#[test]
fn ipv6_groups_work_where_there_is_ipv6() {
    let Some((socket, loopback)) = group_v6() else { return };
    let ip = socket.group().ip();
    socket.set_hops(3).unwrap();
    assert_eq!(socket.hops().unwrap(), 3);
    assert!(socket.loopback().unwrap());
    socket.set_loopback(false).unwrap();
    assert!(!socket.loopback().unwrap());
    socket.set_loopback(true).unwrap();
    socket.send(b"too early").unwrap();
    assert_eq!(received(&socket).unwrap_err().kind(), ErrorKind::TimedOut);
    socket.join(ip, loopback).unwrap();
    socket.set_recv_timeout(SOON).unwrap();
    socket.send(b"in time").unwrap();
    assert_eq!(received(&socket).unwrap(), b"in time");
    socket.leave(ip, loopback).unwrap();
    assert_eq!(socket.leave(ip, loopback).unwrap_err().kind(), ErrorKind::AddrNotAvailable);
}

#[test]
fn an_ipv6_group_can_be_joined_for_a_single_source() {
    let Some((socket, loopback)) = group_v6() else { return };
    let ip = socket.group().ip();
    let [good, bad] = ["::1", "2001:db8::9"].map(|ip| ip.parse::<IpAddr>().unwrap());
    socket.join_source(ip, bad, loopback).unwrap();
    socket.send(b"from us, whom nobody wants to hear").unwrap();
    assert_eq!(received(&socket).unwrap_err().kind(), ErrorKind::TimedOut);
    socket.join_source(ip, good, loopback).unwrap();
    socket.set_recv_timeout(SOON).unwrap();
    socket.send(b"now wanted").unwrap();
    assert_eq!(received(&socket).unwrap(), b"now wanted");
    socket.leave_source(ip, good, loopback).unwrap();
    socket.set_recv_timeout(NEVER).unwrap();
    socket.send(b"no more").unwrap();
    assert_eq!(received(&socket).unwrap_err().kind(), ErrorKind::TimedOut);
}
