//! The log lines for addresses in references that clients cannot use. The log belongs to the
//! process.

use armilla_tests::alone::alone;
use armilla_tests::lines::{self, await_line};
use armilla_tests::orbs;

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
