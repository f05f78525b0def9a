//! How long objects live.

use crate::plant::{COUNTED, COUNTED_CLASS, Chain, LONG, client, plant, plant_with};
use armilla_dcerpc::Status;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn an_object_without_pings_expires_after_360_seconds() {
    let (plant, client) = (plant(), client());
    let object = plant.counted(&client);
    let exports = plant.server.exports();
    plant.hand.advance(6 * MINUTE - Duration::from_secs(1));
    exports.expire();
    // A call counts as a ping.
    object.call::<Chain>(&()).unwrap();
    plant.hand.advance(6 * MINUTE - Duration::from_secs(1));
    exports.expire();
    assert_eq!(plant.alive(), 1);
    plant.hand.advance(Duration::from_secs(1));
    exports.expire();
    assert_eq!((plant.alive(), exports.len(), exports.references()), (0, 0, 0));
    let error = object.call::<Chain>(&()).unwrap_err();
    assert_eq!(error.status(), Some(Status::DISCONNECTED));
    assert!(error.to_string().contains("activate it again"), "{error}");
}

#[test]
fn pings_keep_objects_and_sets_expire_with_their_clients() {
    let (plant, client) = (plant(), client());
    let exports = plant.server.exports();
    let (one, two) = (plant.counted(&client), plant.counted(&client));
    for _ in 0..10 {
        client.ping().unwrap();
        plant.hand.advance(5 * MINUTE);
        exports.expire();
    }
    assert_eq!((plant.alive(), exports.ping_sets()), (2, 1));
    // What leaves the set lives by itself.
    drop(one);
    assert!(client.flush(LONG));
    client.ping().unwrap();
    assert_eq!(plant.alive(), 1);
    plant.hand.advance(6 * MINUTE);
    exports.expire();
    assert_eq!((plant.alive(), exports.ping_sets()), (0, 0));
    // The set is gone: the client is told, and makes another one.
    assert_eq!(client.ping().unwrap_err().status(), Some(Status::UNKNOWN_SET));
    client.ping().unwrap();
    assert_eq!(exports.ping_sets(), 1);
    drop(two);
}

#[test]
fn ten_thousand_activations_and_releases_leave_nothing() {
    let (plant, client) = (plant(), client());
    for round in 0..10_000 {
        let object = plant.counted(&client);
        if round % 1_000 == 0 {
            object.call::<Chain>(&()).unwrap();
        }
    }
    assert!(client.flush(LONG));
    let exports = plant.server.exports();
    assert_eq!((plant.alive(), exports.len(), exports.references()), (0, 0, 0));
}

#[test]
fn a_client_that_ends_gives_back_what_it_had() {
    let plant = plant();
    for _ in 0..100 {
        // As a program does that makes one call: the client ends with the reference.
        drop(plant.counted(&client()));
        assert_eq!((plant.alive(), plant.server.exports().references()), (0, 0));
    }
}

#[test]
fn an_exporter_takes_no_more_than_its_limits() {
    let plant = plant_with(|options| options.limits.max_objects = 3, |it| it);
    let client = client();
    let kept: Vec<_> = (0..3).map(|_| plant.counted(&client)).collect();
    let more = client.activate(&plant.host(), COUNTED_CLASS, COUNTED.uuid);
    assert_eq!(more.unwrap_err().status(), Some(Status::OUT_OF_MEMORY));
    assert_eq!(plant.alive(), 3);
    drop(kept);
    assert!(client.flush(LONG));
    plant.counted(&client);
}
