//! Clients that ask for too much, fall silent, or send what is none of OPC.

use crate::bench::{Bench, LONG, bench, bench_with, client, sinks};
use armilla_dcerpc::Status;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcom::client::{Client, ClientOptions};
use armilla_opc::client::{Error, GroupOptions, Sinks};
use armilla_opc::server::Limits;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

fn status(error: &Error) -> Option<Status> {
    match error {
        Error::Dcom(error) => error.status(),
        _ => None,
    }
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>) {
    assert_eq!(status(&result.unwrap_err()), Some(Status::OUT_OF_MEMORY));
}

fn small() -> Bench {
    bench_with(|options| {
        options.limits = Limits { sessions: 2, groups: 3, groups_of_session: 2 };
    })
}

#[test]
fn sessions_and_groups_have_limits_and_come_back() {
    let (bench, client) = (small(), client());
    let (first, second) = (bench.open(&client), bench.open(&client));
    assert!(armilla_opc::client::Connection::open(&client, &bench.target()).is_err());
    let options = GroupOptions::default();
    let one = first.add_group(&options).unwrap();
    let _two = first.add_group(&options).unwrap();
    refused(first.add_group(&options));
    let _three = second.add_group(&options).unwrap();
    refused(second.add_group(&options));
    drop(one);
    let _four = second.add_group(&options).unwrap();
    assert_eq!(bench.server.groups(), 3);
}

#[test]
fn two_groups_of_a_client_have_two_names() {
    let (bench, client) = (bench(), client());
    let server = bench.open(&client);
    let named = GroupOptions { name: "A".into(), ..GroupOptions::default() };
    let _first = server.add_group(&named).unwrap();
    let error = server.add_group(&named).unwrap_err().to_string();
    assert!(error.contains("OPC_DUPLICATE_NAME"), "{error}");
}

#[test]
fn the_groups_of_a_client_that_is_gone_are_gone() {
    let bench = bench();
    let client = client();
    let server = bench.open(&client);
    let group = server.add_group(&GroupOptions::default()).unwrap();
    bench.pass_unseen(Duration::from_secs(300));
    client.ping().unwrap();
    bench.pass_unseen(Duration::from_secs(300));
    bench.server.expire();
    assert_eq!(bench.server.groups(), 1, "its client has pinged");
    // Now it does not any more, as if it had been killed.
    bench.pass_unseen(Duration::from_secs(361));
    bench.server.expire();
    assert_eq!((bench.server.groups(), bench.server.objects()), (0, 0));
    drop(group);
}

#[test]
fn a_client_that_gives_its_references_back_leaves_nothing() {
    let bench = bench();
    let client = client();
    let server = bench.open(&client);
    let group = server.add_group(&GroupOptions::default()).unwrap();
    group.add(&["Tank1.Level".to_string()]).unwrap();
    drop((server, group));
    assert!(client.flush(LONG));
    assert_eq!((bench.server.groups(), bench.server.objects()), (0, 0));
}

#[test]
fn a_sink_takes_calls_of_its_own_account_alone() {
    let (bench, client) = (bench(), client());
    let group = bench.open(&client).add_group(&GroupOptions::default()).unwrap();
    let subscribe = |user| {
        let account = Credentials::new("", user, "secret");
        let sinks = Sinks::listen("127.0.0.1:0", Vec::new(), &account, false).unwrap();
        group.subscribe(&sinks, sync_channel(1).0).map(drop)
    };
    // The server calls as `operator`.
    subscribe("Operator@plant.example").unwrap();
    let refused = subscribe("guest@plant.example").unwrap_err();
    assert!(matches!(refused, Error::Uncalled(_)), "{refused}");
    let text = refused.to_string();
    assert!(text.contains("the server could not call this host back: see --sink"), "{text}");
}

#[test]
fn a_sink_that_is_gone_is_left_out() {
    let bench = bench_with(|options| options.sink_timeout = Duration::from_secs(2));
    let client = client();
    let server = bench.open(&client);
    let rate = Duration::from_millis(50);
    let group = server.add_group(&GroupOptions { rate, ..GroupOptions::default() }).unwrap();
    group.add(&["Counters.C000".to_string()]).unwrap();
    let gone = sinks();
    let (sender, _events) = sync_channel(1);
    let subscription = group.subscribe(&gone, sender).unwrap();
    group.refresh().unwrap();
    drop((gone, _events));
    let start = Instant::now();
    while group.refresh().is_ok() {
        assert!(start.elapsed() < LONG, "the sink is still called");
        bench.pass(Duration::from_millis(100));
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(subscription);
}

#[test]
fn a_server_that_does_not_answer_is_given_up() {
    // It accepts connections, and that is all.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let options = ClientOptions {
        timeout: Duration::from_millis(300),
        ..ClientOptions::new(crate::bench::credentials())
    };
    let client = Client::new(options).unwrap();
    let target = format!("opcda://{}/X", silent.local_addr().unwrap()).parse().unwrap();
    let start = Instant::now();
    assert!(armilla_opc::client::Connection::open(&client, &target).is_err());
    assert!(start.elapsed() < LONG);
}
