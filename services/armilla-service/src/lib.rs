//! What the servers of Armilla's services share: how one starts and ends, and what it shows to
//! operators over HTTP.
//!
//! A [`Process`] makes its ORB and its objects, and starts a [`Console`] if the operator wants one.
//! [`run`] prints `ready URL` on standard output, serves until SIGINT or SIGTERM, and then finishes the
//! requests in progress.
//!
//! The console answers `/healthz`, `/metrics` (Prometheus), and the pages of the service.
//! [`page`](page::page) gives those a frame that works on small screens, dark and light, and
//! [`table`](page::table) tables that do; [`Events`] brings changes to open pages. A service that
//! speaks a protocol over HTTP with programs adds it by [`ConsoleBuilder::api`]; [`BodyReader`] and
//! [`written_body`] carry what memory would not hold. [`ConsoleAccess`] says who may see and change
//! it, a [`Visitor`] is who asks. [`ConsoleLimits`] bounds what clients of all of that may occupy, and
//! for how long. [`Rounds`] is work in the background. [`Upkeep`] has what is read again on SIGHUP.
//!
//! ```
//! use armilla_service::{Console, Lifecycle};
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//!
//! let lifecycle = Lifecycle::new();
//! let console = Console::builder("127.0.0.1:0")
//!     .metrics(|| "bindings 3\n".to_owned())
//!     .start(&lifecycle)?;
//! lifecycle.set_ready();
//!
//! let mut client = TcpStream::connect(console.address())?;
//! client.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! client.read_to_string(&mut answer)?;
//! assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ready\n"));
//! # Ok::<(), std::io::Error>(())
//! ```

#![forbid(unsafe_code)]

mod access;
mod admission;
#[cfg(feature = "arguments")]
mod arguments;
mod blocking;
mod bodies;
mod body;
mod connections;
mod console;
mod events;
mod guard;
mod health;
mod https;
mod lifecycle;
mod limits;
mod login;
mod options;
pub mod page;
mod process;
mod rounds;
mod serving;
mod sessions;
mod table;
mod upkeep;
mod visitor;

// The pages of a service are routes of this version.
pub extern crate axum;
pub use access::ConsoleAccess;
#[cfg(feature = "arguments")]
pub use arguments::ConsoleArguments;
pub use blocking::spawn_blocking;
pub use body::{BodyReader, BodyWriter, written_body};
pub use console::{Console, ConsoleBuilder};
pub use events::Events;
pub use lifecycle::{Lifecycle, Stage, run};
pub use limits::ConsoleLimits;
pub use options::ConsoleOptions;
pub use process::{Process, ServerError};
pub use rounds::{Pause, Rounds};
pub use upkeep::{Reload, Upkeep};
pub use visitor::Visitor;
