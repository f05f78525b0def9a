//! Tests over TCP and Unix sockets.

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

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How long a transmitter waits when nothing more leaves, for a receiver that takes nothing or does not
/// answer; and after which silence either side asks whether the other is still there.
const SILENCE: Duration = Duration::from_secs(30);

/// How often, and how many times, a receiver asks that until it takes the transmitter for gone.
const PROBES: (Duration, u32) = (Duration::from_secs(10), 3);

/// The longest answer.
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
            // Where there is no IPv6, IPv4 alone.
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

/// The one transmitter. Who asks to stop ends the waiting, and then the connection.
fn accept<A: Acceptor + 'static, S: Stream + 'static>(
    acceptor: A,
    accept: impl FnOnce(&A) -> io::Result<Option<S>>,
    stop: &Stop,
) -> io::Result<Arc<S>> {
    let acceptor = Arc::new(acceptor);
    let waiting = acceptor.clone();
    stop.on_request(move || waiting.close());
    let Some(stream) = accept(&acceptor)?.map(Arc::new) else {
        // Waits for who asked, who has yet to take the socket file away.
        stop.on_request(|| ());
        return Err(stopped());
    };
    // A second transmitter shall be refused rather than wait.
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
        keep_alive: Some(SILENCE),
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
    stream.set_send_timeout(Some(SILENCE))?;
    while tester.goes_on(pieces, started, stop) {
        push(stream, tcp, &piece).map_err(|error| {
            let sent = pieces * piece.len() as u64 + error.sent as u64;
            let what = match is_late(&error.source) {
                true => format!("nothing arrives any more after {sent} octets, for {SILENCE:?}"),
                false => format!("the receiver went away after {sent} octets: {}", error.source),
            };
            io::Error::new(error.source.kind(), what)
        })?;
        pieces += 1;
        tester.pace(pieces * piece.len() as u64, started, stop);
    }
    let processor = Processor::now().since(before);
    // What waits now would be gone when everything has been confirmed.
    let unsent = tcp.map(TcpStream::info).transpose()?.map_or(0, |tcp| tcp.unsent);
    stream.shutdown(Shutdown::Write)?;
    let sent = started.elapsed();
    let report = answer(stream, tcp)?;
    let left = waiting(tcp);
    if report.is_none() && left > 0 {
        let what =
            format!("nothing arrives any more, for {SILENCE:?}: {left} octets have never left");
        return Err(io::Error::new(io::ErrorKind::TimedOut, what));
    }
    let mut summary = Summary {
        transmitted: true,
        octets: pieces * piece.len() as u64,
        // Other tools just end the connection.
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

/// Sends a piece, however long that takes as long as anything of it, or of what is under way, arrives.
fn push(stream: &dyn Stream, tcp: Option<&TcpStream>, piece: &[u8]) -> Result<(), SendError> {
    let (mut sent, mut before) = (0, None);
    loop {
        // All octets are the same: what has left decides how many are left.
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

/// How many octets wait to leave for the first time: as long as that changes what has left arrives. What is
/// sent again and again where there is no path changes nothing.
fn waiting(tcp: Option<&TcpStream>) -> u32 {
    tcp.and_then(|tcp| tcp.info().ok()).map_or(0, |tcp| tcp.unsent)
}

/// Whether both ends have the same host.
fn is_near(stream: &TcpStream) -> bool {
    let host = |address: &Address| match address {
        Address::Tcp { host, .. } => Some(host.clone()),
        _ => None,
    };
    host(stream.local()) == host(stream.peer())
}

/// The receiver's line, if it is one of ours. Over a slow path that may take as long as what waits here.
fn answer(stream: &dyn Stream, tcp: Option<&TcpStream>) -> io::Result<Option<ReceiverReport>> {
    stream.set_recv_timeout(Some(SILENCE))?;
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
                let what = format!("the transmitter went away after {octets} octets: {error}");
                return Err(io::Error::new(error.kind(), what));
            }
            received => received.unwrap_or(0),
        };
        // The time begins with the first octets.
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
    // Other tools have gone by now.
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
