//! Who may do what only operators may.

use armilla::{Caller, ExceptionKind, SystemException};

/// Checks that the calling client is an operator: on this host, unless others are admitted. A thread
/// that serves no request belongs to the program.
///
/// # Errors
/// `NO_PERMISSION`.
pub(crate) fn check(admits_remote: bool) -> Result<(), SystemException> {
    let is_here =
        || Caller::current().is_none_or(|it| it.address.is_none() || it.is_on_this_host());
    match admits_remote || is_here() {
        true => Ok(()),
        false => Err(ExceptionKind::NoPermission
            .because("operators are on the host of the service")
            .with_hint("`--remote-operators` admits other hosts")),
    }
}
