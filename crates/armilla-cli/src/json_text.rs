//! JSON as text for an ORB that carries lone surrogates: `"\ud83e"` is such a unit, which JSON
//! allows and Rust's strings do not.

use armilla::{LoneSurrogate, Orb};
use serde_json::Value;

/// How many octets an escape of four digits has.
const ESCAPE: usize = "\\ud83e".len();

/// Parses JSON for arguments of a call by `orb`.
///
/// # Errors
/// When the text is not JSON; for a lone surrogate, unless the ORB carries them.
pub(crate) fn parse(text: &str, orb: &Orb) -> serde_json::Result<Value> {
    match orb.settings().lone_surrogates {
        true => serde_json::from_str(&with_characters(text)),
        false => serde_json::from_str(text),
    }
}

/// Whether an escape in the text is half a character.
pub(crate) fn has_lone_surrogates(text: &str) -> bool {
    with_characters(text) != text
}

/// The text of results that `orb` received.
pub(crate) fn text(value: &Value, orb: &Orb) -> String {
    let text = format!("{value:#}");
    match orb.settings().lone_surrogates {
        true => with_escapes(&text),
        false => text,
    }
}

/// The text with characters in place of lone surrogates.
fn with_characters(mut text: &str) -> String {
    let mut changed = String::with_capacity(text.len());
    while let Some(at) = text.find('\\') {
        let (before, escape) = text.split_at(at);
        changed.push_str(before);
        let next = escape.get(ESCAPE..).unwrap_or_default();
        let length = match (surrogate(escape), surrogate(next)) {
            (Some(high), Some(low)) if high.unit() < 0xdc00 && low.unit() >= 0xdc00 => 2 * ESCAPE,
            (Some(lone), _) => {
                changed.push(lone.as_char());
                text = next;
                continue;
            }
            // The character behind the backslash, which may be one as well.
            (None, _) => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
        };
        let (kept, rest) = escape.split_at(length);
        changed.push_str(kept);
        text = rest;
    }
    changed + text
}

/// The surrogate that the escape at the start of `text` is.
fn surrogate(text: &str) -> Option<LoneSurrogate> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(digits)?;
    u16::from_str_radix(digits, 16).ok().and_then(LoneSurrogate::new)
}

/// The text with escapes for characters that stand for lone surrogates.
fn with_escapes(text: &str) -> String {
    let mut changed = String::with_capacity(text.len());
    for character in text.chars() {
        match LoneSurrogate::of(character) {
            Some(lone) => changed.push_str(&format!("\\u{:04x}", lone.unit())),
            None => changed.push(character),
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_characters_and_escapes_again() {
        for text in [r#""a\ud83eb""#, r#"["\udd80","\ud83e"]"#, r#""\udd80\ud83e""#] {
            let characters = with_characters(text);
            let value: Value = serde_json::from_str(&characters).unwrap();
            assert_eq!(with_escapes(&value.to_string()), text);
        }
    }

    #[test]
    fn all_other_escapes_stay() {
        for text in
            [r#""\ud83e\udd80""#, r#""\\ud83e""#, r#""\u00e9\n\"""#, r#""\ud8""#, "\"\\é", "\\"]
        {
            assert_eq!(with_characters(text), text);
        }
    }
}
