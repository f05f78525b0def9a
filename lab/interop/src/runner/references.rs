//! Our references as `catior`, omniORB's tool, reads them.

use super::{Orb, Process, Server, Step, Suite, VERSIONS, free_port};
use crate::report::expect;
use armilla_giop::ior::Ior;
use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

pub(super) fn run(suite: &mut Suite) {
    for version in VERSIONS {
        suite.group(&format!("catior/{version}"), |suite, group| {
            let (programs, directory) = (&suite.programs, &suite.directory);
            let port = free_port()?;
            let limit = Orb::Us.max_giop(version);
            let server = Server::start_at(programs, directory, Orb::Us, port, &limit)?;
            let mut command = Command::new("catior");
            let mut catior = Process::start(command.args(["-x", &server.ior]), directory.path())?;
            let status = catior.wait(Duration::from_secs(10))?;
            let output = catior.output();
            let mut shows = |name: &str, text: &str| {
                group.check(name, || {
                    expect(output.contains(text), format!("no {text:?} in {output:?}"))
                });
            };
            shows("type_id", "Type ID: \"IDL:armilla.org/Interop/Echo:1.0\"");
            shows("address", &format!("IIOP {version} 127.0.0.1 {port} "));
            shows("object_key", &key_in_hexadecimal(&server.ior)?);
            if version != "1.0" {
                shows("orb_type", "TAG_ORB_TYPE");
                shows("native_code_set", "char native code set:       ISO-8859-1");
                shows("conversion_code_sets", "char conversion code sets:  UTF-8");
            }
            group.check("no_error", || {
                let complaint = ["rror", "nvalid", "alformed", "annot"];
                let complains = complaint.iter().any(|word| output.contains(word));
                expect(status.success() && !complains, format!("{status}: {output}"))
            });
            server.end()
        });
    }
}

fn key_in_hexadecimal(ior: &str) -> Step<String> {
    let ior: Ior = ior.parse()?;
    let profile = ior.iiop_profiles().next().ok_or("the reference has no IIOP profile")??;
    Ok(profile.object_key.iter().fold("0x".to_owned(), |mut text, octet| {
        // Writing to a string does not fail.
        let _ = write!(text, "{octet:02x}");
        text
    }))
}
