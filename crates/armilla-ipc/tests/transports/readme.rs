//! The client and the server of the README do what it says, as they are printed there. They are
//! programs, so each runs in a process of its own: this one, started anew with the address as its
//! first argument.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

mod client {
    include!("readme/client.rs");

    #[test]
    fn runs_as_a_program() {
        if env::var_os("README_PROGRAM").is_some() {
            main().unwrap();
        }
    }
}

mod server {
    include!("readme/server.rs");

    #[test]
    fn runs_as_a_program() {
        if env::var_os("README_PROGRAM").is_some() {
            main().unwrap();
        }
    }
}

/// More than any step may take on a loaded machine; only a failing test waits so long.
const LONG: Duration = Duration::from_secs(20);

/// Starts a program of the README; both of its outputs but the errors of the client are read.
fn start(role: &str, address: &str, errors: Stdio) -> Child {
    Command::new(env::current_exe().unwrap())
        // To the test harness the address is a test that does not exist.
        .args([address, &format!("readme::{role}::runs_as_a_program"), "--exact", "--nocapture"])
        .env("README_PROGRAM", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
        .unwrap()
}

/// Ends the server, which would go on for ever, when the test ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn line_with(text: &str, source: impl std::io::Read) {
    let found = BufReader::new(source).lines().any(|line| line.unwrap().contains(text));
    assert!(found, "the server never says {text:?}");
}

fn what_the_client_reads_the_server_writes(address: &str) {
    let mut server = Server(start("server", address, Stdio::piped()));
    let begin = Instant::now();
    loop {
        let mut client = start("client", address, Stdio::null());
        // Before the server listens there is no reader.
        let _ = client.stdin.take().unwrap().write_all(b"good morning\n");
        if client.wait().unwrap().success() {
            break;
        }
        assert!(begin.elapsed() < LONG, "nobody listens at {address}");
        thread::sleep(Duration::from_millis(10));
    }
    line_with(" connected", server.0.stderr.take().unwrap());
    line_with("good morning", server.0.stdout.take().unwrap());
}

#[test]
fn they_talk_over_whatever_the_address_names() {
    let path = env::temp_dir().join(format!("armilla-readme-{}", std::process::id()));
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    what_the_client_reads_the_server_writes(&format!("tcp://127.0.0.1:{port}"));
    for transport in ["unix", "fifo", "pipe", "shm"] {
        what_the_client_reads_the_server_writes(&format!("{transport}://{}", path.display()));
        // The server was killed and could not remove its file.
        let _ = std::fs::remove_file(&path);
    }
}

#[test]
fn they_are_printed_as_they_run_and_are_short() {
    let readme = include_str!("../../README.md");
    for program in [include_str!("readme/client.rs"), include_str!("readme/server.rs")] {
        assert!(readme.contains(&format!("```rust,no_run\n{program}```")), "{program}");
        assert!(program.lines().count() <= 20);
    }
}
