//! The processes of the real-time experiment: a server, a high-priority client, and load.

mod high;
mod load;
mod mutex;
mod overload;
mod server;

use super::{Outcome, Worker};
use armilla_ipc::real_time::thread_cpu_time;
use std::hint::black_box;
use std::time::Duration;

#[allow(missing_docs)]
pub(super) mod idl {
    armilla::include_idl!("realtime");
}

/// The CORBA priorities of both lanes. The direct mapping makes the same numbers of them.
const LOW: i16 = 10;
const HIGH: i16 = 90;

/// Runs one of the processes.
pub(super) fn run(worker: &Worker) -> Outcome {
    match worker.role.as_str() {
        "server" => server::run(worker),
        "high" => high::run(worker),
        "cockpit" => overload::serve(worker),
        "releases" => overload::release(worker),
        "mutex" => mutex::run(worker),
        _ => load::run(worker),
    }
}

/// The option `NAME=VALUE` of a worker.
fn option<'w>(worker: &'w Worker, name: &str) -> Option<&'w str> {
    let options = worker.options.iter().filter_map(|option| option.split_once('='));
    options.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
}

fn number(worker: &Worker, name: &str) -> Result<u64, String> {
    let value = option(worker, name).ok_or_else(|| format!("{name}=NUMBER is missing"))?;
    value.parse().map_err(|_| format!("{name}={value}: not a number"))
}

/// Works for a time of the processor.
fn work(time: Duration) {
    let begun = thread_cpu_time();
    while thread_cpu_time() - begun < time {
        // Some microseconds between two looks at the clock.
        (0..500u64).fold(0u64, |sum, n| black_box(sum.wrapping_mul(31).wrapping_add(n)));
    }
}
