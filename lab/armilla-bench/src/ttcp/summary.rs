//! The summary of one side, and its text.

use super::rates::{Division, share, speed};
use armilla_ipc::tcp::TcpInfo;
use std::fmt;
use std::time::Duration;

/// The results of one side.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Whether this side transmitted.
    pub transmitted: bool,
    /// The octets that it sent or received.
    pub octets: u64,
    /// The time until the receiver confirmed, or its last octet arrived.
    pub elapsed: Duration,
    /// The number of system calls that sent or received.
    pub calls: u64,
    /// The processor time of this side.
    pub processor: Duration,
    /// The time that this side was ready to run while other work had the processor.
    pub waited: Duration,
    /// Whether the other side is on this machine.
    pub same_host: bool,
    /// The report of the receiver, at the transmitter.
    pub report: Option<ReceiverReport>,
    /// The kernel's statistics of the connection.
    pub tcp: Option<TcpInfo>,
    /// The datagram counts, at a receiver over UDP.
    pub datagrams: Option<Datagrams>,
    /// The bottlenecks, the most important first.
    pub limits: Vec<String>,
}

/// The results of the receiver, as it reports them to the transmitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiverReport {
    /// The octets received.
    pub octets: u64,
    /// The time from the first octet to the last.
    pub elapsed: Duration,
    /// The processor time of the receiver.
    pub processor: Duration,
    /// The time that the receiver was ready to run while other work had the processor.
    pub waited: Duration,
    /// The number of system calls that received.
    pub calls: u64,
    /// The number of datagrams that the receiver's queue dropped.
    pub dropped: u64,
}

/// Datagram counts of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagrams {
    /// Datagrams sent; a lower bound if the end of the test was lost.
    pub sent: u64,
    /// Datagrams received.
    pub received: u64,
    /// Datagrams that arrived after one that was sent later.
    pub late: u64,
    /// Datagrams that the receiver's queue dropped.
    pub dropped: u64,
    /// Datagrams of other senders, which were ignored.
    pub strangers: u64,
    /// Whether the end of the test arrived, which carries the number sent.
    pub ended: bool,
}

impl Datagrams {
    fn print(&self, side: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sent, received, late, dropped, strangers, ended } = self;
        let lost = sent.saturating_sub(*received);
        writeln!(
            f,
            "{side}: {received} of {sent} datagrams received, {lost} lost ({:.2} %), {late} out of \
             order; the receiver's queue dropped {dropped}",
            lost as f64 * 100.0 / (*sent).max(1) as f64
        )?;
        if !ended {
            writeln!(f, "{side}: the end of the test was lost; more datagrams may have been sent")?;
        }
        if *strangers > 0 {
            writeln!(f, "{side}: {strangers} datagrams of other senders ignored")?;
        }
        Ok(())
    }
}

impl Summary {
    fn print_tcp(&self, tcp: &TcpInfo, side: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{side}: round trip {:.3} ms (minimum {:.3}), segments of {} octets, congestion \
             window {} segments, receiver's window {} octets, {} segments retransmitted ({:.3} % of \
             the octets)",
            tcp.round_trip.as_secs_f64() * 1e3,
            tcp.least_round_trip.as_secs_f64() * 1e3,
            tcp.segment,
            tcp.congestion_window,
            tcp.peer_window,
            tcp.segments_again,
            tcp.sent_again as f64 * 100.0 / tcp.sent.max(1) as f64
        )?;
        let Division { idle, window, queue, path } = Division::of(self.elapsed, tcp);
        writeln!(
            f,
            "{side}: nothing to send for {idle:.0} % of the time; limited by the receiver's window \
             for {window:.0} %, by the send queue for {queue:.0} %, by the path for {path:.0} %"
        )
    }
}

/// The beginning of a report line.
const PREFIX: &str = "armilla-ttcp";

impl ReceiverReport {
    /// The report as a line.
    pub(super) fn line(&self) -> String {
        let Self { octets, elapsed, processor, waited, calls, dropped } = self;
        let [elapsed, processor, waited] = [elapsed, processor, waited].map(Duration::as_nanos);
        format!("{PREFIX} {octets} {elapsed} {processor} {waited} {calls} {dropped}\n")
    }

    /// Parses a report line; `None` if it is not one.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let numbers = line.trim_end().strip_prefix(PREFIX)?;
        let numbers: Option<Vec<u64>> =
            numbers.split_whitespace().map(|number| number.parse().ok()).collect();
        let [octets, elapsed, processor, waited, calls, dropped] = numbers?[..] else {
            return None;
        };
        let [elapsed, processor, waited] = [elapsed, processor, waited].map(Duration::from_nanos);
        Some(Self { octets, elapsed, processor, waited, calls, dropped })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (side, did) =
            if self.transmitted { ("ttcp-t", "sent") } else { ("ttcp-r", "received") };
        let Self { octets, elapsed, calls, processor, .. } = self;
        writeln!(
            f,
            "{side}: {octets} octets {did} in {:.3} s = {:.2} Mbit/s, {calls} calls, {:.2} us per \
             call, processor {:.0} %",
            elapsed.as_secs_f64(),
            speed(*octets, *elapsed),
            elapsed.as_secs_f64() * 1e6 / (*calls).max(1) as f64,
            share(*processor, *elapsed)
        )?;
        if self.transmitted && self.report.is_none() {
            writeln!(f, "{side}: no report from the receiver: it has ended, or is another tool")?;
        }
        if let Some(report) = self.report {
            writeln!(
                f,
                "{side}: the receiver had {} octets in {:.3} s = {:.2} Mbit/s, {} calls, processor \
                 {:.0} %",
                report.octets,
                report.elapsed.as_secs_f64(),
                speed(report.octets, report.elapsed),
                report.calls,
                share(report.processor, report.elapsed)
            )?;
        }
        if let Some(datagrams) = self.datagrams {
            datagrams.print(side, f)?;
        }
        if let Some(tcp) = self.tcp.filter(|_| self.transmitted) {
            self.print_tcp(&tcp, side, f)?;
        }
        for limit in &self.limits {
            writeln!(f, "{side}: limited by {limit}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let (elapsed, processor) = (Duration::from_millis(30), Duration::from_micros(7));
        let waited = Duration::from_nanos(3);
        let report =
            ReceiverReport { octets: 1 << 40, elapsed, processor, waited, calls: 9, dropped: 2 };
        assert_eq!(ReceiverReport::parse(report.line().as_bytes()), Some(report));
        for other in ["", "armilla-ttcp", "armilla-ttcp 1 2 3 4 5", "hello 1 2 3 4 5 6"] {
            assert_eq!(ReceiverReport::parse(other.as_bytes()), None, "{other}");
        }
    }
}
