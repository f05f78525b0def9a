//! `Container` and `Repository`: lookup, description and creation of definitions.

use super::describe::Members;
use super::methods::{create_interface, create_value};
use super::{Def, Result};
use crate::corba::*;
use crate::model::{DefId, Kind, ModelError, ROOT, UnionField};
use armilla::codegen::Interface;
use armilla::{Any, Ref, TypeCode};

impl Def {
    /// Creates a definition within this one.
    pub(super) fn create<I: Interface + ?Sized>(
        &self,
        id: &str,
        name: &str,
        version: &str,
        kind: Kind,
    ) -> Result<Ref<I>> {
        let made = self.write(|model| model.create(self.id, id, name, version, kind))?;
        self.reference(made)
    }

    /// The members of a union, with numeric labels.
    pub(super) fn union_fields(
        &self,
        discriminator: DefId,
        members: &[UnionMember],
    ) -> Result<Vec<UnionField>> {
        let code = self.type_code(discriminator)?;
        let field = |member: &UnionMember| {
            let label = label_number(&code, &member.label)?;
            let ty = self.id_of(&member.type_def)?;
            Ok(UnionField { name: member.name.clone(), label, ty })
        };
        members.iter().map(field).collect()
    }
}

/// A label as a number; `None` for the octet 0, which denotes the default case.
fn label_number(code: &TypeCode, label: &Any) -> Result<Option<i64>> {
    let is_octet = matches!(code.resolved(), TypeCode::Octet);
    if !is_octet && label.get::<u8>()?.is_some() {
        return Ok(None);
    }
    if !label.type_code().is_equivalent(code) {
        let what = "the type of a label is not that of the discriminator";
        return Err(ModelError::Invalid(what.to_owned()).into());
    }
    let number = armilla::dynamic::DynAny::from_any(label)?.label_number();
    match number {
        Some(number) => Ok(Some(number)),
        None => Err(ModelError::Invalid("a label is not a number".to_owned()).into()),
    }
}

impl Container for Def {
    fn lookup(&self, search_name: &str) -> Result<ContainedRef> {
        let found = self.read(|model| Ok(model.lookup(self.id, search_name)))?;
        self.found(found.filter(|id| *id != ROOT))
    }

    fn contents(
        &self,
        limit_type: DefinitionKind,
        exclude_inherited: bool,
    ) -> Result<ContainedSeq> {
        let found = self.read(|m| Ok(m.contents(self.id, limit_type, exclude_inherited)))?;
        self.all_found(&found)
    }

    fn lookup_name(
        &self,
        search_name: &str,
        levels_to_search: i32,
        limit_type: DefinitionKind,
        exclude_inherited: bool,
    ) -> Result<ContainedSeq> {
        let (name, levels) = (search_name, levels_to_search);
        let found = self.read(|model| {
            Ok(model.lookup_name(self.id, name, levels, limit_type, exclude_inherited))
        })?;
        self.all_found(&found)
    }

    fn describe_contents(
        &self,
        limit_type: DefinitionKind,
        exclude_inherited: bool,
        max_returned_objs: i32,
    ) -> Result<container::DescriptionSeq> {
        let found = self.read(|m| Ok(m.contents(self.id, limit_type, exclude_inherited)))?;
        // A negative number means no limit.
        let most = usize::try_from(max_returned_objs).unwrap_or(usize::MAX);
        self.each_found(&found[..most.min(found.len())], |def| {
            let (kind, value) = def.description()?;
            Ok(container::Description { contained_object: def.reference(def.id)?, kind, value })
        })
    }

    fn create_module(&self, id: &str, name: &str, version: &str) -> Result<ModuleDefRef> {
        self.create(id, name, version, Kind::Module)
    }

