//! The kernel's statistics of a TCP connection (`TCP_INFO`): round-trip times, window, and what
//! limits the throughput.

use super::TcpStream;
use crate::sys;
use rustix::fd::AsFd;
use std::io;
use std::time::Duration;

/// A connection as the kernel sees it (`TCP_INFO`). What an older kernel does not tell is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// The largest segment that is sent, in octets.
    pub segment: u32,
    /// The smoothed round-trip time.
    pub round_trip: Duration,
    /// The least round-trip time there was.
    pub least_round_trip: Duration,
    /// How many segments may be under way: the congestion window.
    pub congestion_window: u32,
    /// How many octets the peer takes: its receive window.
    pub peer_window: u32,
    /// How many octets were sent, those that were sent again included.
    pub sent: u64,
    /// How many of them were sent again.
    pub sent_again: u64,
    /// How many segments were sent again.
    pub segments_again: u32,
    /// For how long there was something to send.
    pub busy: Duration,
    /// For how long of that the peer's receive window held it up.
    pub window_limited: Duration,
    /// For how long of that the send queue held it up.
    pub queue_limited: Duration,
    /// How fast it went lately, in octets a second.
    pub delivery_rate: u64,
    /// How many octets in the send queue were not sent yet.
    pub unsent: u32,
}

impl TcpStream {
    /// What the kernel knows of this connection.
    ///
    /// ```no_run
    /// # fn example(stream: &armilla_ipc::TcpStream) -> std::io::Result<()> {
    /// println!("round trip {:?}", stream.info()?.round_trip);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known for a TCP socket.
    pub fn info(&self) -> io::Result<TcpInfo> {
        // As large as the structure of any kernel so far; a shorter one leaves zeros behind it.
        let mut octets = [0; 256];
        sys::tcp_info(self.as_fd(), &mut octets)?;
        Ok(TcpInfo::from_octets(&octets))
    }
}

impl TcpInfo {
    /// Takes the numbers from their offsets in the kernel's `struct tcp_info`, to which new ones
    /// are only ever added behind.
    fn from_octets(octets: &[u8; 256]) -> Self {
        // All offsets are constants within the array.
        let long =
            |at: usize| u32::from_ne_bytes(octets[at..at + 4].try_into().unwrap_or_default());
        let wide =
            |at: usize| u64::from_ne_bytes(octets[at..at + 8].try_into().unwrap_or_default());
        let short_time = |at| Duration::from_micros(long(at).into());
        let time = |at| Duration::from_micros(wide(at));
        // A round trip that was never measured.
        let least = if long(148) == u32::MAX { Duration::ZERO } else { short_time(148) };
        Self {
            segment: long(16),
            round_trip: short_time(68),
            least_round_trip: least,
            congestion_window: long(80),
            peer_window: long(228),
            sent: wide(200),
            sent_again: wide(208),
            segments_again: long(100),
            busy: time(168),
            window_limited: time(176),
            queue_limited: time(184),
            delivery_rate: wide(160),
            unsent: long(144),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Address, Stream, StreamOptions, TcpAcceptor, TcpConnector};

    #[test]
    fn a_connection_tells_what_it_has_sent() {
        let options = StreamOptions::default();
        let acceptor = TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &options).unwrap();
        let stream = TcpConnector::new(options).connect(acceptor.local(), None).unwrap();
        let peer = acceptor.accept().unwrap().unwrap();
        stream.send_all(&[7; 10_000]).unwrap();
        peer.recv_all(&mut [0; 10_000]).unwrap();
        let info = stream.info().unwrap();
        assert!(info.segment >= 536 && info.congestion_window > 0, "{info:?}");
        // Since Linux 4.19; before that it is zero.
        assert!(info.sent == 0 || info.sent >= 10_000, "{info:?}");
    }
}
