//! Asks for a greeting, and records the connection in the present directory.
//!
//! ```text
//! cargo run -p transport --bin transport-client IOR:…
//! ```

use armilla::Orb;
use transport::Recio;
use transport::greeting::{Greeter, GreeterRef};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let reference = std::env::args().nth(1).ok_or("usage: transport-client IOR:…")?;
    let recio = Recio { directory: ".".into() };
    let orb = Orb::builder().transport(recio).arguments(std::env::args())?.build()?;
    let greeter: GreeterRef = orb.resolve(&reference)?;
    println!("{}", greeter.greet("world")?);
    Ok(())
}
