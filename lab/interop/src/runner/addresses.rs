//! Addresses: IPv6, and several of which only the last one answers.

use super::{Client, Orb, Server, Suite};

/// A call with results, one that locates the object, and one that passes a reference.
const CHECKS: [&str; 3] = ["echo_long/", "_locate/living", "echo_object"];

pub(super) fn run(suite: &mut Suite) {
    let pairs = [(Orb::Omni, Orb::Us), (Orb::Us, Orb::Omni), (Orb::Us, Orb::Us)];
    for (client, server) in pairs {
        let pair = format!("{}-to-{}", client.name(), server.name());
        let ipv6 = match server {
            Orb::Omni => ["-ORBendPoint", "giop:tcp:[::1]:"],
            _ => ["-ORBEndpoint", "iiop://[::1]:0"],
        };
        checks(suite, &format!("addresses/{pair}/ipv6"), (client, server), &ipv6);
    }
    for client in [Orb::Omni, Orb::Jac, Orb::Us] {
        // There is no listener at the port 1 of the loopback.
        let dead = ["-ORBEndpoint", "iiop://127.0.0.1:0?publish=127.0.0.1:1"];
        let name = format!("addresses/{}-to-us/alternates", client.name());
        checks(suite, &name, (client, Orb::Us), &dead);
    }
}

/// Makes calls to a server whose reference contains this endpoint before the usual one.
fn checks(suite: &mut Suite, name: &str, (client, server): (Orb, Orb), endpoint: &[&str]) {
    suite.group(name, |suite, group| {
        let (programs, directory) = (&suite.programs, &suite.directory);
        let server = Server::start(programs, directory, server, endpoint)?;
        let client = Client::new(programs, client, &server.ior).only(&CHECKS);
        client.run(directory, "", group)?;
        server.end()
    });
}
