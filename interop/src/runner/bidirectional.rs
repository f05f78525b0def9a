//! Bidirectional GIOP: clients that nobody can connect to are called back over the connections that
//! they have made.

use super::pairings::PAIRINGS;
use super::{Client, Orb, Server, Suite};

/// What calls the client's object, nested calls and many at once among them.
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

/// The options of a server that calls clients over their connections; ours cannot make any itself.
const fn accepting(orb: Orb) -> &'static [&'static str] {
    match orb {
        Orb::Us => &["-ORBAcceptBiDirectionalGIOP", "checked", "-ORBConnectTimeout", "0"],
        Orb::Omni => {
            &["-ORBacceptBiDirectionalGIOP", "1", "-ORBserverTransportRule", "* tcp,bidir"]
        }
        Orb::Jac => &["--property", BIDIRECTIONAL],
    }
}

/// The options of a client that offers its connections, and in whose references is a port of the
/// loopback at which nobody listens.
const fn offering(orb: Orb) -> &'static [&'static str] {
    match orb {
        Orb::Us => &[
            "-ORBOfferBiDirectionalGIOP",
            "1",
            "-ORBEndpoint",
            "iiop://127.0.0.1:0?publish=127.0.0.1:1",
        ],
        Orb::Omni => &[
            "-ORBofferBiDirectionalGIOP",
            "1",
            "-ORBclientTransportRule",
            "* bidir,tcp",
            "-ORBendPoint",
            "giop:tcp:127.0.0.1:",
            "-ORBendPointPublish",
            "giop:tcp:127.0.0.1:1",
        ],
        // Its references can carry another address, but what it offers is that at which it listens.
        Orb::Jac => &["--property", BIDIRECTIONAL],
    }
}

/// Makes JacORB look at the policy, offer and accept.
const BIDIRECTIONAL: &str = "org.omg.PortableInterceptor.ORBInitializerClass.bidirectional=\
                             org.jacorb.orb.giop.BiDirConnectionInitializer";
