//! Bidirectional connections: both ends find the silence, each for its own calls.

use super::{LIMIT, assert_late};
use armilla::{AcceptBidirectional, ConnectionPolicy, Orb};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::peer;
use armilla_tests::probe::*;
use armilla_tests::relay::{Fate, Relay};
use armilla_tests::servant::Ear;
use std::sync::Arc;

struct Scene {
    _server: Server,
    relay: Relay,
    remote: EverythingRef,
    ear: Arc<Ear>,
    /// The client's object, as the client has it.
    me: ListenerRef,
    /// The same, as the server has it.
    callback: ListenerRef,
    _client: Orb,
}

/// A client that no server can connect to, and that is called back over its connections.
fn scene() -> Scene {
    scene_of(false)
}

/// The same, or one to which the server can connect.
fn scene_of(reachable: bool) -> Scene {
    let server = Server::of(orbs::listening_with(|settings| {
        settings.accept_bidirectional = AcceptBidirectional::Checked;
    }));
    let relay = Relay::start(server.address());
    let endpoint = match reachable {
        true => "iiop://127.0.0.1:0".to_owned(),
        false => format!("iiop://127.0.0.1:0?publish=127.0.0.1:{}", peer::dead_port()),
    };
    let builder = orbs::builder().listen(&endpoint).unwrap().settings(|settings| {
        settings.offer_bidirectional = true;
    });
    let client = builder.build().unwrap();
    let poa = client.root_poa().create_poa("both ways").bidirectional().build().unwrap();
    let ear = Arc::new(Ear::default());
    let me: ListenerRef = poa.activate(ear.clone() as Arc<dyn Listener>).unwrap();
    let remote: EverythingRef =
        Relay::reference(&[&relay], server.local.object(), &client).assume();
    remote.call_back(&me, "first").unwrap();
    let callback = travel(&me, &server.orb);
    callback.hear("second").unwrap();
    assert_eq!(relay.connections(), 1);
    Scene { _server: server, relay, remote, ear, me, callback, _client: client }
}

#[test]
fn the_client_leaves_its_connection_and_is_called_back_over_the_next() {
    for asynchronous in [false, true] {
        let scene = scene();
        scene.relay.silence();
        let limited = scene.remote.with_timeout(LIMIT);
        assert_late(match asynchronous {
            false => limited.ping(),
            true => limited.ping_async().wait(),
        });
        scene.remote.ping().unwrap();
        assert_eq!(scene.relay.connections(), 2);
        // The server prefers the connection that was made last.
        scene.remote.call_back(&scene.me, "third").unwrap();
        scene.callback.hear("fourth").unwrap();
        assert_eq!(scene.ear.heard(), ["first", "second", "third", "fourth"]);
        eventually("the client closes the silent one", || scene.relay.open() <= 1);
    }
}

#[test]
fn the_server_leaves_it_for_its_callbacks() {
    for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
        for (asynchronous, reachable) in [(false, true), (true, true), (false, false)] {
            let scene = scene_of(reachable);
            let callback = scene.callback.with_connection_policy(policy);
            scene.relay.silence();
            let limited = callback.with_timeout(LIMIT);
            let hear = |to: &ListenerRef, text: &str| match asynchronous {
                false => to.hear(text),
                true => to.hear_async(text).wait(),
            };
            assert_late(hear(&limited, "lost"));
            if !reachable {
                // Only another connection of the client leads there.
                assert_late(scene.remote.with_timeout(LIMIT).ping());
                scene.remote.ping().unwrap();
            }
            hear(&callback, "third").unwrap();
            hear(&callback, "fourth").unwrap();
            assert_eq!(scene.ear.heard(), ["first", "second", "third", "fourth"]);
        }
    }
}

/// A client that is out of reach and takes long may be called back over it all the same.
#[test]
fn without_another_way_the_server_tries_it_again() {
    for asynchronous in [false, true] {
        let scene = scene();
        scene.relay.set(Fate::Passed, Fate::Swallowed);
        assert_late(scene.callback.with_timeout(LIMIT).hear("lost"));
        scene.relay.set(Fate::Passed, Fate::Passed);
        match asynchronous {
            false => scene.callback.hear("third").unwrap(),
            true => scene.callback.hear_async("third").wait().unwrap(),
        }
        assert!(scene.callback.object().locate().unwrap());
        assert_eq!(scene.relay.connections(), 1);
        assert_eq!(scene.ear.heard(), ["first", "second", "third"]);
    }
}
