//! Dynamic skeletons: servants of interfaces that the program gets to know while it runs (CORBA 3.4
//! Part 1, 11.2 and 15.3.11). What they are handed is in `server_request.rs`.

use super::ServerRequest;
use crate::exception::SystemException;
use crate::server::poa::ObjectId;
use crate::server::{Dispatched, ServerCall};
use crate::server::{Interface, ServantBase, Upcast, WhichObject};
use std::borrow::Cow;
use std::sync::Arc;

/// A servant that is handed every operation by its name: IDL `DynamicImplementation`.
///
/// It is activated like any other, as [`serve`] makes it, or is a default servant or what a servant
/// manager gives; its object can have any interface, and may also be called by stubs. Operations that
/// every object has (`_is_a`, `_non_existent` …) do not come here but to its
/// [`servant_base`](Self::servant_base). A servant of many objects asks
/// [`Orb::poa_current`](crate::Orb::poa_current) which of them is called.
pub trait DynamicServant: Send + Sync + 'static {
    /// The repository id of the interface that the object with this id has: `_primary_interface`. It is
    /// asked for references, too, outside of requests.
    fn primary_interface(&self, object: &ObjectId) -> Cow<'_, str>;

    /// Whether that object has the interface with this repository id: what it inherits from too.
    fn is_a(&self, object: &ObjectId, repository_id: &str) -> bool {
        repository_id == self.primary_interface(object)
    }

    /// What answers the operations that every object has in place of the ORB; `None` for nothing.
    fn servant_base(&self) -> Option<&dyn ServantBase> {
        None
    }

    /// Serves a request: asks it for its [`arguments`](ServerRequest::arguments), and leaves it the
    /// result or an exception, or [replies later](ServerRequest::response_handler).
    ///
    /// # Errors
    /// What the caller shall get in place of a result.
    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException>;
}

/// The servant in the form in which a POA takes it.
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

/// Whether it is an operation of `Object`, which is no business of the interface.
fn is_implicit(operation: &str) -> bool {
    operation.starts_with('_') && !operation.starts_with("_get_") && !operation.starts_with("_set_")
}
