//! Groups come and go, and so do their members: what the operations of `GenericFactory` and
//! `ObjectGroupManager` do (23.3.4, 23.3.5).

use super::domain::{Domain, unavailable};
use super::identity::identity;
use super::properties::{self, Level, Refused};
use super::record::GroupRecord;
use super::settings::{STATELESS, Settings};
use super::upkeep::MakeFailure;
use crate::corba::{Member as _, MemberRef};
use crate::ft::{self, Property};
use crate::model::{Failure, MemberInfo, View};
use armilla::{Error, ExceptionKind, Object, SystemException};
use std::time::Duration;

/// How long a primary may take to let another member lead.
const HANDING_OVER: Duration = Duration::from_secs(5);

/// Why an operation is not done: an exception of the specification, or one of the ORB.
#[derive(Debug)]
pub(super) enum Refusal {
    ObjectGroupNotFound(ft::ObjectGroupNotFound),
    MemberNotFound(ft::MemberNotFound),
    MemberAlreadyPresent(ft::MemberAlreadyPresent),
    ObjectNotFound(ft::ObjectNotFound),
    ObjectNotCreated(ft::ObjectNotCreated),
    ObjectNotAdded(ft::ObjectNotAdded),
    PrimaryNotSet(ft::PrimaryNotSet),
    BadReplicationStyle(ft::BadReplicationStyle),
    NoFactory(ft::NoFactory),
    InvalidProperty(ft::InvalidProperty),
    UnsupportedProperty(ft::UnsupportedProperty),
    InvalidCriteria(ft::InvalidCriteria),
    CannotMeetCriteria(ft::CannotMeetCriteria),
    Orb(SystemException),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Orb(unavailable(failure))
    }
}

impl From<SystemException> for Refusal {
    fn from(exception: SystemException) -> Self {
        Self::Orb(exception)
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Invalid(Property { nam, val }) => {
                Self::InvalidProperty(ft::InvalidProperty { nam, val })
            }
            Refused::Unsupported(Property { nam, val }) => {
                Self::UnsupportedProperty(ft::UnsupportedProperty { nam, val })
            }
        }
    }
}

impl Refusal {
    pub(super) const fn no_group() -> Self {
        Self::ObjectGroupNotFound(ft::ObjectGroupNotFound)
    }

    fn not_made(why: Option<MakeFailure>, location: &str, of: &GroupRecord) -> Self {
        let criteria = || properties::from_text(&of.criteria);
        match why {
            Some(MakeFailure::NoFactory) => Self::no_factory(location, &of.type_id),
            Some(MakeFailure::Invalid) => {
                Self::InvalidCriteria(ft::InvalidCriteria { invalid_criteria: criteria() })
            }
            Some(MakeFailure::Unmet) => {
                Self::CannotMeetCriteria(ft::CannotMeetCriteria { unmet_criteria: criteria() })
            }
            Some(MakeFailure::NotCreated(_)) | None => Self::ObjectNotCreated(ft::ObjectNotCreated),
        }
    }

    fn no_factory(location: &str, type_id: &str) -> Self {
        let (the_location, type_id) = (properties::name(location), type_id.to_owned());
        Self::NoFactory(ft::NoFactory { the_location, type_id })
    }
}

fn unencodable(error: armilla::CdrError) -> SystemException {
    ExceptionKind::BadParam.because(format!("criteria: {error}"))
}

impl Domain {
    /// What is known of the group that a reference denotes, and the revision of that.
    pub(super) fn group(&self, group: &Object) -> Result<(GroupRecord, u64), Refusal> {
        let number = self.number(group)?.ok_or_else(Refusal::no_group)?;
        self.shelf().group(number)?.ok_or_else(Refusal::no_group)
    }

    /// What holds for groups of a type, where a group says nothing.
    pub(super) fn settings_of_type(&self, type_id: &str) -> Result<Settings, Failure> {
        let (of_all, _) = self.shelf().read::<Settings>("defaults")?;
        let (of_type, _) = self.shelf().read::<Settings>(&type_key(type_id))?;
        let of_all = of_all.unwrap_or_default().over(&Settings::usual());
        Ok(of_type.unwrap_or_default().over(&of_all))
    }

