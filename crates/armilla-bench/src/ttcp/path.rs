//! What keeps little under way on the path of a TCP connection.

use super::summary::{Summary, speed};
use armilla_ipc::tcp::TcpInfo;
use std::time::Duration;

/// What explains how much was reached is this many times as much or less, and not less than the same part
/// of it.
const ABOUT: f64 = 2.0;

/// A window is full when so much of it is under way on average: it is filled and emptied in turns.
const FULL: f64 = 0.6;

/// For so many round trips a connection finds out what the path takes.
const YOUNG: u32 = 10;

/// What holds a sender up when the receiver's window does, and when the send queue does.
pub(super) const AT_RECEIVER: &str =
    "it reads too slowly, or its queue is smaller than rate × round trip (-b there)";
pub(super) const HERE: &str = "it is smaller than rate × round trip (-b here)";

/// A round trip this many times the least one, and this much longer, has waited in a queue.
const QUEUED: (f64, Duration) = (2.0, Duration::from_millis(1));

/// What keeps little under way: a window that is full, a link that is, a send queue that is empty, losses,
/// or that the connection is young.
pub(super) fn of_path(summary: &Summary, tcp: &TcpInfo) -> String {
    let trip = tcp.round_trip;
    let reached = speed(summary.octets, summary.elapsed);
    if summary.same_host {
        // There is no link; whoever waits for a confirmation waits for the other side to run.
        return "this machine, on which what was sent waited for the receiver to run".into();
    }
    let link = narrowest(summary, tcp);
    let under_way = reached * 1e6 / 8.0 * trip.as_secs_f64();
    let peer = f64::from(tcp.peer_window);
    let window = f64::from(tcp.congestion_window) * f64::from(tcp.segment);
    // A kernel before 5.4 does not tell the receiver's.
    let is_full = |window: f64| window > 0.0 && under_way >= FULL * window;
    // A receiver of ours reads as fast as it can: what fills its window then is the queue on the way.
    let is_queued = is_queued(tcp);
    if peer <= window && is_full(peer) && !(is_queued && summary.report.is_some()) {
        return format!("the receiver's window of {peer} octets, which was full: {AT_RECEIVER}");
    }
    if is_queued {
        return before_link(summary, tcp);
    }
    let is_young = summary.elapsed < YOUNG * trip;
    // Until then the kernel lets the send queue grow with the congestion window, and may be behind.
    if tcp.unsent <= tcp.segment && !is_full(window) && !is_young {
        return format!("the send queue, all of which was under way: {HERE}");
    }
    if let Some(losses) = losses(reached, is_full(window), tcp) {
        return losses;
    }
    match is_full(window) || is_young {
        true => format!(
            "the congestion window of {window} octets, which was still growing: a longer test goes \
             faster (-n, -T)"
        ),
        false => format!(
            "the path's narrowest link, at about {link:.2} Mbit/s, as far as the congestion control \
             found out"
        ),
    }
}

/// That losses keep it at what is reached, if they do: alone, or in bursts as a short queue has them. Those
/// count for less, of which a full congestion window is the sign.
fn losses(reached: f64, is_full: bool, tcp: &TcpInfo) -> Option<String> {
    let allowed = allowed_by_losses(tcp).filter(|allowed| *allowed <= reached * ABOUT)?;
    let outcome = match is_about(allowed, reached) {
        true => format!("allow about {allowed:.0} Mbit/s at this round trip"),
        false if is_full => "keep the congestion window small".to_owned(),
        false => return None,
    };
    Some(format!(
        "losses in the network, by errors or where a queue was full: {} segments sent again ({:.2} %), \
         which {outcome}",
        tcp.segments_again,
        lost(tcp) * 100.0
    ))
}

/// The rate of the path's narrowest link, in Mbit/s, if that is what limits.
fn narrowest(summary: &Summary, tcp: &TcpInfo) -> f64 {
    let reached = speed(summary.octets, summary.elapsed);
    // The kernel measures over a round trip: where confirmations come in bursts that may be any number.
    let lately = tcp.delivery_rate as f64 * 8.0 / 1e6;
    if is_about(lately, reached) { lately.max(reached) } else { reached }
}

/// Whether what was sent waited in a queue on the way.
pub(super) fn is_queued(tcp: &TcpInfo) -> bool {
    let (trip, least) = (tcp.round_trip, tcp.least_round_trip);
    least > Duration::ZERO
        && trip.as_secs_f64() >= QUEUED.0 * least.as_secs_f64()
        && trip.saturating_sub(least) >= QUEUED.1
}

/// That it waited there.
pub(super) fn before_link(summary: &Summary, tcp: &TcpInfo) -> String {
    let (link, queued) = (narrowest(summary, tcp), tcp.round_trip - tcp.least_round_trip);
    format!(
        "the path's narrowest link, at about {link:.2} Mbit/s: {:.1} ms of the round trip were spent in \
         the queue before it",
        queued.as_secs_f64() * 1e3
    )
}

/// Whether so much explains what was reached. Losses that allow more would not keep it so low, and who reaches
/// much more than they allow has a congestion control that does not slow down for them.
fn is_about(allowed: f64, reached: f64) -> bool {
    (reached / ABOUT..=reached * ABOUT).contains(&allowed)
}

/// Which part of the octets was sent again.
fn lost(tcp: &TcpInfo) -> f64 {
    tcp.sent_again as f64 / tcp.sent.max(1) as f64
}

/// About how many Mbit/s a connection with such losses reaches: the well-known rule that a congestion
/// window holds 1.22 segments divided by the root of the loss (Mathis and others, 1997).
fn allowed_by_losses(tcp: &TcpInfo) -> Option<f64> {
    let (lost, trip) = (lost(tcp), tcp.round_trip.as_secs_f64());
    let window = f64::from(tcp.segment) * 8.0 * 1.22 / lost.sqrt();
    (lost > 0.0 && trip > 0.0).then(|| window / trip / 1e6)
}
