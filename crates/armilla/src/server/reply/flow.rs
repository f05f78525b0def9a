//! The interceptors of a request, as whoever replies to it knows them.

use crate::client::interception::Interruption;
use crate::interception::Outcome;
use crate::signature::NamedValue;
use armilla_cdr::{CdrResult, Decoder, Encoder, TypeCode};
use armilla_giop::{ReplyStatus, ServiceContext};
use smallvec::SmallVec;

/// The state of the interceptors until the request ends; `None` when there are none.
pub(in crate::server) type Flow = Option<Box<dyn RequestFlow>>;

/// A request in progress that interceptors see.
pub(crate) trait RequestFlow: Send {
    /// Notes that the servant was called: from now on the request may have been executed.
    fn note_entry(&mut self);

    /// Whether the servant describes its arguments before the interceptors see the object.
    fn awaits_servant(&self) -> bool;

    /// Takes the description of its arguments from a servant that was already called (CORBA 3.4
    /// Part 1, 16.3.8.3).
    ///
    /// # Errors
    /// What an interceptor ends the request with.
    fn describe_arguments(
        &mut self,
        parameters: Vec<NamedValue>,
        arguments: &Decoder<'_>,
    ) -> Result<(), Interruption>;

    /// Takes the type of the result from such a servant.
    fn describe_result(&mut self, type_code: &TypeCode);

    /// Takes the type of the exception from such a servant.
    fn describe_exception(&mut self, type_code: &TypeCode);

    /// Gives the thread its own slots back: the request is answered later, by another thread.
    fn leave_thread(&mut self);

    /// The same, but the thread keeps the slots of the request until the servant that answers later
    /// has returned.
    fn lend_slots(&mut self);

    /// Ends the request with the servant's result or exception, which `body` writes. Returns what
    /// the interceptors make of it.
    fn answer<'p>(
        &mut self,
        status: ReplyStatus,
        body: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
    ) -> Outcome;

    /// Runs the last points of the request. Returns what the interceptors make of the outcome.
    fn end(&mut self, outcome: Outcome) -> Outcome;

    /// The service contexts of the reply.
    fn contexts(&self) -> SmallVec<[ServiceContext<'_>; 3]>;
}
