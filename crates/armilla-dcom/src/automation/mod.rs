//! Automation: the values that programs in Basic and scripts exchange (MS-OAUT).

mod bstr;

pub use bstr::Bstr;
