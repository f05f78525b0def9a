//! The programs of the experiment, and how each side of one is started.

use crate::images::Study;
use crate::network::Link;
use crate::peers::Peers;
use crate::process::{Side, preload, worker};
use crate::program::{IMAGING_C, IMAGING_GRPC, IMAGING_OMNIORB, Program};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A way of moving images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Way {
    /// Its name in reports.
    pub(super) name: &'static str,
    /// The peer that does it; `None` for ours.
    pub(super) peer: Option<&'static Program>,
    /// Its name for the client.
    word: &'static str,
}

const fn way(name: &'static str, peer: Option<&'static Program>, word: &'static str) -> Way {
    Way { name, peer, word }
}

/// Plain sockets that stay connected, the baseline.
pub(super) const C: Way = way("c", Some(&IMAGING_C), "kept");
pub(super) const C_ANEW: Way = way("c, new connection", Some(&IMAGING_C), "new");
/// The same, by a server that reads the file into memory, as the server of a call has to.
pub(super) const C_READ: Way = way("c, read and sent", Some(&IMAGING_C), "read");
/// Signalled by the ORB, carried by a stream endpoint.
pub(super) const FLOW: Way = way("armilla, flow", None, "flow");
pub(super) const FLOW_UNIX: Way = way("armilla, flow over unix", None, "flow-unix");
/// Through the ORB.
pub(super) const TWOWAY: Way = way("armilla, twoway", None, "twoway");
pub(super) const ONEWAY: Way = way("armilla, oneway", None, "oneway");

/// All ways, in the order of reports.
pub(super) const WAYS: [Way; 10] = [
    C,
    C_ANEW,
    C_READ,
    FLOW,
    FLOW_UNIX,
    TWOWAY,
    ONEWAY,
    way("omniorb, twoway", Some(&IMAGING_OMNIORB), "twoway"),
    way("omniorb, oneway", Some(&IMAGING_OMNIORB), "oneway"),
    way("grpc", Some(&IMAGING_GRPC), "stream"),
];

/// Where server and viewers are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hosts<'a> {
    pub(super) peers: &'a Peers,
    /// The directory of the images.
    pub(super) directory: &'a Path,
    pub(super) congestion: &'a str,
    /// The link between two namespaces; `None` on one host.
    pub(super) link: Option<&'a Link>,
}

/// What one command came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Transfer {
    /// From the moment when all viewers began to that when the last one had everything.
    pub(super) took: Duration,
    /// The processor time of both processes.
    pub(super) used: Duration,
    /// The most resident memory of the server, in octets.
    pub(super) peak: u64,
}

/// The two processes of a way.
pub(super) struct Running {
    // In this order, so that the client is dropped first.
    client: Side,
    server: Side,
}

impl Running {
    /// Starts the server and the client of a way.
    pub(super) fn start(hosts: &Hosts<'_>, way: &Way) -> Result<Self, String> {
        let [ours, theirs] = hosts.link.map_or(["127.0.0.1"; 2], Link::ends);
        let directory = hosts.directory.display().to_string();
        let start = |role: &str, place: &str, options: &[&str]| -> Result<(Side, String), String> {
            let failed = |error: String| format!("{}: the {role}: {error}", way.name);
            let mut command =
                command(hosts, way, role == "server").map_err(|error| failed(error.to_string()))?;
            command.args([role, "tcp", place, "0"]).args(options);
            let side = Side::start(hosts.peers, &mut command, None);
            let side = side.map_err(|error| failed(error.to_string()))?;
            let line = side.greeting().map_err(failed)?;
            Ok((side, line))
        };
        let (server, place) = start("server", ours, &[&directory])?;
        match start("client", &place, &[way.word, theirs])? {
            (client, line) if line == "ready" => Ok(Self { client, server }),
            (_, line) => Err(format!("{}: the client said {line:?}", way.name)),
        }
    }

    /// Lets so many viewers fetch a study at the same time.
    pub(super) fn fetch(&mut self, study: &Study, viewers: u32) -> Result<Transfer, String> {
        let Study { first, count, size, checksum } = study;
        let before = self.usage()?;
        self.forget_peak();
        let answer = self.client.ask(&format!("fetch {first} {count} {size} {viewers}"))?;
        let (took, used, sum) = parse(&answer).ok_or_else(|| format!("the client: {answer}"))?;
        if sum != *checksum {
            return Err(format!("what came of {} is not what was sent", study.name()));
        }
        Ok(Transfer { took, used: used + (self.usage()? - before), peak: self.peak() })
    }

    /// The processor time that the server has used.
    fn usage(&mut self) -> Result<Duration, String> {
        let line = self.server.ask("usage")?;
        let nanos = line.parse().map_err(|_| format!("the server said {line:?}"))?;
        Ok(Duration::from_nanos(nanos))
    }

    /// Lets the kernel count the peak of the server's memory anew, if it can.
    fn forget_peak(&self) {
        fs::write(format!("/proc/{}/clear_refs", self.server.id()), "5").ok();
    }

    fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.id()));
        peak_of(&status.unwrap_or_default()).unwrap_or(0)
    }
}

/// The peak of resident memory in `/proc/PID/status`, in octets.
fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// The answer of a client: `ok NANOSECONDS PROCESSOR_NANOSECONDS CHECKSUM`.
fn parse(answer: &str) -> Option<(Duration, Duration, u64)> {
    let mut words = answer.strip_prefix("ok ")?.split_whitespace();
    let took = Duration::from_nanos(words.next()?.parse().ok()?);
    let used = Duration::from_nanos(words.next()?.parse().ok()?);
    Some((took, used, u64::from_str_radix(words.next()?, 16).ok()?))
}

/// The command of one side, but for its arguments.
fn command(hosts: &Hosts<'_>, way: &Way, server: bool) -> std::io::Result<Command> {
    let program = match way.peer {
        Some(peer) => vec![hosts.peers.binary(peer.name).into_os_string()],
        None => worker("imaging")?,
    };
    let namespace = hosts.link.map(|link| link.prefix(server)).unwrap_or_default();
    let mut words = namespace.into_iter().map(OsString::from).chain(program);
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).env("BENCH_CONGESTION", hosts.congestion);
    if way.peer.is_some_and(|peer| *peer != IMAGING_C) {
        preload(&mut command, &hosts.peers.sockets());
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_and_peaks_are_read_or_refused() {
        let nanos = Duration::from_nanos;
        assert_eq!(parse("ok 7 8 ff"), Some((nanos(7), nanos(8), 255)));
        for wrong in ["error: no such image", "ok 7 8", "ok 7 -8 ff", "ok 7 8 xyz", ""] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(peak_of("VmPeak:\t 9 kB\nVmHWM:\t    2048 kB\n"), Some(2 << 20));
        assert_eq!(peak_of("VmPeak:\t 9 kB\n"), None);
    }
}
