//! Choosing a member of a group for a client.

use super::Names;
use super::exceptions::internal;
use super::iterators::client;
use super::references::from_octets;
use crate::client::{Liveness, check};
use crate::model::{Candidate, Group, nearness};
use armilla::{Object, SystemException};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// For so long the service believes what a check of a member has found.
const BELIEVED: Duration = Duration::from_secs(2);

/// The time limit of a check before a member is handed out.
const CHECK: Duration = Duration::from_millis(500);

/// How long members are checked for one client.
const CHECKS: Duration = Duration::from_secs(2);

/// Counts choices, so that turns go round.
static TURN: AtomicUsize = AtomicUsize::new(0);

impl Names {
    /// The member of a group that the client of this request gets: one that answers, if any does.
    pub(super) fn member(&self, group: &Group) -> Result<Object, SystemException> {
        let host: Option<IpAddr> = client(&self.orb).parse().ok();
        let members = &group.members;
        let objects: Vec<Object> = members
            .iter()
            .map(|member| from_octets(&self.orb, &member.reference))
            .collect::<Result<_, _>>()?;
        let near = |object| host.zip(address(object)).map_or(0, |(a, b)| nearness(a, b));
        let turn = TURN.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        // Each turn that fails marks one member, so that the next one chooses another.
        for _ in 0..members.len() {
            if begun.elapsed() >= CHECKS {
                break;
            }
            let candidates: Vec<Candidate> = members
                .iter()
                .zip(&objects)
                .map(|(member, object)| self.statuses.candidate(&member.reference, near(object)))
                .collect();
            let chosen = group.balance.choose(&candidates, turn);
            let chosen = chosen.ok_or_else(|| internal("a group has no members"))?;
            let reference = &members[chosen].reference;
            let status = self.statuses.status(reference);
            let believed = status.is_some_and(|status| {
                status.liveness == Liveness::Alive && status.checked.elapsed() < BELIEVED
            });
            let found = if believed { Liveness::Alive } else { check(&objects[chosen], CHECK) };
            let is_alive = found == Liveness::Alive;
            if !believed {
                self.statuses.record(reference, found);
            }
            if is_alive {
                self.statuses.hand_out(reference);
                return Ok(objects[chosen].clone());
            }
        }
        // None answers: the client may know better.
        objects.into_iter().nth(turn % members.len()).ok_or_else(|| internal("a group is empty"))
    }
}

/// The address of an object, if its first profile has a numeric one.
fn address(object: &Object) -> Option<IpAddr> {
    object.ior().iiop_profiles().next()?.ok()?.host.parse().ok()
}
