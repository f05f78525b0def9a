//! The encodings of CDR: the parameters on which the two sides of a connection agree.

use crate::{ByteOrder, CodeSet, CodeSets, WideFormat};

/// The parameters that must be the same on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Encoding {
    pub(crate) order: ByteOrder,
    pub(crate) code_sets: CodeSets,
    pub(crate) wide: WideFormat,
}

impl Encoding {
    /// The encoding of this machine, with strings in UTF-8 as in Rust.
    pub(crate) const NATIVE: Self = Self {
        order: ByteOrder::NATIVE,
        code_sets: CodeSets::with_utf_16(CodeSet::Utf8),
        wide: WideFormat::Octets,
    };
}
