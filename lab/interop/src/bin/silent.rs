//! The Rust side of `lab/interop/silent/check`.
//!
//! ```text
//! silent serve [-ORB...]              prints the reference of an object, and serves it
//! silent call sync|async URL [-ORB...]
//! ```
//!
//! The client makes one call for each line of standard input: `echo`, `remark` (oneway) or `rest N`
//! (of N milliseconds). It prints what became of it: `ok`, or the exception and its status.

use armilla::{Orb, SystemException};
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let orb = Orb::from_args(arguments.clone())?;
    match arguments.get(1).map(String::as_str) {
        Some("serve") => serve(&orb),
        Some("call") => call(&orb, &arguments[2], &arguments[3]),
        _ => Err("serve or call is needed".into()),
    }
}

fn serve(orb: &Orb) -> Result<(), Box<dyn std::error::Error>> {
    // Two processes with the same addresses in their references serve the same object.
    let poa = orb.root_poa().create_poa("silent").persistent().user_ids().build()?;
    let reference: SvcRef = poa.activate_with_id("svc", silent::svc::tie(Servant))?;
    println!("{}", orb.object_to_string(reference.object())?);
    Ok(orb.run()?)
}

fn call(orb: &Orb, how: &str, url: &str) -> Result<(), Box<dyn std::error::Error>> {
    let svc: SvcRef = orb.resolve(url)?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let waits = how == "sync";
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
