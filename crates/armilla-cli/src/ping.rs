//! `armilla ping`: whether an object answers, step by step.

use crate::failure::{Failure, Outcome};
use crate::orb::OrbArguments;
use crate::output::say;
use armilla::Object;
use std::time::{Duration, Instant};

/// What `armilla ping` may be told.
#[derive(Debug, clap::Args)]
pub(crate) struct Ping {
    /// The object's reference
    #[arg(value_name = "REF")]
    reference: String,
    /// How often to call it
    #[arg(short, long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
}

pub(crate) fn run(ping: &Ping, arguments: &OrbArguments) -> Outcome {
    let orb = arguments.orb()?;
    let object = orb.string_to_object(&ping.reference)?;
    say!("{object:?}")?;
    let (known, took) = timed(|| object.locate())?;
    say!(
        "locate         {:<28} {took:>10.1?}",
        if known { "the server knows it" } else { "unknown" }
    )?;
    if !known {
        return Err(gone("the server answers, but knows no such object"));
    }
    let times = (0..ping.count).map(|_| call(&object)).collect::<Outcome<Vec<_>>>()?;
    if let Some(least) = times.iter().min() {
        say!("{} calls, the fastest took {least:.1?}", times.len())?;
    }
    orb.shutdown();
    Ok(())
}

/// Calls the object once.
fn call(object: &Object) -> Outcome<Duration> {
    let (gone_already, took) = timed(|| object.non_existent())?;
    if gone_already {
        return Err(gone("the object says that it does not exist"));
    }
    say!("_non_existent  {:<28} {took:>10.1?}", "it exists")?;
    Ok(took)
}

fn timed<T, E>(step: impl FnOnce() -> Result<T, E>) -> Result<(T, Duration), E> {
    let begun = Instant::now();
    Ok((step()?, begun.elapsed()))
}

fn gone(what: &str) -> Failure {
    Failure::because(format!(
        "{what}\n  hint: references to transient objects end with their server; get a new one"
    ))
}
