//! Standard input to standard output across hosts: `relay receive WHERE` writes what
//! `relay send WHERE` reads. The address decides between a stream and an object.

#![forbid(unsafe_code)]

mod object;
mod options;
mod sink;
mod stream;

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("relay");
}

use options::{Options, Role};
use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What either side says at the end.
struct Transferred {
    octets: u64,
    time: Duration,
}

impl Transferred {
    /// `octets` since `begun`.
    fn since(begun: Instant, octets: u64) -> Self {
        Self { octets, time: begun.elapsed() }
    }
}

impl fmt::Display for Transferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64();
        let rate = self.octets as f64 / f64::from(1 << 20) / seconds.max(1e-9);
        write!(f, "{} octets in {seconds:.3} s, {rate:.1} MiB/s", self.octets)
    }
}

/// The next octets of the input; none at its end.
fn read_some<'b>(input: &mut dyn Read, buffer: &'b mut [u8]) -> Result<&'b [u8], String> {
    loop {
        match input.read(buffer) {
            Ok(count) => return Ok(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("cannot read standard input: {error}")),
        }
    }
}

/// Standard output, or the file that takes its place.
fn output(options: &Options) -> Result<Box<dyn Write + Send>, String> {
    let file = match &options.output {
        Some(path) => File::create(path).map_err(|error| (path.display().to_string(), error)),
        // As a file, because `Stdout` looks for the ends of lines.
        None => io::stdout()
            .as_fd()
            .try_clone_to_owned()
            .map(File::from)
            .map_err(|error| ("standard output".to_owned(), error)),
    };
    match file {
        Ok(file) => Ok(Box::new(file)),
        Err((what, error)) => Err(format!("cannot write {what}: {error}")),
    }
}

fn run(options: Options) -> Result<Transferred, Box<dyn Error>> {
    match options.role {
        Role::SendStream(ref to) => Ok(stream::send(to, &options, &mut io::stdin().lock())?),
        Role::ReceiveStream(ref at) => Ok(stream::receive(at, &options, &mut output(&options)?)?),
        Role::SendObject(ref url) => object::send(url, &options, &mut io::stdin().lock()),
        Role::ReceiveObject(ref at) => object::receive(at, &options, output(&options)?),
    }
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().collect()) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("relay: {problem}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match run(options) {
        Ok(transferred) => {
            eprintln!("relay: {transferred}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("relay: {error}");
            ExitCode::FAILURE
        }
    }
}
