//! The server and the clients as the README tells to run them.

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn clients_that_know_the_component_call_once() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_remoting-above-server"))
        .args(["-ORBEndpoint", "iiop://127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reference = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut reference).unwrap();
    let client = |options: &[&str]| {
        let program = env!("CARGO_BIN_EXE_remoting-above-client");
        let output = Command::new(program).arg(reference.trim()).args(options).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for _ in 0..2 {
        for (options, asked) in [(&[][..], 100), (&["--keep"], 1)] {
            let output = client(options);
            assert!(
                output.starts_with(&format!("the server was asked {asked} times\n")),
                "{output}"
            );
            assert!(output.contains("Unknown"), "{output}");
        }
    }
    kill_process(Pid::from_child(&server), Signal::INT).unwrap();
    assert!(server.wait().unwrap().success());
}
