//! Dynamic skeletons: servants of interfaces that the program learns at run time (CORBA 3.4 Part 1,
//! 11.2 and 15.3.11). The request that a servant gets is in `server_request`.

use super::ServerRequest;
use crate::exception::SystemException;
use crate::server::poa::ObjectId;
use crate::server::{Dispatched, ServerCall};
use crate::server::{Interface, ServantBase, Upcast, WhichObject};
use std::borrow::Cow;
use std::sync::Arc;

/// A servant that gets every operation by name: `DynamicImplementation` in IDL.
///
/// Pass it to [`serve`], and use the result like any servant: activate it, or return it from a
/// servant manager, or make it a default servant. Its object can have any interface, and stubs can
/// call it. Operations that every object has (`_is_a`, `_non_existent` …) go to its
/// [`servant_base`](Self::servant_base) instead. A servant of several objects asks
/// [`Orb::poa_current`](crate::Orb::poa_current) for the object of a request.
#[doc(alias = "DynamicImplementation")]
pub trait DynamicServant: Send + Sync + 'static {
    /// The repository id of the interface of the object with this id: `_primary_interface`. The ORB
    /// also calls it outside of requests, when it creates references.
    #[doc(alias = "_primary_interface")]
    fn primary_interface(&self, object: &ObjectId) -> Cow<'_, str>;

    /// Whether the object has the interface with this repository id, directly or by inheritance.
    fn is_a(&self, object: &ObjectId, repository_id: &str) -> bool {
        repository_id == self.primary_interface(object)
    }

    /// The implementation of the operations that every object has. `None` leaves them to the ORB.
    fn servant_base(&self) -> Option<&dyn ServantBase> {
        None
    }

    /// Serves a request: reads its [`arguments`](ServerRequest::arguments), and sets the result or
    /// an exception, or [replies later](ServerRequest::response_handler). Several threads may call
    /// it at the same time.
    ///
    /// # Errors
    /// The system exception that the caller gets instead of a result.
    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException>;
}

/// Converts a dynamic servant into the form that a POA accepts.
pub fn serve(servant: impl DynamicServant) -> Arc<dyn DynamicServant> {
    Arc::new(servant)
}

impl Interface for dyn DynamicServant {
    const REPOSITORY_ID: &'static str = crate::wire::OBJECT_ID;
    const BASES: &'static [&'static str] = &[];

    fn object_type(&self, object: WhichObject<'_>) -> Cow<'_, str> {
        self.primary_interface(&object())
    }

    fn has_interface(&self, object: WhichObject<'_>, repository_id: &str) -> bool {
        self.is_a(&object(), repository_id)
    }

    fn servant_base(&self) -> Option<&dyn ServantBase> {
        DynamicServant::servant_base(self)
    }

    fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched {
        if is_implicit(call.operation().as_str()) {
            return call.unknown_operation();
        }
        let mut request = ServerRequest::new(call);
        let outcome = self.invoke(&mut request);
        request.finish(outcome)
    }

    fn is_told_by_servant(operation: &str) -> bool {
        !is_implicit(operation)
    }

    fn upcast(servant: Arc<Self>, target: &mut Upcast<'_>) {
        target.offer(|| servant);
    }
}

/// Whether the name is that of an operation of `Object`, which no interface declares.
fn is_implicit(operation: &str) -> bool {
    operation.starts_with('_') && !operation.starts_with("_get_") && !operation.starts_with("_set_")
}
