//! What all acceptors share: the time limit of a wait for a peer, the pause while resources are
//! exhausted, and the [`Acceptor`](crate::Acceptor) role on top of each acceptor's own methods. How
//! a mechanism accepts is not here: see `socket` for listening sockets,
//! `unix::descriptor_handshake` for pipes and pseudo-terminals, and `fifo` for named pipes.

use crate::deadline::{Deadline, timed_out};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The pause before the next attempt while the process or the system has run out of something.
pub(crate) const EXHAUSTION_PAUSE: Duration = Duration::from_millis(20);

/// The time for which an acceptor waits for a peer; `None` is for ever.
#[derive(Debug, Default)]
pub(crate) struct AcceptTimeout(Mutex<Option<Duration>>);

impl AcceptTimeout {
    /// Holds for every later wait. Never fails; the result is that of the role.
    pub(crate) fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = timeout;
        Ok(())
    }

    /// The limit of a wait that begins now.
    pub(crate) fn start(&self) -> AcceptDeadline {
        let timeout = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        AcceptDeadline { timeout, deadline: Deadline::after(timeout) }
    }
}

/// The limit of one wait for a peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AcceptDeadline {
    timeout: Option<Duration>,
    deadline: Deadline,
}

impl AcceptDeadline {
    /// Whether there is a limit.
    pub(crate) fn is_limited(self) -> bool {
        self.timeout.is_some()
    }

    /// Whether the acceptor waits at all; a timeout of zero means that it does not.
    pub(crate) fn may_wait(self) -> bool {
        self.timeout != Some(Duration::ZERO)
    }

    /// The time left, `None` for ever.
    pub(crate) fn remaining(self) -> io::Result<Option<Duration>> {
        self.deadline.remaining().map_err(|_| timed_out("no peer connected", self.timeout))
    }
}

/// Implements [`Acceptor`](crate::Acceptor) for a type by its own methods `accept`, `local` and
/// `close`, and by the field that has the timeout. With a third argument that field reports
/// exhausted resources too.
macro_rules! delegate_acceptor {
    ($acceptor:ty, $field:ident $(, $report:ident)?) => {
        impl crate::Acceptor for $acceptor {
            fn accept(&self) -> std::io::Result<Option<Box<dyn crate::Stream>>> {
                Ok(self.accept()?.map(|stream| Box::new(stream) as Box<dyn crate::Stream>))
            }

            fn set_timeout(&self, timeout: Option<std::time::Duration>) -> std::io::Result<()> {
                self.$field.set_timeout(timeout)
            }

            $(
                fn $report(&self, tell: Box<dyn Fn(&std::io::Error) + Send + Sync>) {
                    self.$field.$report(tell);
                }
            )?

            fn local(&self) -> &crate::Address {
                self.local()
            }

            fn close(&self) {
                self.close();
            }
        }
    };
}
pub(crate) use delegate_acceptor;
