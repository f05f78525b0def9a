//! Types in interfaces of COM: names of Windows, and the structs, enums and aliases that the IDL declares.

use super::Checker;
use super::com_pointers::{Declared, Place};
use super::scope::{Target, key};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    ComAlias, ComBase, ComDefinition, ComEnum, ComField, ComPointer, ComType, ComUnion, ComValue,
    ConstValue, DeclId, DeclKind, Primitive, Type,
};
use crate::parse::ast::{Expr, Name, ScopedName, TypeKind, TypeSpec};
use crate::parse::com_ast::{self as ast, ComDefinitionKind};
use crate::parse::plain;
use crate::source::Span;

/// The attributes that types and members of structs may have.
const OF_TYPES: &[&str] = &[
    "com",
    "public",
    "v1_enum",
    "helpstring",
    "uuid",
    "version",
    "switch_type",
    "unique",
    "ref",
    "ptr",
    "string",
    "hidden",
    "helpcontext",
    "custom",
    "restricted",
    "context_handle_noserialize",
    "annotation",
    "wire_marshal",
    "noncreatable",
    "default",
    "dual",
    "control",
    "licensed",
    "aggregatable",
    "appobject",
    "nonextensible",
    "threading",
    "progid",
    "vi_progid",
    "helpstringcontext",
    "flags",
];
const OF_MEMBERS: &[&str] = &[
    "size_is",
    "length_is",
    "max_is",
    "last_is",
    "first_is",
    "string",
    "unique",
    "ref",
    "ptr",
    "iid_is",
    "switch_is",
    "switch_type",
    "helpstring",
    "range",
    "annotation",
    "hidden",
    "id",
];

/// The most elements of an array within a struct.
const MAX_ELEMENTS: u32 = 0x1_0000;

/// The largest value of an enum that travels as 16 bits.
const MAX_NARROW: i32 = 0x7fff;

/// The type before the stars, once names are understood.
#[derive(Debug, Clone)]
pub(super) struct Base {
    pub(super) alias: ComAlias,
    /// Whether it is a `sequence` of that.
    pub(super) sequence: bool,
}

impl From<ComType> for Base {
    fn from(ty: ComType) -> Self {
        Self { alias: ComAlias { ty, stars: 0, string: false, pointer: None }, sequence: false }
    }
}

impl Base {
    fn pointer(ty: ComType, string: bool) -> Self {
        Self { alias: ComAlias { ty, stars: 1, string, pointer: None }, sequence: false }
    }
}

/// What a name of Windows stands for, where the IDL declares nothing of that name.
pub(super) fn known(name: &str) -> Option<Base> {
    Some(Base::from(match name {
        "CHAR" | "INT8" => ComType::I1,
        "BYTE" | "UCHAR" | "BOOLEAN" | "UINT8" => ComType::U1,
        "SHORT" | "INT16" => ComType::I2,
        "USHORT" | "WORD" | "WCHAR" | "OLECHAR" | "TCHAR" | "VARTYPE" | "UINT16" => ComType::U2,
        "LONG" | "INT" | "BOOL" | "DISPID" | "HRESULT" | "SCODE" | "MEMBERID" | "INT32"
        | "LONG32" | "NTSTATUS" | "INT_PTR" | "LONG_PTR" | "LRESULT" | "LPARAM" => ComType::I4,
        "ULONG" | "UINT" | "DWORD" | "LCID" | "UINT32" | "ULONG32" | "DWORD32" | "COLORREF"
        | "OLE_COLOR" | "OLE_HANDLE" | "PROPID" | "UINT_PTR" | "ULONG_PTR" | "DWORD_PTR"
        | "SIZE_T" | "WPARAM" => ComType::U4,
        "LONGLONG" | "INT64" | "LONG64" => ComType::I8,
        "ULONGLONG" | "UINT64" | "ULONG64" | "DWORDLONG" | "DWORD64" => ComType::U8,
        "FLOAT" => ComType::R4,
        "DOUBLE" => ComType::R8,
        "VARIANT_BOOL" => ComType::VariantBool,
        "GUID" | "IID" | "CLSID" | "CATID" | "UUID" | "FMTID" | "REFGUID" | "REFIID"
        | "REFCLSID" | "REFFMTID" => ComType::Guid,
        "DATE" => ComType::Date,
        "CURRENCY" | "CY" => ComType::Currency,
        "DECIMAL" => ComType::Decimal,
        "BSTR" => ComType::Bstr,
        "VARIANT" | "VARIANTARG" => ComType::Variant,
        "SAFEARRAY" => ComType::SafeArray,
        "IUnknown" => ComType::Object(Some(ComBase::Unknown)),
        "IDispatch" => ComType::Object(Some(ComBase::Dispatch)),
        "LPWSTR" | "LPCWSTR" | "LPOLESTR" | "LPCOLESTR" | "PWSTR" | "PCWSTR" => {
            return Some(Base::pointer(ComType::U2, true));
        }
        "LPSTR" | "LPCSTR" => return Some(Base::pointer(ComType::U1, true)),
        "LPUNKNOWN" => return Some(Base::pointer(ComType::Object(Some(ComBase::Unknown)), false)),
        "LPDISPATCH" => {
            return Some(Base::pointer(ComType::Object(Some(ComBase::Dispatch)), false));
        }
        "LPDWORD" | "PDWORD" | "PULONG" | "LPUINT" => {
            return Some(Base::pointer(ComType::U4, false));
        }
        "LPBOOL" | "PLONG" | "LPLONG" | "LPINT" => return Some(Base::pointer(ComType::I4, false)),
        "LPBYTE" | "PBYTE" => return Some(Base::pointer(ComType::U1, false)),
        "LPVARIANT" => return Some(Base::pointer(ComType::Variant, false)),
        "LPSAFEARRAY" => return Some(Base::pointer(ComType::SafeArray, false)),
        "LPGUID" | "LPIID" | "LPCLSID" | "LPCGUID" => {
            return Some(Base::pointer(ComType::Guid, false));
        }
        "LPBSTR" => return Some(Base::pointer(ComType::Bstr, false)),
        _ => return None,
    }))
}

