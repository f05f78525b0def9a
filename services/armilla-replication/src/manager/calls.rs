//! Calls of factories, members and managers.

use super::properties::{any_from_text, any_to_text, from_text, named};
use super::record::{GroupRecord, Made};
use super::settings::FactoryEntry;
use super::upkeep::{MakeFailure, Makers};
use crate::ft::generic_factory::CreateObjectRaises;
use crate::ft::{GenericFactory as _, GenericFactoryRef, PullMonitorable as _, PullMonitorableRef};
use crate::model::MemberInfo;
use crate::reference::GroupName;
use armilla::{Any, Error, ExceptionKind, Orb, ReplyFuture, SystemException};
use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

/// The criterion by which a factory learns for which group it makes a member: `DOMAIN/NUMBER`.
pub(super) const GROUP: &str = "org.armilla.ft.Group";
/// The criterion by which it learns the name of the member.
pub(super) const LOCATION: &str = "org.armilla.ft.Location";

/// The criterion by which it learns how the members of the group keep their state: a property of the group.
pub(super) const STYLE: &str = "org.omg.ft.ReplicationStyle";

/// How long a factory may take.
const MAKING: Duration = Duration::from_secs(10);

/// How long a member may take to join.
const JOINING: Duration = Duration::from_secs(10);

/// The factories of an ORB.
pub(super) struct Factories<'o> {
    orb: &'o Orb,
    domain: &'o str,
    /// When the wait for a member began.
    waiting: Cell<Option<Instant>>,
}

impl<'o> Factories<'o> {
    pub(super) const fn new(orb: &'o Orb, domain: &'o str) -> Self {
        Self { orb, domain, waiting: Cell::new(None) }
    }

    fn factory(&self, reference: &str) -> Result<GenericFactoryRef, SystemException> {
        let factory: GenericFactoryRef = self.orb.string_to_object(reference)?.assume();
        Ok(factory.with_timeout(MAKING))
    }
}

fn failed(error: impl std::fmt::Display) -> MakeFailure {
    MakeFailure::NotCreated(format!("the factory: {error}"))
}

impl Makers for Factories<'_> {
    fn make(
        &self,
        record: &GroupRecord,
        entry: &FactoryEntry,
        criteria: &str,
    ) -> Result<Made, MakeFailure> {
        self.waiting.set(None);
        let factory = self.factory(&entry.factory).map_err(failed)?;
        let group = GroupName::new(self.domain, record.number).to_string();
        let text = |text: &str| Any::new(text).map_err(failed);
        let mut all = from_text(&entry.criteria);
        all.extend(from_text(&record.criteria));
        all.extend(from_text(criteria));
        all.push(named(GROUP, text(&group)?));
        all.push(named(LOCATION, text(&entry.location)?));
        all.push(named(STYLE, Any::new(&record.settings.style()).map_err(failed)?));
        let made = factory.create_object(&record.type_id, &all);
        let (object, creation) = made.map_err(|error| match error {
            Error::User(CreateObjectRaises::NoFactory(_)) => MakeFailure::NoFactory,
            Error::User(CreateObjectRaises::InvalidCriteria(_)) => MakeFailure::Invalid,
            Error::User(CreateObjectRaises::InvalidProperty(_)) => MakeFailure::Invalid,
            Error::User(CreateObjectRaises::CannotMeetCriteria(_)) => MakeFailure::Unmet,
            error => failed(error),
        })?;
        if object.is_nil() {
            return Err(failed("it has returned a nil reference"));
        }
        Ok(Made {
            object: self.orb.object_to_string(&object).map_err(failed)?,
            factory: entry.factory.clone(),
            creation: any_to_text(&creation).map_err(failed)?,
        })
    }

    fn unmake(&self, made: &Made) -> bool {
        let Ok(factory) = self.factory(&made.factory) else { return true };
        match factory.delete_object(&any_from_text(&made.creation)) {
            Ok(()) | Err(Error::User(_)) => true,
            Err(Error::System(exception)) => is_death(&exception),
        }
    }

    fn wait(&self) -> bool {
        let begun = self.waiting.get().unwrap_or_else(Instant::now);
        self.waiting.set(Some(begun));
        thread::sleep(Duration::from_millis(20));
        begun.elapsed() < JOINING
    }
}

/// Whether an exception says that nobody is there, as against an answer of somebody.
pub(crate) fn is_death(exception: &SystemException) -> bool {
    matches!(
        exception.kind(),
        ExceptionKind::CommFailure
            | ExceptionKind::ObjectNotExist
            | ExceptionKind::Timeout
            | ExceptionKind::Transient
            | ExceptionKind::NoResponse
    )
}

/// A question to a member whether it is alive.
pub(super) struct Question(Option<ReplyFuture<bool>>);

impl Question {
    /// Asks a member, which has so long to answer.
    pub(super) fn ask(orb: &Orb, member: &MemberInfo, patience: Duration) -> Self {
        let text = if member.peer.is_empty() { &member.object } else { &member.peer };
        let asked = orb.string_to_object(text).ok().map(|object| {
            let object: PullMonitorableRef = object.assume();
            object.with_timeout(patience).is_alive_async()
        });
        Self(asked)
    }

    /// Whether it is. Whoever answers is alive, unless it says that it is not; also one that does not
    /// know the question.
    pub(super) fn says_yes(self) -> bool {
        match self.0.map(ReplyFuture::wait) {
            Some(Ok(alive)) => alive,
            Some(Err(exception)) => !is_death(&exception),
            None => false,
        }
    }
}
