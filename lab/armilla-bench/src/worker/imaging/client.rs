//! The client: on command its viewers fetch images, all at the same time, and say how long that
//! took.

use super::viewer::{Viewer, Way};
use super::{Outcome, Worker, builder};
use crate::images::checksum;
use rustix::time::{ClockId, clock_gettime};
use std::io::{self, BufRead, Write};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// At most so many viewers at once.
const VIEWERS: usize = 16;

pub(super) fn run(worker: &Worker) -> Outcome {
    let way = Way::parse(worker.options.first().map_or("", String::as_str))?;
    // Sinks of oneway calls listen, at this host's end of the link.
    let host = worker.options.get(1).map_or("127.0.0.1", String::as_str);
    let orb = builder(worker).listen(&format!("iiop://{host}:0"))?.build()?;
    let mut viewers = Vec::new();
    println!("ready");
    io::stdout().flush()?;
    for line in io::stdin().lock().lines() {
        let answer = command(&line?, &mut viewers, &|| Viewer::new(&orb, worker, way));
        println!("{}", answer.unwrap_or_else(|error| format!("error {error}").replace('\n', " ")));
        io::stdout().flush()?;
    }
    orb.shutdown();
    Ok(())
}

/// Carries out `fetch FIRST COUNT SIZE VIEWERS`.
fn command(
    line: &str,
    viewers: &mut Vec<Viewer>,
    new: &dyn Fn() -> Outcome<Viewer>,
) -> Outcome<String> {
    let ["fetch", first, count, size, many] = line.split_whitespace().collect::<Vec<_>>()[..]
    else {
        return Err("no such command".into());
    };
    let (first, count, size) = (first.parse()?, count.parse()?, size.parse()?);
    let many = many.parse::<usize>()?.clamp(1, VIEWERS);
    while viewers.len() < many {
        viewers.push(new()?);
    }
    fetch_all(&mut viewers[..many], first, count, size)
}

/// The clock runs from the moment when all viewers begin to that when the last one has everything.
/// What has come is checked afterwards.
fn fetch_all(viewers: &mut [Viewer], first: u32, count: u32, size: usize) -> Outcome<String> {
    let (begun, ended) = (Barrier::new(viewers.len() + 1), Barrier::new(viewers.len() + 1));
    for viewer in &mut *viewers {
        viewer.clear(size * count as usize);
    }
    let (took, used) = thread::scope(|scope| {
        let started: Vec<_> = viewers
            .iter_mut()
            .map(|viewer| {
                scope.spawn(|| {
                    begun.wait();
                    let fetched = viewer.fetch(first, count, size).map_err(|e| e.to_string());
                    ended.wait();
                    fetched
                })
            })
            .collect();
        let (clock, processor) = (Instant::now(), processor_time());
        begun.wait();
        ended.wait();
        let times = (clock.elapsed(), processor_time() - processor);
        for thread in started {
            thread.join().map_err(|_| "a viewer panicked")??;
        }
        Ok::<_, String>(times)
    })?;
    let sums: Vec<_> = viewers.iter().map(|viewer| checksum(viewer.octets())).collect();
    match &sums[..] {
        [sum, others @ ..] if others.iter().all(|other| other == sum) => {
            Ok(format!("ok {} {} {sum:x}", took.as_nanos(), used.as_nanos()))
        }
        _ => Err("the viewers got different octets".into()),
    }
}

/// The processor time that this process has used.
pub(super) fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}
