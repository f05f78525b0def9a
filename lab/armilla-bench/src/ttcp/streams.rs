//! Tests over TCP and Unix-domain sockets.

use super::stop::{Stop, stopped};
use super::summary::{ReceiverReport, Summary};
use super::{Processor, Protocol, Tester, is_late, limits};
use armilla_ipc::option::{Options, ProbeCount, ProbeInterval};
use armilla_ipc::tcp::TcpInfo;
use armilla_ipc::{
    Acceptor, Address, SendError, Stream, StreamOptions, TcpAcceptor, TcpConnector, TcpStream,
    UnixAcceptor, UnixConnector,
};
use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time limit of connecting.
const CONNECT: Duration = Duration::from_secs(10);

/// How long a transmitter waits without progress, and the idle time before keep-alive probes.
const IDLE_LIMIT: Duration = Duration::from_secs(30);

/// The interval and number of keep-alive probes before a receiver gives the transmitter up.
const PROBES: (Duration, u32) = (Duration::from_secs(10), 3);

/// The maximum length of a report.
const LINE: usize = 256;

pub(super) fn transmit(tester: &Tester, host: &str, stop: &Stop) -> io::Result<Summary> {
    match &tester.protocol {
        Protocol::Unix(path) => {
            let connector = UnixConnector::new(options(tester));
            let stream = connector.connect(&Address::unix(path), Some(CONNECT))?;
            send(tester, &stream, None, stop)
        }
        Protocol::Tcp | Protocol::Udp => {
            let connector = TcpConnector::new(options(tester));
            let stream = connector.connect(&Address::tcp(host, tester.port), Some(CONNECT))?;
            send(tester, &stream, Some(&stream), stop)
        }
    }
}

pub(super) fn receive(
    tester: &Tester,
    stop: &Stop,
    listening: impl FnOnce(&str),
) -> io::Result<Summary> {
    match &tester.protocol {
        Protocol::Unix(path) => {
            let acceptor = UnixAcceptor::bind(&Address::unix(path), &options(tester))?;
            listening(&acceptor.local().to_string());
            let stream = accept(acceptor, UnixAcceptor::accept, stop)?;
            take(tester, &*stream, None, stop)
        }
        Protocol::Tcp | Protocol::Udp => {
            let bind = |host| TcpAcceptor::bind(&Address::tcp(host, tester.port), &options(tester));
            // Without IPv6, use IPv4 alone.
            let acceptor = bind("::").or_else(|error| match error.kind() {
                io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied => Err(error),
                _ => bind("0.0.0.0"),
            })?;
            listening(&acceptor.local().to_string());
            let stream = accept(acceptor, TcpAcceptor::accept, stop)?;
            let (interval, count) = PROBES;
            stream.set_option(ProbeInterval(interval))?;
            stream.set_option(ProbeCount(count))?;
            take(tester, &*stream, Some(&stream), stop)
        }
    }
}

/// Accepts one transmitter. A requested stop ends the waiting, later the connection.
fn accept<A: Acceptor + 'static, S: Stream + 'static>(
    acceptor: A,
    accept: impl FnOnce(&A) -> io::Result<Option<S>>,
    stop: &Stop,
) -> io::Result<Arc<S>> {
    let acceptor = Arc::new(acceptor);
    let waiting = acceptor.clone();
    stop.on_request(move || waiting.close());
    let Some(stream) = accept(&acceptor)?.map(Arc::new) else {
        // Wait for the stopping thread, which still has to remove the socket file.
        stop.on_request(|| ());
        return Err(stopped());
    };
    // Refuse further transmitters instead of letting them wait.
    acceptor.close();
    let receiving = stream.clone();
    stop.on_request(move || _ = receiving.shutdown(Shutdown::Both));
    Ok(stream)
}

fn options(tester: &Tester) -> StreamOptions {
    StreamOptions {
        send_buffer: tester.queue,
        recv_buffer: tester.queue,
        congestion: tester.congestion.clone(),
        keep_alive: Some(IDLE_LIMIT),
        ..StreamOptions::default()
    }
}

fn send(
    tester: &Tester,
    stream: &dyn Stream,
    tcp: Option<&TcpStream>,
    stop: &Stop,
) -> io::Result<Summary> {
    let piece = vec![b'x'; tester.length];
    let (started, before) = (Instant::now(), Processor::now());
    let mut pieces = 0;
    stream.set_send_timeout(Some(IDLE_LIMIT))?;
    while tester.goes_on(pieces, started, stop) {
        push(stream, tcp, &piece).map_err(|error| {
            let sent = pieces * piece.len() as u64 + error.sent as u64;
            let what = match is_late(&error.source) {
                true => format!("no progress for {IDLE_LIMIT:?} after {sent} octets"),
                false => format!(
                    "the receiver closed the connection after {sent} octets: {}",
                    error.source
                ),
            };
            io::Error::new(error.source.kind(), what)
        })?;
        pieces += 1;
        tester.pace(pieces * piece.len() as u64, started, stop);
    }
    let processor = Processor::now().since(before);
    // Read this now: after the acknowledgement nothing is unsent.
    let unsent = tcp.map(TcpStream::info).transpose()?.map_or(0, |tcp| tcp.unsent);
    stream.shutdown(Shutdown::Write)?;
    let sent = started.elapsed();
    let report = answer(stream, tcp)?;
    let left = waiting(tcp);
    if report.is_none() && left > 0 {
        let what = format!("no progress for {IDLE_LIMIT:?}: {left} octets were never sent");
        return Err(io::Error::new(io::ErrorKind::TimedOut, what));
    }
    let mut summary = Summary {
        transmitted: true,
        octets: pieces * piece.len() as u64,
        // Other tools close the connection without a report.
        elapsed: if report.is_some() { started.elapsed() } else { sent },
        calls: pieces,
        processor: processor.used,
        waited: processor.waited,
        same_host: tcp.is_none_or(is_near),
        report,
        tcp: tcp.map(TcpStream::info).transpose()?.map(|tcp| TcpInfo { unsent, ..tcp }),
        datagrams: None,
        limits: Vec::new(),
    };
    summary.limits = limits::of_transmitter(tester, &summary);
    Ok(summary)
}

