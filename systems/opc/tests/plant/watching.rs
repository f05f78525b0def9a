//! Watching over failures.

use crate::bench::{LONG, client, credentials, sinks};
use armilla_dcom::client::Client;
use armilla_opc::client::{Error, GroupOptions, Sinks, Target, Told, Watch};
use armilla_opc::server::{PROG_ID, PlantOptions, PlantServer};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// A plant that moves by itself.
fn serve(address: SocketAddr) -> PlantServer {
    PlantServer::listen(PlantOptions::new(credentials()), address).unwrap()
}

fn watch<'a>(
    client: &'a Client,
    target: &'a Target,
    items: &'a [String],
    sinks: Option<&'a Sinks>,
) -> Watch<'a> {
    Watch {
        client,
        target,
        items,
        group: GroupOptions { rate: Duration::from_millis(50), ..GroupOptions::default() },
        sinks,
        silence: LONG,
        pause: Duration::from_secs(1),
        patience: Some(LONG),
    }
}

fn told(what: &Told<'_>) -> String {
    match what {
        Told::Connected(_) => "connected".to_string(),
        Told::Refused(id, _) => format!("refused {id}"),
        Told::Value(id, Ok(sample)) => format!("{id}: {}", sample.quality),
        Told::Value(id, Err(status)) => format!("{id}: {status}"),
        Told::Lost(error, _) => format!("lost: {error}"),
    }
}

fn await_line(told: &Receiver<String>, wanted: &str) {
    while !told.recv_timeout(LONG).unwrap().starts_with(wanted) {}
}

/// A server ends and comes back; a client sees values before and after.
fn a_server_comes_back(sinks: Option<&Sinks>) {
    let client = client();
    let first = serve("127.0.0.1:0".parse().unwrap());
    let address = first.address();
    let target = format!("opcda://{address}/{PROG_ID}").parse().unwrap();
    let items = ["Counters.C000".to_string(), "Tank9.Label".to_string()];
    let (watch, stop) = (watch(&client, &target, &items, sinks), AtomicBool::new(false));
    let (sender, lines) = channel();
    thread::scope(|scope| {
        let run = || {
            watch.run::<Error>(&stop, |it| {
                // Nobody listens when the story has been told.
                let _ = sender.send(told(&it));
                Ok(())
            })
        };
        let watching = scope.spawn(run);
        await_line(&lines, "refused Tank9.Label");
        await_line(&lines, "Counters.C000: good");
        first.announce_end("the test ends it");
        drop(first);
        client.close_idle();
        await_line(&lines, "lost");
        let second = serve(address);
        await_line(&lines, "connected");
        await_line(&lines, "Counters.C000: good");
        stop.store(true, Ordering::SeqCst);
        watching.join().unwrap().unwrap();
        assert!(second.groups() <= 1);
    });
}

#[test]
fn a_server_that_comes_back_is_watched_again() {
    a_server_comes_back(Some(&sinks()));
}

#[test]
fn a_server_that_comes_back_is_asked_again() {
    a_server_comes_back(None);
}

#[test]
fn who_has_no_patience_is_told_why() {
    let client = client();
    let target = "opcda://127.0.0.1:1/Nobody".parse().unwrap();
    let items = ["Tank1.Level".to_string()];
    let watch = Watch { patience: Some(Duration::ZERO), ..watch(&client, &target, &items, None) };
    let error = watch.run::<Error>(&AtomicBool::new(false), |_| Ok(())).unwrap_err().to_string();
    assert!(error.contains("no address can be reached: 127.0.0.1[1]"), "{error}");
}
