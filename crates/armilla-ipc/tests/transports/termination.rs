//! Signals end a server in order, and a second one ends it at once. The server is this test
//! program, run again with [`ROLE`] set.

use armilla_ipc::Termination;
use armilla_ipc::signals::Cause;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;
use std::{env, io, thread};

const ROLE: &str = "ARMILLA_IPC_TEST_SERVER";

/// What the server does; in an ordinary run of the tests it is nothing.
#[test]
fn server() {
    let Ok(role) = env::var(ROLE) else { return };
    let say = |text: &str| {
        // Not captured by the test harness, unlike println.
        writeln!(io::stdout(), "\nserver: {text}").unwrap();
        io::stdout().flush().unwrap();
    };
    let mut termination = Termination::install().unwrap();
    if role == "reinstalled" {
        drop(termination);
        termination = Termination::install().unwrap();
    }
    if role == "dropped" {
        drop(termination);
        say("ready");
        loop {
            thread::park();
        }
    }
    if role == "woken" {
        // A signal comes to one that was woken, before anybody looks again.
        termination.waker().wake();
        assert_eq!((termination.wait(), termination.pending()), (Cause::Woken, None));
        say("ready");
        let pending = loop {
            match termination.pending() {
                Some(cause) => break cause,
                None => thread::park_timeout(Duration::from_millis(1)),
            }
        };
        say(&format!("ended by {pending}"));
    } else {
        say("ready");
        say(&format!("ended by {}", termination.wait()));
    }
    loop {
        thread::park(); // an orderly end that takes too long
    }
}

/// A running server and what it says.
struct Server {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(role: &str) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["termination::server", "--exact", "--nocapture", "--test-threads=1"])
            .env(ROLE, role)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, output };
        assert_eq!(server.says(), "ready");
        server
    }

    fn says(&mut self) -> String {
        let lines = self.output.by_ref().lines().map(Result::unwrap);
        let said = |line: String| line.strip_prefix("server: ").map(str::to_owned);
        lines.into_iter().find_map(said).expect("the server ended without a word")
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn end(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

#[test]
fn the_first_signal_is_reported_and_the_second_kills() {
    for (signal, name) in [(Signal::INT, "SIGINT"), (Signal::TERM, "SIGTERM")] {
        for role in ["plain", "reinstalled"] {
            let mut server = Server::start(role);
            server.signal(signal);
            assert_eq!(server.says(), format!("ended by {name}"));
            server.signal(signal);
            assert_eq!(server.end().signal(), Some(signal.as_raw()));
        }
    }
}

#[test]
fn a_signal_has_its_default_effect_after_the_last_waiter() {
    let server = Server::start("dropped");
    server.signal(Signal::TERM);
    assert_eq!(server.end().signal(), Some(Signal::TERM.as_raw()));
}

#[test]
fn a_signal_to_one_that_was_woken_is_not_lost() {
    let mut server = Server::start("woken");
    server.signal(Signal::TERM);
    assert_eq!(server.says(), format!("ended by {}", Cause::Terminate));
    server.signal(Signal::TERM);
    server.end();
}

#[test]
fn a_waker_ends_the_wait_from_another_thread_and_for_good() {
    let mut termination = Termination::install().unwrap();
    let waker = termination.waker();
    thread::spawn(move || waker.wake()).join().unwrap();
    assert_eq!(termination.wait(), Cause::Woken);
    assert_eq!(termination.wait(), Cause::Woken);
}
