//! Named values: the arguments of dynamic calls, and of requests that interceptors inspect.

use armilla_cdr::{Any, CdrError, CdrErrorKind, CdrResult, Decoder, Encoder, TypeCode};

/// The direction of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParameterMode {
    /// From the caller to the object.
    In,
    /// From the object to the caller.
    Out,
    /// In both directions.
    InOut,
}

/// An argument: its name, its direction, its type, and its value once it has one. `NamedValue` in
/// IDL (CORBA 3.4 Part 1, 10.2.1.1).
///
/// ```
/// use armilla::dynamic::{NamedValue, ParameterMode};
/// use armilla::{Any, TypeCode};
///
/// let amount = NamedValue::with_value("amount", ParameterMode::In, Any::new(&500.0)?);
/// let balance = NamedValue::new("balance", ParameterMode::Out, TypeCode::Double);
/// assert_eq!(amount.type_code(), balance.type_code());
/// assert!(balance.value().is_none());
/// # Ok::<(), armilla::CdrError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NamedValue {
    name: String,
    mode: ParameterMode,
    type_code: TypeCode,
    value: Option<Any>,
}

impl NamedValue {
    /// Creates an argument of this type without a value.
    pub fn new(name: impl Into<String>, mode: ParameterMode, type_code: TypeCode) -> Self {
        Self { name: name.into(), mode, type_code, value: None }
    }

    /// Creates an argument with a value, which determines the type.
    pub fn with_value(name: impl Into<String>, mode: ParameterMode, value: Any) -> Self {
        let type_code = value.type_code().clone();
        Self { name: name.into(), mode, type_code, value: Some(value) }
    }

    /// The name, for error messages. It is not sent.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The direction.
    pub const fn mode(&self) -> ParameterMode {
        self.mode
    }

    /// The declared type.
    pub const fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// The value that the caller set, or that the reply returned.
    pub const fn value(&self) -> Option<&Any> {
        self.value.as_ref()
    }

    /// Sets the value. A call fails with `BAD_PARAM` if it is not of the declared type.
    pub fn set_value(&mut self, value: Any) {
        self.value = Some(value);
    }

    /// Whether the request carries the argument.
    #[doc(hidden)]
    pub fn is_sent(&self) -> bool {
        self.mode != ParameterMode::Out
    }

    /// Whether the reply carries the argument.
    #[doc(hidden)]
    pub fn is_returned(&self) -> bool {
        self.mode != ParameterMode::In
    }

    /// A text that says why the value cannot be sent. `None` if it can be.
    #[doc(hidden)]
    pub fn fault(&self) -> Option<String> {
        match &self.value {
            Some(value) if is_of(value, &self.type_code) => None,
            value => Some(self.describe_fault(value.as_ref())),
        }
    }

    #[cold]
    fn describe_fault(&self, value: Option<&Any>) -> String {
        let name = &self.name;
        let Some(value) = value else { return format!("the argument {name:?} has no value") };
        let (found, declared) = (describe(value.type_code()), describe(&self.type_code));
        format!("the argument {name:?} is of the type {found}, and {declared} was declared")
    }

    /// Reads the value, of the declared type.
    #[doc(hidden)]
    pub fn read(&mut self, input: &mut Decoder<'_>) -> CdrResult {
        self.value = Some(Any::read(self.type_code.clone(), input)?);
        Ok(())
    }
}

/// Writes a value of the type `type_code`.
///
/// # Errors
/// `Invalid` when there is no value, or it has another type.
pub fn write<'p>(value: Option<&'p Any>, type_code: &TypeCode, out: &mut Encoder<'p>) -> CdrResult {
    let invalid = |what| Err(CdrError::new(CdrErrorKind::Invalid(what)));
    match value {
        Some(value) if is_of(value, type_code) => value.write_borrowed(out),
        Some(_) => invalid("an argument or result is not of the type that was declared"),
        None => invalid("an argument has no value"),
    }
}

/// The kind and the repository id of a type.
fn describe(code: &TypeCode) -> String {
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
