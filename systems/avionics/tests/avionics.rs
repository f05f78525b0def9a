//! A short flight, as the README tells to run it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

/// The exit status that a flight has by what it said: 1 with missed deadlines.
fn status_of(said: &str) -> Option<i32> {
    let line = said.lines().find(|line| line.contains(" deadlines missed")).expect("a result");
    Some(i32::from(!line.starts_with("0 ")))
}

/// Why the system refuses priorities is said once, whoever is refused.
#[test]
fn a_refusal_is_said_once() {
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"])
        .args([env!("CARGO_BIN_EXE_avionics"), "--seconds", "1"])
        .output();
    let Ok(output) = output.map(|output| {
        let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        text(&output.stdout) + &text(&output.stderr)
    }) else {
        return;
    };
    // Without the privilege to become an ordinary user, or with priorities for those, there is
    // nothing to see.
    if output.contains("deadlines missed") && output.contains("the flight goes on without") {
        assert_eq!(output.matches("cannot run as SCHED_FIFO").count(), 1, "{output}");
    }
}

#[test]
fn a_flight_of_a_second_shows_every_operation_and_writes_its_page() {
    let page = std::env::temp_dir().join(format!("avionics-{}.html", std::process::id()));
    let output = Command::new(env!("CARGO_BIN_EXE_avionics"))
        .args(["--seconds", "1", "--page"])
        .arg(&page)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let wrong = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), status_of(&said), "{said}{wrong}");
    assert!(said.contains("every operation meets its deadlines, as analysed"), "{said}");
    // How many of them are in time is not for a test to say: the machine is not real-time.
    for (operation, least) in [
        ("Avionics::Navigation::update", 90),
        ("Avionics::Navigation::correct", 45),
        ("Avionics::Navigation::fix", 9),
        ("Avionics::Hud::draw", 1),
        ("Avionics::Recorder::record", 200),
    ] {
        let line = said.lines().find(|line| line.starts_with(operation)).expect(operation);
        let counts: Vec<u64> =
            line[32..].split_whitespace().take(3).map(|count| count.parse().unwrap()).collect();
        assert!(counts.iter().sum::<u64>() >= least, "{line}");
    }
    let page_text = std::fs::read_to_string(&page).unwrap();
    std::fs::remove_file(&page).unwrap();
    let pictures = page_text.matches("<svg").count();
    assert_eq!(pictures, 2 * 5 + 1, "of each operation, and the critical instant");
    assert!(page_text.contains("class=\"run\"") || page_text.contains("class=\"late\""));
}

#[test]
fn a_flight_that_is_interrupted_ends_with_its_result() {
    let mut flight = Command::new(env!("CARGO_BIN_EXE_avionics"))
        .args(["--seconds", "600"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(flight.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("thread pool") {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "it has begun");
    }
    let signal = Command::new("kill").args(["-INT", &flight.id().to_string()]).status().unwrap();
    assert!(signal.success());
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_eq!(flight.wait().unwrap().code(), status_of(&rest), "{rest}");
    assert!(rest.contains("Avionics::Hud::draw") && rest.contains("deadlines missed"), "{rest}");
}

#[test]
fn help_says_the_usage_and_succeeds() {
    let output = Command::new(env!("CARGO_BIN_EXE_avionics")).arg("--help").output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"usage: "), "{output:?}");
}

#[test]
fn a_wrong_option_is_refused_with_what_there_is() {
    for (words, part) in
        [(&["--seconds", "0"][..], "1 to 3600"), (&["--fast"], "usage:"), (&["--page"], "a value")]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_avionics")).args(words).output().unwrap();
        let wrong = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && wrong.contains(part), "{wrong}");
        assert!(wrong.starts_with("error: ") && !wrong.contains('"'), "for people: {wrong}");
    }
}

#[test]
fn a_page_that_cannot_be_written_is_named() {
    let words = ["--seconds", "1", "--page", "/nowhere/page.html"];
    let output = Command::new(env!("CARGO_BIN_EXE_avionics")).args(words).output().unwrap();
    let wrong = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{wrong}");
    assert!(wrong.contains("error: cannot write /nowhere/page.html: "), "{wrong}");
}