/// Sends a piece. There is no time limit as long as data arrives.
fn push(stream: &dyn Stream, tcp: Option<&TcpStream>, piece: &[u8]) -> Result<(), SendError> {
    let (mut sent, mut before) = (0, None);
    loop {
        // All octets are equal, so only the number matters.
        let Err(error) = stream.send_all(piece.get(sent..).unwrap_or_default()) else {
            return Ok(());
        };
        sent += error.sent;
        let now = Some(waiting(tcp));
        if !is_late(&error.source) || (error.sent == 0 && now == before) {
            return Err(SendError { sent, ..error });
        }
        before = now;
    }
}

/// The number of octets not sent yet. It changes as long as data arrives; retransmissions do not
/// change it.
fn waiting(tcp: Option<&TcpStream>) -> u32 {
    tcp.and_then(|tcp| tcp.info().ok()).map_or(0, |tcp| tcp.unsent)
}

/// Whether both ends are on the same host.
fn is_near(stream: &TcpStream) -> bool {
    let host = |address: &Address| match address {
        Address::Tcp { host, .. } => Some(host.clone()),
        _ => None,
    };
    host(stream.local()) == host(stream.peer())
}

/// The receiver's report, if it is our tool. Over a slow path this waits until the queued data has
/// left.
fn answer(stream: &dyn Stream, tcp: Option<&TcpStream>) -> io::Result<Option<ReceiverReport>> {
    stream.set_recv_timeout(Some(IDLE_LIMIT))?;
    let mut line = [0; LINE];
    let (mut length, mut before) = (0, waiting(tcp));
    while length < LINE {
        let now = match stream.recv(&mut line[length..]) {
            Ok(0) => break,
            Ok(more) => {
                length += more;
                continue;
            }
            Err(_) => waiting(tcp),
        };
        if now == before {
            break;
        }
        before = now;
    }
    Ok(ReceiverReport::parse(&line[..length]))
}

fn take(
    tester: &Tester,
    stream: &dyn Stream,
    tcp: Option<&TcpStream>,
    stop: &Stop,
) -> io::Result<Summary> {
    let mut buffer = vec![0; tester.length];
    let (mut octets, mut calls) = (0_u64, 0_u64);
    let mut times = None;
    while !stop.is_requested() {
        let received = match stream.recv(&mut buffer) {
            Err(error) if !stop.is_requested() => {
                let what =
                    format!("the transmitter closed the connection after {octets} octets: {error}");
                return Err(io::Error::new(error.kind(), what));
            }
            received => received.unwrap_or(0),
        };
        // The time starts with the first octets.
        times.get_or_insert_with(|| (Instant::now(), Processor::now()));
        if received == 0 {
            break;
        }
        octets += received as u64;
        calls += 1;
    }
    let (started, before) = times.unwrap_or_else(|| (Instant::now(), Processor::now()));
    let (elapsed, processor) = (started.elapsed(), Processor::now().since(before));
    let Processor { used, waited } = processor;
    let report = ReceiverReport { octets, elapsed, processor: used, waited, calls, dropped: 0 };
    // Other tools have closed the connection by now.
    stream.send_all(report.line().as_bytes()).ok();
    let mut summary = Summary {
        transmitted: false,
        octets,
        elapsed,
        calls,
        processor: processor.used,
        waited: processor.waited,
        same_host: tcp.is_none_or(is_near),
        report: None,
        tcp: tcp.map(TcpStream::info).transpose()?,
        datagrams: None,
        limits: Vec::new(),
    };
    summary.limits = limits::of_receiver(&summary);
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_that_takes_nothing_is_given_up() {
        let path = std::env::temp_dir().join(format!("armilla-ttcp-stuck-{}", std::process::id()));
        let (address, options) = (Address::unix(path), StreamOptions::default());
        let acceptor = UnixAcceptor::bind(&address, &options).unwrap();
        let here = UnixConnector::new(options).connect(&address, Some(CONNECT)).unwrap();
        let _there = acceptor.accept().unwrap().unwrap();
        here.set_send_timeout(Some(Duration::from_millis(10))).unwrap();
        let piece = vec![b'x'; 16 << 20];
        let error = push(&here, None, &piece).unwrap_err();
        assert!(is_late(&error.source) && error.sent > 0 && error.sent < piece.len(), "{error}");
    }
}
