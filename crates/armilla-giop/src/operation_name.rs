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
        if is_ascii(octets) { Some(Self(octets)) } else { None }
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

/// What the standard library's function says, which costs twice as much where names are short.
#[inline(always)]
const fn is_ascii(octets: &[u8]) -> bool {
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let mut rest = octets;
    while let Some((word, behind)) = rest.split_first_chunk() {
        if u64::from_ne_bytes(*word) & HIGH != 0 {
            return false;
        }
        rest = behind;
    }
    match octets.last_chunk() {
        // It overlaps those before.
        Some(word) => u64::from_ne_bytes(*word) & HIGH == 0,
        None => rest.is_ascii(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_any_length_is_ascii_or_refused() {
        let name = *b"a_name_of_thirty_octets_length";
        for len in 0..=name.len() {
            assert!(OperationName::new(&name[..len]).is_some(), "{len} octets");
            for at in 0..len {
                let mut wrong = name;
                wrong[at] = 0xe4;
                assert!(OperationName::new(&wrong[..len]).is_none(), "{at} of {len} octets");
            }
        }
    }
}
