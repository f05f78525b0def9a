//! The plan of a run.

use crate::Transport;
use crate::line::DELAY;
use crate::machine::Placement;
use crate::program::DEFAULT_PEERS;
use std::time::Duration;

/// The time limit of a quick run: five minutes including the report.
const QUICK: Duration = Duration::from_secs(280);

/// The experiments, by the names of their commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Experiment {
    /// E1: bulk transfer through sockets, wrappers and brokers.
    Ttcp,
    /// E2: the latency of remote calls.
    Latency,
    /// E3: lookup of the object and the operation.
    Demux,
    /// E4: each optimization off and on.
    Ladder,
    /// E5: one call for many items against many calls.
    Batch,
    /// E2, the slowest: what one of a thousand calls takes longer than.
    Tails,
}

impl Experiment {
    /// Those of a whole run, in their order. `Tails` is for itself: its rounds are long.
    pub const ALL: [Self; 5] = [Self::Ttcp, Self::Latency, Self::Demux, Self::Ladder, Self::Batch];

    /// The name of its command.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ttcp => "ttcp",
            Self::Latency => "latency",
            Self::Demux => "demux",
            Self::Ladder => "ladder",
            Self::Batch => "batch",
            Self::Tails => "tails",
        }
    }
}

/// The experiments to run, and how.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Whether to use fewer sizes and repetitions.
    pub quick: bool,
    /// The peers in addition to plain sockets; `None` selects ACE and omniORB. See
    /// [`peer_names`](crate::peer_names).
    pub peers: Option<Vec<String>>,
    /// The transports; `None` selects those of each experiment.
    pub transports: Option<Vec<Transport>>,
    /// The placement of processes; `None` selects that of each experiment.
    pub placement: Option<Placement>,
    /// The delay of simulated links in one direction; `None` selects 20 µs.
    pub link_delay: Option<Duration>,
}

impl Plan {
    /// The number of rounds of a cell.
    pub(crate) const fn repetitions(&self) -> usize {
        if self.quick { 5 } else { 20 }
    }

    /// The time limit, if any. On a slow or busy machine cells then have fewer rounds.
    pub(crate) const fn limit(&self) -> Option<Duration> {
        if self.quick { Some(QUICK) } else { None }
    }

    /// The delay of simulated links in one direction.
    pub(crate) fn delay(&self) -> Duration {
        self.link_delay.unwrap_or(DELAY)
    }

    /// `all`, or `few` in a quick run.
    pub(crate) const fn choose<T>(&self, all: &'static [T], few: &'static [T]) -> &'static [T] {
        if self.quick { few } else { all }
    }

    /// Whether the plan includes a peer.
    pub(crate) fn wants_peer(&self, name: &str) -> bool {
        match &self.peers {
            None => DEFAULT_PEERS.contains(&name),
            Some(peers) => peers.iter().any(|peer| peer == name),
        }
    }

    /// The transports of an experiment that the plan includes.
    pub(crate) fn transports_of(&self, possible: &[Transport]) -> Vec<Transport> {
        let wanted = |t: &Transport| self.transports.as_ref().is_none_or(|all| all.contains(t));
        possible.iter().copied().filter(wanted).collect()
    }
}
