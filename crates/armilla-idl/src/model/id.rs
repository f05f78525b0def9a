//! The handle of a declaration.

/// The index of a declaration in its [`Model`](super::Model).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclId(pub(crate) u32);

impl DeclId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}
