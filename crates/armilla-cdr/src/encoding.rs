//! The forms in which CDR is written: what one connection has agreed on and another may not have.

use crate::{ByteOrder, CodeSet, CodeSets, WideFormat};

/// What must be the same on both sides for octets to mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Encoding {
    pub(crate) order: ByteOrder,
    pub(crate) code_sets: CodeSets,
    pub(crate) wide: WideFormat,
}

impl Encoding {
    /// That of this machine, with strings as Rust has them.
    pub(crate) const NATIVE: Self = Self {
        order: ByteOrder::NATIVE,
        code_sets: CodeSets::with_utf_16(CodeSet::Utf8),
        wide: WideFormat::Octets,
    };
}
