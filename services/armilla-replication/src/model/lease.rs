//! Reads that the primary answers alone.
//!
//! # What must stay true
//!
//! - A backup that has promised not to take over does not, until the time of its promise is over by its
//!   own clock, counted from when it promised. Only the primary itself may let it lead sooner.
//! - The primary relies on a promise for less time, by its own clock, counted from before it asked. The
//!   difference is what clocks may differ in rate: each by one part in twenty.
//! - It looks at its clock after it has read. So what it has read was true at some moment of the call,
//!   also if it was stopped meanwhile.
//! - It relies on promises only that were given in its view, by all backups of the view. Who may take
//!   over is in the latest view, and no view of another primary begins while a promise holds.

use super::member::{Member, Role, Served};
use super::promises::{Lease, Promises};
use super::view::MemberInfo;
use super::world::{Clock, Failure, Peers, Refusal, Registry, State};

impl<S: State> Member<S> {
    /// The member with promises that last so long, the same at all members.
    #[must_use]
    pub fn with_lease(mut self, lease: Lease) -> Self {
        self.promises.lease = lease;
        self
    }

    /// For how long backups are asked to promise; 0 if they are not.
    pub const fn asks_for(&self) -> u64 {
        if self.promises.lease.trust == 0 { 0 } else { self.promises.lease.promise }
    }

    /// How many reads it has answered alone, and how many after it had asked all backups.
    pub const fn reads(&self) -> (u64, u64) {
        self.promises.reads
    }

    /// A backup says that it is one in this view, and whether it promises not to take over for so long.
    ///
    /// # Errors
    /// It is none.
    pub fn promise(&mut self, view: u32, length: u64, now: u64) -> Result<bool, Refusal> {
        self.beat(view)?;
        let Promises { lease, own, withholds, .. } = &mut self.promises;
        if *withholds || length == 0 || length > lease.promise {
            return Ok(false);
        }
        *own = (*own).max(now.saturating_add(length));
        Ok(true)
    }

    /// A backup has lost patience, or has patience again. While it has none it makes no promises: it is
    /// to take over when those that it has made are over.
    pub const fn withhold(&mut self, is_impatient: bool) {
        self.promises.withholds = is_impatient;
    }

    /// Whether it has promised not to take over now.
    pub const fn is_bound(&self, now: u64) -> bool {
        now < self.promises.own
    }

    /// Backups have promised something after `asked`, when they were asked in this view.
    pub fn note_promises(&mut self, view: u32, asked: u64, by: &[MemberInfo]) {
        if self.role != Role::Primary || view != self.view.version {
            return;
        }
        let until = asked.saturating_add(self.promises.lease.trust);
        for backup in by {
            let known = self.promises.of_backups.entry(backup.name.clone()).or_default();
            *known = (*known).max(until);
        }
    }

    /// Whether nobody has taken over yet at this time.
    fn relies(&self, now: u64) -> bool {
        let backups = self.view.members.get(1..).unwrap_or_default();
        let until = |backup: &MemberInfo| self.promises.of_backups.get(&backup.name).copied();
        backups.iter().all(|backup| until(backup).is_some_and(|until| now < until))
    }

    /// Serves a request that changes nothing. All that was executed before is known to all backups.
    pub(super) fn read(
        &mut self,
        world: &(impl Registry + Peers + Clock),
        execute: impl FnOnce(&S) -> Option<(u32, Vec<u8>)>,
    ) -> Served {
        let reply = execute(&self.state);
        if self.relies(world.elapsed()) {
            self.promises.reads.0 += 1;
        } else {
            self.promises.reads.1 += 1;
            if let Err(failure) = self.ask_all(world) {
                return self.undecided(failure);
            }
        }
        reply.map_or(Served::Failed, |(status, body)| Served::Reply(status, body, false))
    }

    /// Asks all backups whether they still are. Those that do not say so leave the view.
    fn ask_all(&mut self, world: &(impl Registry + Peers + Clock)) -> Result<(), Failure> {
        for backup in self.backups() {
            if self.view.member(&backup.name).is_none() {
                continue;
            }
            let (view, asked) = (self.view.version, world.elapsed());
            match world.confirm(&backup, view, self.asks_for()) {
                Ok(true) => self.note_promises(view, asked, &[backup]),
                Ok(false) => {}
                Err(refusal) => self.after_telling(world, &backup, Err(refusal))?,
            }
        }
        Ok(())
    }
}
