//! Groups: one name for several objects, of which each resolve gives one.

use super::{ReferenceOctets, Seconds};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// How a member of a group is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Balance {
    /// One after the other. Text form: `round-robin`.
    RoundRobin,
    /// The member with the least load: the fewest resolves of late. Text form: `least-load`.
    LeastLoad,
    /// The member whose address is nearest to the client's, and among equals one after the other.
    /// Text form: `nearest`.
    Nearest,
}

impl Balance {
    /// Its text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::LeastLoad => "least-load",
            Self::Nearest => "nearest",
        }
    }
}

impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Balance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::RoundRobin, Self::LeastLoad, Self::Nearest]
            .into_iter()
            .find(|one| one.as_str() == text)
            .ok_or_else(|| {
                format!("{text:?}: one of round-robin, least-load and nearest is needed")
            })
    }
}

/// An object in a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its reference.
    pub reference: ReferenceOctets,
    /// When it joined.
    pub since: Seconds,
}

/// The objects of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// How one of them is chosen.
    pub balance: Balance,
    /// Its members, at least one, in the order in which they joined.
    pub members: Vec<Member>,
}

/// What the choice depends on, for one member.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    /// Whether it is believed to be alive.
    pub alive: bool,
    /// Its load; only the order counts.
    pub load: f64,
    /// How near it is to the client; the greater, the nearer.
    pub nearness: u32,
}

impl Balance {
    /// The index of the chosen member; `None` if there is none. `turn` counts the choices in this
    /// group. Members that are not alive are chosen only if none is alive.
    pub(crate) fn choose(self, candidates: &[Candidate], turn: usize) -> Option<usize> {
        let any_alive = candidates.iter().any(|candidate| candidate.alive);
        let eligible: Vec<usize> =
            (0..candidates.len()).filter(|at| candidates[*at].alive || !any_alive).collect();
        let nearest = eligible.iter().map(|at| candidates[*at].nearness).max();
        let best: Vec<usize> = match self {
            Self::RoundRobin => eligible,
            Self::LeastLoad => {
                let least = eligible.iter().map(|at| candidates[*at].load).reduce(f64::min)?;
                eligible.into_iter().filter(|at| candidates[*at].load <= least).collect()
            }
            Self::Nearest => eligible
                .into_iter()
                .filter(|at| Some(candidates[*at].nearness) == nearest)
                .collect(),
        };
        best.get(turn.checked_rem(best.len())?).copied()
    }
}

/// How near two hosts are: the length of the common prefix of their addresses, in bits. An address
/// of the other family is not near. The loopback address stands for the host of the service.
pub(crate) fn nearness(client: IpAddr, member: IpAddr) -> u32 {
    match (client.to_canonical(), member.to_canonical()) {
        (IpAddr::V4(a), IpAddr::V4(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros(),
        (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros(),
        _ => 0,
    }
}
