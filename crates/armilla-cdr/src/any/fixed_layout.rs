//! Sequences of structs of fixed size, many elements at once.

use crate::decimal::octets_of;
use crate::{CdrResult, Decoder, Encoder, TypeCode};
use alloc::vec::Vec;

/// The most parts that the elements of a sequence may have to be copied by plan.
const MAX_PARTS: usize = 64;

/// A type as the numbers that it consists of, in order. Types with anything else in them, such as
/// strings, have no such plan.
pub(super) struct FixedLayout(Vec<Part>);

#[derive(Clone, Copy)]
enum Part {
    /// So many octets, whatever they mean.
    Octets(usize),
    /// A number of so many decimal digits.
    Digits(u16),
    Two,
    Four,
    Eight,
    /// Sixteen octets that are aligned to eight.
    Sixteen,
    Boolean,
    /// A number below this one.
    Enum(u32),
}

impl FixedLayout {
    pub(super) fn of(code: &TypeCode) -> Option<Self> {
        // Every other kind is known before it gets here.
        if !matches!(code.resolved(), TypeCode::Struct(_) | TypeCode::Array(..)) {
            return None;
        }
        let mut parts = Vec::new();
        add(code, &mut parts, 0)?;
        (!parts.is_empty()).then_some(Self(parts))
    }

    /// Copies `count` values one after the other.
    pub(super) fn copy(
        &self,
        count: usize,
        trusted: bool,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        // Octets mean the same on both sides when they have the same order and the same distance
        // from a multiple of eight. The first values may lead to where they do.
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

    /// How many octets `count` values take from an offset that is `phase` above a multiple of
    /// eight.
    fn span(&self, count: usize, phase: usize) -> usize {
        // Where a value ends depends on nothing but where it begins, so that at most eight
        // different values are looked at.
        let ends: [usize; 8] =
            core::array::from_fn(|start| self.0.iter().fold(start, |at, part| part.end(at)));
        (0..count).fold(phase, |at, _| at - at % 8 + ends[at % 8]) - phase
    }
}

/// Adds the parts of `code`; `None` when it is not of fixed size, or of too many parts.
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

/// Adds the parts of `code` so many times.
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
                number => return Err(input.invalid_enum("an any", number)),
            },
        }
        Ok(())
    }

    /// Where the part ends that comes after the offset `at`.
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
