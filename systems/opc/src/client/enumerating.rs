//! What all enumerators have in common.

use armilla_dcerpc::Status;

/// Whether an enumerator has come to its end.
pub(super) fn is_end(status: Status, count: usize, asked: u32) -> bool {
    status != Status::OK || count < asked as usize
}
