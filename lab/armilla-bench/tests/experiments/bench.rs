//! `armilla bench` as a user meets it: what it refuses, and how it ends early. What it measures no
//! test judges.

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
    let mut command = Command::new(env!("CARGO_BIN_EXE_armilla-lab"));
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
fn list_arguments_accept_known_names_and_blanks() {
    let (status, printed) = refused(&["batch", "--peers", "ace, nonesuch"]);
    assert_eq!(status, Some(2));
    assert!(
        printed.contains("one of ace, omniorb, ice, grpc, capnp, jacorb, tao, all, none"),
        "{printed}"
    );
    for alone in ["none", "all"] {
        let (status, printed) = refused(&["batch", "--peers", &format!("{alone},ace")]);
        assert_eq!(status, Some(2));
        assert!(printed.contains(&format!("--peers {alone} excludes any other name")), "{printed}");
    }
    let (status, printed) = refused(&["batch", "--transports", "tcp,memory"]);
    assert_eq!(status, Some(2));
    let links = "tcp-10mbit, tcp-100mbit, tcp-155mbit, tcp-1gbit";
    let known = format!("one of tcp, same-host, unix, shm, {links}");
    assert!(printed.contains(&known), "{printed}");
    // These are right; what is found next is the file.
    let right = ["batch", "--peers", "ace, omniorb", "--transports", "tcp, unix"];
    let (status, printed) = refused(&[&right[..], &["--json", "/no/such/place"]].concat());
    assert!(status == Some(1) && printed.contains("cannot write /no/such/place"), "{printed}");
}

#[test]
fn unwritable_files_fail_before_measuring() {
    for option in ["--json", "--html"] {
        let (status, printed) = refused(&["all", option, "/no/such/place"]);
        assert_eq!(status, Some(1));
        assert!(printed.contains("cannot write /no/such/place: "), "{printed}");
    }
}

#[test]
fn one_file_for_two_outputs_is_rejected() {
    let directory = directory("same");
    let [one, other] = ["out", "./out"].map(|name| directory.join(name).display().to_string());
    for (json, html) in [(&*one, &*one), (&one, &other), ("-", "-"), ("-", "/dev/stdout")] {
        let (status, printed) = refused(&["all", "--json", json, "--html", html]);
        assert!(
            status == Some(2) && printed.contains("name the same file"),
            "{json} {html}: {printed}"
        );
    }
}

/// The shortest run that there is, which needs no other programs.
fn short_run(cache: &Path) -> Command {
    let mut command = bench(&["batch", "--quick", "--peers", "none", "--transports", "shm"]);
    command.env("XDG_CACHE_HOME", cache).stderr(Stdio::null());
    command
}

#[test]
fn json_on_standard_output_excludes_other_output() {
    let cache = directory("standard output");
    for name in ["-", "/dev/stdout"] {
        let output = short_run(&cache).args(["--json", name]).output().unwrap();
        assert!(output.status.success());
        let results: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(!results["records"].as_array().unwrap().is_empty(), "{name}: {results}");
    }
}

#[test]
fn a_named_pipe_receives_all_results() {
    let directory = directory("pipe");
    let pipe = directory.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut run =
        short_run(&directory).arg("--json").arg(&pipe).stdout(Stdio::null()).spawn().unwrap();
    let results = fs::read(&pipe).unwrap();
    assert!(serde_json::from_slice::<Value>(&results).is_ok());
    assert!(run.wait().unwrap().success());
}

#[test]
fn a_non_utf8_argument_is_rejected() {
    let file = OsStr::from_bytes(b"out-\xff.json");
    let output = bench(&["batch", "--json"]).arg(file).output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && printed.contains("is not UTF-8"), "{printed}");
}

#[test]
fn the_table_of_functions_rejects_options_without_effect() {
    for option in [&["--quick"][..], &["--placement", "unpinned"], &["--json", "out"]] {
        let (status, printed) = refused(&[&["functions"], option].concat());
        assert!(
            status == Some(2) && printed.contains(&format!("{} has no effect", option[0])),
            "{printed}"
        );
    }
}

#[test]
fn parts_are_those_of_the_real_time_experiment() {
    let (status, printed) = refused(&["realtime", "--part", "overload,nonesuch"]);
    assert_eq!(status, Some(2));
    assert!(printed.contains("one of calls, overload, mutex"), "{printed}");
    let (status, printed) = refused(&["batch", "--part", "mutex"]);
    assert!(status == Some(2) && printed.contains("--part chooses"), "{printed}");
}

#[test]
fn what_is_measured_of_calls_is_chosen_for_the_real_time_experiment_only() {
    for (arguments, expected) in [
        (&["ttcp", "--periods", "5"][..], "--periods chooses what of bench realtime is measured"),
        (&["realtime", "--rate", "0"], "invalid value '0'"),
        (&["realtime", "--variants", "lanes,nonesuch"], "timer, sockets, lanes, pool, omniorb"),
    ] {
        let (status, printed) = refused(arguments);
        assert_eq!(status, Some(2), "{printed}");
        assert!(printed.contains(expected), "{printed}");
    }
}

