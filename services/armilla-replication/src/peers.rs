//! The calls to other members, and the registry of this group, as the model asks for them.

use crate::clock;
use crate::corba::member::{
    ApplyRaises, BeatRaises, ConfirmRaises, FetchRaises, InstallRaises, JoinRaises, LeadRaises,
    LearnRaises, PartRaises, TransferRaises,
};
use crate::corba::{self, Member as _, MemberRef};
use crate::lessons::{joined, piece_size, split};
use crate::model::{
    Admission, Change, Clock, Failure, MemberInfo, Peers, Position, Record, Refusal, Registry,
    Role, View, Welcome,
};
use crate::pace::Pace;
use crate::reference::GroupName;
use crate::registry::ViewRegistry;
use armilla::{Error, ExceptionKind, Orb, ReplyFuture, SystemException};
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

/// What backups have said to a sign of life of the primary.
#[derive(Debug, Default)]
pub(crate) struct Beaten {
    /// Those that do not answer or are behind.
    pub(crate) silent: Vec<String>,
    /// Those that promise not to take over.
    pub(crate) promising: Vec<MemberInfo>,
    /// Whether one knows a later view: the primary has another one by now, or there is another primary.
    pub(crate) is_deposed: bool,
}

/// The others of a group.
pub(crate) struct World {
    pub(crate) orb: Orb,
    pub(crate) group: GroupName,
    pub(crate) registry: Arc<dyn ViewRegistry>,
    /// How long a backup has to take what it is told.
    pub(crate) patience: Duration,
    peers: Mutex<HashMap<String, MemberRef>>,
    pace: Pace,
}

impl World {
    pub(crate) fn new(
        orb: &Orb,
        group: GroupName,
        registry: Arc<dyn ViewRegistry>,
        patience: Duration,
    ) -> Self {
        let (peers, pace) = Default::default();
        Self { orb: orb.clone(), group, registry, patience, peers, pace }
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

    /// Tells all backups at once that the primary lives, and asks them to promise that they do not take
    /// over for so long.
    pub(crate) fn beat(&self, view: &View, promise: u64) -> Beaten {
        let beat = |peer: MemberRef| peer.beat_async(view.version, promise);
        let asked: Vec<_> = view
            .members
            .iter()
            .skip(1)
            .map(|backup| (backup, self.peer(backup).map(beat)))
            .collect();
        let mut beaten = Beaten::default();
        for (backup, answer) in asked {
            match answer.map_err(Error::System).and_then(ReplyFuture::wait) {
                Ok(true) => beaten.promising.push(backup.clone()),
                Ok(false) => {}
                Err(Error::User(BeatRaises::Refused(it))) if it.view > view.version => {
                    beaten.is_deposed = true;
                }
                Err(_) => beaten.silent.push(backup.name.clone()),
            }
        }
        beaten
    }

    /// The octets that one message has of something longer.
    pub(crate) fn piece(&self) -> usize {
        piece_size(self.orb.settings().max_message)
    }

    /// Tells a backup octets in parts, but for the last part, which may be told in a call. Returns that, and
    /// how many octets are before it.
    fn part<'o>(
        &self,
        to: &MemberInfo,
        view: u32,
        octets: &'o [u8],
    ) -> Result<(u64, &'o [u8]), Refusal> {
        let piece = self.piece();
        let before = octets.len().saturating_sub(1) / piece * piece;
        let (parts, last) = octets.split_at(before);
        for (number, part) in parts.chunks(piece).enumerate() {
            let peer = self.peer(to).map_err(|error| unreachable(&error))?;
            let told = peer.part(view, (number * piece) as u64, part);
            told.map_err(|error| match error {
                Error::User(PartRaises::Refused(it)) => Refusal::Refused(it.view, it.why),
                Error::System(exception) => unreachable(&exception),
            })?;
        }
        Ok((before as u64, last))
    }

