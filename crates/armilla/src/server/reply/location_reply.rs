//! Replies that tell where an object is, as the program's locator of keys finds out.

use super::amh::DeferredReply;
use super::locate_reply::send_locate_reply;
use super::sink::{LateSink, PendingReply, RequestSink};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::interception::Outcome;
use crate::object_key::ObjectKey;
use crate::runtime::{Located, Orb};
use armilla_cdr::Buffer;
use armilla_giop::Version;
use armilla_giop::ior::Ior;
use armilla_ipc::Address;
use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

/// Finds the reference for an object key.
pub(crate) type KeyLocator = Arc<dyn Fn(SoughtKey<'_>, LocationReply) + Send + Sync>;

/// The object key of a request that this server cannot place, and who asks.
#[derive(Debug, Clone, Copy)]
pub struct SoughtKey<'k> {
    octets: &'k [u8],
    peer: &'k Address,
}

impl<'k> SoughtKey<'k> {
    /// The octets of the key.
    pub fn octets(&self) -> &'k [u8] {
        self.octets
    }

    /// The names of the POA that made the key, from the child of the root POA on; empty for the
    /// root POA. `None` if another ORB made the key.
    pub fn adapter(&self) -> Option<Vec<&'k str>> {
        let Some(ObjectKey::Named(key)) = ObjectKey::parse(self.octets) else { return None };
        let path = std::str::from_utf8(key.adapter).ok()?;
        Some(path.split('\0').skip(1).collect())
    }

    /// The object id in the key. `None` if another ORB made the key.
    pub fn object_id(&self) -> Option<&'k [u8]> {
        match ObjectKey::parse(self.octets) {
            Some(ObjectKey::Named(key)) => Some(key.id),
            _ => None,
        }
    }

    /// The address of the client.
    pub fn peer(&self) -> &'k Address {
        self.peer
    }
}

/// The right, and the duty, to tell one client where an object is: once, at any time, from any
/// thread. No thread waits meanwhile. If this is dropped, the client gets `TRANSIENT`, not
/// executed.
#[must_use = "dropped, it replies with an exception"]
pub struct LocationReply(Option<Destination>);

/// Where the answer goes.
enum Destination {
    /// To the client that sent a request.
    Request(DeferredReply),
    /// To the client that sent a LocateRequest.
    Locate { sink: LateSink, version: Version, request_id: u32 },
    /// To a thread of this process.
    Caller(SyncSender<Result<Located, SystemException>>),
}

impl LocationReply {
    /// Forwards the client to the object with this reference.
    pub fn forward(self, reference: Ior) {
        match reference.is_nil() {
            true => self.unknown(),
            false => self.send(Ok(Located::Elsewhere(reference))),
        }
    }

    /// Tells the client that there is no such object.
    pub fn unknown(self) {
        self.send(Ok(Located::Nowhere));
    }

    /// Tells the client that there is no such object, and why: a request ends with `exception`; the
    /// reply to a LocateRequest, `UNKNOWN_OBJECT`, has no place for a reason.
    pub fn unknown_with(self, exception: SystemException) {
        match &self.0 {
            Some(Destination::Locate { .. }) => self.unknown(),
            _ => self.raise(exception),
        }
    }

    /// Fails the request of the client. The request was not executed, so the status `YES` becomes
    /// `NO`.
    pub fn raise(self, exception: SystemException) {
        self.send(Err(exception));
    }

    /// Whether the client has cancelled its request or disconnected, as far as is known.
    pub fn is_cancelled(&self) -> bool {
        match &self.0 {
            Some(Destination::Request(deferred)) => deferred.is_abandoned(),
            Some(Destination::Locate { sink, request_id, .. }) => sink.is_abandoned(*request_id),
            _ => false,
        }
    }

    fn send(mut self, located: Result<Located, SystemException>) {
        self.answer(located);
    }

    fn answer(&mut self, located: Result<Located, SystemException>) {
        let located = located.map_err(SystemException::before_entry);
        match self.0.take() {
            None => {}
            Some(Destination::Request(mut deferred)) => deferred.end(match located {
                Ok(Located::Elsewhere(ior)) => Outcome::Forward(ior),
                Ok(_) => Outcome::SystemException(SystemException::object_not_exist()),
                Err(exception) => Outcome::SystemException(exception),
            }),
            Some(Destination::Locate { sink, version, request_id }) => {
                let mut memory = Buffer::new();
                let sent = send_locate_reply(&*sink, version, request_id, located, &mut memory);
                if sent.is_err() {
                    tracing::debug!(peer = %sink.peer(), "a LocateReply was not sent");
                }
                // Nothing is sent, so this cannot fail.
                sink.settle(request_id, PendingReply::Later, None).ok();
            }
            // The receiver is gone only if the caller has timed out.
            Some(Destination::Caller(sender)) => drop(sender.send(located)),
        }
    }

    /// The reply to a thread of this process that waits for it.
    pub(in crate::server) fn to_caller(
        sender: SyncSender<Result<Located, SystemException>>,
    ) -> Self {
        Self(Some(Destination::Caller(sender)))
    }

    pub(in crate::server) fn to_request(deferred: DeferredReply) -> Self {
        Self(Some(Destination::Request(deferred)))
    }

    /// The reply to a LocateRequest that is in progress until it is sent.
    pub(in crate::server) fn to_locate_request(
        sink: &dyn RequestSink,
        version: Version,
        request_id: u32,
    ) -> Self {
        Self(Some(Destination::Locate { sink: sink.defer(), version, request_id }))
    }
}

impl Drop for LocationReply {
    fn drop(&mut self) {
        if self.0.is_some() {
            self.answer(Err(no_answer()));
        }
    }
}

impl fmt::Debug for LocationReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocationReply").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// Calls a locator. If it panics, the reply that it was given is dropped, which answers the client.
pub(in crate::server) fn ask(
    orb: &Orb,
    locator: &KeyLocator,
    octets: &[u8],
    peer: &Address,
    reply: LocationReply,
) {
    let key = SoughtKey { octets, peer };
    // The panic is logged already.
    orb.call_back("the locator of keys", Completion::No, || locator(key, reply)).ok();
}

/// The locator has given up.
#[cold]
pub(in crate::server) fn no_answer() -> SystemException {
    SystemException::new(ExceptionKind::Transient, Minor::KEY_NOT_LOCATED, Completion::No)
        .with_reason("the server is to find the object elsewhere, and has given up")
}
