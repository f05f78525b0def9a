//! The server and the clients as the README tells to run them.

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn one_object_is_reached_by_another_transport() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_remoting-below-server"))
        .args(["-ORBEndpoint", "iiop://127.0.0.1:0", "-ORBEndpoint", "express://127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(server.stdout.as_mut().unwrap()).lines();
    let references: Vec<String> = lines.take(2).map(Result::unwrap).collect();
    let client = |options: &[&str]| {
        let program = env!("CARGO_BIN_EXE_remoting-below-client");
        let output = Command::new(program).args(&references).args(options).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(client(&[]), "shut\nshut\n");
    assert_eq!(client(&["--express"]), "shut\nshut by express\n");
    kill_process(Pid::from_child(&server), Signal::INT).unwrap();
    assert!(server.wait().unwrap().success());
}
