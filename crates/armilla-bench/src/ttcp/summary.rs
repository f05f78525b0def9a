//! What a side has measured, and how it is told.

use super::limits::Division;
use armilla_ipc::tcp::TcpInfo;
use std::fmt;
use std::time::Duration;

/// What one side measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Whether it transmitted.
    pub transmitted: bool,
    /// How many octets it moved.
    pub octets: u64,
    /// How long that took: until the receiver confirmed it, or its last octet had come.
    pub elapsed: Duration,
    /// How many system calls moved them.
    pub calls: u64,
    /// What it took of the processor.
    pub processor: Duration,
    /// For how long other work had the processor while it could have run.
    pub waited: Duration,
    /// Whether the other side is on this machine.
    pub same_host: bool,
    /// What the receiver told the transmitter.
    pub report: Option<ReceiverReport>,
    /// What the kernel knows of the connection.
    pub tcp: Option<TcpInfo>,
    /// What became of datagrams.
    pub datagrams: Option<Datagrams>,
    /// What did not let it go faster; the first is what weighs most.
    pub limits: Vec<String>,
}

/// What the other side measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiverReport {
    /// How many octets came.
    pub octets: u64,
    /// From the first of them to the last.
    pub elapsed: Duration,
    /// What it took of the processor.
    pub processor: Duration,
    /// For how long other work had the processor while it could have run.
    pub waited: Duration,
    /// How many system calls received them.
    pub calls: u64,
    /// How many datagrams the receiver's queue had no room for.
    pub dropped: u64,
}

/// What became of datagrams, as the receiver sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagrams {
    /// How many were sent; as far as is known, if the transmitter never told.
    pub sent: u64,
    /// How many came.
    pub received: u64,
    /// How many came behind one that was sent later.
    pub late: u64,
    /// How many the receiver's queue had no room for.
    pub dropped: u64,
    /// How many came from others than the transmitter, and were passed over.
    pub strangers: u64,
    /// Whether the transmitter has told how many there were.
    pub ended: bool,
}

impl Datagrams {
    fn tell(&self, side: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sent, received, late, dropped, strangers, ended } = self;
        let lost = sent.saturating_sub(*received);
        writeln!(
            f,
            "{side}: {received} of {sent} datagrams came, {lost} did not ({:.2} %), {late} came late; \
             the receiver's queue dropped {dropped}",
            lost as f64 * 100.0 / (*sent).max(1) as f64
        )?;
        if !ended {
            writeln!(f, "{side}: no end came: what was sent after the last of these is not known")?;
        }
        if *strangers > 0 {
            writeln!(f, "{side}: {strangers} datagrams of others were passed over")?;
        }
        Ok(())
    }
}

impl Summary {
    fn tell_tcp(&self, tcp: &TcpInfo, side: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{side}: round trip {:.3} ms (least {:.3}), segments of {} octets, window {} segments, \
             receiver's window {} octets, {} segments sent again ({:.3} % of the octets)",
            tcp.round_trip.as_secs_f64() * 1e3,
            tcp.least_round_trip.as_secs_f64() * 1e3,
            tcp.segment,
            tcp.congestion_window,
            tcp.peer_window,
            tcp.segments_again,
            tcp.sent_again as f64 * 100.0 / tcp.sent.max(1) as f64
        )?;
        let Division { idle, window, queue, path } = Division::of(self, tcp);
        writeln!(
            f,
            "{side}: of the time {idle:.0} % with nothing to send, {window:.0} % held up by the \
             receiver's window, {queue:.0} % by the send queue, {path:.0} % by the path"
        )
    }
}

/// How the line begins with which a receiver answers.
const MARK: &str = "armilla-ttcp";

impl ReceiverReport {
    /// The line with which a receiver answers.
    pub(super) fn line(&self) -> String {
        let Self { octets, elapsed, processor, waited, calls, dropped } = self;
        let [elapsed, processor, waited] = [elapsed, processor, waited].map(Duration::as_nanos);
        format!("{MARK} {octets} {elapsed} {processor} {waited} {calls} {dropped}\n")
    }

    /// What such a line says; `None` if it is none.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let numbers = line.trim_end().strip_prefix(MARK)?;
        let numbers: Option<Vec<u64>> =
            numbers.split_whitespace().map(|number| number.parse().ok()).collect();
        let [octets, elapsed, processor, waited, calls, dropped] = numbers?[..] else {
            return None;
        };
        let [elapsed, processor, waited] = [elapsed, processor, waited].map(Duration::from_nanos);
        Some(Self { octets, elapsed, processor, waited, calls, dropped })
    }
}

/// Mbit/s.
pub(super) fn speed(octets: u64, elapsed: Duration) -> f64 {
    octets as f64 * 8.0 / elapsed.as_secs_f64().max(1e-9) / 1e6
}

/// Which part of the time a processor was busy, in percent.
pub(super) fn share(processor: Duration, elapsed: Duration) -> f64 {
    processor.as_secs_f64() / elapsed.as_secs_f64().max(1e-9) * 100.0
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (side, did) =
            if self.transmitted { ("ttcp-t", "sent") } else { ("ttcp-r", "received") };
        let Self { octets, elapsed, calls, processor, .. } = self;
        writeln!(
            f,
            "{side}: {octets} octets {did} in {:.3} s = {:.2} Mbit/s, {calls} calls, {:.2} us a call, \
             processor {:.0} %",
            elapsed.as_secs_f64(),
            speed(*octets, *elapsed),
            elapsed.as_secs_f64() * 1e6 / (*calls).max(1) as f64,
            share(*processor, *elapsed)
        )?;
        if self.transmitted && self.report.is_none() {
            writeln!(
                f,
                "{side}: the receiver did not tell what came: it has gone, or is another's"
            )?;
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
            datagrams.tell(side, f)?;
        }
        if let Some(tcp) = self.tcp.filter(|_| self.transmitted) {
            self.tell_tcp(&tcp, side, f)?;
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
