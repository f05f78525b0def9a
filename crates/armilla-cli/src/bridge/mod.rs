//! `armilla bridge`: objects of CORBA for programs of COM, and the other way.

mod serve;

use crate::orb::OrbArguments;
use armilla_terminal::Outcome;

/// The arguments of `armilla bridge`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Bridge {
    /// Serve a bridge until interrupted; prints `ready HOST:PORT`
    Serve(Box<serve::Serve>),
}

pub(crate) fn run(bridge: &Bridge, arguments: &OrbArguments) -> Outcome {
    match bridge {
        Bridge::Serve(options) => serve::serve(options, arguments),
    }
}
