//! The implementation repository: clients find servers through it, and it starts them.
//!
//! References to objects of persistent POAs lead to the repository. It knows by the object key
//! which server has the object, starts that if it does not run, and forwards the client to it. From
//! then on the client calls the server directly.
//!
//! An [`ImplementationRepository`] runs in an ORB of any program; `armilla imr serve` is such a
//! program. An [`Activator`] starts servers on another host. [`model`] has the definitions of
//! servers and their state machines as plain data.
//!
//! What a program needs only on the disk or as a server is a feature: `disk`, `server`.

#![forbid(unsafe_code)]

mod activator;
mod engine;
mod host;
pub mod model;
mod random;
mod servant;
#[cfg(feature = "server")]
pub mod server;
mod store;

/// The interfaces, generated from `idl/ImplementationRepository.idl`.
#[allow(missing_docs)]
pub mod corba {
    mod generated {
        armilla::include_idl!("ImplementationRepository");
    }
    pub use generated::implementation_repository::*;
}

/// What servers of JacORB ask of a repository, generated from `idl/JacORBRegistration.idl`.
#[allow(missing_docs, dead_code, unreachable_pub)]
mod imr_of_jacorb {
    mod generated {
        armilla::include_idl!("JacORBRegistration");
    }
    pub(crate) use generated::imr::*;
}

pub use activator::{Activator, ActivatorBuilder};
pub use host::{LogLimits, LogStream};
pub use servant::{ImplementationRepository, ImplementationRepositoryBuilder};
#[cfg(feature = "disk")]
pub use store::Saved;
#[doc(hidden)]
pub use store::decode_definition;
pub use store::{Recovered, Store, StoreError};

/// The object key of a repository in `corbaloc:` URLs.
pub const KEY: &str = "ImplementationRepository";

/// The object key, in `corbaloc:` URLs, of what servers of JacORB register with.
pub const JACORB_KEY: &str = "JacORB/ImplementationRepository";

/// The name of this host.
pub fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}
