//! Lock sets as a state machine: no ORB, threads or clock. Requests and the time go in; what has
//! become of waits comes out by [`Locks::outcomes`].
//!
//! - A request is granted when no other holder excludes it, and nobody waits who came earlier and whom
//!   it excludes. So nobody is overtaken for ever.
//! - Who has locks that somebody waits for may have more in the same set, as if that one had come
//!   later: else both would wait for ever.
//! - Whenever somebody begins to wait, gets a lock or releases one, a circle of waits is looked for. The youngest
//!   holder on it is the victim.

mod deadlock;
mod mode;
mod set;

pub use mode::Mode;

use set::{Set, Wait};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::Duration;

/// The time since some beginning.
pub type Time = Duration;

/// A lock set, and the sets that it is related to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetId {
    /// What related sets have in common.
    pub group: u64,
    /// The set among them.
    pub set: u64,
}

/// Who has locks: a transaction, or a lock that nobody can be named for. Later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder(pub u64);

/// The number of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// What a request for a lock has led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The lock is held.
    Granted,
    /// What becomes of it is told later.
    Waits(Ticket),
}

/// Why there is no lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The holder does not have the lock that it would change or release.
    NotHeld,
    /// The holder has ended, or never was.
    Ended,
    /// The holder waited for others that waited for it, and is the one that had to give way.
    Deadlock,
    /// It has taken too long.
    TimedOut,
    /// There are too many locks and waits.
    TooMany,
}

/// What has become of a wait.
pub type Outcome = (Ticket, Result<(), Refusal>);

/// What is known of a holder.
#[derive(Debug, Default)]
struct Known {
    locks: usize,
    waits: BTreeMap<Ticket, SetId>,
    /// The sets in which it has locks.
    sets: BTreeSet<SetId>,
    /// Whether a deadlock ends it: it gets nothing more.
    is_transaction: bool,
    is_victim: bool,
}

/// All locks of a service.
#[derive(Debug)]
pub struct Locks {
    sets: HashMap<SetId, Set>,
    holders: HashMap<Holder, Known>,
    deadlines: BTreeSet<(Time, Ticket)>,
    /// In which set a ticket waits, and who.
    waits: HashMap<Ticket, (SetId, Holder)>,
    outcomes: VecDeque<Outcome>,
    victims: Vec<Holder>,
    next: u64,
    locks: usize,
    most: usize,
}

/// A lock or a wait, to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// In which set,
    pub set: SetId,
    /// whose,
    pub holder: Holder,
    /// and of which mode.
    pub mode: Mode,
    /// How many there are; 0 for a wait.
    pub count: u32,
    /// Since when it has waited.
    pub since: Option<Time>,
}

impl Locks {
    /// No locks. There can be so many locks and waits at most.
    pub fn new(most: usize) -> Self {
        Self {
            sets: HashMap::new(),
            holders: HashMap::new(),
            deadlines: BTreeSet::new(),
            waits: HashMap::new(),
            outcomes: VecDeque::new(),
            victims: Vec::new(),
            next: 1,
            locks: 0,
            most,
        }
    }

    /// A new holder: a transaction, which gets nothing more once it was a victim, or a lock of its
    /// own.
    pub fn begin(&mut self, is_transaction: bool) -> Holder {
        let holder = Holder(self.number());
        self.holders.insert(holder, Known { is_transaction, ..Known::default() });
        holder
    }

    /// A holder ends: its locks are released, and it waits for nothing any more.
    pub fn end(&mut self, holder: Holder) {
        let Some(known) = self.holders.get(&holder) else { return };
        let waits: Vec<_> = known.waits.keys().copied().collect();
        waits.into_iter().for_each(|ticket| self.stop(ticket, Refusal::Ended));
        self.drop_locks(holder, None);
        self.holders.remove(&holder);
    }

    /// Asks for a lock, to be had until `deadline`.
    ///
    /// # Errors
    /// [`Ended`](Refusal::Ended), [`Deadlock`](Refusal::Deadlock) for who was a victim before,
    /// [`TooMany`](Refusal::TooMany).
    pub fn lock(
        &mut self,
        set: SetId,
        holder: Holder,
        mode: Mode,
        now: Time,
        deadline: Option<Time>,
    ) -> Result<Asked, Refusal> {
        self.admit(holder)?;
        Ok(self
            .ask(set, Wait { ticket: Ticket(0), holder, mode, gives: None, since: now, deadline }))
    }

    /// Asks for a lock that can be had at once. Returns whether it is held.
    ///
    /// # Errors
    /// As [`lock`](Self::lock).
    pub fn try_lock(&mut self, set: SetId, holder: Holder, mode: Mode) -> Result<bool, Refusal> {
        self.admit(holder)?;
        let may = self.sets.get(&set).is_none_or(|it| it.may_have(holder, mode, it.queue()));
        if may {
            self.hold(set, holder, mode);
            self.break_circles(holder);
        }
        Ok(may)
    }

