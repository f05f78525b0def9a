//! Replays the fuzz corpus through the check of the fuzz target.

#[path = "../../../../lab/fuzz/checks/event_datagram.rs"]
mod event_datagram;
#[path = "../../../../lab/fuzz/checks/event_subscription.rs"]
mod event_subscription;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

#[test]
fn datagrams() {
    replay::replay("event_datagram", event_datagram::check);
}

#[test]
fn subscriptions() {
    replay::replay("event_subscription", event_subscription::check);
}
