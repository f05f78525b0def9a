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
#[non_exhaustive]
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
    // Not ended at the first that is none: many are looked at in one step.
    let hexadecimal = digits.bytes().fold(true, |all, digit| all & digit.is_ascii_hexdigit());
    if !hexadecimal {
        return Err(not_hexadecimal(digits));
    }
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return Err(IorError::OddLength { digits: digits.len() });
    }
    Ok(pairs.iter().map(|pair| octet(*pair)).collect())
}

/// What is wrong with `digits`, of which some are none.
#[cold]
fn not_hexadecimal(digits: &str) -> IorError {
    let wrong = digits.chars().enumerate().find(|(_, character)| !character.is_ascii_hexdigit());
    let (digit, found) = wrong.unwrap_or_default();
    IorError::NotHexadecimal { found, digit }
}

/// The octet that two characters stand for which are known to be hexadecimal digits: the low half
/// of a digit is its value, and of a letter, which alone has bit 6, nine less than that.
const fn octet(pair: [u8; 2]) -> u8 {
    let digits = u16::from_le_bytes(pair);
    let values = (digits & 0x0f0f) + (digits >> 6 & 0x0101) * 9;
    (values << 4 | values >> 8) as u8
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
    fn every_pair_of_digits_is_the_octet_that_it_stands_for() {
        for octet in 0..=u8::MAX {
            for text in [format!("{octet:02x}"), format!("{octet:02X}")] {
                assert_eq!(octets(&text), Ok([octet].into()), "{text}");
            }
        }
        for text in (0..=char::from(0xff).into()).filter_map(char::from_u32) {
            let is_octet = octets(&format!("0{text}")).is_ok();
            assert_eq!(is_octet, text.is_ascii_hexdigit(), "{text:?}");
        }
    }

    #[test]
    fn nil_has_no_profiles_and_no_type() {
        let nil: Ior = "IOR:00000000000000010000000000000000".parse().unwrap();
        assert_eq!(nil, Ior::NIL);
        assert!(nil.is_nil());
    }

    #[test]
    fn each_fault_in_a_text_has_its_own_error() {
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
