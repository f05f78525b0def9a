//! Servants whose operations are found by another strategy than the perfect hash of the skeleton.

use super::any_servant::Tie;
use super::skeleton::{Parts, WithSkeleton};
use super::{AnyServant, Interface, Servant, Skeleton};
use crate::exception::{Completion, SystemException};
use crate::object_key::{KeyOctets, operation_number, with_room_for_number};
use crate::operations::{Finder, OperationLookup, OperationNames};
use crate::server::poa::{Dispatched, ServerCall};
use armilla_giop::ior::{Component, TaggedComponent};
use std::sync::Arc;

pub(super) use crate::operations::OperationLookup as Lookup;

/// The operations of a skeleton by number.
pub(crate) trait NumberedOperations {
    /// The names of the operations; the index of a name is the number.
    fn operations(&self) -> &'static [&'static str];

    /// Passes a request for the operation with this number to the skeleton.
    fn perform(&self, number: usize, call: &mut ServerCall<'_>) -> Dispatched;

    /// The strategy that finds the operation of a request.
    fn lookup(&self) -> OperationLookup {
        OperationLookup::Perfect
    }
}

/// The key of an object of this servant, as references carry it: with room for the number of an
/// operation, if requests may name operations by number.
pub(crate) fn numbered_key(servant: &dyn Servant, key: KeyOctets) -> KeyOctets {
    match servant.lookup() {
        OperationLookup::Active => with_room_for_number(key),
        _ => key,
    }
}

/// What references say about the numbers of operations, where requests may use them.
///
/// # Errors
/// When the names cannot be encoded.
pub(crate) fn number_components(
    servant: &dyn Servant,
) -> Result<Vec<TaggedComponent>, SystemException> {
    if servant.lookup() != OperationLookup::Active {
        return Ok(Vec::new());
    }
    let component = OperationNames::new(servant.operations()).to_tagged();
    let component = component.map(|component| vec![component]);
    component.map_err(|error| SystemException::encoding(&error, Completion::No))
}

impl<I: Interface + ?Sized> NumberedOperations for Tie<I> {
    fn operations(&self) -> &'static [&'static str] {
        I::OPERATIONS
    }

    fn perform(&self, number: usize, call: &mut ServerCall<'_>) -> Dispatched {
        self.servant().perform(number, call)
    }
}

impl<S: Skeleton> NumberedOperations for WithSkeleton<S> {
    fn operations(&self) -> &'static [&'static str] {
        self.0.servant.get().operations()
    }

    fn perform(&self, number: usize, call: &mut ServerCall<'_>) -> Dispatched {
        self.0.servant.get().perform(number, call)
    }

    fn lookup(&self) -> OperationLookup {
        self.0.lookup
    }
}

impl Skeleton for Finder {
    #[inline]
    fn dispatch(&self, call: &mut ServerCall<'_>, servant: &AnyServant) -> Dispatched {
        match self.find(call.operation().as_str(), || call.object_key().and_then(operation_number))
        {
            Some(number) => servant.get().perform(number, call),
            None => servant.dispatch(call),
        }
    }
}

impl AnyServant {
    /// The same servant with this strategy to find its operations. This takes effect wherever the
    /// returned servant is activated, or returned by a servant manager.
    /// [`OperationLookup::Perfect`] leaves the servant as it is.
    ///
    /// Needs the feature `demultiplexing-strategies`.
    #[must_use]
    pub fn with_operation_lookup(self, lookup: OperationLookup) -> Self {
        match Finder::new(lookup, self.get().operations()) {
            Some(skeleton) => {
                Self::new(WithSkeleton(Arc::new(Parts { servant: self, skeleton, lookup })))
            }
            None => self,
        }
    }
}
