//! The machine: its processors, and the placement of processes on them.

use armilla_ipc::affinity;
use serde::Serialize;
use std::fmt;
use std::fs;

/// Where the two processes of a program run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Both processes on one processor.
    OneCore,
    /// Each process on a processor of its own.
    OneCoreEach,
    /// Placed by the kernel.
    Unpinned,
}

impl Placement {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneCore => "one-core",
            Self::OneCoreEach => "one-core-each",
            Self::Unpinned => "unpinned",
        }
    }

    /// The placement with this name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::OneCore, Self::OneCoreEach, Self::Unpinned].into_iter().find(|p| p.name() == name)
    }

    /// The processors of server and client; `None` leaves them to the system.
    pub(crate) fn cpus(self) -> (Option<usize>, Option<usize>) {
        let cpus = affinity::allowed_cpus().unwrap_or_default();
        let (first, last) = (cpus.first().copied(), cpus.last().copied());
        match self {
            Self::OneCore => (first, first),
            Self::OneCoreEach => (first, last),
            Self::Unpinned => (None, None),
        }
    }
}

/// The properties of the machine that a reader needs to judge the results.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    /// The processor's model.
    pub processor: String,
    /// How many processors this process may use.
    pub processors: usize,
    /// The kernel's release.
    pub kernel: String,
    /// The congestion control of all TCP sockets.
    pub congestion: String,
    /// The processor of servers (and of clients on the same core), and that of clients on a core of
    /// their own.
    pub cores: [usize; 2],
    /// The version of Armilla.
    pub version: &'static str,
}

impl Machine {
    /// How many processors this process may use.
    pub(crate) fn processors() -> usize {
        affinity::allowed_cpus().map_or(1, |cpus| cpus.len())
    }

    /// This machine.
    pub(crate) fn this(congestion: &str) -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let info = read("/proc/cpuinfo");
        let (server, client) = Placement::OneCoreEach.cpus();
        let cores = [server, client].map(Option::unwrap_or_default);
        let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        Self {
            processor: model.map_or("unknown", |(_, name)| name.trim()).to_owned(),
            processors: Self::processors(),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            congestion: congestion.to_owned(),
            cores,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// One line, for the head of a report.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { processor, processors, kernel, congestion, .. } = self;
        write!(
            f,
            "{processor}, {processors} processors, Linux {kernel}, congestion control {congestion}"
        )
    }
}

/// A warning if the system silently limits socket queues of `queue` octets, with the remedy. `None`
/// if it does not, or if the limit is unknown, as in a network namespace.
pub fn queue_cut_short(queue: usize) -> Option<String> {
    cut_short(queue, largest_queue()?)
}

pub(crate) fn cut_short(queue: usize, allowed: usize) -> Option<String> {
    (queue > allowed).then(|| {
        format!(
            "the system limits queues of {queue} octets to {allowed}; to allow them: sysctl -w \
             net.core.wmem_max={queue} net.core.rmem_max={queue}"
        )
    })
}

fn largest_queue() -> Option<usize> {
    let limit = |name| -> Option<usize> {
        let text = fs::read_to_string(format!("/proc/sys/net/core/{name}")).ok()?;
        text.trim().parse().ok()
    };
    Some(limit("wmem_max")?.min(limit("rmem_max")?))
}

/// The congestion control of all programs: one that does not pace floods over the loopback, if the
/// kernel allows the choice.
pub(crate) fn congestion() -> String {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let allowed = read("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
    let found =
        ["cubic", "reno"].into_iter().find(|name| allowed.split_whitespace().any(|a| a == *name));
    let default = read("/proc/sys/net/ipv4/tcp_congestion_control");
    found.map_or_else(|| default.trim().to_owned(), str::to_owned)
}
