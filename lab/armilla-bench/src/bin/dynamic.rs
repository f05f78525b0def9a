//! `dynamic void|structs COUNT REF [-ORB…]` makes the calls of the program `calls` by dynamic
//! requests, which it reuses, and prints the average cost of a call. The server is `calls serve`.

use armilla::{Any, Orb};
use armilla_bench::{BinStruct, exit_code, print_average};
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

/// How many structs a call of `structs` carries.
const STRUCTS: i32 = 1024;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        [what @ ("void" | "structs"), count, url, ..] => match count.parse() {
            Ok(count) => call(what, count, url, &arguments),
            Err(_) => return usage(),
        },
        _ => return usage(),
    };
    exit_code(outcome)
}

fn usage() -> ExitCode {
    eprintln!("usage: dynamic void|structs COUNT REF [-ORB…]");
    ExitCode::from(2)
}

fn call(what: &str, count: u32, url: &str, arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let orb = Orb::from_args(arguments.iter().cloned())?;
    let sink = orb.string_to_object(url)?;
    let mut request = match what {
        "void" => sink.request("sendNoParams_2way"),
        _ => {
            let one = |l| BinStruct { s: 7, c: b'x', l, o: 255, d: 0.5 };
            let structs: Vec<_> = (0..STRUCTS).map(one).collect();
            let mut request = sink.request("sendStructSeq_2way");
            request.add_in("ttcp_seq", Any::new(&structs)?);
            request
        }
    };
    let started = Instant::now();
    for _ in 0..count {
        request.invoke()?;
    }
    print_average(started, count);
    Ok(())
}
