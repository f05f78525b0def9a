//! GSSUP, user name and password as a token of GSS (CORBA 3.4 Part 2, 10.2.6).

use super::names::{ExportedName, NameError};
use super::{MAX_NAME, MAX_PASSWORD};
use crate::encapsulation::{pack, unpack};
use alloc::vec::Vec;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};
use core::fmt;

/// The object identifier of GSSUP, 2.23.130.1.1.1, encoded in DER.
pub const GSSUP_MECHANISM: &[u8] = &[6, 6, 0x67, 0x81, 2, 1, 1, 1];

/// The tag of a first token (RFC 2743, 3.1).
const TAG: u8 = 0x60;

/// What a client says with GSSUP: who it is, its password, and for which server. It borrows the
/// octets of the message, so that no copy of a password is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct GssupToken<'t> {
    /// The name of the user in UTF-8, a [`ScopedName`](super::ScopedName).
    pub user: &'t [u8],
    /// The password in UTF-8.
    pub password: &'t [u8],
    /// The name of the server, an exported name, as the server published it; or empty.
    pub target: &'t [u8],
}

impl<'t> GssupToken<'t> {
    /// Whether this is a token of GSSUP, well formed or not.
    pub fn is_one(token: &[u8]) -> bool {
        inner(token).is_some()
    }

    /// Reads a token. The length in its head may be as in DER, or to the base of 128, as JacORB
    /// writes it.
    ///
    /// # Errors
    /// When it is not one, or is malformed, or a part is longer than
    /// [`MAX_NAME`](super::MAX_NAME) or [`MAX_PASSWORD`](super::MAX_PASSWORD).
    pub fn parse(token: &'t [u8]) -> Result<Self, NameError> {
        let inner = inner(token).ok_or(NameError("not a token of GSSUP"))?;
        let Three([user, password, target]) =
            unpack(inner).map_err(|_| NameError("a token of GSSUP is malformed"))?;
        if user.len() > MAX_NAME || target.len() > MAX_NAME || password.len() > MAX_PASSWORD {
            return Err(NameError("a part of a GSSUP token is too long"));
        }
        Ok(Self { user, password, target })
    }

    /// The name of the server in the token, without the frame of an exported name; `None` if the
    /// token has none.
    pub fn target_name(&self) -> Option<&'t [u8]> {
        let name = ExportedName::parse(self.target).map_or(self.target, |exported| exported.name);
        (!name.is_empty()).then_some(name)
    }

    /// The octets of the token.
    ///
    /// # Errors
    /// When a length does not fit 32 bits.
    pub fn to_octets(&self) -> CdrResult<Vec<u8>> {
        let inner = pack(&Three([self.user, self.password, self.target]))?;
        let length = GSSUP_MECHANISM.len() + inner.len();
        let mut octets = Vec::with_capacity(length + 6);
        octets.push(TAG);
        match length {
            0..=0x7f => octets.push(length as u8),
            0x80..=0xff => octets.extend([0x81, length as u8]),
            0x100..=0xffff => {
                octets.push(0x82);
                octets.extend((length as u16).to_be_bytes());
            }
            _ => {
                octets.push(0x84);
                octets.extend((length as u32).to_be_bytes());
            }
        }
        octets.extend(GSSUP_MECHANISM);
        octets.extend(inner);
        Ok(octets)
    }
}

impl fmt::Debug for GssupToken<'_> {
    /// Without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = core::str::from_utf8(self.user);
        f.debug_struct("GssupToken").field("user", &user).finish_non_exhaustive()
    }
}

/// What follows the mechanism in a token of GSSUP; `None` if it is none.
fn inner(token: &[u8]) -> Option<&[u8]> {
    let (tag, rest) = token.split_first()?;
    let found = |length: Option<(u64, &'_ [u8])>| {
        let (length, rest) = length?;
        if length != rest.len() as u64 {
            return None;
        }
        // Tied to the token, whose octets they are.
        let start = token.len() - rest.len();
        token[start..].strip_prefix(GSSUP_MECHANISM)
    };
    match *tag {
        TAG => found(der_length(rest)).or_else(|| found(base_128_length(rest))),
        _ => None,
    }
}

/// A length as DER has it, and what follows.
fn der_length(octets: &[u8]) -> Option<(u64, &[u8])> {
    let (first, rest) = octets.split_first()?;
    match *first {
        length @ ..=0x7f => Some((length.into(), rest)),
        0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(*first & 0x7f))?;
            let length = length.iter().fold(0, |sum, octet| sum << 8 | u64::from(*octet));
            Some((length, rest))
        }
        _ => None,
    }
}

