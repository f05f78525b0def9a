//! How many images one client may have stored.

use crate::common::{Scratch, serve_to, write_image};
use crate::web::{Answer, ask, console_to};
use armilla_imaging::access::token_hash;
use armilla_imaging::audit::Guard;
use armilla_imaging::idl::Server as _;
use armilla_security::Limits;
use std::fs;

#[test]
fn a_program_stores_so_many_images_and_others_have_their_share() {
    let scratch = Scratch::new();
    let limits = Limits::new("user-images=2".parse().unwrap());
    let rules = format!(
        "allow any token ward {}\nallow any token lab {}",
        token_hash("first"),
        token_hash("second")
    );
    let guard = Guard::new(rules.parse().unwrap(), None).unwrap();
    let guard = guard.with_limits(Some(limits.clone()));
    let (orb, server, store) = serve_to(&scratch.file("store"), 0, guard.clone());
    let console = console_to(server.upcast(), guard);
    let store_as = |token: &str, number: u16| -> Answer {
        let file = scratch.file(&format!("{number}.dcm"));
        write_image(&file, "1.2.3", number, 8, number);
        let fields =
            format!("Content-Type: application/dicom\r\nAuthorization: Bearer {token}\r\n");
        ask(&console, "POST", "studies", &fields, &fs::read(&file).unwrap())
    };
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
