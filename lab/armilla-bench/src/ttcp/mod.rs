//! The network tester between two machines, like the classic ttcp: one side transmits, the other
//! receives, and both report the throughput and the bottleneck.
//!
//! Over TCP and Unix-domain sockets only the data is sent, so that either side may be another tool.
//! When the transmitter has shut down its side, our receiver answers with one line, its report.
//! Over UDP each datagram begins with its number in eight octets, big-endian. The last datagram has
//! the number 2⁶⁴ − 1, followed by the number of datagrams; the receiver answers it with its
//! report.

mod datagrams;
mod limits;
mod path;
mod rates;
mod stop;
mod streams;
mod summary;

pub use stop::Stop;
pub use summary::Summary;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The protocol of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protocol {
    /// A TCP connection.
    Tcp,
    /// UDP datagrams.
    Udp,
    /// A Unix-domain socket with this path.
    Unix(PathBuf),
}

impl Protocol {
    /// Whether it is a Unix-domain socket.
    pub const fn is_unix(&self) -> bool {
        matches!(self, Self::Unix(_))
    }
}

/// The parameters of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Tester {
    /// The protocol.
    pub protocol: Protocol,
    /// The port of the receiver.
    pub port: u16,
    /// The octets in a system call or datagram: 1 to 16 Mi, over UDP 16 to 65,507.
    pub length: usize,
    /// The number of calls or datagrams to send.
    pub count: u64,
    /// The time of transmission; `None` sends `count`.
    pub duration: Option<Duration>,
    /// The size of both socket queues in octets; `None` for the system's.
    pub queue: Option<usize>,
    /// The maximum rate in bit/s.
    pub rate: Option<f64>,
    /// The congestion control of TCP by name; `None` for the system's.
    pub congestion: Option<String>,
}

impl Tester {
    /// Transmits to the receiver at `host`, until everything is sent or `stop` is requested.
    ///
    /// # Errors
    /// The receiver cannot be reached, or ends.
    pub fn transmit(&self, host: &str, stop: &Stop) -> io::Result<Summary> {
        // Accept an IPv6 address in brackets, as in a URL.
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let host = bare.unwrap_or(host);
        match self.protocol {
            Protocol::Udp => datagrams::transmit(self, host, stop),
            Protocol::Tcp | Protocol::Unix(_) => streams::transmit(self, host, stop),
        }
    }

    /// Receives from one transmitter, until it has sent everything or `stop` is requested. First
    /// calls `listening` with the address.
    ///
    /// # Errors
    /// The address is in use, or the connection breaks; [`Interrupted`](io::ErrorKind::Interrupted)
    /// if stopped before a transmitter connects.
    pub fn receive(&self, stop: &Stop, listening: impl FnOnce(&str)) -> io::Result<Summary> {
        match self.protocol {
            Protocol::Udp => datagrams::receive(self, stop, listening),
            Protocol::Tcp | Protocol::Unix(_) => streams::receive(self, stop, listening),
        }
    }

    /// Whether to send another piece.
    fn goes_on(&self, sent: u64, started: Instant, stop: &Stop) -> bool {
        let due = match self.duration {
            Some(duration) => started.elapsed() < duration,
            None => sent < self.count,
        };
        due && !stop.is_requested()
    }

    /// The time that `octets` take at the requested rate; zero without one.
    pub fn due(&self, octets: u64) -> Duration {
        let Some(rate) = self.rate else { return Duration::ZERO };
        Duration::try_from_secs_f64(octets as f64 * 8.0 / rate).unwrap_or(Duration::MAX)
    }

    /// Waits until the rate allows that `octets` have been sent, or the test is over.
    fn pace(&self, octets: u64, started: Instant, stop: &Stop) {
        let elapsed = started.elapsed();
        let ahead = self.due(octets).saturating_sub(elapsed);
        // A later wait makes up for shorter times, because sleeping is not precise enough.
        if ahead > Duration::from_millis(1) {
            let left = self.duration.map_or(ahead, |duration| duration.saturating_sub(elapsed));
            stop.sleep(ahead.min(left));
        }
    }
}

/// Whether an error is a timeout.
fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

/// The processor time of the process, and the time that this thread waited for a processor.
#[derive(Debug, Clone, Copy)]
struct Processor {
    used: Duration,
    waited: Duration,
}

impl Processor {
    fn now() -> Self {
        let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        // The scheduler's statistics of this thread: time running, time waiting.
        let scheduled = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let waited = scheduled.split_whitespace().nth(1).and_then(|nanos| nanos.parse().ok());
        Self {
            used: Duration::try_from(used).unwrap_or_default(),
            waited: Duration::from_nanos(waited.unwrap_or(0)),
        }
    }

