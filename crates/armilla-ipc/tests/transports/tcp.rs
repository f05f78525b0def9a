//! The conformance suite over TCP, and what is particular to TCP.

#![cfg(feature = "zero-copy")]

use crate::conformance;
use armilla_ipc::option::{
    AppliesTo, BusyPoll, CodePoint, Congestion, Dscp, KeepAlive, Linger, NoDelay, Options,
    Priority, ProbeCount, ProbeInterval, UserTimeout,
};
use armilla_ipc::tcp::Tcp;
use armilla_ipc::{Address, Stream, StreamOptions, TcpAcceptor, TcpConnector, TcpStream};
use conformance::{LONG, TestTransport, conformance};
use rustix::net::sockopt;
use std::io::ErrorKind;
use std::net::Ipv6Addr;
use std::ops::RangeInclusive;
use std::thread;
use std::time::{Duration, Instant};

impl TestTransport for Tcp {
    fn fresh() -> Address {
        Address::tcp("127.0.0.1", 0)
    }

    fn shorten_queue(acceptor: &Self::Acceptor) {
        rustix::net::listen(acceptor, 0).unwrap();
    }
}

conformance!(Tcp: sockets, direct, queues, halves, keeps);

#[test]
fn ipv6_loopback_works_where_there_is_one() {
    let Ok(acceptor) = TcpAcceptor::bind(&Address::tcp("::1", 0), &StreamOptions::default()) else {
        return; // no IPv6 here
    };
    let client = TcpConnector::default().connect(acceptor.local(), Some(LONG)).unwrap();
    let server = acceptor.accept().unwrap().unwrap();
    assert!(client.peer().to_string().starts_with("tcp://[::1]:"), "{}", client.peer());
    assert_eq!(client.local(), server.peer());
}

#[test]
fn a_segment_always_fits_into_a_receive_queue() {
    for size in [4_000, 40_000, 65_536, 70_000] {
        let small = StreamOptions { recv_buffer: Some(size), ..StreamOptions::default() };
        let acceptor = TcpAcceptor::bind(&Tcp::fresh(), &small).unwrap();
        let client =
            TcpConnector::new(small.clone()).connect(acceptor.local(), Some(LONG)).unwrap();
        let server = acceptor.accept().unwrap().unwrap();
        for stream in [&client, &server] {
            // What Linux offers at least of an empty queue, whose size it has doubled.
            let offered = sockopt::socket_recv_buffer_size(stream).unwrap() * 49 / 100;
            let segment = stream.info().unwrap().segment as usize;
            assert!(segment <= offered, "{segment} of {offered}, {size} requested");
        }
    }
}

#[test]
fn a_peer_sends_no_segments_larger_than_half_of_a_small_receive_queue() {
    let small = StreamOptions { recv_buffer: Some(4_000), ..StreamOptions::default() };
    for (ours, theirs) in [(&small, &StreamOptions::default()), (&StreamOptions::default(), &small)]
    {
        let acceptor = TcpAcceptor::bind(&Tcp::fresh(), ours).unwrap();
        let client =
            TcpConnector::new(theirs.clone()).connect(acceptor.local(), Some(LONG)).unwrap();
        let server = acceptor.accept().unwrap().unwrap();
        for segment in [client.info().unwrap().segment, server.info().unwrap().segment] {
            assert!(segment <= 2_000, "{segment}");
        }
    }
}

#[test]
fn a_queue_of_64_kib_keeps_the_segments_of_the_loopback() {
    let queue = StreamOptions { recv_buffer: Some(65_536), ..StreamOptions::default() };
    let acceptor = TcpAcceptor::bind(&Tcp::fresh(), &queue).unwrap();
    let client = TcpConnector::new(queue).connect(acceptor.local(), Some(LONG)).unwrap();
    let server = acceptor.accept().unwrap().unwrap();
    // The kernel tells more of the queue's room once it has seen full segments.
    let sent = vec![7; 4 << 20];
    thread::scope(|scope| {
        scope.spawn(|| client.send_all(&sent).unwrap());
        conformance::recv_exact(&server, &mut vec![0; sent.len()]);
    });
    assert!(client.info().unwrap().segment > 32_767, "{:?}", client.info());
}

