//! What a server tells its operator: a line for each connection that it gives up, which says why.
//! The lines are those of the whole process, so this file has one test only.

use armilla::Version;
use armilla_giop::{MessageKind, message_error};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{Wire, header};
use armilla_tests::probe::*;
use std::fmt::{Debug, Write};
use std::sync::Mutex;
use std::time::Duration;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps every event as a line of text.
struct Keeper;

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Keeper {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        LINES.lock().unwrap().push(line.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Waits for a line with all of these words, and takes all lines out.
fn await_line(words: &[&str]) {
    eventually(&format!("a line with {words:?}"), || {
        let lines = LINES.lock().unwrap();
        lines.iter().any(|line| words.iter().all(|word| line.contains(word)))
    });
    LINES.lock().unwrap().clear();
}

#[test]
fn a_connection_that_is_given_up_leaves_a_line_that_says_why_and_whose_it_was() {
    tracing::subscriber::set_global_default(Keeper).unwrap();
    let limits = orbs::builder().settings(|settings| {
        settings.max_message = 1_000;
        settings.max_connections = 2;
        settings.header_deadline = Duration::from_millis(20);
    });
    let server = Server::of(limits.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let remote = server.remote(&orbs::client());
    remote.ping().unwrap();
    let request = |size| header(Version::V1_2, MessageKind::Request, size);
    let reply = header(Version::V1_2, MessageKind::Reply, 0);
    let attacks: [(&[u8], &[&str]); 6] = [
        (b"GET / HTTP/1.1\r\n\r\n", &["WARN", "127.0.0.1:", "GIOP", "GET "]),
        (&request(1_001), &["WARN", "127.0.0.1:", "1001 octets", "limit of 1000"]),
        (&request(0), &["WARN", "127.0.0.1:", "malformed", "Request"]),
        (&reply, &["WARN", "127.0.0.1:", "Reply"]),
        (&request(1_000), &["WARN", "127.0.0.1:", "header_deadline", "20ms"]),
        (&message_error(Version::V1_2), &["WARN", "127.0.0.1:", "could not read"]),
    ];
    for (octets, words) in attacks {
        let mut wire = Wire::connect(server.address());
        wire.send(octets);
        wire.until_end();
        await_line(words);
    }

    let mut cut_short = Wire::connect(server.address());
    cut_short.send(&request(100));
    cut_short.end_sending();
    cut_short.until_end();
    await_line(&["WARN", "127.0.0.1:", "within a message"]);

    let other = server.remote(&orbs::client());
    std::thread::scope(|scope| {
        let busy = [&remote, &other].map(|remote| scope.spawn(|| remote.block()));
        server.probe.gate.await_waiting(2);
        Wire::connect(server.address()).until_end();
        await_line(&["WARN", "127.0.0.1:", "max_connections", "limit=2"]);
        server.probe.gate.open();
        busy.into_iter().for_each(|call| call.join().unwrap().unwrap());
    });

    remote.panic("a test panics on purpose").unwrap_err();
    await_line(&["ERROR", "panicked", "\"panic\""]);
}
