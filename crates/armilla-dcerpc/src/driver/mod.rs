//! Clients and servers over TCP, each of which blocks a thread. (Feature `driver`.)
//!
//! ```
//! use armilla_dcerpc::driver::{self, Connection, ListenerOptions, Service};
//! use armilla_dcerpc::management::{IsListening, MANAGEMENT};
//! use armilla_dcerpc::pdu::AuthLevel;
//! use armilla_dcerpc::security::ntlm::{Credentials, NtHash};
//! use armilla_dcerpc::server::{Access, ServerCall};
//! use armilla_dcerpc::{Status, SyntaxId};
//! use core::time::Duration;
//!
//! struct Empty;
//!
//! impl Service for Empty {
//!     fn interfaces(&self) -> Vec<(SyntaxId, Access)> {
//!         Vec::new()
//!     }
//!     fn call(&self, _: &ServerCall) -> Result<Vec<u8>, Status> {
//!         Err(Status::OPERATION_OUT_OF_RANGE)
//!     }
//!     fn hash(&self, user: &str, _domain: &str) -> Option<NtHash> {
//!         (user == "operator").then(|| NtHash::of("secret"))
//!     }
//! }
//!
//! let options = ListenerOptions::new("SERVER");
//! let listener = driver::listen("127.0.0.1:0", Empty, options)?;
//! let credentials = Credentials::new("", "operator", "secret");
//! let mut client = Connection::connect(listener.address(), Duration::from_secs(10))?;
//! client.bind(&[MANAGEMENT], Some((driver::ntlm(credentials), AuthLevel::Privacy)))?;
//! assert_eq!(client.call::<IsListening>(&())?.listening, 1);
//! # Ok::<(), armilla_dcerpc::driver::DriverError>(())
//! ```

mod client;
mod connections;
mod entropy;
mod limit;
mod server;

pub use client::{Connection, DriverError};
pub use entropy::{now, ntlm, random, spnego};
pub use server::{Listener, ListenerOptions, Service, listen};
