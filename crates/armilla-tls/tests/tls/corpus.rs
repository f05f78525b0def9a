//! Replays the corpus of the fuzz target that reads certificates.

#[path = "../../../../lab/fuzz/checks/certificate.rs"]
mod certificate;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

#[test]
fn certificates_of_strangers_do_no_harm() {
    replay::replay("certificate", certificate::check);
}
