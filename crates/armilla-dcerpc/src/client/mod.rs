//! The client's end of a connection, as a state machine.
//!
//! Octets that arrive go into [`Client::receive`], what is to be sent comes from
//! [`Client::poll_output`], and what happened from [`Client::poll_event`]. Time is an argument.
//!
//! ```
//! use armilla_dcerpc::client::{Call, Client, ClientEvent, ClientOptions};
//! use armilla_dcerpc::SyntaxId;
//!
//! const RESOLVER: SyntaxId = SyntaxId::literal("99fcfec4-5260-101b-bbcb-00aa0021347a", 0, 0);
//! let mut client = Client::new(ClientOptions::default());
//! client.bind(&[RESOLVER], None)?;
//! let bind = client.poll_output().unwrap();
//! // … sends it, and gives what comes back to `receive`, until there is `ClientEvent::Bound` …
//! assert_eq!(bind[2], 11);
//! assert!(client.call(&Call::new(RESOLVER, 5, b"")).is_err(), "not yet bound");
//! # Ok::<(), armilla_dcerpc::client::ClientError>(())
//! ```

mod calls;
mod handshake;
mod machine;
mod types;

pub use machine::Client;
pub use types::{Call, ClientError, ClientEvent, ClientOptions, RemoteFault, Security};
