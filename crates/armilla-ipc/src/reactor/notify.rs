//! Notifications: another thread makes the reactor run an action (`eventfd`).

use super::{Handler, Next, Reactor, Ready, Token};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes a thread of the reactor run an action. [`Reactor::notifier`] makes it; it is cheap to
/// clone, `Send` and `Sync`.
#[derive(Clone)]
pub struct Notifier {
    handler: Arc<NotifyHandler>,
    token: Token,
}

impl Notifier {
    /// Makes a thread of the reactor run the action once after this call. Notifications that come
    /// before it runs count as one, and only the first of them costs a system call.
    pub fn notify(&self) {
        if !self.handler.pending.swap(true, Ordering::AcqRel) {
            // It fails only if the counter is full, and then the reactor will wake anyway.
            let _ = rustix::io::write(&self.handler.fd, &1_u64.to_ne_bytes());
        }
    }

    /// The registration, with which [`Reactor::deregister`] ends the notifications.
    pub fn token(&self) -> Token {
        self.token
    }
}

impl fmt::Debug for Notifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifier").field("token", &self.token).finish_non_exhaustive()
    }
}

impl Reactor {
    /// Registers an action that other threads trigger. Data goes through a queue that the action
    /// captures.
    ///
    /// ```
    /// # use armilla_ipc::reactor::Reactor;
    /// use std::sync::mpsc;
    ///
    /// let reactor = Reactor::new()?;
    /// let (sender, receiver) = mpsc::channel();
    /// let receiver = std::sync::Mutex::new(receiver);
    /// let notifier = reactor.notifier(move |reactor| {
    ///     for message in receiver.lock().unwrap().try_iter() {
    ///         if message == "enough" { reactor.stop() }
    ///     }
    /// })?;
    /// std::thread::spawn(move || {
    ///     sender.send("enough").unwrap();
    ///     notifier.notify();
    /// });
    /// reactor.run()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the operating system gives no descriptor.
    pub fn notifier(
        &self,
        action: impl Fn(&Reactor) + Send + Sync + 'static,
    ) -> io::Result<Notifier> {
        let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let action = Box::new(action);
        let handler = Arc::new(NotifyHandler { fd, pending: AtomicBool::new(false), action });
        let token = self.register(Arc::<NotifyHandler>::clone(&handler))?;
        Ok(Notifier { handler, token })
    }
}

struct NotifyHandler {
    fd: OwnedFd,
    /// Whether the descriptor is readable, or about to be.
    pending: AtomicBool,
    action: Box<dyn Fn(&Reactor) + Send + Sync>,
}

impl Handler for NotifyHandler {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    fn ready(&self, reactor: &Reactor, _: Token, _: Ready) -> Next {
        // The event is read before the mark is cleared. So a notification between the two is not
        // lost: it finds the mark set, and the action that is about to run comes after it.
        let _ = rustix::io::read(&self.fd, &mut [0_u8; 8]);
        self.pending.swap(false, Ordering::AcqRel);
        (self.action)(reactor);
        Next::READ
    }
}
