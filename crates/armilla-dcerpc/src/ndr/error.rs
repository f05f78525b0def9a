//! What reading and writing values fails with.

use core::fmt;

/// Why a value could not be encoded or decoded, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NdrError {
    /// What is wrong.
    pub kind: NdrErrorKind,
    /// The offset in octets from the start of the stub.
    pub position: usize,
}

/// What is wrong with a value or its encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NdrErrorKind {
    /// The octets end within a value.
    Truncated {
        /// How many octets the value still needs, at least.
        needed: usize,
        /// How many are left.
        left: usize,
    },
    /// A number that names no enumerator of the enum.
    InvalidEnum {
        /// The enum.
        type_name: &'static str,
        /// The number.
        value: u32,
    },
    /// A discriminant for which the union has no arm.
    InvalidDiscriminant {
        /// The union.
        type_name: &'static str,
        /// The discriminant.
        value: u32,
    },
    /// An octet that should be a boolean is neither 0 nor 1.
    InvalidBoolean(u8),
    /// The offset and the count of a varying array go beyond its size.
    InvalidRange {
        /// The size.
        maximum: u32,
        /// The index of the first element that is there.
        offset: u32,
        /// How many are there.
        count: u32,
    },
    /// A string without the NUL that ends it, or with one before its end.
    InvalidString,
    /// A reference pointer that is null.
    NullReference,
    /// A full pointer to a value of another type, or to one that it is part of.
    InvalidAlias(u32),
    /// Pointers nest deeper than [`MAX_NESTING`](crate::ndr::MAX_NESTING).
    TooDeep,
    /// More elements than 32 bits count.
    TooLong(usize),
    /// So many elements, where the dimensions of an array have another number.
    InvalidBounds(usize),
    /// An array has another number of elements than what `size_is` or its like names says.
    InvalidSize {
        /// The array: a parameter, or a member of a structure.
        name: &'static str,
        /// As the IDL has it: `size_is(count)`.
        bound: &'static str,
        /// The number that is there; `None` if there is none, as behind a null pointer.
        says: Option<i64>,
        /// How many elements the array has.
        count: usize,
    },
    /// The elements of an array that travel begin at another index than `first_is` says.
    InvalidFirst {
        /// The array: a parameter, or a member of a structure.
        name: &'static str,
        /// As the IDL has it: `first_is(from)`; without one, what says how many there are.
        bound: &'static str,
        /// The number that is there; `None` if there is none, as behind a null pointer.
        says: Option<i64>,
        /// The index of the first element.
        first: u32,
    },
    /// The head of a serialized type is none (MS-RPCE 2.2.6.1).
    InvalidSerialization,
}

impl fmt::Display for NdrErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { needed, left } => {
                write!(f, "a value needs {needed} more octets, and {left} are left")
            }
            Self::InvalidEnum { type_name, value } => {
                write!(f, "{value} is no enumerator of {type_name}")
            }
            Self::InvalidDiscriminant { type_name, value } => {
                write!(f, "{type_name} has no arm for the discriminant {value}")
            }
            Self::InvalidBoolean(octet) => write!(f, "{octet} is no boolean"),
            Self::InvalidRange { maximum, offset, count } => {
                write!(f, "{count} elements from {offset} go beyond an array of {maximum}")
            }
            Self::InvalidString => f.write_str("a string does not end with its only NUL"),
            Self::NullReference => f.write_str("a reference pointer is null"),
            Self::InvalidAlias(id) => {
                write!(f, "the full pointer {id:#x} leads to a value of another type or to itself")
            }
            Self::TooDeep => f.write_str("pointers nest too deeply"),
            Self::TooLong(count) => write!(f, "{count} elements are more than 32 bits count"),
            Self::InvalidBounds(count) => {
                write!(f, "{count} elements are not as many as the bounds of their array say")
            }
            Self::InvalidSize { name, bound, says: Some(says), count } => {
                write!(f, "`{name}` has {count} elements, and `{bound}` says {says}")
            }
            Self::InvalidSize { name, bound, says: None, count } => {
                write!(f, "`{name}` has {count} elements, and `{bound}` says no number")
            }
            Self::InvalidFirst { name, bound, says: Some(says), first } => {
                write!(f, "`{name}` begins with element {first}, and `{bound}` says {says}")
            }
            Self::InvalidFirst { name, bound, says: None, first } => {
                write!(f, "`{name}` begins with element {first}, and `{bound}` says no number")
            }
            Self::InvalidSerialization => f.write_str("a serialized type has another head"),
        }
    }
}

impl fmt::Display for NdrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at octet {} of the stub)", self.kind, self.position)
    }
}

impl core::error::Error for NdrError {}
