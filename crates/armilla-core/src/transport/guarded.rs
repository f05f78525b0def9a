//! Transports of the program, which may panic: the panic becomes an error of the stream, and the
//! connection ends like any other that fails.

use super::{
    Acceptor, Admission, Listening, ObjectProfile, Stream, TaggedComponent, TaggedProfile,
    Transport,
};
use crate::callbacks::{drop_guarded, guarded};
use crate::exception::Completion;
use crate::settings::{OrbOption, Settings};
use armilla_cdr::CdrResult;
use armilla_ipc::{Address, Credentials, Protection, Readiness, SendError};
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How long accepting pauses after a panic, which may repeat itself.
const PAUSE: Duration = Duration::from_millis(100);

/// Calls a transport of the program.
fn call<R>(what: &str, call: impl FnOnce() -> R) -> io::Result<R> {
    guarded(format_args!("{what} of a transport"), Completion::Maybe, call)
        .map_err(io::Error::other)
}

/// A transport that the program has added.
#[derive(Debug)]
pub(super) struct GuardedTransport {
    transport: Arc<dyn Transport>,
    scheme: String,
    form: String,
}

impl GuardedTransport {
    pub(super) fn new(transport: Arc<dyn Transport>) -> Self {
        let (scheme, form) = (transport.scheme().to_owned(), transport.form().to_owned());
        Self { transport, scheme, form }
    }
}

impl Transport for GuardedTransport {
    fn scheme(&self) -> &str {
        &self.scheme
    }

    fn form(&self) -> &str {
        &self.form
    }

    fn is_protected(&self) -> bool {
        call("Transport::is_protected", || self.transport.is_protected()).unwrap_or(false)
    }

    fn check(&self, endpoint: &str) -> Result<(), String> {
        let checked = call("Transport::check", || self.transport.check(endpoint));
        checked.unwrap_or_else(|panicked| Err(panicked.to_string()))
    }

    fn listen(&self, endpoint: &str, settings: &Settings) -> io::Result<Listening> {
        let listening = call("Transport::listen", || self.transport.listen(endpoint, settings))??;
        let acceptor = Box::new(GuardedAcceptor::new(listening.acceptor)?);
        Ok(Listening { acceptor, publications: listening.publications })
    }

    fn connect(
        &self,
        address: &str,
        timeout: Duration,
        settings: &Settings,
    ) -> io::Result<Box<dyn Stream>> {
        let connect = || self.transport.connect(address, timeout, settings);
        GuardedStream::boxed(call("Transport::connect", connect)??)
    }

    fn read_profile(&self, profile: &TaggedProfile) -> Option<CdrResult<ObjectProfile>> {
        call("Transport::read_profile", || self.transport.read_profile(profile)).ok()?
    }

    fn read_component(&self, component: &TaggedComponent, settings: &Settings) -> Option<String> {
        call("Transport::read_component", || self.transport.read_component(component, settings))
            .ok()?
    }

    fn read_other(&self, profile: &ObjectProfile, settings: &Settings) -> Option<Vec<String>> {
        // Nothing then: the transport may forbid the profile's own address.
        call("Transport::read_other", || self.transport.read_other(profile, settings))
            .unwrap_or_else(|_| Some(Vec::new()))
    }

    fn options(&self) -> Vec<OrbOption> {
        call("Transport::options", || self.transport.options()).unwrap_or_default()
    }

    fn set_option(&self, name: &str, value: &str) -> Result<(), String> {
        call("Transport::set_option", || self.transport.set_option(name, value))
            .unwrap_or_else(|panicked| Err(panicked.to_string()))
    }

    fn admit_by(&self, admission: &Arc<dyn Admission>) {
        // A panic is reported.
        call("Transport::admit_by", || self.transport.admit_by(admission)).ok();
    }

    fn forbids_unprotected(&self) -> bool {
        call("Transport::forbids_unprotected", || self.transport.forbids_unprotected())
            .unwrap_or(true)
    }

    fn prepare(&self, settings: &Settings) -> Result<(), String> {
        call("Transport::prepare", || self.transport.prepare(settings))
            .unwrap_or_else(|panicked| Err(panicked.to_string()))
    }
}

/// An acceptor of such a transport.
#[derive(Debug)]
struct GuardedAcceptor {
    acceptor: Box<dyn Acceptor>,
    local: Address,
    closed: AtomicBool,
}