    /// Makes a group.
    pub(super) fn create_group(
        &self,
        type_id: &str,
        criteria: &[Property],
    ) -> Result<GroupRecord, Refusal> {
        let request = identity();
        // A manager that is gone may have begun it: then this goes on.
        let begun = match &request {
            Some(_) => self.shelf().groups()?.into_iter().find(|(it, _)| it.request == request),
            None => None,
        };
        let record = match begun {
            Some((record, _)) if record.is_deleted => {
                return Err(Refusal::not_made(None, "", &record));
            }
            Some((record, _)) => record,
            None => self.note_group(type_id, criteria, request)?,
        };
        let number = record.number;
        let (_, failure) = self.work(number, true, |_| Ok(()))?;
        let (initial, _) = record.settings.numbers();
        let (latest, _) = self.shelf().group(number)?.ok_or_else(Refusal::no_group)?;
        if latest.is_complete || !record.settings.manager_makes_members() {
            return Ok(latest);
        }
        tracing::warn!(group = %self.name, number, initial, "a group was not made");
        self.delete_group(number)?;
        let tried = record.settings.factories().first();
        let location = tried.map_or("", |entry| &*entry.location);
        Err(Refusal::not_made(failure, location, &record))
    }

    fn note_group(
        &self,
        type_id: &str,
        criteria: &[Property],
        request: Option<(String, i32)>,
    ) -> Result<GroupRecord, Refusal> {
        let read = properties::read(&self.orb, criteria, Level::Creation);
        let (own, others) = read.map_err(|refused| match refused {
            Refused::Unsupported(property) => Refusal::CannotMeetCriteria(ft::CannotMeetCriteria {
                unmet_criteria: vec![property],
            }),
            invalid @ Refused::Invalid(_) => invalid.into(),
        })?;
        let settings = own.over(&self.settings_of_type(type_id)?);
        if let Some(property) = properties::contradiction(&settings) {
            return Err(Refused::Invalid(property).into());
        }
        if settings.manager_makes_members() {
            let (initial, _) = settings.numbers();
            match settings.factories().len() {
                0 => return Err(Refusal::no_factory("", type_id)),
                count if count < initial => {
                    let unmet_criteria = criteria.to_vec();
                    let unmet = ft::CannotMeetCriteria { unmet_criteria };
                    return Err(Refusal::CannotMeetCriteria(unmet));
                }
                _ => {}
            }
        }
        let first = super::domain::GROUPS_OF_MANAGERS.len() as u64;
        let record = GroupRecord {
            number: self.shelf().number("last-group", first)?,
            type_id: type_id.to_owned(),
            settings,
            criteria: properties::to_text(&others).map_err(unencodable)?,
            request,
            is_complete: false,
            is_deleted: false,
            made: Default::default(),
            pending: None,
        };
        match self.shelf().write(&record, 0)? {
            Some(_) => Ok(record),
            None => Err(Failure("another manager has taken the number".into()).into()),
        }
    }

    /// Deletes a group and the members that were made for it.
    pub(super) fn delete_group(&self, number: u64) -> Result<(), Refusal> {
        let noted = self.change(number, |record| {
            record.is_deleted = true;
            Ok(())
        });
        match noted {
            Ok(()) => {}
            Err(Refusal::ObjectGroupNotFound(_)) => {
                return Err(Refusal::ObjectNotFound(ft::ObjectNotFound));
            }
            Err(other) => return Err(other),
        }
        self.work(number, true, |_| Ok(()))?;
        Ok(())
    }

    /// Changes what is written down about a group, until nobody has changed it meanwhile.
    pub(super) fn change(
        &self,
        number: u64,
        change: impl Fn(&mut GroupRecord) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        loop {
            let found = self.shelf().group(number)?;
            let (mut record, revision) = found.ok_or_else(Refusal::no_group)?;
            change(&mut record)?;
            if self.shelf().write(&record, revision)?.is_some() {
                return Ok(());
            }
        }
    }

    /// Makes a member at a location.
    pub(super) fn create_member(
        &self,
        group: &Object,
        location: &str,
        type_id: &str,
        criteria: &[Property],
    ) -> Result<Object, Refusal> {
        let (record, _) = self.group(group)?;
        let number = record.number;
        if self.with(|upkeep| upkeep.view(number))?.member(location).is_some() {
            return Err(Refusal::MemberAlreadyPresent(ft::MemberAlreadyPresent));
        }
        if record.settings.factory(location).is_none() {
            return Err(Refusal::no_factory(location, type_id));
        }
        let criteria = properties::to_text(criteria).map_err(unencodable)?;
        let (first, later) = self.work(number, true, |upkeep| {
            let Some((record, revision)) = self.shelf().group(number)? else { return Ok(None) };
            if record.pending.is_some() || record.made.contains_key(location) {
                return Ok(None);
            }
            let (location, criteria) = (location.to_owned(), criteria.clone());
            match upkeep.begin(record, revision, location, criteria, &self.me)? {
                super::upkeep::Progress::Failed(_, why) => Ok(Some(why)),
                _ => Ok(None),
            }
        })?;
        let is_in = self.with(|upkeep| upkeep.view(number))?.member(location).is_some();
        match is_in {
            true => Ok(self.reference(&record)?),
            false => Err(Refusal::not_made(first.flatten().or(later), location, &record)),
        }
    }

