//! The tests' server and client as processes of their own.
//!
//! ```text
//! probe serve [-ORB…]    prints its process id and its URL, and serves until a signal
//! probe call URL COUNT   calls an operation without parameters so often
//! probe tour [-ORB…] URL…  calls it at one place after the other, twice
//! ```

use armilla::{Orb, SystemException};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::{Common, EverythingRef};

fn main() -> Result<(), SystemException> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["serve", ..] => serve(&arguments),
        ["tour", ..] => tour(&arguments[1..]),
        ["call", url, count] => call(url, count.parse().unwrap_or(1)),
        _ => {
            eprintln!(
                "usage: probe serve [-ORB…] | probe call URL COUNT | probe tour [-ORB…] URL…"
            );
            std::process::exit(2);
        }
    }
}

fn serve(arguments: &[&str]) -> Result<(), SystemException> {
    let builder = orbs::builder().arguments(arguments.iter().map(|word| (*word).to_owned()))?;
    let server = Server::of(builder.listen("iiop://127.0.0.1:0")?.build()?);
    let url = server.publish("Probe", server.local.object())?;
    println!("{} {url}", std::process::id());
    server.run()
}

fn call(url: &str, count: u32) -> Result<(), SystemException> {
    let orb = Orb::new()?;
    let probe: EverythingRef = orb.resolve(url)?;
    (0..count).try_for_each(|_| probe.ping())
}

fn tour(arguments: &[&str]) -> Result<(), SystemException> {
    let mut urls = arguments.iter().map(|word| (*word).to_owned()).collect();
    let orb = Orb::init(&mut urls)?;
    let probe = |url: &String| Ok::<EverythingRef, _>(orb.string_to_object(url)?.assume());
    let probes = urls.iter().map(probe).collect::<Result<Vec<_>, SystemException>>()?;
    probes.iter().chain(&probes).try_for_each(|probe| probe.ping())
}