#[test]
fn connections_to_one_address_take_the_ports_of_a_range_one_after_the_other() {
    let bind = || TcpAcceptor::bind(&Tcp::fresh(), &StreamOptions::default()).unwrap();
    let connect = |ports: RangeInclusive<u16>, acceptor: &TcpAcceptor| {
        let options = StreamOptions { local_ports: Some(ports), ..StreamOptions::default() };
        TcpConnector::new(options).connect(acceptor.local(), Some(LONG))
    };
    let port = |stream: &TcpStream| match stream.local() {
        Address::Tcp { port, .. } => *port,
        other => panic!("{other}"),
    };
    let acceptor = bind();
    let first = connect(20_000..=29_999, &acceptor).unwrap();
    let second = connect(port(&first)..=29_999, &acceptor).unwrap();
    assert!((20_000..30_000).contains(&port(&first)) && port(&second) > port(&first));
    assert_eq!(acceptor.accept().unwrap().unwrap().peer(), first.local());
    // Who listens there keeps the port to himself.
    let error = connect(port_of(&acceptor)..=port_of(&acceptor), &bind()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrNotAvailable);
    let said = format!("all local ports from {0} to {0} are taken", port_of(&acceptor));
    assert!(error.to_string().contains(&said), "{error}");
    let error = connect(port(&first)..=port(&first), &acceptor).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrNotAvailable, "it leads there already");
}

fn port_of(acceptor: &TcpAcceptor) -> u16 {
    match acceptor.local() {
        Address::Tcp { port, .. } => *port,
        other => panic!("{other}"),
    }
}

#[test]
fn a_link_local_address_keeps_its_interface_where_there_is_one() {
    // The address, the interface's index, two more numbers and its name; all but the name in base
    // 16.
    let table = std::fs::read_to_string("/proc/net/if_inet6").unwrap_or_default();
    let found = table.lines().find_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let ip = Ipv6Addr::from(u128::from_str_radix(words.first()?, 16).ok()?);
        let link_local = ip.segments()[0] == 0xfe80;
        link_local.then(|| (ip, u32::from_str_radix(words[1], 16).unwrap(), words[5].to_owned()))
    });
    let Some((ip, index, name)) = found else { return };
    let address = format!("tcp://[{ip}%{name}]:0").parse().unwrap();
    let acceptor = TcpAcceptor::bind(&address, &StreamOptions::default()).unwrap();
    let shown = acceptor.local().to_string();
    assert!(shown.starts_with(&format!("tcp://[{ip}%{index}]:")), "{shown}");
    let client = TcpConnector::default().connect(&shown.parse().unwrap(), Some(LONG)).unwrap();
    assert_eq!(acceptor.accept().unwrap().unwrap().peer(), client.local());
    assert_eq!(client.peer(), acceptor.local());
}

#[test]
fn an_ipv4_peer_of_an_ipv6_acceptor_is_shown_as_ipv4() {
    let Ok(acceptor) = TcpAcceptor::bind(&Address::tcp("::", 0), &StreamOptions::default()) else {
        return; // no IPv6 here
    };
    let Address::Tcp { port, .. } = *acceptor.local() else { panic!("not TCP") };
    let client = TcpConnector::default().connect(&Address::tcp("127.0.0.1", port), Some(LONG));
    let client = client.unwrap();
    let server = acceptor.accept().unwrap().unwrap();
    assert_eq!(server.peer(), client.local());
    assert_eq!(server.local(), client.peer());
}

#[test]
fn a_host_name_is_resolved() {
    let acceptor =
        TcpAcceptor::bind(&Address::tcp("localhost", 0), &StreamOptions::default()).unwrap();
    let Address::Tcp { port, .. } = *acceptor.local() else { panic!("not TCP") };
    TcpConnector::default().connect(&Address::tcp("localhost", port), Some(LONG)).unwrap();
    TcpConnector::default().connect(&Address::tcp("localhost", port), None).unwrap();
}

#[test]
fn a_host_that_does_not_resolve_is_named_in_bounded_time() {
    let start = Instant::now();
    let timeout = Duration::from_secs(2);
    let error = TcpConnector::default()
        .connect(&Address::tcp("no-such-host.invalid", 1), Some(timeout))
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotFound | ErrorKind::TimedOut), "{error}");
    assert!(error.to_string().contains("no-such-host.invalid"), "{error}");
    assert!(error.to_string().contains("resolve"), "{error}");
    assert!(start.elapsed() < timeout + LONG);
}

