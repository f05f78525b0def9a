//! Calls of participants: one after another, or side by side.

use super::helpers::Helpers;
use crate::model::{Action, Event, Key, Refusal};
use crate::resource::{Resource, ResourceError};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// What a participant is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Telling {
    Prepare,
    CommitOnePhase,
    Commit,
    Rollback,
}

/// A participant, if it was found, and what it is told.
pub(super) struct Call {
    pub(super) key: Key,
    pub(super) place: usize,
    pub(super) telling: Telling,
    pub(super) member: Result<Arc<dyn Resource>, ResourceError>,
    /// How long it may take if it goes to another process.
    pub(super) limit: Option<Duration>,
}

thread_local! {
    static LIMIT: Cell<Option<Duration>> = const { Cell::new(None) };
}

/// How long the call may take that this thread makes for the protocol.
pub(crate) fn call_limit() -> Option<Duration> {
    LIMIT.get()
}

/// Makes calls of the program, or to other processes, that may take so long.
pub(super) fn within<R>(limit: Option<Duration>, call: impl FnOnce() -> R) -> R {
    struct Before(Option<Duration>);
    impl Drop for Before {
        fn drop(&mut self) {
            LIMIT.set(self.0);
        }
    }
    let _before = Before(LIMIT.replace(limit));
    call()
}

impl Telling {
    /// The participant that an action tells something, and what.
    pub(super) const fn of(action: &Action) -> Option<(usize, Self)> {
        match action {
            Action::Prepare(place) => Some((*place, Self::Prepare)),
            Action::CommitOnePhase(place) => Some((*place, Self::CommitOnePhase)),
            Action::Commit(place) => Some((*place, Self::Commit)),
            Action::Rollback(place) => Some((*place, Self::Rollback)),
            _ => None,
        }
    }
}

impl Call {
    /// Makes the call, and returns its answer.
    pub(super) fn make(self) -> Event {
        let Self { key, place, telling, member, limit } = self;
        let refused = |error: ResourceError| {
            tracing::info!(%key, ?telling, %error, "a participant of a transaction refuses");
            error.refusal()
        };
        let told = |tell: fn(&dyn Resource) -> Result<(), ResourceError>| -> Result<(), Refusal> {
            member
                .clone()
                .and_then(|member| within(limit, || guarded(|| tell(&*member))))
                .map_err(refused)
        };
        match telling {
            Telling::Prepare => {
                let prepare = |member: Arc<dyn Resource>| guarded(|| member.prepare());
                let vote = member.clone().and_then(|member| within(limit, || prepare(member)));
                Event::Voted(place, vote.map_err(refused))
            }
            Telling::CommitOnePhase => Event::OnePhase(place, told(|it| it.commit_one_phase())),
            Telling::Commit => Event::Delivered(place, told(|it| it.commit())),
            Telling::Rollback => Event::Delivered(place, told(|it| it.rollback())),
        }
    }

    /// Makes several calls, side by side as far as helpers are free.
    pub(super) fn make_all(calls: Vec<Self>, helpers: &Arc<Helpers>) -> Vec<Event> {
        helpers.run(calls.into_iter().map(|call| move || call.make()).collect())
    }
}

/// Runs code of the program. A panic is a failure of the resource.
pub(super) fn guarded<R>(
    run: impl FnOnce() -> Result<R, ResourceError>,
) -> Result<R, ResourceError> {
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| Err(ResourceError::Failed("it has panicked".to_owned())))
}