    fn create_constant(
        &self,
        id: &str,
        name: &str,
        version: &str,
        r#type: &IdlTypeRef,
        value: &Any,
    ) -> Result<ConstantDefRef> {
        let kind = Kind::Constant { ty: self.id_of(r#type)?, value: value.clone() };
        self.create(id, name, version, kind)
    }

    fn create_struct(
        &self,
        id: &str,
        name: &str,
        version: &str,
        members: &[StructMember],
    ) -> Result<StructDefRef> {
        self.create(id, name, version, Kind::Struct(self.fields(members)?))
    }

    fn create_union(
        &self,
        id: &str,
        name: &str,
        version: &str,
        discriminator_type: &IdlTypeRef,
        members: &[UnionMember],
    ) -> Result<UnionDefRef> {
        let discriminator = self.id_of(discriminator_type)?;
        let members = self.union_fields(discriminator, members)?;
        self.create(id, name, version, Kind::Union { discriminator, members })
    }

    fn create_enum(
        &self,
        id: &str,
        name: &str,
        version: &str,
        members: &[Identifier],
    ) -> Result<EnumDefRef> {
        self.create(id, name, version, Kind::Enum(members.to_vec()))
    }

    fn create_alias(
        &self,
        id: &str,
        name: &str,
        version: &str,
        original_type: &IdlTypeRef,
    ) -> Result<AliasDefRef> {
        self.create(id, name, version, Kind::Alias(self.id_of(original_type)?))
    }

    create_interface!(create_interface, InterfaceDefRef, Plain, InterfaceDefRef);
    create_interface!(
        create_abstract_interface,
        AbstractInterfaceDefRef,
        Abstract,
        AbstractInterfaceDefRef
    );
    create_interface!(create_local_interface, InterfaceDefRef, Local, LocalInterfaceDefRef);

    create_value!(create_value, Initializer, initializers_of, ValueDefRef);
    create_value!(create_ext_value, ExtInitializer, ext_initializers_of, ExtValueDefRef);

    fn create_value_box(
        &self,
        id: &str,
        name: &str,
        version: &str,
        original_type_def: &IdlTypeRef,
    ) -> Result<ValueBoxDefRef> {
        self.create(id, name, version, Kind::ValueBox(self.id_of(original_type_def)?))
    }

    fn create_exception(
        &self,
        id: &str,
        name: &str,
        version: &str,
        members: &[StructMember],
    ) -> Result<ExceptionDefRef> {
        self.create(id, name, version, Kind::Exception(self.fields(members)?))
    }

    fn create_native(&self, id: &str, name: &str, version: &str) -> Result<NativeDefRef> {
        self.create(id, name, version, Kind::Native)
    }
}

impl Repository for Def {
    fn lookup_id(&self, search_id: &str) -> Result<ContainedRef> {
        let found = self.read(|model| Ok(model.lookup_id(search_id)))?;
        self.found(found)
    }

    fn get_canonical_typecode(&self, tc: &TypeCode) -> Result<TypeCode> {
        self.read(|model| model.canonical(tc))
    }

    fn get_primitive(&self, kind: PrimitiveKind) -> Result<PrimitiveDefRef> {
        if kind == PrimitiveKind::PkNull {
            return Err(ModelError::Invalid("pk_null is not a type".to_owned()).into());
        }
        let found = self.read(|model| Ok(model.primitive(kind)))?;
        self.reference(found)
    }

    fn create_string(&self, bound: u32) -> Result<StringDefRef> {
        self.create_anonymous(Kind::String(bound))
    }

    fn create_wstring(&self, bound: u32) -> Result<WstringDefRef> {
        self.create_anonymous(Kind::Wstring(bound))
    }

    fn create_sequence(&self, bound: u32, element_type: &IdlTypeRef) -> Result<SequenceDefRef> {
        self.create_anonymous(Kind::Sequence { element: self.id_of(element_type)?, bound })
    }

    fn create_array(&self, length: u32, element_type: &IdlTypeRef) -> Result<ArrayDefRef> {
        self.create_anonymous(Kind::Array { element: self.id_of(element_type)?, length })
    }

    fn create_fixed(&self, digits: u16, scale: i16) -> Result<FixedDefRef> {
        self.create_anonymous(Kind::Fixed { digits, scale })
    }
}

impl Def {
    fn create_anonymous<I: Interface + ?Sized>(&self, kind: Kind) -> Result<Ref<I>> {
        let made = self.write(|model| model.create_anonymous(kind))?;
        self.reference(made)
    }
}

impl ModuleDef for Def {}

impl ExceptionDef for Def {
    fn r#type(&self) -> Result<TypeCode> {
        self.type_code(self.id)
    }

    fn members(&self) -> Result<StructMemberSeq> {
        self.struct_members()
    }

    fn set_members(&self, value: &[StructMember]) -> Result {
        let members = self.fields(value)?;
        self.change(|kind| *kind = Kind::Exception(members))
    }
}
