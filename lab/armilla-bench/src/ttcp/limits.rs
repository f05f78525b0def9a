//! The bottleneck of a test, from the measurements of both sides and the kernel.
//!
//! The kernel divides the time of a TCP sender. While it is not *busy*, everything has been sent
//! and acknowledged: the program provides no data. While it is busy, the receiver's window, the
//! send queue or the path limits it; the path limits the data in flight through losses or a
//! saturated link. The largest share of the time names the bottleneck. A requested rate that was
//! reached, or a processor without idle time, takes precedence.

use super::path::{AT_RECEIVER, HERE, before_link, is_queued, of_path};
use super::rates::{Division, share, speed};
use super::summary::{ReceiverReport, Summary};
use super::{Protocol, Tester};
use armilla_ipc::tcp::TcpInfo;
use std::time::Duration;

/// A processor that is busy for this share of the time, in percent, is the bottleneck: the rest is
/// wake-up latency.
const BUSY: f64 = 85.0;

/// A throughput of this fraction of the requested rate reaches it.
const REACHED: f64 = 0.95;

/// A shorter test gives no reliable result.
const SHORT: Duration = Duration::from_millis(50);

/// The bottlenecks of a transmitter, the most important first.
pub(super) fn of_transmitter(tester: &Tester, summary: &Summary) -> Vec<String> {
    let mut limits: Vec<String> = rate(tester, summary).into_iter().collect();
    if limits.is_empty() {
        limits = processors(summary);
    }
    match (&tester.protocol, summary.tcp) {
        // Losses are more important than the requested rate.
        (Protocol::Udp, _) => drop(limits.splice(0..0, losses(tester, summary))),
        (Protocol::Tcp, Some(tcp)) if limits.is_empty() => limits.push(largest(summary, &tcp)),
        _ if limits.is_empty() => {
            limits.push("the queue between both sides, which ran in turns (-b)".into());
        }
        _ => {}
    }
    if summary.elapsed < SHORT {
        limits.push("possibly the short duration: a longer test is more reliable (-n, -T)".into());
    }
    limits
}

/// The bottlenecks of a receiver, as far as it can measure them alone.
pub(super) fn of_receiver(summary: &Summary) -> Vec<String> {
    let mut limits = Vec::new();
    if let Some(datagrams) = summary.datagrams.filter(|d| d.dropped > 0) {
        let dropped = datagrams.dropped;
        limits.push(format!(
            "this side's queue, which dropped {dropped} datagrams (-b on this side)"
        ));
    }
    let taken = taken(summary.processor, summary.waited, summary.elapsed);
    limits.extend(taken.map(|taken| format!("the receiver's processor, {taken}")));
    let here = share(summary.processor, summary.elapsed);
    if limits.is_empty() {
        limits.push(format!(
            "nothing on this side: the receiver waited, its processor busy for {here:.0} % of the \
             time"
        ));
    }
    limits
}

fn rate(tester: &Tester, summary: &Summary) -> Option<String> {
    let rate = tester.rate? / 1e6;
    let reached = speed(summary.octets, summary.elapsed) >= REACHED * rate;
    reached.then(|| format!("the requested rate: {rate:.2} Mbit/s"))
}

/// The load of a processor, if it had no idle time.
fn taken(used: Duration, waited: Duration, elapsed: Duration) -> Option<String> {
    let busy = share(used, elapsed);
    // The kernel accounts for waiting afterwards: some of it may be from before the test.
    let away = share(waited, elapsed).min((100.0 - busy).max(0.0));
    (busy + away >= BUSY).then(|| match away >= BUSY / 10.0 {
        true => format!("busy for {busy:.0} % of the time, and for {away:.0} % with other work"),
        false => format!("busy for {busy:.0} % of the time"),
    })
}

