//! How many images one client may have stored.

use crate::common::{Scratch, serve_store, serve_to, write_image};
use crate::web::{Answer, ask, console_to};
use armilla_imaging::access::token_hash;
use armilla_imaging::audit::Guard;
use armilla_imaging::idl::Server as _;
use armilla_imaging::store::Store;
use armilla_security::Limits;
use armilla_service::Console;
use armilla_stream::Listener;
use std::fs;
use std::path::Path;

/// The rules of two programs with tokens, and limits.
fn guard(limits: &Limits) -> Guard {
    let rules = format!(
        "allow any token ward {}\nallow any token lab {}",
        token_hash("first"),
        token_hash("second")
    );
    let guard = Guard::new(rules.parse().unwrap(), None).unwrap();
    guard.with_limits(Some(limits.clone()))
}

fn store_as(scratch: &Scratch, console: &Console, token: &str, number: u16) -> Answer {
    let file = scratch.file(&format!("{number}.dcm"));
    write_image(&file, "1.2.3", number, 8, number);
    let fields = format!("Content-Type: application/dicom\r\nAuthorization: Bearer {token}\r\n");
    ask(console, "POST", "studies", &fields, &fs::read(&file).unwrap())
}

#[test]
fn a_program_stores_so_many_images_and_others_have_their_share() {
    let scratch = Scratch::new();
    let limits = Limits::new("user-images=2".parse().unwrap());
    let guard = guard(&limits);
    let (orb, server, store) = serve_to(&scratch.file("store"), 0, guard.clone());
    let console = console_to(server.upcast(), guard);
    let store_as = |token: &str, number: u16| store_as(&scratch, &console, token, number);
    assert_eq!((store_as("first", 1).status, store_as("first", 2).status), (200, 200));
    // The same image again is no other one, but a share that is used up takes none.
    assert_eq!(store_as("first", 3).status, 507, "insufficient storage");
    assert_eq!(store_as("second", 3).status, 200);
    assert_eq!((store.usage().0, limits.counts().user_images), (3, 1));
    // What is removed is given back, whoever does it.
    server.remove("1.2.3.1.1").unwrap();
    assert_eq!(store_as("first", 4).status, 200);
    assert!(limits.to_prometheus().contains("armilla_limits_held{what=\"images\"} 3\n"));
    orb.shutdown();
}

/// Copies what a server has on the disk while it runs, as a crash leaves it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

#[test]
fn whose_an_image_is_outlives_a_restart() {
    let scratch = Scratch::new();
    let open = |directory: &str| {
        let limits = Limits::new("user-images=2".parse().unwrap());
        let store = Store::open(&scratch.file(directory), 0).unwrap();
        let guard = guard(&limits).with_owners_in(&store).unwrap();
        let listener = Listener::builder().tcp("127.0.0.1", 0).unix().start().unwrap();
        let (orb, server) = serve_store(&store, guard.clone(), listener);
        (console_to(server.upcast(), guard), orb, server, limits)
    };
    let stored = |console: &Console, token: &str, number: u16| {
        store_as(&scratch, console, token, number).status
    };
    {
        let (console, orb, server, _) = open("store");
        assert_eq!([1, 2].map(|number| stored(&console, "first", number)), [200, 200]);
        server.remove("1.2.3.1.2").unwrap();
        // The same image of another program stays the first one's.
        assert_eq!([1, 3].map(|number| stored(&console, "second", number)), [200, 200]);
        assert_eq!(stored(&console, "first", 4), 200);
        copy(&scratch.file("store"), &scratch.file("later"));
        orb.shutdown();
    }
    let (console, orb, server, limits) = open("later");
    assert!(limits.to_prometheus().contains("armilla_limits_held{what=\"images\"} 3\n"));
    assert_eq!((stored(&console, "first", 5), stored(&console, "second", 5)), (507, 200));
    server.remove("1.2.3.1.1").unwrap();
    assert_eq!((stored(&console, "second", 6), stored(&console, "first", 6)), (507, 200));
    orb.shutdown();
}
