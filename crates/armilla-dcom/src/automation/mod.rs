//! Automation: the values that programs in Basic and scripts exchange (MS-OAUT).
//!
//! A [`Variant`] holds any of them; [`VariantPointer`] is how one is a parameter. Their octets are
//! little-endian whatever a call is. [`dispatch`] has the interfaces as tables,
//! [`type_info`] the descriptions of types.

mod bstr;
pub mod dispatch;
#[cfg(feature = "json")]
pub mod json;
mod numbers;
mod safe_array;
pub mod type_info;
mod variant;
mod wire;

pub use bstr::Bstr;
pub use numbers::{Currency, Date, Decimal, VariantBool};
pub use safe_array::{Bound, Elements, SafeArray};
pub use variant::Variant;
pub use wire::{SafeArrayPointer, VariantPointer};
