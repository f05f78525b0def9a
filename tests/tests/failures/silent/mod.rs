//! Connections that fall silent: they stay open, and nothing comes. A call that waited in vain is
//! the last one on its connection, whoever shares it; a server that is merely slow keeps its own.

mod addresses;
mod both_ways;
mod exclusive;
mod onward;
mod sending;
mod shared;
mod slow;

use armilla::{Completion, ConnectionPolicy, ExceptionKind, Minor, Orb, SystemException};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tests::relay::Relay;
use std::time::Duration;

/// The time limit of calls that are meant to run into it.
const LIMIT: Duration = Duration::from_millis(500);

/// A server behind a relay, and a client of it.
struct Scene {
    server: Server,
    relay: Relay,
    client: Orb,
    /// The server's object. Its calls have long limits.
    remote: EverythingRef,
    /// The same, for calls that are meant to run into their limit.
    limited: EverythingRef,
}

impl Scene {
    fn new() -> Self {
        Self::of(orbs::client())
    }

    fn of(client: Orb) -> Self {
        let server = Server::start();
        let relay = Relay::start(server.address());
        let object = Relay::reference(&[&relay], server.local.object(), &client);
        let remote: EverythingRef = object.assume();
        let limited = remote.with_timeout(LIMIT);
        Self { server, relay, client, remote, limited }
    }

    /// The same where calls share connections.
    fn sharing() -> Self {
        let scene = Self::new();
        let [remote, limited] = [&scene.remote, &scene.limited]
            .map(|remote| remote.with_connection_policy(ConnectionPolicy::Multiplexed));
        Self { remote, limited, ..scene }
    }
}

#[track_caller]
fn assert_late<T: std::fmt::Debug>(result: Result<T, SystemException>) {
    let error = result.unwrap_err();
    assert_eq!(
        (error.kind(), error.minor(), error.completed()),
        (ExceptionKind::Timeout, Minor::REPLY_TIMED_OUT, Completion::Maybe),
        "{error}"
    );
}
