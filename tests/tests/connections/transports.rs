//! Endpoints for processes on the same host, beside TCP: used if they exist, skipped otherwise. In
//! these tests TCP fails, so a successful call took another transport.

use armilla::{Completion, ExceptionKind, Ior};
use armilla_giop::ior::{CodeSetComponentInfo, Component, IiopProfile, OrbType, UiopProfile};
use armilla_ipc::Address;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer;
use armilla_tests::probe::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A place for a socket that no other test has.
fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("armilla-{name}-{}", std::process::id()))
}

/// A server at this endpoint besides TCP.
fn server(endpoint: &str) -> Server {
    let builder = orbs::builder().listen("iiop://127.0.0.1:0").unwrap();
    Server::of(builder.listen(endpoint).unwrap().build().unwrap())
}

/// The profile of the reference to `server`, changed by `change`, as a reference for `client`.
fn changed(
    server: &Server,
    client: &armilla::Orb,
    change: impl Fn(&mut IiopProfile),
) -> EverythingRef {
    let mut ior: Ior = server.local.object().ior();
    for profile in &mut ior.profiles {
        let mut iiop = IiopProfile::decode_data(&profile.data).unwrap();
        change(&mut iiop);
        *profile = iiop.to_tagged().unwrap();
    }
    client.string_to_object(&ior.to_text().unwrap()).unwrap().assume()
}

/// The reference with a TCP address without a listener.
fn without_tcp(server: &Server, client: &armilla::Orb) -> EverythingRef {
    let port = peer::dead_port();
    changed(server, client, |profile| profile.port = port)
}

#[test]
fn a_unix_domain_endpoint_is_preferred_on_the_same_host() {
    let path = path("uiop");
    let server = server(&format!("uiop://{}", path.display()));
    let client = orbs::client();
    let remote = without_tcp(&server, &client);
    (0..3).for_each(|_| remote.ping().unwrap());
    server.shutdown();
    assert!(!path.exists(), "the socket is removed when the server ends");
}

/// The reference as TAO makes one to a server with this socket: a profile of its UIOP alone.
fn as_of_tao(server: &Server, client: &armilla::Orb, path: &Path, padding: u8) -> EverythingRef {
    let ior = server.local.object().ior();
    let profile = ior.iiop_profiles().next().unwrap().unwrap();
    let mut components = profile.components;
    // Without the endpoint that only servers of ours name.
    components.retain(|component| component.id <= CodeSetComponentInfo::ID);
    let padded = components.iter_mut().filter(|component| component.id == OrbType::ID);
    padded.for_each(|component| component.data[1..4].fill(padding));
    let profile = UiopProfile {
        version: profile.version,
        rendezvous_point: path.to_str().unwrap().into(),
        object_key: profile.object_key,
        components,
    };
    let profiles = vec![profile.to_tagged().unwrap()];
    let ior = Ior { type_id: ior.type_id, profiles };
    client.string_to_object(&ior.to_text().unwrap()).unwrap().assume()
}

#[test]
fn a_profile_of_taos_uiop_leads_to_its_unix_domain_socket() {
    let path = path("tao");
    let server = server(&format!("uiop://{}", path.display()));
    let client = orbs::client();
    let [one, other] = [0, 0x9c].map(|padding| as_of_tao(&server, &client, &path, padding));
    one.ping().unwrap();
    other.ping().unwrap();
    assert!(one.object().is_equivalent(other.object()), "whatever the padding of components");
    assert_eq!(one.object().hash_up_to(u32::MAX), other.object().hash_up_to(u32::MAX));
    let elsewhere = as_of_tao(&server, &client, Path::new("/nowhere/of/tao"), 0);
    assert!(!one.object().is_equivalent(elsewhere.object()));
    let error = elsewhere.ping().unwrap_err().to_string();
    assert!(error.starts_with("TRANSIENT") && error.contains("/nowhere/of/tao"), "{error}");
}

#[test]
fn shared_memory_carries_calls_of_any_size() {
    let server = server(&format!("shmiop://{}", path("shmiop").display()));
    let client = orbs::client();
    let remote = without_tcp(&server, &client);
    for size in [0, 1, 1000, 100_000, 3_000_000] {
        let given = vec![7; size];
        let mut kept = Vec::new();
        let (result, copy) = remote.echo_octets(&given, &mut kept).unwrap();
        assert_eq!((result.len(), copy.len(), kept.len()), (0, size, size));
    }
}

