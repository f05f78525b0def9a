//! What one must know of an operation to call it.

use super::{DefId, Kind, Model, Result};
use armilla::TypeCode;
use armilla::dynamic::ParameterMode;
use std::fmt;

/// An operation, or reading or writing an attribute, as a caller sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The name as it travels: that of an attribute is `_get_NAME` or `_set_NAME`.
    pub operation: String,
    /// Whether nothing comes back.
    pub oneway: bool,
    /// What it returns.
    pub result: TypeCode,
    /// Its parameters: name, way and type.
    pub parameters: Vec<(String, ParameterMode, TypeCode)>,
    /// What it raises.
    pub exceptions: Vec<TypeCode>,
}

impl Model {
    /// What an interface offers, with what it inherits.
    ///
    /// # Errors
    /// When a type of it cannot exist.
    pub fn signatures(&self, interface: DefId) -> Result<Vec<Signature>> {
        let mut signatures = Vec::new();
        let contents = self.contents(interface, crate::corba::DefinitionKind::DkAll, false);
        for definition in contents.into_iter().filter_map(|id| self.get(id)) {
            match &definition.kind {
                Kind::Operation { result, oneway, parameters, exceptions, .. } => {
                    let parameters = parameters.iter().map(|parameter| {
                        Ok((parameter.name.clone(), parameter.mode, self.type_code(parameter.ty)?))
                    });
                    signatures.push(Signature {
                        operation: definition.name.clone(),
                        oneway: *oneway,
                        result: self.type_code(*result)?,
                        parameters: parameters.collect::<Result<_>>()?,
                        exceptions: self.type_codes(exceptions)?,
                    });
                }
                Kind::Attribute { ty, readonly, get_exceptions, set_exceptions } => {
                    let (name, ty) = (&definition.name, self.type_code(*ty)?);
                    let get = self.type_codes(get_exceptions)?;
                    signatures.push(Signature::reading(name, ty.clone(), get));
                    if !readonly {
                        let set = self.type_codes(set_exceptions)?;
                        signatures.push(Signature::writing(name, ty, set));
                    }
                }
                _ => {}
            }
        }
        Ok(signatures)
    }

    fn type_codes(&self, ids: &[DefId]) -> Result<Vec<TypeCode>> {
        ids.iter().map(|id| self.type_code(*id)).collect()
    }
}

impl Signature {
    /// Reading an attribute.
    pub fn reading(name: &str, ty: TypeCode, exceptions: Vec<TypeCode>) -> Self {
        let operation = format!("_get_{name}");
        Self { operation, oneway: false, result: ty, parameters: Vec::new(), exceptions }
    }

    /// Writing an attribute.
    pub fn writing(name: &str, ty: TypeCode, exceptions: Vec<TypeCode>) -> Self {
        let operation = format!("_set_{name}");
        let parameters = vec![("value".to_owned(), ParameterMode::In, ty)];
        Self { operation, oneway: false, result: TypeCode::Void, parameters, exceptions }
    }
}

impl Signature {
    /// Whether nothing comes back but that it was done.
    pub fn returns_nothing(&self) -> bool {
        let returned =
            |(_, mode, _): &(String, ParameterMode, TypeCode)| *mode != ParameterMode::In;
        matches!(self.result, TypeCode::Void) && !self.parameters.iter().any(returned)
    }
}

/// As IDL has it, types by their names.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.oneway {
            f.write_str("oneway ")?;
        }
        write!(f, "{} {}(", Type(&self.result), self.operation)?;
        for (index, (name, mode, ty)) in self.parameters.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            let mode = match mode {
                ParameterMode::In => "in",
                ParameterMode::Out => "out",
                ParameterMode::InOut => "inout",
            };
            write!(f, "{comma}{mode} {} {name}", Type(ty))?;
        }
        f.write_str(")")?;
        for (index, exception) in self.exceptions.iter().enumerate() {
            f.write_str(if index > 0 { ", " } else { " raises (" })?;
            write!(f, "{}", Type(exception))?;
        }
        if !self.exceptions.is_empty() {
            f.write_str(")")?;
        }
        f.write_str(";")
    }
}

/// A type as IDL writes it where it is used.
struct Type<'c>(&'c TypeCode);

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let basic = match self.0 {
            TypeCode::String(0) => "string",
            TypeCode::WString(0) => "wstring",
            TypeCode::String(bound) => return write!(f, "string<{bound}>"),
            TypeCode::WString(bound) => return write!(f, "wstring<{bound}>"),
            TypeCode::Fixed { digits, scale } => return write!(f, "fixed<{digits}, {scale}>"),
            TypeCode::Sequence(element, 0) => return write!(f, "sequence<{}>", Type(element)),
            TypeCode::Sequence(element, bound) => {
                return write!(f, "sequence<{}, {bound}>", Type(element));
            }
            TypeCode::Array(element, length) => return write!(f, "{}[{length}]", Type(element)),
            TypeCode::Short => "short",
            TypeCode::UShort => "unsigned short",
            TypeCode::Long => "long",
            TypeCode::ULong => "unsigned long",
            TypeCode::LongLong => "long long",
            TypeCode::ULongLong => "unsigned long long",
            TypeCode::Float => "float",
            TypeCode::Double => "double",
            TypeCode::LongDouble => "long double",
            TypeCode::Boolean => "boolean",
            TypeCode::Char => "char",
            TypeCode::WChar => "wchar",
            TypeCode::Octet => "octet",
            TypeCode::Any => "any",
            TypeCode::TypeCode => "TypeCode",
            TypeCode::Void => "void",
            TypeCode::Principal => "Principal",
            named => match named.name().filter(|name| !name.is_empty()) {
                Some(name) => name,
                None => return write!(f, "{:?}", named.kind()),
            },
        };
        f.write_str(basic)
    }
}
