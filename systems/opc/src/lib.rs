//! OPC Data Access 2.05a over DCOM.
//!
//! [`server`] offers a simulated plant to any client of OPC. [`client`] reads, writes and watches the
//! items of any server. [`model`] is the plant and its groups without DCOM.

#![forbid(unsafe_code)]

pub mod client;
pub mod model;
pub mod server;
pub mod status;
mod wire;
