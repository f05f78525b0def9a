//! Runs tests of other chapters with all connections in the reactor, because the behaviour of an
//! ORB must not depend on its threads; and all of these once more with a thread for each
//! connection. `armilla_tests::orbs` refers to the name of this chapter.

#[path = "../same_process/asynchronous_local.rs"]
mod asynchronous_local;
#[path = "../calls/callers.rs"]
mod callers;
#[path = "../calls/concurrency.rs"]
mod concurrency;
#[path = "../hostile/input/mod.rs"]
mod input;
#[path = "../calls/parameters.rs"]
mod parameters;
#[path = "../failures/servers_gone/mod.rs"]
mod servers_gone;
#[path = "../failures/shutdown.rs"]
mod shutdown;
#[path = "../connections/transports.rs"]
mod transports;

use armilla_tests::orbs::THREAD_PER_CONNECTION;
use std::env;
use std::process::Command;

#[test]
fn a_thread_for_each_connection_makes_no_difference() {
    if env::var_os(THREAD_PER_CONNECTION).is_some() {
        return;
    }
    let mut again = Command::new(env::current_exe().unwrap());
    // Which concurrency a server has makes no difference to what `transports` proves.
    again.args(["--skip", "transports::"]).env(THREAD_PER_CONNECTION, "1");
    let output = again.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
