//! The lines of a simulated link: how long octets take on the wire, and whether they did.

use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// The delay of a link in one direction, unless the plan has another: two adapters and a switch.
pub(crate) const DELAY: Duration = Duration::from_micros(20);

/// The line between two machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Line {
    /// Ethernet of 10 Mbit/s.
    Ethernet10,
    /// Ethernet of 100 Mbit/s.
    Ethernet100,
    /// ATM of 155 Mbit/s with packets of up to 9,180 octets.
    Atm155,
    /// Ethernet of 1,000 Mbit/s.
    Ethernet1000,
}

/// What Ethernet adds to an IP packet: preamble, header, checksum and the gap between frames.
const FRAMING: u64 = 8 + 14 + 4 + 12;

/// The shortest IP packet in a frame; shorter ones are padded.
const SHORTEST: u64 = 46;

/// What AAL5 and LLC/SNAP add to an IP packet before it is cut into cells.
const ADAPTATION: u64 = 8 + 8;

/// The octets of a cell, and of the payload in it.
const CELL: (u64, u64) = (53, 48);

impl Line {
    /// All lines.
    pub const ALL: [Self; 4] =
        [Self::Ethernet10, Self::Ethernet100, Self::Atm155, Self::Ethernet1000];

    /// The rate in bits per second.
    pub const fn rate(self) -> u64 {
        match self {
            Self::Ethernet10 => 10_000_000,
            Self::Ethernet100 => 100_000_000,
            Self::Atm155 => 155_000_000,
            Self::Ethernet1000 => 1_000_000_000,
        }
    }

    /// The largest IP packet, in octets.
    pub const fn mtu(self) -> usize {
        match self {
            Self::Atm155 => 9180,
            _ => 1500,
        }
    }

    /// The octets on the wire for an IP packet of `packet` octets.
    pub(crate) const fn octets(self, packet: usize) -> u64 {
        let packet = packet as u64;
        match self {
            Self::Atm155 => (packet + ADAPTATION).div_ceil(CELL.1) * CELL.0,
            _ if packet < SHORTEST => SHORTEST + FRAMING,
            _ => packet + FRAMING,
        }
    }

    /// How long the wire is busy with an IP packet of `packet` octets.
    pub(crate) const fn time(self, packet: usize) -> Duration {
        Duration::from_nanos(self.octets(packet) * 8 * 1_000_000_000 / self.rate())
    }
}

/// What a datagram adds to its data: the headers of UDP and IP.
const DATAGRAM: usize = 8 + 20;

/// How much longer a packet may take than its line: a share of the time, and what the system needs
/// to send a datagram, to forward it and to wake its receiver.
const SURPLUS: (f64, f64) = (0.1, 30.0);

/// A check of a link: packets that were sent together, and when the last one arrived.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkCheck {
    /// The transport over the link.
    pub transport: &'static str,
    /// The delay of the link in microseconds.
    pub delay: f64,
    /// The number of packets.
    pub packets: u32,
    /// The octets of user data in each.
    pub octets: u32,
    /// The time on the wire and the delay, in microseconds.
    pub computed: f64,
    /// The median of the measured times in microseconds, if there was an answer.
    pub measured: Option<f64>,
}

impl LinkCheck {
    /// A check with its result in nanoseconds.
    pub(crate) fn of(
        (transport, line): (&'static str, Line),
        delay: Duration,
        (packets, octets): (u32, u32),
        measured: Option<f64>,
    ) -> Self {
        let computed = line.time(octets as usize + DATAGRAM) * packets + delay;
        let micros = |time: Duration| time.as_nanos() as f64 / 1000.0;
        let (delay, computed) = (micros(delay), micros(computed));
        let measured = measured.map(|nanos| nanos / 1000.0);
        Self { transport, delay, packets, octets, computed, measured }
    }

    /// Whether the packets took their time on the wire, and not much more.
    pub fn is_met(&self) -> bool {
        let most = self.computed * (1.0 + SURPLUS.0) + SURPLUS.1;
        self.measured.is_some_and(|measured| (self.computed..=most).contains(&measured))
    }
}

impl fmt::Display for LinkCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { transport, delay, packets, octets, computed, measured } = self;
        let verdict = if self.is_met() { "as computed" } else { "NOT AS COMPUTED" };
        write!(f, "{transport}, {packets} × {octets} octets one way: ")?;
        match measured {
            Some(measured) => write!(f, "{measured:.1} µs")?,
            None => f.write_str("no answer")?,
        }
        write!(f, ", {computed:.1} µs by the line (delay {delay:.0} µs): {verdict}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_met_only_by_the_time_of_the_line() {
        let line = ("tcp-100mbit", Line::Ethernet100);
        let check = |nanos| {
            LinkCheck::of(line, Duration::from_micros(20), (16, 1472), Some(nanos)).is_met()
        };
        let time = 16.0 * 123_040.0 + 20_000.0;
        assert!(check(time) && check(time * 1.05));
        // A bucket that lets a burst through, and a line that is too slow.
        assert!(!check(time * 0.99) && !check(time * 1.2));
        let line = LinkCheck::of(line, Duration::ZERO, (1, 64), None);
        assert!(!line.is_met() && line.to_string().contains("no answer"), "{line}");
    }

    #[test]
    fn a_packet_takes_its_octets_and_its_framing() {
        // The shortest frame and the longest one, as they are computed for Ethernet.
        assert_eq!(Line::Ethernet10.time(40), Duration::from_nanos(67_200));
        assert_eq!(Line::Ethernet100.time(1500), Duration::from_nanos(123_040));
        assert_eq!(Line::Ethernet1000.time(1500), Duration::from_nanos(12_304));
        // One cell holds 32 octets of a packet behind 16 of adaptation.
        assert_eq!([32, 33].map(|packet| Line::Atm155.octets(packet)), [53, 106]);
    }
}
