//! A member of a group: what it does with requests, with what other members say, and when they are
//! silent.
//!
//! # What must stay true
//!
//! - The primary replies when every backup of its view has what the request has changed, and the
//!   reply. A backup that does not take it leaves the view first, which the registry decides. So
//!   whoever is a member of the latest view has everything that was ever replied.
//! - A backup that takes over refuses the old primary from then on. The old one finds that out
//!   before it replies, because each request asks every backup. No clock decides who is the primary.
//! - What a deposed primary has executed and not replied, it forgets: it becomes a newcomer.
//! - Only reads are answered without asking, by the rules of `lease.rs`.

use super::disk::Disk;
use super::promises::Promises;
use super::recent::Recent;
use super::record::{Change, Position, Record};
use super::reply_log::{Limits, ReplyLog};
use super::view::{MemberInfo, View};
use super::world::{Failure, Peers, Refusal, Registry, State, Welcome};
use std::{fmt, slice};

/// How the members of a group keep the same state (`FT::ReplicationStyleValue`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[doc(alias = "ReplicationStyleValue")]
pub enum Style {
    /// Backups keep changes, and apply them when they take over: `COLD_PASSIVE`.
    #[doc(alias = "COLD_PASSIVE")]
    ColdPassive,
    /// Backups apply changes at once: `WARM_PASSIVE`.
    #[default]
    #[doc(alias = "WARM_PASSIVE")]
    WarmPassive,
    /// All members execute each request, in the order of the primary: `ACTIVE`. Servants must do the same
    /// when they are asked the same.
    ///
    /// **What a servant calls is called by every member.** A call of an object group is executed once all the
    /// same. A call of any other object, a file that is written, a mail that is sent: all of that happens once
    /// at each member, and once more when a member with a disk comes back whose servant has no
    /// [`update`](crate::Checkpointable::update). Make what is called a group, or use a passive style.
    ///
    /// On the disk of a member is each request, or what it has changed if the
    /// servant says that ([`update`](crate::Checkpointable::update)); of a request that has called a group,
    /// the whole state if it does not. A member that comes back executes the requests that it finds there.
    #[doc(alias = "ACTIVE")]
    Active,
}

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It has no state yet, or a state that nobody else has.
    Newcomer,
    /// It has the state of the primary.
    Backup,
    /// It executes requests.
    Primary,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Newcomer => "newcomer",
            Self::Backup => "backup",
            Self::Primary => "primary",
        })
    }
}

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Served {
    /// This is the reply: its status and its body. Whether it was in the log before.
    Reply(u32, Vec<u8>, bool),
    /// Another member is the primary; the request was not executed here.
    Elsewhere,
    /// The request has expired.
    Expired,
    /// There is no room for another reply.
    Full,
    /// The servant could not be called, or says nothing: what the ORB knows.
    Failed,
    /// The request was executed, and is not known to all members.
    Undecided(String),
}

/// The most changes that a cold backup keeps before it applies them.
const MOST_KEPT: usize = 1000;

/// A member of a group.
pub struct Member<S> {
    pub(super) me: MemberInfo,
    pub(super) style: Style,
    pub(super) state: S,
    pub(super) role: Role,
    pub(super) view: View,
    /// The version whose members `view` has: a backup first hears of the number of a view.
    known: u32,
    pub(super) last: Position,
    pub(super) log: ReplyLog,
    /// What was executed and is not known to all backups.
    pub(super) unsettled: Vec<Record>,
    /// Whether backups could not all be told of that.
    pub(super) is_stuck: bool,
    /// How often it has given up what it was.
    pub(super) reign: u64,
    /// Whether it has taken over, and not all backups have its history yet.
    pub(super) is_new: bool,
    /// What was executed lately.
    pub(super) recent: Recent,
    /// Whether a newcomer was given the state, and can ask to be a backup.
    pub(super) has_learned: bool,
    /// What a cold backup has not applied.
    pub(super) kept: Vec<Change>,
    pub(super) replayed: u64,
    /// How often it replied something else than the primary.
    pub(super) deviated: u64,
    pub(super) promises: Promises,
    pub(super) disk: Disk,
}

impl<S: State> Member<S> {
    /// A newcomer.
    pub fn new(me: MemberInfo, style: Style, limits: Limits, state: S) -> Self {
        Self {
            me,
            style,
            state,
            role: Role::Newcomer,
            view: View::default(),
            known: 0,
            last: Position::default(),
            log: ReplyLog::new(limits),
            unsettled: Vec::new(),
            is_stuck: false,
            reign: 0,
            is_new: false,
            recent: Recent::default(),
            has_learned: false,
            kept: Vec::new(),
            replayed: 0,
            deviated: 0,
            promises: Promises::default(),
            disk: Disk::default(),
        }
    }

