//! What is to be done for a group next, as its record, its view and what is known of others say.

use super::record::GroupRecord;
use crate::model::View;
use std::collections::BTreeSet;

/// What a manager knows besides what is written down.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'f> {
    /// The name of the manager that asks.
    pub(crate) me: &'f str,
    /// The names of the managers that are alive.
    pub(crate) managers: &'f BTreeSet<String>,
    /// The members that do not answer.
    pub(crate) gone: &'f BTreeSet<String>,
    /// The locations whose factory has failed lately.
    pub(crate) avoided: &'f BTreeSet<String>,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Nothing.
    Nothing,
    /// Another manager works on the group.
    Wait,
    /// Begin to make a member at this location.
    Make(String),
    /// Finish what a manager has begun that is gone, or this one.
    Finish,
    /// Delete the object that was made at this location, and is not a member.
    Discard(String),
    /// Take the member at this location out of the view: it is gone.
    Dismiss(String),
    /// Note that the group has had its initial number of members.
    Complete,
    /// Forget the group: it was deleted, and so were its members.
    Forget,
}

/// What is to be done next for a group with this view.
pub(crate) fn plan(record: &GroupRecord, view: &View, facts: Facts<'_>) -> Plan {
    let settings = &record.settings;
    if let Some(pending) = &record.pending {
        let is_of_another =
            pending.manager != facts.me && facts.managers.contains(&pending.manager);
        return if is_of_another { Plan::Wait } else { Plan::Finish };
    }
    if record.is_deleted {
        let first = record.made.keys().next();
        return first.map_or(Plan::Forget, |location| Plan::Discard(location.clone()));
    }
    let is_gone = |location: &str| facts.gone.contains(location);
    let lost = view.members.iter().find(|member| is_gone(&member.name));
    if let Some(lost) = lost.filter(|_| !settings.members_decide()) {
        return Plan::Dismiss(lost.name.clone());
    }
    // Members that decide take a newcomer in again that they have lost sight of.
    let is_useless = |location: &&String| {
        view.member(location).is_none() && (!settings.members_decide() || is_gone(location))
    };
    if let Some(location) = record.made.keys().find(is_useless) {
        return Plan::Discard(location.clone());
    }
    let alive = view.members.iter().filter(|member| !is_gone(&member.name)).count();
    let (initial, minimum) = settings.numbers();
    let wanted = if record.is_complete { minimum } else { initial.max(minimum) };
    if alive >= wanted || !settings.manager_makes_members() {
        return if record.is_complete { Plan::Nothing } else { Plan::Complete };
    }
    // Where nothing is, rather than where something has died.
    let free = settings.factories().iter().map(|entry| &entry.location).filter(|location| {
        let holds = |member: &crate::model::MemberInfo| !is_gone(&member.name);
        !facts.avoided.contains(*location)
            && !view.member(location).is_some_and(holds)
            && !record.made.contains_key(*location)
    });
    let best = free.min_by_key(|location| view.member(location).is_some());
    best.map_or(Plan::Nothing, |location| Plan::Make(location.clone()))
}
