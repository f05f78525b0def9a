//! `armilla imr` as an operator runs it: a repository that is killed and started again, servers that
//! come and go, definitions that are taken elsewhere.
//!
//! The server is `armilla ifr serve`, which keeps its objects in a persistent POA of its own.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn armilla(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
    command.args(arguments);
    command
}

/// A repository in another process, which can be killed.
struct Running {
    process: Child,
    /// `HOST:PORT`.
    address: String,
    directory: PathBuf,
}

impl Running {
    fn new(directory: PathBuf, endpoint: &str) -> Self {
        let store = directory.display().to_string();
        let mut serve = armilla(&["imr", "serve", "--store", &store, "-ORBEndpoint", endpoint]);
        let mut process = serve.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("ready corbaloc::").unwrap();
        let address = url.strip_suffix("/ImplementationRepository").unwrap().to_owned();
        Self { process, address, directory }
    }

    /// Kills it, and starts another one at the same address.
    fn replace(mut self) -> Self {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        let endpoint = format!("iiop://{}", self.address);
        Self::new(self.directory.clone(), &endpoint)
    }

    fn command(&self, arguments: &[&str]) -> Output {
        let words = [&["imr"], arguments].concat();
        armilla(&words).env("ARMILLA_IMR", &self.address).output().unwrap()
    }

    /// What a command that succeeds prints.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn await_stage(&self, stage: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        while !self.says(&["show", "s"]).contains(&format!("s: {stage}")) {
            assert!(Instant::now() < end, "not {stage}: {}", self.says(&["show", "s"]));
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The number of the process of the server.
    fn process(&self) -> String {
        let shown = self.says(&["show", "s"]);
        let line = shown.lines().find(|line| line.starts_with("process ")).unwrap();
        line.split(' ').nth(1).unwrap().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

#[test]
fn a_directory_that_is_missing_is_named() {
    let name = format!("armilla-cli-imr-directory-{}", std::process::id());
    let imr = Running::new(std::env::temp_dir().join(name), "iiop://127.0.0.1:0");
    imr.says(&["add", "s", "--directory", "/no/directory", "--", "/bin/true"]);
    imr.says(&["start", "s"]);
    imr.await_stage("stopped");
    let shown = imr.says(&["show", "s"]);
    assert!(shown.contains("its directory, /no/directory, is not there"), "{shown}");
    fs::remove_dir_all(&imr.directory).unwrap();
}

#[test]
fn servers_are_defined_started_found_again_and_removed() {
    let name = format!("armilla-cli-imr-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    let imr = Running::new(directory.clone(), "iiop://127.0.0.1:0");
    let program = env!("CARGO_BIN_EXE_armilla");
    let server = ["--", program, "ifr", "serve", "-ORBImR", "{imr}", "-ORBServerId", "s"];
    let add = [&["add", "s", "--objects", "key:no-key"], &server[..]].concat();
    assert_eq!(imr.says(&add), "s\n");
    let again = imr.command(&add);
    assert!(!again.status.success());
    assert!(String::from_utf8_lossy(&again.stderr).contains("there is a server"), "{again:?}");

    imr.says(&["start", "s"]);
    imr.await_stage("running");
    let process = imr.process();
    assert!(imr.says(&["log", "s", "--out"]).starts_with("IOR:"));
    let imr = imr.replace();
    imr.await_stage("running");
    assert_eq!(imr.process(), process, "it is found again, and not started twice");
    assert!(imr.says(&["ls"]).contains(&process));

    let definitions = imr.says(&["export"]);
    assert!(!imr.command(&["remove", "s"]).status.success(), "it runs");
    imr.says(&["stop", "s"]);
    imr.await_stage("held");
    imr.says(&["remove", "s"]);
    assert!(!imr.command(&["show", "s"]).status.success());

    let mut add = armilla(&["imr", "add", "--from", "-", "--imr", &imr.address]);
    let mut add = add.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    add.stdin.take().unwrap().write_all(definitions.as_bytes()).unwrap();
    assert!(add.wait().unwrap().success());
    assert_eq!(imr.says(&["export"]), definitions);
    drop(imr);
    fs::remove_dir_all(directory).unwrap();
}