    /// Fetches octets that a member keeps for another one.
    fn fetch(peer: &MemberRef, me: &MemberInfo, length: u64) -> Result<Vec<u8>, String> {
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
        Ok(octets)
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
        let octets = Self::fetch(&peer, me, length)?;
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
        let corba::Admission { view, mut records, length } =
            joined.map_err(|error| match error {
                Error::User(JoinRaises::Refused(it)) => Refusal::Refused(it.view, it.why),
                Error::User(JoinRaises::Behind(it)) => Refusal::Behind(position(&it.last)),
                Error::System(exception) => unreachable(&exception),
            })?;
        if length > 0 {
            let octets = Self::fetch(&peer, me, length).map_err(Refusal::Unreachable)?;
            let lost = || Refusal::Unreachable("the records are cut off".to_owned());
            records = split(&octets).ok_or_else(lost)?;
        }
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

/// Records as backups are told them.
struct Told {
    octets: Vec<u8>,
    /// How long the primary took to execute them.
    took: u64,
}

impl Told {
    fn of(records: &[Record]) -> Result<Self, Refusal> {
        let encoded: Result<Vec<_>, _> = records.iter().map(Record::to_octets).collect();
        let encoded = encoded.map_err(|error| Refusal::Unreachable(error.to_string()))?;
        let took = records.iter().map(|record| match &record.change {
            Change::Request(order) => order.took,
            _ => 0,
        });
        Ok(Self { octets: joined(&encoded), took: took.fold(0, u64::saturating_add) })
    }
}

fn refusal(error: Error<ApplyRaises>) -> Refusal {
    match error {
        Error::User(ApplyRaises::Refused(it)) => Refusal::Refused(it.view, it.why),
        Error::User(ApplyRaises::Behind(it)) => Refusal::Behind(position(&it.last)),
        Error::System(exception) => unreachable(&exception),
    }
}

impl World {
    /// Tells a backup records, but for the last part of them, and returns that with who takes it.
    fn tell_most<'t>(
        &self,
        to: &MemberInfo,
        view: u32,
        told: &'t Told,
    ) -> Result<(MemberRef, u64, &'t [u8]), Refusal> {
        let (before, last) = self.part(to, view, &told.octets)?;
        let mut peer = self.peer(to).map_err(|error| unreachable(&error))?;
        if told.took > 0 {
            // It executes the requests, which may take as long there, and some more.
            let slow = Duration::from_nanos(told.took.saturating_mul(4));
            peer = peer.with_timeout(self.patience + slow);
        }
        Ok((peer, before, last))
    }

    fn tell(&self, to: &MemberInfo, view: u32, told: &Told) -> Result<(), Refusal> {
        let (peer, before, last) = self.tell_most(to, view, told)?;
        peer.apply(view, before, last).map_err(refusal)
    }

    /// The same without waiting for the answer.
    fn begin_to_tell(
        &self,
        to: &MemberInfo,
        view: u32,
        told: &Told,
    ) -> Result<ReplyFuture<(), Error<ApplyRaises>>, Refusal> {
        let (peer, before, last) = self.tell_most(to, view, told)?;
        Ok(peer.apply_async(view, before, last))
    }
}

impl Peers for World {
    fn apply(&self, to: &MemberInfo, view: u32, records: &[Record]) -> Result<(), Refusal> {
        let told = Told::of(records)?;
        self.tell(to, view, &told)
    }

    fn apply_all(
        &self,
        to: &[MemberInfo],
        view: u32,
        records: &[Record],
    ) -> Vec<Result<(), Refusal>> {
        let told = match Told::of(records) {
            Ok(told) => told,
            Err(refusal) => return to.iter().map(|_| Err(refusal.clone())).collect(),
        };
        let begun = clock::elapsed();
        let side_by_side = self.pace.side_by_side() && to.len() > 1;
        let answers: Vec<_> = match side_by_side {
            true => {
                let begin = |backup| self.begin_to_tell(backup, view, &told);
                let asked: Vec<_> = to.iter().map(begin).collect();
                let wait = |told: ReplyFuture<_, _>| told.wait().map_err(refusal);
                asked.into_iter().map(|asked| asked.and_then(wait)).collect()
            }
            false => to.iter().map(|backup| self.tell(backup, view, &told)).collect(),
        };
        let took = clock::elapsed().saturating_sub(begun);
        self.pace.note(if side_by_side { took } else { took / to.len().max(1) as u64 });
        answers
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
        let octets = welcome.to_octets();
        let octets = octets.map_err(|error| Refusal::Unreachable(error.to_string()))?;
        let (before, last) = self.part(to, welcome.view, &octets)?;
        let peer = self.peer(to).map_err(|error| unreachable(&error))?.with_timeout(TRANSFER);
        peer.transfer(welcome.view, before, last).map_err(|error| match error {
            Error::User(TransferRaises::Refused(it)) => Refusal::Refused(it.view, it.why),
            Error::System(exception) => unreachable(&exception),
        })
    }

    fn confirm(&self, to: &MemberInfo, view: u32, promise: u64) -> Result<bool, Refusal> {
        let peer = self.peer(to).map_err(|error| unreachable(&error))?;
        peer.confirm(view, promise).map_err(|error| match error {
            Error::User(ConfirmRaises::Refused(it)) => Refusal::Refused(it.view, it.why),
            Error::System(exception) => unreachable(&exception),
        })
    }
}

impl Clock for World {
    fn elapsed(&self) -> u64 {
        clock::elapsed()
    }
}
