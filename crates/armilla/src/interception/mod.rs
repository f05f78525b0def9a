//! What client and server interception share: slots, service contexts, outcomes, and the values of
//! calls. The interceptors themselves are not here. The public module
//! [`interceptor`](crate::interceptor) re-exports all three.

mod codec;
mod context;
pub(crate) mod current;
mod mode;
pub(crate) mod outcome;
pub(crate) mod values;

pub use codec::Codec;
pub use context::Contexts;
pub use current::{PiCurrent, SlotId};
pub(crate) use current::{Slot, SlotCount, Slots};
pub use mode::ProcessingMode;
pub use outcome::{Outcome, ReplyStatus};
pub(crate) use values::{Read, Values};

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use smallvec::SmallVec;
use std::any::Any;

/// What interceptors keep with a request.
pub(crate) type Kept = SmallVec<[Box<dyn Any + Send>; 1]>;

pub(crate) fn keep<T: Any + Send>(kept: &mut Kept, value: T) {
    kept.retain(|other| !other.is::<T>());
    kept.push(Box::new(value));
}

/// `BAD_INV_ORDER` for an operation that is not valid at this interception point (CORBA 3.4 Part 1,
/// 16.3.13, minor code 14).
pub(crate) fn out_of_order(what: &str) -> SystemException {
    SystemException::new(
        ExceptionKind::BadInvOrder,
        Minor::BAD_INV_ORDER_INVALID_INTERCEPTOR_CALL,
        Completion::No,
    )
    .with_reason(what)
}
