//! The way back to a client.

use armilla_cdr::CodeSets;
use armilla_ipc::Stream;
use std::sync::Arc;

/// Where replies go.
pub(crate) struct ReplyPort {
    pub(crate) stream: Arc<dyn Stream>,
    /// The last reply; its memory is used for the next.
    pub(crate) buffer: Vec<u8>,
    /// What the client chose for characters; it says so with its first request.
    pub(crate) code_sets: CodeSets,
    pub(crate) max_message: usize,
    /// From how many octets on a reply leaves in fragments.
    pub(crate) fragment_size: usize,
}
