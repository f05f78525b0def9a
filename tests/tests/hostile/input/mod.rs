//! Bad input to a live server. The server answers each with a MessageError, an exception or a
//! close. It never panics, hangs, or reserves memory for octets that have not arrived, and other
//! clients see no error.

mod arrival;
mod messages;
mod random;
mod requests;

use armilla::{Orb, Version};
use armilla_cdr::ByteOrder;
use armilla_giop::MessageKind;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{Wire, request};
use armilla_tests::probe::*;
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const NEWEST: Version = Version::V1_2;

/// How many panics there were that no test asked for.
static PANICS: AtomicUsize = AtomicUsize::new(0);

/// What a servant says that panics on request.
const ON_PURPOSE: &str = "on purpose";

/// Counts panics of the server's threads from now on.
fn count_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let words = info.payload().downcast_ref::<String>().map_or("", String::as_str);
            let servers = thread::current().name().is_some_and(|name| name.starts_with("armilla"));
            if servers && !words.contains(ON_PURPOSE) {
                PANICS.fetch_add(1, Ordering::SeqCst);
            }
            if !words.contains(ON_PURPOSE) {
                usual(info);
            }
        }));
    });
}

/// Limits that hostile clients run into soon.
fn limited(header_deadline: Duration) -> Orb {
    let builder = orbs::builder().settings(|settings| {
        settings.max_message = 1 << 20;
        settings.header_deadline = header_deadline;
    });
    builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap()
}

/// Runs `attack` while a good client calls all the time, and checks that nothing happened to it.
fn under_attack(attack: impl FnOnce(&Server)) {
    under_attack_within(Duration::from_millis(100), attack);
}

/// As [`under_attack`], of a server that waits so long for the rest of a message.
fn under_attack_within(header_deadline: Duration, attack: impl FnOnce(&Server)) {
    count_panics();
    let server = Server::of(limited(header_deadline));
    let client = orbs::client();
    let good = server.remote(&client);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let calls = scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                good.ping().unwrap();
                let (_, copy) = good.echo_octets(&[1, 2, 3], &mut Vec::new()).unwrap();
                assert_eq!(copy, [1, 2, 3]);
            }
        });
        let end = AtEnd(&over);
        attack(&server);
        drop(end);
        calls.join().unwrap();
    });
    good.ping().unwrap();
    assert_eq!(PANICS.load(Ordering::SeqCst), 0, "the server panicked");
}

/// Tells the good client that the attack is over, even when it ended in a panic.
struct AtEnd<'a>(&'a AtomicBool);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// The object key of the probe.
fn key(server: &Server) -> Vec<u8> {
    let ior = server.local.object().ior();
    ior.iiop_profiles().next().unwrap().unwrap().object_key
}

/// What the server answers until it closes.
fn answer(server: &Server, octets: &[u8]) -> Vec<MessageKind> {
    let mut wire = Wire::connect(server.address());
    wire.send(octets);
    wire.end_sending();
    wire.until_end()
}

/// A request for `echo_string` with two strings.
fn good_request(server: &Server, version: Version, order: ByteOrder) -> Vec<u8> {
    request(version, order, &key(server), "echo_string", |out| {
        out.put_string("given")?;
        out.put_string("kept")
    })
}
