//! Valuetypes and their state.

use super::describe::Members;
use super::methods::{change_field, content, create_attribute_and_operation, create_ext_attribute};
use super::{Def, Result, wrong_kind};
use crate::corba::ext_value_def::ExtFullValueDescription;
use crate::corba::value_def::FullValueDescription;
use crate::corba::*;
use crate::model::{self, DefId, Definition, Kind};

impl Def {
    fn value(&self) -> Result<model::Value> {
        match self.definition()?.kind {
            Kind::Value(value) => Ok(value),
            _ => wrong_kind(),
        }
    }

    fn change_value(&self, change: impl FnOnce(&mut model::Value)) -> Result {
        self.change(|kind| {
            if let Kind::Value(value) = kind {
                change(value);
            }
        })
    }

    /// The base valuetype that a reference denotes; none if it is nil.
    pub(super) fn base_of(&self, base: &ValueDefRef) -> Result<Option<DefId>> {
        if base.is_nil() { Ok(None) } else { self.id_of(base).map(Some) }
    }

    pub(super) fn initializers_of(
        &self,
        initializers: &[Initializer],
    ) -> Result<Vec<model::Initializer>> {
        let initializer = |initializer: &Initializer| {
            let members = self.fields(&initializer.members)?;
            let name = initializer.name.clone();
            Ok(model::Initializer { name, members, exceptions: Vec::new() })
        };
        initializers.iter().map(initializer).collect()
    }

    pub(super) fn ext_initializers_of(
        &self,
        initializers: &[ExtInitializer],
    ) -> Result<Vec<model::Initializer>> {
        let initializer = |initializer: &ExtInitializer| {
            Ok(model::Initializer {
                name: initializer.name.clone(),
                members: self.fields(&initializer.members)?,
                exceptions: self.described(&initializer.exceptions)?,
            })
        };
        initializers.iter().map(initializer).collect()
    }

    pub(super) fn value_description(&self) -> Result<ValueDescription> {
        let (definition, value) = (self.definition()?, self.value()?);
        let defined_in = self.scope_id(&definition)?;
        let Definition { name, id, version, .. } = definition;
        Ok(ValueDescription {
            name,
            id,
            is_abstract: value.is_abstract,
            is_custom: value.is_custom,
            defined_in,
            version,
            supported_interfaces: self.repository_ids(&value.supported)?,
            abstract_base_values: self.repository_ids(&value.abstract_bases)?,
            is_truncatable: value.is_truncatable,
            base_value: self.base_id(&value)?,
        })
    }

    fn base_id(&self, value: &model::Value) -> Result<RepositoryId> {
        let base = self.repository_ids(value.base.as_slice())?;
        Ok(base.into_iter().next().unwrap_or_default())
    }

    pub(super) fn value_member(&self) -> Result<ValueMember> {
        let definition = self.definition()?;
        let Kind::ValueMember { ty, public } = definition.kind else { return wrong_kind() };
        Ok(ValueMember {
            defined_in: self.scope_id(&definition)?,
            r#type: self.type_code(ty)?,
            type_def: self.reference(ty)?,
            access: if public { PUBLIC_MEMBER } else { PRIVATE_MEMBER },
            name: definition.name,
            id: definition.id,
            version: definition.version,
        })
    }

    /// The state of the valuetype, without that of its base.
    fn state(&self) -> Result<ValueMemberSeq> {
        let ids = self.read(|m| Ok(m.contents(self.id, DefinitionKind::DkValueMember, true)))?;
        self.each_found(&ids, Self::value_member)
    }
}

impl ValueMemberDef for Def {
    content!(r#type, type_def, set_type_def);

    fn access(&self) -> Result<Visibility> {
        Ok(self.value_member()?.access)
    }

    fn set_access(&self, value: Visibility) -> Result {
        change_field!(self, ValueMember.public = value == PUBLIC_MEMBER)
    }
}

impl ValueDef for Def {
    fn supported_interfaces(&self) -> Result<InterfaceDefSeq> {
        self.references(&self.value()?.supported)
    }

    fn set_supported_interfaces(&self, value: &[InterfaceDefRef]) -> Result {
        let new = self.ids_of(value)?;
        self.change_value(|value| value.supported = new)
    }

