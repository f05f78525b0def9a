//! What is to be run.

use crate::Transport;
use crate::machine::Placement;
use crate::program::DEFAULT_PEERS;
use std::time::Duration;

/// How long a quick run takes at most: five minutes with what is told in the end.
const QUICK: Duration = Duration::from_secs(280);

/// The experiments, by the names of their commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Experiment {
    /// E1: floods of data through sockets, wrappers and brokers.
    Ttcp,
    /// E2: the latency of remote calls.
    Latency,
    /// E3: finding the object and the operation.
    Demux,
    /// E4: each optimization off and on.
    Ladder,
    /// E5: one call for many items, and many calls.
    Batch,
}

impl Experiment {
    /// All of them, in their order.
    pub const ALL: [Self; 5] = [Self::Ttcp, Self::Latency, Self::Demux, Self::Ladder, Self::Batch];

    /// The name of its command.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ttcp => "ttcp",
            Self::Latency => "latency",
            Self::Demux => "demux",
            Self::Ladder => "ladder",
            Self::Batch => "batch",
        }
    }
}

/// What is to be run, and how thoroughly.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Fewer sizes, fewer repetitions: minutes instead of an hour.
    pub quick: bool,
    /// The peers beside plain sockets; `None` takes ACE and omniORB. See [`peer_names`](crate::peer_names).
    pub peers: Option<Vec<String>>,
    /// The transports; `None` takes those of each experiment.
    pub transports: Option<Vec<Transport>>,
    /// Where the processes run; `None` takes the placement of each experiment.
    pub placement: Option<Placement>,
}

impl Plan {
    /// How often each cell is measured.
    pub(crate) const fn repetitions(&self) -> usize {
        if self.quick { 5 } else { 20 }
    }

    /// How long it takes at most, if it is to end in time on a machine that is slow or busy, too: there is
    /// measured less often.
    pub(crate) const fn limit(&self) -> Option<Duration> {
        if self.quick { Some(QUICK) } else { None }
    }

    /// `all`, or a few of it in a quick run.
    pub(crate) const fn choose<T>(&self, all: &'static [T], few: &'static [T]) -> &'static [T] {
        if self.quick { few } else { all }
    }

    /// Whether the peer of this name is to take part.
    pub(crate) fn wants_peer(&self, name: &str) -> bool {
        match &self.peers {
            None => DEFAULT_PEERS.contains(&name),
            Some(peers) => peers.iter().any(|peer| peer == name),
        }
    }

    /// The transports that are wanted among those of an experiment.
    pub(crate) fn transports_of(&self, possible: &[Transport]) -> Vec<Transport> {
        let wanted = |t: &Transport| self.transports.as_ref().is_none_or(|all| all.contains(t));
        possible.iter().copied().filter(wanted).collect()
    }
}