#[test]
fn an_unusable_cache_directory_is_named() {
    let file = directory("cache").join("file");
    fs::write(&file, "").unwrap();
    let output = bench(&["demux"]).env("XDG_CACHE_HOME", &file).output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        printed.contains(file.to_str().unwrap()) && printed.contains("XDG_CACHE_HOME"),
        "{printed}"
    );
}

#[test]
fn relative_cache_directories_are_ignored() {
    for place in ["", "relative"] {
        let mut command = bench(&["demux"]);
        let output =
            command.env("XDG_CACHE_HOME", place).env("HOME", "/dev/null").output().unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(printed.contains("/dev/null/.cache/armilla-bench"), "{printed}");
    }
}

#[test]
fn a_run_that_fails_to_start_leaves_no_files() {
    let cache = directory("no shell");
    let mut command = short_run(&cache);
    command.env("PATH", "/no/such/place").stderr(Stdio::piped());
    let output = command.output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && printed.contains("sh: "), "{printed}");
    assert_eq!(fs::read_dir(cache.join("armilla-bench")).unwrap().count(), 0);
}

#[test]
fn a_run_survives_replacement_of_its_executable() {
    let directory = directory("replaced");
    let executable = directory.join("armilla");
    // By a process of its own: while this one has a file open to write, what other tests start
    // inherits it until it executes, and nothing that is open to write can be executed.
    let copied = Command::new("cp")
        .arg(env!("CARGO_BIN_EXE_armilla-lab"))
        .arg(&executable)
        .status()
        .unwrap();
    assert!(copied.success());
    let mut command = Command::new(&executable);
    command.args(["bench", "batch", "--quick", "--peers", "none", "--transports", "shm"]);
    command.args(["--json", "-"]).env("XDG_CACHE_HOME", &directory);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let run = command.spawn().unwrap();
    // It has begun; most of its programs, if not all, are started later.
    fs::remove_file(&executable).unwrap();
    let output = run.wait_with_output().unwrap();
    assert!(output.status.success());
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(results["failures"].as_array().unwrap().len(), 0, "{results}");
}

#[test]
fn an_interrupted_run_keeps_finished_results_and_cleans_up() {
    let directory = directory("interrupted");
    let (cache, json, html) =
        (directory.join("cache"), directory.join("out.json"), directory.join("out.html"));
    // What takes a while and needs no other programs.
    let mut command = bench(&["latency", "--peers", "none", "--transports", "shm"]);
    command.arg("--json").arg(&json).arg("--html").arg(&html).env("XDG_CACHE_HOME", &cache);
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut printed = BufReader::new(run.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("[0 %") {
        line.clear();
        assert!(printed.read_line(&mut line).unwrap() > 0, "it says how far it is");
    }
    let interrupt = ["-c", "kill -s INT \"$0\"", &run.id().to_string()].map(str::to_owned);
    let interrupted = Command::new("sh").args(interrupt).status().unwrap();
    assert!(interrupted.success());
    let mut rest = String::new();
    printed.read_to_string(&mut rest).unwrap();
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

#[test]
fn images_move_in_every_way_and_are_counted() {
    let directory = directory("imaging");
    let page = directory.join("page.html");
    let only = ["imaging", "--quick", "--sizes", "1", "--peers", "none", "--transports", "tcp"];
    let mut run = bench(&only);
    run.args(["--json", "-", "--html"]).arg(&page).env("XDG_CACHE_HOME", &directory);
    let Output { status, stdout, stderr } = run.output().unwrap();
    let said = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{said}");
    let results: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!(results["failures"], Value::Array(Vec::new()), "{said}");
    let cells = results["cells"].as_array().unwrap();
    let ways = ["c", "c, new connection", "armilla, flow", "armilla, flow over unix"];
    for way in ways.into_iter().chain(["armilla, twoway", "armilla, oneway"]) {
        let of = cells.iter().filter(|cell| cell["way"] == way);
        let whole = |cell: &&Value| {
            let positive = |name: &str| cell[name].as_f64().is_some_and(|value| value > 0.0);
            ["rate", "ratio_to_c", "processor_seconds_per_gib", "server_peak"]
                .into_iter()
                .all(positive)
        };
        // An image and a series, each for one viewer and for four.
        assert_eq!(of.filter(whole).count(), 4, "{way}: {results:#}");
    }
    assert!(fs::read_to_string(page).unwrap().contains("E6 Imaging"));
}

#[test]
fn the_imaging_experiment_refuses_what_it_does_not_have() {
    for (wrong, says) in [
        (["imaging", "--transports", "shm"], "over tcp and links, not shm"),
        (["imaging", "--peers", "ace"], "omniorb and grpc, and not with ace"),
        (["imaging", "--placement", "one-core"], "--placement has no effect"),
        (["batch", "--sizes", "10"], "--sizes chooses the images of bench imaging"),
    ] {
        let (status, printed) = refused(&wrong);
        assert!(status == Some(2) && printed.contains(says), "{printed}");
    }
}
