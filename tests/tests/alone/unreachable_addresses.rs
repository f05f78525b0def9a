//! The log lines for addresses in references that clients cannot use. The log belongs to the
//! process.

use armilla::SameHost;
use armilla_ipc::host;
use armilla_tests::alone::alone;
use armilla_tests::lines::{self, await_line};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;

#[test]
fn a_published_address_that_clients_cannot_use_is_named_with_the_fix() {
    alone(|| {
        lines::keep();
        let open = |endpoint: &str| {
            let orb = orbs::builder().listen(endpoint).unwrap().build().unwrap();
            orb.shutdown();
        };
        let fix = "publish=HOST:PORT";
        open("iiop://:0?publish=127.0.0.1");
        await_line(&["WARN", "only processes on this host", "host=127.0.0.1", fix]);
        open("iiop://:0?publish=localhost:2809");
        await_line(&["WARN", "only processes on this host", "host=localhost", fix]);
        open("iiop://0.0.0.0:0?publish=0.0.0.0");
        await_line(&["WARN", "no client can reach", "host=0.0.0.0", fix]);
        // RFC 6761 keeps this name from ever being resolved.
        open("iiop://127.0.0.1:0?publish=server.invalid");
        await_line(&["WARN", "cannot be resolved", "server.invalid", fix]);
    });
}

/// Of a client whose objects servers call back.
#[test]
fn where_a_client_listens_unasked_is_told_if_it_may_surprise() {
    alone(|| {
        lines::keep();
        let named = orbs::builder().settings(|settings| {
            settings.publish_host = Some("localhost".into());
        });
        let named = named.build().unwrap();
        orbs::activate(&named);
        await_line(&["WARN", "listens on every interface", "iiop://HOST:PORT"]);
        let other = host::address_towards("2001:db8::1".parse().unwrap());
        let Some(other) = other.filter(|other| *other != host::primary_address()) else {
            eprintln!("NOT CHECKED: this host has no second address");
            return;
        };
        let endpoint = format!("iiop://[{other}]:0");
        // The address that a client comes from is one of TCP.
        let server = orbs::builder().settings(|settings| settings.same_host = SameHost::Off);
        let server = Server::of(server.listen(&endpoint).unwrap().build().unwrap());
        let client = orbs::client();
        orbs::activate(&client);
        server.remote(&client).ping().unwrap();
        let (from, listens) = (format!("from={other}"), format!("{}", host::primary_address()));
        await_line(&["WARN", "no way to call it back", &from, &listens]);
    });
}
