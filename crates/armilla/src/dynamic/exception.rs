//! User exceptions of which the program has only the TypeCode.

use crate::exception::{Completion, ExceptionKind, Minor, Raises, SystemException};
use armilla_cdr::{Any, CdrError, CdrErrorKind, CdrResult, Decoder, Encoder, TypeCode};
use std::fmt;

/// A user exception that a dynamic call ended with (CORBA 3.4 Part 1, 10.2.2).
///
/// ```
/// use armilla::Error;
/// use armilla::dynamic::Request;
///
/// fn withdraw(mut request: Request) -> Result<(), Box<dyn std::error::Error>> {
///     match request.invoke() {
///         Err(Error::User(raised)) if raised.repository_id() == "IDL:Bank/Overdrawn:1.0" => {
///             println!("overdrawn: {:?}", raised.exception);
///             Ok(())
///         }
///         other => Ok(other?),
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct UnknownUserException {
    /// The exception. Its type is one of those that were added to the request.
    pub exception: Any,
}

impl UnknownUserException {
    /// The repository id of the exception.
    pub fn repository_id(&self) -> &str {
        self.exception.type_code().id().unwrap_or_default()
    }
}

impl fmt::Display for UnknownUserException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the object raised {}", self.repository_id())
    }
}

impl std::error::Error for UnknownUserException {}

impl Raises for UnknownUserException {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        let TypeCode::Exception(code) = self.exception.type_code().resolved() else {
            return Err(CdrError::new(CdrErrorKind::Invalid("what is raised is no exception")));
        };
        // Some ORBs omit the repository id of an exception in an any.
        if !self.exception.decoder().next_string_is(&code.id) {
            out.put_string(&code.id)?;
        }
        self.exception.write(out)
    }

    /// Always `None`: the repository id alone does not determine the type. The request decodes the
    /// exception by the TypeCodes that were added to it.
    fn decode(_id: &str, _input: &mut Decoder<'_>) -> CdrResult<Option<Self>> {
        Ok(None)
    }
}

/// The error for an exception whose type was not added to the request.
pub(super) fn undeclared(repository_id: &str) -> SystemException {
    let what = format!("the object raised {repository_id}, which the request was not told of");
    SystemException::new(
        ExceptionKind::Unknown,
        Minor::UNKNOWN_UNLISTED_USER_EXCEPTION,
        Completion::Yes,
    )
    .with_reason(what)
}
