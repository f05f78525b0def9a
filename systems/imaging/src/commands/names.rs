//! Names instead of addresses.

use super::Failure;
use armilla::Orb;
use clap::Parser;

/// Under which name others find what is served.
#[derive(Debug, Parser)]
pub(crate) struct Naming {
    /// A name such as radiology/one, in the naming service of -ORBInitRef NameService=URL.
    #[arg(long)]
    bind: Option<String>,
}

impl Naming {
    /// Binds what is published at `url`, in place of what had the name before. The URL and not the
    /// reference of the servant: after a restart at the same address the binding is still right.
    pub(super) fn bind(&self, orb: &Orb, url: &str) -> Result<(), Failure> {
        let Some(name) = &self.bind else { return Ok(()) };
        let bound = orb.string_to_object(url).and_then(|object| orb.bind_name(name, object));
        bound.map_err(|error| format!("cannot bind the name {name:?}: {error}").into())
    }
}
