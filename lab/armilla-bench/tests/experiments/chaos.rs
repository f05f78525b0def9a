//! A server that is killed, stopped and started anew under calls: every outcome is true, whatever
//! carries them.

use std::process::Command;

#[test]
fn every_outcome_is_true_through_memory_over_sockets_and_over_tcp() {
    for (carrier, shown) in
        [("shm", "by shared memory"), ("unix", "Unix-domain"), ("off", "by the address")]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chaos"));
        let output = command.args(["3000", "-ORBSameHost", carrier]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{carrier}: {text}{errors}");
        assert!(text.contains(shown), "{carrier}: {text}");
    }
}
