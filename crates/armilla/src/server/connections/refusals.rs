//! Refusing requests that a limit of the connection or of the server does not admit: the client is
//! told, and the connection goes on.

use super::connection::Connection;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::server::dispatch::requests::{close_reason, port};
use crate::server::reply::close_reason::CloseReason;
use crate::server::reply::reply_port::ReplyPort;
use crate::server::reply::sink::PendingReply;
use armilla_cdr::{Buffer, CodeSets};
use armilla_giop::{HeaderError, Message, OversizedRequest, RequestHeader};
use std::sync::Arc;

impl Connection {
    /// Refuses a request because `requests_in_progress` is reached.
    #[cold]
    pub(in crate::server) fn refuse(
        self: &Arc<Self>,
        message: &Message<'_>,
        header: &RequestHeader<'_>,
        memory: &mut Buffer,
    ) -> Result<(), CloseReason> {
        let exception = self.too_many();
        report!(warn, "a request was refused", peer = self.peer_name(), why = exception);
        let port = port(&self.orb, message, header, CodeSets::UNAGREED, PendingReply::Nothing);
        let sent = port.raise(&mut None, self, memory, &exception);
        sent.map_err(|error| close_reason(error.into()))?.map_err(CloseReason::from)
    }

    /// Why a LocateRequest that has just begun is not served; `None` where `requests_in_progress` allows
    /// it.
    #[cold]
    pub(in crate::server) fn locate_refusal(&self) -> Option<SystemException> {
        let in_progress = self.output.lock().responder.in_progress();
        (in_progress > self.orb.settings().requests_in_progress).then(|| self.too_many())
    }

    #[cold]
    fn too_many(&self) -> SystemException {
        let limit = self.orb.settings().requests_in_progress;
        let what =
            format!("{limit} requests of one connection are in progress (requests_in_progress)");
        SystemException::new(
            ExceptionKind::Transient,
            Minor::TOO_MANY_REQUESTS_IN_PROGRESS,
            Completion::No,
        )
        .with_reason(what)
    }

    /// Refuses a request because it is larger than `max_message`, or because there is no memory for it.
    #[cold]
    pub(in crate::server) fn refuse_oversized(
        self: &Arc<Self>,
        request: &OversizedRequest,
        error: &HeaderError,
        memory: &mut Buffer,
    ) -> Result<(), CloseReason> {
        let OversizedRequest { version, request_id, response_expected, refused } = *request;
        let exception = match refused {
            true => self.no_message_memory(),
            false => SystemException::new(
                ExceptionKind::ImpLimit,
                Minor::MESSAGE_TOO_LARGE,
                Completion::No,
            )
            .with_reason(error.to_string()),
        };
        report!(warn, "a request was refused", peer = self.peer_name(), why = exception);
        let (code_sets, pending) = (CodeSets::UNAGREED, PendingReply::Nothing);
        let max_message = self.orb.settings().max_message;
        let port = ReplyPort {
            request_id,
            version,
            code_sets,
            response_expected,
            pending,
            max_message,
            context: None,
        };
        let sent = port.raise(&mut None, self, memory, &exception);
        sent.map_err(|error| close_reason(error.into()))?.map_err(CloseReason::from)
    }

    fn no_message_memory(&self) -> SystemException {
        let limit = self.workers.message_memory.limit();
        let what = format!(
            "the server has no memory for the request: large messages of all clients may take {limit} \
             octets (message_memory), and those of one client as much as is free"
        );
        SystemException::new(ExceptionKind::Transient, Minor::NO_MESSAGE_MEMORY, Completion::No)
            .with_reason(what)
    }
}
