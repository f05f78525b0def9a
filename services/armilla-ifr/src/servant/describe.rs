//! Descriptions: the structs that describe definitions.

use super::{Def, Result, wrong_kind};
use crate::corba::*;
use crate::model::{DefId, Definition, Field, Kind, ModelError, Parameter};
use armilla::{Any, dynamic};

/// Conversion of the members of structs and exceptions.
pub(super) trait Members {
    /// Converts members to the fields of the model.
    fn fields(&self, members: &[StructMember]) -> Result<Vec<Field>>;

    /// Converts fields of the model to members.
    fn members_of(&self, fields: &[Field]) -> Result<StructMemberSeq>;

    /// The members of this definition.
    fn struct_members(&self) -> Result<StructMemberSeq>;
}

impl Members for Def {
    fn fields(&self, members: &[StructMember]) -> Result<Vec<Field>> {
        let field = |member: &StructMember| {
            Ok(Field { name: member.name.clone(), ty: self.id_of(&member.type_def)? })
        };
        members.iter().map(field).collect()
    }

    fn members_of(&self, fields: &[Field]) -> Result<StructMemberSeq> {
        let member = |field: &Field| {
            Ok(StructMember {
                name: field.name.clone(),
                r#type: self.type_code(field.ty)?,
                type_def: self.reference(field.ty)?,
            })
        };
        fields.iter().map(member).collect()
    }

    fn struct_members(&self) -> Result<StructMemberSeq> {
        match self.definition()?.kind {
            Kind::Struct(members) | Kind::Exception(members) => self.members_of(&members),
            _ => wrong_kind(),
        }
    }
}

impl Def {
    /// The servant of another definition in the same repository.
    pub(super) fn other(&self, id: DefId) -> Self {
        Self { service: self.service.clone(), id }
    }

    /// The repository id of the container of a definition; empty for the repository.
    pub(super) fn scope_id(&self, definition: &Definition) -> Result<String> {
        self.read(|model| {
            let scope = definition.container().and_then(|container| model.get(container));
            Ok(scope.map_or_else(String::new, |scope| scope.id.clone()))
        })
    }

    pub(super) fn repository_ids(&self, ids: &[DefId]) -> Result<RepositoryIdSeq> {
        self.read(|model| ids.iter().map(|id| Ok(model.definition(*id)?.id.clone())).collect())
    }

