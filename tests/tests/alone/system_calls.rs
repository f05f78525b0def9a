//! System calls of a call over TCP in the steady state: two on each side.

use armilla_tests::alone::alone;
use armilla_tests::process::Process;
use rustix::process::Signal;
use std::path::Path;
use std::process::{Command, Stdio};

/// How many system calls `strace` counted, but for sleeping: sweepers and the like wake up as time
/// passes, however many calls there are.
fn total(report: &Path) -> u64 {
    let text = std::fs::read_to_string(report).unwrap();
    // Columns: % time, seconds, usecs/call, calls, then errors if there were any, and the name.
    let count = |line: &str| {
        let columns: Vec<_> = line.split_whitespace().collect();
        let counted = !matches!(columns.last(), Some(&"total" | &"clock_nanosleep"));
        let number = |text: &&str| text.parse::<f64>().is_ok();
        (counted && columns.len() > 4 && columns[..4].iter().all(number))
            .then(|| columns[3].parse::<u64>().unwrap())
    };
    let counts: Vec<_> = text.lines().filter_map(count).collect();
    assert!(!counts.is_empty(), "no report: {text}");
    counts.iter().sum()
}

/// The system calls of a client and of its server in `calls` calls, everything else included.
fn system_calls(directory: &Path, calls: u32) -> (u64, u64) {
    let probe = env!("CARGO_BIN_EXE_probe");
    let traced = |report: &Path| {
        let mut command = Command::new("strace");
        command.args(["-f", "-c", "-o"]).arg(report).arg(probe);
        command
    };
    let reports = ["client", "server"].map(|side| directory.join(format!("{side}-{calls}")));
    let mut server = Process::start(traced(&reports[1]).args(["serve", "-ORBSameHost", "off"]));
    let arguments = ["call", &server.url, &calls.to_string()];
    assert!(traced(&reports[0]).args(arguments).status().unwrap().success());
    server.signal(Signal::INT);
    assert!(server.await_end().success());
    (total(&reports[0]), total(&reports[1]))
}

#[test]
fn a_call_makes_two_system_calls_on_each_side_counted_by_strace() {
    alone(|| {
        let works = Command::new("strace").args(["-c", "true"]).stderr(Stdio::null()).status();
        if !works.is_ok_and(|status| status.success()) {
            eprintln!(
                "NOT CHECKED: the number of system calls; strace is missing or may not trace"
            );
            return;
        }
        let directory = std::env::temp_dir().join(format!("armilla-strace-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let (few, many) = (200, 1_200);
        let (client_few, server_few) = system_calls(&directory, few);
        let (client_many, server_many) = system_calls(&directory, many);
        std::fs::remove_dir_all(&directory).unwrap();
        // Sweepers and the like make a few calls of their own, as time passes: allowed is one for
        // fifty calls, where one more per call would be fifty.
        let calls = f64::from(many - few);
        for (side, few, many) in
            [("client", client_few, client_many), ("server", server_few, server_many)]
        {
            let each = (many as f64 - few as f64) / calls;
            assert!((1.98..2.02).contains(&each), "{side}: {each} system calls per call");
        }
    });
}