    /// Asks to have another lock in place of one that is held.
    ///
    /// # Errors
    /// [`NotHeld`](Refusal::NotHeld), and as [`lock`](Self::lock).
    pub fn change_mode(
        &mut self,
        set: SetId,
        holder: Holder,
        (held, mode): (Mode, Mode),
        now: Time,
        deadline: Option<Time>,
    ) -> Result<Asked, Refusal> {
        self.admit(holder)?;
        let known = self.sets.get(&set);
        let given = |it: &Set| {
            let gives = |wait: &&Wait| wait.holder == holder && wait.gives == Some(held);
            it.queue().iter().filter(gives).count()
        };
        if known.is_none_or(|it| it.held_by(holder).of(held) as usize <= given(it)) {
            return Err(Refusal::NotHeld);
        }
        let gives = Some(held);
        Ok(self.ask(set, Wait { ticket: Ticket(0), holder, mode, gives, since: now, deadline }))
    }

    /// Releases one lock.
    ///
    /// # Errors
    /// [`NotHeld`](Refusal::NotHeld).
    pub fn unlock(&mut self, set: SetId, holder: Holder, mode: Mode) -> Result<(), Refusal> {
        let taken = self.sets.get_mut(&set).is_some_and(|it| it.take(holder, mode));
        if !taken {
            return Err(Refusal::NotHeld);
        }
        self.count_down(set, holder, 1);
        let left_over = self.sets.get(&set).and_then(|it| it.without_lock(holder, mode));
        if let Some(ticket) = left_over {
            self.stop(ticket, Refusal::NotHeld);
        }
        self.settle(set);
        // It may have to wait now for who waited for this lock.
        self.break_circles(holder);
        Ok(())
    }

    /// Releases the locks that a holder has in the sets of a group, or in all. What it waits for it
    /// goes on to wait for, unless it would give a lock for it.
    pub fn drop_locks(&mut self, holder: Holder, group: Option<u64>) {
        let Some(known) = self.holders.get(&holder) else { return };
        let within = |set: &&SetId| group.is_none_or(|group| set.group == group);
        let sets: Vec<_> = known.sets.iter().filter(within).copied().collect();
        for set in sets {
            let Some(it) = self.sets.get_mut(&set) else { continue };
            let count = it.take_all(holder);
            let gives = |wait: &&Wait| wait.holder == holder && wait.gives.is_some();
            let gives: Vec<_> = it.queue().iter().filter(gives).map(|wait| wait.ticket).collect();
            self.count_down(set, holder, count);
            gives.into_iter().for_each(|ticket| self.stop(ticket, Refusal::NotHeld));
            self.settle(set);
        }
        self.break_circles(holder);
    }

    /// Nobody waits for this any more.
    pub fn cancel(&mut self, ticket: Ticket) {
        self.remove_wait(ticket, None);
    }

    /// When [`expire`](Self::expire) has something to do.
    pub fn next_deadline(&self) -> Option<Time> {
        self.deadlines.first().map(|(time, _)| *time)
    }

    /// Ends the waits whose time is up.
    pub fn expire(&mut self, now: Time) {
        while let Some((deadline, ticket)) = self.deadlines.first().copied()
            && deadline <= now
        {
            self.stop(ticket, Refusal::TimedOut);
        }
    }

    /// What has become of waits since this was asked the last time.
    pub fn outcomes(&mut self) -> Vec<Outcome> {
        self.outcomes.drain(..).collect()
    }

    /// The holders that have become victims of deadlocks since this was asked the last time.
    pub fn victims(&mut self) -> Vec<Holder> {
        std::mem::take(&mut self.victims)
    }

    /// Whether a holder has no locks and waits for none.
    pub fn is_idle(&self, holder: Holder) -> bool {
        self.holders.get(&holder).is_none_or(|known| known.locks == 0 && known.waits.is_empty())
    }

    /// How many of this mode a holder has in a set.
    pub fn count(&self, set: SetId, holder: Holder, mode: Mode) -> u32 {
        self.sets.get(&set).map_or(0, |it| it.held_by(holder).of(mode))
    }

    /// How many locks are held, how many requests wait, and how many sets have either.
    pub fn totals(&self) -> (usize, usize, usize) {
        (self.locks, self.waits.len(), self.sets.len())
    }

