//! Interceptors of requests that arrive (CORBA 3.4 Part 1, 16.3.8 and 16.3.14).

use super::client::{keep, out_of_order};
use super::context::Contexts;
use super::current::{SlotId, Slots};
use super::ior::adapter_names;
use super::outcome::{Interruption, Outcome, ReplyStatus};
use crate::exception::SystemException;
use crate::poa::{ObjectId, Target};
use armilla_cdr::Any as Value;
use armilla_giop::ior::Ior;
use armilla_ipc::Address;
use std::any::Any;
use std::fmt;

/// Sees the requests that an ORB serves. Every method has a default that does nothing.
///
/// It is called by the thread that serves the request, by many at once.
pub trait ServerInterceptor: Send + Sync {
    /// Its name, unlike that of any other; interceptors without one are anonymous.
    fn name(&self) -> &str {
        ""
    }

    /// A request has arrived. Its object was not looked for yet; what its service contexts say goes
    /// into slots.
    ///
    /// # Errors
    /// The servant is not called, the interceptors behind this one do not hear of the request, and
    /// those before it hear how it ends.
    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        let _ = request;
        Ok(())
    }

    /// The object was found, and its servant is about to be called by this thread.
    ///
    /// # Errors
    /// The servant is not called, and all interceptors hear how the request ends.
    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let _ = request;
        Ok(())
    }

    /// A reply is about to be sent; service contexts may be added.
    ///
    /// # Errors
    /// The client hears of the exception instead, `COMPLETED_YES`.
    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        let _ = request;
        Ok(())
    }

    /// An exception is about to be sent: the servant's, the ORB's or another interceptor's.
    ///
    /// # Errors
    /// The client hears of another exception instead, or is sent elsewhere.
    fn send_exception(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let _ = request;
        Ok(())
    }

    /// The request ends otherwise: the client is sent elsewhere, or expects no reply.
    ///
    /// # Errors
    /// The client hears of the exception instead, or is sent to yet another place.
    fn send_other(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        let _ = request;
        Ok(())
    }

    /// Whether calls from the same process shall be encoded so that it sees them.
    fn sees_collocated(&self) -> bool {
        true
    }

    /// The ORB was shut down.
    fn destroy(&self) {}
}

/// A request that arrived, as a server interceptor sees it.
pub struct ServerRequestInfo {
    pub(super) id: u32,
    pub(super) operation: Box<str>,
    pub(super) response_expected: bool,
    pub(super) peer: Address,
    pub(super) object: Option<Target>,
    pub(super) contexts: Contexts,
    pub(super) reply_contexts: Contexts,
    pub(super) outcome: Option<Outcome>,
    pub(super) slots: Slots,
    pub(super) slot_count: usize,
    pub(super) kept: Vec<Box<dyn Any + Send>>,
}

impl ServerRequestInfo {
    /// The number of the request, by which its client tells it from others on the connection.
    pub const fn request_id(&self) -> u32 {
        self.id
    }

    /// The name of the operation.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// Whether a reply is expected; not for a oneway operation.
    pub const fn response_expected(&self) -> bool {
        self.response_expected
    }

    /// Where the request came from.
    pub const fn peer(&self) -> &Address {
        &self.peer
    }

    /// The id of the object, once it was found.
    pub fn object_id(&self) -> Option<&ObjectId> {
        self.object.as_ref().map(|object| &object.id)
    }

    /// The names of the object's POA and those above it, from the root down; none before the object
    /// was found.
    pub fn adapter_name(&self) -> Vec<String> {
        self.object.as_ref().map_or_else(Vec::new, |object| adapter_names(object.poa.path()))
    }

    /// The repository id of the most derived interface of the object, once it was found.
    pub fn target_most_derived_interface(&self) -> Option<&str> {
        self.object.as_ref().map(|object| object.servant.repository_id())
    }

    /// Whether the object has the interface with this repository id; no before it was found.
    pub fn target_is_a(&self, repository_id: &str) -> bool {
        self.object.as_ref().is_some_and(|object| object.servant.get().is_a(repository_id))
    }

    /// The octets that tell the object's POA from others of this ORB, once the object was found.
    pub fn adapter_id(&self) -> Option<&[u8]> {
        self.object.as_ref().map(|object| object.poa.path())
    }

    /// The exception that is about to be sent. A user exception is `UNKNOWN` here, since a skeleton
    /// has no any of it; [`Outcome::exception_id`] says which it is.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` outside [`send_exception`](ServerInterceptor::send_exception).
    pub fn sending_exception(&self) -> Result<Value, SystemException> {
        super::shown::exception(self.outcome.as_ref(), None)
    }

    /// Where the client is sent.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` unless its outcome is [`Outcome::Forward`].
    pub fn forward_reference(&self) -> Result<&Ior, SystemException> {
        match &self.outcome {
            Some(Outcome::Forward(ior)) => Ok(ior),
            _ => Err(out_of_order("the client is not sent elsewhere")),
        }
    }

    /// The service contexts of the request.
    pub const fn request_service_contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// The service contexts that the reply will have.
    pub const fn reply_service_contexts(&self) -> &Contexts {
        &self.reply_contexts
    }

    /// Adds a service context to the reply.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` when there is one with this id already and it shall not be replaced.
    pub fn add_reply_service_context(
        &mut self,
        id: u32,
        data: &[u8],
        replace: bool,
    ) -> Result<(), SystemException> {
        self.reply_contexts.add(id, data, replace)
    }

    /// How the request ends; `None` before it does.
    pub const fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The status of the reply; `None` before there is one.
    pub fn reply_status(&self) -> Option<ReplyStatus> {
        self.outcome.as_ref().map(Outcome::status)
    }

    /// A slot of the request. The servant finds it in the slots of its thread.
    ///
    /// # Errors
    /// `BAD_PARAM` when the slot was not allocated.
    pub fn slot(&self, id: SlotId) -> Result<Value, SystemException> {
        self.slots.get(id, self.slot_count)
    }

    /// Sets a slot of the request.
    ///
    /// # Errors
    /// `BAD_PARAM` when the slot was not allocated, `BAD_INV_ORDER` when the request ends.
    pub fn set_slot(&mut self, id: SlotId, value: Value) -> Result<(), SystemException> {
        match self.outcome {
            None => self.slots.set(id, self.slot_count, value),
            Some(_) => Err(out_of_order("the request was served already")),
        }
    }

    /// Keeps a value until the request ends, for this interceptor or others that know its type; one
    /// of each type.
    pub fn keep<T: Any + Send>(&mut self, value: T) {
        keep(&mut self.kept, value);
    }

    /// The value of this type that is kept.
    pub fn kept<T: Any>(&self) -> Option<&T> {
        self.kept.iter().find_map(|value| value.downcast_ref())
    }
}

impl fmt::Debug for ServerRequestInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRequestInfo")
            .field("id", &self.id)
            .field("operation", &self.operation)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}
