//! Our client against our server, each in a process of its own: all checks, in every version of
//! GIOP. No peer is needed.

use armilla_interop::runner::{Client, Orb, Programs, Server, TemporaryDirectory, VERSIONS};
use armilla_interop::runner::{Expected, Group, Results};
use std::path::Path;

/// Runs all checks with these options of the client and the server.
fn all_checks(client: &[&str], server: &[&str]) {
    let binary = Path::new(env!("CARGO_BIN_EXE_interop-server"));
    let programs = Programs::at(binary.parent().unwrap());
    let directory = TemporaryDirectory::new().unwrap();
    let server = Server::start(&programs, &directory, Orb::Us, server).unwrap();
    let client = Client::new(&programs, Orb::Us, &server.ior).options(client);
    let mut group = Group::new("us-to-us");
    client.run(&directory, "", &mut group).unwrap();
    server.end().unwrap();
    let mut results = Results::new("", Expected::default());
    results.take(group);
    assert!(results.finish());
}

#[test]
fn every_check_passes_in_every_version_that_the_client_is_limited_to() {
    for version in VERSIONS {
        all_checks(&Orb::Us.max_giop(version), &[]);
    }
}

#[test]
fn every_check_passes_in_every_version_that_the_server_is_limited_to() {
    for version in VERSIONS {
        all_checks(&[], &Orb::Us.max_giop(version));
    }
}

/// The other tests go through shared memory, as processes of one host do by default.
#[test]
fn every_check_passes_over_a_socket_of_the_host_and_over_tcp() {
    for carrier in ["unix", "off"] {
        all_checks(&[], &["-ORBSameHost", carrier]);
    }
}

#[test]
fn every_check_of_values_passes() {
    all_checks(&["--exotics"], &[]);
}

#[test]
fn every_check_passes_with_texts_beyond_latin_1() {
    all_checks(&["--utf8"], &[]);
    all_checks(&["--utf8"], Orb::Us.utf8_server());
}
