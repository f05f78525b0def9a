//! A servant that a servant locator provides for one request, until `postinvoke` (CORBA 3.4 Part 1,
//! 15.3.7).

use crate::callbacks::guarded;
use crate::exception::{Completion, SystemException};
use crate::server::poa::AnyServant;
use crate::server::poa::servant_manager::{Cookie, ServantLocator};
use crate::server::poa::{ObjectId, PoaInner};
use std::cell::Cell;
use std::sync::Arc;

/// A servant from a servant locator; `None` once `postinvoke` was called.
pub(crate) struct LocatedServant(Cell<Option<PostinvokeArguments>>);

/// The arguments of `postinvoke`.
pub(in crate::server::poa) struct PostinvokeArguments {
    pub(in crate::server::poa) locator: Arc<dyn ServantLocator>,
    pub(in crate::server::poa) cookie: Cookie,
    pub(in crate::server::poa) operation: String,
    pub(in crate::server::poa) poa: Arc<PoaInner>,
    pub(in crate::server::poa) id: ObjectId,
    pub(in crate::server::poa) servant: AnyServant,
}

impl LocatedServant {
    pub(in crate::server::poa) const fn new(arguments: PostinvokeArguments) -> Self {
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
        .map_err(SystemException::after_execution)
    }
}
