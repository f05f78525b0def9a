//! `armilla ior`: shows the contents of a reference, without a call to a server.

mod contents;
mod names;
mod text;

use crate::failure::Outcome;
use crate::orb::OrbArguments;
use crate::output::{print, say};
use armilla_giop::Version;
use armilla_giop::url::ObjectUrl;

/// The arguments of `armilla ior`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadIor {
    /// The reference
    #[arg(value_name = "REF")]
    reference: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ReadIor, orb: &OrbArguments) -> Outcome {
    let (ior, name) = match arguments.reference.parse() {
        // Only a naming service can resolve the name; show the address of the service and the name.
        Ok(ObjectUrl::Corbaname { location, name }) => {
            (location.to_ior(Version::V1_2)?, Some(name))
        }
        // The ORB also reports errors, with a hint.
        _ => (orb.orb()?.string_to_object(&arguments.reference)?.ior(), None),
    };
    let mut contents = contents::of(&ior);
    if let Some(name) = name {
        contents.insert("name".into(), name.into());
    }
    match arguments.json {
        true => say!("{:#}", serde_json::Value::Object(contents)),
        false => print(format_args!("{}", text::text(&contents))),
    }
}
