//! Requests from this very process, dispatched by the thread that makes them.

use super::connection::{Connection, Way};
use super::dispatch;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::orb::{Orb, lock};
use armilla_cdr::CodeSets;
use armilla_giop::{Message, decode_request};
use armilla_ipc::{Address, Readiness, SendError, Stream};
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Serves a request of this process and gives the reply, which is empty when none is expected.
pub(crate) fn serve_here(
    orb: &Orb,
    message: &Message<'_>,
    limit: Option<Duration>,
) -> Result<Vec<u8>, SystemException> {
    let catcher = Arc::new(Catcher::default());
    let crew = orb.server()?.crew();
    let connection = Connection::new(orb, crew, catcher.clone(), 0, Way::Here);
    let malformed = |error| SystemException::decoding(&error, Completion::No);
    let (header, body) = decode_request(message).map_err(malformed)?;
    let expected = header.response_expected;
    // A connection that was just made has room for one request.
    let _begun = lock(&connection.output).responder.begin(header.request_id, || false);
    let code_sets = CodeSets::UNAGREED;
    let connection = Arc::new(connection);
    match dispatch::request(&connection, message, header, body, code_sets, &mut Vec::new()) {
        Ok(()) if expected => catcher.wait(limit),
        // Nothing can go wrong with sending here.
        Ok(()) | Err(_) => Ok(Vec::new()),
    }
}

/// Catches a reply instead of sending it.
#[derive(Debug, Default)]
struct Catcher {
    reply: Mutex<Vec<u8>>,
    came: Condvar,
}

impl Catcher {
    /// The reply; servants may make it after they returned, in another thread.
    fn wait(&self, limit: Option<Duration>) -> Result<Vec<u8>, SystemException> {
        let empty = |reply: &mut Vec<u8>| reply.is_empty();
        let reply = lock(&self.reply);
        let mut reply = match limit {
            None => self.came.wait_while(reply, empty).unwrap_or_else(PoisonError::into_inner),
            Some(limit) => {
                let waited = self.came.wait_timeout_while(reply, limit, empty);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        match std::mem::take(&mut *reply) {
            reply if reply.is_empty() => {
                let kind = ExceptionKind::Timeout;
                Err(SystemException::new(kind, Minor::REPLY_LATE, Completion::Maybe))
            }
            reply => Ok(reply),
        }
    }
}

/// Who calls from within the process.
static HERE: Address = Address::Abstract(Vec::new());

impl Stream for Catcher {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        lock(&self.reply).extend_from_slice(bytes);
        self.came.notify_all();
        Ok(())
    }

    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        let mut reply = lock(&self.reply);
        parts.iter().for_each(|part| reply.extend_from_slice(part));
        self.came.notify_all();
        Ok(())
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn readiness(&self) -> io::Result<Readiness> {
        Ok(Readiness::Quiet)
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        Ok(())
    }

    fn peer(&self) -> &Address {
        &HERE
    }

    fn local(&self) -> &Address {
        &HERE
    }
}
