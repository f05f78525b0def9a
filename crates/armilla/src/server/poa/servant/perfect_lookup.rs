//! Servants whose operations are found by the perfect hash of the skeleton, for programs without a
//! choice: what `operation_lookup.rs` is to the others.

use super::any_servant::Tie;
use super::skeleton::WithSkeleton;
use super::{Interface, Servant, Skeleton};
use crate::exception::SystemException;
use crate::object_key::KeyOctets;
use armilla_giop::ior::TaggedComponent;

/// The strategy that finds the operation of a request.
#[derive(Clone, Copy)]
pub(crate) struct Lookup;

/// The operations of a skeleton by number, which nothing asks for.
pub(crate) trait NumberedOperations {
    /// The strategy that finds the operation of a request.
    fn lookup(&self) -> Lookup {
        Lookup
    }
}

/// The key of an object of this servant, as references carry it.
pub(crate) fn numbered_key(_: &dyn Servant, key: KeyOctets) -> KeyOctets {
    key
}

/// What references say about the numbers of operations.
///
/// # Errors
/// None.
pub(crate) fn number_components(_: &dyn Servant) -> Result<Vec<TaggedComponent>, SystemException> {
    Ok(Vec::new())
}

impl<I: Interface + ?Sized> NumberedOperations for Tie<I> {}

impl<S: Skeleton> NumberedOperations for WithSkeleton<S> {
    fn lookup(&self) -> Lookup {
        self.0.lookup
    }
}