    /// The description of this definition in an any.
    pub(super) fn description(&self) -> Result<(DefinitionKind, Any)> {
        let definition = self.definition()?;
        let kind = definition.kind.definition_kind();
        let defined_in = self.scope_id(&definition)?;
        let Definition { name, id, version, .. } = definition.clone();
        let value = match &definition.kind {
            Kind::Module => Any::new(&ModuleDescription { name, id, defined_in, version })?,
            Kind::Constant { value, .. } => {
                let (r#type, value) = (self.content_type()?, value.clone());
                Any::new(&ConstantDescription { name, id, defined_in, version, r#type, value })?
            }
            Kind::Exception(_) => Any::new(&self.exception(self.id)?)?,
            Kind::Attribute { .. } => Any::new(&self.attribute()?)?,
            Kind::Operation { .. } => Any::new(&self.operation()?)?,
            Kind::Interface { bases, .. } => {
                let base_interfaces = self.repository_ids(bases)?;
                Any::new(&InterfaceDescription { name, id, defined_in, version, base_interfaces })?
            }
            Kind::Value(_) => Any::new(&self.value_description()?)?,
            Kind::ValueMember { .. } => Any::new(&self.value_member()?)?,
            kind if kind.is_typedef() => {
                let r#type = self.type_code(self.id)?;
                Any::new(&TypeDescription { name, id, defined_in, version, r#type })?
            }
            _ => return wrong_kind(),
        };
        Ok((kind, value))
    }

    pub(super) fn exception(&self, id: DefId) -> Result<ExceptionDescription> {
        let definition = self.read(|model| model.definition(id).cloned())?;
        let (defined_in, r#type) = (self.scope_id(&definition)?, self.type_code(id)?);
        let Definition { name, id, version, .. } = definition;
        Ok(ExceptionDescription { name, id, defined_in, version, r#type })
    }

    pub(super) fn exceptions_of(&self, ids: &[DefId]) -> Result<ExcDescriptionSeq> {
        ids.iter().map(|id| self.exception(*id)).collect()
    }

    /// The definitions of described exceptions, by their repository ids.
    pub(super) fn described(&self, exceptions: &[ExceptionDescription]) -> Result<Vec<DefId>> {
        let find = |exception: &ExceptionDescription| {
            let unknown = || ModelError::Invalid(format!("unknown exception {}", exception.id));
            self.read(|model| model.lookup_id(&exception.id).ok_or_else(unknown))
        };
        exceptions.iter().map(find).collect()
    }

    pub(super) fn attribute(&self) -> Result<AttributeDescription> {
        let ext = self.ext_attribute()?;
        let ExtAttributeDescription { name, id, defined_in, version, r#type, mode, .. } = ext;
        Ok(AttributeDescription { name, id, defined_in, version, r#type, mode })
    }

    pub(super) fn ext_attribute(&self) -> Result<ExtAttributeDescription> {
        let definition = self.definition()?;
        let Kind::Attribute { ty, readonly, get_exceptions, set_exceptions } = &definition.kind
        else {
            return wrong_kind();
        };
        Ok(ExtAttributeDescription {
            defined_in: self.scope_id(&definition)?,
            r#type: self.type_code(*ty)?,
            mode: attribute_mode(*readonly),
            get_exceptions: self.exceptions_of(get_exceptions)?,
            put_exceptions: self.exceptions_of(set_exceptions)?,
            name: definition.name,
            id: definition.id,
            version: definition.version,
        })
    }

    pub(super) fn operation(&self) -> Result<OperationDescription> {
        let definition = self.definition()?;
        let Kind::Operation { result, oneway, parameters, exceptions, contexts } = &definition.kind
        else {
            return wrong_kind();
        };
        Ok(OperationDescription {
            defined_in: self.scope_id(&definition)?,
            result: self.type_code(*result)?,
            mode: if *oneway { OperationMode::OpOneway } else { OperationMode::OpNormal },
            contexts: contexts.clone(),
            parameters: self.parameters(parameters)?,
            exceptions: self.exceptions_of(exceptions)?,
            name: definition.name,
            id: definition.id,
            version: definition.version,
        })
    }

    pub(super) fn parameters(&self, parameters: &[Parameter]) -> Result<ParDescriptionSeq> {
        let describe = |parameter: &Parameter| {
            Ok(ParameterDescription {
                name: parameter.name.clone(),
                r#type: self.type_code(parameter.ty)?,
                type_def: self.reference(parameter.ty)?,
                mode: match parameter.mode {
                    dynamic::ParameterMode::In => ParameterMode::ParamIn,
                    dynamic::ParameterMode::Out => ParameterMode::ParamOut,
                    dynamic::ParameterMode::InOut => ParameterMode::ParamInout,
                },
            })
        };
        parameters.iter().map(describe).collect()
    }

    pub(super) fn parameters_of(
        &self,
        described: &[ParameterDescription],
    ) -> Result<Vec<Parameter>> {
        let parameter = |parameter: &ParameterDescription| {
            Ok(Parameter {
                name: parameter.name.clone(),
                ty: self.id_of(&parameter.type_def)?,
                mode: match parameter.mode {
                    ParameterMode::ParamIn => dynamic::ParameterMode::In,
                    ParameterMode::ParamOut => dynamic::ParameterMode::Out,
                    ParameterMode::ParamInout => dynamic::ParameterMode::InOut,
                },
            })
        };
        described.iter().map(parameter).collect()
    }

    /// Describes each definition of a kind that this one contains or inherits.
    fn each<T>(
        &self,
        kind: DefinitionKind,
        describe: impl Fn(&Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let ids = self.read(|model| Ok(model.contents(self.id, kind, false)))?;
        self.each_found(&ids, describe)
    }

    /// The operations of an interface or a valuetype, including inherited ones.
    pub(super) fn all_operations(&self) -> Result<OpDescriptionSeq> {
        self.each(DefinitionKind::DkOperation, Self::operation)
    }

    /// The attributes, including inherited ones.
    pub(super) fn all_attributes(&self) -> Result<ExtAttrDescriptionSeq> {
        self.each(DefinitionKind::DkAttribute, Self::ext_attribute)
    }

    /// The same without exceptions.
    pub(super) fn plain_attributes(&self) -> Result<AttrDescriptionSeq> {
        self.each(DefinitionKind::DkAttribute, Self::attribute)
    }
}

pub(super) const fn attribute_mode(readonly: bool) -> AttributeMode {
    if readonly { AttributeMode::AttrReadonly } else { AttributeMode::AttrNormal }
}
