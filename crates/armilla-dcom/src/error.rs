//! Why octets are no object reference, bindings or blob.

use armilla_dcerpc::ndr::NdrError;
use core::fmt;

/// Why octets are no object reference, bindings or activation blob, or something does not fit one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObjRefError {
    /// The octets end within a field.
    Truncated,
    /// It does not begin with `MEOW`.
    Signature,
    /// The flags name none of the four kinds of references, or several.
    Kind(u32),
    /// The extended part of a reference has another signature.
    ExtendedSignature,
    /// The string bindings do not end, or the security bindings begin elsewhere.
    Bindings,
    /// A name is not valid UTF-16, or has a NUL in it.
    Text,
    /// The sizes in an activation blob are not those of its parts.
    Sizes,
    /// Something is too long for the field that counts it.
    TooLong,
    /// A value within is malformed.
    Value(NdrError),
}

impl From<NdrError> for ObjRefError {
    fn from(error: NdrError) -> Self {
        Self::Value(error)
    }
}

impl fmt::Display for ObjRefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("the octets end within a field"),
            Self::Signature => f.write_str("it does not begin as an object reference"),
            Self::Kind(flags) => write!(f, "no object reference has the flags {flags:#x}"),
            Self::ExtendedSignature => f.write_str("the extended part has another signature"),
            Self::Bindings => f.write_str("the bindings do not end where they say"),
            Self::Text => f.write_str("a name is not UTF-16 without a NUL"),
            Self::Sizes => f.write_str("the sizes of an activation are not those of its parts"),
            Self::TooLong => f.write_str("something is too long for its field"),
            Self::Value(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ObjRefError {}