    /// What it is.
    pub const fn role(&self) -> Role {
        self.role
    }

    /// The view that it knows of.
    pub const fn view(&self) -> &View {
        &self.view
    }

    /// The same if it knows the members of the latest view that it has heard of.
    pub fn known_view(&self) -> Option<&View> {
        (self.known == self.view.version).then_some(&self.view)
    }

    pub(super) fn set_view(&mut self, view: View) {
        if self.view.version != view.version {
            self.promises.forget();
        }
        self.known = view.version;
        self.view = view;
    }

    /// How others find it.
    pub const fn me(&self) -> &MemberInfo {
        &self.me
    }

    /// How far it has come.
    pub const fn last(&self) -> Position {
        self.last
    }

    /// The number of replies in its log, and of requests that were answered from it.
    pub fn logged(&self) -> (u64, u64) {
        (self.log.len() as u64, self.replayed)
    }

    /// How the members of its group keep the same state.
    pub const fn style(&self) -> Style {
        self.style
    }

    /// How often it had to leave the group because it replied something else than the primary.
    pub const fn deviated(&self) -> u64 {
        self.deviated
    }

    /// The state of the object.
    pub const fn state(&self) -> &S {
        &self.state
    }

    /// The members beside the primary.
    pub(super) fn backups(&self) -> Vec<MemberInfo> {
        self.view.members.get(1..).unwrap_or_default().to_vec()
    }

    /// Goes on after a backup was told something: one that is behind gets what it lacks, one that does
    /// not answer leaves the view.
    pub(super) fn after_telling(
        &mut self,
        world: &(impl Registry + Peers),
        backup: &MemberInfo,
        told: Result<(), Refusal>,
    ) -> Result<(), Failure> {
        let told = match told {
            Err(Refusal::Behind(last)) => self.bring_up(world, backup, last),
            told => told,
        };
        if told.is_ok() {
            return Ok(());
        }
        // If the backup refuses because it has taken over, the registry says so.
        self.change_view(world, None, |view| view.without(&backup.name))
    }

    /// Gives a backup what it lacks after `last`: a few records, or else the whole state.
    fn bring_up(
        &self,
        world: &impl Peers,
        backup: &MemberInfo,
        last: Position,
    ) -> Result<(), Refusal> {
        let version = self.view.version;
        match self.lacks(last) {
            Some(records) => {
                let mut all = records.iter().chain(&self.unsettled);
                all.try_for_each(|record| world.apply(backup, version, slice::from_ref(record)))
            }
            None => {
                let welcome = self.welcome().map_err(|Failure(why)| self.refusal(why))?;
                world.transfer(backup, &welcome)
            }
        }
    }

    /// Lets the registry decide on the next view, which `change` makes, and tells the backups, but for
    /// one that hears of it otherwise.
    pub(super) fn change_view(
        &mut self,
        world: &(impl Registry + Peers),
        untold: Option<&str>,
        change: impl Fn(&View) -> View,
    ) -> Result<(), Failure> {
        loop {
            let next = change(&self.view);
            let replaced = world.replace(self.view.version, &next);
            if replaced == Ok(true) {
                self.set_view(next);
                break;
            }
            // Whether it was done, the registry says when it is asked again.
            match world.read()? {
                // Only this member makes views of which it is the primary.
                Some(latest) if latest.primary() == Some(&self.me) => {
                    let is_done = latest.members == next.members;
                    let is_news = latest.version > self.view.version;
                    self.set_view(latest);
                    match is_done {
                        true => break,
                        false if is_news => {}
                        false => replaced.map(drop)?,
                    }
                }
                _ => {
                    self.retire();
                    return Err(Failure("another member has become the primary".into()));
                }
            }
        }
        // Whoever does not hear of the view now hears of it with the next record.
        for backup in self.backups().iter().filter(|it| Some(&*it.name) != untold) {
            let told = world.install(backup, self.view.version, self.settled());
            if let Err(Refusal::Behind(last)) = told {
                self.bring_up(world, backup, last).ok();
            }
        }
        Ok(())
    }

    /// The last position that backups have.
    pub(super) fn settled(&self) -> Position {
        match self.unsettled.first() {
            Some(first) => first.after,
            None => self.last,
        }
    }

