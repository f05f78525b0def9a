//! The limits of the data in flight on the path of a TCP connection.

use super::rates::speed;
use super::summary::Summary;
use armilla_ipc::tcp::TcpInfo;
use std::time::Duration;

/// A cause explains a throughput if it predicts it within this factor.
const ABOUT: f64 = 2.0;

/// A window is full if this fraction of it is in flight on average, because it fills and drains in
/// turns.
const FULL: f64 = 0.6;

/// The number of round trips in which a connection probes the path.
const YOUNG: u32 = 10;

/// The explanations of a full receiver's window and of a full send queue.
pub(super) const AT_RECEIVER: &str =
    "it reads too slowly, or its queue is smaller than rate × round trip (-b on the receiver)";
pub(super) const HERE: &str = "it is smaller than rate × round trip (-b on this side)";

/// A round trip this many times the minimum, and this much longer, includes time in a queue.
const QUEUED: (f64, Duration) = (2.0, Duration::from_millis(1));

/// The limit of the data in flight: a full window, a saturated link, an empty send queue, losses,
/// or the short age of the connection.
pub(super) fn of_path(summary: &Summary, tcp: &TcpInfo) -> String {
    let trip = tcp.round_trip;
    let reached = speed(summary.octets, summary.elapsed);
    if summary.same_host {
        // There is no link: the acknowledgement waits for the other side to run.
        return "this machine: data waited until the receiver ran".into();
    }
    let link = narrowest(summary, tcp);
    let under_way = reached * 1e6 / 8.0 * trip.as_secs_f64();
    let peer = f64::from(tcp.peer_window);
    let window = f64::from(tcp.congestion_window) * f64::from(tcp.segment);
    // Kernels before 5.4 do not report the receiver's window.
    let is_full = |window: f64| window > 0.0 && under_way >= FULL * window;
    // Our receiver reads as fast as it can, so a full window means a queue in the network.
    let is_queued = is_queued(tcp);
    if peer <= window && is_full(peer) && !(is_queued && summary.report.is_some()) {
        return format!("the receiver's window of {peer} octets, which was full: {AT_RECEIVER}");
    }
    if is_queued {
        return before_link(summary, tcp);
    }
    let is_young = summary.elapsed < YOUNG * trip;
    // While young, the send queue grows with the congestion window, and may lag behind.
    if tcp.unsent <= tcp.segment && !is_full(window) && !is_young {
        return format!("the send queue, all of which was in flight: {HERE}");
    }
    if let Some(losses) = losses(reached, is_full(window), tcp) {
        return losses;
    }
    match is_full(window) || is_young {
        true => format!(
            "the congestion window of {window} octets, which was still growing: a longer test is \
             faster (-n, -T)"
        ),
        false => format!(
            "the path's narrowest link, at about {link:.2} Mbit/s, as estimated by the congestion \
             control"
        ),
    }
}

/// Losses as the limit, if they explain the throughput: random losses, or bursts from a short
/// queue. Bursts reduce it less; their sign is a full congestion window.
fn losses(reached: f64, is_full: bool, tcp: &TcpInfo) -> Option<String> {
    let allowed = allowed_by_losses(tcp).filter(|allowed| *allowed <= reached * ABOUT)?;
    let outcome = match is_about(allowed, reached) {
        true => format!("allow about {allowed:.0} Mbit/s at this round trip"),
        false if is_full => "keep the congestion window small".to_owned(),
        false => return None,
    };
    Some(format!(
        "losses in the network, by errors or full queues: {} segments retransmitted ({:.2} %), \
         which {outcome}",
        tcp.segments_again,
        lost(tcp) * 100.0
    ))
}

/// The rate of the path's narrowest link in Mbit/s, assuming that it is the bottleneck.
fn narrowest(summary: &Summary, tcp: &TcpInfo) -> f64 {
    let reached = speed(summary.octets, summary.elapsed);
    // The kernel measures over one round trip, which is unreliable if acknowledgements come in
    // bursts.
    let lately = tcp.delivery_rate as f64 * 8.0 / 1e6;
    if is_about(lately, reached) { lately.max(reached) } else { reached }
}

/// Whether data waited in a queue in the network.
pub(super) fn is_queued(tcp: &TcpInfo) -> bool {
    let (trip, least) = (tcp.round_trip, tcp.least_round_trip);
    least > Duration::ZERO
        && trip.as_secs_f64() >= QUEUED.0 * least.as_secs_f64()
        && trip.saturating_sub(least) >= QUEUED.1
}

/// The queue before the narrowest link as the limit.
pub(super) fn before_link(summary: &Summary, tcp: &TcpInfo) -> String {
    let (link, queued) = (narrowest(summary, tcp), tcp.round_trip - tcp.least_round_trip);
    format!(
        "the path's narrowest link, at about {link:.2} Mbit/s: {:.1} ms of the round trip is time \
         in the queue before it",
        queued.as_secs_f64() * 1e3
    )
}

/// Whether `allowed` explains the throughput. Losses that allow much more do not limit it. A
/// connection that exceeds what they allow has a congestion control that ignores losses.
fn is_about(allowed: f64, reached: f64) -> bool {
    (reached / ABOUT..=reached * ABOUT).contains(&allowed)
}

/// The fraction of retransmitted octets.
fn lost(tcp: &TcpInfo) -> f64 {
    tcp.sent_again as f64 / tcp.sent.max(1) as f64
}

/// The throughput in Mbit/s that the losses allow: a congestion window holds 1.22 segments divided
/// by the square root of the loss rate (Mathis et al., 1997).
fn allowed_by_losses(tcp: &TcpInfo) -> Option<f64> {
    let (lost, trip) = (lost(tcp), tcp.round_trip.as_secs_f64());
    let window = f64::from(tcp.segment) * 8.0 * 1.22 / lost.sqrt();
    (lost > 0.0 && trip > 0.0).then(|| window / trip / 1e6)
}
