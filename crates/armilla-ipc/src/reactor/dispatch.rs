//! The event loop of a reactor: it waits for events and calls their handlers.

use super::Reactor;
use super::epoll::ReactorEvent;
use std::io;
use std::sync::TryLockError;
use std::time::Duration;

impl Reactor {
    /// Handles events until [`stop`](Self::stop).
    ///
    /// Of a reactor made for one thread only one thread at a time may be here, and not again from
    /// within a handler; of a shared one, any number, and handlers may.
    ///
    /// # Errors
    /// [`io::ErrorKind::ResourceBusy`] if another thread already runs a reactor made for one
    /// thread; whatever the kernel reports otherwise, none is known.
    pub fn run(&self) -> io::Result<()> {
        while !self.is_stopped() {
            self.handle_events(None)?;
        }
        Ok(())
    }

    /// Waits for at most `timeout` (`None`: until an event comes) and handles the events. Returns
    /// their number, 0 if the time is up or a signal came.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn handle_events(&self, timeout: Option<Duration>) -> io::Result<usize> {
        let _driver = match self.driver.try_lock() {
            _ if self.is_shared() => None,
            Ok(driver) => Some(driver),
            Err(TryLockError::Poisoned(driver)) => Some(driver.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let reason = "another thread already runs this reactor, which is made for one";
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, reason));
            }
        };
        self.epoll.wait(timeout, |event| self.handle(event))
    }

    /// Takes one event of a shared reactor without handling it yet; `None` if there was none.
    pub(super) fn next(&self, timeout: Option<Duration>) -> io::Result<Option<ReactorEvent>> {
        let mut next = None;
        self.epoll.wait(timeout, |event| next = Some(event))?;
        Ok(next)
    }

    /// Calls the handler of an event.
    #[inline]
    pub(super) fn handle(&self, event: ReactorEvent) {
        match event {
            ReactorEvent::Ready(token, ready) => {
                if let Some(mut guard) = self.enter(token) {
                    guard.next = guard.handler.ready(self, token, ready);
                }
            }
            ReactorEvent::TimerExpired => self.expire_due_timer(),
            ReactorEvent::Stop => {}
        }
    }
}
