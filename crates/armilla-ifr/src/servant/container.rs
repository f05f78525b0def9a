//! What contains definitions: finding them, describing them, making them.

use super::describe::Members;
use super::{Def, Result};
use crate::corba::*;
use crate::model::{DefId, Flavour, Kind, ModelError, ROOT, UnionField, Value};
use armilla::rt::Interface;
use armilla::{Any, Ref, TypeCode};

impl Def {
    /// Makes a definition within this one.
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

    fn create_flavour<I: Interface + ?Sized>(
        &self,
        id: &str,
        name: &str,
        version: &str,
        flavour: Flavour,
        bases: Vec<DefId>,
    ) -> Result<Ref<I>> {
        self.create(id, name, version, Kind::Interface { flavour, bases })
    }

    /// The reference to what was found; nil where there is nothing.
    fn found(&self, id: Option<DefId>) -> Result<ContainedRef> {
        id.map_or_else(|| Ok(ContainedRef::nil()), |id| self.reference(id))
    }

    /// The labels of a union's members, in numbers.
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

    #[allow(clippy::too_many_arguments)] // As the operation that it serves.
    fn new_value(
        &self,
        is_custom: bool,
        is_abstract: bool,
        base: &ValueDefRef,
        is_truncatable: bool,
        abstract_bases: &[ValueDefRef],
        supported: &[InterfaceDefRef],
    ) -> Result<Value> {
        let base = if base.is_nil() { None } else { Some(self.id_of(base)?) };
        let (abstract_bases, supported) = (self.ids_of(abstract_bases)?, self.ids_of(supported)?);
        let initializers = Vec::new();
        Ok(Value {
            is_event: false,
            is_abstract,
            is_custom,
            is_truncatable,
            base,
            abstract_bases,
            supported,
            initializers,
        })
    }
}

/// A label as a number; `None` for the octet 0 that stands for the default case.
fn label_number(code: &TypeCode, label: &Any) -> Result<Option<i64>> {
    let is_octet = matches!(code.resolved(), TypeCode::Octet);
    if !is_octet && label.get::<u8>()?.is_some() {
        return Ok(None);
    }
    if !label.type_code().is_equivalent(code) {
        let what = "a label is of another type than the discriminator";
        return Err(ModelError::Invalid(what.to_owned()).into());
    }
    let number = armilla::dynamic::DynAny::from_any(label)?.label_number();
    match number {
        Some(number) => Ok(Some(number)),
        None => Err(ModelError::Invalid("a label is no number".to_owned()).into()),
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
        self.references(&found)
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
        self.references(&found)
    }

    fn describe_contents(
        &self,
        limit_type: DefinitionKind,
        exclude_inherited: bool,
        max_returned_objs: i32,
    ) -> Result<container::DescriptionSeq> {
        let found = self.read(|m| Ok(m.contents(self.id, limit_type, exclude_inherited)))?;
        // A negative number is none at all.
        let most = usize::try_from(max_returned_objs).unwrap_or(usize::MAX);
        let describe = |id: &DefId| {
            let def = Self { service: self.service.clone(), id: *id };
            let (kind, value) = def.description()?;
            Ok(container::Description { contained_object: self.reference(*id)?, kind, value })
        };
        found.iter().take(most).map(describe).collect()
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

    fn create_interface(
        &self,
        id: &str,
        name: &str,
        version: &str,
        base_interfaces: &[InterfaceDefRef],
    ) -> Result<InterfaceDefRef> {
        let bases = self.ids_of(base_interfaces)?;
        self.create_flavour(id, name, version, Flavour::Plain, bases)
    }

    fn create_abstract_interface(
        &self,
        id: &str,
        name: &str,
        version: &str,
        base_interfaces: &[AbstractInterfaceDefRef],
    ) -> Result<AbstractInterfaceDefRef> {
        let bases = self.ids_of(base_interfaces)?;
        self.create_flavour(id, name, version, Flavour::Abstract, bases)
    }

    fn create_local_interface(
        &self,
        id: &str,
        name: &str,
        version: &str,
        base_interfaces: &[InterfaceDefRef],
    ) -> Result<LocalInterfaceDefRef> {
        let bases = self.ids_of(base_interfaces)?;
        self.create_flavour(id, name, version, Flavour::Local, bases)
    }

    fn create_value(
        &self,
        id: &str,
        name: &str,
        version: &str,
        is_custom: bool,
        is_abstract: bool,
        base_value: &ValueDefRef,
        is_truncatable: bool,
        abstract_base_values: &[ValueDefRef],
        supported_interfaces: &[InterfaceDefRef],
        initializers: &[Initializer],
    ) -> Result<ValueDefRef> {
        let (bases, supported) = (abstract_base_values, supported_interfaces);
        let mut value =
            self.new_value(is_custom, is_abstract, base_value, is_truncatable, bases, supported)?;
        value.initializers = self.initializers_of(initializers)?;
        self.create(id, name, version, Kind::Value(value))
    }

    fn create_ext_value(
        &self,
        id: &str,
        name: &str,
        version: &str,
        is_custom: bool,
        is_abstract: bool,
        base_value: &ValueDefRef,
        is_truncatable: bool,
        abstract_base_values: &[ValueDefRef],
        supported_interfaces: &[InterfaceDefRef],
        initializers: &[ExtInitializer],
    ) -> Result<ExtValueDefRef> {
        let (bases, supported) = (abstract_base_values, supported_interfaces);
        let mut value =
            self.new_value(is_custom, is_abstract, base_value, is_truncatable, bases, supported)?;
        value.initializers = self.ext_initializers_of(initializers)?;
        self.create(id, name, version, Kind::Value(value))
    }

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
            return Err(ModelError::Invalid("pk_null is no type".to_owned()).into());
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
