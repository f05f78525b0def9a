//! What IDL says of the timing of operations, as generated code keeps it.

use std::time::Duration;

/// The timing of an operation, from the annotations of its IDL: the `RT_Info` of a run-time
/// scheduler.
///
/// The compiler makes a constant `RT_INFO` for each interface with annotated operations, in the
/// module of the interface. A program that does not name it does not contain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RtInfo {
    /// The scoped name of the operation: `Nav::Filter::update`.
    pub operation: &'static str,
    /// Whether it is `oneway`.
    pub oneway: bool,
    /// `@period`: the shortest time between two releases.
    pub period: Option<Duration>,
    /// `@deadline`, counted from the release; if it is absent, the end of the period.
    pub deadline: Option<Duration>,
    /// `@wcet`: the worst-case execution time; `None` if it has yet to be measured.
    pub wcet: Option<Duration>,
    /// `@jitter`: how late a release may come.
    pub jitter: Duration,
    /// `@criticality`.
    pub criticality: RtLevel,
    /// `@importance`.
    pub importance: RtLevel,
    /// `@threads`: how many threads execute it at each release.
    pub threads: u32,
    /// `@calls`: the operations that it calls.
    pub calls: &'static [RtCall],
    /// `@holds`: the resources that it holds for a while.
    pub holds: &'static [RtSection],
}

/// A level of criticality or of importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RtLevel {
    /// `very_low`
    VeryLow,
    /// `low`
    Low,
    /// `medium`
    Medium,
    /// `high`
    High,
    /// `very_high`
    VeryHigh,
}

/// An operation that another one calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RtCall {
    /// Its scoped name.
    pub operation: &'static str,
    /// The longest time that a message takes, in each direction.
    pub delay: Duration,
}

/// A resource that an operation holds for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RtSection {
    /// The name of the resource.
    pub resource: &'static str,
    /// How long it is held.
    pub length: Duration,
}
