//! Operations that lend their values to a servant of the same process, even where calls go through
//! its object adapter.
//!
//! Such a call otherwise copies all values by encoding them, which also finds those that cannot be
//! encoded. Neither matters where all types are of a fixed size: the servant cannot change what it
//! is lent, results are its own, and every value has an encoding.

use super::fixed;
use super::operation::Callable;
use crate::model::{Model, Type};

/// Whether nobody can tell a call with the values themselves from one with copies.
pub(super) fn is_lent(model: &Model, callable: &Callable<'_>) -> bool {
    let is_fixed = |ty: &Type| fixed::is_fixed_size(model, ty);
    // What a oneway operation raises stays with the servant. After a failure the caller's `inout`
    // arguments are as before.
    !callable.oneway
        && callable.contexts.is_empty()
        && callable.inouts().next().is_none()
        && callable.raises.iter().all(|raised| is_fixed(&Type::Named(*raised)))
        && callable.returned().all(is_fixed)
        && callable.arguments().all(|argument| match model.resolve(argument.ty) {
            Type::Sequence(element, None) => is_fixed(element),
            ty => is_fixed(ty),
        })
}
