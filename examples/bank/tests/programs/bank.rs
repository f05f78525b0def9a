//! The server and the client as the README tells to run them.

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

/// A server on a free port, and the URL that it prints.
fn server() -> (Child, String) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_bank-server"))
        .args(["-ORBEndpoint", "iiop://127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
    (server, url.trim().to_owned())
}

fn client(url: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bank-client")).arg(url).output().unwrap()
}

#[test]
fn the_client_reports_what_is_missing_and_the_server_shuts_down() {
    let (mut server, url) = server();
    assert!(url.starts_with("corbaloc::127.0.0.1:") && url.ends_with("/Account"), "{url}");
    for balance in [100, 200] {
        let output = client(&url);
        let expected = format!("{} missing\n{balance} left\n", 500 - balance);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        assert!(output.status.success());
    }

    kill_process(Pid::from_child(&server), Signal::INT).unwrap();
    assert!(server.wait().unwrap().success());

    let output = client(&url);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("TRANSIENT") && error.contains("hint:"), "{error}");
    assert!(!output.status.success());
}
