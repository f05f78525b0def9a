//! Object references as text: `IOR:` and hexadecimal digits (CORBA 3.4 Part 2, 7.6.9).

use super::Ior;
use crate::encapsulation::{pack, unpack};
use alloc::string::String;
use alloc::vec::Vec;
use armilla_cdr::{CdrError, CdrResult};
use core::fmt;
use core::str::FromStr;

const PREFIX: &str = "IOR:";
const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Why a text is no object reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IorError {
    /// It does not begin with `IOR:`.
    MissingPrefix,
    /// A character that is no hexadecimal digit.
    NotHexadecimal {
        /// The character.
        found: char,
        /// How many digits stand before it.
        digit: usize,
    },
    /// Half an octet at the end: the text was cut or something was added.
    OddLength {
        /// How many digits there are.
        digits: usize,
    },
    /// The octets are no reference.
    Cdr(CdrError),
}

impl fmt::Display for IorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingPrefix => f.write_str("an object reference begins with \"IOR:\""),
            Self::NotHexadecimal { found, digit } => {
                write!(f, "{found:?} behind {digit} digits of an IOR is no hexadecimal digit")
            }
            Self::OddLength { digits } => {
                write!(f, "an IOR has two digits per octet; these are {digits}: was it cut?")
            }
            Self::Cdr(error) => write!(f, "the octets of an IOR are no reference: {error}"),
        }
    }
}

impl core::error::Error for IorError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Cdr(error) => Some(error),
            _ => None,
        }
    }
}

impl FromStr for Ior {
    type Err = IorError;

    /// Reads the text form. Prefix and digits may be of either case; white space around them, as
    /// a file brings it, does no harm.
    fn from_str(text: &str) -> Result<Self, IorError> {
        let text = text.trim();
        match text.split_at_checked(PREFIX.len()) {
            Some((prefix, digits)) if prefix.eq_ignore_ascii_case(PREFIX) => {
                unpack(&octets(digits)?).map_err(IorError::Cdr)
            }
            _ => Err(IorError::MissingPrefix),
        }
    }
}

impl Ior {
    /// The text form, `IOR:` and lower-case digits.
    ///
    /// # Errors
    /// When the type id contains a NUL, or a length does not fit 32 bits; a reference that was
    /// decoded has neither.
    pub fn to_text(&self) -> CdrResult<String> {
        let octets = pack(self)?;
        let mut text = String::with_capacity(PREFIX.len() + 2 * octets.len());
        text.push_str(PREFIX);
        for octet in octets {
            text.push(char::from(DIGITS[usize::from(octet >> 4)]));
            text.push(char::from(DIGITS[usize::from(octet & 15)]));
        }
        Ok(text)
    }
}

fn octets(digits: &str) -> Result<Vec<u8>, IorError> {
    let wrong = digits.chars().enumerate().find(|(_, character)| !character.is_ascii_hexdigit());
    if let Some((digit, found)) = wrong {
        return Err(IorError::NotHexadecimal { found, digit });
    }
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return Err(IorError::OddLength { digits: digits.len() });
    }
    Ok(pairs.iter().map(|[high, low]| value(*high) << 4 | value(*low)).collect())
}

/// The value of a character that is known to be a hexadecimal digit.
fn value(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ior::TaggedProfile;
    use alloc::format;
    use alloc::string::ToString;

    #[test]
    fn a_reference_reads_back_from_its_text_in_either_case_and_with_space_around() {
        let profiles = [TaggedProfile { id: 3, data: b"\xab\xcd".to_vec() }].into();
        let ior = Ior { type_id: "IDL:A:1.0".into(), profiles };
        let text = ior.to_text().unwrap();
        assert!(text.starts_with("IOR:0"));
        assert_eq!(text.parse(), Ok(ior.clone()));
        assert_eq!(format!(" {}\n", text.to_uppercase()).parse(), Ok(ior.clone()));
        assert_eq!(text.to_lowercase().parse(), Ok(ior));
    }

    #[test]
    fn nil_has_no_profiles_and_no_type() {
        let nil: Ior = "IOR:00000000000000010000000000000000".parse().unwrap();
        assert_eq!(nil, Ior::NIL);
        assert!(nil.is_nil());
    }

    #[test]
    fn each_fault_in_a_text_is_told_apart() {
        let parse = |text: &str| text.parse::<Ior>().unwrap_err();
        assert_eq!(parse(""), IorError::MissingPrefix);
        assert_eq!(parse("IO€"), IorError::MissingPrefix);
        assert_eq!(parse("IOR:0x"), IorError::NotHexadecimal { found: 'x', digit: 1 });
        assert_eq!(parse("IOR:00€0"), IorError::NotHexadecimal { found: '€', digit: 2 });
        assert_eq!(parse("IOR:000"), IorError::OddLength { digits: 3 });
        assert!(matches!(parse("IOR:"), IorError::Cdr(_)));
        assert!(matches!(parse("IOR:01000000ffffffff"), IorError::Cdr(_)));
        assert!(parse("IOR:000").to_string().contains("cut"));
    }
}
