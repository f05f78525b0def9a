//! A client that waits for each call.

use super::limit::Limit;
use crate::client::{Call, Client, ClientError, ClientEvent, ClientOptions, RemoteFault, Security};
use crate::ndr::{NdrError, Operation, Parameters};
use crate::order::ByteOrder;
use crate::pdu::{AuthLevel, Fragment, Outcome};
use crate::security::SecurityContext;
use crate::uuid::{SyntaxId, Uuid};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Instant;

/// How many octets are received at once.
const BUFFER: usize = 8192;

/// The longest that is waited, whatever a program sets.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// A connection to a server. Each method waits at most for the time that was given.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    client: Client,
    order: ByteOrder,
    start: Instant,
    timeout: Duration,
    /// The limits that the socket has now.
    reading: Limit,
    writing: Limit,
    buffer: Vec<u8>,
}

/// Why a call was not made, or failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum DriverError {
    /// The connection cannot be made, or broke.
    Io(io::Error),
    /// The name of the host has no address, or nobody can be asked for it.
    UnknownHost(io::Error),
    /// The protocol or security failed, or the call cannot be made.
    Client(ClientError),
    /// The server failed the call.
    Fault(RemoteFault),
    /// The server does not take the interface.
    NotAccepted(SyntaxId, Outcome),
    /// The results are no such values, or the parameters cannot be encoded.
    Values(NdrError),
    /// The results are too large.
    TooLarge(Fragment),
    /// The server took too long.
    TimedOut,
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) | Self::UnknownHost(error) => error.fmt(f),
            Self::Client(error) => error.fmt(f),
            Self::Fault(fault) => write!(f, "the server failed the call: {}", fault.status),
            Self::NotAccepted(interface, outcome) => {
                write!(f, "the server does not take the interface {interface}: {outcome:?}")
            }
            Self::Values(error) => error.fmt(f),
            Self::TooLarge(error) => error.fmt(f),
            Self::TimedOut => f.write_str("the server took too long"),
        }
    }
}

impl core::error::Error for DriverError {}

impl From<io::Error> for DriverError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Self::TimedOut,
            _ => Self::Io(error),
        }
    }
}

impl From<ClientError> for DriverError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl From<NdrError> for DriverError {
    fn from(error: NdrError) -> Self {
        Self::Values(error)
    }
}

impl Connection {
    /// Connects; `timeout` holds for this and each later call.
    ///
    /// # Errors
    ///
    /// If no address can be reached in time.
    pub fn connect(address: impl ToSocketAddrs, timeout: Duration) -> Result<Self, DriverError> {
        Self::connect_with(address, timeout, ClientOptions::default())
    }

