//! What an object adapter activates: a servant that is tied to the skeleton of its interface.

use crate::server::Interface;
use std::sync::Arc;

/// A servant that is tied to its interface. The function `tie`, which the IDL compiler generates
/// for each interface, returns one.
///
/// ```text
/// let account: AccountRef = orb.root_poa().activate(account::tie(Savings::default()))?;
/// ```
///
/// A servant that is not tied is refused, and the Rust compiler says what is missing:
///
/// ```compile_fail,E0277
/// struct Savings;
///
/// fn activate(poa: &armilla::Poa) {
///     poa.activate(Savings);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not tied to an IDL interface",
    label = "a servant is passed through `tie`: `account::tie(servant)`",
    note = "the IDL compiler generates `tie` in the module of each interface"
)]
pub trait Tied {
    /// The interface, a trait object such as `dyn Account`.
    type Interface: Interface + ?Sized;

    /// The servant as an object adapter holds it.
    #[doc(hidden)]
    fn into_shared(self) -> Arc<Self::Interface>;
}

impl<I: Interface + ?Sized> Tied for Arc<I> {
    type Interface = I;

    fn into_shared(self) -> Self {
        self
    }
}
