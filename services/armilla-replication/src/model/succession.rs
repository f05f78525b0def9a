//! Who is the primary after another one: a backup takes over from one that is silent, or the primary
//! lets it.

use super::member::{Member, Role};
use super::record::Position;
use super::view::View;
use super::world::{Clock, Failure, Peers, Registry, State};

impl<S: State> Member<S> {
    /// A backup takes the place of a primary that is silent, unless it has [promised](Self::promise) not
    /// to. A newcomer is the first member of a group without a view. Returns whether it is the primary now.
    ///
    /// # Errors
    /// The registry does not answer.
    pub fn take_over(&mut self, world: &(impl Registry + Peers + Clock)) -> Result<bool, Failure> {
        match self.is_bound(world.elapsed()) {
            true => Ok(false),
            false => self.take_over_now(world),
        }
    }

    fn take_over_now(&mut self, world: &(impl Registry + Peers)) -> Result<bool, Failure> {
        let latest = world.read()?;
        let returns = latest.as_ref().and_then(|latest| self.view_to_return(latest));
        let (before, next) = match (returns, &latest) {
            (Some(next), Some(latest)) => {
                self.keep_identity()?;
                (latest.version, next)
            }
            _ => match self.view_to_make(latest) {
                Some(found) => found,
                None => return Ok(false),
            },
        };
        if next.version == 1 && self.role == Role::Newcomer {
            self.keep_founding()?;
        }
        if self.catch_up().is_err() {
            return Ok(false);
        }
        // From here on the old primary is refused.
        self.view.version = next.version;
        let is_done = before == next.version
            || match world.replace(before, &next) {
                Ok(done) => done,
                Err(_) => world.read()?.as_ref() == Some(&next),
            };
        if is_done {
            (self.role, self.is_new) = (Role::Primary, true);
            self.promises.forget();
            self.set_view(next);
            self.tell_view(world)?;
        } else {
            self.view.version = before;
        }
        Ok(is_done)
    }

    /// The view in which it would be the primary, and the version of the one before; the same if that
    /// view is in effect already. `None` if it cannot take over now.
    fn view_to_make(&mut self, latest: Option<View>) -> Option<(u32, View)> {
        let first = View { version: 1, members: vec![self.me.clone()] };
        let is_new = self.role == Role::Newcomer && self.last == Position::default();
        let latest = match latest {
            None => return is_new.then_some((0, first)),
            // It has founded the group, and was not told so.
            Some(latest) if is_new && latest == first => return Some((1, first)),
            Some(latest) => latest,
        };
        if self.role != Role::Backup {
            return None;
        }
        if latest.member(&self.me.name) != Some(&self.me) {
            self.retire();
            return None;
        }
        if latest.version != self.view.version {
            // Whoever made it will say so. If not, it can be taken over too: nothing was replied in
            // it without this member.
            self.set_view(latest);
            return None;
        }
        // It has made that view, and was not told so.
        let is_own = latest.place(&self.me.name) == Some(0);
        let next = if is_own { latest.clone() } else { latest.taken_over_by(&self.me.name) };
        Some((latest.version, next))
    }

    /// Tells the backups that it is the primary, and gives the state to those that have another
    /// history.
    pub(super) fn tell_view(&mut self, world: &(impl Registry + Peers)) -> Result<(), Failure> {
        for backup in self.backups() {
            if self.view.member(&backup.name).is_some() {
                let told = world.install(&backup, self.view.version, self.last);
                self.after_telling(world, &backup, told)?;
            }
        }
        self.is_new = false;
        Ok(())
    }

    /// Looks what the registry has: clients are told of the latest view, and a newcomer takes no state
    /// from an older primary.
    ///
    /// # Errors
    /// The registry does not answer.
    pub fn look(&mut self, world: &impl Registry) -> Result<(), Failure> {
        let Some(latest) = world.read()? else { return Ok(()) };
        let takes = match self.role {
            Role::Newcomer => true,
            Role::Backup => latest.version == self.view.version,
            // It was not told of a view that it has made.
            Role::Primary if latest.primary() == Some(&self.me) => true,
            Role::Primary => {
                let is_deposed = latest.version > self.view.version;
                if is_deposed {
                    self.retire();
                }
                is_deposed
            }
        };
        if takes {
            self.set_view(latest);
        }
        Ok(())
    }

    /// The primary lets a backup be the primary, and is a backup from then on.
    ///
    /// # Errors
    /// It is not the primary, there is no such backup, or the registry does not answer: then the next
    /// request decides who is the primary.
    pub fn hand_over(
        &mut self,
        world: &(impl Registry + Peers),
        name: &str,
    ) -> Result<(), Failure> {
        if self.role != Role::Primary {
            return Err(Failure("it is not the primary".into()));
        }
        // Nothing is left to tell: the other one has what was replied, and nothing else.
        self.settle(world)?;
        let heir = self.backups().into_iter().find(|backup| backup.name == name);
        let heir = heir.ok_or_else(|| Failure(format!("{name} is not one of its backups")))?;
        // A newcomer that did not hear that it was taken in has nothing to lead with.
        let told = world.install(&heir, self.view.version, self.last);
        self.after_telling(world, &heir, told)?;
        if self.view.member(name).is_none() {
            return Err(Failure(format!("{name} does not answer, or has no state")));
        }
        let next = self.view.led_by(name);
        // Until the registry says whose view it has, this one leads nobody: as a backup it may lead
        // again.
        self.role = Role::Backup;
        if world.replace(self.view.version, &next) != Ok(true) {
            let latest = world.read()?;
            if latest.as_ref() != Some(&next) {
                match latest {
                    // As before, or in a view that it has made and was not told of.
                    Some(latest) if latest.primary() == Some(&self.me) => {
                        self.set_view(latest);
                        self.role = Role::Primary;
                    }
                    _ => self.retire(),
                }
                return Err(Failure("the view was not replaced".into()));
            }
        }
        self.set_view(next);
        // If it does not hear that, it loses patience.
        world.lead(&heir).ok();
        Ok(())
    }

    /// A backup hears that it is the primary. Returns whether it is.
    ///
    /// # Errors
    /// The registry does not answer.
    pub fn lead(&mut self, world: &(impl Registry + Peers)) -> Result<bool, Failure> {
        if self.role != Role::Backup {
            return Ok(self.role == Role::Primary);
        }
        let Some(latest) = world.read()? else { return Ok(false) };
        let is_its_own = latest.primary() == Some(&self.me);
        if !is_its_own || latest.version < self.view.version {
            return Ok(false);
        }
        self.set_view(latest);
        // The old primary has given up what it was promised.
        self.take_over_now(world)
    }
}