/// A length to the base of 128, the most significant digit first; all but the last octet have the
/// highest bit.
fn base_128_length(octets: &[u8]) -> Option<(u64, &[u8])> {
    let last = octets.iter().take(4).position(|octet| octet & 0x80 == 0)?;
    let (digits, rest) = octets.split_at(last + 1);
    let length = digits.iter().fold(0, |sum, digit| sum << 7 | u64::from(digit & 0x7f));
    Some((length, rest))
}

/// Three sequences of octets.
struct Three<'t>([&'t [u8]; 3]);

impl<'a> Decode<'a> for Three<'a> {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self([input.octets()?, input.octets()?, input.octets()?]))
    }
}

impl Encode for Three<'_> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.0.iter().try_for_each(|octets| out.put_sequence(octets))
    }
}

/// What the server says of a token that it has refused (`GSSUP::ErrorToken`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum GssupError {
    /// No more is said (`GSS_UP_S_G_UNSPECIFIED`).
    Unspecified = 1,
    /// There is no such user (`GSS_UP_S_G_NOUSER`).
    NoUser = 2,
    /// The password is wrong (`GSS_UP_S_G_BAD_PASSWORD`).
    BadPassword = 3,
    /// The token is for another server (`GSS_UP_S_G_BAD_TARGET`).
    BadTarget = 4,
}

impl GssupError {
    /// The octets of an error token.
    pub fn to_octets(self) -> Vec<u8> {
        // A number always has a place.
        pack(&(self as u32)).unwrap_or_default()
    }

    /// Reads an error token. A number that is not known is [`Unspecified`](Self::Unspecified);
    /// `None` for octets that are no token.
    pub fn parse(token: &[u8]) -> Option<Self> {
        Some(match unpack::<u32>(token).ok()? {
            2 => Self::NoUser,
            3 => Self::BadPassword,
            4 => Self::BadTarget,
            _ => Self::Unspecified,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    /// A token as another vendor writes it, big-endian, with a length of one octet.
    const TOKEN: &[u8] = b"\x60\x24\x06\x06\x67\x81\x02\x01\x01\x01\
        \0\0\0\0\0\0\0\x03ann\0\0\0\0\x06secret\0\0\0\0\0\0";

    #[test]
    fn a_token_is_laid_out_as_specified() {
        let token = GssupToken::parse(TOKEN).unwrap();
        assert_eq!(
            (token.user, token.password, token.target),
            (&b"ann"[..], &b"secret"[..], &[][..])
        );
        assert_eq!(token.target_name(), None);
        let written = token.to_octets().unwrap();
        assert_eq!(written[..10], TOKEN[..10]);
        assert_eq!(GssupToken::parse(&written), Ok(token));
        assert!(!format!("{token:?}").contains("secret"));
    }

    #[test]
    fn long_tokens_have_lengths_of_der_and_are_read_with_those_of_jacorb() {
        for length in [90, 130, 300] {
            let password = alloc::vec![b'x'; length];
            let token = GssupToken { user: b"ann", password: &password, target: b"" };
            let octets = token.to_octets().unwrap();
            assert_eq!(GssupToken::parse(&octets), Ok(token));
            let rest = &octets[octets.len() - inner(&octets).unwrap().len() - 8..];
            let mut theirs = alloc::vec![TAG];
            theirs.extend([0x80 | (rest.len() >> 7) as u8, rest.len() as u8 & 0x7f]);
            theirs.extend(rest);
            assert_eq!(GssupToken::parse(&theirs), Ok(token), "{length}");
        }
    }

    #[test]
    fn what_is_cut_or_of_another_mechanism_is_refused() {
        for end in 0..TOKEN.len() {
            assert!(GssupToken::parse(&TOKEN[..end]).is_err(), "{end}");
        }
        let mut other = TOKEN.to_vec();
        other[9] = 2;
        assert!(!GssupToken::is_one(&other));
    }

    #[test]
    fn errors_have_the_numbers_of_the_specification() {
        for (number, error) in [(1, GssupError::Unspecified), (2, GssupError::NoUser)] {
            assert_eq!(GssupError::parse(&[0, 0, 0, 0, 0, 0, 0, number]), Some(error));
            assert_eq!(GssupError::parse(&error.to_octets()), Some(error));
        }
        assert_eq!(GssupError::parse(&[0, 0, 0, 0, 0, 0, 0, 9]), Some(GssupError::Unspecified));
        assert_eq!(GssupError::parse(&[]), None);
    }
}
