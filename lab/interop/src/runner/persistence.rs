//! References that outlive the server process, and those that do not.

use super::{Client, Orb, Server, Suite, free_port};
use crate::report::expect;
use std::time::Duration;

/// A few calls of each kind.
const CHECKS: [&str; 4] = ["ping", "echo_long/", "echo_string/empty", "raise_failed/members"];

pub(super) fn run(suite: &mut Suite) {
    suite.group("restart/persistent", |suite, group| {
        let (programs, directory) = (&suite.programs, &suite.directory);
        let port = free_port()?;
        let start =
            || Server::start_at(programs, directory, Orb::Us, port, &["--key", "Alpha Centauri/2"]);
        let first = start()?;
        let ior = first.ior.clone();
        let clients =
            [Orb::Omni, Orb::Jac, Orb::Us].map(|orb| (orb, Client::new(programs, orb, &ior)));
        let clients = clients.map(|(orb, client)| (orb, client.only(&CHECKS)));
        for (orb, client) in &clients {
            client.run(directory, &format!("before/{}/", orb.name()), group)?;
        }
        first.end()?;
        let second = start()?;
        // What differs is where the processes are on their host.
        let orb = armilla::Orb::new()?;
        let (one, other) = (orb.string_to_object(&ior)?, orb.string_to_object(&second.ior)?);
        group.check("same_object", || expect(one.is_equivalent(&other), &second.ior));
        orb.shutdown();
        for (orb, client) in &clients {
            client.run(directory, &format!("after/{}/", orb.name()), group)?;
        }
        second.end()
    });
    suite.group("restart/transient", |suite, group| {
        let (programs, directory) = (&suite.programs, &suite.directory);
        let port = free_port()?;
        let none: [&str; 0] = [];
        let first = Server::start_at(programs, directory, Orb::Us, port, &none)?;
        let ior = first.ior.clone();
        first.end()?;
        let second = Server::start_at(programs, directory, Orb::Us, port, &none)?;
        let orb = armilla::Orb::builder().call_timeout(Some(Duration::from_secs(10))).build()?;
        let object = orb.string_to_object(&ior)?;
        group.check("another_reference", || expect(second.ior != ior, &ior));
        group.check("non_existent", || expect(object.non_existent()?, "it is said to exist"));
        group.check("not_located", || expect(!object.locate()?, "it is said to be there"));
        orb.shutdown();
        second.end()
    });
}
