//! Shuts valves; with `--express` at the end it can reach those with a port of their own there.

use armilla::Orb;
use remoting_below::Express;
use remoting_below::plant::{Valve, ValveRef};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (options, references): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let express = Express::default();
    let orb = match options.as_slice() {
        [] => Orb::new()?,
        _ => Orb::builder().transport(express.clone()).build()?,
    };
    for reference in references {
        // Nothing here knows how calls travel.
        let valve: ValveRef = orb.resolve(&reference)?;
        let before = express.connections();
        valve.shut()?;
        match express.connections() - before {
            0 => println!("shut"),
            _ => println!("shut by express"),
        }
    }
    Ok(())
}
