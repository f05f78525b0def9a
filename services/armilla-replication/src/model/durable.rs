//! A member with a disk: when it writes what, and how it comes back.

use super::history::{History, Journal, Kept};
use super::member::{Member, Role};
use super::record::{Change, Entry, Position, Record};
use super::view::{MemberInfo, View};
use super::world::{Failure, State, Welcome};

/// How many records may follow a checkpoint before another one is written.
const MOST_RECORDS: u32 = 10_000;

/// Why a history cannot be gone on with.
const DEVIATES: &str = "the replies to the requests on the disk are others when they are executed again; \
    without the directory the member joins as a newcomer";

impl<S: State> Member<S> {
    /// The member with a disk, on which this was found `now`, by its clock. It can come back as what it was,
    /// if the latest view has it.
    ///
    /// # Errors
    /// The object does not take the state that was found, or replies something else to the requests that
    /// follow it.
    pub fn with_disk(
        mut self,
        journal: Box<dyn Journal>,
        found: Option<History>,
        now: u64,
    ) -> Result<Self, Failure> {
        self.disk.journal = Some(journal);
        let Some(History { identities, welcome, records }) = found else { return Ok(self) };
        // A founder that has executed nothing has no state that could be given.
        if welcome.last != Position::default() {
            self.state.make(&Change::State(welcome.state))?;
            let replaced = self.log.replace(&welcome.log);
            replaced.map_err(|error| Failure(format!("the replies on the disk: {error}")))?;
        }
        self.last = welcome.last;
        for record in records {
            let entry = match &record.change {
                Change::Request(order) => {
                    let executed = self.execute(&record, order);
                    executed.map_err(|_| Failure(DEVIATES.to_owned()))?
                }
                change => {
                    self.state.make(change)?;
                    record.entry.clone()
                }
            };
            self.last = record.position;
            entry.into_iter().for_each(|entry| self.log.insert(entry));
            self.disk.records += 1;
        }
        self.disk.identities = identities;
        self.disk.may_return = true;
        self.promises.begin(now);
        Ok(self)
    }

    /// Writes, if the member has a disk. After a failure it is no member any more, and does not become
    /// one: what it has written is not known.
    pub(super) fn keep(&mut self, kept: &Kept) -> Result<(), Failure> {
        let Some(journal) = &self.disk.journal else { return Ok(()) };
        let done = match self.disk.has_failed {
            true => Err(Failure("the disk of the member has failed; restart it".into())),
            false => journal.keep(kept),
        };
        if done.is_err() {
            self.disk.has_failed = true;
            self.retire();
        }
        done
    }

    /// Writes a record.
    pub(super) fn keep_record(&mut self, record: &Record) -> Result<(), Failure> {
        if self.disk.journal.is_none() {
            return Ok(());
        }
        self.disk.records += 1;
        self.keep(&Kept::Record(record.clone()))
    }

    /// What is written in the place of a request that was executed, if it must not be executed again.
    ///
    /// # Errors
    /// The object cannot say.
    pub(super) fn change_to_keep(&self, told: &Change) -> Result<Option<Change>, Failure> {
        match told {
            Change::Request(_) if self.disk.journal.is_some() => self.state.change_to_keep(),
            _ => Ok(None),
        }
    }

    /// Writes a record whose request was executed as the primary has done, with this entry for the log.
    pub(super) fn keep_executed(
        &mut self,
        record: &Record,
        entry: Option<&Entry>,
    ) -> Result<(), Failure> {
        // What was executed and cannot be written would be lost without a trace.
        let instead = self.change_to_keep(&record.change).inspect_err(|_| self.retire())?;
        match instead {
            Some(change) => {
                let (after, position) = (record.after, record.position);
                self.keep_record(&Record { after, position, entry: entry.cloned(), change })
            }
            None => self.keep_record(record),
        }
    }

    /// From time to time writes all of the state, which has what was written before.
    pub(super) fn keep_less(&mut self) -> Result<(), Failure> {
        if self.disk.records < MOST_RECORDS {
            return Ok(());
        }
        self.catch_up().map_err(|_| Failure("the state cannot be brought up to date".into()))?;
        self.keep_all(self.disk.identities.clone())
    }

    /// What it has in memory is not what its disk says any more.
    pub(super) fn part_from_disk(&mut self) {
        self.disk.may_return = false;
    }

    fn keep_all(&mut self, identities: Vec<MemberInfo>) -> Result<(), Failure> {
        let welcome = self.welcome()?;
        self.keep_welcome(identities, welcome)
    }

    /// Writes a state, which belongs to these identities.
    pub(super) fn keep_welcome(
        &mut self,
        identities: Vec<MemberInfo>,
        welcome: Welcome,
    ) -> Result<(), Failure> {
        if self.disk.journal.is_none() {
            return Ok(());
        }
        self.disk.identities.clone_from(&identities);
        self.disk.records = 0;
        self.keep(&Kept::Checkpoint(identities, welcome))
    }

    /// Writes that it founds the group.
    pub(super) fn keep_founding(&mut self) -> Result<(), Failure> {
        match self.disk.journal.is_some() {
            true => self.keep_all(vec![self.me.clone()]),
            false => Ok(()),
        }
    }

    /// The view in which it is back, if what it has on its disk is all that was ever replied: the latest
    /// view has it as it was.
    pub(super) fn view_to_return(&self, latest: &View) -> Option<View> {
        let known = latest.member(&self.me.name)?;
        let is_its_own = self.disk.may_return && self.disk.identities.contains(known);
        if self.role != Role::Newcomer || !is_its_own || self.disk.has_failed {
            return None;
        }
        // As if it took over: the old primary is gone.
        let mut next = latest.taken_over_by(&self.me.name);
        next.members.retain(|member| member.name != self.me.name);
        next.members.insert(0, self.me.clone());
        Some(next)
    }

    /// Writes that its history belongs to it as it is now, too.
    pub(super) fn keep_identity(&mut self) -> Result<(), Failure> {
        if self.disk.identities.contains(&self.me) {
            return Ok(());
        }
        self.disk.identities.push(self.me.clone());
        self.keep(&Kept::Identity(self.me.clone()))
    }

    /// Whether it could come back as what it was: it has a history.
    pub fn has_history(&self) -> bool {
        self.role == Role::Newcomer && self.disk.may_return
    }
}
