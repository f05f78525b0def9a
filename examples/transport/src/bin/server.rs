//! Greets whoever asks, until Ctrl-C, and records every connection in the present directory.
//!
//! ```text
//! cargo run -p transport --bin transport-server -- -ORBEndpoint recio://127.0.0.1:2809
//! ```

use armilla::{Orb, SystemException};
use transport::Recio;
use transport::greeting::{Greeter, GreeterRef, greeter};

/// The servant.
struct Polite;

impl Greeter for Polite {
    fn greet(&self, name: &str) -> Result<String, SystemException> {
        Ok(format!("Good day, {name}!"))
    }
}

fn main() -> Result<(), SystemException> {
    let recio = Recio { directory: ".".into() };
    let orb = Orb::builder().transport(recio).arguments(std::env::args())?.build()?;
    let greeter: GreeterRef = orb.root_poa().activate(greeter::tie(Polite))?;
    println!("{}", orb.object_to_string(greeter.object())?);
    orb.run()
}
