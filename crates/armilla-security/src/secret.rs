//! Secrets: text that no log shows and that is overwritten when it is dropped.

use std::fmt;
use zeroize::Zeroizing;

/// A password or another secret. `Debug` does not show it, comparing takes the same time whatever
/// differs, and its memory is overwritten when it is dropped. Copies that the operating system or
/// the ORB makes on the way, as in the buffer of a connection, are not.
///
/// ```
/// use armilla_security::Secret;
///
/// let secret = Secret::from("correct horse");
/// assert_eq!(format!("{secret:?}"), "Secret(…)");
/// assert!(secret == Secret::from("correct horse"));
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// The text. Whoever asks keeps it from logs.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(Zeroizing::new(text.to_owned()))
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        same(self.0.as_bytes(), other.0.as_bytes())
    }
}

impl Eq for Secret {}

/// Whether octets are the same, in a time that depends on their number alone.
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (one, other)| all | (one ^ other));
    one.len() == other.len() && std::hint::black_box(differences) == 0
}
