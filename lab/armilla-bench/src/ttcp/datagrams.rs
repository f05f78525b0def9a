//! Tests over UDP.

use super::stop::{Stop, stopped};
use super::summary::{Datagrams, ReceiverReport, Summary};
use super::{Processor, Tester, is_late, limits};
use armilla_ipc::datagram::{ConnectedDatagram, Datagram, Received};
use armilla_ipc::option::{Options, RecvBuffer, SendBuffer};
use armilla_ipc::udp::UdpSocket;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::time::{Duration, Instant};

/// The number of the datagram that ends a test.
const END: u64 = u64::MAX;

/// The number and interval of end datagrams, until the receiver answers.
const END_REPEATS: usize = 20;
const END_INTERVAL: Duration = Duration::from_millis(100);

/// How long a receiver waits for a datagram before it ends the test.
const IDLE_LIMIT: Duration = Duration::from_secs(5);

/// How often an idle receiver checks for a stop.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How long a receiver answers further end datagrams, in case its report was lost.
const LINGER: Duration = Duration::from_millis(300);

pub(super) fn transmit(tester: &Tester, host: &str, stop: &Stop) -> io::Result<Summary> {
    let nowhere = || io::Error::other(format!("{host} has no address"));
    let peer = (host, tester.port).to_socket_addrs()?.next().ok_or_else(nowhere)?;
    let local: SocketAddr = match peer {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(local)?;
    if let Some(queue) = tester.queue {
        socket.set_option(SendBuffer(queue))?;
    }
    let socket = socket.connect(peer)?;
    let mut datagram = vec![b'x'; tester.length];
    let (started, before) = (Instant::now(), Processor::now());
    let (mut number, mut octets) = (0, 0);
    while tester.goes_on(number, started, stop) {
        put(&mut datagram, number);
        socket.send(&datagram).map_err(|error| refused(error, number))?;
        number += 1;
        octets += datagram.len() as u64;
        tester.pace(octets, started, stop);
    }
    let (elapsed, processor) = (started.elapsed(), Processor::now().since(before));
    let mut summary = Summary {
        transmitted: true,
        octets,
        elapsed,
        calls: number,
        processor: processor.used,
        waited: processor.waited,
        same_host: socket.local().is_ok_and(|local| local.ip() == peer.ip()),
        report: end(&socket, number)?,
        tcp: None,
        datagrams: None,
        limits: Vec::new(),
    };
    summary.limits = limits::of_transmitter(tester, &summary);
    Ok(summary)
}

/// The error of a send that reports the refusal of an earlier datagram.
fn refused(error: io::Error, sent: u64) -> io::Error {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            let what = format!("no receiver at the address after {sent} datagrams: {error}");
            io::Error::new(error.kind(), what)
        }
        _ => error,
    }
}

/// Sends the end datagram until the receiver reports.
fn end(
    socket: &dyn ConnectedDatagram<Addr = SocketAddr>,
    sent: u64,
) -> io::Result<Option<ReceiverReport>> {
    let mut datagram = [0; 16];
    put(&mut datagram, END);
    put(&mut datagram[8..], sent);
    socket.set_recv_timeout(Some(END_INTERVAL))?;
    let mut line = [0; 256];
    for _ in 0..END_REPEATS {
        socket.send(&datagram).map_err(|error| refused(error, sent))?;
        let received = socket.recv(&mut line).ok();
        let report =
            received.and_then(|received| ReceiverReport::parse(line.get(..received.length)?));
        if report.is_some() {
            return Ok(report);
        }
    }
    Ok(None)
}

/// The counts of a receiver.
#[derive(Default)]
struct Counted {
    octets: u64,
    received: u64,
    late: u64,
    strangers: u64,
    highest: Option<u64>,
    /// The number of datagrams sent, once known.
    sent: Option<u64>,
    /// The time of the last datagram.
    last: Option<Instant>,
}

/// The sender and the beginning of a test.
struct Origin {
    peer: SocketAddr,
    at: Instant,
    before: Processor,
}

impl Origin {
    fn with(peer: SocketAddr) -> Self {
        Self { peer, at: Instant::now(), before: Processor::now() }
    }
}

impl Counted {
    /// Counts a datagram other than the end.
    fn take(&mut self, number: u64, length: usize) {
        self.octets += length as u64;
        self.received += 1;
        self.last = Some(Instant::now());
        match self.highest {
            Some(highest) if number < highest => self.late += 1,
            _ => self.highest = Some(number),
        }
    }
}