/// Whether a name is one of Windows that needs no declaration.
pub(super) fn is_known(name: &str) -> bool {
    known(name).is_some()
}

/// Whether a name of Windows travels as something else than this. A `BSTR` is an `OLECHAR *` in C.
pub(super) fn is_other(name: &str, alias: &ComAlias) -> bool {
    let width = |ty: &ComType| match ty {
        ComType::I1 | ComType::U1 => Some(1),
        ComType::I2 | ComType::U2 | ComType::VariantBool => Some(2),
        ComType::I4 | ComType::U4 => Some(4),
        ComType::I8 | ComType::U8 | ComType::Currency => Some(8),
        // Of floating point.
        ComType::R8 | ComType::Date => Some(0),
        _ => None,
    };
    let Some(Base { alias: known, .. }) = known(name) else { return false };
    let alike =
        known.ty == alias.ty || width(&known.ty).is_some_and(|it| width(&alias.ty) == Some(it));
    let pointer = known.stars == alias.stars && known.string == alias.string;
    !(alike && pointer || known.ty == ComType::Bstr && alias.ty == ComType::U2)
}

/// What a type of IDL stands for.
fn of_primitive(primitive: Primitive) -> Option<ComType> {
    Some(match primitive {
        Primitive::Int8 => ComType::I1,
        Primitive::Octet | Primitive::UInt8 | Primitive::Char | Primitive::Boolean => ComType::U1,
        Primitive::Short => ComType::I2,
        Primitive::UShort | Primitive::WChar => ComType::U2,
        Primitive::Long => ComType::I4,
        Primitive::ULong => ComType::U4,
        Primitive::LongLong => ComType::I8,
        Primitive::ULongLong => ComType::U8,
        Primitive::Float => ComType::R4,
        Primitive::Double => ComType::R8,
        Primitive::LongDouble => return None,
    })
}

impl Checker<'_, '_> {
    /// A type for interfaces of COM. In MIDL one that cannot travel is no error before a method uses it.
    pub(super) fn com_definition(&mut self, definition: &ast::ComDefinition, docs: &[String]) {
        let name = &definition.name;
        let again = matches!(&definition.kind, ComDefinitionKind::Alias(ty, _) if self.names_itself(name, ty));
        if !again {
            self.com_redefines(definition);
            self.com_replaces(name);
            definition.tag.iter().for_each(|tag| self.com_replaces(tag));
        }
        if self.declared_elsewhere(name) {
            if !again {
                self.com_type_again(definition);
            }
            return;
        }
        let midl = self.session.midl.contains(&name.span.file);
        let held = self.session.hold(midl);
        self.com_type_definition(definition, docs);
        let why = self.session.release(held);
        if let Some(why) = why.into_iter().next() {
            self.com_reasons.insert(key(&name.text), why.message);
        }
    }

