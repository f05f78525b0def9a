//! Versions of GIOP and IIOP.

use armilla_cdr::WideFormat;
use core::fmt;
use core::str::FromStr;

/// A version of GIOP, or of the IIOP profile that announces it.
///
/// ```
/// use armilla_giop::Version;
///
/// let version: Version = "1.2".parse()?;
/// assert!(version > Version::V1_0 && version.is_supported());
/// # Ok::<(), armilla_giop::ParseVersionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The major version; 1 so far.
    pub major: u8,
    /// The minor version.
    pub minor: u8,
}

impl Version {
    /// Version 1.0 (CORBA 2.0).
    pub const V1_0: Self = Self { major: 1, minor: 0 };
    /// Version 1.1 (CORBA 2.1): fragments, tagged components.
    pub const V1_1: Self = Self { major: 1, minor: 1 };
    /// Version 1.2 (CORBA 2.3): fragments that interleave, bodies aligned to 8, target addresses.
    pub const V1_2: Self = Self { major: 1, minor: 2 };

    /// Whether this crate speaks the version as GIOP.
    #[inline]
    pub const fn is_supported(self) -> bool {
        self.major == 1 && self.minor <= 2
    }

    /// Whether messages have the layout that came with 1.2.
    #[inline]
    pub(crate) const fn has_1_2_layout(self) -> bool {
        self.minor >= 2
    }

    /// The layout of wide characters in messages of this version.
    #[inline]
    pub const fn wide_format(self) -> WideFormat {
        if self.has_1_2_layout() {
            return WideFormat::Octets;
        }
        match self.minor {
            0 => WideFormat::Refused,
            _ => WideFormat::Units,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The text is not a version such as `1.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseVersionError;

impl fmt::Display for ParseVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a version is two numbers up to 255 with a dot between them, such as 1.2")
    }
}

impl core::error::Error for ParseVersionError {}

impl FromStr for Version {
    type Err = ParseVersionError;

    fn from_str(text: &str) -> Result<Self, ParseVersionError> {
        let (major, minor) = text.split_once('.').ok_or(ParseVersionError)?;
        Ok(Self { major: number(major)?, minor: number(minor)? })
    }
}

/// Only digits, because the standard parser also accepts a sign.
fn number(digits: &str) -> Result<u8, ParseVersionError> {
    match digits.bytes().all(|digit| digit.is_ascii_digit()) {
        true => digits.parse().map_err(|_| ParseVersionError),
        false => Err(ParseVersionError),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_version_reads_back_as_written() {
        for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
            assert_eq!(version.to_string().parse(), Ok(version));
        }
        assert!(Version::V1_0 < Version::V1_1 && Version::V1_1 < Version::V1_2);
    }

    #[test]
    fn text_that_is_no_version_is_refused() {
        for text in ["", "1", "1.", ".2", "+1.2", "1.-2", "1.256", "1.2.3", "a.b"] {
            assert_eq!(text.parse::<Version>(), Err(ParseVersionError), "{text:?}");
        }
    }
}
