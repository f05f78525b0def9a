//! The corpus of the fuzz target `log_files`, replayed.

#[path = "../../../../lab/fuzz/checks/log_files.rs"]
mod log_files;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

#[test]
fn log_files() {
    replay::replay("log_files", log_files::check);
}
