//! Servants that call other servers: a service waits for a dead connection once, whichever of its
//! clients is first, and its clients learn what became of the call.

use super::{LIMIT, assert_late};
use armilla::ConnectionPolicy;
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tests::relay::Relay;
use armilla_tests::servant::Ear;

#[test]
fn a_service_that_calls_another_one_waits_once() {
    for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
        let last = orbs::listening();
        let (ear, own) = Ear::activate(&last);
        let (host, port) = &last.published_addresses().unwrap()[0];
        let relay = Relay::start((host, *port));
        let service = Server::of(orbs::listening_with(|settings| {
            settings.call_timeout = Some(LIMIT);
            settings.connection_policy = policy;
        }));
        let clients = [orbs::client(), orbs::client()];
        let call = |client: &armilla::Orb, text: &str| {
            let whom: ListenerRef = Relay::reference(&[&relay], own.object(), client).assume();
            service.remote(client).call_back(&whom, text)
        };
        call(&clients[0], "first").unwrap();
        relay.silence();
        assert_late(call(&clients[0], "lost"));
        call(&clients[1], "second").unwrap();
        call(&clients[0], "third").unwrap();
        assert_eq!(relay.connections(), 2, "{policy:?}");
        assert_eq!(ear.heard(), ["first", "second", "third"]);
        last.shutdown();
    }
}
