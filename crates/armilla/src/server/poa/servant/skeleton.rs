//! Skeletons that a program puts before the generated skeleton of a servant.

use super::operation_lookup::Lookup;
use super::{AnyServant, Servant, ServantBase, Upcast, WhichObject};
use crate::server::poa::{Dispatched, ServerCall};
use crate::server::reply::amh::Signatures;
use armilla_ipc::memory::Shows;
use std::borrow::Cow;
use std::sync::Arc;

/// Sees the requests for a servant before the generated skeleton does. It may serve them itself:
/// operations that the IDL does not declare, or arguments with another marshalling.
///
/// [`AnyServant::with_skeleton`] installs it. [Direct](crate::Collocation::Direct) calls of the
/// servant bypass it.
pub trait Skeleton: Send + Sync + 'static {
    /// Serves the request, or lets `servant` do it with [`AnyServant::dispatch`]. Whoever serves it
    /// reads the [arguments](ServerCall::arguments) and [replies](ServerCall::reply) once. Where nobody
    /// has replied when this returns, the client gets `NO_RESPONSE`.
    ///
    /// # Errors
    /// When the arguments cannot be decoded or the reply cannot be sent: use `?` on the results of
    /// the two.
    fn dispatch(&self, call: &mut ServerCall<'_>, servant: &AnyServant) -> Dispatched;
}

/// A servant with a skeleton before its own.
pub(super) struct WithSkeleton<S>(pub(super) Arc<Parts<S>>);

pub(super) struct Parts<S> {
    pub(super) servant: AnyServant,
    pub(super) skeleton: S,
    pub(super) lookup: Lookup,
}

impl<S: Skeleton> Shows<dyn Servant> for WithSkeleton<S> {
    fn show(&self) -> &(dyn Servant + 'static) {
        self
    }
}

impl<S: Skeleton> Servant for WithSkeleton<S> {
    fn repository_id(&self, object: WhichObject<'_>) -> Cow<'_, str> {
        self.0.servant.get().repository_id(object)
    }

    fn is_a(&self, object: WhichObject<'_>, repository_id: &str) -> bool {
        self.0.servant.get().is_a(object, repository_id)
    }

    fn base_ids(&self) -> &'static [&'static str] {
        self.0.servant.get().base_ids()
    }

    fn base(&self) -> Option<&dyn ServantBase> {
        self.0.servant.get().base()
    }

    fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched {
        self.0.skeleton.dispatch(call, &self.0.servant)
    }

    fn signatures(&self) -> Signatures {
        self.0.servant.get().signatures()
    }

    fn is_told_by_servant(&self, operation: &str) -> bool {
        self.0.servant.get().is_told_by_servant(operation)
    }

    fn upcast(&self, target: &mut Upcast<'_>) {
        self.0.servant.get().upcast(target);
    }

    fn address(&self) -> usize {
        self.0.servant.get().address()
    }

    fn share(&self) -> AnyServant {
        AnyServant::new(Self(self.0.clone()))
    }
}

impl AnyServant {
    /// Passes a request to the skeleton of the servant.
    ///
    /// # Errors
    /// When the arguments cannot be decoded or the reply cannot be sent.
    #[inline]
    pub fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched {
        self.get().dispatch(call)
    }

    /// The same servant with `skeleton` before its own. This takes effect wherever the returned
    /// servant is activated, or returned by a servant manager.
    #[must_use]
    pub fn with_skeleton(self, skeleton: impl Skeleton) -> Self {
        Self::new(WithSkeleton(Arc::new(Parts {
            lookup: self.get().lookup(),
            servant: self,
            skeleton,
        })))
    }
}
