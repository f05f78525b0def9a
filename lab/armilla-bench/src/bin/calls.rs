//! `calls serve [-ORB…]` prints a reference and serves; `calls void|turns|structs COUNT REF
//! [-ORB…]` calls it and prints what a call took on the average. With `turns` two references have
//! it in turn, as if there were two objects. `calls direct|near|oneway COUNT [-ORB…]` calls an object
//! of its own process: straight to the servant, through its POA, or so that the POA gets a request.

use armilla::{Collocation, Orb, SystemException};
use armilla_bench::{
    BinStruct, Sink, TtcpSequence, TtcpSequenceRef, exit_code, print_average, ttcp_sequence,
};
use std::process::ExitCode;
use std::time::Instant;

/// How many structs a call of `structs` carries.
const STRUCTS: i32 = 1024;

fn main() -> ExitCode {
    run(|_| Ok(()))
}

/// What a program does with its ORB before it serves or calls.
type Prepare = fn(&Orb) -> Result<(), SystemException>;

/// Does what the arguments of the program say.
pub(crate) fn run(prepare: Prepare) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["serve", ..] => serve(&arguments, prepare),
        [what @ ("direct" | "near" | "oneway"), count, ..] => match count.parse() {
            Ok(count) => collocated(what, count, &arguments),
            Err(_) => return usage(),
        },
        [what @ ("void" | "turns" | "structs"), count, url, ..] => match count.parse() {
            Ok(count) => call(what, count, url, &arguments, prepare),
            Err(_) => return usage(),
        },
        _ => return usage(),
    };
    exit_code(outcome)
}

fn usage() -> ExitCode {
    eprintln!("usage: calls serve [-ORB…]");
    eprintln!("       calls direct|near|oneway COUNT [-ORB…]");
    eprintln!("       calls void|turns|structs COUNT REF [-ORB…]");
    ExitCode::from(2)
}

fn serve(arguments: &[String], prepare: Prepare) -> Result<(), SystemException> {
    let orb = Orb::from_args(arguments.iter().cloned())?;
    prepare(&orb)?;
    let sink = orb.root_poa().activate(ttcp_sequence::tie(Sink))?;
    println!("{}", orb.object_to_string(&sink)?);
    orb.run()
}

fn collocated(what: &str, count: u32, arguments: &[String]) -> Result<(), SystemException> {
    let collocation = match what {
        "direct" => Collocation::Direct,
        _ => Collocation::ThroughPoa,
    };
    let orb = Orb::builder().arguments(arguments.iter().cloned())?;
    let orb = orb.settings(|settings| settings.collocation = collocation).build()?;
    let sink: TtcpSequenceRef = orb.root_poa().activate(ttcp_sequence::tie(Sink))?;
    let begun = Instant::now();
    match what {
        "oneway" => (0..count).try_for_each(|_| sink.send_no_params_1way())?,
        _ => (0..count).try_for_each(|_| sink.send_no_params_2way())?,
    }
    print_average(begun, count);
    orb.shutdown();
    Ok(())
}

fn call(
    what: &str,
    count: u32,
    url: &str,
    arguments: &[String],
    prepare: Prepare,
) -> Result<(), SystemException> {
    let orb = Orb::from_args(arguments.iter().cloned())?;
    prepare(&orb)?;
    let sink: TtcpSequenceRef = orb.resolve(url)?;
    let other: TtcpSequenceRef = orb.resolve(url)?;
    let one = |l| BinStruct { s: 7, c: b'x', l, o: 255, d: 0.5 };
    let structs: Vec<_> = (0..STRUCTS).map(one).collect();
    let begun = Instant::now();
    match what {
        "void" => (0..count).try_for_each(|_| sink.send_no_params_2way())?,
        "turns" => [sink, other]
            .iter()
            .cycle()
            .take(count as usize)
            .try_for_each(|sink| sink.send_no_params_2way())?,
        _ => (0..count).try_for_each(|_| sink.send_struct_seq_2way(&structs))?,
    }
    print_average(begun, count);
    Ok(())
}
