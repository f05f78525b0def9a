//! The calls to other members, and the registry of this group, as the model asks for them.

use crate::corba::member::{
    ApplyRaises, BeatRaises, FetchRaises, InstallRaises, JoinRaises, LeadRaises, LearnRaises,
    TransferRaises,
};
use crate::corba::{self, Member as _, MemberRef};
use crate::model::{
    Admission, Failure, MemberInfo, Peers, Position, Record, Refusal, Registry, Role, View, Welcome,
};
use crate::reference::GroupName;
use crate::registry::ViewRegistry;
use armilla::{Error, ExceptionKind, Orb, SystemException};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a whole state may take.
const TRANSFER: Duration = Duration::from_secs(30);

/// What is found where a member is said to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It answers.
    There,
    /// Nothing comes: it is slow, or accepts nobody.
    Silent,
    /// Nobody.
    Gone,
}

/// The others of a group.
pub(crate) struct World {
    pub(crate) orb: Orb,
    pub(crate) group: GroupName,
    pub(crate) registry: Arc<dyn ViewRegistry>,
    /// How long a backup has to take what it is told.
    pub(crate) patience: Duration,
    peers: Mutex<HashMap<String, MemberRef>>,
}

impl World {
    pub(crate) fn new(
        orb: &Orb,
        group: GroupName,
        registry: Arc<dyn ViewRegistry>,
        patience: Duration,
    ) -> Self {
        Self { orb: orb.clone(), group, registry, patience, peers: Mutex::default() }
    }

    /// Another member, as it is called.
    fn peer(&self, member: &MemberInfo) -> Result<MemberRef, SystemException> {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = peers.get(&member.peer) {
            return Ok(known.clone());
        }
        let made: MemberRef =
            self.orb.string_to_object(&member.peer)?.assume().with_timeout(self.patience);
        // A member that comes back has another reference; few are in use.
        if peers.len() > 64 {
            peers.clear();
        }
        peers.insert(member.peer.clone(), made.clone());
        Ok(made)
    }

    /// Tells all backups at once that the primary lives. Returns those that do not answer or are behind,
    /// and whether one knows a later view: the primary has another one by now, or there is another
    /// primary.
    pub(crate) fn beat(&self, view: &View) -> (Vec<String>, bool) {
        let asked: Vec<_> = view
            .members
            .iter()
            .skip(1)
            .map(|backup| (backup, self.peer(backup).map(|peer| peer.beat_async(view.version))))
            .collect();
        let (mut silent, mut is_deposed) = (Vec::new(), false);
        for (backup, answer) in asked {
            match answer.map_err(Error::System).and_then(armilla::ReplyFuture::wait) {
                Ok(()) => {}
                Err(Error::User(BeatRaises::Refused(it))) if it.view > view.version => {
                    is_deposed = true;
                }
                Err(_) => silent.push(backup.name.clone()),
            }
        }
        (silent, is_deposed)
    }

    /// Asks a member whether it lives.
    pub(crate) fn ask(&self, member: &MemberInfo, patience: Duration) -> Presence {
        match self.peer(member).and_then(|peer| peer.with_timeout(patience).is_alive()) {
            Err(exception) if is_gone(&exception) => Presence::Gone,
            Err(exception) if exception.kind() == ExceptionKind::Timeout => Presence::Silent,
            _ => Presence::There,
        }
    }

    /// Whether there is a member that has a state. One that does not answer in time may be slow.
    pub(crate) fn may_lead(&self, member: &MemberInfo, patience: Duration) -> bool {
        let asked = self.peer(member).and_then(|peer| peer.with_timeout(patience).get_status());
        asked.map_or_else(
            |exception| !is_gone(&exception),
            |status| status.role != Role::Newcomer.to_string(),
        )
    }

    /// Asks the primary for the state, and fetches it.
    pub(crate) fn learn(&self, primary: &MemberInfo, me: &MemberInfo) -> Result<Welcome, String> {
        let peer = self.peer(primary).map_err(|error| error.to_string())?.with_timeout(TRANSFER);
        let length = peer.learn(&me.name).map_err(|error| match error {
            Error::User(LearnRaises::Refused(it)) => it.why,
            Error::System(exception) => exception.to_string(),
        })?;
        let mut octets = Vec::new();
        while (octets.len() as u64) < length {
            let piece = peer.fetch(&me.name, octets.len() as u64).map_err(|error| match error {
                Error::User(FetchRaises::Refused(it)) => it.why,
                Error::System(exception) => exception.to_string(),
            })?;
            if piece.is_empty() {
                return Err("the primary gives a piece without octets".to_owned());
            }
            octets.extend(piece);
        }
        Welcome::from_octets(&octets).map_err(|error| format!("the state: {error}"))
    }

