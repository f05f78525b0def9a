//! Connections of this process to itself, for its asynchronous calls of its own objects. The server
//! serves them concurrently on its own threads, as it serves those of any client.

use crate::runtime::Orb;
use crate::server::endpoints::admit::admit;
use crate::server::endpoints::listeners::Server;
use crate::transport::HERE;
use armilla_ipc::{Address, Readiness, SendError, Stream, UnixStream};
use std::io::{self, IoSlice, IoSliceMut};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

impl Server {
    /// Opens a connection to this server.
    ///
    /// # Errors
    /// When descriptors or memory are short; `ConnectionRefused` when the server is closing.
    pub(crate) fn connect_here(&self, orb: &Orb) -> io::Result<Box<dyn Stream>> {
        if self.workers().is_closing() {
            return Err(io::Error::new(io::ErrorKind::ConnectionRefused, "the ORB shuts down"));
        }
        let (client, server) = UnixStream::pair()?;
        admit(orb, Arc::new(InProcessStream(server)), self.workers());
        Ok(Box::new(InProcessStream(client)))
    }
}

/// The address of both ends.
static PEER: Address = HERE;

/// One end of a connection within the process.
#[derive(Debug)]
struct InProcessStream(UnixStream);

impl Stream for InProcessStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.recv(buffer)
    }

    fn recv_vectored(&self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.0.recv_vectored(parts)
    }

    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.0.send_all(bytes)
    }

    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        self.0.send_all_vectored(parts)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.0.set_recv_timeout(timeout)
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.0.set_send_timeout(timeout)
    }

    fn readiness(&self) -> io::Result<Readiness> {
        self.0.readiness()
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.try_recv(buffer)
    }

    fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_send_vectored(parts)
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.0.descriptor()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.0.shutdown(how)
    }

    fn peer(&self) -> &Address {
        &PEER
    }

    fn local(&self) -> &Address {
        &PEER
    }
}