#[test]
fn a_client_that_wants_no_local_endpoint_takes_tcp() {
    let server = server(&format!("uiop://{}", path("unwanted").display()));
    let plain = orbs::builder().settings(|settings| settings.local_endpoints = false);
    let client = plain.build().unwrap();
    changed(&server, &client, |_| {}).ping().unwrap();
    without_tcp(&server, &client).ping().unwrap_err();
}

#[test]
fn where_the_local_endpoint_is_not_there_tcp_is_taken() {
    let path = path("gone");
    let server = server(&format!("uiop://{}", path.display()));
    let client = orbs::client();
    let remote = changed(&server, &client, |_| {});
    std::fs::remove_file(&path).unwrap();
    remote.ping().unwrap();
}

#[test]
fn an_endpoint_of_another_host_is_passed_over() {
    let path = path("elsewhere");
    let server = server(&format!("uiop://{}", path.display()));
    let client = orbs::client();
    let here = armilla_ipc::host::boot_id().unwrap();
    let elsewhere = "0".repeat(here.len());
    let address = Address::unix(&path).to_string();
    let remote = changed(&server, &client, |profile| {
        let local = profile.components.iter_mut();
        let holds =
            |data: &[u8], part: &str| data.windows(part.len()).any(|w| w == part.as_bytes());
        let local = local.filter(|component| holds(&component.data, &address));
        for component in local {
            let start = component.data.windows(here.len()).position(|w| w == here.as_bytes());
            let start = start.unwrap();
            component.data[start..start + here.len()].copy_from_slice(elsewhere.as_bytes());
        }
        profile.port = peer::dead_port();
    });
    remote.ping().unwrap_err();
}

#[test]
fn endpoints_that_are_malformed_are_refused() {
    for endpoint in ["uiop://relative", "uiop:", "shmiop://", "shm:///x", "unix:///x"] {
        let error = orbs::builder().listen(endpoint).unwrap_err();
        assert!(error.to_string().contains("uiop:///PATH"), "{endpoint}: {error}");
    }
}

/// A server at this endpoint besides TCP, with this `-ORBLocalAccess`.
fn server_for(endpoint: &str, access: &str) -> Server {
    let builder = orbs::builder().arguments(["-ORBLocalAccess", access].map(str::to_owned));
    let builder = builder.unwrap().listen("iiop://127.0.0.1:0").unwrap();
    Server::of(builder.listen(endpoint).unwrap().build().unwrap())
}

fn this_user() -> u32 {
    std::fs::metadata("/proc/self").unwrap().uid()
}

#[test]
fn the_socket_file_gets_the_permissions_and_the_owner_that_were_set() {
    let (user, client) = (this_user(), orbs::client());
    for (scheme, mode) in [("uiop", 0o600), ("shmiop", 0o666), ("uiop", 0o660)] {
        let path = path(&format!("{scheme}-{mode:o}"));
        let access = format!("mode={mode:o},user={user}");
        let server = server_for(&format!("{scheme}://{}", path.display()), &access);
        let file = std::fs::symlink_metadata(&path).unwrap();
        assert_eq!((file.permissions().mode() & 0o777, file.uid()), (mode, user));
        without_tcp(&server, &client).ping().unwrap();
    }
}

#[test]
fn a_user_who_is_not_among_the_peers_is_refused() {
    let (user, client) = (this_user(), orbs::client());
    for scheme in ["uiop", "shmiop"] {
        let endpoint = |name| format!("{scheme}://{}", path(&format!("{scheme}-{name}")).display());
        let others = server_for(&endpoint("others"), &format!("peers={}", user + 1));
        let error = without_tcp(&others, &client).ping().unwrap_err();
        assert_eq!((error.kind(), error.completed()), (ExceptionKind::Transient, Completion::No));
        let ours = server_for(&endpoint("ours"), &format!("peers={}+{user}", user + 1));
        without_tcp(&ours, &client).ping().unwrap();
    }
}

#[test]
fn a_malformed_access_is_refused_with_the_form_that_is_needed() {
    for access in ["", "mode", "mode=8", "mode=1777", "user=root", "peers=", "peers=1,2", "any=1"] {
        let arguments = ["-ORBLocalAccess", access].map(str::to_owned);
        let error = orbs::builder().arguments(arguments).unwrap_err().to_string();
        assert!(error.contains("-ORBLocalAccess") && error.contains("mode=OCTAL"), "{error}");
    }
}
