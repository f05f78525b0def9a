//! `armilla events` as an operator runs it: a service that is killed and started again, channels,
//! events that are pushed and listened to; and a service that an implementation repository starts.

use crate::running::{Directory, Running, Service};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

static EVENTS: Service = Service { command: "events", reference: "EventChannelFactory" };

/// A command that listens, and has begun to.
struct Listening {
    process: Child,
    out: BufReader<std::process::ChildStdout>,
}

impl Listening {
    fn new(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut errors = BufReader::new(process.stderr.take().unwrap());
        errors.read_line(&mut line).unwrap();
        assert_eq!(line, "listening\n");
        // It must go on to be read.
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()).ok());
        let out = BufReader::new(process.stdout.take().unwrap());
        Self { process, out }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

#[test]
fn events_are_pushed_and_heard_across_a_restart() {
    let directory = Directory::new("events");
    let store = ["--store", &directory.file("store")];
    let events = Running::new(&EVENTS, &store);
    assert!(events.ok(&["add", "alarms", "--queue", "7"]).starts_with("IOR:"));
    assert!(events.fails(&["add", "alarms"]).contains("there is a channel \"alarms\" already"));
    assert!(events.fails(&["push", "nothing", "x"]).contains("there is no channel \"nothing\""));
    let mut all = Listening::new(events.command(&["listen", "alarms", "--data"]));
    let mut some = Listening::new(events.command(&["listen", "alarms", "--type", "20"]));
    assert_eq!(events.ok(&["push", "alarms", "fire", "flood"]), "2 events pushed\n");
    assert_eq!((all.line(), all.line()), ("\"fire\"".to_owned(), "\"flood\"".to_owned()));
    events.ok(&["push", "alarms", "--json", "--type", "20", "--source", "7", "0.5"]);
    assert_eq!(all.line(), "0.5");
    let heard = some.line();
    assert!(heard.contains("\"source\":7") && heard.contains("\"data\":0.5"), "{heard}");

    // Killed: whoever listens goes on to hear.
    let endpoint = events.url.strip_prefix("corbaloc::").unwrap().split('/').next().unwrap();
    let endpoint = format!("iiop://{endpoint}");
    drop(events);
    let events = Running::at(&EVENTS, &endpoint, &store);
    let mut push = events.command(&["push", "alarms"]);
    let mut push = push.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    push.stdin.take().unwrap().write_all(b"one\ntwo\n").unwrap();
    assert!(push.wait().unwrap().success());
    assert_eq!((all.line(), all.line()), ("\"one\"".to_owned(), "\"two\"".to_owned()));
    let listed = events.ok(&["ls"]);
    let row = listed.lines().find(|line| line.starts_with("alarms")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["alarms", "2", "0", "2", "0"]);
    let stats = events.ok(&["stats", "alarms"]);
    assert!(stats.contains("pushed         2") && stats.contains("is pushed to"), "{stats}");

    // What ends clients says how many.
    let refused = events.fails(&["remove", "alarms"]);
    assert!(refused.contains("2 consumers and 0 suppliers are connected"), "{refused}");
    let removed = events.ok(&["remove", "alarms", "--force"]);
    assert!(removed.contains("2 consumers and 0 suppliers were disconnected"), "{removed}");
    assert!(!all.process.wait().unwrap().success(), "it was disconnected");
    assert_eq!(events.ok(&["ls"]).lines().count(), 1);
    events.stop();
}

#[test]
fn a_damaged_store_is_named_and_recovered() {
    let directory = Directory::new("events-recover");
    let store = directory.file("store");
    let events = Running::new(&EVENTS, &["--store", &store, "--channel", "kept"]);
    events.stop();
    let recover = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
        let output = command.args(["events", "recover", "--store", &store]).args(arguments);
        let output = output.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(recover(&["--dry-run"]).contains("can be saved: 1 channels and 0 clients: kept"));
    let said = recover(&[]);
    assert!(said.contains("nothing is lost") && said.contains(".damaged-1"), "{said}");
    let events = Running::new(&EVENTS, &["--store", &store]);
    assert!(events.ok(&["ls"]).contains("kept"));
}

/// As `docs/events.md` has it.
#[test]
fn an_implementation_repository_starts_the_service() {
    static IMR: Service = Service { command: "imr", reference: "ImplementationRepository" };
    let directory = Directory::new("events-imr");
    let imr = Running::new(&IMR, &["--store", &directory.file("imr")]);
    let (program, store) = (env!("CARGO_BIN_EXE_armilla"), directory.file("events"));
    let serve = [program, "events", "serve", "--store", &store, "--channel", "alarms"];
    let add = ["add", "events", "--objects", "poa:events", "--objects", "key:EventChannelFactory"];
    let options =
        ["-ORBImR", "{imr}", "-ORBServerId", "events", "-ORBEndpoint", "iiop://127.0.0.1:0"];
    imr.ok(&[&add[..], &["--"], &serve, &options].concat());
    let place = imr.url.replace("ImplementationRepository", "EventChannelFactory");
    let events = |arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(["events"]).args(arguments).args(["--events", &place]);
        command
    };
    // The first call starts it.
    let listed = events(&["ls"]).output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("alarms"), "{listed:?}");
    let mut listening = Listening::new(events(&["listen", "alarms", "--data"]));
    // Another process takes its place, and the consumer stays connected.
    imr.ok(&["restart", "events", "--wait"]);
    assert!(events(&["push", "alarms", "after"]).status().unwrap().success());
    assert_eq!(listening.line(), "\"after\"");
    imr.ok(&["stop", "events"]);
}
