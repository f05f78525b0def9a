//! `armilla properties`, `time` and `lifecycle`, as a user types them.

use crate::running::{Directory, Running, Service};

const PROPERTIES: Service = Service { command: "properties", reference: "PropertySetFactory" };
const TIME: Service = Service { command: "time", reference: "TimeService" };
const LIFECYCLE: Service = Service { command: "lifecycle", reference: "FactoryFinder" };

/// `--at HOST:PORT`, for commands that need other objects of the service.
fn at<'s>(service: &'s Running, key: &str) -> [&'s str; 2] {
    let place = service.url.strip_prefix("corbaloc::").unwrap();
    ["--at", place.strip_suffix(key).unwrap().trim_end_matches('/')]
}

#[test]
fn properties_outlive_the_process_that_serves_them() {
    let directory = Directory::new("properties");
    let store = directory.file("store");
    let service = Running::new(&PROPERTIES, &["--store", &store]);
    let endpoint = format!("iiop://{}", at(&service, "PropertySetFactory")[1]);
    let set =
        service.ok(&[&["create", "--modes"][..], &at(&service, "PropertySetFactory")].concat());
    let set = set.trim();
    service.ok(&["set", set, "colour", "red"]);
    service.ok(&["set", set, "size", "7", "--mode", "fixed-readonly"]);
    let fixed = service.fails(&["unset", set, "size"]);
    assert!(fixed.contains("size: ") && fixed.contains("FixedProperty"), "{fixed}");
    service.stop();

    let service = Running::at(&PROPERTIES, &endpoint, &["--store", &store]);
    assert_eq!(service.ok(&["get", set, "colour"]).trim(), "\"red\"");
    let all: serde_json::Value = serde_json::from_str(&service.ok(&["get", set])).unwrap();
    assert_eq!(all, serde_json::json!({ "colour": "red", "size": 7 }));
    let place = at(&service, "PropertySetFactory");
    let list = service.ok(&[&["ls"][..], &place].concat());
    let id = list.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    service.ok(&[&["rm", id][..], &place].concat());
    service.fails(&["get", set]);
    service.stop();
}

#[test]
fn a_time_service_says_what_time_it_is_and_how_well_it_knows() {
    let service = Running::new(&TIME, &["--inaccuracy", "2.5"]);
    let now = service.ok(&["now"]);
    assert!(now.starts_with("20") && now.contains("Z  give or take "), "{now}");
    let insecure = service.fails(&["now", "--secure"]);
    assert!(insecure.contains("does not know a secure time"), "{insecure}");
    service.stop();
}

#[test]
fn a_finder_without_places_finds_nothing() {
    let service = Running::new(&LIFECYCLE, &[]);
    let none = service.fails(&["find", "bank/account"]);
    assert!(none.contains("there is no factory for bank/account"), "{none}");
    service.stop();
}
