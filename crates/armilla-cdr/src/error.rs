//! Errors of encoding and decoding, and their texts.

use core::fmt;

/// The result of encoding or decoding a value.
pub type CdrResult<T = ()> = Result<T, CdrError>;

/// Why a value could not be encoded or decoded, and where.
///
/// ```
/// use armilla_cdr::{ByteOrder, CdrErrorKind, Decoder};
///
/// let mut input = Decoder::new(&[2], ByteOrder::Big);
/// let error = input.bool().unwrap_err();
/// assert_eq!(error.kind, CdrErrorKind::InvalidBoolean(2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CdrError {
    /// What is wrong.
    pub kind: CdrErrorKind,
    /// The offset in octets from the start of the message or encapsulation; `None` where the
    /// value was refused before it had a place.
    pub position: Option<usize>,
}

/// What is wrong with a value or its encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CdrErrorKind {
    /// The octets end within a value.
    Truncated {
        /// How many octets the value still needs; for a sequence, at least.
        needed: usize,
        /// How many are left.
        left: usize,
    },
    /// An octet that should be a boolean is neither 0 nor 1.
    InvalidBoolean(u8),
    /// A number that names no enumerator.
    InvalidEnum {
        /// The enum.
        type_name: &'static str,
        /// The number.
        value: u32,
    },
    /// A discriminator that is invalid for the union, or for the selected case.
    InvalidDiscriminator {
        /// The union.
        type_name: &'static str,
    },
    /// A string without the NUL that ends it.
    MissingNul,
    /// A string with a NUL before its end.
    EmbeddedNul,
    /// A string that is malformed in the code set of the connection.
    Malformed(CodeSet),
    /// A character that the code set of the connection lacks.
    NotInCodeSet(char, CodeSet),
    /// Wide characters in GIOP 1.0, which has none.
    WideInGiop1_0,
    /// A wide character without a code set for wide characters.
    NoWideCodeSet,
    /// A unit of UTF-16 that is half a character, without the other half.
    LoneSurrogate {
        /// The unit.
        unit: u16,
        /// How many units stand before it in its text, without a byte order mark.
        index: usize,
    },
    /// A character that stands for a lone surrogate, and so cannot be carried for itself.
    StandsForSurrogate(char),
    /// A character of two units of UTF-16, where a `wchar` has only one.
    TwoUnits(char),
    /// A sequence or string longer than its IDL bound.
    BoundExceeded {
        /// The bound.
        bound: u32,
        /// The length.
        length: usize,
    },
    /// A length of more than 32 bits.
    TooLong(usize),
    /// Values nest deeper than the limit.
    TooDeep {
        /// The limit.
        limit: u16,
    },
    /// Valuetypes refer to one another more deeply than the limit.
    ValuesTooDeep {
        /// The limit.
        limit: u32,
    },
    /// An object reference in a decoder without an ORB.
    NoContext,
    /// A value of an unknown type that cannot be truncated to a known one.
    UnknownValueType,
    /// An opaque value, which cannot be converted to the other byte order.
    OtherByteOrder,
    /// An opaque value, whose strings cannot be converted to another code set.
    OtherCodeSet,
    /// A TypeCode with a reference to a type that does not enclose it.
    IncompleteTypeCode,
    /// Any other error.
    Invalid(&'static str),
}

use crate::CodeSet;

impl CdrError {
    /// An error without a position.
    #[cold]
    pub const fn new(kind: CdrErrorKind) -> Self {
        Self { kind, position: None }
    }

    /// An error at `position`.
    #[cold]
    pub const fn at(kind: CdrErrorKind, position: usize) -> Self {
        Self { kind, position: Some(position) }
    }

    /// The error for a discriminator that does not select the given case of the union `type_name`.
    #[cold]
    pub const fn invalid_discriminator(type_name: &'static str) -> Self {
        Self::new(CdrErrorKind::InvalidDiscriminator { type_name })
    }

    /// The error for a number that is not an enumerator of `type_name`.
    #[cold]
    pub const fn invalid_enum(type_name: &'static str, value: u32) -> Self {
        Self::new(CdrErrorKind::InvalidEnum { type_name, value })
    }

    /// Whether the value cannot be converted to or from the code set of the connection.
    pub const fn is_conversion(&self) -> bool {
        matches!(
            self.kind,
            CdrErrorKind::Malformed(_)
                | CdrErrorKind::NotInCodeSet(..)
                | CdrErrorKind::LoneSurrogate { .. }
                | CdrErrorKind::StandsForSurrogate(_)
                | CdrErrorKind::TwoUnits(_)
        )
    }
}

impl fmt::Display for CdrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        match self.position {
            Some(position) => write!(f, " (at octet {position})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for CdrErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { needed, left } => {
                write!(f, "the data ends too early: {needed} more octets needed, {left} left")
            }
            Self::InvalidBoolean(octet) => {
                write!(f, "a boolean must be 0 or 1, but the octet is {octet}")
            }
            Self::InvalidEnum { type_name, value } => {
                write!(f, "{value} names no enumerator of {type_name}")
            }
            Self::InvalidDiscriminator { type_name } => {
                write!(f, "the discriminator does not select this case of {type_name}")
            }
            Self::MissingNul => f.write_str("a string does not end in NUL"),
            Self::EmbeddedNul => f.write_str("a string contains a NUL before its end"),
            Self::Malformed(set) => write!(f, "a string is not well-formed {set}"),
            Self::NotInCodeSet(character, set) => {
                write!(
                    f,
                    "the character {character:?} (U+{:04X}) does not exist in {set}",
                    u32::from(character)
                )
            }
            Self::WideInGiop1_0 => f.write_str("GIOP 1.0 cannot carry wide characters"),
            Self::NoWideCodeSet => {
                f.write_str("client and server agreed on no code set for wide characters")
            }
            Self::LoneSurrogate { unit, index } => write!(
                f,
                "unit {index} of a wide text is {unit:#06x}, a surrogate without its partner, \
                 which is carried only if the setting lone_surrogates is on"
            ),
            Self::StandsForSurrogate(character) => write!(
                f,
                "the character U+{:04X} stands for a lone surrogate while the setting \
                 lone_surrogates is on, and cannot be carried for itself",
                u32::from(character)
            ),
            Self::TwoUnits(character) => {
                write!(f, "the wide character {character:?} takes two units in GIOP 1.1")
            }
            Self::BoundExceeded { bound, length } => {
                write!(f, "the IDL allows {bound} elements or characters, but there are {length}")
            }
            Self::TooLong(length) => {
                write!(f, "the length {length} does not fit 32 bits")
            }
            Self::TooDeep { limit } => {
                write!(f, "values nest deeper than the limit of {limit}")
            }
            Self::ValuesTooDeep { limit } => write!(
                f,
                "values lead to one another deeper than the limit of {limit} (value_depth)"
            ),
            Self::UnknownValueType => f.write_str("the type of a value is unknown"),
            Self::OtherByteOrder => f.write_str(
                "a value of an unknown or custom type has another byte order, which cannot be \
                 converted",
            ),
            Self::OtherCodeSet => f.write_str(
                "a value of an unknown or custom type has strings in another code set, which \
                 cannot be converted",
            ),
            Self::IncompleteTypeCode => {
                f.write_str("a recursive TypeCode names no type that encloses it")
            }
            Self::NoContext => {
                f.write_str("decoding an object reference needs an ORB as the context")
            }
            Self::Invalid(what) => f.write_str(what),
        }
    }
}

impl core::error::Error for CdrError {}
