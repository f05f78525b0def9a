//! Codes of six digits that change every half minute, made from a secret that the user's telephone
//! has too (TOTP, RFC 6238, with HMAC-SHA-1, which all such programs take).

use crate::secret::{Secret, same};
use sha1::{Digest, Sha1};
use std::fmt;
use std::io;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};
use zeroize::Zeroizing;

/// How many seconds a code is for.
const PERIOD: u64 = 30;
/// How many digits it has.
pub(super) const DIGITS: usize = 6;
/// How many steps the clocks of both sides may differ.
pub(super) const SKEW: u64 = 1;
/// The size of a block of SHA-1.
const BLOCK: usize = 64;
/// The digits of Base32 (RFC 4648).
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The secret of a second factor: it makes a code of six digits for each half minute (RFC 6238). A
/// program on the user's telephone has the same secret.
///
/// ```
/// use armilla_security::Totp;
/// use std::time::SystemTime;
///
/// let secret = Totp::generate()?;
/// let now = SystemTime::now();
/// assert!(secret.step_of(&secret.code(now), now).is_some());
/// assert!(secret.url("bank", "ann@bank").reveal().starts_with("otpauth://totp/bank:ann%40bank?"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Totp(Zeroizing<Vec<u8>>);

impl Totp {
    /// A new secret of 160 bits.
    ///
    /// # Errors
    /// When the operating system has no random numbers.
    pub fn generate() -> io::Result<Self> {
        let mut secret = Zeroizing::new(Vec::with_capacity(24));
        for _ in 0..3 {
            secret.extend(armilla_ipc::random::number()?.get().to_ne_bytes());
        }
        secret.truncate(20);
        Ok(Self(secret))
    }

    /// The code at a time.
    pub fn code(&self, at: SystemTime) -> String {
        self.code_of(step(at))
    }

    /// The half minute, counted from 1970, whose code this is: the one now, that before or that
    /// after, because clocks differ. `None` for every other text. Whoever accepts a code notes its
    /// step, and accepts none of that step or an earlier one again.
    pub fn step_of(&self, code: &str, at: SystemTime) -> Option<u64> {
        let now = step(at);
        let steps = now.saturating_sub(SKEW)..=now.saturating_add(SKEW);
        steps.rev().find(|step| same(self.code_of(*step).as_bytes(), code.as_bytes()))
    }

    /// The URL by which programs for codes take the secret, often as a QR code. `issuer` is the
    /// service, `account` the user.
    pub fn url(&self, issuer: &str, account: &str) -> Secret {
        let (issuer, account) = (encoded(issuer), encoded(account));
        let secret = self.to_base32();
        let secret = secret.reveal();
        Secret::from(format!(
            "otpauth://totp/{issuer}:{account}?secret={secret}&issuer={issuer}&algorithm=SHA1\
             &digits={DIGITS}&period={PERIOD}"
        ))
    }

    /// The secret in Base32, as people type it.
    pub fn to_base32(&self) -> Secret {
        let (mut text, mut bits, mut number) = (String::new(), 0u32, 0u32);
        for octet in self.0.iter() {
            (number, bits) = (number << 8 | u32::from(*octet), bits + 8);
            while bits >= 5 {
                bits -= 5;
                text.push(digit(number >> bits));
            }
            number &= (1 << bits) - 1;
        }
        if bits > 0 {
            text.push(digit(number << (5 - bits)));
        }
        Secret::from(text)
    }

    fn code_of(&self, step: u64) -> String {
        let mac = hmac(&self.0, &step.to_be_bytes());
        let at = usize::from(mac[19] & 15);
        let number = mac[at..at + 4].iter().fold(0u32, |all, octet| all << 8 | u32::from(*octet));
        format!("{:0DIGITS$}", (number & 0x7fff_ffff) % 10u32.pow(DIGITS as u32))
    }
}

impl FromStr for Totp {
    type Err = &'static str;

    /// Reads Base32, with at least 80 and at most 512 bits.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut secret, mut bits, mut number) = (Zeroizing::new(Vec::new()), 0u32, 0u32);
        if text.len() > 103 {
            return Err("the secret of a second factor is too long");
        }
        for digit in text.trim_end_matches('=').bytes() {
            let value = BASE32.iter().position(|it| *it == digit.to_ascii_uppercase());
            let value = value.ok_or("the secret of a second factor is in Base32")?;
            (number, bits) = (number << 5 | value as u32, bits + 5);
            if bits >= 8 {
                bits -= 8;
                secret.push((number >> bits) as u8);
            }
            number &= (1 << bits) - 1;
        }
        match secret.len() {
            10.. => Ok(Self(secret)),
            _ => Err("the secret of a second factor is too short"),
        }
    }
}

impl fmt::Debug for Totp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Totp(…)")
    }
}

/// The step of a time.
pub(super) fn step(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / PERIOD)
}

fn digit(number: u32) -> char {
    char::from(BASE32[(number & 31) as usize])
}

/// A part of a URL: what is no letter, digit, `-`, `.`, `_` or `~` in hexadecimal.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut url, octet| {
        match octet {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                url.push(char::from(octet));
            }
            _ => url.push_str(&format!("%{octet:02X}")),
        }
        url
    })
}

/// HMAC with SHA-1 (RFC 2104). A key is at most a block long.
fn hmac(key: &[u8], text: &[u8]) -> [u8; 20] {
    let padded = |with: u8| {
        let mut block = Zeroizing::new([with; BLOCK]);
        block.iter_mut().zip(key).for_each(|(octet, key)| *octet ^= key);
        block
    };
    let mut inner = Sha1::new();
    inner.update(&padded(0x36)[..]);
    inner.update(text);
    let mut outer = Sha1::new();
    outer.update(&padded(0x5c)[..]);
    outer.update(inner.finalize());
    outer.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// That of RFC 6238, appendix B: `12345678901234567890`.
    const SECRET: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn codes_are_those_of_the_specification() {
        let secret: Totp = SECRET.parse().unwrap();
        // Appendix B has eight digits, of which these are the last six.
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(secret.code(at(seconds)), code);
        }
        assert_eq!(secret.to_base32().reveal(), SECRET);
    }

    #[test]
    fn clocks_may_differ_by_one_step() {
        let secret: Totp = SECRET.parse().unwrap();
        let code = secret.code(at(3000));
        for (seconds, fits) in [(2940, false), (2970, true), (3000, true), (3059, true)] {
            assert_eq!(secret.step_of(&code, at(seconds)).is_some(), fits, "{seconds}");
        }
        assert_eq!(secret.step_of(&code, at(3060)), None);
        assert_eq!(secret.step_of(&code, at(3059)), Some(100));
        assert_eq!(secret.step_of("", at(3000)), None);
    }

    #[test]
    fn secrets_are_read_as_people_type_them() {
        for text in ["gezdgnbvgy3tqojq", "GEZDGNBVGY3TQOJQ======"] {
            assert_eq!(text.parse::<Totp>().unwrap().to_base32().reveal(), "GEZDGNBVGY3TQOJQ");
        }
        for text in ["", "GEZDGNBV", "GEZDGNBVGY3TQOJ1", &"A".repeat(200)] {
            assert!(text.parse::<Totp>().is_err(), "{text}");
        }
        let (one, other) = (Totp::generate().unwrap(), Totp::generate().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.to_base32().reveal().parse::<Totp>().unwrap(), one);
    }
}
