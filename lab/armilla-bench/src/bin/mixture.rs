//! `mixture [THREADS [SECONDS]]` measures calls of many threads of which some block in the servant
//! for 5 ms: none, one in ten, one in three, all. It prints calls a second over exclusive
//! connections and over one shared connection, and their ratio, which must not be below one half.
//!
//! `mixture burst [CALLS]` sends as many calls at once over one shared connection, each of which
//! blocks for half a second, and prints how long they take together. The server and the client are
//! two ORBs of one process.

use armilla::{ConnectionPolicy, Orb, SystemException};
use armilla_bench::bench::{self, Library, LibraryRef, StringSeq};
use armilla_bench::over_tcp;
use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A servant whose calls take as many milliseconds as they ask for.
struct Sleeper;

impl Library for Sleeper {
    fn get_single_string(&self, index: u32) -> Result<String, SystemException> {
        if index > 0 {
            thread::sleep(Duration::from_millis(index.into()));
        }
        Ok(String::new())
    }

    fn get_multiple_strings(&self, _: u32, _: u32) -> Result<StringSeq, SystemException> {
        Ok(StringSeq::default())
    }
}

/// How long a blocking call of a mixture takes, in milliseconds.
const BLOCKED: u32 = 5;

/// The mixtures: one call in so many blocks.
const MIXTURES: [(&str, Option<u32>); 4] =
    [("none", None), ("one in ten", Some(10)), ("one in three", Some(3)), ("all", Some(1))];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default| match arguments.get(index).map(|text| text.parse()) {
        None => Ok(default),
        Some(parsed) => parsed,
    };
    let outcome = match arguments.first().map(String::as_str) {
        Some("burst") => number(1, 200).map_err(Into::into).and_then(burst),
        _ => match (number(0, 50), number(1, 2)) {
            (Ok(threads), Ok(seconds)) => mixtures(threads, Duration::from_secs(seconds.into())),
            (Err(error), _) | (_, Err(error)) => Err(error.into()),
        },
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            eprintln!("usage: mixture [THREADS [SECONDS]] | mixture burst [CALLS]");
            ExitCode::from(2)
        }
    }
}

type Outcome = Result<bool, Box<dyn Error>>;

fn server() -> Result<(Orb, String), SystemException> {
    let orb = over_tcp()?.build()?;
    orb.root_poa().manager().activate()?;
    let sleeper = orb.root_poa().activate(bench::library::tie(Sleeper))?;
    let url = orb.object_to_string(&sleeper)?;
    Ok((orb, url))
}

fn client(url: &str, policy: ConnectionPolicy) -> Result<LibraryRef, SystemException> {
    let orb = Orb::builder().settings(|settings| {
        settings.connection_policy = policy;
        settings.connections_per_endpoint = 1;
    });
    orb.build()?.resolve(url)
}

fn mixtures(threads: u32, time: Duration) -> Outcome {
    let (_server, url) = server()?;
    let mut good = true;
    println!("{threads} threads, calls a second; a blocking call takes {BLOCKED} ms");
    println!("{:14} {:>10} {:>10} {:>6}", "blocking", "exclusive", "shared", "ratio");
    for (name, every) in MIXTURES {
        let rate = |policy| -> Result<f64, SystemException> {
            Ok(calls_per_second(&client(&url, policy)?, threads, time, every))
        };
        let exclusive = rate(ConnectionPolicy::Exclusive)?;
        let shared = rate(ConnectionPolicy::Multiplexed)?;
        let ratio = shared / exclusive;
        println!("{name:14} {exclusive:10.0} {shared:10.0} {ratio:6.2}");
        good &= ratio >= 0.5;
    }
    Ok(good)
}

fn calls_per_second(target: &LibraryRef, threads: u32, time: Duration, every: Option<u32>) -> f64 {
    let over = AtomicBool::new(false);
    let started = Instant::now();
    let calls = thread::scope(|scope| {
        let calling = |first: u32| {
            let over = &over;
            move || {
                let mut number = first;
                while !over.load(Ordering::Relaxed) {
                    let blocks = every.is_some_and(|every| number.is_multiple_of(every));
                    let index = if blocks { BLOCKED } else { 0 };
                    target.get_single_string(index).expect("the server runs");
                    number += 1;
                }
                number - first
            }
        };
        let callers: Vec<_> = (0..threads).map(|first| scope.spawn(calling(first))).collect();
        thread::sleep(time);
        over.store(true, Ordering::Relaxed);
        callers.into_iter().map(|caller| caller.join().unwrap_or_default()).sum::<u32>()
    });
    f64::from(calls) / started.elapsed().as_secs_f64()
}

fn burst(calls: u32) -> Outcome {
    let (_server, url) = server()?;
    let target = client(&url, ConnectionPolicy::Multiplexed)?;
    target.get_single_string(0)?;
    let started = Instant::now();
    thread::scope(|scope| {
        for _ in 0..calls {
            scope.spawn(|| target.get_single_string(500).expect("the server runs"));
        }
    });
    println!("{calls} calls of 0.5 s in {:.3} s", started.elapsed().as_secs_f64());
    Ok(true)
}
