//! What operators see of groups: who is in them, what they say, and how far they have come.

use crate::corba::{Member as _, MemberRef, Status};
use crate::documents::Documents;
use crate::ft::{PullMonitorable as _, PullMonitorableRef};
use crate::manager::{GroupRecord, Manager};
use crate::model::{Failure, MemberInfo, View};
use crate::reference::GroupName;
use crate::registry::ViewRegistry;
use armilla::{Orb, ReplyFuture};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How long a member has to answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// What a member says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// It does not answer.
    Nothing,
    /// It is there, and keeps no state with others.
    Alive,
    /// What it knows of itself.
    Status(Box<Status>),
}

/// A group.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) name: GroupName,
    pub(super) view: View,
    /// What the manager has written down, if it has made the group.
    pub(super) record: Option<GroupRecord>,
}

/// Where operators' pictures come from.
#[derive(Clone)]
pub(super) struct Pictures {
    orb: Orb,
    documents: Arc<dyn Documents>,
    pub(super) manager: Arc<Manager>,
}

enum Asked {
    Status(ReplyFuture<Status>),
    Alive(ReplyFuture<bool>),
    Nobody,
}

impl Pictures {
    pub(super) fn new(orb: &Orb, documents: &Arc<dyn Documents>, manager: &Arc<Manager>) -> Self {
        Self { orb: orb.clone(), documents: documents.clone(), manager: manager.clone() }
    }

    /// All groups of the registry: those of this domain with what the managers know.
    pub(super) fn groups(&self) -> Result<Vec<Group>, Failure> {
        let known = self.manager.groups()?.into_iter().map(|it| (it.record.number, it.record));
        let mut records: HashMap<u64, GroupRecord> = known.collect();
        let domain = self.manager.domain();
        let with_record = |(name, view): (GroupName, View)| {
            let record = (name.domain == domain).then(|| records.remove(&name.number)).flatten();
            Group { name, view, record }
        };
        let mut all: Vec<_> = self.documents.groups()?.into_iter().map(with_record).collect();
        let without_view = |(number, record)| {
            let (name, view) = (GroupName::new(domain, number), View::default());
            Group { name, view, record: Some(record) }
        };
        all.extend(records.into_iter().map(without_view));
        Ok(all)
    }

    fn ask(&self, member: &MemberInfo) -> Asked {
        let text = if member.peer.is_empty() { &member.object } else { &member.peer };
        let Ok(object) = self.orb.string_to_object(text) else { return Asked::Nobody };
        match member.peer.is_empty() {
            true => {
                let object: PullMonitorableRef = object.assume();
                Asked::Alive(object.with_timeout(PATIENCE).is_alive_async())
            }
            false => {
                let object: MemberRef = object.assume();
                Asked::Status(object.with_timeout(PATIENCE).get_status_async())
            }
        }
    }

    /// What the members of a group say, all asked at once.
    pub(super) fn ask_all(&self, view: &View) -> Vec<Said> {
        let asked: Vec<_> = view.members.iter().map(|member| self.ask(member)).collect();
        let said = |asked: Asked| match asked {
            Asked::Nobody => Said::Nothing,
            Asked::Status(answer) => {
                answer.wait().map_or(Said::Nothing, |status| Said::Status(Box::new(status)))
            }
            Asked::Alive(answer) => match answer.wait() {
                Ok(true) => Said::Alive,
                // An answer is one, whatever it says; but for those that tell of an absence.
                Err(exception) if !crate::manager::is_death(&exception) => Said::Alive,
                _ => Said::Nothing,
            },
        };
        asked.into_iter().map(said).collect()
    }
}

/// How many requests a member is behind the primary.
pub(super) fn lag(all: &[Said], at: usize) -> Option<u64> {
    let number = |said: Option<&Said>| match said {
        Some(Said::Status(status)) => Some(status.last.number),
        _ => None,
    };
    Some(number(all.first())?.saturating_sub(number(all.get(at))?))
}
