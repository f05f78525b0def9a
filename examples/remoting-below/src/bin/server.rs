//! Two valves until Ctrl-C, whose references it prints. The second one has a port of its own.

use armilla::{Orb, SystemException};
use remoting_below::plant::{Valve, ValveRef, valve};
use remoting_below::{EXPRESS, Express};

/// The servant.
struct Plain;

impl Valve for Plain {
    fn shut(&self) -> Result<(), SystemException> {
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let express = Express::default();
    let orb = Orb::builder().transport(express.clone()).arguments(std::env::args())?.build()?;
    let plain: ValveRef = orb.root_poa().activate(valve::tie(Plain))?;
    let urgent: ValveRef = orb.root_poa().activate(valve::tie(Plain))?;
    let port = express.component().ok_or("add -ORBEndpoint express://HOST:PORT")?;
    let urgent = urgent.with_component(EXPRESS, port)?;
    println!("{}", orb.object_to_string(plain.object())?);
    println!("{}", orb.object_to_string(urgent.object())?);
    Ok(orb.run()?)
}
