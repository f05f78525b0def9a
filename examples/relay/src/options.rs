//! The command line.

use armilla_ipc::Address;
use std::path::PathBuf;
use std::time::Duration;

/// What is printed after a mistake.
pub(crate) const USAGE: &str = "\
usage: relay receive WHERE [--output FILE] [--idle SECONDS] [-ORB…]
       relay send WHERE [--oneway] [--idle SECONDS] [-ORB…]
WHERE is tcp://HOST:PORT, unix:///PATH, shm:///PATH, fifo:///PATH, pipe:///PATH or pty:///PATH for a
stream; iiop://HOST:PORT for the receiver, and the URL that it prints for the sender of an object";

/// Who this process is.
#[derive(Debug)]
pub(crate) enum Role {
    /// Sends over a stream.
    SendStream(Address),
    /// Receives over a stream.
    ReceiveStream(Address),
    /// Calls the object with this URL.
    SendObject(String),
    /// Has the object, at this endpoint.
    ReceiveObject(String),
}

/// What the command line says.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) role: Role,
    pub(crate) oneway: bool,
    pub(crate) output: Option<PathBuf>,
    /// How long the other side may neither give nor take anything.
    pub(crate) idle: Duration,
    /// All arguments, of which the ORB takes its own.
    pub(crate) arguments: Vec<String>,
}

impl Options {
    pub(crate) fn parse(arguments: Vec<String>) -> Result<Self, String> {
        let mut words = arguments.iter().skip(1);
        let mut places = Vec::new();
        let (mut oneway, mut output, mut idle) = (false, None, Duration::from_secs(60));
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} takes a value"));
            match word.as_str() {
                "--oneway" => oneway = true,
                "--output" => output = Some(PathBuf::from(value()?)),
                "--idle" => idle = seconds(value()?)?,
                orb if orb.starts_with("-ORB") => drop(value()?),
                option if option.starts_with('-') => return Err(format!("{option} is no option")),
                place => places.push(place),
            }
        }
        let role = match places[..] {
            ["send", place] if is_stream(place) => Role::SendStream(address(place)?),
            ["receive", place] if is_stream(place) => Role::ReceiveStream(address(place)?),
            ["send", place] => Role::SendObject(place.to_owned()),
            ["receive", place] => Role::ReceiveObject(place.to_owned()),
            _ => return Err("one of `send` and `receive`, and one address".to_owned()),
        };
        match role {
            Role::SendObject(_) => {}
            _ if oneway => return Err("--oneway is for the sender to an object".to_owned()),
            _ => {}
        }
        if matches!(role, Role::SendObject(_) | Role::SendStream(_)) && output.is_some() {
            return Err("--output is for the receiver".to_owned());
        }
        Ok(Self { role, oneway, output, idle, arguments })
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (1..=86_400).contains(seconds));
    let seconds = seconds.ok_or_else(|| format!("--idle takes 1 to 86400, and not {text}"))?;
    Ok(Duration::from_secs(seconds))
}

/// Whether `armilla-ipc` knows this scheme; all others are left to the ORB.
fn is_stream(place: &str) -> bool {
    let scheme = place.split_once("://").map(|(scheme, _)| scheme);
    matches!(scheme, Some("tcp" | "unix" | "shm" | "fifo" | "pipe" | "pty"))
}

fn address(place: &str) -> Result<Address, String> {
    place.parse().map_err(|error| format!("{error}"))
}
