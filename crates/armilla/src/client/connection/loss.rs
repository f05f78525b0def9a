//! The exceptions of calls whose connection ends or whose reply does not come in time: reasons and
//! completion status, in one place.

use super::peer_name::PeerName;
use crate::client::request::{Deadline, milliseconds};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use armilla_giop::engine::ConnectionLoss;
use armilla_giop::{CompletionStatus, HeaderError};

/// The reason when the server closes the connection without a message.
pub(in crate::client) const CLOSED_BY_SERVER: &str = "the server closed the connection";

/// The end of a connection to `peer`, for each call that was under way on it.
pub(in crate::client) struct LostConnection {
    pub(in crate::client) peer: PeerName,
    pub(in crate::client) loss: ConnectionLoss,
    /// The message of the operating system or of the framer, if that is the reason.
    pub(in crate::client) why: String,
}

impl LostConnection {
    /// The exception of a call on the connection.
    pub(in crate::client) fn exception(
        &self,
        executed: CompletionStatus,
        since: &Deadline,
    ) -> SystemException {
        let completed = match executed {
            CompletionStatus::Yes => Completion::Yes,
            CompletionStatus::No => Completion::No,
            CompletionStatus::Maybe => Completion::Maybe,
        };
        let peer = &self.peer;
        let (kind, minor, what) = match &self.loss {
            ConnectionLoss::Closed if completed != Completion::No => (
                ExceptionKind::CommFailure,
                Minor::CONNECTION_LOST,
                format!("{peer} closes the connection and has not answered the call"),
            ),
            ConnectionLoss::Closed => (
                ExceptionKind::Transient,
                Minor::CONNECTION_CLOSING,
                format!("{peer} closes the connection and has not begun the call"),
            ),
            ConnectionLoss::MessageError => (
                ExceptionKind::CommFailure,
                Minor::MESSAGE_ERROR_RECEIVED,
                match completed {
                    Completion::No => format!("{peer} could not read the request"),
                    _ => format!("{peer} could not read the request or another message"),
                },
            ),
            ConnectionLoss::Malformed(..) => return self.broken(&self.loss.to_string(), completed),
            ConnectionLoss::Unexpected(kind) => (
                ExceptionKind::CommFailure,
                Minor::PROTOCOL_ERROR,
                format!("{peer} sent a {kind:?} where a reply is due"),
            ),
            ConnectionLoss::Unreadable(error @ HeaderError::TooLarge { .. }) => {
                return self.too_large(error, completed);
            }
            ConnectionLoss::Unreadable(error) => {
                let broken = self.broken(&error.to_string(), completed);
                return match error {
                    // An alert.
                    HeaderError::BadMagic([0x15, 3, ..]) => broken.with_hint(
                        "that is TLS: its port for TLS is reached by `corbaloc:ssliop:`, or by a \
                         new reference",
                    ),
                    _ => broken,
                };
            }
            ConnectionLoss::Broken if completed == Completion::No => (
                ExceptionKind::CommFailure,
                Minor::SEND_FAILED,
                format!("the request to {peer} could not be sent: {}", self.why),
            ),
            ConnectionLoss::Broken => (
                ExceptionKind::CommFailure,
                Minor::CONNECTION_LOST,
                format!(
                    "the connection to {peer} was lost while waiting for the reply, after {}: {}",
                    milliseconds(since.elapsed()),
                    self.why
                ),
            ),
        };
        SystemException::new(kind, minor, completed).with_reason(what)
    }

    /// The exception of a call whose reply is larger than the client takes.
    fn too_large(&self, error: &HeaderError, completed: Completion) -> SystemException {
        let what = format!("{} sent a reply that the client refuses: {error}", self.peer);
        SystemException::new(ExceptionKind::ImpLimit, Minor::MESSAGE_TOO_LARGE, completed)
            .with_reason(what)
            .with_hint("-ORBMaxMessage OCTETS sets the limit")
    }

    fn broken(&self, why: &str, completed: Completion) -> SystemException {
        let what = format!("{} sent something that is no reply: {why}", self.peer);
        SystemException::new(ExceptionKind::CommFailure, Minor::PROTOCOL_ERROR, completed)
            .with_reason(what)
            .with_hint("is what listens there a CORBA server?")
    }
}

/// The exception of a call whose reply did not come in time.
pub(in crate::client) fn reply_timed_out(peer: &PeerName, deadline: &Deadline) -> SystemException {
    let limit = milliseconds(deadline.limit.unwrap_or_default());
    SystemException::new(ExceptionKind::Timeout, Minor::REPLY_TIMED_OUT, Completion::Maybe)
        .with_reason(format!("no reply from {} within {limit}", peer))
        .with_hint(
            "the limit is the reference's (with_timeout) or the ORB's (call_timeout, \
             -ORBCallTimeout MILLISECONDS)",
        )
}