    /// Asks the primary to be a backup, as a newcomer that has come as far as `last`.
    pub(crate) fn join(
        &self,
        primary: &MemberInfo,
        me: &MemberInfo,
        last: Position,
    ) -> Result<Admission, Refusal> {
        let peer = self.peer(primary).map_err(|error| unreachable(&error))?;
        let joined = peer.join(&me.name, &me.object, &me.peer, &to_wire(last));
        let corba::Admission { view, records } = joined.map_err(|error| match error {
            Error::User(JoinRaises::Refused(it)) => Refusal::Refused(it.view, it.why),
            Error::User(JoinRaises::Behind(it)) => Refusal::Behind(position(&it.last)),
            Error::System(exception) => unreachable(&exception),
        })?;
        let records: Result<_, _> = records.iter().map(|it| Record::from_octets(it)).collect();
        let malformed = |error| Refusal::Unreachable(format!("a record: {error}"));
        Ok(Admission { view, records: records.map_err(malformed)? })
    }
}

fn is_gone(exception: &SystemException) -> bool {
    matches!(exception.kind(), ExceptionKind::CommFailure | ExceptionKind::Transient)
}

/// A position as the wire has it.
pub(crate) fn position(of: &corba::Position) -> Position {
    Position { view: of.view, number: of.number }
}

pub(crate) fn to_wire(position: Position) -> corba::Position {
    corba::Position { view: position.view, number: position.number }
}

fn unreachable(exception: &SystemException) -> Refusal {
    Refusal::Unreachable(exception.to_string())
}

impl Registry for World {
    fn read(&self) -> Result<Option<View>, Failure> {
        self.registry.read(&self.group)
    }

    fn replace(&self, before: u32, next: &View) -> Result<bool, Failure> {
        let replaced = self.registry.replace(&self.group, before, next);
        let members: Vec<_> = next.members.iter().map(|member| &*member.name).collect();
        tracing::info!(group = %self.group, view = next.version, ?members, ?replaced, "a new view");
        replaced
    }
}

impl Peers for World {
    fn apply(&self, to: &MemberInfo, view: u32, record: &Record) -> Result<(), Refusal> {
        let octets = record.to_octets().map_err(|error| Refusal::Unreachable(error.to_string()))?;
        let peer = self.peer(to).map_err(|error| unreachable(&error))?;
        peer.apply(view, &octets).map_err(|error| match error {
            Error::User(ApplyRaises::Refused(it)) => Refusal::Refused(it.view, it.why),
            Error::User(ApplyRaises::Behind(it)) => Refusal::Behind(position(&it.last)),
            Error::System(exception) => unreachable(&exception),
        })
    }

    fn install(&self, to: &MemberInfo, view: u32, last: Position) -> Result<(), Refusal> {
        let peer = self.peer(to).map_err(|error| unreachable(&error))?;
        peer.install(view, &to_wire(last)).map_err(|error| match error {
            Error::User(InstallRaises::Refused(it)) => Refusal::Refused(it.view, it.why),
            Error::User(InstallRaises::Behind(it)) => Refusal::Behind(position(&it.last)),
            Error::System(exception) => unreachable(&exception),
        })
    }

    fn lead(&self, to: &MemberInfo) -> Result<(), Refusal> {
        let peer = self.peer(to).map_err(|error| unreachable(&error))?;
        peer.lead().map_err(|error| match error {
            Error::User(LeadRaises::Refused(it)) => Refusal::Refused(it.view, it.why),
            Error::System(exception) => unreachable(&exception),
        })
    }

    fn transfer(&self, to: &MemberInfo, welcome: &Welcome) -> Result<(), Refusal> {
        let peer = self.peer(to).map_err(|error| unreachable(&error))?.with_timeout(TRANSFER);
        let Welcome { view, last, state, log } = welcome;
        peer.transfer(*view, &to_wire(*last), state, log).map_err(|error| match error {
            Error::User(TransferRaises::Refused(it)) => Refusal::Refused(it.view, it.why),
            Error::System(exception) => unreachable(&exception),
        })
    }
}
