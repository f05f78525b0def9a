//! Servants, as the object adapter holds them.

use super::{Interface, Upcast};
use crate::server::{Dispatched, ServerCall};
use std::sync::Arc;

/// A servant of any interface.
pub(crate) trait Servant: Send + Sync {
    /// The repository id of its most derived interface.
    fn repository_id(&self) -> &str;

    /// Whether it implements the interface with this repository id. Every servant is an `Object`.
    fn is_a(&self, repository_id: &str) -> bool;

    /// Hands a request to the skeleton.
    fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched;

    /// Offers the servant as each of its interfaces.
    fn upcast(&self, target: &mut Upcast);
}

/// Ties a servant to the skeleton of the interface `I`.
pub(crate) struct Tie<I: ?Sized>(pub(crate) Arc<I>);

impl<I: Interface + ?Sized> Servant for Tie<I> {
    fn repository_id(&self) -> &str {
        self.0.object_type()
    }

    fn is_a(&self, repository_id: &str) -> bool {
        repository_id == crate::OBJECT_ID || self.0.has_interface(repository_id)
    }

    #[inline]
    fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched {
        self.0.dispatch(call)
    }

    fn upcast(&self, target: &mut Upcast) {
        I::upcast(self.0.clone(), target);
    }
}
