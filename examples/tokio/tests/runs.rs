//! The program as its README runs it.

use std::process::Command;

#[test]
fn one_thread_makes_many_calls_at_once_and_reads_a_stream() {
    let output = Command::new(env!("CARGO_BIN_EXE_tokio-calls")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("100 answers"), "{text}");
    assert!(text.contains("no Atlantis\n25 bytes came back\n"), "{text}");
}
