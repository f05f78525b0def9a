//! The buffers with which a thread calls over shared connections.

use super::slot::Slot;
use crate::client::request::{ReplyStart, Template};
use armilla_cdr::{Buffer, CodeSets};
use armilla_giop::OwnedMessage;
use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// The last request of a thread, whose header is the template for the next, its slot for replies,
/// and the reply that it has taken from there.
pub(in crate::client) struct ThreadBuffers {
    pub(super) request: Buffer,
    pub(super) template: Template,
    pub(super) slot: Arc<Slot>,
    pub(in crate::client) reply: OwnedMessage,
    /// What is known of the reply, and the code sets of its strings.
    pub(in crate::client) start: ReplyStart,
    pub(in crate::client) code_sets: CodeSets,
}

thread_local! {
    /// The buffers of this thread, reused from call to call.
    static THREAD_BUFFERS: Cell<Option<Box<ThreadBuffers>>> = const { Cell::new(None) };
}

/// The buffers of the calling thread during one call. They return to the thread when they are
/// dropped. A nested call finds none and allocates its own.
pub(in crate::client) struct BorrowedBuffers {
    /// `None` while it is dropped.
    buffers: Option<Box<ThreadBuffers>>,
}

impl BorrowedBuffers {
    #[inline]
    pub(in crate::client) fn of_this_thread() -> Self {
        let kept = THREAD_BUFFERS.try_with(Cell::take).ok().flatten();
        Self { buffers: Some(kept.unwrap_or_else(|| Box::new(ThreadBuffers::new()))) }
    }
}

impl ThreadBuffers {
    fn new() -> Self {
        let slot = Arc::new(Slot::of_this_thread());
        let (request, template) = (Buffer::new(), Template::default());
        let (start, code_sets) = (ReplyStart::NONE, CodeSets::UNAGREED);
        Self { request, template, slot, reply: OwnedMessage::new(), start, code_sets }
    }
}

impl Deref for BorrowedBuffers {
    type Target = ThreadBuffers;

    #[inline]
    fn deref(&self) -> &ThreadBuffers {
        self.buffers.as_ref().expect("they are there until the drop")
    }
}

impl DerefMut for BorrowedBuffers {
    #[inline]
    fn deref_mut(&mut self) -> &mut ThreadBuffers {
        self.buffers.as_mut().expect("they are there until the drop")
    }
}

impl Drop for BorrowedBuffers {
    fn drop(&mut self) {
        if let Some(mut buffers) = self.buffers.take() {
            buffers.reply.clear();
            // A thread that is ending has no thread-local storage left.
            THREAD_BUFFERS.try_with(|kept| kept.set(Some(buffers))).ok();
        }
    }
}

/// Resets a template when it is dropped: the buffer that it describes was lost by a panic.
pub(super) struct TemplateGuard<'t>(pub(super) &'t mut Template);

impl Drop for TemplateGuard<'_> {
    fn drop(&mut self) {
        *self.0 = Template::default();
    }
}
