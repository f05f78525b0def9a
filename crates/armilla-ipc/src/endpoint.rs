//! The choice of a transport by an address that is known only at run time.
//!
//! A transport that was compiled out is refused by name: which features a program has does not
//! change what an address means.

use crate::error::wrong_transport;
#[cfg(feature = "fifo")]
use crate::fifo::{FifoAcceptor, FifoConnector};
#[cfg(feature = "pipe")]
use crate::pipe::{PipeAcceptor, PipeConnector};
#[cfg(feature = "pty")]
use crate::pty::{PtyAcceptor, PtyConnector};
use crate::{Acceptor, Address, Connector, Stream, StreamOptions};
use crate::{ShmAcceptor, ShmConnector, TcpAcceptor, TcpConnector, UnixAcceptor, UnixConnector};
use std::io;
use std::time::Duration;

/// Connects to `address` over the transport that it names.
///
/// # Errors
/// As [`Connector::connect`]; [`io::ErrorKind::Unsupported`] if the transport is a cargo feature
/// that the program was compiled without.
pub fn connect(
    address: &Address,
    timeout: Option<Duration>,
    options: &StreamOptions,
) -> io::Result<Box<dyn Stream>> {
    let options = options.clone();
    let connector: &dyn Connector = match address {
        Address::Tcp { .. } => &TcpConnector::new(options),
        Address::Unix(_) | Address::Abstract(_) => &UnixConnector::new(options),
        Address::Shm(_) => &ShmConnector::new(options),
        #[cfg(feature = "fifo")]
        Address::Fifo(_) => &FifoConnector::new(options),
        #[cfg(feature = "pipe")]
        Address::Pipe(_) => &PipeConnector::new(options),
        #[cfg(feature = "pty")]
        Address::Pty(_) => &PtyConnector::new(options),
        Address::SameHost => return Err(wrong_transport("named", address)),
        #[cfg(not(all(feature = "fifo", feature = "pipe", feature = "pty")))]
        other => return Err(compiled_out("connect to", other)),
    };
    connector.connect(address, timeout)
}

/// Listens at `address` over the transport that it names.
///
/// ```
/// use armilla_ipc::{Address, StreamOptions, connect, listen};
/// use std::time::Duration;
///
/// let options = StreamOptions::default();
/// let acceptor = listen(&"tcp://127.0.0.1:0".parse::<Address>()?, &options)?;
/// let client = connect(acceptor.local(), Some(Duration::from_secs(5)), &options)?;
/// let server = acceptor.accept()?.expect("the acceptor is open");
/// client.send_all(b"hello")?;
/// let mut buffer = [0; 16];
/// assert_eq!(server.recv(&mut buffer)?, 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The message names the address and the reason; [`io::ErrorKind::Unsupported`] as for [`connect`].
pub fn listen(address: &Address, options: &StreamOptions) -> io::Result<Box<dyn Acceptor>> {
    Ok(match address {
        Address::Tcp { .. } => Box::new(TcpAcceptor::bind(address, options)?),
        Address::Unix(_) | Address::Abstract(_) => Box::new(UnixAcceptor::bind(address, options)?),
        Address::Shm(_) => Box::new(ShmAcceptor::bind(address, options)?),
        #[cfg(feature = "fifo")]
        Address::Fifo(_) => Box::new(FifoAcceptor::bind(address, options)?),
        #[cfg(feature = "pipe")]
        Address::Pipe(_) => Box::new(PipeAcceptor::bind(address, options)?),
        #[cfg(feature = "pty")]
        Address::Pty(_) => Box::new(PtyAcceptor::bind(address, options)?),
        Address::SameHost => return Err(wrong_transport("named", address)),
        #[cfg(not(all(feature = "fifo", feature = "pipe", feature = "pty")))]
        other => return Err(compiled_out("listen at", other)),
    })
}

#[cfg(not(all(feature = "fifo", feature = "pipe", feature = "pty")))]
fn compiled_out(what: &str, address: &Address) -> io::Error {
    let reason = format!("cannot {what} {address}: compiled without the feature of this transport");
    io::Error::new(io::ErrorKind::Unsupported, reason)
}
