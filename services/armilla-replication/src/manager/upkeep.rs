//! Carries out what is planned for a group, so that another manager can go on after each step.
//!
//! # What must stay true
//!
//! - What is begun is written down before, with the name of who has begun it. While that manager is
//!   alive nobody else touches the group; afterwards the next one finishes it.
//! - A member is written down before it is in the view, so that none is in a view of which nobody
//!   knows who has made it.
//! - Whoever finds that a document has changed reads it again, and plans anew.

use super::plan::{Facts, Plan, plan};
use super::record::{GroupRecord, Made, Pending, Shelf};
use super::settings::FactoryEntry;
use crate::documents::Documents;
use crate::model::{Failure, MemberInfo, View};
use crate::reference::GroupName;
use crate::registry::ViewRegistry;
use std::fmt;

/// Why a factory has not made a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MakeFailure {
    /// It does not make such objects.
    NoFactory,
    /// It does not understand the criteria.
    Invalid,
    /// It cannot meet the criteria.
    Unmet,
    /// It does not answer, or has failed, or the member does not come into the group.
    NotCreated(String),
}

impl fmt::Display for MakeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoFactory => "the factory does not make objects of this type",
            Self::Invalid => "the factory does not understand the criteria",
            Self::Unmet => "the factory cannot meet the criteria",
            Self::NotCreated(why) => why,
        })
    }
}

/// The factories, as a manager calls them.
pub(crate) trait Makers {
    /// Lets a factory make a member. One that was asked before for this group and location may return
    /// the same.
    fn make(
        &self,
        record: &GroupRecord,
        factory: &FactoryEntry,
        criteria: &str,
    ) -> Result<Made, MakeFailure>;

    /// Lets a factory delete what it has made. Whether it is gone.
    fn unmake(&self, made: &Made) -> bool;

    /// Waits a moment for a member to join. `false` if it has had enough time.
    fn wait(&self) -> bool;
}

/// What has come of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing is to be done.
    Done,
    /// Another manager works on the group.
    Waits,
    /// Something was done: look again.
    Again,
    /// No member was made at this location.
    Failed(String, MakeFailure),
    /// The group is no more.
    Forgotten,
}

/// A manager at work.
pub(crate) struct Upkeep<'u> {
    pub(crate) shelf: Shelf<'u>,
    pub(crate) makers: &'u dyn Makers,
}