#[test]
fn a_refused_connection_names_every_address_tried() {
    let port = {
        let acceptor =
            TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &StreamOptions::default()).unwrap();
        let Address::Tcp { port, .. } = *acceptor.local() else { panic!("not TCP") };
        port
    };
    let error =
        TcpConnector::default().connect(&Address::tcp("localhost", port), Some(LONG)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    let message = error.to_string();
    assert!(message.contains(&format!("tcp://localhost:{port}")), "{message}");
    assert!(message.contains(&format!("127.0.0.1:{port}")), "{message}");
}

#[test]
fn a_timeout_of_zero_connects_nowhere() {
    let acceptor =
        TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &StreamOptions::default()).unwrap();
    let error = TcpConnector::default().connect(acceptor.local(), Some(Duration::ZERO));
    assert_eq!(error.unwrap_err().kind(), ErrorKind::TimedOut);
}

#[test]
fn options_hold_at_both_ends() {
    let options = StreamOptions {
        no_delay: true,
        keep_alive: Some(Duration::from_secs(77)),
        user_timeout: Some(Duration::from_millis(4321)),
        congestion: Some("reno".into()),
        linger: Some(Duration::from_secs(3)),
        dscp: Some(CodePoint::EXPEDITED),
        priority: Some(5),
        ..StreamOptions::default()
    };
    let acceptor = TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &options).unwrap();
    let client = TcpConnector::new(options).connect(acceptor.local(), Some(LONG)).unwrap();
    let server = acceptor.accept().unwrap().unwrap();
    for stream in [client, server] {
        assert!(sockopt::tcp_nodelay(&stream).unwrap());
        assert!(sockopt::socket_keepalive(&stream).unwrap());
        assert_eq!(sockopt::tcp_keepidle(&stream).unwrap(), Duration::from_secs(77));
        assert_eq!(sockopt::tcp_user_timeout(&stream).unwrap(), 4321);
        assert_eq!(sockopt::tcp_congestion(&stream).unwrap(), "reno");
        assert_eq!(sockopt::socket_linger(&stream).unwrap(), Some(Duration::from_secs(3)));
        assert_eq!(sockopt::ip_tos(&stream).unwrap(), 46 << 2);
        assert_eq!(stream.option::<Priority>().unwrap(), Priority(5));
        assert_eq!(sockopt::socket_timeout(&stream, sockopt::Timeout::Send).unwrap(), None);
    }
}

#[test]
fn every_option_can_be_read_back_as_it_was_set() {
    fn holds<O: AppliesTo<TcpStream> + Clone + PartialEq>(stream: &TcpStream, option: O) {
        stream.set_option(option.clone()).unwrap();
        assert_eq!(stream.option::<O>().unwrap(), option);
    }
    for host in ["127.0.0.1", "::1"] {
        let Ok(acceptor) = TcpAcceptor::bind(&Address::tcp(host, 0), &StreamOptions::default())
        else {
            continue; // no IPv6 here
        };
        let stream = TcpConnector::default().connect(acceptor.local(), Some(LONG)).unwrap();
        for on in [false, true] {
            holds(&stream, NoDelay(on));
        }
        for time in [Some(Duration::from_secs(9)), None] {
            holds(&stream, KeepAlive(time));
            holds(&stream, UserTimeout(time));
            holds(&stream, Linger(time));
        }
        holds(&stream, ProbeInterval(Duration::from_secs(4)));
        holds(&stream, ProbeCount(5));
        assert!(stream.set_option(ProbeCount(0)).is_err());
        holds(&stream, Congestion("reno".into()));
        holds(&stream, Dscp(CodePoint::new(10).unwrap()));
        holds(&stream, Dscp(CodePoint::BEST_EFFORT));
        holds(&stream, Priority(3));
        let poll = stream.option::<BusyPoll>().unwrap();
        holds(&stream, poll); // more than the system's needs a privilege
    }
    assert_eq!(CodePoint::new(64), None);
}

#[test]
fn an_unknown_congestion_control_is_named() {
    let options = StreamOptions { congestion: Some("psychic".into()), ..Default::default() };
    let error = TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &options).unwrap_err();
    assert!(error.to_string().contains("psychic"), "{error}");
}
