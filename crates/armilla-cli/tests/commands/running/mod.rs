//! Servers of services in processes of their own, as an operator runs them, and commands that use
//! them.

// No test uses all of it.
#![allow(dead_code)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A directory of the test's own, which goes when the test does.
pub(crate) struct Directory(pub(crate) PathBuf);

impl Directory {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("armilla-cli-{name}-{}", std::process::id()));
        fs::remove_dir_all(&path).ok();
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// A service and the command that is about it.
pub(crate) struct Service {
    /// The command, such as `naming`.
    pub(crate) command: &'static str,
    /// The initial reference by which clients know it.
    pub(crate) reference: &'static str,
}

/// A service in another process.
pub(crate) struct Running {
    service: &'static Service,
    pub(crate) process: Child,
    pub(crate) url: String,
}

impl Running {
    pub(crate) fn new(service: &'static Service, arguments: &[&str]) -> Self {
        Self::at(service, "iiop://127.0.0.1:0", arguments)
    }

    pub(crate) fn at(service: &'static Service, endpoint: &str, arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_armilla"))
            .args([service.command, "serve", "-ORBEndpoint", endpoint])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.strip_prefix("ready ").expect(&line).trim().to_owned();
        Self { service, process, url }
    }

    /// A command of a client.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
        let reference = format!("{}={}", self.service.reference, self.url);
        command.args(["-ORBInitRef", &reference, self.service.command]).args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The standard output of a command that succeeds.
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The standard error of a command that fails.
    pub(crate) fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    pub(crate) fn signal(&self, signal: &str) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// SIGTERM, after which the server ends in order.
    pub(crate) fn stop(mut self) {
        self.signal("-TERM");
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// An address of this host where nobody listens.
pub(crate) fn free_port() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// What a page answers to a GET.
pub(crate) fn page(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Waits until something is so.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 60, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}
