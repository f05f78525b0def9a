//! All checks of every client with every server, in every version of GIOP, and in UTF-8; and the
//! checks of types that only the newest version has.

use super::{Client, Orb, Server, Suite, VERSIONS};

/// Our programs with each other, and with each peer in both roles. omniORB with itself is the
/// reference.
pub(super) const PAIRINGS: [(Orb, Orb); 6] = [
    (Orb::Omni, Orb::Omni),
    (Orb::Omni, Orb::Us),
    (Orb::Us, Orb::Omni),
    (Orb::Us, Orb::Us),
    (Orb::Jac, Orb::Us),
    (Orb::Us, Orb::Jac),
];

pub(super) fn run(suite: &mut Suite) {
    for (client, server) in PAIRINGS {
        let pair = format!("{}-to-{}", client.name(), server.name());
        for version in VERSIONS {
            let (limit, server_limit) = (client.max_giop(version), server.max_giop(version));
            // JacORB's client speaks the version of the reference.
            let server_limit: &[_] = if client == Orb::Jac { &server_limit } else { &[] };
            let name = format!("{pair}/{version}");
            all_checks(suite, &name, (client, &limit), (server, server_limit));
        }
        // GIOP 1.2 has no limits, and the round before has covered it.
        for version in &VERSIONS[..2] {
            if client == Orb::Jac {
                continue; // It was the server already.
            }
            let limit = server.max_giop(version);
            let name = format!("{pair}/{version}-server");
            all_checks(suite, &name, (client, &[]), (server, &limit));
        }
        let utf8 = server.utf8_server();
        all_checks(suite, &format!("{pair}/utf8"), (client, &["--utf8"]), (server, utf8));
        let exotics: (_, &[&str]) = (client, &["--exotics"]);
        all_checks(suite, &format!("values/{pair}/1.2"), exotics, (server, &[]));
        graphs_in_fragments(suite, &pair, client, server);
        if client == Orb::Us && server != Orb::Us {
            older_server(suite, &format!("truncation/{pair}/1.2"), server);
        }
    }
}

/// Graphs of values in fragments: in GIOP 1.1, where omniORB fragments messages that exceed its
/// buffer, and in small fragments of ours in GIOP 1.2.
fn graphs_in_fragments(suite: &mut Suite, pair: &str, client: Orb, server: Orb) {
    let (limit, server_limit) = (client.max_giop("1.1"), server.max_giop("1.1"));
    // As in the pairings above.
    let limits: (&[_], &[_]) =
        if client == Orb::Jac { (&[], &server_limit) } else { (&limit, &[]) };
    let small = |orb| if orb == Orb::Us { &["-ORBFragmentSize", "64"][..] } else { &[] };
    for (case, (client_options, server_options)) in
        [("1.1", limits), ("fragments", (small(client), small(server)))]
    {
        suite.group(&format!("values/{pair}/{case}"), |suite, group| {
            let (programs, directory) = (&suite.programs, &suite.directory);
            let served = Server::start(programs, directory, server, server_options)?;
            Client::new(programs, client, &served.ior)
                .options(client_options)
                .options(&["--exotics"])
                .only(&["mirror/", "exotics/narrows", "are_one/", "sum/", "echo/", "echo_nodes/"])
                .only(&["make/", "make_branch/", "echo_letters/", "echo_numbers/", "echo_base/"])
                .run(directory, "", group)
        });
    }
}

/// A server that does not know the derived types.
fn older_server(suite: &mut Suite, name: &str, server: Orb) {
    suite.group(name, |suite, group| {
        let (programs, directory) = (&suite.programs, &suite.directory);
        let served = Server::start(programs, directory, server, &["--older", "yes"])?;
        Client::new(programs, Orb::Us, &served.ior)
            .options(&["--exotics"])
            .only(&["mirror/", "are_one/", "truncated/", "echo/shared"])
            .run(directory, "", group)
    });
}

fn all_checks(
    suite: &mut Suite,
    name: &str,
    (client, client_options): (Orb, &[&str]),
    (server, server_options): (Orb, &[&str]),
) {
    suite.group(name, |suite, group| {
        let (programs, directory) = (&suite.programs, &suite.directory);
        let served = Server::start(programs, directory, server, server_options)?;
        let client = Client::new(programs, client, &served.ior).options(client_options);
        client.run(directory, "", group)?;
        if server == Orb::Us {
            group.check("server/ends_in_order", || served.end());
        }
        Ok(())
    });
}
