//! Copies sequences of structs of fixed size, many elements at once.

use crate::decimal::octets_of;
use crate::{CdrResult, Decoder, Encoder, TypeCode};
use alloc::vec::Vec;

/// The maximum number of parts of an element that is copied by a layout.
const MAX_PARTS: usize = 64;

/// A type as the list of its numbers, in order. Types with other parts, such as strings, have no
/// layout.
pub(super) struct FixedLayout(Vec<Part>);

#[derive(Clone, Copy)]
enum Part {
    /// A number of octets without interpretation.
    Octets(usize),
    /// A number of decimal digits.
    Digits(u16),
    Two,
    Four,
    Eight,
    /// Sixteen octets with an alignment of eight.
    Sixteen,
    Boolean,
    /// A number less than this one.
    Enum(u32),
}

impl FixedLayout {
    pub(super) fn of(code: &TypeCode) -> Option<Self> {
        // The other kinds were handled before.
        if !matches!(code.resolved(), TypeCode::Struct(_) | TypeCode::Array(..)) {
            return None;
        }
        let mut parts = Vec::new();
        add(code, &mut parts, 0)?;
        (!parts.is_empty()).then_some(Self(parts))
    }

    /// Copies `count` consecutive values.
    pub(super) fn copy(
        &self,
        count: usize,
        trusted: bool,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        // Octets are the same on both sides if the byte orders are equal, and the positions modulo
        // eight. The positions may become equal after a few values.
        let alike = trusted && input.order() == out.order() && !input.is_in_chunks();
        for done in 0..count {
            let phase = input.position() % 8;
            if alike && phase == out.len() % 8 {
                let octets = self.span(count - done, phase);
                out.copy_raw(input.raw(octets)?);
                return Ok(());
            }
            self.0.iter().try_for_each(|part| part.copy(input, out))?;
        }
        Ok(())
    }

    /// The number of octets of `count` values that begin at the position `phase` modulo eight.
    fn span(&self, count: usize, phase: usize) -> usize {
        // The end of a value depends only on its beginning modulo eight, so at most eight different
        // values are computed.
        let ends: [usize; 8] =
            core::array::from_fn(|start| self.0.iter().fold(start, |at, part| part.end(at)));
        (0..count).fold(phase, |at, _| at - at % 8 + ends[at % 8]) - phase
    }
}

/// Adds the parts of `code`. `None` if it has no fixed size, or too many parts.
fn add(code: &TypeCode, parts: &mut Vec<Part>, depth: usize) -> Option<()> {
    if parts.len() >= MAX_PARTS || depth > MAX_PARTS {
        return None;
    }
    parts.push(match code.resolved() {
        TypeCode::Octet | TypeCode::Char => Part::Octets(1),
        TypeCode::Fixed { digits, .. } => Part::Digits(*digits),
        TypeCode::Short | TypeCode::UShort => Part::Two,
        TypeCode::Long | TypeCode::ULong | TypeCode::Float => Part::Four,
        TypeCode::LongLong | TypeCode::ULongLong | TypeCode::Double => Part::Eight,
        TypeCode::LongDouble => Part::Sixteen,
        TypeCode::Boolean => Part::Boolean,
        TypeCode::Enum(code) => Part::Enum(u32::try_from(code.enumerators.len()).ok()?),
        TypeCode::Struct(code) if !code.members.is_empty() => {
            return code.members.iter().try_for_each(|m| add(&m.ty, parts, depth + 1));
        }
        TypeCode::Array(element, length) => {
            let length = usize::try_from(*length).ok().filter(|length| *length > 0)?;
            let octet = matches!(element.resolved(), TypeCode::Octet | TypeCode::Char);
            if !octet {
                return repeat(element, length, parts, depth + 1);
            }
            Part::Octets(length)
        }
        _ => return None,
    });
    Some(())
}

/// Adds the parts of `code` the given number of times.
fn repeat(code: &TypeCode, times: usize, parts: &mut Vec<Part>, depth: usize) -> Option<()> {
    let start = parts.len();
    add(code, parts, depth)?;
    let once = parts.len() - start;
    if start + once.checked_mul(times)? > MAX_PARTS {
        return None;
    }
    for _ in 1..times {
        parts.extend_from_within(start..start + once);
    }
    Some(())
}

impl Part {
    fn copy(self, input: &mut Decoder<'_>, out: &mut Encoder<'_>) -> CdrResult {
        match self {
            Self::Octets(count) => out.copy_raw(input.raw(count)?),
            Self::Digits(digits) => out.put_digits(input.digits(digits)?, digits),
            Self::Two => out.put_u16(input.u16()?),
            Self::Four => out.put_u32(input.u32()?),
            Self::Eight => out.put_u64(input.u64()?),
            Self::Sixteen => out.put_long_double(input.long_double()?),
            Self::Boolean => out.put_bool(input.bool()?),
            Self::Enum(count) => match input.u32()? {
                number if number < count => out.put_u32(number),
                number => return Err(input.invalid_enum("its type", number)),
            },
        }
        Ok(())
    }

    /// The end of the part that follows the offset `at`.
    const fn end(self, at: usize) -> usize {
        match self {
            Self::Octets(count) => at + count,
            Self::Digits(digits) => at + octets_of(digits),
            Self::Boolean => at + 1,
            Self::Two => at.next_multiple_of(2) + 2,
            Self::Four | Self::Enum(_) => at.next_multiple_of(4) + 4,
            Self::Eight => at.next_multiple_of(8) + 8,
            Self::Sixteen => at.next_multiple_of(8) + 16,
        }
    }
}
