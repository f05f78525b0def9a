//! What a start through the repository costs beyond that of the server, and how many servers there
//! may be. Run with `cargo test --release -p armilla-imr --test repository measure:: -- --ignored --nocapture`.

use crate::served;
use armilla_imr::corba::Repository;
use served::{Served, eventually, parrot, process};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// How long the server takes alone, until it serves.
fn alone(rounds: usize) -> Duration {
    let round = |_| {
        let begin = Instant::now();
        let mut command = Command::new(parrot());
        command.args(["-ORBEndpoint", "iiop://127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let time = begin.elapsed();
        child.kill().unwrap();
        child.wait().unwrap();
        time
    };
    median((0..rounds).map(round).collect())
}

#[test]
#[ignore = "measures; the head of the file says how to run it"]
fn a_start_by_the_first_call_and_a_hundred_servers() {
    let served = Served::new();
    for number in 0..100 {
        served.imr.define(served.parrot(&format!("s{number}"), &[]), false).unwrap();
    }
    let text = |name: &str| served.client.object_to_string(served.polly(name)).unwrap();
    served.imr.reference().start("s0").unwrap();
    let reference = text("s0");
    let (mut first, mut later, mut forwarded) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..15 {
        served.imr.reference().stop("s0").unwrap();
        eventually("it has ended", || served.status("s0").runs.is_empty());
        // A definition makes good that an operator has stopped the server, and starts nothing.
        served.imr.reference().remove("s0").unwrap();
        served.imr.define(served.parrot("s0", &[]), false).unwrap();
        let client = armilla::Orb::new().unwrap();
        let polly = client.string_to_object(&reference).unwrap();
        let begin = Instant::now();
        process(&polly).unwrap();
        first.push(begin.elapsed());
        let begin = Instant::now();
        for _ in 0..100 {
            process(&polly).unwrap();
        }
        later.push(begin.elapsed() / 100);
        let other = armilla::Orb::new().unwrap();
        let polly = other.string_to_object(&reference).unwrap();
        let begin = Instant::now();
        process(&polly).unwrap();
        forwarded.push(begin.elapsed());
        other.shutdown();
        client.shutdown();
    }
    println!("the server alone, until it serves: {:?}", alone(15));
    println!("the first call, which starts it: {:?}", median(first));
    println!("the first call to one that runs, with its forward: {:?}", median(forwarded));
    println!("a later call: {:?}", median(later));

    let begin = Instant::now();
    for number in 1..100 {
        served.imr.reference().start(&format!("s{number}")).unwrap();
    }
    let asked = begin.elapsed();
    for number in 1..100 {
        let polly = served.polly(&format!("s{number}"));
        process(&polly).unwrap();
    }
    println!("100 servers started in {:?} (asked for in {asked:?})", begin.elapsed());
}
