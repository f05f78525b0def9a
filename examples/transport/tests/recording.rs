//! The server and the client as the README tells to run them.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A directory of this test's own.
fn directory(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("armilla-{name}-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// A server on free ports, and the reference that it prints.
fn server(directory: &Path, endpoints: &[&str]) -> (Child, String) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_transport-server"))
        .args(endpoints.iter().flat_map(|endpoint| ["-ORBEndpoint", endpoint]))
        .current_dir(directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reference = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut reference).unwrap();
    (server, reference.trim().to_owned())
}

fn end(mut server: Child) {
    kill_process(Pid::from_child(&server), Signal::INT).unwrap();
    assert!(server.wait().unwrap().success());
}

/// Ends a server that may not have come to await signals yet.
fn stop(mut server: Child) {
    server.kill().unwrap();
    server.wait().unwrap();
}

/// All files in the directory together.
fn recorded(directory: &Path) -> String {
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn a_call_over_the_transport_is_recorded_at_both_ends() {
    let (here, there) = (directory("recio-server"), directory("recio-client"));
    let (server, reference) = server(&here, &["recio://127.0.0.1:0"]);
    let output = Command::new(env!("CARGO_BIN_EXE_transport-client"))
        .arg(&reference)
        .current_dir(&there)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Good day, world!\n", "{output:?}");
    end(server);
    // "GIOP", each way at each end.
    for directory in [&here, &there] {
        let text = recorded(directory);
        for way in ["I\n000000 47 49 4f 50", "O\n000000 47 49 4f 50"] {
            assert!(text.contains(way), "{way} is not in {text}");
        }
        fs::remove_dir_all(directory).unwrap();
    }
}

#[test]
fn clients_without_the_transport_fail_or_use_another_profile() {
    let here = directory("recio-both");
    let plain = armilla::Orb::new().unwrap();
    let (only, reference) = server(&here, &["recio://127.0.0.1:0"]);
    let error = plain.string_to_object(&reference).unwrap().non_existent().unwrap_err();
    assert_eq!(error.kind(), armilla::ExceptionKind::InvObjref);
    assert!(error.to_string().contains("no transport of this ORB knows"), "{error}");
    stop(only);

    let (both, reference) = server(&here, &["recio://127.0.0.1:0", "iiop://127.0.0.1:0"]);
    assert_eq!(plain.string_to_object(&reference).unwrap().non_existent(), Ok(false));
    stop(both);
    assert_eq!(recorded(&here), "", "nobody used the transport");
    fs::remove_dir_all(&here).unwrap();
}
