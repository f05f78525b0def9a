//! The properties of a group (23.3.2), as values.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A factory of members, and where they come to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactoryEntry {
    /// The reference to the factory, as text.
    pub factory: String,
    /// The location of the members that it makes: a name as text.
    pub location: String,
    /// What it is told besides: `FT::Criteria`, encoded, in base 64.
    pub criteria: String,
}

/// Properties of a group. What is `None` is not set.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// `FT::ReplicationStyleValue`.
    pub replication: Option<u16>,
    /// `FT::MembershipStyleValue`.
    pub membership: Option<u16>,
    /// `FT::ConsistencyStyleValue`.
    pub consistency: Option<u16>,
    /// `FT::FaultMonitoringStyleValue`.
    pub monitoring: Option<u16>,
    /// `FT::FaultMonitoringGranularityValue`.
    pub granularity: Option<u16>,
    /// How many members a new group gets.
    pub initial: Option<u16>,
    /// How many members a group has at least.
    pub minimum: Option<u16>,
    /// The time between two questions to a member, and how long it has to answer, in units of
    /// 100 ns.
    pub interval: Option<(u64, u64)>,
    /// The longest time between two checkpoints, in units of 100 ns. State travels with each request.
    pub checkpoint: Option<u64>,
    /// Who makes members.
    pub factories: Option<Vec<FactoryEntry>>,
}

/// `FT::STATELESS`.
pub(super) const STATELESS: u16 = 0;
/// `FT::COLD_PASSIVE`.
pub(super) const COLD_PASSIVE: u16 = 1;
/// `FT::WARM_PASSIVE`.
pub(super) const WARM_PASSIVE: u16 = 2;
/// `FT::ACTIVE`.
pub(super) const ACTIVE: u16 = 3;
/// What is of the infrastructure: `FT::MEMB_INF_CTRL`, `FT::CONS_INF_CTRL`.
pub(super) const INFRASTRUCTURE: u16 = 1;
/// `FT::PULL`.
const PULL: u16 = 0;

impl Settings {
    /// These, and those of `below` where these say nothing.
    #[must_use]
    pub fn over(&self, below: &Self) -> Self {
        Self {
            replication: self.replication.or(below.replication),
            membership: self.membership.or(below.membership),
            consistency: self.consistency.or(below.consistency),
            monitoring: self.monitoring.or(below.monitoring),
            granularity: self.granularity.or(below.granularity),
            initial: self.initial.or(below.initial),
            minimum: self.minimum.or(below.minimum),
            interval: self.interval.or(below.interval),
            checkpoint: self.checkpoint.or(below.checkpoint),
            factories: self.factories.clone().or_else(|| below.factories.clone()),
        }
    }

    /// What holds where nobody has set anything.
    pub fn usual() -> Self {
        Self {
            replication: Some(WARM_PASSIVE),
            membership: Some(INFRASTRUCTURE),
            consistency: Some(INFRASTRUCTURE),
            monitoring: Some(PULL),
            granularity: Some(0),
            initial: Some(2),
            minimum: Some(2),
            interval: Some((2_000_000, 5_000_000)),
            checkpoint: None,
            factories: None,
        }
    }

    /// Whether members keep one state among themselves, as `Replica` does, and so decide who is in
    /// the group. Otherwise the manager decides.
    pub fn members_decide(&self) -> bool {
        let have_state = matches!(self.style(), COLD_PASSIVE | WARM_PASSIVE | ACTIVE);
        have_state && self.consistency.unwrap_or(INFRASTRUCTURE) == INFRASTRUCTURE
    }

    /// The replication style.
    pub fn style(&self) -> u16 {
        self.replication.unwrap_or(WARM_PASSIVE)
    }

    /// Whether the manager makes members.
    pub fn manager_makes_members(&self) -> bool {
        self.membership.unwrap_or(INFRASTRUCTURE) == INFRASTRUCTURE
    }

    /// Whether members are asked whether they are alive.
    pub fn is_monitored(&self) -> bool {
        self.monitoring.unwrap_or(PULL) == PULL
    }

    /// How many members a new group gets, and how many it has at least.
    pub fn numbers(&self) -> (usize, usize) {
        (self.initial.unwrap_or(2).into(), self.minimum.unwrap_or(2).into())
    }

    /// The time between two questions to a member, and how long it has to answer.
    pub fn times(&self) -> (Duration, Duration) {
        let time = |units: u64| Duration::from_nanos(units.saturating_mul(100));
        let (interval, timeout) = self.interval.unwrap_or((2_000_000, 5_000_000));
        (time(interval), time(timeout))
    }

    /// The factories.
    pub fn factories(&self) -> &[FactoryEntry] {
        self.factories.as_deref().unwrap_or_default()
    }

    /// The factory of this location.
    pub fn factory(&self, location: &str) -> Option<&FactoryEntry> {
        self.factories().iter().find(|entry| entry.location == location)
    }
}