    fn com_type_definition(&mut self, definition: &ast::ComDefinition, docs: &[String]) {
        let name = &definition.name;
        self.check_midl(&definition.attributes, OF_TYPES, "a type of COM");
        let empty = match &definition.kind {
            ComDefinitionKind::Struct(_) => ComDefinition::Struct(Vec::new()),
            ComDefinitionKind::Union(_) => {
                ComDefinition::Union(ComUnion { tag: ComType::I4, arms: Vec::new() })
            }
            _ => return self.com_leaf(definition, docs),
        };
        // Its members may point to it, by its name or its tag.
        let id = self.add(name, docs, DeclKind::ComType(empty));
        if let Some(tag) = definition.tag.as_ref().filter(|tag| !self.declared_elsewhere(tag)) {
            self.declare(tag, Target::Decl(id));
        }
        self.com_claim(id, [Some(name), definition.tag.as_ref()]);
        match self.com_checked(definition) {
            Some(checked) => self.model.declarations[id.index()].kind = DeclKind::ComType(checked),
            None => self.com_failed(id, name),
        }
    }

    /// A type without members that could name it.
    fn com_leaf(&mut self, definition: &ast::ComDefinition, docs: &[String]) {
        let name = &definition.name;
        if let ComDefinitionKind::Alias(ty, _) = &definition.kind
            && (self.names_itself(name, ty) || self.names_later(name, ty))
        {
            return;
        }
        match self.com_checked(definition) {
            Some(checked) => {
                let id = self.add(name, docs, DeclKind::ComType(checked));
                if let Some(tag) = definition.tag.as_ref().filter(|it| !self.declared_elsewhere(it))
                {
                    self.declare(tag, Target::Decl(id));
                }
            }
            None => self.declare(name, Target::Error),
        }
    }

    /// What a definition says.
    pub(super) fn com_checked(&mut self, definition: &ast::ComDefinition) -> Option<ComDefinition> {
        let (name, attributes) = (&definition.name, &definition.attributes);
        match &definition.kind {
            ComDefinitionKind::Struct(fields) => self.com_struct(name, fields),
            ComDefinitionKind::Union(union) => self.com_union(name, attributes, union),
            ComDefinitionKind::Enum(values) => {
                let wide = attributes.iter().any(|it| it.name == "v1_enum");
                self.com_enum(name, wide, values)
            }
            ComDefinitionKind::Alias(ty, dimensions) => {
                self.com_alias(name, attributes, ty, dimensions)
            }
            ComDefinitionKind::Class => self.com_class(name, attributes),
            ComDefinitionKind::Dispatch(members) => self.com_dispatch(name, attributes, members),
        }
    }

    /// `typedef struct S S;` and `typedef interface I I;` say nothing.
    fn names_itself(&self, name: &Name, spec: &ast::ComTypeSpec) -> bool {
        match &spec.ty.kind {
            TypeKind::Named(ty) => {
                spec.stars == 0 && ty.rest.is_empty() && ty.first.text == name.text
            }
            _ => false,
        }
    }

    pub(super) fn com_alias(
        &mut self,
        name: &Name,
        attributes: &[ast::MidlAttribute],
        spec: &ast::ComTypeSpec,
        dimensions: &[Option<Expr>],
    ) -> Option<ComDefinition> {
        // It travels as another type does.
        let wire = attributes.iter().find(|it| it.name == "wire_marshal");
        if let Some(wire) = wire.and_then(|it| it.text.clone()) {
            let first = Name { text: plain(&wire), span: name.span };
            let wire = ScopedName { absolute: false, first, rest: Vec::new() };
            return Some(ComDefinition::Alias(self.com_type_of(&wire)?.alias));
        }
        let base = self.com_base_type(&spec.ty)?;
        if base.sequence {
            let why = "another name cannot stand for a sequence";
            self.bad_pointer(name, spec.ty.span, why)?;
        }
        let ComAlias { ty, stars, string, pointer } = base.alias;
        let has = |name: &str| attributes.iter().any(|it| it.name == name);
        let pointer = match () {
            () if has("ptr") => Some(ComPointer::Full),
            () if has("ref") => Some(ComPointer::Reference),
            () if has("unique") => Some(ComPointer::Unique),
            () => pointer,
        };
        let stars = stars + spec.stars;
        let string = string || has("string") && stars > 0;
        let ty = match dimensions {
            [] => ty,
            _ if stars == 0 => self.com_array(ty, name, dimensions)?,
            _ => self.bad_pointer(name, spec.ty.span, "an array of pointers has no other name")?,
        };
        Some(ComDefinition::Alias(ComAlias { ty, stars, string, pointer }))
    }