    /// Connects with options of one's own.
    ///
    /// # Errors
    ///
    /// If no address can be reached in time.
    pub fn connect_with(
        address: impl ToSocketAddrs,
        timeout: Duration,
        options: ClientOptions,
    ) -> Result<Self, DriverError> {
        let deadline = Instant::now() + timeout.min(LONGEST);
        // Whoever owns the name says how many there are.
        let addresses = address.to_socket_addrs().map_err(DriverError::UnknownHost)?;
        let mut addresses = addresses.collect::<Vec<_>>().into_iter();
        let mut last = None;
        while let Some(address) = addresses.next() {
            let share = share(deadline.saturating_duration_since(Instant::now()), addresses.len());
            match TcpStream::connect_timeout(&address, share) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    let (order, start) = (options.order, Instant::now());
                    let client = Client::new(options);
                    let (reading, writing) = (Limit::default(), Limit::default());
                    let buffer = vec![0; BUFFER];
                    let mut connection =
                        Self { stream, client, order, start, timeout, reading, writing, buffer };
                    connection.set_timeout(timeout)?;
                    return Ok(connection);
                }
                Err(error) => last = Some(error),
            }
        }
        let nobody = || io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        Err(last.map_or_else(|| DriverError::UnknownHost(nobody()), DriverError::from))
    }

    /// Binds to these interfaces; with security, all calls are protected at this level.
    ///
    /// # Errors
    ///
    /// If the server refuses the connection or one of the interfaces.
    pub fn bind(
        &mut self,
        interfaces: &[SyntaxId],
        security: Option<(Box<dyn SecurityContext>, AuthLevel)>,
    ) -> Result<(), DriverError> {
        let security = security.map(|(context, level)| Security { context, level });
        self.client.bind(interfaces, security)?;
        let bound = self.wait(|event| match event {
            ClientEvent::Bound { interfaces, .. } => Some(Ok(interfaces)),
            _ => None,
        })?;
        for (interface, outcome) in bound {
            accepted(interface, outcome)?;
        }
        Ok(())
    }

    /// Binds to a further interface.
    ///
    /// # Errors
    ///
    /// If the server refuses it.
    pub fn alter(&mut self, interface: SyntaxId) -> Result<(), DriverError> {
        self.client.alter(interface)?;
        let outcome = self.wait(|event| match event {
            ClientEvent::Altered(_, outcome) => Some(Ok(outcome)),
            _ => None,
        })?;
        accepted(interface, outcome)
    }

    /// Whether calls of an interface may be made.
    pub fn is_bound(&self, interface: SyntaxId) -> bool {
        self.client.is_bound(interface)
    }

    /// The byte order of what is sent.
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// Whether the server has neither closed the connection nor sent anything since the last call.
    /// One that is kept for later calls is of no use otherwise.
    pub fn is_quiet(&self) -> bool {
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        matches!(recv(&self.stream, &mut [0; 1], flags), Err(Errno::WOULDBLOCK))
    }

    /// Changes how long each later call may take.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn set_timeout(&mut self, timeout: Duration) -> Result<(), DriverError> {
        self.timeout = timeout;
        match self.writing.change(Some(timeout)) {
            true => Ok(self.stream.set_write_timeout(Some(timeout))?),
            false => Ok(()),
        }
    }

    /// Calls an operation of an interface.
    ///
    /// # Errors
    ///
    /// If the call cannot be made, or fails.
    pub fn call<O: Operation>(&mut self, given: &O::In) -> Result<O::Out, DriverError> {
        self.call_object::<O>(None, given)
    }

    /// Calls an operation of an object.
    ///
    /// # Errors
    ///
    /// If the call cannot be made, or fails.
    pub fn call_object<O: Operation>(
        &mut self,
        object: Option<Uuid>,
        given: &O::In,
    ) -> Result<O::Out, DriverError> {
        let stub = given.to_stub(self.order)?;
        let call = Call { object, ..Call::new(O::INTERFACE, O::OPNUM, &stub) };
        let (order, stub) = self.call_stub(&call)?;
        Ok(O::Out::from_stub(&stub, order)?)
    }

    /// Makes a call whose parameters are encoded already; returns the byte order and the octets of
    /// its results. The deadline of `call` is not used.
    ///
    /// # Errors
    ///
    /// If the call cannot be made, or fails.
    pub fn call_stub(&mut self, call: &Call<'_>) -> Result<(ByteOrder, Vec<u8>), DriverError> {
        let deadline = Some(self.start.elapsed().saturating_add(self.timeout));
        let id = self.client.call(&Call { deadline, ..*call })?;
        self.wait(|event| match event {
            ClientEvent::Response { call, order, stub } if call == id => Some(Ok((order, stub))),
            ClientEvent::Fault(fault) if fault.call == id => Some(Err(DriverError::Fault(fault))),
            ClientEvent::TimedOut(call) if call == id => Some(Err(DriverError::TimedOut)),
            ClientEvent::TooLarge(call, error) if call == id => {
                Some(Err(DriverError::TooLarge(error)))
            }
            _ => None,
        })
    }

    /// Sends and receives until an event is the one that is waited for.
    fn wait<T>(
        &mut self,
        mut wanted: impl FnMut(ClientEvent) -> Option<Result<T, DriverError>>,
    ) -> Result<T, DriverError> {
        let deadline = Instant::now() + self.timeout.min(LONGEST);
        loop {
            if let Some(octets) = self.client.poll_output() {
                self.stream.write_all(&octets)?;
            }
            while let Some(event) = self.client.poll_event() {
                match event {
                    ClientEvent::Closed(error) => return Err(error.into()),
                    event => {
                        if let Some(end) = wanted(event) {
                            return end;
                        }
                    }
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.client.handle_timeout(self.start.elapsed());
                if let Some(octets) = self.client.poll_output() {
                    self.stream.write_all(&octets)?;
                }
                return Err(DriverError::TimedOut);
            }
            if self.reading.change(Some(left)) {
                self.stream.set_read_timeout(Some(left))?;
            }
            match self.stream.read(&mut self.buffer) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                Ok(count) => self.client.receive(&self.buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The loop notices how late it is.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// How long one address may take, if others follow: each gets its part of the time that is left. The
/// operating system takes no time of nothing.
fn share(left: Duration, others: usize) -> Duration {
    let all = u32::try_from(others).unwrap_or(u32::MAX).saturating_add(1);
    (left / all).max(Duration::from_millis(1))
}

fn accepted(interface: SyntaxId, outcome: Outcome) -> Result<(), DriverError> {
    match outcome {
        Outcome::Accepted => Ok(()),
        outcome => Err(DriverError::NotAccepted(interface, outcome)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketType, bind, getsockname, listen, socket};
    use std::net::SocketAddr;

    /// A listener that answers nobody: its queue is full.
    fn deaf() -> (rustix::fd::OwnedFd, SocketAddr, Vec<TcpStream>) {
        let listener = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        bind(&listener, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        listen(&listener, 0).unwrap();
        let address = SocketAddr::try_from(getsockname(&listener).unwrap()).unwrap();
        let mut waiting = Vec::new();
        while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(200)) {
            waiting.push(stream);
        }
        (listener, address, waiting)
    }

    #[test]
    fn a_name_with_many_addresses_takes_no_longer_than_one_with_one() {
        let (_listener, address, _waiting) = deaf();
        let (begun, timeout) = (Instant::now(), Duration::from_secs(2));
        let failed = Connection::connect(&[address; 30][..], timeout).unwrap_err();
        assert!(matches!(failed, DriverError::TimedOut), "{failed}");
        assert!(begun.elapsed() < 10 * timeout, "{:?}", begun.elapsed());
    }
}
