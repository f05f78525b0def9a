//! A server whose clock stands still until a test moves it.

use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcom::client::{Client, ClientOptions};
use armilla_dcom::{Clock, ClockHand};
use armilla_opc::client::{Connection, Sinks, Target};
use armilla_opc::server::{PROG_ID, PlantOptions, PlantServer};
use std::time::Duration;

/// Longer than a busy machine needs.
pub(crate) const LONG: Duration = Duration::from_secs(120);

pub(crate) struct Bench {
    pub(crate) server: PlantServer,
    hand: ClockHand,
}

pub(crate) fn credentials() -> Credentials {
    Credentials::new("", "operator", "secret")
}

pub(crate) fn client() -> Client {
    Client::new(ClientOptions { timeout: LONG, ..ClientOptions::new(credentials()) }).unwrap()
}

pub(crate) fn sinks() -> Sinks {
    Sinks::listen("127.0.0.1:0", Vec::new(), &credentials(), false).unwrap()
}

pub(crate) fn bench() -> Bench {
    bench_with(|_| {})
}

pub(crate) fn bench_with(change: impl FnOnce(&mut PlantOptions)) -> Bench {
    let (clock, hand) = Clock::driven();
    let mut options = PlantOptions { clock, by_itself: false, ..PlantOptions::new(credentials()) };
    (options.sink_timeout, options.counters) = (LONG, 10);
    change(&mut options);
    Bench { server: PlantServer::listen(options, "127.0.0.1:0").unwrap(), hand }
}

impl Bench {
    /// Moves the plant on.
    pub(crate) fn pass(&self, time: Duration) {
        self.hand.advance(time);
        self.server.run();
    }

    /// Moves the clock on, and not the plant.
    pub(crate) fn pass_unseen(&self, time: Duration) {
        self.hand.advance(time);
    }

    pub(crate) fn target(&self) -> Target {
        format!("opcda://{}/{PROG_ID}", self.server.address()).parse().unwrap()
    }

    pub(crate) fn open(&self, client: &Client) -> Connection {
        Connection::open(client, &self.target()).unwrap()
    }
}
