//! Signatures of operations: parameters, result and exceptions, as IDL or the program declares
//! them.
//!
//! Generated code provides them. Interceptors, dynamic calls and dynamic servants decode values by
//! them.

mod fault;
mod named_value;

#[doc(hidden)]
pub use fault::{Call as CallAtFault, Part};
pub use named_value::write;
pub use named_value::{NamedValue, ParameterMode};

use armilla_cdr::TypeCode;

/// The signature of an operation. Stubs and skeletons do not use it; generated code creates one
/// when an interceptor asks for the values of a request.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Signature {
    /// The parameters, without values.
    pub parameters: Vec<NamedValue>,
    /// The type of the result; `void` without one.
    pub result: TypeCode,
    /// The exceptions in its `raises` clause.
    pub exceptions: Vec<TypeCode>,
    /// The names in its `context` clause.
    pub contexts: Vec<String>,
}

impl Default for Signature {
    fn default() -> Self {
        Self::new()
    }
}

impl Signature {
    /// The signature of an operation without parameters, result and exceptions.
    pub const fn new() -> Self {
        Self {
            parameters: Vec::new(),
            result: TypeCode::Void,
            exceptions: Vec::new(),
            contexts: Vec::new(),
        }
    }

    /// Adds an `in` parameter.
    #[must_use]
    pub fn with_in(self, name: &str, type_code: TypeCode) -> Self {
        self.with(name, ParameterMode::In, type_code)
    }

    /// Adds an `out` parameter.
    #[must_use]
    pub fn with_out(self, name: &str, type_code: TypeCode) -> Self {
        self.with(name, ParameterMode::Out, type_code)
    }

    /// Adds an `inout` parameter.
    #[must_use]
    pub fn with_inout(self, name: &str, type_code: TypeCode) -> Self {
        self.with(name, ParameterMode::InOut, type_code)
    }

    /// Sets the result.
    #[must_use]
    pub fn with_result(mut self, type_code: TypeCode) -> Self {
        self.result = type_code;
        self
    }

    /// Adds an exception.
    #[must_use]
    pub fn with_exception(mut self, type_code: TypeCode) -> Self {
        self.exceptions.push(type_code);
        self
    }

    /// Adds a name to the `context` clause.
    #[must_use]
    pub fn with_context(mut self, name: &str) -> Self {
        self.contexts.push(name.to_owned());
        self
    }

    fn with(mut self, name: &str, mode: ParameterMode, type_code: TypeCode) -> Self {
        self.parameters.push(NamedValue::new(name, mode, type_code));
        self
    }

    /// The operation that every object has (CORBA 3.4 Part 2, 9.4.2.1) and that a request of this name
    /// is for. The clients of some ORBs send `_not_existent` in GIOP 1.0 and 1.1, and some
    /// `_get_component`, which is also how an attribute `component` is read.
    pub fn name_of_object(operation: &str) -> Option<&'static str> {
        Some(match operation {
            "_is_a" => "_is_a",
            "_non_existent" | "_not_existent" => "_non_existent",
            "_repository_id" => "_repository_id",
            "_component" | "_get_component" => "_component",
            "_interface" => "_interface",
            _ => return None,
        })
    }

    /// The signature of an operation that every object has (CORBA 3.4 Part 2, 9.4.2.1).
    pub fn of_object(operation: &str) -> Option<Self> {
        let object = |id, name| TypeCode::object_reference(id, name);
        Some(match Self::name_of_object(operation)? {
            "_is_a" => Self::new()
                .with_in("logical_type_id", TypeCode::String(0))
                .with_result(TypeCode::Boolean),
            "_repository_id" => Self::new().with_result(TypeCode::String(0)),
            "_component" => Self::new().with_result(object(crate::wire::OBJECT_ID, "Object")),
            "_interface" => Self::new()
                .with_result(object("IDL:omg.org/CORBA/InterfaceDef:1.0", "InterfaceDef")),
            _ => Self::new().with_result(TypeCode::Boolean),
        })
    }
}

/// Whether `code` is the TypeCode of the exception with this repository id.
pub fn is_exception(code: &TypeCode, repository_id: &str) -> bool {
    matches!(code.resolved(), TypeCode::Exception(code) if code.id == repository_id)
}
