//! Our client at our server: list, browse, read, write, callbacks.

use crate::bench::{LONG, bench, client, sinks};
use armilla_opc::client::{Connection, Entry, Error, Event, GroupOptions, Source, servers};
use armilla_opc::model::Quality;
use armilla_opc::server::{CLASS, PROG_ID};
use armilla_opc::status;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

fn ids<const N: usize>(ids: [&str; N]) -> Vec<String> {
    ids.map(String::from).to_vec()
}

#[test]
fn a_host_lists_its_servers() {
    let (bench, client) = (bench(), client());
    let listed = servers(&client, &bench.target().host).unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].class, &*listed[0].prog_id), (CLASS, PROG_ID));
    let unknown = format!("opcda://{}/Nobody.Has.This", bench.server.address()).parse().unwrap();
    let error = Connection::open(&client, &unknown).unwrap_err().to_string();
    assert!(error.contains("no server has the program id Nobody.Has.This"), "{error}");
    assert!(error.contains("list shows") && !error.contains("DllSurrogate"), "{error}");
}

#[test]
fn a_server_says_what_it_is_and_has() {
    let (bench, client) = (bench(), client());
    let server = bench.open(&client);
    bench.pass(Duration::from_secs(90));
    let state = server.state().unwrap();
    assert_eq!((state.state, state.groups), ("running", 0));
    assert_eq!(state.now - state.started, Duration::from_secs(90));
    let all = server.browse(&[], true).unwrap();
    assert_eq!(all.iter().filter(|it| matches!(it, Entry::Item(_))).count(), 4 * 10 + 10);
    assert!(all.contains(&Entry::Branch(ids(["Tank1", "Pump"]))));
    let pump = server.browse(&ids(["Tank1", "Pump"]), false).unwrap();
    assert_eq!(pump[0], Entry::Item("Tank1.Pump.Hours".into()));
    let error = server.browse(&ids(["Tank1", "Tank9"]), false).unwrap_err().to_string();
    assert!(error.contains("no branch has the name Tank9"), "{error}");
    let known = server.properties("Tank1.Level").unwrap();
    assert!(known.contains(&("High EU".into(), 100.0.into())), "{known:?}");
    let error = server.properties("Tank9.Level").unwrap_err();
    assert!(error.to_string().contains("OPC_UNKNOWN_ITEM"), "{error}");
}

#[test]
fn items_are_read_and_written_each_with_its_result() {
    let (bench, client) = (bench(), client());
    let server = bench.open(&client);
    let group = server.add_group(&GroupOptions::default()).unwrap();
    let added = group.add(&ids(["Tank1.Label", "Tank9.Label", "Tank1.Level"])).unwrap();
    assert_eq!(added[1], Err(status::UNKNOWN_ITEM));
    let (label, level) = (added[0].unwrap(), added[2].unwrap());
    assert!(label.writable && !level.writable);
    let (label, level) = (label.server_handle, level.server_handle);
    bench.pass(Duration::from_secs(1));
    let written = group.write(&[(label, "Boiler".into()), (level, 1.into()), (77, 1.into())]);
    let errors = [Ok(()), Err(status::BAD_RIGHTS), Err(status::INVALID_HANDLE)];
    assert_eq!(written.unwrap(), errors);
    let read = group.read(Source::Device, &[label, 77]).unwrap();
    let sample = read[0].as_ref().unwrap();
    assert_eq!(sample.value, "Boiler".into());
    assert_eq!(sample.quality, Quality::GOOD);
    let state = server.state().unwrap();
    assert_eq!((sample.time, state.now - state.started), (state.now, Duration::from_secs(1)));
    assert_eq!(read[1], Err(status::INVALID_HANDLE));
}

#[test]
fn a_server_tells_of_each_change_and_of_nothing_else() {
    let (bench, client, sinks) = (bench(), client(), sinks());
    let server = bench.open(&client);
    let rate = Duration::from_millis(100);
    let group = server.add_group(&GroupOptions { rate, ..GroupOptions::default() }).unwrap();
    group.add(&ids(["Counters.C000", "Tank1.Label"])).unwrap()[1].unwrap();
    let (sender, events) = sync_channel(1000);
    let subscription = group.subscribe(&sinks, sender).unwrap();
    let next = || match events.recv_timeout(LONG).unwrap() {
        Event::Changed(readings) => {
            readings.into_iter().map(|it| (it.place, it.sample.unwrap().value)).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    bench.pass(Duration::from_millis(50));
    assert_eq!(next(), [(0, 0.into()), (1, "Tank 1".into())]);
    for count in 1..=50 {
        bench.pass(Duration::from_millis(100));
        assert_eq!(next(), [(0, count.into())]);
    }
    // However late the server is, nothing is left out.
    bench.pass(Duration::from_secs(5));
    for count in 51..=100 {
        assert_eq!(next(), [(0, count.into())]);
    }
    group.refresh().unwrap();
    assert_eq!(next(), [(0, 100.into()), (1, "Tank 1".into())]);
    drop(subscription);
    bench.pass(Duration::from_secs(5));
    assert!(events.recv_timeout(Duration::from_millis(20)).is_err());
}

#[test]
fn an_error_names_the_step_and_what_to_change() {
    let bench = bench();
    let other = armilla_dcerpc::security::ntlm::Credentials::new("", "operator", "wrong");
    let options = armilla_dcom::client::ClientOptions::new(other);
    let client = armilla_dcom::client::Client::new(options).unwrap();
    let error = Connection::open(&client, &bench.target()).unwrap_err();
    assert!(matches!(error, Error::Dcom(_)));
    let text = error.to_string();
    for part in ["bind", "at level integrity (5)", "check user, password and domain"] {
        assert!(text.contains(part), "{text}");
    }
}
