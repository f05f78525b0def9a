//! Types in interfaces of COM: names of Windows, and the structs, enums and aliases that the IDL declares.

use super::Checker;
use super::com::NESTED_POINTERS;
use super::scope::Target;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    ComBase, ComDefinition, ComEnum, ComField, ComType, ComValue, ConstValue, DeclId, DeclKind,
    Primitive, Type,
};
use crate::parse::ast::{self, ComDefinitionKind, Name, ScopedName, TypeKind, TypeSpec};
use crate::source::Span;

/// The attributes that types and members of structs may have.
const OF_TYPES: &[&str] = &["com", "public", "v1_enum", "helpstring", "uuid", "version"];
const OF_MEMBERS: &[&str] = &["size_is", "length_is", "string", "unique", "iid_is", "helpstring"];

/// The most elements of an array within a struct.
const MAX_ELEMENTS: u32 = 0x1_0000;

/// The largest value of an enum that travels as 16 bits.
const MAX_NARROW: i32 = 0x7fff;

/// What a name of Windows stands for, where the IDL declares nothing of that name.
fn known(name: &str) -> Option<ComType> {
    Some(match name {
        "CHAR" => ComType::I1,
        "BYTE" | "UCHAR" | "BOOLEAN" => ComType::U1,
        "SHORT" => ComType::I2,
        "USHORT" | "WORD" | "WCHAR" | "OLECHAR" | "VARTYPE" => ComType::U2,
        "LONG" | "INT" | "BOOL" | "DISPID" | "HRESULT" | "SCODE" => ComType::I4,
        "ULONG" | "UINT" | "DWORD" | "LCID" => ComType::U4,
        "LONGLONG" => ComType::I8,
        "ULONGLONG" => ComType::U8,
        "FLOAT" => ComType::R4,
        "DOUBLE" => ComType::R8,
        "VARIANT_BOOL" => ComType::VariantBool,
        "GUID" | "IID" | "CLSID" | "REFGUID" | "REFIID" | "REFCLSID" => ComType::Guid,
        "DATE" => ComType::Date,
        "CURRENCY" | "CY" => ComType::Currency,
        "DECIMAL" => ComType::Decimal,
        "BSTR" => ComType::Bstr,
        "VARIANT" => ComType::Variant,
        "SAFEARRAY" => ComType::SafeArray,
        "LPWSTR" | "LPCWSTR" | "LPOLESTR" | "LPCOLESTR" => ComType::WideString,
        "IUnknown" => ComType::Object(Some(ComBase::Unknown)),
        "IDispatch" => ComType::Object(Some(ComBase::Dispatch)),
        _ => return None,
    })
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
    /// A struct, an enum or an alias for interfaces of COM.
    pub(super) fn com_definition(&mut self, definition: &ast::ComDefinition, docs: &[String]) {
        let name = &definition.name;
        self.check_midl(&definition.attributes, OF_TYPES, "a type of COM");
        let wide = definition.attributes.iter().any(|it| it.name == "v1_enum");
        let checked = match &definition.kind {
            ComDefinitionKind::Struct(fields) => self.com_struct(name, fields),
            ComDefinitionKind::Enum(values) => self.com_enum(name, wide, values),
            ComDefinitionKind::Alias(ty) => self.com_alias(name, ty),
        };
        match checked {
            Some(checked) => {
                self.add(name, docs, DeclKind::ComType(checked));
            }
            None => self.declare(name, Target::Error),
        }
    }

    fn com_alias(&mut self, name: &Name, spec: &ast::ComTypeSpec) -> Option<ComDefinition> {
        let (ty, sequence) = self.com_base_type(&spec.ty)?;
        let object = matches!(ty, ComType::Object(_));
        if sequence || spec.stars != usize::from(object) && spec.stars != 0 {
            let why = "another name can only stand for what has no pointer";
            self.bad_pointer(name, spec.ty.span, why)?;
        }
        Some(ComDefinition::Alias(ty))
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
            self.check_midl(&field.attributes, OF_MEMBERS, "a member");
            let Some(ty) = self.com_field_type(field) else { continue };
            let Name { text, span } = field.name.clone();
            checked.push(ComField { name: text, docs: field.docs.clone(), span, ty });
        }
        let names: Vec<&str> = checked.iter().map(|it| it.name.as_str()).collect();
        for field in fields {
            self.check_sizes(&field.attributes, &names, "member of the struct");
        }
        (checked.len() == fields.len()).then_some(ComDefinition::Struct(checked))
    }

    /// What travels for a member. Pointers within structs may be null.
    fn com_field_type(&mut self, field: &ast::ComField) -> Option<ComType> {
        let ast::ComTypeSpec { ty: spec, stars } = &field.ty;
        let has = |name: &str| field.attributes.iter().any(|it| it.name == name);
        let (mut ty, sequence) = self.com_base_type(spec)?;
        let mut stars = *stars;
        if has("string") && ty == ComType::U2 {
            (ty, stars) = (ComType::WideString, stars.saturating_sub(1));
        }
        if ty == ComType::WideString {
            ty = unique(ty);
        }
        if let ComType::Object(interface) = &mut ty {
            stars = stars.saturating_sub(1);
            *interface = interface.filter(|_| !has("iid_is"));
        }
        let sized = sequence || has("size_is") || has("length_is");
        let stars = if sequence { stars + 1 } else { stars };
        if !field.dimensions.is_empty() {
            return match (sized, stars) {
                (false, 0) => self.com_array(ty, field),
                _ => {
                    let why = "an array has its size, and neither pointers nor `size_is`";
                    self.bad_pointer(&field.name, spec.span, why)
                }
            };
        }
        match (sized, stars) {
            (true, 1) => Some(unique(array_of(ty, has("length_is")))),
            (true, 0) => self.bad_pointer(&field.name, spec.span, "`size_is` is for pointers"),
            (false, 0) => Some(ty),
            (false, 1) => Some(unique(ty)),
            _ => self.bad_pointer(&field.name, spec.span, NESTED_POINTERS),
        }
    }

    /// An array of a fixed size.
    fn com_array(&mut self, element: ComType, field: &ast::ComField) -> Option<ComType> {
        let mut ty = element;
        let mut all = 1u32;
        for dimension in field.dimensions.iter().rev() {
            let count = self.positive(dimension, "the size of an array")?;
            all = all.saturating_mul(count);
            ty = ComType::Fixed(Box::new(ty), count);
        }
        if all > MAX_ELEMENTS {
            let message =
                format!("an array in a struct of COM has at most {MAX_ELEMENTS} elements");
            self.error(Code::TooLarge, field.name.span, message);
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
                    let expected = self.expected(&Type::Primitive(Primitive::Long))?;
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
            if !wide && !(0..=MAX_NARROW).contains(&number) {
                let message = format!("`{text}` is {number}, which 16 bits do not hold");
                let error = Diagnostic::error(Code::BadCom, span, message);
                let help = "an enum has values from 0 to 32767, and with `v1_enum` all of 32 bits";
                self.session.report(error.help(help));
                return None;
            }
            checked.push(ComValue { name: text, docs: value.docs.clone(), span, value: number });
        }
        Some(ComDefinition::Enum(ComEnum { wide, values: checked }))
    }

    /// The type before the stars, and whether it is a sequence of it.
    pub(super) fn com_base_type(&mut self, spec: &TypeSpec) -> Option<(ComType, bool)> {
        let ty = match &spec.kind {
            TypeKind::Primitive(primitive) => of_primitive(*primitive),
            TypeKind::WString(None) => Some(ComType::WideString),
            TypeKind::Any => Some(ComType::Variant),
            TypeKind::Named(name) => return Some((self.com_type_of(name)?, false)),
            TypeKind::Sequence(element, None) => {
                let (element, nested) = self.com_base_type(element)?;
                return if nested {
                    self.unsupported_in_com(spec.span)
                } else {
                    Some((element, true))
                };
            }
            _ => None,
        };
        match ty {
            Some(ty) => Some((ty, false)),
            None => self.unsupported_in_com(spec.span),
        }
    }

    fn unsupported_in_com<T>(&mut self, span: Span) -> Option<T> {
        let message = "this type is not supported in interfaces of COM";
        let error = Diagnostic::error(Code::BadCom, span, message);
        let help = "supported are numbers, `BSTR`, `VARIANT`, `SAFEARRAY(T)`, `LPWSTR`, `GUID`, \
                    `CURRENCY`, `DATE`, `DECIMAL`, interfaces of COM, structs and enums that begin with \
                    `@com` or `typedef [public]`, and arrays of them";
        self.session.report(error.help(help));
        None
    }

    /// What a name stands for: an interface of COM that the IDL declares, or a name of Windows.
    pub(super) fn com_type_of(&mut self, name: &ScopedName) -> Option<ComType> {
        let plain = !name.absolute && name.rest.is_empty();
        if plain && let Some(ty) = known(&name.first.text) {
            return Some(ty);
        }
        let target = self.resolve(name)?;
        match target {
            Target::Decl(id) if self.is_com(id) => {
                Some(ComType::Object(Some(ComBase::Interface(id))))
            }
            Target::Decl(id) => match &self.model.get(id).kind {
                DeclKind::ComType(ComDefinition::Alias(ty)) => Some(ty.clone()),
                DeclKind::ComType(ComDefinition::Struct(_)) => Some(ComType::Struct(id)),
                DeclKind::ComType(ComDefinition::Enum(_)) => Some(ComType::Enum(id)),
                DeclKind::Struct(_) | DeclKind::Enum(_) | DeclKind::Typedef(_) => {
                    self.type_of_corba(id, name.span())
                }
                _ => self.unsupported_in_com(name.span()),
            },
            Target::Error => None,
            _ => self.unsupported_in_com(name.span()),
        }
    }

    /// A type whose declaration says only how it travels by GIOP.
    fn type_of_corba(&mut self, id: DeclId, span: Span) -> Option<ComType> {
        let (name, declared) = (&self.model.get(id).name, self.model.get(id).span);
        let message = format!("`{name}` is a type of CORBA, and travels by GIOP alone");
        let help = "write `@com` before its declaration; where interfaces of CORBA use it, too, \
                    declare it once for each";
        let error = Diagnostic::error(Code::BadCom, span, message).help(help);
        self.session.report(error.secondary(declared, "declared here"));
        None
    }
}

pub(super) fn unique(ty: ComType) -> ComType {
    ComType::Unique(Box::new(ty))
}

pub(super) fn array_of(element: ComType, varying: bool) -> ComType {
    let element = Box::new(element);
    if varying { ComType::Varying(element) } else { ComType::Array(element) }
}