pub(super) fn receive(
    tester: &Tester,
    stop: &Stop,
    listening: impl FnOnce(&str),
) -> io::Result<Summary> {
    let socket = listen(tester)?;
    let local = socket.local()?;
    listening(&format!("udp://{local}"));
    let (Origin { peer, at, before }, counted) = count(&socket, tester.length, stop)?;
    let processor = Processor::now().since(before);
    let dropped = dropped_at(local.port());
    let Counted { octets, received, late, strangers, highest, sent, last } = counted;
    let elapsed = last.map_or(Duration::ZERO, |last| last.saturating_duration_since(at));
    // The processor time includes that after the last datagram: limit it.
    let processor = Processor { used: processor.used.min(elapsed), ..processor };
    let Processor { used, waited } = processor;
    let report =
        ReceiverReport { octets, elapsed, processor: used, waited, calls: received, dropped };
    let ended = sent.is_some();
    if ended {
        answer(&socket, &peer, &report)?;
    }
    let sent = sent.unwrap_or_else(|| highest.map_or(0, |highest| highest.saturating_add(1)));
    let mut summary = Summary {
        transmitted: false,
        octets,
        elapsed,
        calls: received,
        processor: processor.used,
        waited: processor.waited,
        same_host: peer.ip().is_loopback(),
        report: None,
        tcp: None,
        datagrams: Some(Datagrams { sent, received, late, dropped, strangers, ended }),
        limits: Vec::new(),
    };
    summary.limits = limits::of_receiver(&summary);
    Ok(summary)
}

/// Counts the datagrams of the first sender, until the end.
fn count(socket: &UdpSocket, length: usize, stop: &Stop) -> io::Result<(Origin, Counted)> {
    let mut buffer = vec![0; length.max(65_536)];
    let mut counted = Counted::default();
    let mut started = None;
    while counted.sent.is_none() {
        let limit = started.as_ref().map_or(Duration::MAX, |_| IDLE_LIMIT);
        let Some((received, from)) = next(socket, &mut buffer, limit, stop)? else { break };
        let Some(number) = get(&buffer[..received.length]) else { continue };
        if started.get_or_insert_with(|| Origin::with(from)).peer != from {
            counted.strangers += 1;
        } else if number == END {
            counted.sent = get(&buffer[8..received.length.max(8)]).or(Some(counted.received));
        } else {
            counted.take(number, received.length);
        }
    }
    Ok((started.ok_or_else(stopped)?, counted))
}

/// The next datagram; `None` after `limit` without one, or if the test is stopped.
fn next(
    socket: &UdpSocket,
    buffer: &mut [u8],
    limit: Duration,
    stop: &Stop,
) -> io::Result<Option<(Received, SocketAddr)>> {
    let mut silence = Duration::ZERO;
    while silence < limit && !stop.is_requested() {
        match socket.recv_from(buffer) {
            Err(error) if is_late(&error) => silence += POLL_INTERVAL,
            came => return came.map(Some),
        }
    }
    Ok(None)
}

fn listen(tester: &Tester) -> io::Result<UdpSocket> {
    let anywhere = (Ipv6Addr::UNSPECIFIED, tester.port).into();
    // Without IPv6, use IPv4 alone.
    let socket = UdpSocket::bind(anywhere)
        .or_else(|_| UdpSocket::bind((Ipv4Addr::UNSPECIFIED, tester.port).into()))?;
    if let Some(queue) = tester.queue {
        socket.set_option(RecvBuffer(queue))?;
    }
    socket.set_recv_timeout(Some(POLL_INTERVAL))?;
    Ok(socket)
}

/// Answers the end datagram and its repetitions.
fn answer(socket: &UdpSocket, peer: &SocketAddr, report: &ReceiverReport) -> io::Result<()> {
    let line = report.line();
    socket.send_to(line.as_bytes(), peer)?;
    socket.set_recv_timeout(Some(LINGER))?;
    let mut datagram = [0; 16];
    for _ in 0..END_REPEATS {
        match socket.recv_from(&mut datagram) {
            Ok((_, from)) if from == *peer => socket.send_to(line.as_bytes(), peer)?,
            Ok(_) => {}
            Err(_) => break,
        }
    }
    Ok(())
}

/// Puts a number at the beginning, if there is room.
fn put(datagram: &mut [u8], number: u64) {
    if let Some(place) = datagram.first_chunk_mut() {
        *place = number.to_be_bytes();
    }
}

fn get(datagram: &[u8]) -> Option<u64> {
    datagram.first_chunk().map(|octets| u64::from_be_bytes(*octets))
}

/// The number of datagrams that the queue of this port has dropped: the last column of the kernel's
/// tables, in which ports are hexadecimal.
fn dropped_at(port: u16) -> u64 {
    let tables = ["/proc/net/udp", "/proc/net/udp6"].map(std::fs::read_to_string);
    let lines = tables.iter().flatten().flat_map(|table| table.lines());
    let dropped = lines.filter_map(|line| {
        let local = line.split_whitespace().nth(1)?;
        let (_, hexadecimal) = local.rsplit_once(':')?;
        let here = u16::from_str_radix(hexadecimal, 16) == Ok(port);
        line.split_whitespace().next_back().filter(|_| here)?.parse::<u64>().ok()
    });
    dropped.sum()
}
