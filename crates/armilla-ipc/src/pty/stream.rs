//! The stream of the pseudo-terminal transport. The transfers are those of `channel`.

use crate::Credentials;
use crate::channel::Channel;
use crate::pty::addr;
#[cfg(feature = "zero-copy")]
use crate::splice::delegate_splice;
use crate::stream::delegate_stream;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::termios::{Winsize, tcgetwinsize, tcsetwinsize};
use std::io;

/// One side of a pseudo-terminal.
///
/// [`shutdown`](crate::Stream::shutdown) of the sending direction alone is
/// [`Unsupported`](std::io::ErrorKind::Unsupported).
///
/// ```
/// use armilla_ipc::pty::{PtyStream, WindowSize};
///
/// let (master, terminal) = PtyStream::pair()?;
/// master.set_window_size(WindowSize { rows: 24, columns: 80 })?;
/// assert_eq!(terminal.window_size()?.columns, 80);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct PtyStream {
    channel: Channel,
}

impl PtyStream {
    pub(super) fn new(channel: Channel) -> Self {
        Self { channel }
    }

    /// The driving side and the terminal of a new pseudo-terminal, within the process.
    ///
    /// # Errors
    /// Exhausted descriptors or pseudo-terminals.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (driver, terminal) = addr::new_terminal()?;
        let stream = |fd| Channel::of_one(fd, (addr::unnamed(), addr::unnamed())).map(Self::new);
        Ok((stream(driver)?, stream(terminal)?))
    }

    /// The credentials of the peer's process at the time of the connection; `None` for a pair
    /// within this process.
    pub fn peer_credentials(&self) -> Option<Credentials> {
        self.channel.peer_credentials()
    }
}

/// How large a terminal is, in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WindowSize {
    /// How many lines it has.
    pub rows: u16,
    /// How many characters a line has.
    pub columns: u16,
}

impl PtyStream {
    /// The size of the terminal for the programs that run on it; 0 if it was never set.
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known for an open stream.
    pub fn window_size(&self) -> io::Result<WindowSize> {
        let size = tcgetwinsize(self)?;
        Ok(WindowSize { rows: size.ws_row, columns: size.ws_col })
    }

    /// Sets the size, from either side. The foreground process group of the terminal gets
    /// `SIGWINCH`.
    ///
    /// # Errors
    /// As [`window_size`](Self::window_size).
    pub fn set_window_size(&self, size: WindowSize) -> io::Result<()> {
        let (ws_row, ws_col) = (size.rows, size.columns);
        Ok(tcsetwinsize(self, Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 })?)
    }
}

impl AsFd for PtyStream {
    /// The terminal or its driving side, for what this type does not offer, such as its modes. It
    /// is non-blocking, which is relied on here.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.input()
    }
}

delegate_stream!(PtyStream, channel, Self::peer_credentials);
#[cfg(feature = "zero-copy")]
delegate_splice!(PtyStream, channel);
