//! User exceptions, and the error type of calls that can raise them.

use super::{ExceptionKind, SystemException};
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};
use std::fmt;

/// Why a call of an operation with a `raises` clause failed.
///
/// The set of alternatives is complete: an operation raises what its IDL declares, or a system
/// exception.
///
/// ```
/// use armilla::{Completion, Error, ExceptionKind, Minor, SystemException};
///
/// fn describe<E: std::fmt::Display>(error: &Error<E>) -> String {
///     match error {
///         Error::User(exception) => format!("the servant refused: {exception}"),
///         Error::System(exception) => format!("the call failed: {exception}"),
///     }
/// }
///
/// let timeout =
///     SystemException::new(ExceptionKind::Timeout, Minor::default(), Completion::Maybe);
/// let error = Error::<std::fmt::Error>::from(timeout);
/// assert!(describe(&error).starts_with("the call failed: TIMEOUT"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Error<E> {
    /// The servant raised one of the exceptions that the IDL declares.
    User(E),
    /// The ORB of the client or of the server could not complete the call.
    System(SystemException),
}

impl<E> Error<E> {
    /// The error of an operation that raises all that this one raises, and perhaps more. The
    /// generated code has the conversions between operations of an interface and of its bases.
    ///
    /// ```
    /// use armilla::Error;
    ///
    /// // In the body of an operation that calls another one:
    /// // `let entry = self.find(name).map_err(Error::widen)?;`
    /// let narrow: Error<u8> = Error::User(7);
    /// assert_eq!(narrow.widen::<u32>(), Error::User(7));
    /// ```
    pub fn widen<More: From<E>>(self) -> Error<More> {
        match self {
            Self::User(exception) => Error::User(exception.into()),
            Self::System(exception) => Error::System(exception),
        }
    }
}

impl<E> From<SystemException> for Error<E> {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

impl<E> From<ExceptionKind> for Error<E> {
    fn from(kind: ExceptionKind) -> Self {
        Self::System(kind.into())
    }
}

/// An exception that the operation declares becomes its error by `.into()` or `?`.
impl<E: From<X>, X: UserException> From<X> for Error<E> {
    fn from(exception: X) -> Self {
        Self::User(exception.into())
    }
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(exception) => exception.fmt(f),
            Self::System(exception) => exception.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for Error<E> {}

/// An exception that IDL declares. The IDL compiler implements this trait.
///
/// ```
/// use armilla::UserException;
///
/// fn log<X: UserException>(exception: &X) {
///     eprintln!("{}: {exception}", X::REPOSITORY_ID);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an exception of the operation nor an error of the ORB",
    note = "another error becomes a system exception with its text as the reason: \
            `.map_err(|error| ExceptionKind::Internal.because(error.to_string()))?`",
    note = "the `Error` of another operation, all of whose exceptions this one raises too, becomes \
            its error by `.map_err(Error::widen)?`"
)]
pub trait UserException: std::error::Error + Encode + for<'a> Decode<'a> {
    /// The repository id of the exception.
    const REPOSITORY_ID: &'static str;
}

/// The exceptions that one operation declares. The IDL compiler implements this trait.
pub trait Raises: Sized {
    /// Writes the exception: its repository id and its members.
    ///
    /// # Errors
    /// When a member cannot be encoded.
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult;

    /// Reads the members of the exception with this repository id; `None` when the operation does
    /// not declare that exception.
    ///
    /// # Errors
    /// When the members cannot be decoded.
    fn decode(repository_id: &str, input: &mut Decoder<'_>) -> CdrResult<Option<Self>>;
}

/// Writes an exception as a reply carries it: the repository id, then the members (CORBA 3.4
/// Part 2, 9.3.5.2).
///
/// # Errors
/// When a member cannot be encoded.
pub fn encode_exception<'p, X: UserException>(
    exception: &'p X,
    out: &mut Encoder<'p>,
) -> CdrResult {
    out.put_string(X::REPOSITORY_ID)?;
    exception.encode(out)
}

/// What a servant's method can fail with: a [`SystemException`] alone, or, where the operation has
/// a `raises` clause, an [`Error`].
pub trait ReplyError {
    /// The system exception; `None` for a user exception.
    fn system(&self) -> Option<&SystemException>;

    /// The same error as the caller of a servant in this process gets it: a system exception
    /// [after entry](SystemException::after_entry), from a call.
    #[must_use]
    fn after_entry(self) -> Self;

    /// Writes the user exception. The caller has made sure that this is not a system exception.
    ///
    /// # Errors
    /// When a member cannot be encoded.
    fn encode_user<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult;
}

impl ReplyError for SystemException {
    fn system(&self) -> Option<&SystemException> {
        Some(self)
    }

    #[cold]
    fn after_entry(self) -> Self {
        self.after_entry().ending_call()
    }

    fn encode_user<'p>(&'p self, _out: &mut Encoder<'p>) -> CdrResult {
        Ok(())
    }
}

impl<E: Raises> ReplyError for Error<E> {
    fn system(&self) -> Option<&SystemException> {
        match self {
            Self::System(exception) => Some(exception),
            Self::User(_) => None,
        }
    }

    #[cold]
    fn after_entry(self) -> Self {
        match self {
            Self::System(exception) => Self::System(exception.after_entry().ending_call()),
            user => user,
        }
    }

    fn encode_user<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        match self {
            Self::User(exception) => exception.encode(out),
            Self::System(_) => Ok(()),
        }
    }
}
