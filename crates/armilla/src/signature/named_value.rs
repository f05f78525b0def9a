//! Arguments of calls whose operation is known by its name.

use armilla_cdr::{Any, CdrError, CdrErrorKind, CdrResult, Decoder, Encoder, TypeCode};

/// Which way an argument goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParameterMode {
    /// From the caller to the object.
    In,
    /// From the object to the caller.
    Out,
    /// There and back.
    InOut,
}

/// An argument: its name, which way it goes, its type, and its value once there is one. IDL
/// `NamedValue` (CORBA 3.4 Part 1, 10.2.1.1).
#[derive(Debug, Clone, PartialEq)]
pub struct NamedValue {
    name: String,
    mode: ParameterMode,
    type_code: TypeCode,
    value: Option<Any>,
}

impl NamedValue {
    /// An argument of this type that has no value yet.
    pub fn new(name: impl Into<String>, mode: ParameterMode, type_code: TypeCode) -> Self {
        Self { name: name.into(), mode, type_code, value: None }
    }

    /// An argument that is given.
    pub fn with_value(name: impl Into<String>, mode: ParameterMode, value: Any) -> Self {
        let type_code = value.type_code().clone();
        Self { name: name.into(), mode, type_code, value: Some(value) }
    }

    /// Its name, for people; it does not travel.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which way it goes.
    pub const fn mode(&self) -> ParameterMode {
        self.mode
    }

    /// Its type.
    pub const fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// Its value: what was given, or what came back.
    pub const fn value(&self) -> Option<&Any> {
        self.value.as_ref()
    }

    /// Gives it another value, which must be of its type.
    pub fn set_value(&mut self, value: Any) {
        self.value = Some(value);
    }

    /// Whether it goes from the caller to the object.
    pub(crate) fn is_sent(&self) -> bool {
        self.mode != ParameterMode::Out
    }

    /// Whether it goes from the object to the caller.
    pub(crate) fn is_returned(&self) -> bool {
        self.mode != ParameterMode::In
    }

    /// Why its value cannot be sent, in words; `None` when it can be.
    pub(crate) fn fault(&self) -> Option<String> {
        match &self.value {
            Some(value) if is_of(value, &self.type_code) => None,
            value => Some(self.told_fault(value.as_ref())),
        }
    }

    #[cold]
    fn told_fault(&self, value: Option<&Any>) -> String {
        let name = &self.name;
        let Some(value) = value else { return format!("the argument {name:?} has no value") };
        let (found, declared) = (told(value.type_code()), told(&self.type_code));
        format!("the argument {name:?} is of the type {found}, and {declared} was declared")
    }

    pub(crate) fn read(&mut self, input: &mut Decoder<'_>) -> CdrResult {
        self.value = Some(Any::read(self.type_code.clone(), input)?);
        Ok(())
    }
}

/// Writes what should be a value of the type `type_code`.
pub(crate) fn write<'p>(
    value: Option<&'p Any>,
    type_code: &TypeCode,
    out: &mut Encoder<'p>,
) -> CdrResult {
    let invalid = |what| Err(CdrError::new(CdrErrorKind::Invalid(what)));
    match value {
        Some(value) if is_of(value, type_code) => value.write_borrowed(out),
        Some(_) => invalid("an argument or result is not of the type that was declared"),
        None => invalid("an argument has no value"),
    }
}

/// A type in words.
fn told(code: &TypeCode) -> String {
    match (code.kind(), code.id()) {
        (Some(kind), Some(id)) => format!("{kind:?} {id}"),
        (Some(kind), None) => format!("{kind:?}"),
        (None, _) => "none".to_owned(),
    }
}

fn is_of(value: &Any, declared: &TypeCode) -> bool {
    let code = value.type_code();
    code.is_equivalent(declared) || code.is_derived_from(declared)
}
