//! Making, moving and removing definitions (CORBA 3.4 Part 1, 14.5); `check` has the rules.

use super::{DefId, Definition, Kind, Model, ModelError, Result};
use std::collections::BTreeSet;

impl Model {
    /// Makes a definition in `container`.
    ///
    /// # Errors
    /// When the container cannot hold it, its repository id or its name are taken there, it names
    /// what is no type, no exception or no base, or the repository is full.
    pub fn create(
        &mut self,
        container: DefId,
        id: &str,
        name: &str,
        version: &str,
        kind: Kind,
    ) -> Result<DefId> {
        if !self.definition(container)?.kind.may_contain(&kind) {
            return Err(ModelError::NotAContainer);
        }
        self.check_id(id)?;
        self.check_name(container, name, None)?;
        self.check_kind(&kind)?;
        self.check_inherited_names(None, &kind)?;
        let mut definition = Definition::new(kind);
        (definition.id, definition.name) = (id.to_owned(), name.to_owned());
        version.clone_into(&mut definition.version);
        self.transaction(|model| {
            let made = model.add(Some(container), definition)?;
            model.check_derived(made)?;
            model.check_type(made)?;
            Ok(made)
        })
    }

    /// Makes a type without a name, for whoever uses it.
    ///
    /// # Errors
    /// When its elements are of no type, it cannot exist, or the repository is full.
    pub fn create_anonymous(&mut self, kind: Kind) -> Result<DefId> {
        self.check_kind(&kind)?;
        self.transaction(|model| {
            let made = model.add(None, Definition::new(kind))?;
            model.check_type(made)?;
            Ok(made)
        })
    }

    /// Gives a definition another content; what kind it is stays.
    ///
    /// # Errors
    /// As [`create`](Self::create); also where something that uses the definition could not exist
    /// any more.
    pub fn set_kind(&mut self, id: DefId, kind: Kind) -> Result {
        self.check_kind(&kind)?;
        self.check_inheritance(id, &kind)?;
        self.transaction(|model| {
            model.update(id, |definition| definition.kind = kind)?;
            model.check_contents(id)?;
            model.check_all_inherited_names(id)?;
            model.check_type(id)?;
            model.check_users(id)
        })
    }

    /// Gives a definition another repository id.
    ///
    /// # Errors
    /// [`ModelError::IdTaken`] when another has it, [`ModelError::Indestructible`] for the
    /// repository.
    pub fn set_id(&mut self, id: DefId, repository_id: &str) -> Result {
        if self.definition(id)?.id == repository_id {
            return Ok(());
        }
        self.definition(id)?.container().ok_or(ModelError::Indestructible)?;
        self.check_id(repository_id)?;
        self.update(id, |definition| repository_id.clone_into(&mut definition.id))
    }

    /// Gives a definition another name.
    ///
    /// # Errors
    /// [`ModelError::NameTaken`] or [`ModelError::NameInherited`].
    pub fn set_name(&mut self, id: DefId, name: &str) -> Result {
        let container = self.definition(id)?.container().ok_or(ModelError::Indestructible)?;
        self.check_name(container, name, Some(id))?;
        self.transaction(|model| {
            model.update(id, |definition| name.clone_into(&mut definition.name))?;
            model.check_derived(id)
        })
    }

    /// Gives a definition another version.
    ///
    /// # Errors
    /// [`ModelError::Destroyed`].
    pub fn set_version(&mut self, id: DefId, version: &str) -> Result {
        self.update(id, |definition| version.clone_into(&mut definition.version))
    }

    /// Moves a definition into another container, under another name.
    ///
    /// # Errors
    /// [`ModelError::NotAContainer`] when it cannot stand there, or there is within itself;
    /// [`ModelError::NameTaken`] or [`ModelError::NameInherited`].
    pub fn relocate(&mut self, id: DefId, container: DefId, name: &str, version: &str) -> Result {
        let moved = self.definition(id)?;
        moved.container().ok_or(ModelError::Indestructible)?;
        let may = self.definition(container)?.kind.may_contain(&moved.kind);
        if !may || self.enclosing(container).any(|scope| scope == id) {
            return Err(ModelError::NotAContainer);
        }
        self.check_name(container, name, Some(id))?;
        self.transaction(|model| {
            let place = model.number()?;
            model.update(id, |definition| {
                definition.place = Some((container, place));
                name.clone_into(&mut definition.name);
                version.clone_into(&mut definition.version);
            })?;
            model.check_derived(id)
        })
    }

    /// Destroys a definition and all that stands in it, and gives everything that is gone: types
    /// without a name go with what they are made of, and with the last that is made of them.
    ///
    /// # Errors
    /// [`ModelError::Needed`] when another definition names one of them.
    pub fn destroy(&mut self, id: DefId) -> Result<Vec<DefId>> {
        if matches!(self.definition(id)?.kind, Kind::Repository | Kind::Primitive(_)) {
            return Err(ModelError::Indestructible);
        }
        let is_anonymous = |id: &DefId| self.get(*id).is_some_and(Definition::is_anonymous);
        let mut doomed = self.with_users(self.subtree(id), is_anonymous);
        let mut users = doomed.iter().flat_map(|id| self.index.users(*id));
        if let Some(user) = users.find(|user| !doomed.contains(user)) {
            return Err(ModelError::Needed(self.absolute_name(user)));
        }
        drop(users);
        let mut next: Vec<DefId> = doomed.iter().copied().collect();
        while let Some(id) = next.pop() {
            let parts = self.get(id).map(|definition| definition.kind.references());
            for part in parts.into_iter().flatten().filter(is_anonymous) {
                let is_unused = self.index.users(part).all(|user| doomed.contains(&user));
                if is_unused && doomed.insert(part) {
                    next.push(part);
                }
            }
        }
        doomed.iter().for_each(|id| self.remove(*id));
        Ok(doomed.into_iter().collect())
    }

    /// A definition and all that stands in it.
    pub(super) fn subtree(&self, id: DefId) -> BTreeSet<DefId> {
        let (mut all, mut next) = (BTreeSet::from([id]), vec![id]);
        while let Some(id) = next.pop() {
            next.extend(self.index.contents(id).filter(|inner| all.insert(*inner)));
        }
        all
    }

    /// These and all that name them, directly or not, as far as `follow` goes.
    pub(super) fn with_users(
        &self,
        mut all: BTreeSet<DefId>,
        follow: impl Fn(&DefId) -> bool,
    ) -> BTreeSet<DefId> {
        let mut next: Vec<DefId> = all.iter().copied().collect();
        while let Some(id) = next.pop() {
            let users = self.index.users(id).filter(&follow);
            next.extend(users.filter(|user| all.insert(*user)));
        }
        all
    }

    /// Whether it is the repository, a module or another scope at all.
    pub fn is_container(&self, id: DefId) -> bool {
        self.get(id).is_some_and(|d| d.kind.may_contain(&Kind::Enum(Vec::new())))
    }
}
