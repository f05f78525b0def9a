//! Signatures of operations, for dynamic calls.

use super::{DefId, Kind, Model, Result};
use armilla::dynamic::{Context, NamedValue, ParameterMode, Request};
use armilla::{Object, SystemException, TypeCode};
use std::fmt;

/// The signature of an operation, or of the getter or setter of an attribute. Its `Display` is IDL.
///
/// # Examples
/// ```
/// use armilla::TypeCode;
/// use armilla_ifr::model::Signature;
///
/// let getter = Signature::getter("balance", TypeCode::Double, Vec::new());
/// assert_eq!(getter.to_string(), "double _get_balance();");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The operation name on the wire: `_get_NAME` or `_set_NAME` for an attribute.
    pub operation: String,
    /// Whether the operation is oneway.
    pub oneway: bool,
    /// The type of the return value.
    pub result: TypeCode,
    /// The parameters: name, mode and type.
    pub parameters: Vec<(String, ParameterMode, TypeCode)>,
    /// The user exceptions.
    pub exceptions: Vec<TypeCode>,
    /// The names in the `context` clause.
    pub contexts: Vec<String>,
}

/// The signature of an operation without name, parameters and result.
impl Default for Signature {
    fn default() -> Self {
        let (operation, result) = (String::new(), TypeCode::Void);
        let (parameters, exceptions, contexts) = Default::default();
        Self { operation, oneway: false, result, parameters, exceptions, contexts }
    }
}

impl Model {
    /// The signatures of an interface, including inherited ones.
    ///
    /// # Errors
    /// A type is invalid.
    pub fn signatures(&self, interface: DefId) -> Result<Vec<Signature>> {
        let contents = self.contents(interface, crate::corba::DefinitionKind::DkAll, false);
        let signatures = contents.into_iter().map(|id| self.signatures_of(id));
        Ok(signatures.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// The signatures of an interface without inherited ones.
    ///
    /// # Errors
    /// A type is invalid.
    pub fn own_signatures(&self, interface: DefId) -> Result<Vec<Signature>> {
        let contents = self.contents(interface, crate::corba::DefinitionKind::DkAll, true);
        let signatures = contents.into_iter().map(|id| self.signatures_of(id));
        Ok(signatures.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// The signature of an operation, or those of an attribute; none for another definition.
    pub(crate) fn signatures_of(&self, id: DefId) -> Result<Vec<Signature>> {
        let definition = self.definition(id)?;
        match &definition.kind {
            Kind::Operation { result, oneway, parameters, exceptions, contexts } => {
                let parameters = parameters.iter().map(|parameter| {
                    Ok((parameter.name.clone(), parameter.mode, self.type_code(parameter.ty)?))
                });
                Ok(vec![Signature {
                    operation: definition.name.clone(),
                    oneway: *oneway,
                    result: self.type_code(*result)?,
                    parameters: parameters.collect::<Result<_>>()?,
                    exceptions: self.type_codes(exceptions)?,
                    contexts: contexts.clone(),
                }])
            }
            Kind::Attribute { ty, readonly, get_exceptions, set_exceptions } => {
                let (name, ty) = (&definition.name, self.type_code(*ty)?);
                let get = self.type_codes(get_exceptions)?;
                let mut signatures = vec![Signature::getter(name, ty.clone(), get)];
                if !readonly {
                    let set = self.type_codes(set_exceptions)?;
                    signatures.push(Signature::setter(name, ty, set));
                }
                Ok(signatures)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn type_codes(&self, ids: &[DefId]) -> Result<Vec<TypeCode>> {
        ids.iter().map(|id| self.type_code(*id)).collect()
    }
}

impl Signature {
    /// The getter of an attribute.
    pub fn getter(name: &str, ty: TypeCode, exceptions: Vec<TypeCode>) -> Self {
        let operation = format!("_get_{name}");
        Self { operation, result: ty, exceptions, ..Self::default() }
    }

    /// The setter of an attribute.
    pub fn setter(name: &str, ty: TypeCode, exceptions: Vec<TypeCode>) -> Self {
        let operation = format!("_set_{name}");
        let parameters = vec![("value".to_owned(), ParameterMode::In, ty)];
        Self { operation, parameters, exceptions, ..Self::default() }
    }
}

impl Signature {
    /// A request for the operation on `object`, with the types of parameters, result and exceptions
    /// but without values, as `create_operation_list` of the ORB makes. The context is empty.
    ///
    /// # Errors
    /// `BAD_PARAM` if a name in the `context` clause is invalid.
    pub fn request(&self, object: &Object) -> Result<Request, SystemException> {
        let mut request = object.request(self.operation.as_str());
        for (name, mode, ty) in &self.parameters {
            request.add(NamedValue::new(name, *mode, ty.clone()));
        }
        request.set_return_type(self.result.clone());
        for exception in &self.exceptions {
            request.add_exception(exception.clone());
        }
        if !self.contexts.is_empty() {
            let names = self.contexts.iter().map(String::as_str);
            request.set_context(&Context::new(), names)?;
        }
        Ok(request)
    }

    /// Whether a call may carry valuetypes. The signature does not describe types derived from the
    /// declared ones; [`Model::value_types`] and [`value_types`](crate::value_types) do.
    pub fn may_carry_values(&self) -> bool {
        let parameters = self.parameters.iter().map(|(_, _, ty)| ty);
        let mut types = parameters.chain([&self.result]).chain(&self.exceptions);
        types.any(may_hold_values)
    }

    /// Whether the operation has neither a return value nor `out` or `inout` parameters.
    pub fn has_no_results(&self) -> bool {
        let returned =
            |(_, mode, _): &(String, ParameterMode, TypeCode)| *mode != ParameterMode::In;
        matches!(self.result, TypeCode::Void) && !self.parameters.iter().any(returned)
    }
}

/// Whether a value of the type may hold, or be, a valuetype.
fn may_hold_values(code: &TypeCode) -> bool {
    match code {
        TypeCode::Value(_) | TypeCode::Event(_) | TypeCode::ValueBox(_) => true,
        TypeCode::AbstractInterface(_) | TypeCode::Any => true,
        TypeCode::Alias(code) => may_hold_values(&code.ty),
        TypeCode::Sequence(element, _) | TypeCode::Array(element, _) => may_hold_values(element),
        TypeCode::Struct(code) | TypeCode::Exception(code) => {
            code.members.iter().any(|member| may_hold_values(&member.ty))
        }
        TypeCode::Union(code) => code.cases.iter().any(|case| may_hold_values(&case.ty)),
        _ => false,
    }
}

/// IDL, with types by name.
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

/// A type in IDL syntax, by its name if it has one.
///
/// ```
/// use armilla::TypeCode;
///
/// let type_code = TypeCode::sequence(TypeCode::ULong, 0);
/// assert_eq!(armilla_ifr::model::type_name(&type_code), "sequence<unsigned long>");
/// ```
pub fn type_name(code: &TypeCode) -> String {
    Type(code).to_string()
}

/// The `Display` of a type in IDL syntax.
pub(crate) struct Type<'c>(pub(crate) &'c TypeCode);

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
            TypeCode::TypeCode => "CORBA::TypeCode",
            TypeCode::Void => "void",
            TypeCode::Principal => "CORBA::Principal",
            named => match named.name().filter(|name| !name.is_empty()) {
                Some(name) => name,
                None => return write!(f, "{:?}", named.kind()),
            },
        };
        f.write_str(basic)
    }
}
