//! Tests that count what belongs to a whole process: each runs in a child of the test program.

use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::{any, env};

/// The variable that the environment of such a child has.
const CHILD: &str = "ARMILLA_TEST_ALONE";

/// Runs `test` in a process in which no other test runs; those of one program take turns. `test` is
/// a closure within the test function, whose name its type has.
///
/// # Panics
/// When the test fails.
pub fn alone<F: FnOnce()>(test: F) {
    alone_with(&[], test);
}

/// As [`alone`], with these variables in the environment of the process.
///
/// # Panics
/// When the test fails.
pub fn alone_with<F: FnOnce()>(variables: &[(&str, &str)], test: F) {
    static TURN: Mutex<()> = Mutex::new(());
    if env::var_os(CHILD).is_some() {
        return test();
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let path = any::type_name::<F>().trim_end_matches("::{{closure}}");
    let (_, name) = path.split_once("::").expect("the path of a closure begins with its crate");
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", name, "--nocapture", "--include-ignored"]).env(CHILD, "1");
    let output = child.envs(variables.iter().copied()).output().unwrap();
    let [words, errors] = [output.stdout, output.stderr].map(|octets| {
        let text = String::from_utf8_lossy(&octets).into_owned();
        eprint!("{text}");
        text
    });
    assert!(output.status.success(), "{name} fails: {}", output.status);
    assert!(words.contains("1 passed"), "{name} is no test: {words}{errors}");
}