    pub(super) fn welcome(&self) -> Result<Welcome, Failure> {
        let log = self.log.to_octets().map_err(|error| Failure(error.to_string()))?;
        let state = self.state.whole()?;
        Ok(Welcome { view: self.view.version, last: self.last, state, log })
    }

    /// Forgets that it was a member: what it has may differ from what others have.
    pub(super) fn retire(&mut self) {
        self.role = Role::Newcomer;
        self.reign += 1;
        self.is_stuck = false;
        self.part_from_disk();
        self.unsettled.clear();
        self.kept.clear();
        (self.has_learned, self.is_new) = (false, false);
        self.promises.forget();
    }

    /// A backup hears of records from the primary, some of which it may know.
    ///
    /// # Errors
    /// It is not one, or has another history.
    pub fn apply(&mut self, view: u32, records: Vec<Record>) -> Result<(), Refusal> {
        self.check(view)?;
        let known = records.iter().rposition(|record| record.position == self.last);
        let mut news = records.into_iter().skip(known.map_or(0, |place| place + 1));
        news.try_for_each(|record| self.follow(record, true))
    }

    /// Takes a record of the primary. The change is not made if one that follows has the whole state.
    ///
    /// # Errors
    /// It has another history, does not understand the record, or has a disk that has failed.
    pub(super) fn follow(&mut self, record: Record, makes: bool) -> Result<(), Refusal> {
        if record.after != self.last {
            return Err(Refusal::Behind(self.last));
        }
        let entry = match &record.change {
            Change::Request(order) => {
                let entry = self.execute(&record, order)?;
                let on_disk = self.keep_executed(&record, entry.as_ref());
                on_disk.map_err(|Failure(why)| self.refusal(why))?;
                entry
            }
            change => {
                let on_disk = self.keep_record(&record);
                on_disk.map_err(|Failure(why)| self.refusal(why))?;
                if makes {
                    self.take(change.clone())?;
                }
                record.entry.clone()
            }
        };
        self.last = record.position;
        entry.into_iter().for_each(|entry| self.log.insert(entry));
        self.recent.push(record);
        let on_disk = self.keep_less();
        on_disk.map_err(|Failure(why)| self.refusal(why))
    }

    /// Forgets the replies that have expired.
    pub fn expire(&mut self, now: u64) {
        self.log.expire(now);
    }

    fn take(&mut self, change: Change) -> Result<(), Refusal> {
        if self.style == Style::ColdPassive {
            if matches!(change, Change::State(_)) {
                self.kept.clear();
            }
            self.kept.push(change);
            return if self.kept.len() > MOST_KEPT { self.catch_up() } else { Ok(()) };
        }
        self.make(&change)
    }

    pub(super) fn make(&mut self, change: &Change) -> Result<(), Refusal> {
        self.state.make(change).map_err(|Failure(why)| {
            // Half of a change is worse than none.
            self.retire();
            Refusal::Refused(self.view.version, why)
        })
    }

    /// Applies what it has kept.
    pub(super) fn catch_up(&mut self) -> Result<(), Refusal> {
        let kept = std::mem::take(&mut self.kept);
        kept.iter().try_for_each(|change| self.make(change))
    }

    /// Checks that a call of the primary of `view` is for this member.
    fn check(&mut self, view: u32) -> Result<(), Refusal> {
        let refused = |why: &str| Refusal::Refused(self.view.version, why.to_owned());
        if view < self.view.version {
            return Err(refused("a newer view is in effect"));
        }
        match self.role {
            Role::Newcomer => Err(refused("it has no state")),
            Role::Primary if view == self.view.version => Err(refused("it is the primary")),
            // A primary that hears of a newer view was deposed.
            Role::Primary => {
                self.retire();
                Err(Refusal::Refused(self.view.version, "it was deposed".into()))
            }
            Role::Backup => {
                self.view.version = view;
                Ok(())
            }
        }
    }

    /// A backup hears that the primary lives.
    ///
    /// # Errors
    /// It is not one.
    pub fn beat(&mut self, view: u32) -> Result<(), Refusal> {
        self.check(view)
    }

    /// A backup hears of a new view, whose primary has come as far as `last`.
    ///
    /// # Errors
    /// It is not one, or has another history.
    pub fn install(&mut self, view: u32, last: Position) -> Result<(), Refusal> {
        self.check(view)?;
        if self.last == last { Ok(()) } else { Err(Refusal::Behind(self.last)) }
    }
}

impl<S> fmt::Debug for Member<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member")
            .field("name", &self.me.name)
            .field("role", &self.role)
            .field("view", &self.view.version)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}
