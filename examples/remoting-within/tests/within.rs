//! The server and the clients as the README tells to run them.

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn clients_that_know_the_component_send_less() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_remoting-within-server"))
        .args(["-ORBEndpoint", "iiop://127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reference = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut reference).unwrap();
    let client = |options: &[&str]| {
        let program = env!("CARGO_BIN_EXE_remoting-within-client");
        let output = Command::new(program).arg(reference.trim()).args(options).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let (mean, octets) = text.trim().split_once(", ").unwrap();
        let octets: u64 = octets.strip_suffix(" octets").unwrap().parse().unwrap();
        (mean.to_owned(), octets)
    };
    let (mean, plain) = client(&[]);
    let (same, packed) = client(&["--pack"]);
    assert_eq!(mean, same);
    assert_eq!(plain, 40_004);
    assert!(packed < plain / 2, "{packed}");
    kill_process(Pid::from_child(&server), Signal::INT).unwrap();
    assert!(server.wait().unwrap().success());
}
