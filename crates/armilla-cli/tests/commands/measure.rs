//! From a running program to a schedule: `armilla rt measure`, and `armilla schedule` with its
//! table. The program that is measured is this executable.

use armilla_rt::Measurement;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;
use std::{env, fs, thread};

const IDL: &str = "module Nav { interface Filter {
  @period(1 s) @calls(\"Nav::Hud::draw\") void update();
}; interface Hud {
  void draw();
  @period(2 s) @wcet(5 ms) void blink();
}; };";

/// The variable that says how the measured program ends.
const MODE: &str = "ARMILLA_TEST_MEASURED";

/// The program: it executes two of the operations, and writes what they took.
#[test]
#[ignore = "`armilla rt measure` runs it"]
fn measured_program() {
    let Some(measurement) = Measurement::from_environment() else { return };
    for _ in 0..3 {
        measurement.of("Nav::Filter::update", || work(20_000));
        measurement.of("Nav::Hud::draw", || work(1_000));
    }
    measurement.write().unwrap();
    if env::var(MODE).as_deref() == Ok("stays") {
        // Until it is interrupted.
        thread::sleep(Duration::from_secs(600));
    }
}

fn work(turns: u64) -> u64 {
    (0..turns).fold(1, |sum, turn| std::hint::black_box(sum * 31 + turn) % 65_537)
}

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("measure");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// `armilla rt measure` of a program.
fn measure(options: &[&str], program: &[&str], mode: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
    command.args(["rt", "measure"]).args(options).arg("--").args(program);
    command.env(MODE, mode).output().unwrap()
}

fn own_program() -> Vec<String> {
    let own = env::current_exe().unwrap().display().to_string();
    let arguments = ["--exact", "measure::measured_program", "--ignored", "--nocapture"];
    [own].into_iter().chain(arguments.map(str::to_owned)).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn schedule(files: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
    command.args(["schedule", "--quick", "--json", "-s", "rm"]).args(files).output().unwrap()
}

#[test]
fn what_a_program_measured_completes_the_timing_of_its_idl() {
    let (idl, table) = (folder().join("nav.idl"), folder().join("measured.toml"));
    fs::write(&idl, IDL).unwrap();
    let own = own_program();
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let output = schedule(&[&idl]);
    assert_eq!(output.status.code(), Some(2), "without execution times");
    let shown = text(&output.stderr);
    assert!(shown.contains("Nav::Filter::update") && shown.contains("wcet"), "{shown}");
    let options = ["--margin", "50", "-o", &table.display().to_string()];
    let output = measure(&options, &own, "ends");
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let written = fs::read_to_string(&table).unwrap();
    assert!(written.contains("enlarged by 50 %"), "{written}");
    assert_eq!(written.matches("in 3 executions").count(), 2, "{written}");
    let output = schedule(&[&idl, &table]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["reports"][0]["schedulable"], true);
    let operations = json["reports"][0]["operations"].as_array().unwrap();
    assert_eq!(operations.len(), 3, "{json:#}");
    for operation in operations {
        assert!(operation["response"].as_u64() > Some(0), "{operation:#}");
    }
}

#[test]
fn a_program_that_goes_on_is_interrupted_and_its_table_printed() {
    let own = own_program();
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    // On a busy machine the program may take longer than that to begin.
    let mut outputs =
        ["1", "10", "60"].iter().map(|time| measure(&["--seconds", time], &own, "stays"));
    let output = outputs.find(|output| output.status.success()).unwrap();
    let (table, said) = (text(&output.stdout), text(&output.stderr));
    assert!(table.contains("name = \"Nav::Hud::draw\""), "{table}{said}");
    assert!(!table.contains("running 1 test"), "what the program prints goes elsewhere: {table}");
}

#[test]
fn a_program_that_ignores_the_interrupt_is_ended_all_the_same() {
    let own = own_program();
    let ignoring = ["sh", "-c", "trap '' INT; exec \"$0\" \"$@\""];
    let program: Vec<&str> = ignoring.into_iter().chain(own.iter().map(String::as_str)).collect();
    let output = measure(&["--seconds", "10"], &program, "stays");
    let (table, said) = (text(&output.stdout), text(&output.stderr));
    assert!(table.contains("name = \"Nav::Hud::draw\""), "{table}{said}");
}

#[test]
fn a_program_that_measures_nothing_is_told_what_to_use() {
    let output = measure(&[], &["true"], "ends");
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stderr);
    assert!(shown.contains("from_environment"), "{shown}");
    let output = measure(&[], &["/nowhere/program"], "ends");
    assert!(text(&output.stderr).contains("cannot run /nowhere/program"));
    assert!(!output.status.success());
}
