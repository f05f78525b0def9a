//! Forwards: from servant managers of omniORB and JacORB to our client, and from our published
//! names to their clients and ours.

use super::pairings::PAIRINGS;
use super::{Client, Orb, Server, Step, Suite, VERSIONS, free_port};
use std::fs;

/// Forwarded calls of both kinds: with results and exceptions, and comparisons of references.
const CHECKS: [&str; 8] = [
    "echo_long/",
    "echo_string/",
    "echo_bin_seq/",
    "raise_",
    "notify",
    "_is_a",
    "_locate/living",
    "echo_object",
];

pub(super) fn run(suite: &mut Suite) {
    for (client, server) in PAIRINGS {
        for version in VERSIONS {
            let name = format!("forward/{}-to-{}/{version}", client.name(), server.name());
            suite.group(&name, |suite, group| {
                let (programs, directory) = (&suite.programs, &suite.directory);
                let (server, forwarder) = start(suite, server, version)?;
                Client::new(programs, client, &forwarder)
                    .options(&client.max_giop(version))
                    .only(&CHECKS)
                    .only(&["!100_kb"]) // Known from the pairings.
                    .run(directory, "", group)?;
                server.end()
            });
        }
    }
}

/// A server, and the URL of an object that forwards to the server's object.
fn start(suite: &Suite, orb: Orb, version: &str) -> Step<(Server, String)> {
    let (programs, directory) = (&suite.programs, &suite.directory);
    let port = free_port()?;
    match orb {
        Orb::Us => {
            let options = ["--publish", "star/Vega 1"];
            let server = Server::start_at(programs, directory, orb, port, &options)?;
            Ok((server, format!("corbaloc:iiop:{version}@127.0.0.1:{port}/star/Vega%201")))
        }
        Orb::Omni | Orb::OmniPy | Orb::Jac => {
            let file = directory.path().join("forwarder");
            let option = "--forward-ior-file".as_ref();
            let server =
                Server::start_at(programs, directory, orb, port, &[option, file.as_os_str()])?;
            // Written before the reference for which the start waits.
            let forwarder = fs::read_to_string(file)?;
            Ok((server, forwarder.trim().to_owned()))
        }
    }
}
