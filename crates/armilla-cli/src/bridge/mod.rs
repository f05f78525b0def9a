//! `armilla bridge`: objects of CORBA for programs of COM, and the other way.

mod serve;

use crate::orb::OrbArguments;
use armilla_terminal::{Context, Failure, Outcome};
use std::path::PathBuf;

/// The arguments of `armilla bridge`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Bridge {
    /// Serve a bridge until interrupted; prints `ready HOST:PORT`
    Serve(Box<serve::Serve>),
    /// Print the interfaces of IDL files as programs of COM call them by number, as MIDL
    Midl {
        /// The IDL files
        #[arg(required = true, value_name = "FILE")]
        idl: Vec<PathBuf>,
    },
}

pub(crate) fn run(bridge: &Bridge, arguments: &OrbArguments) -> Outcome {
    match bridge {
        Bridge::Serve(options) => serve::serve(options, arguments),
        Bridge::Midl { idl } => {
            let midl = armilla_bridge::midl(&texts(idl)?).map_err(Failure::because)?;
            print!("{midl}");
            Ok(())
        }
    }
}

/// Files of IDL with their texts.
fn texts(files: &[PathBuf]) -> Outcome<Vec<(String, String)>> {
    let text = |file: &PathBuf| {
        let text = std::fs::read_to_string(file);
        let text = text.context(format!("cannot read {}", file.display()))?;
        Ok((file.display().to_string(), text))
    };
    files.iter().map(text).collect()
}
