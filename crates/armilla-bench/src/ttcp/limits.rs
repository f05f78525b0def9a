//! What did not let a test go faster, judged by what both sides and the kernel know.

use super::summary::{Summary, share, speed};
use super::{Carrier, Tester};

/// From this part of the time on, in percent, something is what limits.
const MOST: f64 = 40.0;

/// From this part of the time on, in percent, a processor is what limits.
const BUSY: f64 = 85.0;

/// Everything that held a transmitter up, what weighs most first.
pub(super) fn of_transmitter(tester: &Tester, summary: &Summary) -> Vec<String> {
    let mut limits = Vec::new();
    let reached = speed(summary.octets, summary.elapsed);
    if let Some(rate) = tester.rate.map(|rate| rate / 1e6).filter(|rate| reached >= 0.9 * rate) {
        limits.push(format!("the rate asked for: {rate:.2} Mbit/s"));
    }
    processors(summary, &mut limits);
    if let Some(tcp) = summary.tcp {
        let of_busy = |time| share(time, tcp.busy);
        let (window, queue) = (of_busy(tcp.window_limited), of_busy(tcp.queue_limited));
        if window >= MOST {
            limits.push(format!(
                "the receiver's window for {window:.0} % of the time: it reads too slowly, or its \
                 queue is smaller than rate × round trip (-b there)"
            ));
        }
        if queue >= MOST {
            limits.push(format!(
                "the send queue for {queue:.0} % of the time: it is smaller than rate × round trip \
                 (-b here)"
            ));
        }
        if tcp.segments_again > 0 {
            let part = tcp.sent_again as f64 * 100.0 / tcp.sent.max(1) as f64;
            let again = tcp.segments_again;
            limits
                .push(format!("losses in the network: {again} segments sent again ({part:.2} %)"));
        }
    }
    if let (Carrier::Udp, Some(far)) = (&tester.carrier, summary.far) {
        let lost = summary.octets.saturating_sub(far.octets);
        if lost > 0 {
            let part = lost as f64 * 100.0 / summary.octets as f64;
            let pieces = lost / tester.length.max(1) as u64;
            let place = match far.dropped {
                0 => "on the way".to_owned(),
                dropped => format!("{dropped} of them by the receiver's queue (-b there)"),
            };
            limits.push(format!("losses: {pieces} datagrams ({part:.2} %), {place}"));
        }
    }
    if limits.is_empty() {
        limits.push(otherwise(tester, summary));
    }
    limits
}

/// What held a receiver up as far as it can tell by itself.
pub(super) fn of_receiver(summary: &Summary) -> Vec<String> {
    let mut limits = Vec::new();
    if let Some(datagrams) = summary.datagrams.filter(|d| d.dropped > 0) {
        let dropped = datagrams.dropped;
        limits.push(format!("this machine's queues, which dropped {dropped} datagrams (-b here)"));
    }
    let here = share(summary.processor, summary.elapsed);
    if here >= BUSY {
        limits.push(format!("the receiver's processor, busy for {here:.0} % of the time"));
    }
    if limits.is_empty() {
        limits.push(format!(
            "nothing here: the receiver waited, with its processor busy for {here:.0} % of the time"
        ));
    }
    limits
}

fn processors(summary: &Summary, limits: &mut Vec<String>) {
    let here = share(summary.processor, summary.elapsed);
    if here >= BUSY {
        let advice = "larger -l makes fewer system calls";
        limits.push(format!(
            "the transmitter's processor, busy for {here:.0} % of the time ({advice})"
        ));
    }
    let there = summary.far.map(|far| share(far.processor, far.elapsed));
    if let Some(there) = there.filter(|share| *share >= BUSY) {
        limits.push(format!("the receiver's processor, busy for {there:.0} % of the time"));
    }
    if let Some(there) = there.filter(|there| limits.is_empty() && here + there >= BUSY) {
        limits.push(format!(
            "the processors together ({here:.0} % + {there:.0} %), if both sides share one"
        ));
    }
}

/// When nothing else stands out.
fn otherwise(tester: &Tester, summary: &Summary) -> String {
    match (&tester.carrier, summary.tcp) {
        (Carrier::Tcp, Some(tcp)) => {
            let window = u64::from(tcp.congestion_window) * u64::from(tcp.segment);
            format!("the path: a congestion window of {window} octets, and no loss")
        }
        (Carrier::Udp, _) => "the path or its queues: nothing was lost".into(),
        _ => "the queue between both sides, which took turns (-b)".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::summary::Far;
    use super::*;
    use armilla_ipc::tcp::TcpInfo;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    fn tester(carrier: Carrier) -> Tester {
        let (duration, queue, rate, congestion) = (None, None, None, None);
        let (port, length, count) = (5001, 1000, 1000);
        Tester { carrier, port, length, count, duration, queue, rate, congestion }
    }

    fn summary(processor: u64, tcp: TcpInfo) -> Summary {
        Summary {
            transmitted: true,
            octets: 1_000_000,
            elapsed: SECOND,
            calls: 1000,
            processor: Duration::from_millis(processor),
            far: None,
            tcp: Some(tcp),
            datagrams: None,
            limits: Vec::new(),
        }
    }

    fn first(tester: &Tester, summary: &Summary) -> String {
        of_transmitter(tester, summary).remove(0)
    }

    #[test]
    fn each_limit_is_told_by_its_name() {
        let tcp = TcpInfo { busy: SECOND, ..TcpInfo::default() };
        let slow = TcpInfo { window_limited: SECOND / 2, ..tcp };
        assert!(first(&tester(Carrier::Tcp), &summary(100, slow)).contains("receiver's window"));
        let small = TcpInfo { queue_limited: SECOND / 2, ..tcp };
        assert!(first(&tester(Carrier::Tcp), &summary(100, small)).contains("send queue"));
        let lossy = TcpInfo { segments_again: 3, sent: 100, sent_again: 1, ..tcp };
        assert!(first(&tester(Carrier::Tcp), &summary(100, lossy)).contains("losses"));
        assert!(
            first(&tester(Carrier::Tcp), &summary(990, slow)).contains("transmitter's processor")
        );
        assert!(first(&tester(Carrier::Tcp), &summary(10, tcp)).contains("congestion window"));
        let limited = Tester { rate: Some(8e6), ..tester(Carrier::Tcp) };
        assert!(first(&limited, &summary(10, tcp)).contains("rate asked for"));
    }

    #[test]
    fn lost_datagrams_are_told_with_where_they_went() {
        let far =
            Far { octets: 900_000, elapsed: SECOND, processor: SECOND / 10, calls: 9, dropped: 0 };
        let mut sent = Summary { tcp: None, far: Some(far), ..summary(10, TcpInfo::default()) };
        assert!(
            first(&tester(Carrier::Udp), &sent).contains("100 datagrams (10.00 %), on the way")
        );
        sent.far = Some(Far { dropped: 70, ..far });
        assert!(first(&tester(Carrier::Udp), &sent).contains("70 of them by the receiver's queue"));
    }
}
