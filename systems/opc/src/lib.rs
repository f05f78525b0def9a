//! OPC Data Access 2.05a over DCOM.
//!
//! [`server`] offers a simulated plant to any client of OPC. [`client`] reads, writes and watches the
//! items of any server, and [`gateway`] shows one to CORBA. [`model`] is the plant and its groups without DCOM.

#![forbid(unsafe_code)]

pub mod client;
pub mod gateway;
pub mod model;
pub mod server;
pub mod status;
mod wire;

/// The interfaces of OPC, as `idl/data_access.idl` has them.
#[allow(missing_docs)]
pub mod data_access {
    armilla::include_idl!("data_access");
}

/// What the IDL becomes.
#[allow(missing_docs)]
pub mod idl {
    armilla::include_idl!("opc");
}
