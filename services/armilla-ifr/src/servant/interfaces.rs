//! Interfaces, their operations and attributes.

use super::describe::attribute_mode;
use super::methods::{change_field, content, create_attribute_and_operation, create_ext_attribute};
use super::{Def, Result, wrong_kind};
use crate::corba::interface_attr_extension::ExtFullInterfaceDescription;
use crate::corba::interface_def::FullInterfaceDescription;
use crate::corba::*;
use crate::model::{Definition, Kind};
use armilla::codegen::Interface;

impl Def {
    #[allow(clippy::too_many_arguments)] // As the operation that it serves.
    pub(super) fn new_attribute<I: Interface + ?Sized>(
        &self,
        id: &str,
        name: &str,
        version: &str,
        ty: &IdlTypeRef,
        mode: AttributeMode,
        get: &[ExceptionDefRef],
        set: &[ExceptionDefRef],
    ) -> Result<armilla::Ref<I>> {
        let kind = Kind::Attribute {
            ty: self.id_of(ty)?,
            readonly: mode == AttributeMode::AttrReadonly,
            get_exceptions: self.ids_of(get)?,
            set_exceptions: self.ids_of(set)?,
        };
        self.create(id, name, version, kind)
    }
}

impl InterfaceDef for Def {
    fn base_interfaces(&self) -> Result<InterfaceDefSeq> {
        match self.definition()?.kind {
            Kind::Interface { bases, .. } => self.references(&bases),
            _ => wrong_kind(),
        }
    }

    fn set_base_interfaces(&self, value: &[InterfaceDefRef]) -> Result {
        let new = self.ids_of(value)?;
        change_field!(self, Interface.bases = new)
    }

    fn is_a(&self, interface_id: &str) -> Result<bool> {
        self.read(|model| Ok(model.is_a(self.id, interface_id)))
    }

    fn describe_interface(&self) -> Result<FullInterfaceDescription> {
        let full = self.describe_ext_interface()?;
        Ok(FullInterfaceDescription {
            name: full.name,
            id: full.id,
            defined_in: full.defined_in,
            version: full.version,
            operations: full.operations,
            attributes: self.plain_attributes()?,
            base_interfaces: full.base_interfaces,
            r#type: full.r#type,
        })
    }

    create_attribute_and_operation!();
}

impl InterfaceAttrExtension for Def {
    fn describe_ext_interface(&self) -> Result<ExtFullInterfaceDescription> {
        let definition = self.definition()?;
        let Kind::Interface { bases, .. } = &definition.kind else { return wrong_kind() };
        let (base_interfaces, defined_in) =
            (self.repository_ids(bases)?, self.scope_id(&definition)?);
        let Definition { name, id, version, .. } = definition;
        Ok(ExtFullInterfaceDescription {
            name,
            id,
            defined_in,
            version,
            operations: self.all_operations()?,
            attributes: self.all_attributes()?,
            base_interfaces,
            r#type: self.type_code(self.id)?,
        })
    }

    create_ext_attribute!();
}

impl ExtInterfaceDef for Def {}
impl AbstractInterfaceDef for Def {}
impl ExtAbstractInterfaceDef for Def {}
impl LocalInterfaceDef for Def {}
impl ExtLocalInterfaceDef for Def {}

impl AttributeDef for Def {
    content!(r#type, type_def, set_type_def);

    fn mode(&self) -> Result<AttributeMode> {
        match self.definition()?.kind {
            Kind::Attribute { readonly, .. } => Ok(attribute_mode(readonly)),
            _ => wrong_kind(),
        }
    }

    fn set_mode(&self, value: AttributeMode) -> Result {
        change_field!(self, Attribute.readonly = value == AttributeMode::AttrReadonly)
    }
}

impl ExtAttributeDef for Def {
    fn get_exceptions(&self) -> Result<ExcDescriptionSeq> {
        Ok(self.ext_attribute()?.get_exceptions)
    }

    fn set_get_exceptions(&self, value: &[ExceptionDescription]) -> Result {
        let new = self.described(value)?;
        change_field!(self, Attribute.get_exceptions = new)
    }

    fn set_exceptions(&self) -> Result<ExcDescriptionSeq> {
        Ok(self.ext_attribute()?.put_exceptions)
    }

    fn set_set_exceptions(&self, value: &[ExceptionDescription]) -> Result {
        let new = self.described(value)?;
        change_field!(self, Attribute.set_exceptions = new)
    }

    fn describe_attribute(&self) -> Result<ExtAttributeDescription> {
        self.ext_attribute()
    }
}

impl OperationDef for Def {
    content!(result, result_def, set_result_def);

    fn params(&self) -> Result<ParDescriptionSeq> {
        Ok(self.operation()?.parameters)
    }

    fn set_params(&self, value: &[ParameterDescription]) -> Result {
        let new = self.parameters_of(value)?;
        change_field!(self, Operation.parameters = new)
    }

    fn mode(&self) -> Result<OperationMode> {
        Ok(self.operation()?.mode)
    }

    fn set_mode(&self, value: OperationMode) -> Result {
        change_field!(self, Operation.oneway = value == OperationMode::OpOneway)
    }

    fn contexts(&self) -> Result<ContextIdSeq> {
        Ok(self.operation()?.contexts)
    }

    fn set_contexts(&self, value: &[ContextIdentifier]) -> Result {
        change_field!(self, Operation.contexts = value.to_vec())
    }

    fn exceptions(&self) -> Result<ExceptionDefSeq> {
        match self.definition()?.kind {
            Kind::Operation { exceptions, .. } => self.references(&exceptions),
            _ => wrong_kind(),
        }
    }

    fn set_exceptions(&self, value: &[ExceptionDefRef]) -> Result {
        let new = self.ids_of(value)?;
        change_field!(self, Operation.exceptions = new)
    }
}
