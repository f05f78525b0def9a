//! Typed endpoints over an operating system's interprocess communication.
//!
//! Every mechanism has the same three roles. A [`Connector`] establishes streams actively, an
//! [`Acceptor`] passively, and a [`Stream`] moves bytes. What a role cannot do does not compile: a
//! listening socket has no method that reads. An [`Address`] names an endpoint. Datagrams have
//! roles of their own, see [`datagram`].
//!
//! Each transport is one module with the same files and the same names: [`tcp`], [`unix`],
//! [`fifo`], [`pipe`], [`pty`], and [`shm`], which moves bytes through memory that two processes
//! share. Code that knows its transport uses the concrete types, and each call is then a thin
//! wrapper over one system call. Code that learns the transport at run time uses [`connect`] and
//! [`listen`], which return boxed roles; another crate adds a transport by implementing the three
//! traits.
//!
//! ```
//! use armilla_ipc::{Address, Stream, StreamOptions, TcpAcceptor, TcpConnector};
//! use std::time::Duration;
//!
//! let options = StreamOptions::default();
//! let acceptor = TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &options)?;
//! let client = TcpConnector::new(options)
//!     .connect(acceptor.local(), Some(Duration::from_secs(5)))?;
//! let server = acceptor.accept()?.expect("the acceptor is not closed");
//!
//! client.send_all(b"hello")?;
//! let mut buffer = [0; 16];
//! let count = server.recv(&mut buffer)?;
//! assert_eq!(&buffer[..count], b"hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`reactor`] waits for many descriptors, timers, signals and notifications, and calls their
//! handlers, in one thread or in a thread pool.
//!
//! The crate also has the few services of the operating system that a network program needs beside
//! its transports: a cheap [`clock`], [`signals`] for orderly termination, the [`affinity`] of
//! threads to CPUs, their [`real_time`] scheduling, [`process`]es in sessions of their own, memory [`fence`]s that cost nothing on one side, [`memory`] that many threads
//! read without waiting, and the addresses of this [`host`]. The crate runs on Linux and knows no
//! protocol. Mechanisms beyond TCP, Unix-domain streams, shared memory and the reactor are cargo
//! features, all on by default.

// A helper that serves several mechanisms has no caller where none of them is compiled in.
#![cfg_attr(
    not(all(
        feature = "fifo",
        feature = "pipe",
        feature = "pty",
        feature = "real-time",
        feature = "udp",
        feature = "unix-datagram",
        feature = "zero-copy"
    )),
    allow(dead_code, unused_imports)
)]

mod accept;
mod address;
#[cfg(any(feature = "fifo", feature = "pipe", feature = "pty"))]
mod channel;
mod credentials;
mod deadline;
mod endpoint;
mod error;
mod file_access;
mod interest;
mod partial;
mod pending_connect;
mod private_directory;
mod protection;
mod route;
mod socket;
#[cfg(feature = "zero-copy")]
mod splice;
mod stream;
mod stream_options;
mod sys;
mod transport;

pub mod affinity;
pub mod clock;
#[cfg(feature = "clock-error")]
mod clock_error;
#[cfg(any(feature = "udp", feature = "unix-datagram"))]
pub mod datagram;
pub mod fence;
#[cfg(feature = "fifo")]
pub mod fifo;
pub mod host;
pub mod memory;
pub mod option;
#[cfg(feature = "pipe")]
pub mod pipe;
#[cfg(feature = "process")]
pub mod process;
#[cfg(feature = "pty")]
pub mod pty;
pub mod random;
pub mod reactor;
#[cfg(feature = "real-time")]
pub mod real_time;
pub mod shm;
pub mod signals;
pub mod stack;
pub mod tcp;
#[cfg(feature = "udp")]
pub mod udp;
pub mod unix;
#[cfg(feature = "unix-datagram")]
pub mod unix_datagram;
#[cfg(feature = "zero-copy")]
pub mod zero_copy;

pub use address::{Address, ParseAddressError};
pub use clock::{CoarseInstant, coarse_now};
#[cfg(feature = "clock-error")]
pub use clock_error::{ClockError, clock_error};
pub use credentials::Credentials;
pub use endpoint::{connect, listen};
pub use error::is_resource_exhausted;
pub use file_access::FileAccess;
pub use partial::{RecvError, SendError};
pub use pending_connect::{PendingConnect, WaitCondition};
pub use private_directory::PrivateDirectory;
pub use protection::Protection;
pub use shm::{ShmAcceptor, ShmConnector, ShmStream};
pub use signals::{Hangups, Termination, outlive_file_limits};
pub use stream::{Readiness, Stream, WithTimeout};
pub use stream_options::StreamOptions;
pub use tcp::{TcpAcceptor, TcpConnector, TcpStream};
pub use transport::{Acceptor, Connector, Transport};
pub use unix::{UnixAcceptor, UnixConnector, UnixStream};

/// Runs the examples of the eight classic mistakes, and checks that those that must not compile do
/// not.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/socket-mistakes.md")]
struct SocketMistakes;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
