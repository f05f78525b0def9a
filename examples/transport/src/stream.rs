//! A connection that records: every call goes on to the TCP stream beneath.

use crate::recording::{Direction, Recording};
use armilla::transport::{Acceptor, Address, Readiness, SendError, Stream};
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::path::PathBuf;
use std::time::Duration;

/// A stream and its file.
#[derive(Debug)]
pub(crate) struct RecordingStream {
    pub(crate) inner: Box<dyn Stream>,
    pub(crate) recording: Recording,
}

impl Stream for RecordingStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.recv(buffer)?;
        self.recording.add(Direction::In, &buffer[..count]);
        Ok(count)
    }

    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.inner.send_all(bytes)?;
        self.recording.add(Direction::Out, bytes);
        Ok(())
    }

    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        self.inner.send_all_vectored(parts)?;
        let parts: Vec<&[u8]> = parts.iter().map(|part| &**part).collect();
        self.recording.add(Direction::Out, &parts.concat());
        Ok(())
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.inner.set_recv_timeout(timeout)
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.inner.set_send_timeout(timeout)
    }

    fn readiness(&self) -> io::Result<Readiness> {
        self.inner.readiness()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.inner.shutdown(how)
    }

    fn peer(&self) -> &Address {
        self.inner.peer()
    }

    fn local(&self) -> &Address {
        self.inner.local()
    }
}

/// Accepts connections that record.
#[derive(Debug)]
pub(crate) struct RecordingAcceptor {
    pub(crate) inner: Box<dyn Acceptor>,
    pub(crate) directory: PathBuf,
}

impl Acceptor for RecordingAcceptor {
    fn accept(&self) -> io::Result<Option<Box<dyn Stream>>> {
        let Some(inner) = self.inner.accept()? else { return Ok(None) };
        let recording = Recording::create(&self.directory)?;
        Ok(Some(Box::new(RecordingStream { inner, recording })))
    }

    fn local(&self) -> &Address {
        self.inner.local()
    }

    fn close(&self) {
        self.inner.close();
    }
}