    fn com_struct(&mut self, name: &Name, fields: &[ast::ComField]) -> Option<ComDefinition> {
        if fields.is_empty() {
            self.error(Code::BadCom, name.span, "a struct of COM needs at least one member");
            return None;
        }
        let mut checked: Vec<ComField> = Vec::new();
        for field in fields {
            let same = checked.iter().find(|known| known.name == field.name.text);
            if let Some(same) = same.map(|same| same.span) {
                let message = format!("two members have the name `{}`", field.name.text);
                let error = Diagnostic::error(Code::BadCom, field.name.span, message);
                self.session.report(error.secondary(same, "declared here"));
                continue;
            }
            if let Some(before) = checked.last().filter(|it| self.is_conformant(&it.ty)) {
                let message = format!("`{}` has any number of elements", before.name);
                let error = Diagnostic::error(Code::BadCom, before.span, message);
                self.session.report(error.help("such an array is the last member"));
                return None;
            }
            let Some(field) = self.com_field(field) else { continue };
            checked.push(field);
        }
        let names: Vec<&str> = checked.iter().map(|it| it.name.as_str()).collect();
        let known: Vec<_> = checked.iter().map(|it| (&*it.name, &it.ty)).collect();
        let bounds = fields.iter().map(|field| {
            let what = "member of the struct";
            self.check_names(&field.attributes, &names, what);
            let bounds = self.com_bounds(&field.attributes, &known, what);
            if field.ty.is_sequence() { Vec::new() } else { bounds }
        });
        let bounds: Vec<_> = bounds.collect();
        if checked.len() < fields.len() {
            return None;
        }
        checked.iter_mut().zip(bounds).for_each(|(it, bounds)| it.bounds = bounds);
        Some(ComDefinition::Struct(checked))
    }

    /// A member of a struct or an arm of a union.
    pub(super) fn com_field(&mut self, field: &ast::ComField) -> Option<ComField> {
        self.check_midl(&field.attributes, OF_MEMBERS, "a member");
        let declared = Declared {
            name: &field.name,
            ty: &field.ty,
            dimensions: &field.dimensions,
            attributes: &field.attributes,
            place: Place::Member,
        };
        let ty = self.com_declared(&declared)?;
        let Name { text, span } = field.name.clone();
        Some(ComField { name: text, docs: field.docs.clone(), span, ty, bounds: Vec::new() })
    }