    /// All locks and waits.
    pub fn show(&self) -> Vec<Shown> {
        let mut shown = Vec::new();
        for (set, it) in &self.sets {
            for (holder, counts) in it.held() {
                let one = |(mode, count)| Shown { set: *set, holder, mode, count, since: None };
                shown.extend(counts.iter().map(one));
            }
            shown.extend(it.queue().iter().map(|wait| Shown {
                set: *set,
                holder: wait.holder,
                mode: wait.mode,
                count: 0,
                since: Some(wait.since),
            }));
        }
        shown.sort_by_key(|it| (it.set, it.since, it.holder, it.mode));
        shown
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn admit(&self, holder: Holder) -> Result<(), Refusal> {
        match self.holders.get(&holder) {
            None => Err(Refusal::Ended),
            Some(known) if known.is_victim => Err(Refusal::Deadlock),
            Some(_) if self.locks + self.waits.len() >= self.most => Err(Refusal::TooMany),
            Some(_) => Ok(()),
        }
    }

    fn ask(&mut self, set: SetId, wait: Wait) -> Asked {
        let ticket = Ticket(self.number());
        let (holder, deadline) = (wait.holder, wait.deadline);
        self.sets.entry(set).or_default().push(Wait { ticket, ..wait });
        self.waits.insert(ticket, (set, holder));
        self.holders.entry(holder).or_default().waits.insert(ticket, set);
        self.deadlines.extend(deadline.map(|deadline| (deadline, ticket)));
        self.settle(set);
        // What is granted at once is told by the result.
        let at_once = self.outcomes.iter().position(|it| *it == (ticket, Ok(())));
        if let Some(place) = at_once {
            self.outcomes.remove(place);
            return Asked::Granted;
        }
        self.break_circles(holder);
        Asked::Waits(ticket)
    }

    fn hold(&mut self, set: SetId, holder: Holder, mode: Mode) {
        self.sets.entry(set).or_default().add(holder, mode);
        self.count_up(set, holder);
    }

    fn count_up(&mut self, set: SetId, holder: Holder) {
        let known = self.holders.entry(holder).or_default();
        known.locks += 1;
        known.sets.insert(set);
        self.locks += 1;
    }

    fn count_down(&mut self, set: SetId, holder: Holder, count: usize) {
        self.locks -= count;
        let has_none = self.sets.get(&set).is_none_or(|it| it.held_by(holder).is_empty());
        if let Some(known) = self.holders.get_mut(&holder) {
            known.locks -= count;
            if has_none {
                known.sets.remove(&set);
            }
        }
    }

    /// Grants what can be granted in a set.
    fn settle(&mut self, set: SetId) {
        while let Some(wait) = self.sets.get_mut(&set).and_then(Set::grant_next) {
            self.forget_wait(&wait);
            if wait.gives.is_none() {
                self.count_up(set, wait.holder);
            }
            self.outcomes.push_back((wait.ticket, Ok(())));
            self.break_circles(wait.holder);
        }
        if self.sets.get(&set).is_some_and(Set::is_empty) {
            self.sets.remove(&set);
        }
    }

    fn forget_wait(&mut self, wait: &Wait) {
        self.waits.remove(&wait.ticket);
        if let Some(deadline) = wait.deadline {
            self.deadlines.remove(&(deadline, wait.ticket));
        }
        if let Some(known) = self.holders.get_mut(&wait.holder) {
            known.waits.remove(&wait.ticket);
        }
    }

    /// Ends a wait without a lock.
    fn stop(&mut self, ticket: Ticket, why: Refusal) {
        self.remove_wait(ticket, Some(why));
    }

    fn remove_wait(&mut self, ticket: Ticket, why: Option<Refusal>) {
        let Some((set, _)) = self.waits.get(&ticket).copied() else { return };
        let taken = self.sets.get_mut(&set).and_then(|it| it.take_wait(ticket));
        taken.iter().for_each(|wait| self.forget_wait(wait));
        self.outcomes.extend(why.map(|why| (ticket, Err(why))));
        // Others may have waited behind it.
        self.settle(set);
    }

    /// Breaks all circles through a holder: those that a lock or a wait of it has closed.
    fn break_circles(&mut self, holder: Holder) {
        while let Some(circle) = self.circle(holder) {
            let Some((victim, ticket)) = circle.into_iter().max() else { return };
            self.victims.push(victim);
            let known = self.holders.get_mut(&victim);
            let is_over = known.is_some_and(|known| {
                known.is_victim = known.is_transaction;
                known.is_transaction
            });
            let all = self.holders.get(&victim).map(|known| known.waits.keys().copied().collect());
            let ends: Vec<Ticket> = if is_over { all.unwrap_or_default() } else { vec![ticket] };
            ends.into_iter().for_each(|ticket| self.stop(ticket, Refusal::Deadlock));
        }
    }
}