fn processors(summary: &Summary) -> Vec<String> {
    let mut limits = Vec::new();
    if let Some(taken) = taken(summary.processor, summary.waited, summary.elapsed) {
        limits.push(format!(
            "the transmitter's processor, {taken} (a larger -l makes fewer system calls)"
        ));
    }
    let Some(report) = summary.report else { return limits };
    if let Some(taken) = taken(report.processor, report.waited, report.elapsed) {
        limits.push(format!("the receiver's processor, {taken}"));
    }
    let both = share(summary.processor, summary.elapsed) + share(report.processor, report.elapsed);
    if limits.is_empty() && summary.same_host && both >= BUSY {
        limits.push(format!(
            "the processor of this machine: both sides together were busy for {both:.0} % of the \
             time"
        ));
    }
    limits
}

/// The bottleneck with the largest share of the time.
fn largest(summary: &Summary, tcp: &TcpInfo) -> String {
    let Division { idle, window, queue, path } = Division::of(summary.elapsed, tcp);
    let most = idle.max(window).max(queue).max(path);
    if most == path {
        return format!("{} ({path:.0} % of the time)", of_path(summary, tcp));
    }
    if most == window && summary.report.is_some() && !summary.same_host && is_queued(tcp) {
        return format!(
            "{} (the receiver's window was full for {window:.0} % of the time)",
            before_link(summary, tcp)
        );
    }
    if most == window {
        return format!("the receiver's window for {window:.0} % of the time: {AT_RECEIVER}");
    }
    if most == queue {
        return format!("the send queue for {queue:.0} % of the time: {HERE}");
    }
    let here = share(summary.processor, summary.elapsed);
    format!(
        "the transmitter, which had nothing to send for {idle:.0} % of the time, its processor \
         busy for {here:.0} %"
    )
}

/// The losses of a test over UDP.
fn losses(tester: &Tester, summary: &Summary) -> Option<String> {
    let Some(ReceiverReport { octets, dropped, .. }) = summary.report else {
        return Some("an unknown cause: the receiver did not answer".into());
    };
    let lost = summary.octets.saturating_sub(octets);
    if lost == 0 {
        let explained = rate(tester, summary).is_some() || !processors(summary).is_empty();
        return (!explained).then(|| "the path or its queues: nothing was lost".into());
    }
    let part = lost as f64 * 100.0 / summary.octets as f64;
    let pieces = lost / tester.length.max(1) as u64;
    let place = match dropped {
        0 => "in the network".to_owned(),
        dropped => format!("{dropped} of them by the receiver's queue (-b on the receiver)"),
    };
    Some(format!("losses: {pieces} datagrams ({part:.2} %), {place}"))
}

#[cfg(test)]
mod tests {
    use super::super::summary::ReceiverReport;
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn tester(protocol: Protocol) -> Tester {
        let (duration, queue, rate, congestion) = (None, None, None, None);
        let (port, length, count) = (5001, 1000, 1000);
        Tester { protocol, port, length, count, duration, queue, rate, congestion }
    }

    /// One megabyte in a second.
    fn summary(processor: u64, tcp: TcpInfo) -> Summary {
        Summary {
            transmitted: true,
            octets: 1_000_000,
            elapsed: SECOND,
            calls: 1000,
            processor: Duration::from_millis(processor),
            waited: Duration::ZERO,
            same_host: false,
            report: None,
            tcp: Some(tcp),
            datagrams: None,
            limits: Vec::new(),
        }
    }

    fn report() -> ReceiverReport {
        ReceiverReport {
            octets: 900_000,
            elapsed: SECOND,
            processor: SECOND / 10,
            waited: Duration::ZERO,
            calls: 9,
            dropped: 0,
        }
    }

    fn verdict(tester: &Tester, summary: &Summary) -> String {
        let limits = of_transmitter(tester, summary);
        assert_eq!(limits.len(), 1, "{limits:?}");
        limits.into_iter().next().unwrap()
    }

