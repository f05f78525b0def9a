//! A lock service that is too simple to be wrong: lists, and the table of the specification.

use armilla_cos::locks::model::{Holder, Mode, SetId, Ticket};

/// The table of the specification: rows and columns are intention read, read, upgrade, intention
/// write, write; `x` is a conflict.
const TABLE: [&str; 5] = ["....x", "...xx", "..xxx", ".xx.x", "xxxxx"];

pub(crate) fn conflict(one: Mode, other: Mode) -> bool {
    let place = |mode| match mode {
        Mode::IntentionRead => 0,
        Mode::Read => 1,
        Mode::Upgrade => 2,
        Mode::IntentionWrite => 3,
        Mode::Write => 4,
    };
    TABLE[place(one)].as_bytes()[place(other)] == b'x'
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Request {
    pub(crate) ticket: Ticket,
    pub(crate) set: SetId,
    pub(crate) holder: Holder,
    pub(crate) mode: Mode,
    pub(crate) gives: Option<Mode>,
}

#[derive(Debug, Default, Clone)]
pub(crate) struct Oracle {
    /// Each lock is an entry of its own.
    pub(crate) held: Vec<(SetId, Holder, Mode)>,
    pub(crate) waits: Vec<Request>,
}

impl Oracle {
    /// Takes one lock away.
    pub(crate) fn take(&mut self, lock: (SetId, Holder, Mode)) -> bool {
        let place = self.held.iter().position(|held| *held == lock);
        place.map(|place| self.held.remove(place)).is_some()
    }

    /// Whom a request waits for.
    pub(crate) fn blockers(&self, request: &Request) -> Vec<Holder> {
        let held = self.held.iter().filter(|(set, holder, mode)| {
            *set == request.set && *holder != request.holder && conflict(*mode, request.mode)
        });
        let earlier = self.waits.iter().take_while(|wait| wait.ticket != request.ticket);
        let earlier = earlier.filter(|wait| self.goes_before(wait, request));
        held.map(|(_, holder, _)| *holder).chain(earlier.map(|wait| wait.holder)).collect()
    }

    /// Whether an earlier wait goes before: not if it waits for who asks.
    pub(crate) fn goes_before(&self, wait: &Request, request: &Request) -> bool {
        wait.set == request.set
            && wait.holder != request.holder
            && conflict(wait.mode, request.mode)
            && !self.held.iter().any(|(set, holder, mode)| {
                *set == wait.set && *holder == request.holder && conflict(*mode, wait.mode)
            })
    }

    /// The holders that wait, directly or not, for themselves.
    pub(crate) fn deadlocked(&self) -> Vec<Holder> {
        let edges = self
            .waits
            .iter()
            .flat_map(|wait| self.blockers(wait).into_iter().map(|blocker| (wait.holder, blocker)));
        let mut edges: Vec<_> = edges.collect();
        loop {
            edges.sort();
            edges.dedup();
            let further = edges.iter().flat_map(|(from, over)| {
                edges.iter().filter(move |(start, _)| start == over).map(|(_, to)| (*from, *to))
            });
            let further: Vec<_> = further.filter(|edge| !edges.contains(edge)).collect();
            if further.is_empty() {
                return edges.iter().filter(|(from, to)| from == to).map(|(it, _)| *it).collect();
            }
            edges.extend(further);
        }
    }
}
