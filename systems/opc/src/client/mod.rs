//! A client of OPC servers.
//!
//! ```no_run
//! use armilla_opc::client::{Connection, GroupOptions, Source, Target};
//! use armilla_dcerpc::security::ntlm::Credentials;
//! use armilla_dcom::client::{Client, ClientOptions};
//!
//! let client = Client::new(ClientOptions::new(Credentials::new("PLANT", "operator", "secret")))?;
//! let target: Target = "opcda://192.0.2.7/Matrikon.OPC.Simulation.1".parse()?;
//! let server = Connection::open(&client, &target)?;
//! let group = server.add_group(&GroupOptions::default())?;
//! let handles = group.add(&["Random.Int4".to_string()])?;
//! for sample in group.read(Source::Device, &[handles[0]?.server_handle])? {
//!     println!("{sample:?}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod browse;
mod connection;
mod enumerating;
mod error;
mod group;
mod list;
mod sink;
mod target;
mod watch;

pub use browse::Entry;
pub use connection::{Connection, ServerState};
pub use error::Error;
pub use group::{Added, Group, GroupOptions, Source};
pub use list::{Listed, servers};
pub use sink::{Event, Reading, Sinks, Subscription};
pub use target::{Class, Target, TargetError};
pub use watch::{Told, Watch};
