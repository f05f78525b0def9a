//! The demonstration, with next to nothing measured.

use serde_json::Value;
use std::process::{Command, Stdio};

#[test]
fn the_demonstration_shows_every_kind_of_call_and_writes_its_figures() {
    let json = format!("{}/demo.json", env!("CARGO_TARGET_TMPDIR"));
    let output = Command::new(env!("CARGO_BIN_EXE_armilla-demo"))
        .args(["--quick", "--json", &json])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));

    for call in [
        "telescope.name()",
        "telescope.set_glass(Red)",
        "-> (Direction { right_ascension: 279.23, declination: 38.78 }, 76.38)",
        "raised BelowHorizon { altitude: -15.1 }",
        "raised UnknownTarget { name: \"Nibiru\" }",
        "telescope.refract(&mut Direction",
        "-> [Measurement { taken: Exposure { glass: Red, seconds: 2.5 }, photons: 7750 }",
        "eye.frame(3, 0.54)",
        "telescope.remark(\"clouds from the west\")",
        "-> [\"clouds from the west\"]",
    ] {
        assert!(text.contains(call), "{call:?} is missing in {text}");
    }

    let figures: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    for figure in [
        "/void_ratio",
        "/struct1024_ratio",
        "/collocated_ns",
        "/allocations_per_call/client",
        "/allocations_per_call/server",
        "/void/plain_us/median",
        "/struct1024/armilla_us/median",
        "/same_host/void_ratio",
        "/same_host/struct1024_ratio",
        "/same_host/struct1024/armilla_us/median",
    ] {
        let value = figures.pointer(figure).and_then(Value::as_f64);
        assert!(value.is_some_and(|value| value >= 0.0), "{figure} is {value:?}");
    }
    assert_eq!(figures["same_host"]["way"], "shared memory");
    // A thread beside the calls may allocate now and then.
    for side in ["client", "server"] {
        let per_call = figures["allocations_per_call"][side].as_f64();
        assert!(per_call.is_some_and(|count| count < 0.1), "{side}: {per_call:?}");
    }
    // A header, a count of 1,024, and 24 octets for each struct.
    assert!(figures["struct1024"]["request_octets"].as_u64().unwrap() > 1024 * 24);
}

#[test]
fn the_server_of_the_demonstration_ends_with_its_parent() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_armilla-demo"))
        .arg("demo-server")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    drop(server.stdin.take());
    assert!(server.wait().unwrap().success());
}

#[test]
fn a_client_without_its_server_fails_with_a_reason() {
    let mut client = Command::new(env!("CARGO_BIN_EXE_armilla-demo"))
        .args(["demo-client", "--telescope", "corbaloc::127.0.0.1:1/T", "--probe", "corbaloc::/P"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // As long as this is open the client believes that somebody waits for it.
    let alive = client.stdin.take();
    let output = client.wait_with_output().unwrap();
    drop(alive);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: TRANSIENT"));
}
