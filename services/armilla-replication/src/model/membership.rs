//! Members that come and go. A newcomer first takes the state while the group goes on without it, which
//! may take long; then it takes what was executed meanwhile, and is a backup.

use super::member::{Member, Role};
use super::recent::Recent;
use super::record::{Change, Position, Record};
use super::view::MemberInfo;
use super::world::{Failure, Peers, Refusal, Registry, State, Welcome};

/// What makes a newcomer a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admission {
    /// The version of the view that has it; 0 if it lacks more than these records, and is in none.
    pub view: u32,
    /// What was executed since it was given the state.
    pub records: Vec<Record>,
}

/// The octets of the records that one message has, about.
const AT_ONCE: usize = 1 << 20;

impl<S: State> Member<S> {
    /// The primary gives a newcomer the state. The newcomer is no member before it is
    /// [admitted](Self::admit), nor is one that died under its name.
    ///
    /// # Errors
    /// It is not the primary, or the registry does not answer.
    pub fn teach(
        &mut self,
        world: &(impl Registry + Peers),
        name: &str,
    ) -> Result<Welcome, Refusal> {
        self.check_newcomer(name)?;
        let settled = self.settle(world).and_then(|()| match self.view.member(name) {
            Some(_) => self.change_view(world, None, |view| view.without(name)),
            None => Ok(()),
        });
        let welcome = settled.and_then(|()| self.welcome());
        let welcome = welcome.map_err(|Failure(why)| self.refusal(why))?;
        self.recent.hold(name);
        Ok(welcome)
    }

    /// The primary makes a newcomer a backup that has been [given the state](Self::teach), and has come
    /// as far as `last`.
    ///
    /// # Errors
    /// It is not the primary, has more to tell than it remembers, or the registry does not answer.
    pub fn admit(
        &mut self,
        world: &(impl Registry + Peers),
        newcomer: &MemberInfo,
        last: Position,
    ) -> Result<Admission, Refusal> {
        self.check_newcomer(&newcomer.name)?;
        self.settle(world).map_err(|Failure(why)| self.refusal(why))?;
        let lacks = match last == self.last {
            true => Vec::new(),
            false => {
                let all = self.recent.since(last).ok_or(Refusal::Behind(self.last))?;
                match Recent::first_of(all, AT_ONCE) {
                    (lacks, true) => lacks,
                    (records, false) => return Ok(Admission { view: 0, records }),
                }
            }
        };
        // The newcomer has what it lacks when this returns, and hears nothing before.
        let changed =
            self.change_view(world, Some(&newcomer.name), |view| view.with(newcomer.clone()));
        changed.map_err(|Failure(why)| self.refusal(why))?;
        self.recent.release(&newcomer.name);
        Ok(Admission { view: self.view.version, records: lacks })
    }

    fn check_newcomer(&self, name: &str) -> Result<(), Refusal> {
        if self.role != Role::Primary {
            return Err(self.refusal("it is not the primary".into()));
        }
        if name == self.me.name {
            return Err(self.refusal("the primary has the same name".into()));
        }
        Ok(())
    }

    pub(super) fn refusal(&self, why: String) -> Refusal {
        Refusal::Refused(self.view.version, why)
    }

    /// What a member lacks that has come as far as `last`; `None` if that is not remembered.
    pub(super) fn lacks(&self, last: Position) -> Option<Vec<Record>> {
        match last == self.last {
            true => Some(Vec::new()),
            false => Some(self.recent.since(last)?.cloned().collect()),
        }
    }

    /// How far a newcomer has come that was given the state and can ask to be a backup.
    pub fn learned(&self) -> Option<Position> {
        self.has_learned.then_some(self.last)
    }

    /// A newcomer takes the state. It is no backup yet.
    ///
    /// # Errors
    /// It is no newcomer, does not understand the state, or has a disk that has failed.
    pub fn learn(&mut self, welcome: &Welcome) -> Result<(), Refusal> {
        if self.role != Role::Newcomer {
            return Err(self.refusal("it has a state".into()));
        }
        // The history on the disk belongs to nobody before it is whole.
        self.take_welcome(welcome, Vec::new())?;
        self.has_learned = true;
        Ok(())
    }

    /// A newcomer becomes a backup, or comes nearer to that.
    ///
    /// # Errors
    /// It knows a newer view, has another history, or does not understand what it is told: it has to
    /// take the state again.
    pub fn join(&mut self, admission: Admission) -> Result<(), Refusal> {
        let is_admitted = admission.view != 0;
        let is_late = is_admitted && admission.view < self.view.version;
        if !std::mem::take(&mut self.has_learned) || is_late {
            return Err(self.refusal("a newer view is in effect".into()));
        }
        let is_whole = |record: &Record| matches!(record.change, Change::State(_));
        let overtaken = admission.records.iter().rposition(is_whole).unwrap_or(0);
        for (place, record) in admission.records.into_iter().enumerate() {
            self.follow(record, place >= overtaken)?;
        }
        if !is_admitted {
            self.has_learned = true;
            return Ok(());
        }
        let on_disk = self.keep_identity();
        on_disk.map_err(|Failure(why)| self.refusal(why))?;
        self.view.version = admission.view;
        self.become_backup();
        Ok(())
    }

    /// A newcomer must begin anew: the group has gone on for too long.
    pub fn unlearn(&mut self) {
        self.has_learned = false;
    }

    /// Takes the whole state of the primary, at once.
    ///
    /// # Errors
    /// It knows a newer view, or does not understand the state.
    pub fn transfer(&mut self, welcome: &Welcome) -> Result<(), Refusal> {
        let is_primary = self.role == Role::Primary && welcome.view == self.view.version;
        if welcome.view < self.view.version || is_primary {
            return Err(self.refusal("a newer view is in effect".into()));
        }
        self.take_welcome(welcome, vec![self.me.clone()])?;
        self.view.version = welcome.view;
        self.become_backup();
        Ok(())
    }

    fn become_backup(&mut self) {
        (self.role, self.unsettled, self.has_learned) = (Role::Backup, Vec::new(), false);
    }

    fn take_welcome(
        &mut self,
        welcome: &Welcome,
        identities: Vec<MemberInfo>,
    ) -> Result<(), Refusal> {
        self.kept.clear();
        self.recent.clear();
        self.make(&Change::State(welcome.state.clone()))?;
        let replaced = self.log.replace(&welcome.log);
        replaced.map_err(|error| self.refusal(error.to_string()))?;
        let on_disk = self.keep_welcome(identities, welcome.clone());
        on_disk.map_err(|Failure(why)| self.refusal(why))?;
        self.last = welcome.last;
        Ok(())
    }

    /// The primary takes a member out: an operator says so, or it was silent for too long.
    ///
    /// # Errors
    /// It is not the primary, there is no such backup, or the registry does not answer.
    pub fn dismiss(&mut self, world: &(impl Registry + Peers), name: &str) -> Result<(), Failure> {
        if self.role != Role::Primary {
            return Err(Failure("it is not the primary".into()));
        }
        if self.view.place(name).is_none_or(|place| place == 0) {
            return Err(Failure(format!("{name} is not one of its backups")));
        }
        self.change_view(world, None, |view| view.without(name))
    }
}
