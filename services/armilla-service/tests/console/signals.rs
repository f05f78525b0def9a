//! A server ends by the first signal, whenever that comes.

use armilla::Orb;
use armilla_service::{Lifecycle, run};
use std::env;
use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const ROLE: &str = "ARMILLA_SIGNALS_SERVER";

/// As much as a pipe takes.
const PIPE: usize = 64 * 1024;

/// The server of the test below, in a process of its own. It stops at the line that says that it is ready:
/// nobody reads the pipe.
#[test]
fn server() {
    if env::var_os(ROLE).is_none() {
        return;
    }
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let mut out = std::io::stdout();
    out.write_all(&vec![b'x'; PIPE]).unwrap();
    out.flush().unwrap();
    run(&orb, &Lifecycle::new(), "corbaloc::test").unwrap();
}

/// Whether a thread of this process has the name.
fn has_thread(process: u32, name: &str) -> bool {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let name_of = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm"));
    tasks.flatten().any(|task| name_of(task).is_ok_and(|it| it.trim() == name))
}

fn await_that(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A process that does not outlive the test.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn a_signal_between_the_ready_line_and_the_service_ends_it() {
    let child = Command::new(env::current_exe().unwrap())
        .args(["signals::server", "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, "1")
        .stdout(Stdio::piped())
        .spawn();
    let mut child = Guarded(child.unwrap());
    let process = child.0.id();
    let mut out = child.0.stdout.take().unwrap();
    // The harness says something first, for which the pipe has no room otherwise.
    let mut octets = vec![0; PIPE];
    let mut seen = 0;
    while !octets[..seen].contains(&b'x') {
        seen += out.read(&mut octets[seen..seen + 1]).unwrap();
    }
    await_that("the server is ready", || has_thread(process, "armilla-signals"));
    let sent = Command::new("kill").args(["-TERM", &process.to_string()]).status();
    assert!(sent.unwrap().success());
    // Who waits for signals has got it, and the line is still not written.
    await_that("the signal has come", || {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        status.lines().any(|line| line == "ShdPnd:\t0000000000000000")
    });
    thread::sleep(Duration::from_millis(50));
    let reader = thread::spawn(move || out.read_to_end(&mut Vec::new()));
    await_that("the server has not ended", || child.0.try_wait().unwrap().is_some());
    assert!(child.0.wait().unwrap().success());
    reader.join().unwrap().unwrap();
}
