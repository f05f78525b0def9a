//! `strings serve [-ORB…]` serves strings of 80 characters and prints a reference.
//! `strings string COUNT REF [-ORB…]` requests them one after the other and prints the average
//! cost of a call.

use armilla::{Orb, SystemException};
use armilla_bench::bench::{self, Library, LibraryRef};
use armilla_bench::{LibraryServant, exit_code, print_average};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["serve", ..] => serve(&arguments),
        ["string", count, url, ..] => match count.parse() {
            Ok(count) => call(count, url, &arguments),
            Err(_) => return usage(),
        },
        _ => return usage(),
    };
    exit_code(outcome)
}

fn usage() -> ExitCode {
    eprintln!("usage: strings serve [-ORB…] | strings string COUNT REF [-ORB…]");
    ExitCode::from(2)
}

fn serve(arguments: &[String]) -> Result<(), SystemException> {
    let orb = Orb::from_args(arguments.iter().cloned())?;
    let shelf = orb.root_poa().activate(bench::library::tie(LibraryServant::default()))?;
    println!("{}", orb.object_to_string(&shelf)?);
    orb.run()
}

fn call(count: u32, url: &str, arguments: &[String]) -> Result<(), SystemException> {
    let orb = Orb::from_args(arguments.iter().cloned())?;
    let shelf: LibraryRef = orb.resolve(url)?;
    let started = Instant::now();
    (0..count).try_for_each(|number| {
        shelf.get_single_string(number % LibraryServant::STRINGS).map(drop)
    })?;
    print_average(started, count);
    Ok(())
}
