//! The exceptions of calls that cannot begin on a connection.

use crate::client::connection::multiplexed::{MultiplexedConnection, State};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use armilla_giop::engine::BeginError;

impl MultiplexedConnection {
    /// The exception of a call that cannot begin.
    pub(super) fn refuse(&self, state: &State, refused: BeginError) -> SystemException {
        match (refused, &state.lost) {
            (BeginError::Full, _) => {
                let what = format!(
                    "{} requests on the connection to {} wait for a reply, which is the limit \
                     (requests_in_flight)",
                    state.initiator.in_flight(),
                    self.peer()
                );
                let kind = ExceptionKind::NoResources;
                SystemException::new(kind, Minor::TOO_MANY_REQUESTS_IN_FLIGHT, Completion::No)
                    .with_reason(what)
            }
            (BeginError::Closed, _) => self.closed(),
        }
    }

    /// The exception of a call that cannot begin on a closed connection.
    pub(super) fn closed(&self) -> SystemException {
        let (kind, minor) = (ExceptionKind::Transient, Minor::CONNECTION_CLOSING);
        let what = format!("the connection to {} was closed", self.peer());
        SystemException::new(kind, minor, Completion::No).with_reason(what)
    }
}
