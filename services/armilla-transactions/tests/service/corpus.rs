//! Replays the corpora of the fuzz targets.

#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;
#[path = "../../../../lab/fuzz/checks/transaction_context.rs"]
mod transaction_context;
#[path = "../../../../lab/fuzz/checks/transaction_record.rs"]
mod transaction_record;

#[test]
fn propagation_contexts() {
    replay::replay("transaction_context", transaction_context::check);
}

#[test]
fn records_of_the_log() {
    replay::replay("transaction_record", transaction_record::check);
}
