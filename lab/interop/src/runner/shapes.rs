//! Generated graphs of values, which each server returns as they came: see `checks/shapes.rs`.

use super::{Client, Orb, Server, Suite};

/// Which graphs are sent in each position, as `--shapes` has it. The same ones each time, so that a
/// failure does not come and go; other seeds are for the command line of the client.
const SHAPES: &str = "1,1000";

pub(super) fn run(suite: &mut Suite) {
    for server in [Orb::Us, Orb::Omni, Orb::OmniPy, Orb::Jac] {
        let name = format!("shapes/us-to-{}/1.2", server.name());
        suite.group(&name, |suite, group| {
            let (programs, directory) = (&suite.programs, &suite.directory);
            let served = Server::start::<&str>(programs, directory, server, &[])?;
            let client = Client::new(programs, Orb::Us, &served.ior);
            client.options(&["--shapes", SHAPES]).run(directory, "", group)
        });
    }
}
