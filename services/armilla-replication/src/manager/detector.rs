//! The fault detectors (23.4.2): members are asked whether they are alive, and what has come of that is
//! reported and acted on.

use super::calls::{Question, is_death};
use super::domain::Domain;
use super::plan::{Facts, Plan, plan};
use super::record::GroupRecord;
use super::reports::Fault;
use crate::model::{Failure, MemberInfo, View};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// When which group is to be asked next.
#[derive(Default)]
pub(super) struct Detector {
    next: HashMap<u64, Instant>,
}

impl Detector {
    /// Asks the members of all groups whose time it is, and lets what is to be done be done.
    pub(super) fn look(&mut self, domain: &Arc<Domain>) -> Result<(), Failure> {
        let groups = domain.shelf().groups()?;
        let numbers: BTreeSet<u64> = groups.iter().map(|(record, _)| record.number).collect();
        self.next.retain(|number, _| numbers.contains(number));
        domain.known().gone.retain(|number, _| numbers.contains(number));
        let now = Instant::now();
        let mut asked = Vec::new();
        for (record, _) in groups {
            let (interval, patience) = record.settings.times();
            let next = self.next.entry(record.number).or_insert(now);
            if *next > now {
                continue;
            }
            *next = now + interval;
            let view = domain.with(|upkeep| upkeep.view(record.number))?;
            let questions = domain.ask(&record, &view.members, patience);
            asked.push((record, view, patience, questions));
        }
        let mut faults = Vec::new();
        for (record, view, patience, questions) in asked {
            // One answer may be lost with its connection, or late.
            let silent = who_is_silent(questions);
            let is_silent = |member: &&MemberInfo| silent.contains(&member.name);
            let again = view.members.iter().filter(is_silent);
            let gone = who_is_silent(domain.ask(&record, again, patience));
            faults.extend(domain.learn(&record, &view, gone));
            domain.look_after(&record, &view);
        }
        for fault in faults {
            domain.counts[0].fetch_add(1, Ordering::Relaxed);
            tracing::warn!(domain = domain.name, ?fault, "a member does not answer");
            domain.report(&fault);
        }
        Ok(())
    }
}

/// The names of those who have not said that they are alive.
fn who_is_silent(questions: Vec<(String, Question)>) -> BTreeSet<String> {
    questions.into_iter().filter_map(|(name, it)| (!it.says_yes()).then_some(name)).collect()
}

impl Domain {
    /// Asks members of a group, unless it is not monitored.
    fn ask<'m>(
        &self,
        record: &GroupRecord,
        members: impl IntoIterator<Item = &'m MemberInfo>,
        patience: Duration,
    ) -> Vec<(String, Question)> {
        let ask =
            |member: &MemberInfo| (member.name.clone(), Question::ask(&self.orb, member, patience));
        match record.settings.is_monitored() {
            true => members.into_iter().map(ask).collect(),
            false => Vec::new(),
        }
    }

    /// Notes who of a group does not answer. Returns the faults that are new.
    fn learn(&self, record: &GroupRecord, view: &View, mut gone: BTreeSet<String>) -> Vec<Fault> {
        for (location, made) in &record.made {
            if view.member(location).is_none() && !self.exists(&made.object) {
                gone.insert(location.clone());
            }
        }
        let mut known = self.known();
        let before = known.gone.entry(record.number).or_default();
        if !record.settings.is_monitored() {
            // What others have reported holds until the member is out.
            let reported = before.iter().filter(|name| view.member(name).is_some());
            gone.extend(reported.cloned());
        }
        let new = gone.difference(before).map(|location| Fault {
            location: location.clone(),
            type_id: Some(record.type_id.clone()),
            group: Some(record.number),
        });
        let new = new.collect();
        *before = gone;
        new
    }

    fn exists(&self, object: &str) -> bool {
        let Ok(object) = self.orb.string_to_object(object) else { return false };
        let asked = object.with_timeout(Duration::from_millis(500)).non_existent();
        asked.map_or_else(|exception| !is_death(&exception), |is_gone| !is_gone)
    }

    /// Does in a thread of its own what is to be done for a group.
    fn look_after(self: &Arc<Self>, record: &GroupRecord, view: &View) {
        let is_idle = {
            let known = self.known();
            let managers: BTreeSet<_> =
                known.views[0].members.iter().map(|it| it.name.clone()).collect();
            let gone = known.gone.get(&record.number).cloned().unwrap_or_default();
            let (managers, gone, avoided) = (&managers, &gone, &BTreeSet::new());
            let facts = Facts { me: &self.me, managers, gone, avoided };
            matches!(plan(record, view, facts), Plan::Nothing | Plan::Wait)
        };
        if is_idle || self.is_busy(record.number) {
            return;
        }
        let (domain, number) = (self.clone(), record.number);
        let worker = thread::Builder::new().name("groups".into()).spawn(move || {
            if let Err(failure) = domain.work(number, false, |_| Ok(())) {
                tracing::debug!(number, %failure, "a group is looked after later");
            }
        });
        if let Err(error) = worker {
            tracing::warn!(%error, "there is no thread to look after a group");
        }
    }

    /// Somebody reports a fault. Members that are monitored are asked first.
    pub(super) fn take_report(&self, fault: &Fault) -> Result<(), Failure> {
        let mut found = BTreeMap::new();
        for (record, _) in self.shelf().groups()? {
            // The type of a member whose group is said says nothing more: TAO's detectors know none.
            let is_meant = match (fault.group, &fault.type_id) {
                (Some(number), _) => number == record.number,
                (None, Some(type_id)) => *type_id == record.type_id,
                (None, None) => true,
            };
            if is_meant {
                let view = self.with(|upkeep| upkeep.view(record.number))?;
                found.insert(record.number, (record, view));
            }
        }
        for (number, (record, view)) in found {
            let Some(member) = view.member(&fault.location) else { continue };
            let (_, patience) = record.settings.times();
            let says_yes = |_| Question::ask(&self.orb, member, patience).says_yes();
            let is_alive = record.settings.is_monitored() && (0..2).any(says_yes);
            if is_alive {
                tracing::warn!(number, ?fault, "a fault was reported of a member that answers");
                continue;
            }
            self.work(number, true, |_| {
                self.known().gone.entry(number).or_default().insert(member.name.clone());
                Ok(())
            })?;
        }
        Ok(())
    }
}
