//! Our traffic as tshark's GIOP dissector sees it: no malformed frame.

use super::{Client, Orb, Process, Server, Suite, VERSIONS, free_port};
use crate::report::expect;
use std::process::Command;
use std::time::Duration;

/// How long a client and tshark may take.
const LIMIT: Duration = Duration::from_secs(120);

pub(super) fn run(suite: &mut Suite) {
    for version in VERSIONS {
        for (client, server) in [(Orb::Omni, Orb::Us), (Orb::Us, Orb::Omni), (Orb::Us, Orb::Us)] {
            let name = format!("wire/{}-to-{}/{version}", client.name(), server.name());
            suite.group(&name, |suite, group| {
                let (programs, directory) = (&suite.programs, &suite.directory);
                let (port, callback_port) = (free_port()?, free_port()?);
                let none: [&str; 0] = [];
                let server = Server::start_at(programs, directory, server, port, &none)?;
                let client = Client::new(programs, client, &server.ior)
                    .options(&client.max_giop(version))
                    .options(&client.endpoint(callback_port))
                    // What omniORB itself sends amiss, see expected-failures.txt.
                    .only(&["!raise_failed/100_kb"]);
                let (program, arguments) = client.command();
                let mut command = Command::new(programs.home.join("wire-check"));
                command.arg("--capture").arg(directory.path().join("capture"));
                command.args([port.to_string(), callback_port.to_string()]);
                command.arg("--").arg(program).args(arguments);
                let mut check = Process::start(&mut command, directory.path())?;
                let status = check.wait(LIMIT)?;
                let output = check.output();
                group.take_report("", &output, Some(0).filter(|_| output.contains(" 0 failed")))?;
                group.check("tshark/well_formed", || {
                    let fine = status.success() && output.contains("\nno malformed frame\n");
                    let after = output.find("\nGIOP messages:").unwrap_or_default();
                    expect(fine, format!("{status}: {}", &output[after..]))
                });
                for kind in ["Request", "Reply", "LocateRequest", "LocateReply"] {
                    group.check(&format!("tshark/{kind}"), || {
                        let shown = output.lines().any(|line| line.ends_with(&format!(" {kind}")));
                        expect(shown, format!("no {kind} was seen"))
                    });
                }
                server.end()
            });
        }
    }
}
