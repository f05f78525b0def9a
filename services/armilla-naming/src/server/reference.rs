//! A reference in words: interface, addresses, key.

use crate::model::ReferenceOctets;
use armilla::{ByteOrder, Decode, Decoder, Ior};

/// The reference that octets hold; the nil one if they are malformed.
pub(super) fn ior(reference: &ReferenceOctets) -> Ior {
    let mut input = Decoder::new(reference.as_bytes(), ByteOrder::Big);
    Ior::decode(&mut input).unwrap_or_default()
}

/// The interface, without what all repository ids have.
pub(super) fn interface(ior: &Ior) -> String {
    let id = ior.type_id.strip_prefix("IDL:").unwrap_or(&ior.type_id);
    match id {
        "" => "not stated".to_owned(),
        id => id.strip_suffix(":1.0").unwrap_or(id).to_owned(),
    }
}

/// The first address.
pub(super) fn address(ior: &Ior) -> String {
    match ior.iiop_profiles().next() {
        Some(Ok(profile)) => format!("{}:{}", profile.host, profile.port),
        Some(Err(_)) => "malformed".to_owned(),
        None => "none by TCP".to_owned(),
    }
}

/// Octets as text, those that are not printable as `\xNN`.
pub(super) fn printable(octets: &[u8]) -> String {
    octets.escape_ascii().to_string()
}

/// Seconds as the largest unit that they fill.
pub(super) fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_in_the_largest_unit() {
        let ages = [0, 59, 60, 3599, 3600, 86_399, 86_400, 200_000].map(age);
        let expected = ["0 s", "59 s", "1 min", "59 min", "1 h", "23 h", "1 days", "2 days"];
        assert_eq!(ages, expected);
    }

    #[test]
    fn what_is_no_reference_is_shown_as_none() {
        let nothing = ior(&ReferenceOctets::from(&b"nonsense"[..]));
        assert_eq!(
            (interface(&nothing).as_str(), address(&nothing).as_str()),
            ("not stated", "none by TCP")
        );
        assert_eq!(printable(b"a\xff\x00"), r"a\xff\x00");
    }
}
