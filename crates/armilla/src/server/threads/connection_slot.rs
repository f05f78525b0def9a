//! What an extension of a POA keeps for a connection, and does in the threads that wait for its
//! requests.

use crate::callbacks::guarded;
use crate::exception::Completion;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// What an extension adds to a connection, from a request on that it has seen
/// ([`UpcallInfo::connection`](crate::UpcallInfo::connection)).
pub trait ConnectionExtension: Any + Send + Sync {
    /// Runs in a thread that begins to wait for the requests of the connection and to serve them.
    fn begin(&self);

    /// Runs in the same thread when the connection has ended or another thread waits for its
    /// requests. For the thread that has attached the extension, this runs without
    /// [`begin`](Self::begin).
    fn end(&self);
}

/// The place of a connection for a [`ConnectionExtension`]. A connection whose place is empty pays
/// for it when a thread begins to wait for its requests, not with each request.
#[derive(Default)]
pub struct ConnectionSlot(OnceLock<Arc<dyn ConnectionExtension>>);

impl ConnectionSlot {
    /// The extension, if one was attached.
    pub fn get(&self) -> Option<&dyn ConnectionExtension> {
        self.0.get().map(|extension| &**extension)
    }

    /// Attaches an extension, for as long as there is the connection. The calling thread, which
    /// serves a request of the connection, is one that has begun. Returns the extension that is
    /// attached: this one, or the one that was attached before.
    pub fn attach(&self, extension: Arc<dyn ConnectionExtension>) -> &dyn ConnectionExtension {
        &**self.0.get_or_init(|| extension)
    }

    /// Notes that the calling thread begins to wait for requests, until the result is dropped.
    #[inline]
    pub(in crate::server) fn begin(&self) -> Waiting<'_> {
        if let Some(extension) = self.0.get() {
            // A panic is reported.
            guarded("ConnectionExtension::begin", Completion::No, || extension.begin()).ok();
        }
        Waiting(self)
    }
}

impl fmt::Debug for ConnectionSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConnectionSlot(attached: {})", self.0.get().is_some())
    }
}

/// A thread that waits for the requests of a connection.
pub(in crate::server) struct Waiting<'c>(&'c ConnectionSlot);

impl Drop for Waiting<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(extension) = self.0.0.get() {
            // A panic is reported.
            guarded("ConnectionExtension::end", Completion::Yes, || extension.end()).ok();
        }
    }
}
