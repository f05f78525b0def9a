//! `IRObject`, which every definition implements, and `Contained`, which named ones implement.

use super::{Def, Result};
use crate::corba::*;
use crate::model::{ModelError, ROOT};
use armilla::SystemException;

impl IrObject for Def {
    fn def_kind(&self) -> Result<DefinitionKind> {
        self.read(|model| model.kind(self.id))
    }

    fn destroy(&self) -> Result {
        self.write(|model| model.destroy(self.id).map(drop))
    }
}

impl Contained for Def {
    fn id(&self) -> Result<RepositoryId> {
        Ok(self.definition()?.id)
    }

    fn set_id(&self, value: &str) -> Result {
        self.write(|model| model.set_id(self.id, value))
    }

    fn name(&self) -> Result<Identifier> {
        Ok(self.definition()?.name)
    }

    fn set_name(&self, value: &str) -> Result {
        self.write(|model| model.set_name(self.id, value))
    }

    fn version(&self) -> Result<VersionSpec> {
        Ok(self.definition()?.version)
    }

    fn set_version(&self, value: &str) -> Result {
        self.write(|model| model.set_version(self.id, value))
    }

    fn defined_in(&self) -> Result<ContainerRef> {
        match self.definition()?.container() {
            Some(container) => self.reference(container),
            None => Ok(ContainerRef::nil()),
        }
    }

    fn absolute_name(&self) -> Result<ScopedName> {
        self.read(|model| model.definition(self.id).map(|_| model.absolute_name(self.id)))
    }

    fn containing_repository(&self) -> Result<RepositoryRef> {
        self.reference(ROOT)
    }

    fn describe(&self) -> Result<contained::Description, SystemException> {
        let (kind, value) = self.description()?;
        Ok(contained::Description { kind, value })
    }

    fn r#move(&self, new_container: &ContainerRef, new_name: &str, new_version: &str) -> Result {
        // A container of another repository is no valid target either.
        let container = self.id_of(new_container).map_err(|_| ModelError::NotAContainer)?;
        self.write(|model| model.relocate(self.id, container, new_name, new_version))
    }
}
