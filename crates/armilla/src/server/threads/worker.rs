//! What a thread needs to serve requests: its buffers and its status.

use super::worker_status::{WorkerPool, WorkerStatus};
use crate::sync::lock;
use armilla_cdr::Buffer;
use armilla_giop::MessageBuffer;
use armilla_ipc::memory;
use std::sync::Arc;
use std::time::Duration;

/// How long a thread keeps the memory of large messages for the next one of the same connection.
pub(in crate::server) const MEMORY_KEPT: Duration = Duration::from_secs(1);

/// The largest reply buffer that a thread keeps between connections, in octets.
const RETAINED: usize = 1024 * 1024;

/// What a thread needs to serve requests.
pub(in crate::server) struct Worker {
    /// The message being served, and the buffer to read into.
    pub(in crate::server) inbox: MessageBuffer,
    /// The last reply; its buffer is reused for the next one.
    pub(in crate::server) reply: Buffer,
    /// Whether a thread of the reactor has served large messages since it released memory.
    pub(in crate::server) large: bool,
    pub(in crate::server) status: Arc<WorkerStatus>,
    pub(in crate::server) workers: Arc<dyn WorkerPool>,
}

impl Worker {
    /// Registers the calling thread as a worker.
    pub(in crate::server) fn new(workers: Arc<dyn WorkerPool>, pooled: bool) -> Self {
        let status = WorkerStatus::new(workers.clone(), pooled);
        lock(workers.statuses()).push(status.clone());
        let (inbox, reply) = (MessageBuffer::new(), Buffer::new());
        Self { inbox, reply, large: false, status, workers }
    }

    /// Makes the thread fit for other connections after a panic.
    pub(in crate::server) fn recover(&mut self) {
        self.status.recover(&*self.workers);
        (self.inbox, self.reply) = (MessageBuffer::new(), Buffer::new());
    }

    /// Frees the memory of large messages, and returns it to the operating system.
    #[cold]
    pub(in crate::server) fn release_memory(&mut self) {
        self.large = false;
        self.inbox.release_memory();
        self.shrink();
        memory::release_free();
    }

    /// Frees the buffers of large messages before the thread turns to another connection.
    #[inline]
    pub(in crate::server) fn shrink(&mut self) {
        self.inbox.shrink();
        if self.reply.capacity() > RETAINED {
            self.reply = Buffer::new();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.status.unblock(&*self.workers);
        lock(self.workers.statuses()).retain(|status| !Arc::ptr_eq(status, &self.status));
    }
}
