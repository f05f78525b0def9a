//! The table of values of an encoder.

use super::ValueHandle;
use crate::TypeCode;
use crate::encoding::Encoding;
use crate::key_table::KeyTable;
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The values in the output, and the position of the encoder among chunks.
#[derive(Default)]
pub(crate) struct EncodedValues {
    /// By address.
    pub(crate) known: KeyTable<WrittenValue>,
    pub(crate) ids: BTreeMap<Cow<'static, [u8]>, usize>,
    /// The number of enclosing values in chunks.
    pub(crate) level: u32,
    pub(crate) depth: u32,
    /// The values that were referenced, if the encoder only collects those.
    pub(crate) met: Option<Vec<ValueHandle>>,
    /// The encoding that a value requires if it could not be written in that of the output.
    pub(crate) wanted: Option<Encoding>,
    /// The position in the buffer of the size of the open chunk, if one is open.
    pub(crate) chunk: Option<usize>,
    /// The length of the output behind the last end tag, from the first one on.
    pub(crate) ended_at: Option<usize>,
}

/// A value that was written.
pub(crate) struct WrittenValue {
    pub(crate) place: usize,
    /// Kept alive so that no other value gets its address.
    pub(crate) _handle: ValueHandle,
    pub(crate) ty: ValueType,
}

/// The source of a value's type.
pub(crate) enum ValueType {
    /// From generated code.
    Compiled(fn() -> TypeCode),
    Known(TypeCode),
    /// From the TypeCode of the whole.
    Described,
}

impl core::fmt::Debug for EncodedValues {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("EncodedValues").field("known", &self.known.len()).finish_non_exhaustive()
    }
}
