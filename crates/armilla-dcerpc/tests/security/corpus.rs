//! Replays the fuzz corpus through the checks of the fuzz targets.

#[path = "../../../../lab/fuzz/checks/ntlm.rs"]
mod ntlm;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;
#[path = "../../../../lab/fuzz/checks/spnego.rs"]
mod spnego;

use replay::replay;

#[test]
fn messages_of_ntlm() {
    replay("ntlm", ntlm::check);
}

#[test]
fn tokens_of_spnego() {
    replay("spnego", spnego::check);
}
