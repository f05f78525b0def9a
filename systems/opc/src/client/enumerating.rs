//! What all enumerators have in common.

use super::error::Error;
use armilla_dcerpc::Status;

/// Whether an enumerator has come to its end.
pub(super) fn is_end(status: Status, count: usize, asked: u32) -> Result<bool, Error> {
    if status.is_failure() {
        return Err(Error::Server(format!("an enumerator fails: {}", crate::status::text(status))));
    }
    Ok(status != Status::OK || count < asked as usize)
}
