//! Lone surrogates: units of UTF-16 that are half a character, and how a Rust text holds them.

use crate::{CdrError, CdrErrorKind, CdrResult};

/// How far the character that stands for a surrogate is from the unit.
const DISTANCE: u32 = 0x10_0000;

/// A unit of UTF-16 in `0xd800..=0xdfff` without its partner, which is no character.
///
/// Some ORBs send such units in a `wchar` or a `wstring`. An ORB whose setting `lone_surrogates` is
/// on carries them: in its texts the character U+10D800 + n stands for the unit `0xd800` + n. These
/// 2,048 characters are for private use; while the setting is on they cannot be sent for
/// themselves, and are refused when they come.
///
/// ```
/// use armilla_cdr::{LoneSurrogate, WString};
///
/// let text = WString::from_units([0x61, 0xd83e])?;
/// assert_eq!(text.chars().last().and_then(LoneSurrogate::of), LoneSurrogate::new(0xd83e));
/// assert_eq!(text.units().collect::<Vec<u16>>(), [0x61, 0xd83e]);
/// # Ok::<(), armilla_cdr::CdrError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoneSurrogate(u16);

impl LoneSurrogate {
    /// The unit as a surrogate; `None` if it is a character by itself.
    pub const fn new(unit: u16) -> Option<Self> {
        match unit {
            0xd800..=0xdfff => Some(Self(unit)),
            _ => None,
        }
    }

    /// The surrogate for which a character stands; `None` for all other characters.
    pub const fn of(character: char) -> Option<Self> {
        match character {
            '\u{10d800}'..='\u{10dfff}' => Some(Self((character as u32 - DISTANCE) as u16)),
            _ => None,
        }
    }

    /// The unit.
    pub const fn unit(self) -> u16 {
        self.0
    }

    /// The character that stands for it in a text.
    pub const fn as_char(self) -> char {
        match char::from_u32(DISTANCE + self.0 as u32) {
            Some(character) => character,
            None => char::REPLACEMENT_CHARACTER,
        }
    }
}

/// The units of a text in which characters stand for lone surrogates.
pub(crate) fn units(text: &str) -> impl Iterator<Item = u16> {
    text.chars().flat_map(|character| {
        let mut pair = [0; 2];
        let [first, second] = match LoneSurrogate::of(character) {
            Some(surrogate) => [Some(surrogate.unit()), None],
            None => match character.encode_utf16(&mut pair) {
                [first, second] => [Some(*first), Some(*second)],
                units => [units.first().copied(), None],
            },
        };
        first.into_iter().chain(second)
    })
}

/// The character, unless a text cannot hold it for itself because it stands for a lone surrogate.
pub(crate) fn itself(character: char) -> CdrResult<char> {
    match LoneSurrogate::of(character) {
        Some(_) => Err(CdrError::new(CdrErrorKind::StandsForSurrogate(character))),
        None => Ok(character),
    }
}
