//! `armilla schedule`: verdicts, formats and exit statuses.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn schedule(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
    command.arg("schedule").args(arguments).output().unwrap()
}

fn example() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("examples/scheduling/avionics.toml").display().to_string()
}

/// A file with this text.
fn file(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("schedule");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const IDL: &str = "module Nav { interface Filter {
  @period(10 ms) @wcet(3 ms) @calls(\"Hud::draw\") void update();
}; };";

#[test]
fn the_example_is_in_time_under_every_strategy() {
    let output = schedule(&["--quick", &example()]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    for expected in ["Rate monotonic (rm): every deadline is met", "Gyro::sample", "strategy"] {
        assert!(shown.contains(expected), "{shown}");
    }
    assert!(!shown.contains("NOT schedulable"), "{shown}");
}

#[test]
fn idl_and_tables_are_put_together() {
    let idl = file("nav.idl", IDL);
    let hud = file("hud.toml", "[[task]]\nname = \"Hud::draw\"\nwcet = \"2 ms\"\noneway = true\n");
    let board = file("board.toml", "[[task]]\nname = \"Nav::Filter::update\"\nwcet = \"4 ms\"\n");
    let paths = [idl, hud, board].map(|path| path.display().to_string());
    let output = schedule(&["--json", "-s", "rm", &paths[0], &paths[1], &paths[2]]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let operations = &json["reports"][0]["operations"];
    assert_eq!(operations[0]["process"], "nav");
    assert_eq!(operations[0]["response"], 4_000_000);
    // Released when the caller has ended, behind its next execution at most.
    assert_eq!(
        (&operations[1]["process"], &operations[1]["period"]),
        (&"hud".into(), &10_000_000.into())
    );
    assert_eq!(json["reports"][0]["schedulable"], true);
}

#[test]
fn a_late_operation_is_named_with_reason_and_advice() {
    let table = file(
        "late.toml",
        "[[task]]\nname = \"a\"\nperiod = \"10 ms\"\nwcet = \"6 ms\"\n\
         [[task]]\nname = \"b\"\nperiod = \"15 ms\"\nwcet = \"6 ms\"\n",
    );
    let output = schedule(&["-s", "rm", &table.display().to_string()]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(shown.contains("b: it may take 18 ms, 3 ms longer than its deadline"), "{shown}");
    assert!(shown.contains("extend its deadline to 18 ms"), "{shown}");
}

#[test]
fn wrong_input_has_its_own_exit_status() {
    let wrong = file("wrong.toml", "[[task]]\nname = \"a\"\nperiod = 10\nwcet = \"1 ms\"\n");
    let unit = file("unit.idl", "interface I { @period(10) void f(); };");
    let none = file("none.idl", "interface I { void f(); };");
    for (path, expected) in [
        (wrong, "wrong.toml:3: 10 has no unit"),
        (unit, "error[E0518]: `10` has no unit"),
        (none, "no file describes an operation"),
        (PathBuf::from("/nowhere/a.toml"), "cannot read /nowhere/a.toml"),
    ] {
        let output = schedule(&[&path.display().to_string()]);
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{shown}");
        assert!(shown.contains(expected), "{shown}");
    }
    let output = schedule(&["-s", "fifo", &example()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("use rm, dm, edf or muf"));
}

#[test]
fn operations_that_share_a_priority_are_named() {
    let output = schedule(&["--quick", "-s", "dm", "--priorities", "5-6", &example()]);
    let shown = text(&output.stdout);
    assert!(shown.contains("share the priority 6, because 5 to 6 are 2 priorities"), "{shown}");
}

#[test]
fn the_timeline_is_an_svg() {
    let path = file("timeline.svg", "");
    let output =
        schedule(&["--quick", "-s", "edf", "--svg", &path.display().to_string(), &example()]);
    assert_eq!(output.status.code(), Some(0));
    let svg = std::fs::read_to_string(path).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains("Gyro::sample") && svg.contains("prefers-color-scheme:dark"));
}

#[test]
fn several_threads_are_proven_or_said_to_be_unproven() {
    let table = file(
        "threads.toml",
        "[[task]]\nname = \"a\"\nperiod = \"40 ms\"\nwcet = \"15 ms\"\n\
         [[task]]\nname = \"b\"\nperiod = \"40 ms\"\nwcet = \"15 ms\"\n\
         [[task]]\nname = \"c\"\nperiod = \"40 ms\"\nwcet = \"15 ms\"\n",
    );
    let table = table.display().to_string();
    let shown = |threads: &str, status| {
        let output = schedule(&["--quick", "-s", "edf", "--threads", threads, &table]);
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{shown}");
        shown
    };
    // Together they need 113 % of a processor.
    shown("1", 1);
    let two = shown("2", 1);
    assert!(two.contains("all 2 threads may be busy with others"), "{two}");
    let three = shown("3", 0);
    assert!(three.contains("stands for 3 threads"), "{three}");
    let output = schedule(&["--threads", "2", "--svg", "/nowhere/a.svg", &table]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--svg draws processors of one thread"));
}

#[test]
fn the_exit_status_is_that_of_the_error_when_nobody_reads_its_text() {
    let idl = file("unit.idl", "interface A { @period(10 parsec) @wcet(1 ms) void f(); };");
    for path in [idl.display().to_string(), "missing.toml".to_owned()] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
        let status = command.args(["schedule", &path]).stderr(writer).status().unwrap();
        assert_eq!(status.code(), Some(2), "{path}");
    }
}
