//! What a member knows of its disk.

use super::history::Journal;
use super::view::MemberInfo;
use std::fmt;

/// The disk of a member, and what is on it.
#[derive(Default)]
pub(super) struct Disk {
    pub(super) journal: Option<Box<dyn Journal>>,
    /// Under which identities the history on it was made; empty if there is none.
    pub(super) identities: Vec<MemberInfo>,
    pub(super) records: u32,
    pub(super) has_failed: bool,
    /// Whether the member is what its disk says: it has not been anything else since it was read.
    pub(super) may_return: bool,
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Disk").field("records", &self.records).finish_non_exhaustive()
    }
}