impl Upkeep<'_> {
    fn documents(&self) -> &dyn Documents {
        self.shelf.documents
    }

    pub(crate) fn name(&self, number: u64) -> GroupName {
        GroupName::new(self.shelf.domain, number)
    }

    /// The view of a group; an empty one if it has none.
    pub(crate) fn view(&self, number: u64) -> Result<View, Failure> {
        Ok(self.documents().read(&self.name(number))?.unwrap_or_default())
    }

    /// Changes the view of a group whose members do not decide, until nobody has changed it
    /// meanwhile. `None` leaves it.
    pub(crate) fn change_view(
        &self,
        number: u64,
        change: impl Fn(&View) -> Option<View>,
    ) -> Result<View, Failure> {
        loop {
            let view = self.view(number)?;
            let Some(next) = change(&view) else { return Ok(view) };
            if self.documents().replace(&self.name(number), view.version, &next)? {
                return Ok(next);
            }
        }
    }

    /// Does one thing for a group.
    pub(crate) fn step(&self, number: u64, facts: Facts<'_>) -> Result<Progress, Failure> {
        let Some((record, revision)) = self.shelf.group(number)? else {
            return Ok(Progress::Forgotten);
        };
        let view = self.view(number)?;
        match plan(&record, &view, facts) {
            Plan::Nothing => Ok(Progress::Done),
            Plan::Wait => Ok(Progress::Waits),
            Plan::Complete => self.note(revision, GroupRecord { is_complete: true, ..record }),
            Plan::Make(location) => self.begin(record, revision, location, String::new(), facts.me),
            Plan::Finish => self.finish(record, revision, facts.me),
            Plan::Dismiss(location) => {
                self.change_view(number, |view| {
                    view.member(&location).map(|_| view.without(&location))
                })?;
                Ok(Progress::Again)
            }
            Plan::Discard(location) => self.discard(record, revision, &location),
            Plan::Forget => {
                if view.version != 0 {
                    self.documents().forget(&self.name(number), view.version)?;
                }
                self.shelf.forget(number, revision)?;
                Ok(Progress::Again)
            }
        }
    }

    fn note(&self, revision: u64, record: GroupRecord) -> Result<Progress, Failure> {
        self.shelf.write(&record, revision).map(|_| Progress::Again)
    }

    /// Makes a member: writes down that it does, first.
    pub(crate) fn begin(
        &self,
        mut record: GroupRecord,
        revision: u64,
        location: String,
        criteria: String,
        me: &str,
    ) -> Result<Progress, Failure> {
        record.pending = Some(Pending { location, manager: me.to_owned(), criteria });
        match self.shelf.write(&record, revision)? {
            Some(revision) => self.finish(record, revision, me),
            None => Ok(Progress::Again),
        }
    }

    /// Goes on with what was begun.
    fn finish(
        &self,
        mut record: GroupRecord,
        mut revision: u64,
        me: &str,
    ) -> Result<Progress, Failure> {
        let Some(pending) = record.pending.clone() else { return Ok(Progress::Again) };
        let Pending { location, manager, criteria } = pending.clone();
        if manager != me {
            record.pending = Some(Pending { manager: me.to_owned(), ..pending });
            let Some(next) = self.shelf.write(&record, revision)? else {
                return Ok(Progress::Again);
            };
            revision = next;
        }
        let made = match record.made.get(&location) {
            Some(made) => made.clone(),
            None => {
                let factory = record.settings.factory(&location).filter(|_| !record.is_deleted);
                let made = factory.map_or(Err(MakeFailure::NoFactory), |factory| {
                    self.makers.make(&record, factory, &criteria)
                });
                let made = match made {
                    Ok(made) => made,
                    Err(failure) => {
                        record.pending = None;
                        self.shelf.write(&record, revision)?;
                        return Ok(Progress::Failed(location, failure));
                    }
                };
                record.made.insert(location.clone(), made.clone());
                match self.shelf.write(&record, revision)? {
                    Some(next) => revision = next,
                    None => return self.withdraw(record.number, &location, &made),
                }
                made
            }
        };
        let joined = self.join(&record, &location, &made)?;
        record.pending = None;
        if let Some(failure) = joined {
            record.made.remove(&location);
            self.makers.unmake(&made);
            self.shelf.write(&record, revision)?;
            return Ok(Progress::Failed(location, failure));
        }
        self.note(revision, record)
    }

    /// Somebody has taken this manager for gone. What it has made is superfluous, unless it is the
    /// same that the other one has got.
    fn withdraw(&self, number: u64, location: &str, made: &Made) -> Result<Progress, Failure> {
        let latest = self.shelf.group(number)?;
        let is_same = latest.as_ref().is_some_and(|(latest, _)| {
            let is_theirs = |theirs: &Made| theirs.creation == made.creation;
            // The other one gets it from the factory yet.
            let is_awaited = latest.pending.as_ref().is_some_and(|it| it.location == location);
            latest.made.get(location).map_or(is_awaited, is_theirs)
        });
        if !is_same {
            self.makers.unmake(made);
        }
        Ok(Progress::Again)
    }

    /// Brings a member into the view, or waits until it has come in itself.
    fn join(
        &self,
        record: &GroupRecord,
        location: &str,
        made: &Made,
    ) -> Result<Option<MakeFailure>, Failure> {
        let (name, object) = (location.to_owned(), made.object.clone());
        if !record.settings.members_decide() {
            let member = MemberInfo { name, object, peer: String::new() };
            self.change_view(record.number, |view| {
                (view.member(location) != Some(&member)).then(|| view.with(member.clone()))
            })?;
            return Ok(None);
        }
        let address = |text: &str| -> Option<armilla::Ior> { text.parse().ok() };
        loop {
            let view = self.view(record.number)?;
            let is_in = |it: &MemberInfo| address(&it.object) == address(&made.object);
            if view.member(location).is_some_and(is_in) {
                return Ok(None);
            }
            if !self.makers.wait() {
                let what = format!("the member at {location} did not join the group in time");
                return Ok(Some(MakeFailure::NotCreated(what)));
            }
        }
    }

    /// Lets the factory delete what it has made, and forgets it.
    pub(crate) fn discard(
        &self,
        mut record: GroupRecord,
        revision: u64,
        location: &str,
    ) -> Result<Progress, Failure> {
        if let Some(made) = record.made.remove(location) {
            // A factory that is gone has taken its objects with it.
            if !self.makers.unmake(&made) {
                tracing::warn!(location, "a factory did not delete what it has made");
            }
        }
        self.note(revision, record)
    }
}
