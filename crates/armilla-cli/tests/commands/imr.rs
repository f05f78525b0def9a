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

/// The arguments that define a server `s` which registers.
fn registering() -> Vec<&'static str> {
    let program = env!("CARGO_BIN_EXE_armilla");
    let server = [program, "ifr", "serve", "-ORBImR", "{imr}", "-ORBServerId", "s"];
    [&["add", "s", "--objects", "key:no-key", "--"], &server[..]].concat()
}

#[test]
fn a_replacement_is_over_when_the_command_returns() {
    let name = format!("armilla-cli-imr-replace-{}", std::process::id());
    let imr = Running::new(std::env::temp_dir().join(name), "iiop://127.0.0.1:0");
    imr.says(&registering());
    assert_eq!(imr.says(&["start", "s", "--wait"]), "running\n");
    for command in [&["replace", "s"][..], &["replace", "s", "--wait"], &["restart", "s", "--wait"]]
    {
        let before = imr.process();
        assert_eq!(imr.says(command), "running\n", "{command:?}");
        let shown = imr.says(&["show", "s"]);
        let lines = shown.lines().filter(|line| line.starts_with("process "));
        assert_eq!(lines.count(), 1, "the old one is gone: {shown}");
        assert_ne!(imr.process(), before, "{command:?}");
    }
    // One that fails says so, and the old one goes on.
    let before = imr.process();
    imr.says(&["add", "s", "--replace", "--", "/bin/false"]);
    let refused = imr.command(&["replace", "s"]);
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && text.contains("exit status 1"), "{text}");
    assert!(text.contains("the process of before goes on"), "{text}");
    assert_eq!(imr.process(), before);
    let stopped = imr.says(&["stop", "s"]);
    assert!(stopped.contains("1 process was told to end"), "{stopped}");
    imr.await_stage("held");
    let removed = imr.says(&["remove", "s"]);
    assert!(removed.contains("key:no-key"), "{removed}");
    fs::remove_dir_all(&imr.directory).unwrap();
}

#[test]
fn a_change_of_a_definition_keeps_what_it_does_not_name() {
    let name = format!("armilla-cli-imr-change-{}", std::process::id());
    let imr = Running::new(std::env::temp_dir().join(name), "iiop://127.0.0.1:0");
    imr.says(&["add", "s", "--env", "A=1", "--activation", "per-client", "--", "/bin/true", "x"]);
    let before = imr.says(&["show", "s"]);
    imr.says(&["add", "s", "--replace", "--env", "B=2", "--failure-limit", "9"]);
    let after = imr.says(&["show", "s"]);
    for kept in ["\"/bin/true\"", "\"A\": \"1\"", "\"B\": \"2\"", "per-client", "poa:s"] {
        assert!(after.contains(kept), "{kept}: {after}");
    }
    assert!(before.contains("\"failure_limit\": 5") && after.contains("\"failure_limit\": 9"));
    let other = imr.command(&["add", "t"]);
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(other.status.success() && said.contains("t has no command"), "{said}");
    imr.says(&["add", "t", "--replace", "--", "/bin/true"]);
    assert!(imr.says(&["show", "t"]).contains("on-demand"), "it can be started now");
    fs::remove_dir_all(&imr.directory).unwrap();
}

#[test]
fn ping_says_why_a_server_does_not_run() {
    let name = format!("armilla-cli-imr-ping-{}", std::process::id());
    let imr = Running::new(std::env::temp_dir().join(name), "iiop://127.0.0.1:0");
    imr.says(&["add", "s", "--objects", "key:k*", "--failure-limit", "1", "--", "/bin/false"]);
    let ping = |key: &str| {
        let url = format!("corbaloc::{}/{key}", imr.address);
        let output = armilla(&["ping", &url]).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    for _ in 0..2 {
        let text = ping("k1");
        assert!(text.contains("exit status 1"), "{text}");
    }
    let text = ping("nobody");
    assert!(text.contains("no server is registered for it"), "{text}");
    assert!(!text.contains("never will again"), "{text}");
    fs::remove_dir_all(&imr.directory).unwrap();
}

#[test]
fn a_standby_takes_over_when_the_first_ends() {
    let name = format!("armilla-cli-imr-standby-{}", std::process::id());
    let imr = Running::new(std::env::temp_dir().join(name), "iiop://127.0.0.1:0");
    imr.says(&["add", "s", "--", "/bin/true"]);
    let store = imr.directory.display().to_string();
    let endpoint = format!("iiop://{}", imr.address);
    let serve = ["imr", "serve", "--store", &store, "-ORBEndpoint", &endpoint];
    let refused = armilla(&serve).output().unwrap();
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && text.contains("--standby"), "{text}");

    let mut standby = armilla(&[&serve[..], &["--standby", "-v"]].concat());
    let mut standby = standby.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(standby.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("stands by"), "{line}");
    // It must go on to be read.
    let reader = std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()).ok());
    let (directory, address) = (imr.directory.clone(), imr.address.clone());
    drop(imr);
    BufReader::new(standby.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains(&format!("ready corbaloc::{address}/")), "{line}");
    let imr = Running { process: standby, address, directory };
    assert!(imr.says(&["ls"]).contains("s "));
    let directory = imr.directory.clone();
    drop(imr);
    reader.join().unwrap();
    fs::remove_dir_all(directory).unwrap();
}
