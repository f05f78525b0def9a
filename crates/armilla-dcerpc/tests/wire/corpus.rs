//! Replays the fuzz corpus through the checks of the fuzz targets.

#[path = "../../../../lab/fuzz/checks/ndr.rs"]
mod ndr;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;
#[path = "../../../../lab/fuzz/checks/rpc_pdu.rs"]
mod rpc_pdu;

use replay::replay;

#[test]
fn pdus_and_streams() {
    replay("rpc_pdu", rpc_pdu::check);
}

#[test]
fn values() {
    replay("ndr", ndr::check);
}
