//! The programs as the README runs them.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};

struct Server(Child, String);

impl Server {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_telecom-server"))
            .args(["--rate", "0", "-ORBEndpoint", "iiop://127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        Self(child, url.trim().to_owned())
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_telecom-client"));
        command.args(words).args(["-ORBInitRef", &format!("Telecom={}", self.1)]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// What the command prints.
    fn lines(&self, words: &[&str]) -> Vec<String> {
        let output = self.run(words);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn the_client_lists_gets_reports_acknowledges_and_reads_calls() {
    let server = Server::start();
    let names = server.lines(&["list"]);
    assert_eq!((names.len(), &*names[9_999]), (10_000, "ne09999"));
    assert_eq!(server.lines(&["list", "ne0123"]).len(), 10);
    assert_eq!(server.lines(&["report", "ne01234", "3", "no link"]), [""; 0]);
    assert_eq!(server.lines(&["get", "ne01234"]), ["     1 ne01234 Major    no link"]);
    server.lines(&["ack", "1", "Ada"]);
    let alarms = server.lines(&["alarms"]);
    assert_eq!(alarms, ["     1 ne01234 Major    no link (acknowledged by Ada)"]);
    let calls = server.lines(&["calls", "555000"]);
    assert_eq!(calls.len(), 400);
    assert_eq!(server.lines(&["call", "555000"]), calls[..1]);

    let wrong = server.run(&["get", "ne99999"]);
    let reports = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(reports.contains("Unknown") && reports.contains("ne99999"), "{reports}");
}

#[test]
fn the_client_watches_alarms_as_they_come() {
    let server = Server::start();
    let mut watching = server.command(&["watch", "2"]).spawn().unwrap();
    let mut line = String::new();
    let mut errors = BufReader::new(watching.stderr.take().unwrap());
    errors.read_line(&mut line).unwrap();
    assert_eq!(line, "watching\n");
    server.lines(&["report", "ne00001", "4", "no power"]);
    server.lines(&["report", "ne00001", "0", ""]);
    let mut printed = String::new();
    watching.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    let expected = "     1 ne00001 Critical no power\n     1 ne00001 Cleared  no power\n";
    assert_eq!(printed, expected);
    assert!(watching.wait().unwrap().success());
}
