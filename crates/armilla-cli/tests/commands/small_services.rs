//! `armilla properties`, `time`, `lifecycle`, `transactions` and `groups`, as a user types them.

use crate::running::{Directory, Running, Service, free_port};
use std::process::Command;

const PROPERTIES: Service = Service { command: "properties", reference: "PropertySetFactory" };
const TIME: Service = Service { command: "time", reference: "TimeService" };
const TRANSACTIONS: Service = Service { command: "transactions", reference: "TransactionOperator" };
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
    assert!(fixed.contains("size: the property is fixed") && fixed.contains("hint"), "{fixed}");
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
fn a_property_that_stays_as_it_is_says_so_and_its_mode_can_be_changed() {
    let service = Running::new(&PROPERTIES, &["--memory"]);
    let place = at(&service, "PropertySetFactory");
    let set = service.ok(&[&["create", "--modes"][..], &place].concat());
    let set = set.trim();
    let says = |arguments: &[&str], what: &str| {
        let said = service.fails(arguments);
        let is_bare =
            ["Property\n", "Mode\n", "Set\n", "Code\n"].iter().any(|it| said.contains(it));
        assert!(said.contains(what) && !is_bare, "{arguments:?}: {said}");
    };
    service.ok(&["set", set, "size", "7", "--mode", "fixed-readonly"]);
    assert_eq!(service.ok(&["mode", set, "size"]).trim(), "fixed-readonly");
    says(&["set", set, "size", "8"], "size: the property is read-only: its value stays");
    says(&["set", set, "size", "8", "--mode", "normal"], "the property is read-only");
    says(&["unset", set, "size"], "size: the property is fixed");
    service.ok(&["mode", set, "size", "normal"]);
    service.ok(&["set", set, "size", "8"]);
    service.ok(&["unset", set, "size"]);
    for arguments in [&["get", set, "size"][..], &["unset", set, "size"], &["mode", set, "size"]] {
        says(arguments, "size: there is no such property");
    }
    says(&["get", set, ""], "no name that a property can have");
    says(&[&["rm", "none"][..], &place].concat(), "none: there is no such property set");
    // A set that shows no modes has none to ask for.
    let plain = service.ok(&[&["create"][..], &place].concat());
    let refused = service.fails(&["mode", plain.trim(), "size"]);
    assert!(refused.contains("PropertySet"), "{refused}");
    service.stop();
}

#[test]
fn a_property_is_set_to_a_value_of_its_type() {
    let directory = Directory::new("types");
    let service = Running::new(&PROPERTIES, &["--store", &directory.file("store")]);
    let set = service.ok(&[&["create"][..], &at(&service, "PropertySetFactory")].concat());
    let set = set.trim();
    // A number of 64 bits without a sign, every digit of it.
    service.ok(&["set", set, "most", "18446744073709551615"]);
    assert_eq!(service.ok(&["get", set, "most"]).trim(), "18446744073709551615");
    service.ok(&["set", set, "most", "7"]);
    assert_eq!(service.ok(&["get", set, "most"]).trim(), "7");
    let text = service.fails(&["set", set, "most", "many"]);
    assert!(text.contains("most: ") && text.contains("many"), "{text}");
    let nothing = service.fails(&["set", set, "place", "{\"floor\": 3}"]);
    assert!(nothing.contains("place: ") && nothing.contains("hint: "), "{nothing}");
    service.stop();
}

#[test]
fn a_time_service_without_a_clock_to_follow_says_what_to_do() {
    let service = Running::new(&TIME, &[]);
    let insecure = service.fails(&["now", "--secure"]);
    assert!(insecure.contains("--secure`"), "{insecure}");
    for [option, value] in [["--inaccuracy", "nan"], ["--inaccuracy", "1e30"]] {
        let refused = service.fails(&["serve", option, value]);
        assert!(refused.contains(option) && refused.contains("a number of seconds"), "{refused}");
    }
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

#[test]
fn a_cluster_that_is_away_is_no_empty_list_of_groups() {
    let cluster = format!("etcd://{}", free_port());
    for arguments in [&["ls"][..], &["show", "bank/1"], &["remove", "bank/1", "host-1"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
        let output = command.arg("groups").args(arguments).args(["--registry", &cluster]).output();
        let output = output.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(output.stdout.is_empty(), "{arguments:?}: {:?}", output.stdout);
        assert!(said.contains(&cluster) && said.contains("start etcd"), "{said}");
    }
}

/// What a command prints, and whether it succeeds.
fn said(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_armilla")).args(arguments).output().unwrap();
    let all = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(all).unwrap())
}

#[test]
fn a_limit_of_the_size_of_files_is_said_as_a_full_disk_is() {
    let directory = Directory::new("transactions-limit");
    let program = env!("CARGO_BIN_EXE_armilla");
    let serve = "ulimit -f 8; exec \"$0\" transactions serve --store \"$1\"";
    let arguments = ["-c", serve, program, &directory.file("store")];
    let ended = Command::new("sh").args(arguments).output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.code() == Some(1) && said.contains("has no room"), "{said}");
}

#[test]
fn a_damaged_log_of_transactions_names_the_command_that_saves_what_is_left() {
    let directory = Directory::new("transactions-recover");
    let store = directory.file("log");
    let service = Running::new(&TRANSACTIONS, &["--store", &store]);
    let recover = ["transactions", "recover", "--store", &store];
    // Not while somebody has it.
    let (is_ok, held) = said(&recover);
    assert!(!is_ok && held.contains("held"), "{held}");
    service.stop();
    assert!(said(&recover).1.contains("nothing is lost"));
    std::fs::remove_file(directory.file("log/state")).unwrap();
    let serve = ["transactions", "serve", "--store", &store, "-ORBEndpoint", "iiop://127.0.0.1:0"];
    let (is_ok, damaged) = said(&serve);
    assert!(!is_ok && damaged.contains("`armilla transactions recover`"), "{damaged}");
    let (is_ok, trial) = said(&[&recover[..], &["--dry-run"]].concat());
    assert!(!is_ok && trial.contains("can be saved: 0 records in 1 segments"), "{trial}");
    assert!(trial.contains("rolls back"), "{trial}");
    assert!(!said(&serve).0, "a trial changes nothing");
    let (is_ok, saved) = said(&recover);
    assert!(!is_ok && saved.contains("saved: 0 records"), "{saved}");
    Running::new(&TRANSACTIONS, &["--store", &store]).stop();
    let (is_ok, none) = said(&["transactions", "recover", "--store", &directory.file("none")]);
    assert!(!is_ok && none.contains("is no directory"), "{none}");
    let (is_ok, none) = said(&["groups", "recover", &directory.file("none")]);
    assert!(!is_ok && none.contains("is no directory"), "{none}");
}
