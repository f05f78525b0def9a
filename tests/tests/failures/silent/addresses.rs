//! References with a second address.

use super::{LIMIT, Scene, assert_late};
use armilla::ConnectionPolicy;
use armilla_tests::probe::*;
use armilla_tests::relay::Relay;

/// The first address takes connections and never answers: the next call goes to the second.
#[test]
fn the_next_call_goes_to_the_next_address() {
    type Call = fn(&EverythingRef) -> Result<(), armilla::SystemException>;
    let ways: [(ConnectionPolicy, Call); 3] = [
        (ConnectionPolicy::Exclusive, |remote| remote.ping()),
        (ConnectionPolicy::Multiplexed, |remote| remote.ping()),
        (ConnectionPolicy::Multiplexed, |remote| remote.ping_async().wait()),
    ];
    for (policy, call) in ways {
        let Scene { server, relay, client, .. } = Scene::new();
        let second = Relay::start(server.address());
        let object = Relay::reference(&[&relay, &second], server.local.object(), &client);
        let remote = object.assume::<dyn Everything>().with_connection_policy(policy);
        call(&remote).unwrap();
        relay.hang();
        assert_late(call(&remote.with_timeout(LIMIT)));
        for _ in 0..3 {
            call(&remote).unwrap();
        }
        assert_eq!((relay.connections(), second.connections()), (1, 1));
    }
}