    fn tcp() -> TcpInfo {
        let round_trip = Duration::from_millis(10);
        let (segment, sent) = (1448, 1_000_000);
        TcpInfo {
            busy: SECOND,
            round_trip,
            least_round_trip: round_trip,
            segment,
            sent,
            congestion_window: 10,
            ..TcpInfo::default()
        }
    }

    #[test]
    fn the_largest_part_of_the_time_is_what_limits() {
        let of = |tcp| verdict(&tester(Protocol::Tcp), &summary(100, tcp));
        let slow = TcpInfo { window_limited: SECOND * 6 / 10, ..tcp() };
        assert!(of(slow).contains("receiver's window for 60 %"));
        let small = TcpInfo { queue_limited: SECOND * 7 / 10, ..tcp() };
        assert!(of(small).contains("send queue for 70 %"));
        let idle = TcpInfo { busy: SECOND / 5, ..tcp() };
        assert!(of(idle).contains("nothing to send for 80 %"));
        assert!(of(tcp()).contains("congestion window of 14480"));
    }

    #[test]
    fn a_window_or_a_queue_limits_that_what_is_under_way_fills() {
        let of = |tcp| verdict(&tester(Protocol::Tcp), &summary(100, tcp));
        // A megabyte a second over 10 ms: 10,000 octets are under way.
        let young = TcpInfo { congestion_window: 40, unsent: 50_000, ..tcp() };
        let small = TcpInfo { peer_window: 11_000, ..young };
        assert!(of(small).contains("receiver's window of 11000 octets, which was full"));
        let drained = TcpInfo { peer_window: 200_000, unsent: 0, ..young };
        assert!(of(drained).contains("send queue, all of which was in flight"));
        // Neither is full, the queue is not empty, and nothing waits on the way.
        let paced = TcpInfo { unsent: 50_000, delivery_rate: 1_100_000, ..drained };
        assert!(of(paced).contains("narrowest link, at about 8.80 Mbit/s, as estimated"));
        let short = Summary { elapsed: SECOND / 20, octets: 50_000, ..summary(1, paced) };
        assert!(verdict(&tester(Protocol::Tcp), &short).contains("still growing"));
        // A connection with a long round trip is young for longer, and its queue grows behind.
        let long = TcpInfo { round_trip: SECOND / 5, least_round_trip: SECOND / 5, ..drained };
        let long = TcpInfo { congestion_window: 400, peer_window: 900_000, ..long };
        assert!(of(long).contains("still growing"), "{}", of(long));
    }

    #[test]
    fn a_receiver_that_reads_slowly_is_told_from_a_link_with_a_queue() {
        let slow = TcpInfo {
            peer_window: 11_000,
            least_round_trip: Duration::from_millis(2),
            congestion_window: 40,
            unsent: 50_000,
            ..tcp()
        };
        // Of another's receiver nothing is known; ours reads as fast as it can.
        let unknown = summary(100, slow);
        assert!(verdict(&tester(Protocol::Tcp), &unknown).contains("it reads too slowly"));
        let ours = Summary { report: Some(report()), ..unknown };
        assert!(verdict(&tester(Protocol::Tcp), &ours).contains("narrowest link"));
        // However long it was all of a small window that waited there.
        let held = TcpInfo { window_limited: SECOND * 6 / 10, ..slow };
        let held = Summary { tcp: Some(held), ..ours };
        let of = verdict(&tester(Protocol::Tcp), &held);
        assert!(of.contains("narrowest link") && of.contains("60 % of the time"), "{of}");
        let same_host = Summary { same_host: true, ..held };
        assert!(verdict(&tester(Protocol::Tcp), &same_host).contains("receiver's window for 60 %"));
    }