    /// Whether a value ends with an array of any size.
    pub(super) fn is_conformant(&self, ty: &ComType) -> bool {
        match ty {
            ComType::Array(_) | ComType::Varying(_) => true,
            ComType::Struct(id) => match &self.model.get(*id).kind {
                DeclKind::ComType(ComDefinition::Struct(fields)) => {
                    fields.last().is_some_and(|field| self.is_conformant(&field.ty))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// An array of a fixed size.
    pub(super) fn com_array(
        &mut self,
        element: ComType,
        name: &Name,
        dimensions: &[Option<Expr>],
    ) -> Option<ComType> {
        let mut ty = element;
        let mut all = 1u32;
        for dimension in dimensions.iter().rev() {
            let Some(dimension) = dimension else {
                return self.bad_pointer(name, name.span, "an array needs a size or `size_is`");
            };
            let count = self.positive(dimension, "the size of an array")?;
            all = all.saturating_mul(count);
            ty = ComType::Fixed(Box::new(ty), count);
        }
        if all > MAX_ELEMENTS {
            let message =
                format!("an array in a struct of COM has at most {MAX_ELEMENTS} elements");
            self.error(Code::TooLarge, name.span, message);
            return None;
        }
        Some(ty)
    }

    fn com_enum(
        &mut self,
        name: &Name,
        wide: bool,
        values: &[ast::ComValue],
    ) -> Option<ComDefinition> {
        if values.is_empty() {
            self.error(Code::BadCom, name.span, "an enum of COM needs at least one value");
            return None;
        }
        let mut checked: Vec<ComValue> = Vec::new();
        for value in values {
            let number = match &value.value {
                Some(expr) => {
                    // C gives the constants of an enum 32 bits with a sign, whatever is written.
                    let expected = self.expected(&Type::Primitive(Primitive::LongLong))?;
                    match self.evaluate(expr, &expected)? {
                        ConstValue::Integer(number) => number as i32,
                        _ => return None,
                    }
                }
                None => checked.last().map_or(0, |last| last.value.wrapping_add(1)),
            };
            let Name { text, span } = value.name.clone();
            if let Some(same) = checked.iter().find(|known| known.name == text) {
                let message = format!("two values have the name `{text}`");
                let error = Diagnostic::error(Code::BadCom, span, message);
                self.session.report(error.secondary(same.span, "declared here"));
                return None;
            }
            // A constant of C may be one that never travels.
            let midl = self.session.midl.contains(&span.file);
            if !wide && !midl && !(0..=MAX_NARROW).contains(&number) {
                let message = format!("`{text}` is {number}, which 16 bits do not hold");
                let error = Diagnostic::error(Code::BadCom, span, message);
                let help = "an enum has values from 0 to 32767, and with `v1_enum` all of 32 bits";
                self.session.report(error.help(help));
                return None;
            }
            self.com_numbered(&value.name, number);
            checked.push(ComValue { name: text, docs: value.docs.clone(), span, value: number });
        }
        Some(ComDefinition::Enum(ComEnum { wide, values: checked }))
    }

    /// The type before the stars.
    pub(super) fn com_base_type(&mut self, spec: &TypeSpec) -> Option<Base> {
        let ty = match &spec.kind {
            TypeKind::Primitive(primitive) => of_primitive(*primitive),
            TypeKind::WString(None) => return Some(Base::pointer(ComType::U2, true)),
            TypeKind::Any => Some(ComType::Variant),
            TypeKind::Named(name) => return self.com_type_of(name),
            TypeKind::Sequence(element, None) => {
                let element = self.com_base_type(element)?;
                return if element.sequence {
                    self.unsupported_in_com(spec.span)
                } else {
                    Some(Base { sequence: true, ..element })
                };
            }
            _ => None,
        };
        match ty {
            Some(ty) => Some(ty.into()),
            None => self.unsupported_in_com(spec.span),
        }
    }

    pub(super) fn unsupported_in_com<T>(&mut self, span: Span) -> Option<T> {
        let message = "this type is not supported in interfaces of COM";
        let error = Diagnostic::error(Code::BadCom, span, message);
        let help = "supported are numbers, `BSTR`, `VARIANT`, `SAFEARRAY(T)`, `LPWSTR`, `GUID`, \
                    `CURRENCY`, `DATE`, `DECIMAL`, interfaces of COM, structs, unions and enums that begin \
                    with `@com` or `typedef [public]`, and arrays of them";
        self.session.report(error.help(help));
        None
    }

    /// What a name stands for: an interface of COM that the IDL declares, or a name of Windows.
    pub(super) fn com_type_of(&mut self, name: &ScopedName) -> Option<Base> {
        let plain = !name.absolute && name.rest.is_empty();
        if plain
            && self.is_windows(&name.first.text)
            && let Some(base) = known(&name.first.text)
        {
            return Some(base);
        }
        if plain && name.first.text == "void" {
            return self.unsupported_in_com(name.span());
        }
        if plain && self.is_com_forward(&name.first) {
            return Some(ComType::Object(None).into());
        }
        let target = match self.is_com_failed(name) {
            true => return self.com_failed_before(name),
            false => self.resolve(name)?,
        };
        let id = match target {
            Target::Decl(id) if self.is_com(id) => {
                return Some(ComType::Object(Some(ComBase::Interface(id))).into());
            }
            Target::Decl(id) => id,
            Target::Error => return None,
            _ => return self.unsupported_in_com(name.span()),
        };
        match &self.model.get(id).kind {
            DeclKind::ComType(definition) => match definition {
                ComDefinition::Alias(alias) => Some(Base { alias: alias.clone(), sequence: false }),
                ComDefinition::Struct(_) => Some(ComType::Struct(id).into()),
                ComDefinition::Union(_) => Some(ComType::Union(id).into()),
                ComDefinition::Enum(_) => Some(ComType::Enum(id).into()),
                ComDefinition::Dispatch(_) => Some(ComType::Object(Some(ComBase::Dispatch)).into()),
                ComDefinition::Class(_) => Some(ComType::Object(None).into()),
            },
            DeclKind::Struct(_) | DeclKind::Enum(_) | DeclKind::Typedef(_) => {
                self.type_of_corba(id, name.span())
            }
            _ => self.unsupported_in_com(name.span()),
        }
    }

    /// A type whose declaration says only how it travels by GIOP.
    fn type_of_corba(&mut self, id: DeclId, span: Span) -> Option<Base> {
        let (name, declared) = (&self.model.get(id).name, self.model.get(id).span);
        let message = format!("`{name}` is a type of CORBA, and travels by GIOP alone");
        let help = "write `@com` before its declaration; where interfaces of CORBA use it, too, \
                    declare it once for each";
        let error = Diagnostic::error(Code::BadCom, span, message).help(help);
        self.session.report(error.secondary(declared, "declared here"));
        None
    }
}
