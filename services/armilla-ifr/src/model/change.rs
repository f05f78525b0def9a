//! Creating, moving and destroying definitions (CORBA 3.4 Part 1, 14.5); `check` has the rules.

use super::{DefId, Definition, Kind, Model, ModelError, Result};
use std::collections::BTreeSet;

impl Model {
    /// Creates a definition in `container`.
    ///
    /// # Errors
    /// The container cannot hold the definition, its repository id or its name is taken, it refers
    /// to a definition of the wrong kind, or the repository is full.
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

    /// Creates an anonymous type.
    ///
    /// # Errors
    /// The type is invalid, or the repository is full.
    pub fn create_anonymous(&mut self, kind: Kind) -> Result<DefId> {
        self.check_kind(&kind)?;
        self.transaction(|model| {
            let made = model.add(None, Definition::new(kind))?;
            model.check_type(made)?;
            Ok(made)
        })
    }

    /// Replaces the contents of a definition by contents of the same kind.
    ///
    /// # Errors
    /// Those of [`create`](Self::create); the change would make a user of the definition invalid.
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

    /// Changes the repository id of a definition.
    ///
    /// # Errors
    /// [`ModelError::IdTaken`], or [`ModelError::Indestructible`] for the repository.
    pub fn set_id(&mut self, id: DefId, repository_id: &str) -> Result {
        if self.definition(id)?.id == repository_id {
            return Ok(());
        }
        self.definition(id)?.container().ok_or(ModelError::Indestructible)?;
        self.check_id(repository_id)?;
        self.update(id, |definition| repository_id.clone_into(&mut definition.id))
    }

    /// Changes the name of a definition.
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

    /// Changes the version of a definition.
    ///
    /// # Errors
    /// [`ModelError::Destroyed`].
    pub fn set_version(&mut self, id: DefId, version: &str) -> Result {
        self.update(id, |definition| version.clone_into(&mut definition.version))
    }

    /// Moves a definition to another container, under another name.
    ///
    /// # Errors
    /// [`ModelError::NotAContainer`] if the container cannot hold it or is within it;
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

    /// Destroys a definition with its contents, and returns everything destroyed. An anonymous type
    /// is destroyed with its element type, and with its last user.
    ///
    /// # Errors
    /// [`ModelError::Needed`] if another definition refers to one of them.
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

    /// A definition and everything within it.
    pub(super) fn subtree(&self, id: DefId) -> BTreeSet<DefId> {
        let (mut all, mut next) = (BTreeSet::from([id]), vec![id]);
        while let Some(id) = next.pop() {
            next.extend(self.index.contents(id).filter(|inner| all.insert(*inner)));
        }
        all
    }

    /// These definitions and their users, direct or indirect, that `follow` accepts.
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

    /// Whether a definition is a container: the repository, a module or another scope.
    pub fn is_container(&self, id: DefId) -> bool {
        self.get(id).is_some_and(|d| d.kind.may_contain(&Kind::Enum(Vec::new())))
    }
}
