//! `armilla ping`: locates an object, then calls `_non_existent` and prints the times.

use crate::orb::OrbArguments;
use armilla::{Error, Minor, Object, TypeCode};
use armilla_terminal::{Failure, Outcome, say};
use std::time::{Duration, Instant};

/// The arguments of `armilla ping`.
#[derive(Debug, clap::Args)]
pub(crate) struct Ping {
    /// The object's reference
    #[arg(value_name = "REF")]
    reference: String,
    /// Number of calls
    #[arg(short, long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
}

pub(crate) fn run(ping: &Ping, arguments: &OrbArguments) -> Outcome {
    let orb = arguments.orb()?;
    let object = orb.string_to_object(&ping.reference)?;
    say!("{object:?}")?;
    let (known, took) = match timed(|| object.locate()) {
        Ok(located) => located,
        // A reply to a LocateRequest has no place for a reason; that to a call has.
        Err(exception) => return Err(object.non_existent().err().unwrap_or(exception).into()),
    };
    say!(
        "locate         {:<28} {took:>10.1?}",
        if known { "the object is here" } else { "unknown" }
    )?;
    if !known {
        return Err(why_unknown(&ping.reference, &object));
    }
    if let Some(way) = object.way() {
        say!("connection     {way}")?;
    }
    let times =
        (0..ping.count).map(|_| call(&ping.reference, &object)).collect::<Outcome<Vec<_>>>()?;
    if let Some(least) = times.iter().min() {
        say!("{} calls, minimum {least:.1?}", times.len())?;
    }
    orb.shutdown();
    Ok(())
}

/// Why a server does not know an object. It says so in the reply to a call, if at all; and a server
/// that has a reason of its own knows better than this command what to do.
fn why_unknown(reference: &str, object: &Object) -> Failure {
    let mut request = object.request("_non_existent");
    match request.set_return_type(TypeCode::Boolean).invoke() {
        Err(Error::System(exception)) if exception.minor() == Minor::SERVER_NOT_REGISTERED => {
            exception.into()
        }
        _ => gone(reference, "the server answers, but has no such object"),
    }
}

/// Calls the object once.
fn call(reference: &str, object: &Object) -> Outcome<Duration> {
    let (gone_already, took) = timed(|| object.non_existent())?;
    if gone_already {
        return Err(gone(reference, "the server reports that the object does not exist"));
    }
    say!("_non_existent  {:<28} {took:>10.1?}", "it exists")?;
    Ok(took)
}

fn timed<T, E>(step: impl FnOnce() -> Result<T, E>) -> Result<(T, Duration), E> {
    let begun = Instant::now();
    Ok((step()?, begun.elapsed()))
}

fn gone(reference: &str, what: &str) -> Failure {
    let hint = match reference.starts_with("corbaloc") {
        true => "the key behind the address is none that this server has published or activated",
        false => "a transient reference is valid only while its server runs; get a new one",
    };
    Failure::because(format!("{what}\n  hint: {hint}"))
}
