//! A servant that a servant locator provides for one request, until `postinvoke` (CORBA 3.4 Part 1,
//! 15.3.7).

use super::servant_manager::{Cookie, ServantLocator};
use super::{ObjectId, PoaInner};
use crate::callbacks::guarded;
use crate::exception::{Completion, SystemException};
use crate::server::AnyServant;
use std::cell::Cell;
use std::sync::Arc;

/// A servant from a servant locator; `None` once `postinvoke` was called.
pub(crate) struct LocatedServant(Cell<Option<PostinvokeArguments>>);

/// The arguments of `postinvoke`.
pub(super) struct PostinvokeArguments {
    pub(super) locator: Arc<dyn ServantLocator>,
    pub(super) cookie: Cookie,
    pub(super) operation: String,
    pub(super) poa: Arc<PoaInner>,
    pub(super) id: ObjectId,
    pub(super) servant: AnyServant,
}

impl LocatedServant {
    pub(super) const fn new(arguments: PostinvokeArguments) -> Self {
        Self(Cell::new(Some(arguments)))
    }

    /// Calls `postinvoke`, unless that was done.
    ///
    /// # Errors
    /// The exception that the locator raises.
    pub(crate) fn postinvoke(&self) -> Result<(), SystemException> {
        let Some(PostinvokeArguments { locator, cookie, operation, poa, id, servant }) =
            self.0.take()
        else {
            return Ok(());
        };
        let Some(orb) = poa.orb() else { return Ok(()) };
        let poa = orb.poa_of(&poa);
        guarded("ServantLocator::postinvoke", Completion::Maybe, || {
            locator.postinvoke(&id, &poa, &operation, cookie, servant)
        })
        .and_then(|done| done)
        // The servant was called before.
        .map_err(SystemException::after_entry)
    }
}
