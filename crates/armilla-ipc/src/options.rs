//! Options of a stream, given before it is made and applied to its socket.

use crate::error::context;
use rustix::fd::BorrowedFd;
use rustix::net::sockopt;
use std::io;
use std::time::Duration;

/// How a stream is made. An acceptor hands its options to every stream that it accepts.
///
/// ```
/// # use armilla_ipc::StreamOptions;
/// let bulk = StreamOptions { no_delay: false, send_buffer: Some(1 << 20), ..Default::default() };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamOptions {
    /// Sends small segments at once instead of collecting them (`TCP_NODELAY`). TCP only. Default:
    /// true.
    pub no_delay: bool,
    /// Probes a silent peer after this idle time, in whole seconds (`SO_KEEPALIVE`,
    /// `TCP_KEEPIDLE`). TCP only. Default: no probes.
    pub keep_alive: Option<Duration>,
    /// The size of the send queue in bytes (`SO_SNDBUF`); the kernel doubles it and caps it silently.
    /// Default: the kernel tunes it.
    pub send_buffer: Option<usize>,
    /// The size of the receive queue in bytes (`SO_RCVBUF`); see `send_buffer`.
    pub recv_buffer: Option<usize>,
    /// The congestion control algorithm by name, such as `"cubic"` or `"reno"` (`TCP_CONGESTION`).
    /// TCP only. Default: the system's.
    pub congestion: Option<String>,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            no_delay: true,
            keep_alive: None,
            send_buffer: None,
            recv_buffer: None,
            congestion: None,
        }
    }
}

impl StreamOptions {
    /// Applies what every socket understands. Queue sizes must be set before connecting or
    /// listening, because TCP negotiates its window scale from them.
    pub(crate) fn apply(&self, socket: BorrowedFd<'_>) -> io::Result<()> {
        if let Some(size) = self.send_buffer {
            sockopt::set_socket_send_buffer_size(socket, size)
                .map_err(|e| context(format_args!("cannot set the send buffer to {size}"), e))?;
        }
        if let Some(size) = self.recv_buffer {
            sockopt::set_socket_recv_buffer_size(socket, size)
                .map_err(|e| context(format_args!("cannot set the receive buffer to {size}"), e))?;
        }
        Ok(())
    }

    /// Applies everything to a TCP socket. A listening socket passes it on to what it accepts.
    pub(crate) fn apply_tcp(&self, socket: BorrowedFd<'_>) -> io::Result<()> {
        self.apply(socket)?;
        if self.no_delay {
            sockopt::set_tcp_nodelay(socket, true)
                .map_err(|e| context("cannot set no-delay", e))?;
        }
        if let Some(idle) = self.keep_alive {
            // The kernel counts whole seconds and refuses zero.
            let idle = idle.max(Duration::from_secs(1));
            sockopt::set_socket_keepalive(socket, true)
                .and_then(|()| sockopt::set_tcp_keepidle(socket, idle))
                .map_err(|e| context(format_args!("cannot set keep-alive to {idle:?}"), e))?;
        }
        if let Some(name) = &self.congestion {
            sockopt::set_tcp_congestion(socket, name)
                .map_err(|e| context(format_args!("cannot use congestion control {name:?}"), e))?;
        }
        Ok(())
    }
}
