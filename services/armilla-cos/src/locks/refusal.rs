//! What a client gets that does not get its lock.

use super::model::Refusal;
use armilla::{Completion, ExceptionKind, Minor, SystemException};

/// The exception for a refusal. `LockNotHeld` is a user exception: see
/// [`not_held`](Refusal::NotHeld).
pub(super) fn exception(why: Refusal, is_transaction: bool) -> SystemException {
    // Nothing was locked, and nobody else knows that.
    let of = |kind, minor| {
        SystemException::new(kind, minor, Completion::No).with_completed(Completion::No)
    };
    match (why, is_transaction) {
        (Refusal::Deadlock, true) => of(ExceptionKind::TransactionRolledback, Minor::LOCK_DEADLOCK)
            .with_reason("transactions waited for each other, and this one has to give way")
            .with_hint("it is marked for rollback: roll it back, and do its work again"),
        (Refusal::Deadlock, false) => of(ExceptionKind::BadInvOrder, Minor::LOCK_DEADLOCK)
            .with_reason("holders of locks waited for each other, and this one has to give way")
            .with_hint("release the lock that was to change, and begin again"),
        (Refusal::TimedOut, _) => of(ExceptionKind::Timeout, Minor::LOCK_WAIT_ENDED)
            .with_reason("others have had the lock for as long as the service lets clients wait"),
        (Refusal::Ended, true) => ExceptionKind::TransactionRolledback
            .because("the transaction has ended, perhaps because its time was up"),
        (Refusal::Ended, false) => {
            ExceptionKind::NoPermission.because("an operator has released the lock")
        }
        (Refusal::TooMany, _) => ExceptionKind::Transient
            .because("there are too many locks and waits")
            .with_hint("the limit is `LockOptions::most`, `--most` of the command"),
        (Refusal::NotHeld, _) => {
            ExceptionKind::BadInvOrder.because("the lock that was to change was released meanwhile")
        }
    }
}
