//! Bidirectional GIOP: unreachable clients are called back over their own connections.

use super::pairings::PAIRINGS;
use super::{Client, Orb, Server, Suite};

/// The checks that call the client's object, including nested and concurrent calls.
const CHECKS: [&str; 4] = ["call_back/", "call_all/", "descend/", "echo_callback/"];

pub(super) fn run(suite: &mut Suite) {
    for (client, server) in PAIRINGS {
        let name = format!("bidirectional/{}-to-{}/1.2", client.name(), server.name());
        suite.group(&name, |suite, group| {
            let (programs, directory) = (&suite.programs, &suite.directory);
            let server = Server::start(programs, directory, server, accepting(server))?;
            Client::new(programs, client, &server.ior)
                .options(offering(client))
                .only(&CHECKS)
                .run(directory, "", group)?;
            server.end()
        });
    }
}

/// The options of a server that calls clients over their connections. Our server cannot connect.
const fn accepting(orb: Orb) -> &'static [&'static str] {
    match orb {
        Orb::Us => &["-ORBAcceptBiDirectionalGIOP", "checked", "-ORBConnectTimeout", "0"],
        Orb::Omni | Orb::OmniPy => {
            &["-ORBacceptBiDirectionalGIOP", "1", "-ORBserverTransportRule", "* tcp,bidir"]
        }
        Orb::Jac => &["--property", BIDIRECTIONAL],
    }
}

/// The options of a client that offers its connections, and whose references contain a port of the
/// loopback without a listener.
const fn offering(orb: Orb) -> &'static [&'static str] {
    match orb {
        Orb::Us => &[
            "-ORBOfferBiDirectionalGIOP",
            "1",
            "-ORBEndpoint",
            "iiop://127.0.0.1:0?publish=127.0.0.1:1",
        ],
        Orb::Omni | Orb::OmniPy => &[
            "-ORBofferBiDirectionalGIOP",
            "1",
            "-ORBclientTransportRule",
            "* bidir,tcp",
            "-ORBendPoint",
            "giop:tcp:127.0.0.1:",
            "-ORBendPointPublish",
            "giop:tcp:127.0.0.1:1",
        ],
        // Its references can contain another address, but it offers the one where it listens.
        Orb::Jac => &["--property", BIDIRECTIONAL],
    }
}

/// Makes JacORB apply the policy, offer and accept.
const BIDIRECTIONAL: &str = "org.omg.PortableInterceptor.ORBInitializerClass.bidirectional=\
                             org.jacorb.orb.giop.BiDirConnectionInitializer";
