//! Bidirectional GIOP: calls to a client's objects go over the connection that the client has made.

mod callbacks;
mod offers;

use armilla::{AcceptBidirectional, Orb, SameHost, Settings};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer;

/// A server that calls clients back over their own connections.
fn accepting(how: AcceptBidirectional) -> Server {
    Server::of(orbs::listening_with(|settings| settings.accept_bidirectional = how))
}

/// An unreachable client: its references contain an address without a listener.
fn unreachable_with(change: impl FnOnce(&mut Settings)) -> Orb {
    let endpoint = format!("iiop://127.0.0.1:0?publish=127.0.0.1:{}", peer::dead_port());
    let builder = orbs::builder().listen(&endpoint).unwrap().settings(|settings| {
        settings.offer_bidirectional = true;
        // The server is on the same host.
        settings.same_host = SameHost::Off;
    });
    builder.settings(change).build().unwrap()
}

fn unreachable() -> Orb {
    unreachable_with(|_| {})
}