    fn initializers(&self) -> Result<InitializerSeq> {
        let initializers = self.ext_initializers()?.into_iter();
        let plain = |i: ExtInitializer| Initializer { members: i.members, name: i.name };
        Ok(initializers.map(plain).collect())
    }

    fn set_initializers(&self, value: &[Initializer]) -> Result {
        let new = self.initializers_of(value)?;
        self.change_value(|value| value.initializers = new)
    }

    fn base_value(&self) -> Result<ValueDefRef> {
        match self.value()?.base {
            Some(base) => self.reference(base),
            None => Ok(ValueDefRef::nil()),
        }
    }

    fn set_base_value(&self, value: &ValueDefRef) -> Result {
        let new = self.base_of(value)?;
        self.change_value(|value| value.base = new)
    }

    fn abstract_base_values(&self) -> Result<ValueDefSeq> {
        self.references(&self.value()?.abstract_bases)
    }

    fn set_abstract_base_values(&self, value: &[ValueDefRef]) -> Result {
        let new = self.ids_of(value)?;
        self.change_value(|value| value.abstract_bases = new)
    }

    fn is_abstract(&self) -> Result<bool> {
        Ok(self.value()?.is_abstract)
    }

    fn set_is_abstract(&self, value: bool) -> Result {
        self.change_value(|v| v.is_abstract = value)
    }

    fn is_custom(&self) -> Result<bool> {
        Ok(self.value()?.is_custom)
    }

    fn set_is_custom(&self, value: bool) -> Result {
        self.change_value(|v| v.is_custom = value)
    }

    fn is_truncatable(&self) -> Result<bool> {
        Ok(self.value()?.is_truncatable)
    }

    fn set_is_truncatable(&self, value: bool) -> Result {
        self.change_value(|v| v.is_truncatable = value)
    }

    fn is_a(&self, id: &str) -> Result<bool> {
        self.read(|model| Ok(model.is_a(self.id, id)))
    }

    fn describe_value(&self) -> Result<FullValueDescription> {
        let full = self.describe_ext_value()?;
        Ok(FullValueDescription {
            name: full.name,
            id: full.id,
            is_abstract: full.is_abstract,
            is_custom: full.is_custom,
            defined_in: full.defined_in,
            version: full.version,
            operations: full.operations,
            attributes: self.plain_attributes()?,
            members: full.members,
            initializers: self.initializers()?,
            supported_interfaces: full.supported_interfaces,
            abstract_base_values: full.abstract_base_values,
            is_truncatable: full.is_truncatable,
            base_value: full.base_value,
            r#type: full.r#type,
        })
    }

    fn create_value_member(
        &self,
        id: &str,
        name: &str,
        version: &str,
        r#type: &IdlTypeRef,
        access: Visibility,
    ) -> Result<ValueMemberDefRef> {
        let kind = Kind::ValueMember { ty: self.id_of(r#type)?, public: access == PUBLIC_MEMBER };
        self.create(id, name, version, kind)
    }

    create_attribute_and_operation!();
}

impl ExtValueDef for Def {
    fn ext_initializers(&self) -> Result<ExtInitializerSeq> {
        let describe = |initializer: &model::Initializer| {
            Ok(ExtInitializer {
                members: self.members_of(&initializer.members)?,
                exceptions: self.exceptions_of(&initializer.exceptions)?,
                name: initializer.name.clone(),
            })
        };
        self.value()?.initializers.iter().map(describe).collect()
    }

    fn set_ext_initializers(&self, value: &[ExtInitializer]) -> Result {
        let new = self.ext_initializers_of(value)?;
        self.change_value(|value| value.initializers = new)
    }

    fn describe_ext_value(&self) -> Result<ExtFullValueDescription> {
        let short = self.value_description()?;
        Ok(ExtFullValueDescription {
            name: short.name,
            id: short.id,
            is_abstract: short.is_abstract,
            is_custom: short.is_custom,
            defined_in: short.defined_in,
            version: short.version,
            operations: self.all_operations()?,
            attributes: self.all_attributes()?,
            members: self.state()?,
            initializers: self.ext_initializers()?,
            supported_interfaces: short.supported_interfaces,
            abstract_base_values: short.abstract_base_values,
            is_truncatable: short.is_truncatable,
            base_value: short.base_value,
            r#type: self.type_code(self.id)?,
        })
    }

    create_ext_attribute!();
}
