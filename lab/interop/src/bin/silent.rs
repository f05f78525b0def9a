//! The Rust side of `lab/interop/silent/check`.
//!
//! ```text
//! silent serve [-ORB...]              prints the reference of an object, and serves it
//! silent lanes [-ORB...]              the same in two real-time lanes, of priority 1000 and 20000
//! silent pass URL [-ORB...]           the same; its object calls the one at URL
//! silent call sync|async|1000|20000 URL [-ORB...]
//! ```
//!
//! The client makes one call for each line of standard input: `echo`, `remark` (oneway) or `rest N`
//! (of N milliseconds), with a number at this priority. It prints what became of it: `ok`, or the
//! exception and its status.

use armilla::{Orb, SystemException};
use armilla_rt::{Priority, PriorityModel, RtOrb, ThreadpoolOptions};
use std::io::{self, BufRead, Write};
use std::thread;
use std::time::Duration;

armilla::include_idl!("svc");
use silent::{Svc, SvcRef};

struct Servant;

impl Svc for Servant {
    fn echo(&self, text: &str) -> Result<String, SystemException> {
        Ok(text.to_owned())
    }

    fn rest(&self, milliseconds: u32) -> Result<(), SystemException> {
        thread::sleep(Duration::from_millis(milliseconds.into()));
        Ok(())
    }

    fn remark(&self, _: &str) -> Result<(), SystemException> {
        Ok(())
    }
}

/// What calls another object passes through.
struct Passing(SvcRef);

impl Svc for Passing {
    fn echo(&self, text: &str) -> Result<String, SystemException> {
        self.0.echo(text)
    }

    fn rest(&self, milliseconds: u32) -> Result<(), SystemException> {
        self.0.rest(milliseconds)
    }

    fn remark(&self, text: &str) -> Result<(), SystemException> {
        self.0.remark(text)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let orb = Orb::from_args(arguments.clone())?;
    match arguments.get(1).map(String::as_str) {
        Some("serve") => serve(&orb),
        Some("lanes") => serve_lanes(&orb),
        Some("pass") => pass(&orb, &arguments[2]),
        Some("call") => call(&orb, &arguments[2], &arguments[3]),
        _ => Err("serve, lanes, pass or call is needed".into()),
    }
}

fn serve(orb: &Orb) -> Result<(), Box<dyn std::error::Error>> {
    // Two processes with the same addresses in their references serve the same object.
    let poa = orb.root_poa().create_poa("silent").persistent().user_ids().build()?;
    let reference: SvcRef = poa.activate_with_id("svc", silent::svc::tie(Servant))?;
    println!("{}", orb.object_to_string(reference.object())?);
    Ok(orb.run()?)
}

fn serve_lanes(orb: &Orb) -> Result<(), Box<dyn std::error::Error>> {
    let rt = RtOrb::new(orb);
    let [low, high] = [1000, 20_000].map(priority);
    let lanes = ThreadpoolOptions::with_lanes("silent").lane(low?, 2, 0).lane(high?, 2, 0);
    let pool = rt.create_threadpool(lanes)?;
    let poa = rt
        .poa(orb.root_poa().create_poa("silent"))
        .threadpool(&pool)
        .priority_model(PriorityModel::ClientPropagated(low?))
        .build()?;
    let reference: SvcRef = poa.activate(silent::svc::tie(Servant))?;
    println!("{}", orb.object_to_string(reference.object())?);
    Ok(orb.run()?)
}

fn priority(number: i16) -> Result<Priority, &'static str> {
    Priority::new(number).ok_or("no priority")
}

fn pass(orb: &Orb, url: &str) -> Result<(), Box<dyn std::error::Error>> {
    let svc: SvcRef = orb.resolve(url)?;
    let reference: SvcRef = orb.root_poa().activate(silent::svc::tie(Passing(svc)))?;
    println!("{}", orb.object_to_string(reference.object())?);
    Ok(orb.run()?)
}

fn call(orb: &Orb, how: &str, url: &str) -> Result<(), Box<dyn std::error::Error>> {
    if let Ok(number) = how.parse() {
        RtOrb::new(orb).current().set_priority(priority(number)?)?;
    }
    let svc: SvcRef = orb.resolve(url)?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let waits = how != "async";
        let result = match line.split_once(' ') {
            Some((_, time)) if waits => svc.rest(time.parse()?),
            Some((_, time)) => svc.rest_async(time.parse()?).wait(),
            None if line == "remark" => svc.remark("heard"),
            None if waits => svc.echo("heard").map(drop),
            None => svc.echo_async("heard").wait().map(drop),
        };
        match result {
            Ok(()) => println!("ok"),
            Err(error) => {
                eprintln!("{error}");
                let status = format!("{:?}", error.completed()).to_uppercase();
                println!("{} COMPLETED_{status}", error.kind().name());
            }
        }
        io::stdout().flush()?;
    }
    Ok(())
}
