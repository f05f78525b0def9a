//! What operators see and decide.

use super::{Rights, Site};
use crate::corba::operator::{CommitRaises, ForgetRaises, RollbackRaises, ShowRaises};
use crate::corba::{
    Operator, ParticipantInfo, Refused, TransactionInfo, TransactionInfos, UnknownTransaction,
};
use crate::engine::{Engine, Entry};
use crate::error::DecideError;
use crate::model::{Decision, Progress, Reply};
use armilla::{Caller, Error, SystemException};
use std::sync::Arc;

pub(super) struct Operators {
    pub(super) site: Arc<Site>,
    pub(super) rights: Rights,
}

impl Operators {
    fn decide<E: From<UnknownTransaction> + From<Refused>>(
        &self,
        id: &str,
        decision: Decision,
    ) -> Result<(), Error<E>> {
        (self.rights)()?;
        decide(&self.site.engine, id, decision).map_err(|error| match error {
            DecideError::Unknown => Error::User(UnknownTransaction {}.into()),
            DecideError::Refused(status) => Error::User(Refused { status }.into()),
        })
    }
}

/// The only transaction whose number begins so.
fn find(engine: &Engine, id: &str) -> Option<Arc<Entry>> {
    let mut all = engine.all().into_iter();
    let mut fitting = all.by_ref().filter(|it| it.key.to_string().starts_with(id));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) if !id.is_empty() => Some(only),
        _ => None,
    }
}

/// Decides in place of whoever cannot.
pub(crate) fn decide(engine: &Engine, id: &str, decision: Decision) -> Result<(), DecideError> {
    let entry = find(engine, id).ok_or(DecideError::Unknown)?;
    let (key, status) = (entry.key, entry.status());
    let reply = engine.drive(&entry, decision.into());
    let operator = Caller::current();
    tracing::warn!(%key, %status, ?decision, ?reply, ?operator, "an operator has decided");
    match reply {
        Some(Reply::Done | Reply::Outcome(_)) => Ok(()),
        _ => Err(DecideError::Refused(entry.status().to_string())),
    }
}

/// A transaction, as operators see it.
pub(crate) fn info(entry: &Entry) -> TransactionInfo {
    let machine = entry.machine();
    let participants = machine.participants().iter().map(|it| ParticipantInfo {
        name: it.name().to_string(),
        progress: progress(it.progress()),
    });
    let within = entry.parent.as_ref().map(|parent| format!(", a part of {}", parent.key));
    TransactionInfo {
        id: entry.key.to_string(),
        global_id: entry.global.to_string(),
        status: match machine.is_stuck() {
            true => "unknown: its log could not be written; restart the server".to_owned(),
            false => format!("{}{}", machine.status(), within.unwrap_or_default()),
        },
        heuristic: machine.heuristic().map(|it| it.to_string()).unwrap_or_default(),
        is_subordinate: entry.subordinate,
        participants: participants.collect(),
    }
}

fn progress(progress: Progress) -> String {
    match progress {
        Progress::Registered => "registered".to_owned(),
        Progress::Asked => "asked for its vote".to_owned(),
        Progress::Prepared => "prepared".to_owned(),
        Progress::Telling { .. } => "being told".to_owned(),
        Progress::Waiting { attempts, .. } => format!("not reached {attempts} times"),
        Progress::Done => "done".to_owned(),
        Progress::Heuristic(what) => what.to_string(),
    }
}

impl Operator for Operators {
    fn list(&self) -> Result<TransactionInfos, SystemException> {
        Ok(self.site.engine.all().iter().map(|entry| info(entry)).collect())
    }

    fn show(&self, id: &str) -> Result<TransactionInfo, Error<ShowRaises>> {
        let found = find(&self.site.engine, id);
        Ok(info(&*found.ok_or_else(|| Error::User(UnknownTransaction {}.into()))?))
    }

    fn commit(&self, id: &str) -> Result<(), Error<CommitRaises>> {
        self.decide(id, Decision::Commit)
    }

    fn rollback(&self, id: &str) -> Result<(), Error<RollbackRaises>> {
        self.decide(id, Decision::Rollback)
    }

    fn forget(&self, id: &str) -> Result<(), Error<ForgetRaises>> {
        self.decide(id, Decision::Forget)
    }
}
