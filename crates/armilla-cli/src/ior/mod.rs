//! `armilla ior`: shows the contents of a reference, without a call to a server, and makes and
//! changes references.

mod address;
mod change;
mod components;
mod contents;
mod make;
mod names;
mod policies;
mod profiles;
mod text;

use crate::orb::OrbArguments;
use armilla_giop::Version;
use armilla_giop::ior::Ior;
use armilla_giop::url::ObjectUrl;
use armilla_terminal::{Failure, Outcome, print, say};

/// The arguments of `armilla ior`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ReadIor {
    #[command(subcommand)]
    command: Option<Command>,
    /// The reference to show
    #[arg(value_name = "REF")]
    reference: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Make a reference from a host, a port, an object key and components
    Make(make::Make),
    /// Write a reference with another host, port or type
    Change(change::Change),
}

pub(crate) fn run(arguments: &ReadIor, orb: &OrbArguments) -> Outcome {
    match (&arguments.command, &arguments.reference) {
        (Some(Command::Make(make)), _) => {
            orb.refuse()?;
            make::run(make)
        }
        (Some(Command::Change(change)), _) => change::run(change, read(&change.reference, orb)?.0),
        (None, Some(reference)) => show(reference, arguments.json, orb),
        (None, None) => Err(Failure::usage("a reference is missing: armilla ior REF")),
    }
}

fn show(reference: &str, json: bool, orb: &OrbArguments) -> Outcome {
    let (ior, name) = read(reference, orb)?;
    let mut contents = profiles::contents(&ior);
    if let Some(name) = name {
        contents.insert("name".into(), name.into());
    }
    match json {
        true => say!("{:#}", serde_json::Value::Object(contents)),
        false => print(format_args!("{}", text::text(&contents))),
    }
}

/// The reference, and the name that is to be resolved there.
fn read(reference: &str, orb: &OrbArguments) -> Outcome<(Ior, Option<String>)> {
    match reference.parse() {
        // Only a naming service can resolve the name; show the address of the service and the name.
        Ok(ObjectUrl::Corbaname { location, name }) => {
            Ok((location.to_ior(Version::V1_2)?, Some(name)))
        }
        // The ORB also reports errors, with a hint.
        _ => Ok((orb.orb()?.string_to_object(reference)?.ior(), None)),
    }
}
