//! The name of an operation in a request.

use core::fmt;

/// The name of an operation as it was sent: ASCII, without the NUL that ends it.
///
/// It stays octets because a server only compares it. It compares with `str`, and is written where
/// a person is to read it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct OperationName<'b>(&'b [u8]);

impl<'b> OperationName<'b> {
    /// The name with these octets; `None` when they are not ASCII, which names of IDL are.
    #[inline]
    pub const fn new(octets: &'b [u8]) -> Option<Self> {
        if octets.is_ascii() { Some(Self(octets)) } else { None }
    }

    /// Its octets.
    #[inline]
    pub const fn as_bytes(self) -> &'b [u8] {
        self.0
    }

    /// The name as text.
    pub const fn as_str(self) -> &'b str {
        match core::str::from_utf8(self.0) {
            Ok(name) => name,
            // ASCII is UTF-8.
            Err(_) => "",
        }
    }
}

impl PartialEq<str> for OperationName<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for OperationName<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl fmt::Display for OperationName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl fmt::Debug for OperationName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
