//! Making, moving and removing definitions (CORBA 3.4 Part 1, 14.5); `check` has the rules.

use super::{DefId, Definition, Kind, Model, ModelError, ROOT, Result};
use std::collections::BTreeSet;

impl Model {
    /// Makes a definition in `container`.
    ///
    /// # Errors
    /// When the container cannot hold it, its repository id or its name are taken there, or it names
    /// what is no type, no exception or no base.
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
        self.check_inherited_names(&[], &kind)?;
        let made = self.add(Definition {
            kind,
            name: name.to_owned(),
            id: id.to_owned(),
            version: version.to_owned(),
            container: Some(container),
            contents: Vec::new(),
        });
        self.definition_mut(container)?.contents.push(made);
        if self.is_type(made)
            && let Err(error) = self.type_code(made)
        {
            self.remove(made);
            return Err(error);
        }
        Ok(made)
    }

    /// Makes a type without a name, for whoever uses it.
    ///
    /// # Errors
    /// When its elements are of no type, or it cannot exist.
    pub fn create_anonymous(&mut self, kind: Kind) -> Result<DefId> {
        self.check_kind(&kind)?;
        let made = self.anonymous(kind);
        self.type_code(made).inspect_err(|_| drop(self.definitions.remove(&made)))?;
        Ok(made)
    }

    /// Gives a definition another content; what kind it is stays.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn set_kind(&mut self, id: DefId, kind: Kind) -> Result {
        self.check_kind(&kind)?;
        self.check_inherited_names(&self.definition(id)?.contents, &kind)?;
        let before = std::mem::replace(&mut self.definition_mut(id)?.kind, kind);
        let checked = match self.is_type(id) {
            true => self.check_inheritance(id).and_then(|()| self.type_code(id).map(drop)),
            false => Ok(()),
        };
        if checked.is_err() {
            self.definition_mut(id)?.kind = before;
        }
        checked
    }

    /// Gives a definition another repository id.
    ///
    /// # Errors
    /// [`ModelError::IdTaken`] when another has it.
    pub fn set_id(&mut self, id: DefId, repository_id: &str) -> Result {
        if self.definition(id)?.id == repository_id {
            return Ok(());
        }
        self.check_id(repository_id)?;
        let definition = self.definition_mut(id)?;
        let before = std::mem::replace(&mut definition.id, repository_id.to_owned());
        self.by_repository_id.remove(&before);
        self.by_repository_id.insert(repository_id.to_owned(), id);
        Ok(())
    }

    /// Gives a definition another name.
    ///
    /// # Errors
    /// [`ModelError::NameTaken`] or [`ModelError::NameInherited`].
    pub fn set_name(&mut self, id: DefId, name: &str) -> Result {
        let container = self.definition(id)?.container.ok_or(ModelError::Indestructible)?;
        self.check_name(container, name, Some(id))?;
        name.clone_into(&mut self.definition_mut(id)?.name);
        Ok(())
    }

    /// Gives a definition another version.
    ///
    /// # Errors
    /// [`ModelError::Gone`].
    pub fn set_version(&mut self, id: DefId, version: &str) -> Result {
        version.clone_into(&mut self.definition_mut(id)?.version);
        Ok(())
    }

    /// Moves a definition into another container, under another name.
    ///
    /// # Errors
    /// [`ModelError::NotAContainer`] when it cannot stand there, or there is within itself;
    /// [`ModelError::NameTaken`].
    pub fn relocate(&mut self, id: DefId, container: DefId, name: &str, version: &str) -> Result {
        let before = self.definition(id)?.container.ok_or(ModelError::Indestructible)?;
        let may = self.definition(container)?.kind.may_contain(&self.definition(id)?.kind);
        if !may || self.subtree(id).contains(&container) {
            return Err(ModelError::NotAContainer);
        }
        self.check_name(container, name, Some(id))?;
        self.definition_mut(before)?.contents.retain(|inner| *inner != id);
        self.definition_mut(container)?.contents.push(id);
        let definition = self.definition_mut(id)?;
        definition.container = Some(container);
        name.clone_into(&mut definition.name);
        version.clone_into(&mut definition.version);
        Ok(())
    }

    /// Destroys a definition and all that stands in it, and gives everything that is gone: types
    /// without a name go with what used them.
    ///
    /// # Errors
    /// [`ModelError::Needed`] when another definition names one of them.
    pub fn destroy(&mut self, id: DefId) -> Result<Vec<DefId>> {
        if matches!(self.definition(id)?.kind, Kind::Repository | Kind::Primitive(_)) {
            return Err(ModelError::Indestructible);
        }
        let doomed = self.subtree(id);
        if let Some(user) = self.user_outside(&doomed) {
            return Err(ModelError::Needed(self.absolute_name(user)));
        }
        doomed.iter().for_each(|id| self.remove(*id));
        let mut gone: Vec<DefId> = doomed.into_iter().collect();
        gone.extend(self.remove_unused());
        Ok(gone)
    }

    /// A definition and all that stands in it.
    fn subtree(&self, id: DefId) -> BTreeSet<DefId> {
        let (mut all, mut next) = (BTreeSet::new(), vec![id]);
        while let Some(id) = next.pop() {
            if all.insert(id) {
                next.extend(self.get(id).into_iter().flat_map(|d| d.contents.iter().copied()));
            }
        }
        all
    }

    /// A definition that needs one of these and is none of them.
    fn user_outside(&self, doomed: &BTreeSet<DefId>) -> Option<DefId> {
        let mut placed = self.iter().filter(|(_, definition)| definition.container.is_some());
        let user =
            placed.find(|(id, definition)| !doomed.contains(id) && self.needs(definition, doomed));
        user.map(|(id, _)| id)
    }

    /// Whether a definition names one of these, itself or by way of types without a name.
    fn needs(&self, definition: &Definition, doomed: &BTreeSet<DefId>) -> bool {
        let (mut seen, mut next) = (BTreeSet::new(), definition.kind.references());
        while let Some(id) = next.pop() {
            if doomed.contains(&id) {
                return true;
            }
            let unnamed = self.get(id).filter(|named| named.container.is_none());
            if let Some(unnamed) = unnamed.filter(|_| seen.insert(id)) {
                next.extend(unnamed.kind.references());
            }
        }
        false
    }

    /// Removes types without a name that name what is gone.
    fn remove_unused(&mut self) -> Vec<DefId> {
        let mut gone = Vec::new();
        loop {
            let broken =
                |d: &Definition| d.kind.references().iter().any(|id| self.get(*id).is_none());
            let found: Vec<DefId> = self
                .iter()
                .filter(|(_, d)| d.container.is_none() && broken(d))
                .map(|(id, _)| id)
                .collect();
            if found.is_empty() {
                return gone;
            }
            found.iter().for_each(|id| self.remove(*id));
            gone.extend(found);
        }
    }

    fn remove(&mut self, id: DefId) {
        let Some(definition) = self.definitions.remove(&id) else { return };
        self.by_repository_id.remove(&definition.id);
        if let Some(container) = definition.container.and_then(|c| self.definitions.get_mut(&c)) {
            container.contents.retain(|inner| *inner != id);
        }
    }

    fn is_type(&self, id: DefId) -> bool {
        self.get(id).is_some_and(|d| d.kind.is_type() || matches!(d.kind, Kind::Exception(_)))
    }

    /// Whether it is the repository, a module or another scope at all.
    pub fn is_container(&self, id: DefId) -> bool {
        id == ROOT || self.get(id).is_some_and(|d| d.kind.may_contain(&Kind::Enum(Vec::new())))
    }
}
