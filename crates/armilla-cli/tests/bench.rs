//! `armilla bench` as a user meets it: what it refuses, and how it ends early. What it measures no test
//! judges.

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory of the test's own.
fn directory(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench").join(test);
    // What an earlier run of the test has left.
    fs::remove_dir_all(&directory).ok();
    fs::create_dir_all(&directory).unwrap();
    directory
}

fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
    command.arg("bench").args(arguments);
    command
}

/// The exit status of what comes to its end without measuring, and what it says of that.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = bench(arguments).output().unwrap();
    assert!(stdout.is_empty(), "nothing was measured");
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn names_in_lists_are_known_and_may_have_blanks_beside_them() {
    let (status, told) = refused(&["batch", "--peers", "ace, nonesuch"]);
    assert_eq!(status, Some(2));
    assert!(told.contains("one of ace, omniorb, ice, grpc, capnp, jacorb, all, none"), "{told}");
    for alone in ["none", "all"] {
        let (status, told) = refused(&["batch", "--peers", &format!("{alone},ace")]);
        assert_eq!(status, Some(2));
        assert!(told.contains(&format!("--peers {alone} goes with no other name")), "{told}");
    }
    let (status, told) = refused(&["batch", "--transports", "tcp,memory"]);
    assert_eq!(status, Some(2));
    assert!(told.contains("one of tcp, unix, shm, tcp-100mbit"), "{told}");
    // These are right; what is found next is the file.
    let right = ["batch", "--peers", "ace, omniorb", "--transports", "tcp, unix"];
    let (status, told) = refused(&[&right[..], &["--json", "/no/such/place"]].concat());
    assert!(status == Some(1) && told.contains("cannot write /no/such/place"), "{told}");
}

#[test]
fn files_that_cannot_be_written_are_found_before_anything_is_measured() {
    for option in ["--json", "--html"] {
        let (status, told) = refused(&["all", option, "/no/such/place"]);
        assert_eq!(status, Some(1));
        assert!(told.contains("cannot write /no/such/place: "), "{told}");
    }
    let (status, told) = refused(&["all", "--json", "out", "--html", "out"]);
    assert!(status == Some(2) && told.contains("name the same file"), "{told}");
}

#[test]
fn an_argument_that_is_no_text_is_refused() {
    let file = OsStr::from_bytes(b"out-\xff.json");
    let output = bench(&["batch", "--json"]).arg(file).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && told.contains("is not UTF-8"), "{told}");
}

#[test]
fn the_table_of_functions_takes_no_options_that_it_has_no_use_for() {
    for option in [&["--quick"][..], &["--placement", "unpinned"], &["--json", "out"]] {
        let (status, told) = refused(&[&["functions"], option].concat());
        assert!(status == Some(2) && told.contains(&format!("takes no {}", option[0])), "{told}");
    }
}

#[test]
fn a_cache_that_cannot_be_made_is_named() {
    let file = directory("cache").join("file");
    fs::write(&file, "").unwrap();
    let output = bench(&["demux"]).env("XDG_CACHE_HOME", &file).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(told.contains(file.to_str().unwrap()) && told.contains("XDG_CACHE_HOME"), "{told}");
}

#[test]
fn a_run_that_is_interrupted_keeps_what_is_finished_and_leaves_nothing_behind() {
    let directory = directory("interrupted");
    let (cache, json, html) =
        (directory.join("cache"), directory.join("out.json"), directory.join("out.html"));
    // What takes a while and needs no other programs.
    let mut command = bench(&["latency", "--peers", "none", "--transports", "shm"]);
    command.arg("--json").arg(&json).arg("--html").arg(&html).env("XDG_CACHE_HOME", &cache);
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(run.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("[0 %") {
        line.clear();
        assert!(told.read_line(&mut line).unwrap() > 0, "it says how far it is");
    }
    let interrupt = ["-c", "kill -s INT \"$0\"", &run.id().to_string()].map(str::to_owned);
    let interrupted = Command::new("sh").args(interrupt).status().unwrap();
    assert!(interrupted.success());
    let mut rest = String::new();
    told.read_to_string(&mut rest).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{rest}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("interrupted"));
    let results: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    assert_eq!(results["interrupted"], true);
    assert_eq!(results["failures"].as_array().unwrap().len(), 0, "{results}");
    assert!(fs::read_to_string(&html).unwrap().contains("The run was interrupted"));
    let left: Vec<_> = fs::read_dir(cache.join("armilla-bench")).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}
