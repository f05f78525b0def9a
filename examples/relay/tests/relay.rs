//! The programs as the README runs them: octets that arrive, and peers that break.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;

fn relay(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_relay"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A receiver, the address that it prints, and the rest of what it prints.
fn receiver(arguments: &[&str]) -> (Child, String, BufReader<ChildStderr>) {
    let mut child = relay(arguments).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("relay: listening at ").expect(&line).to_owned();
    (child, address, errors)
}

/// A sender whose input is `data`; the input ends there.
fn send(arguments: &[&str], data: &[u8]) -> Output {
    let mut child = relay(arguments).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // It cannot be written if the sender fails first.
        scope.spawn(move || input.write_all(data).ok());
        child.wait_with_output().unwrap()
    })
}

/// Some MiB that repeat nowhere at a distance of chunks, and end within one.
fn data() -> &'static [u8] {
    static DATA: OnceLock<Vec<u8>> = OnceLock::new();
    DATA.get_or_init(|| {
        let mut state = 1_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()
        };
        (0..(4 << 17) + 1).flat_map(|_| next()).collect()
    })
}

fn text(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).into_owned()
}

/// A path that no other test uses.
fn path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("relay-{}-{name}", std::process::id()));
    std::fs::remove_file(&path).ok();
    path
}

/// Sends `data` with these options to a receiver at `place`, and compares.
fn arrives(place: &str, options: &[&str], data: &[u8]) {
    let (mut child, address, mut errors) = receiver(&["receive", place]);
    let mut output = child.stdout.take().unwrap();
    let reading = thread::spawn(move || {
        let mut all = Vec::new();
        output.read_to_end(&mut all).map(|_| all)
    });
    let sent = send(&[&["send", &*address], options].concat(), data);
    let reports = text(&sent.stderr);
    assert!(sent.status.success(), "{reports}");
    assert!(reports.contains(&format!("relay: {} octets in ", data.len())), "{reports}");
    assert!(reports.trim().ends_with(" MiB/s"), "{reports}");
    assert!(reading.join().unwrap().unwrap() == data, "{place}: other octets arrived");
    assert!(child.wait().unwrap().success());
    let mut rest = String::new();
    errors.read_to_string(&mut rest).unwrap();
    assert!(rest.contains(&format!("relay: {} octets in ", data.len())), "{rest}");
}

#[test]
fn all_octets_arrive_over_a_stream_of_any_transport() {
    arrives("tcp://127.0.0.1:0", &[], data());
    for scheme in ["unix", "shm", "fifo", "pipe", "pty"] {
        let path = path(scheme);
        arrives(&format!("{scheme}://{}", path.display()), &[], &data()[..1 << 20]);
        std::fs::remove_file(path).ok();
    }
}

#[test]
fn all_octets_arrive_through_an_object() {
    arrives("iiop://127.0.0.1:0", &[], data());
    arrives("iiop://127.0.0.1:0", &["--oneway"], data());
}

#[test]
fn no_octets_are_a_transfer_too() {
    arrives("tcp://127.0.0.1:0", &[], &[]);
    arrives("iiop://127.0.0.1:0", &[], &[]);
    arrives("iiop://127.0.0.1:0", &["--oneway"], &[]);
}

/// The receiver is killed once something has arrived; the input of the sender does not end.
fn receiver_killed(place: &str, options: &[&str], expected: &[&str]) {
    let (mut child, address, _errors) = receiver(&["receive", place]);
    let mut sender = relay(&[&["send", &*address], options].concat()).spawn().unwrap();
    let mut input = sender.stdin.take().unwrap();
    input.write_all(b"first").unwrap();
    let mut first = [0; 5];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"first");
    child.kill().unwrap();
    child.wait().unwrap();
    // Until the sender has noticed, and closes its input.
    while input.write_all(&data()[..1 << 16]).is_ok() {}
    let sent = sender.wait_with_output().unwrap();
    let reports = text(&sent.stderr);
    assert_eq!(sent.status.code(), Some(1), "{reports}");
    assert!(expected.iter().any(|it| reports.contains(it)), "{reports}");
}

#[test]
fn a_killed_receiver_is_an_error_of_the_sender() {
    receiver_killed("tcp://127.0.0.1:0", &[], &["the receiver failed after "]);
    receiver_killed("iiop://127.0.0.1:0", &[], &["COMM_FAILURE", "TRANSIENT"]);
    receiver_killed("iiop://127.0.0.1:0", &["--oneway"], &["COMM_FAILURE", "TRANSIENT"]);
}

#[test]
fn a_killed_sender_is_an_error_of_the_receiver() {
    let places = [
        (&["receive", "tcp://127.0.0.1:0"][..], "the sender failed after 5 octets"),
        (&["receive", "iiop://127.0.0.1:0", "--idle", "1"], " octets nothing came for 1s"),
    ];
    for (arguments, expected) in places {
        let (mut child, address, mut errors) = receiver(arguments);
        let mut sender = relay(&["send", &address]).spawn().unwrap();
        sender.stdin.as_mut().unwrap().write_all(b"first").unwrap();
        // Something has arrived; nothing, if the sender was so slow that the receiver has ended.
        child.stdout.as_mut().unwrap().read_exact(&mut [0; 5]).ok();
        sender.kill().unwrap();
        sender.wait().unwrap();
        let mut reports = String::new();
        errors.read_to_string(&mut reports).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1), "{reports}");
        assert!(reports.contains(expected), "{reports}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_an_error_of_both() {
    for (place, options) in [("tcp://127.0.0.1:0", &[][..]), ("iiop://127.0.0.1:0", &["--oneway"])]
    {
        let (mut child, address, mut errors) =
            receiver(&["receive", place, "--output", "/dev/full"]);
        let sent = send(&[&["send", &*address], options].concat(), data());
        assert_eq!(sent.status.code(), Some(1), "{}", text(&sent.stderr));
        let mut reports = String::new();
        errors.read_to_string(&mut reports).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1));
        assert!(reports.contains("cannot write: No space left"), "{reports}");
    }
}

#[test]
fn a_stranger_at_the_port_is_told_from_a_sender() {
    let (mut child, address, mut errors) = receiver(&["receive", "tcp://127.0.0.1:0"]);
    let mut stranger = std::net::TcpStream::connect(&address["tcp://".len()..]).unwrap();
    stranger.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
    let mut reports = String::new();
    errors.read_to_string(&mut reports).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(reports.contains("this is no `relay send`"), "{reports}");
}

#[test]
fn a_mistake_in_the_command_line_is_explained() {
    for arguments in [&["send"][..], &["send", "tcp://a:1", "--idle", "x"], &["receive", "tcp://a"]]
    {
        let output = relay(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("usage: relay receive"));
    }
}