    /// Takes an object of the application in.
    pub(super) fn add_member(
        &self,
        group: &Object,
        location: &str,
        member: &Object,
    ) -> Result<Object, Refusal> {
        let (record, _) = self.group(group)?;
        let view = self.with(|upkeep| upkeep.view(record.number))?;
        if view.member(location).is_some() {
            return Err(Refusal::MemberAlreadyPresent(ft::MemberAlreadyPresent));
        }
        // Members that keep one state come in themselves: nobody else can give them that state.
        let is_wrong = record.settings.members_decide()
            || member.is_nil()
            || !record.type_id.is_empty() && !member.is_a(&record.type_id).unwrap_or(false);
        if is_wrong {
            return Err(Refusal::ObjectNotAdded(ft::ObjectNotAdded));
        }
        let object = self.orb.object_to_string(member)?;
        let member = MemberInfo { name: location.to_owned(), object, peer: String::new() };
        let changed = self.with(|upkeep| {
            upkeep.change_view(record.number, |view| {
                view.member(location).is_none().then(|| view.with(member.clone()))
            })
        })?;
        match changed.member(location) == Some(&member) {
            true => Ok(self.reference(&record)?),
            false => Err(Refusal::MemberAlreadyPresent(ft::MemberAlreadyPresent)),
        }
    }

    /// Takes a member out. If a factory has made it, the factory deletes it.
    pub(super) fn remove_member(&self, group: &Object, location: &str) -> Result<Object, Refusal> {
        let (record, _) = self.group(group)?;
        let view = self.with(|upkeep| upkeep.view(record.number))?;
        if view.member(location).is_none() {
            return Err(Refusal::MemberNotFound(ft::MemberNotFound));
        }
        if record.settings.members_decide() {
            self.let_leave(&view, location)?;
        }
        self.work(record.number, true, |upkeep| {
            if !record.settings.members_decide() {
                upkeep.change_view(record.number, |view| {
                    view.member(location).map(|_| view.without(location))
                })?;
            } else if let Some((latest, revision)) = self.shelf().group(record.number)? {
                // It would come in again.
                upkeep.discard(latest, revision, location)?;
            }
            Ok(())
        })?;
        Ok(self.reference(&record)?)
    }

    fn peer(&self, member: &MemberInfo) -> Result<MemberRef, SystemException> {
        let peer: MemberRef = self.orb.string_to_object(&member.peer)?.assume();
        Ok(peer.with_timeout(HANDING_OVER))
    }

    /// Lets the members themselves take one out.
    fn let_leave(&self, view: &View, location: &str) -> Result<(), Refusal> {
        let Some(primary) = view.primary() else { return Ok(()) };
        let heir = view.members.get(1).filter(|_| primary.name == location);
        let done = match heir {
            // Then it is a backup, which may be silent.
            Some(heir) => self.peer(primary)?.hand_over(&heir.name).map_err(said),
            None if primary.name == location => Ok(()),
            None => self.peer(primary)?.leave(location).map_err(said),
        };
        done.map_err(|why| Refusal::Orb(ExceptionKind::Transient.because(why)))
    }

    /// Lets another member be the primary.
    pub(super) fn set_primary(&self, group: &Object, location: &str) -> Result<Object, Refusal> {
        let (record, _) = self.group(group)?;
        if record.settings.style() == STATELESS {
            return Err(Refusal::BadReplicationStyle(ft::BadReplicationStyle));
        }
        let view = self.with(|upkeep| upkeep.view(record.number))?;
        match view.place(location) {
            None => return Err(Refusal::MemberNotFound(ft::MemberNotFound)),
            Some(0) => return Ok(self.reference(&record)?),
            Some(_) => {}
        }
        if record.settings.members_decide() {
            let primary = view.primary().ok_or(Refusal::MemberNotFound(ft::MemberNotFound))?;
            let done = self.peer(primary)?.hand_over(location).map_err(said);
            done.map_err(|why| {
                tracing::warn!(group = %self.name, number = record.number, why, "the primary stays");
                Refusal::PrimaryNotSet(ft::PrimaryNotSet)
            })?;
        } else {
            self.with(|upkeep| {
                upkeep.change_view(record.number, |view| {
                    view.place(location).filter(|place| *place > 0).map(|_| view.led_by(location))
                })
            })?;
        }
        Ok(self.reference(&record)?)
    }
}

fn said<E: std::fmt::Display>(error: Error<E>) -> String {
    error.to_string()
}

/// The document with the settings of a type.
pub(super) fn type_key(type_id: &str) -> String {
    format!("types/{type_id}")
}
