//! Connections that turn out to be closed before the server began the call: it is sent again over
//! another one, and that does not count as a failure.

use crate::exception::{Completion, Minor, SystemException};

/// The number of closed connections that one call may meet before that counts as a failure.
const MOST: u32 = 3;

/// How many of the shared connections that a call was given were stale.
#[derive(Debug, Default)]
pub(in crate::client) struct StaleConnections(u32);

impl StaleConnections {
    /// Whether the call, which has failed with `error`, goes on over another connection. Counts it.
    pub(in crate::client) fn allows_another(&mut self, error: &SystemException) -> bool {
        let another = is_stale(error) && self.0 < MOST;
        self.0 += u32::from(another);
        another
    }
}

/// Whether the connection turned out to be closed before the server began the call.
pub(in crate::client) fn is_stale(error: &SystemException) -> bool {
    let minor = error.minor();
    error.completed() == Completion::No
        && (minor == Minor::SEND_FAILED || minor == Minor::CONNECTION_CLOSING)
}