    /// The difference to `earlier`.
    fn since(self, earlier: Self) -> Self {
        Self {
            used: self.used.saturating_sub(earlier.used),
            waited: self.waited.saturating_sub(earlier.waited),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    fn tester(protocol: Protocol) -> Tester {
        let (length, count) = (1000, 500);
        let (duration, queue, rate, congestion) = (None, None, None, None);
        Tester { protocol, port: 0, length, count, duration, queue, rate, congestion }
    }

    /// Both sides in one process.
    fn run(tester: Tester) -> (Summary, Summary) {
        run_until(&Stop::default(), tester)
    }

    /// The same, of which the transmitter may be stopped.
    fn run_until(stop: &Stop, mut tester: Tester) -> (Summary, Summary) {
        let (sender, place) = mpsc::channel();
        let receiver = tester.clone();
        let receiving = thread::spawn(move || {
            receiver
                .receive(&Stop::default(), |place| sender.send(place.to_owned()).unwrap())
                .unwrap()
        });
        let place = place.recv().unwrap();
        if let Some((_, port)) = place.rsplit_once(':') {
            tester.port = port.parse().unwrap_or_default();
        }
        let transmitted = tester.transmit("127.0.0.1", stop).unwrap();
        (transmitted, receiving.join().unwrap())
    }

    #[test]
    fn a_test_that_is_stopped_ends_as_any_other() {
        for protocol in [Protocol::Tcp, Protocol::Udp] {
            let stop = Stop::default();
            let stopping = stop.clone();
            let asking = thread::spawn(move || {
                thread::sleep(Duration::from_millis(50));
                stopping.request();
            });
            let endless = Tester { count: u64::MAX, rate: Some(1e6), ..tester(protocol) };
            let (transmitted, received) = run_until(&stop, endless);
            asking.join().unwrap();
            assert_eq!(transmitted.report.unwrap().octets, transmitted.octets);
            assert_eq!(transmitted.octets, received.octets);
        }
    }

    #[test]
    fn everything_that_is_sent_over_a_stream_arrives() {
        let path = std::env::temp_dir().join(format!("armilla-ttcp-{}", std::process::id()));
        for protocol in [Protocol::Tcp, Protocol::Unix(path)] {
            let (transmitted, received) = run(tester(protocol));
            assert_eq!((transmitted.octets, received.octets), (500_000, 500_000));
            assert_eq!(transmitted.report.unwrap().octets, 500_000);
            assert!(!transmitted.to_string().contains("NaN"));
        }
    }

    #[test]
    fn datagrams_are_counted_on_both_sides() {
        // Slowly enough for any machine, so that none is lost on the way.
        let slow = Tester { rate: Some(40e6), count: 100, ..tester(Protocol::Udp) };
        let (transmitted, received) = run(slow);
        assert_eq!(transmitted.octets, 100_000);
        let counted = received.datagrams.unwrap();
        assert_eq!(counted.sent, 100);
        assert!(counted.received <= 100 && counted.received > 0);
    }

    #[test]
    fn a_test_of_some_time_ends_then_whatever_the_rate() {
        // The second kilobyte would be due after a minute and a half.
        let duration = Some(Duration::from_millis(50));
        let slow = Tester { rate: Some(100.0), duration, ..tester(Protocol::Tcp) };
        assert_eq!(slow.due(1000), Duration::from_secs(80));
        let (transmitted, received) = run(slow);
        assert_eq!((transmitted.octets, received.octets), (1000, 1000));
        assert!(transmitted.elapsed < Duration::from_secs(80), "{transmitted}");
    }

    #[test]
    fn a_rate_is_not_exceeded_at_the_end_of_the_time_either() {
        let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let (rate, duration) = (Some(8e6), Some(Duration::from_millis(40)));
        let tester = Tester { port, rate, duration, length: 100, ..tester(Protocol::Udp) };
        let transmitted = tester.transmit("127.0.0.1", &Stop::default()).unwrap();
        // A megabyte a second; what is sent up to a millisecond early is made up for by the next
        // pause.
        let most = (transmitted.elapsed + Duration::from_millis(1)).as_micros() as u64 + 100;
        assert!(transmitted.octets <= most, "{transmitted}");
    }

    #[test]
    fn the_error_for_a_closed_receiver_includes_the_octets_sent() {
        let versions = ["[::1]", "127.0.0.1"].into_iter();
        let mut bound = versions.filter_map(|host| {
            Some((host, std::net::TcpListener::bind(format!("{host}:0")).ok()?))
        });
        let (host, listener) = bound.next().unwrap();
        let port = listener.local_addr().unwrap().port();
        let gone = thread::spawn(move || drop(listener.accept().unwrap()));
        let tester = Tester { port, count: u64::MAX, ..tester(Protocol::Tcp) };
        let error = tester.transmit(host, &Stop::default()).unwrap_err();
        gone.join().unwrap();
        assert!(
            error.to_string().starts_with("the receiver closed the connection after "),
            "{error}"
        );
    }

    #[test]
    fn datagrams_without_a_receiver_are_refused_or_dropped() {
        let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let silent = Tester { port, count: 3, ..tester(Protocol::Udp) };
        let summary = silent.transmit("127.0.0.1", &Stop::default()).unwrap();
        assert!(
            summary.report.is_none() && summary.limits[0].contains("did not answer"),
            "{summary}"
        );
        drop(taken);
        // The kernel tells of the first with a later one.
        let rest = Tester { rate: Some(8e6), count: 1000, ..silent };
        let error = rest.transmit("127.0.0.1", &Stop::default()).unwrap_err();
        assert!(error.to_string().contains("no receiver at the address"), "{error}");
    }

    #[test]
    fn a_rate_is_not_exceeded() {
        let (transmitted, _) = run(Tester { rate: Some(20e6), ..tester(Protocol::Tcp) });
        // Four million bits take a fifth of a second.
        assert!(transmitted.elapsed >= Duration::from_millis(190), "{transmitted}");
        // A loaded machine may be slower than the rate; something else limits the transfer then.
        if transmitted.elapsed < Duration::from_millis(205) {
            assert!(transmitted.limits[0].contains("rate"), "{transmitted}");
        }
    }
}