    #[test]
    fn losses_limit_only_where_they_allow_no_more() {
        let of = |tcp| verdict(&tester(Protocol::Tcp), &summary(100, tcp));
        // A hundredth lost at 10 ms allows about 14 Mbit/s; 8 were reached.
        let many = TcpInfo { segments_again: 7, sent_again: 10_000, ..tcp() };
        assert!(of(many).contains("full queues: 7 segments retransmitted (1.00 %)"));
        // One in ten thousand allows 141.
        let few = TcpInfo { segments_again: 1, sent_again: 100, ..tcp() };
        assert!(of(few).contains("still growing"));
        // Who reaches 8 where 1.4 is allowed had them in bursts, and a small window since; or does
        // not slow down for losses, and has room in it.
        let bursts = TcpInfo { sent_again: 1_000_000, ..many };
        assert!(of(bursts).contains("which keep the congestion window small"));
        let unheeded = TcpInfo { congestion_window: 40, ..bursts };
        assert!(!of(unheeded).contains("losses"));
        // Whoever fills a link loses what its queue does not take, but that is not why.
        let full = TcpInfo {
            least_round_trip: Duration::from_millis(2),
            delivery_rate: 1_000_000,
            ..many
        };
        assert!(of(full).contains("narrowest link, at about 8.00 Mbit/s: 8.0 ms"));
        let burst = TcpInfo { delivery_rate: 150_000_000, ..full };
        assert!(of(burst).contains("narrowest link, at about 8.00 Mbit/s: 8.0 ms"));
        // Within a machine there is no link.
        let same_host = Summary { same_host: true, ..summary(100, full) };
        assert!(verdict(&tester(Protocol::Tcp), &same_host).contains("this machine"));
    }

    #[test]
    fn what_was_asked_for_and_processors_come_first() {
        let slow = TcpInfo { window_limited: SECOND, ..tcp() };
        let limited = Tester { rate: Some(8e6), ..tester(Protocol::Tcp) };
        assert!(verdict(&limited, &summary(10, slow)).contains("requested rate"));
        let beyond = Tester { rate: Some(80e6), ..tester(Protocol::Tcp) };
        assert!(verdict(&beyond, &summary(10, slow)).contains("receiver's window"));
        let busy = summary(990, slow);
        assert!(verdict(&tester(Protocol::Tcp), &busy).contains("transmitter's processor"));
        let displaced = Summary { waited: SECOND * 9 / 10, ..summary(50, slow) };
        let of = verdict(&tester(Protocol::Tcp), &displaced);
        assert!(of.contains("busy for 5 % of the time, and for 90 % with other work"), "{of}");
        let from_before = Summary { waited: SECOND * 3, ..displaced };
        let of = verdict(&tester(Protocol::Tcp), &from_before);
        assert!(of.contains("busy for 5 % of the time, and for 95 % with other work"), "{of}");
        let report = ReceiverReport { processor: SECOND / 2, ..report() };
        let together = Summary { same_host: true, report: Some(report), ..summary(450, slow) };
        assert!(verdict(&tester(Protocol::Tcp), &together).contains("together were busy for 95 %"));
        let apart = Summary { same_host: false, ..together };
        assert!(verdict(&tester(Protocol::Tcp), &apart).contains("receiver's window"));
    }

    #[test]
    fn lost_datagrams_are_reported_with_their_destination() {
        let report = report();
        let mut sent =
            Summary { tcp: None, report: Some(report), ..summary(10, TcpInfo::default()) };
        let of = |sent: &Summary| verdict(&tester(Protocol::Udp), sent);
        assert!(of(&sent).contains("100 datagrams (10.00 %), in the network"));
        sent.report = Some(ReceiverReport { dropped: 70, ..report });
        assert!(of(&sent).contains("70 of them by the receiver's queue"));
        sent.report = None;
        assert!(of(&sent).contains("did not answer"));
        sent.report = Some(ReceiverReport { octets: sent.octets, ..report });
        assert!(of(&sent).contains("the path or its queues: nothing was lost"));
        // A rate that was not reached explains nothing.
        let asked = Tester { rate: Some(80e6), ..tester(Protocol::Udp) };
        assert!(verdict(&asked, &sent).contains("the path or its queues: nothing was lost"));
    }
}
