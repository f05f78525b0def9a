//! Replays the fuzz corpus through the check of the fuzz target.

#[path = "../../../../lab/fuzz/checks/real_time.rs"]
mod real_time;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

#[test]
fn priorities_policies_and_endpoints() {
    replay::replay("real_time", real_time::check);
}
