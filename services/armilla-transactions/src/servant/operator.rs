//! What operators see and decide.

use super::{Rights, Site};
use crate::corba::operator::{CommitRaises, ForgetRaises, RollbackRaises, ShowRaises};
use crate::corba::{
    Operator, ParticipantInfo, Refused, TransactionInfo, TransactionInfos, UnknownTransaction,
};
use crate::engine::Entry;
use crate::model::{Event, Progress, Reply};
use armilla::{Error, SystemException};
use std::sync::Arc;

pub(super) struct Operators {
    pub(super) site: Arc<Site>,
    pub(super) rights: Rights,
}

impl Operators {
    /// The only transaction whose number begins so.
    fn find(&self, id: &str) -> Result<Arc<Entry>, UnknownTransaction> {
        let mut all = self.site.engine.all().into_iter();
        let mut fitting = all.by_ref().filter(|it| it.key.to_string().starts_with(id));
        match (fitting.next(), fitting.next()) {
            (Some(only), None) if !id.is_empty() => Ok(only),
            _ => Err(UnknownTransaction {}),
        }
    }

    fn decide<E: From<UnknownTransaction> + From<Refused>>(
        &self,
        id: &str,
        event: Event,
    ) -> Result<(), Error<E>> {
        (self.rights)()?;
        let entry = self.find(id).map_err(|unknown| Error::User(unknown.into()))?;
        let (key, status) = (entry.key, entry.status());
        let reply = self.site.engine.drive(&entry, event.clone());
        tracing::warn!(%key, %status, ?event, ?reply, "an operator has decided");
        match reply {
            Some(Reply::Done | Reply::Outcome(_)) => Ok(()),
            _ => Err(Error::User(Refused { status: entry.status().to_string() }.into())),
        }
    }
}

/// A transaction, as operators see it.
pub(crate) fn info(entry: &Entry) -> TransactionInfo {
    let machine = entry.machine();
    let participants = machine.participants().iter().map(|it| ParticipantInfo {
        name: it.name().to_string(),
        progress: progress(it.progress()),
    });
    TransactionInfo {
        id: entry.key.to_string(),
        global_id: entry.global.to_string(),
        status: match machine.is_stuck() {
            true => "unknown: its log could not be written; restart the server".to_owned(),
            false => machine.status().to_string(),
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
        Ok(info(&*self.find(id).map_err(|unknown| Error::User(unknown.into()))?))
    }

    fn commit(&self, id: &str) -> Result<(), Error<CommitRaises>> {
        self.decide(id, Event::Decide { commit: true })
    }

    fn rollback(&self, id: &str) -> Result<(), Error<RollbackRaises>> {
        self.decide(id, Event::Decide { commit: false })
    }

    fn forget(&self, id: &str) -> Result<(), Error<ForgetRaises>> {
        self.decide(id, Event::Abandon)
    }
}