impl GuardedAcceptor {
    fn new(acceptor: Box<dyn Acceptor>) -> io::Result<Self> {
        let local = call("Acceptor::local", || acceptor.local().clone())?;
        Ok(Self { acceptor, local, closed: AtomicBool::new(false) })
    }
}

impl Acceptor for GuardedAcceptor {
    /// A peer whose stream panics is dropped, and the next one is waited for.
    fn accept(&self) -> io::Result<Option<Box<dyn Stream>>> {
        while !self.closed.load(Ordering::Acquire) {
            let Ok(accepted) = call("Acceptor::accept", || self.acceptor.accept()) else {
                thread::sleep(PAUSE);
                continue;
            };
            match accepted?.map(GuardedStream::boxed) {
                None => return Ok(None),
                Some(Ok(stream)) => return Ok(Some(stream)),
                Some(Err(_)) => {}
            }
        }
        Ok(None)
    }

    fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        call("Acceptor::set_timeout", || self.acceptor.set_timeout(timeout))?
    }

    fn on_resource_exhausted(&self, tell: Box<dyn Fn(&io::Error) + Send + Sync>) {
        // A panic is reported.
        call("Acceptor::on_resource_exhausted", || self.acceptor.on_resource_exhausted(tell)).ok();
    }

    fn local(&self) -> &Address {
        &self.local
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Release);
        // A panic is reported.
        call("Acceptor::close", || self.acceptor.close()).ok();
    }
}

/// A stream of such a transport.
#[derive(Debug)]
struct GuardedStream {
    /// Taken when it is dropped.
    stream: Option<Box<dyn Stream>>,
    peer: Address,
    local: Address,
}

impl GuardedStream {
    fn boxed(stream: Box<dyn Stream>) -> io::Result<Box<dyn Stream>> {
        let ends = || (stream.peer().clone(), stream.local().clone());
        let (peer, local) = call("Stream::peer", ends)?;
        Ok(Box::new(Self { stream: Some(stream), peer, local }))
    }

    fn stream(&self) -> &dyn Stream {
        // Only the drop takes it.
        self.stream.as_deref().expect("a stream in use")
    }
}

impl Drop for GuardedStream {
    fn drop(&mut self) {
        drop_guarded("a stream of a transport", self.stream.take());
    }
}

/// The error of a send that panicked: nobody knows what was sent.
fn unsent(source: io::Error) -> SendError {
    SendError { sent: 0, source }
}

impl Stream for GuardedStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        call("Stream::recv", || self.stream().recv(buffer))?
    }

    fn recv_vectored(&self, parts: &mut [io::IoSliceMut<'_>]) -> io::Result<usize> {
        call("Stream::recv_vectored", || self.stream().recv_vectored(parts))?
    }

    fn recv_append(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        call("Stream::recv_append", || self.stream().recv_append(buffer))?
    }

    fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        call("Stream::send", || self.stream().send(bytes))?
    }

    fn send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        call("Stream::send_vectored", || self.stream().send_vectored(parts))?
    }

    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        call("Stream::send_all", || self.stream().send_all(bytes)).map_err(unsent)?
    }

    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        call("Stream::send_all_vectored", || self.stream().send_all_vectored(parts))
            .map_err(unsent)?
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        call("Stream::set_recv_timeout", || self.stream().set_recv_timeout(timeout))?
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        call("Stream::set_send_timeout", || self.stream().set_send_timeout(timeout))?
    }

    fn readiness(&self) -> io::Result<Readiness> {
        call("Stream::readiness", || self.stream().readiness())?
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        call("Stream::try_recv", || self.stream().try_recv(buffer))?
    }

    fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        call("Stream::try_send_vectored", || self.stream().try_send_vectored(parts))?
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        call("Stream::descriptor", || self.stream().descriptor()).ok()?
    }

    fn has_buffered(&self) -> bool {
        call("Stream::has_buffered", || self.stream().has_buffered()).unwrap_or(false)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        call("Stream::shutdown", || self.stream().shutdown(how))?
    }

    fn peer(&self) -> &Address {
        &self.peer
    }

    fn local(&self) -> &Address {
        &self.local
    }

    fn credentials(&self) -> Option<Credentials> {
        call("Stream::credentials", || self.stream().credentials()).ok()?
    }

    fn protection(&self) -> Option<Arc<Protection>> {
        call("Stream::protection", || self.stream().protection()).ok()?
    }
}
