//! Connects over TCP, trying every address of the host within one time limit.

use super::TcpStream;
use super::addr::{self, Attempts};
use crate::deadline::Deadline;
use crate::socket::{Socket, connect_within};
use crate::{Address, Connector, Stream, StreamOptions};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::net;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Makes TCP streams actively.
#[derive(Clone, Debug, Default)]
pub struct TcpConnector {
    options: StreamOptions,
}

impl TcpConnector {
    /// A connector whose streams have these options.
    pub fn new(options: StreamOptions) -> Self {
        Self { options }
    }

    /// Connects to `address` within `timeout` in total, name resolution included.
    ///
    /// If the host has several addresses they are tried in the resolver's order; each gets an equal
    /// share of the time that is left. Without a timeout the kernel gives up on each after about two
    /// minutes.
    ///
    /// # Errors
    /// As [`Connector::connect`]; the kind is that of the last address tried.
    pub fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<TcpStream> {
        let (host, port) = addr::parts(address)?;
        let deadline = Deadline::after(timeout);
        let mut attempts = Attempts::new("cannot connect to", address);
        let targets = match addr::resolve(host, port, deadline) {
            Ok(targets) => targets,
            Err(error) => return Err(attempts.unresolved(&error)),
        };
        for (index, &target) in targets.iter().enumerate() {
            let start = Instant::now();
            let outcome = deadline
                .share(targets.len() - index)
                .and_then(|share| self.connect_to(target, share));
            match outcome {
                Ok(stream) => return Ok(stream),
                Err(error) => attempts.failed(target, start, &error),
            }
        }
        Err(attempts.into())
    }

    fn connect_to(&self, target: SocketAddr, timeout: Option<Duration>) -> io::Result<TcpStream> {
        establish(addr::socket(target, &self.options)?, target, timeout)
    }
}

impl Connector for TcpConnector {
    fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.connect(address, timeout)?))
    }
}

/// Connects the new socket `fd` to `target`.
fn establish(fd: OwnedFd, target: SocketAddr, timeout: Option<Duration>) -> io::Result<TcpStream> {
    connect_within(fd.as_fd(), &target, timeout)?;
    let local = SocketAddr::try_from(net::getsockname(&fd)?)?;
    if local == target {
        // A port of the ephemeral range without a listener: the kernel chose it for our own end
        // too, and the socket connected to itself.
        return Err(Errno::CONNREFUSED.into());
    }
    Ok(TcpStream::from_socket(Socket::new(fd, local.into(), target.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_that_connects_to_itself_is_refused() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let fd = addr::socket(any, &StreamOptions::default()).unwrap();
        net::bind(&fd, &any).unwrap();
        let own = SocketAddr::try_from(net::getsockname(&fd).unwrap()).unwrap();
        let error = establish(fd, own, None).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
