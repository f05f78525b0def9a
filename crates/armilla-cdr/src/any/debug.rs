//! The `Debug` form of `any`s: the type and the value, for logs and failed assertions.

use super::Any;
use crate::type_code::{StructCode, UnionCode, read_label};
use crate::{Decode, Decoder, TypeCode};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Debug, Formatter, Write};

/// The largest number of elements that are shown of a sequence, an array or a text.
const MAX_ELEMENTS: usize = 32;

/// The largest number of octets that are shown of a value. Behind it comes `..`.
const MAX_SHOWN: usize = 2_048;

impl Debug for Any {
    /// Shows the type as IDL writes it, and the value: `Any(Point: {x: 1.5, y: 2.0})`. Long values
    /// are cut at `..`, and so are valuetypes, whose graph has no short form.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Any({}", self.type_code)?;
        if !matches!(self.type_code.resolved(), TypeCode::Null | TypeCode::Void) {
            let mut shown = Shown::default();
            let complete = shown.value(&self.type_code, &mut self.decoder());
            write!(f, ": {}{}", shown.text, if complete.is_ok() { "" } else { ".." })?;
        }
        f.write_char(')')
    }
}

/// The value that was read so far, as text.
#[derive(Default)]
struct Shown<'c> {
    text: String,
    /// The types that enclose the value, for recursive codes.
    enclosing: Vec<&'c TypeCode>,
}

/// Why the text ends: the rest is too long, has no short form, or cannot be decoded.
struct End;

impl From<crate::CdrError> for End {
    fn from(_: crate::CdrError) -> Self {
        Self
    }
}

impl From<fmt::Error> for End {
    fn from(_: fmt::Error) -> Self {
        Self
    }
}

type Outcome = Result<(), End>;

impl<'c> Shown<'c> {
    fn value(&mut self, code: &'c TypeCode, input: &mut Decoder<'_>) -> Outcome {
        if self.text.len() > MAX_SHOWN {
            return Err(End);
        }
        match code {
            TypeCode::Alias(code) => self.value(&code.ty, input),
            TypeCode::Recursive(id) => {
                let found = self.enclosing.iter().rposition(|outer| outer.id() == Some(id));
                let outer = self.enclosing[found.ok_or(End)?];
                self.value(outer, input)
            }
            TypeCode::Struct(_)
            | TypeCode::Exception(_)
            | TypeCode::Union(_)
            | TypeCode::Sequence(..)
            | TypeCode::Array(..) => {
                self.enclosing.push(code);
                let mut outcome = Ok(());
                input.nested(|input| {
                    outcome = self.composed(code, input);
                    Ok(())
                })?;
                self.enclosing.pop();
                outcome
            }
            TypeCode::Any => {
                // The TypeCode of a nested value lives no longer than this call.
                let code = TypeCode::decode(input)?;
                let mut inner = Shown { text: core::mem::take(&mut self.text), ..Shown::default() };
                write!(inner.text, "Any({code}: ")?;
                let mut outcome = Ok(());
                let nested = input.nested(|input| {
                    outcome = inner.value(&code, input);
                    Ok(())
                });
                self.text = inner.text;
                nested?;
                outcome?;
                self.close(')')
            }
            code => self.simple(code, input),
        }
    }

    fn composed(&mut self, code: &'c TypeCode, input: &mut Decoder<'_>) -> Outcome {
        match code {
            TypeCode::Struct(code) => self.members(code, input),
            TypeCode::Exception(code) => {
                if input.next_string_is(&code.id) {
                    input.string()?;
                }
                self.members(code, input)
            }
            TypeCode::Union(code) => self.union(code, input),
            TypeCode::Sequence(element, bound) => {
                let length = input.length_for(element, *bound)?;
                self.elements(element, length, input)
            }
            TypeCode::Array(element, length) => self.elements(element, *length as usize, input),
            _ => Err(End),
        }
    }

    fn members(&mut self, code: &'c StructCode, input: &mut Decoder<'_>) -> Outcome {
        self.text.push('{');
        for (place, member) in code.members.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(self.text, "{comma}{}: ", member.name)?;
            self.value(&member.ty, input)?;
        }
        self.close('}')
    }

    fn union(&mut self, code: &'c UnionCode, input: &mut Decoder<'_>) -> Outcome {
        let label = read_label(&code.discriminator, input)?;
        match code.select(label) {
            Some(case) => {
                write!(self.text, "{{{}: ", case.name)?;
                self.value(&case.ty, input)?;
            }
            // No member belongs to the label.
            None => write!(self.text, "{{{label}")?,
        }
        self.close('}')
    }

    fn elements(
        &mut self,
        element: &'c TypeCode,
        length: usize,
        input: &mut Decoder<'_>,
    ) -> Outcome {
        self.text.push('[');
        for place in 0..length {
            if place > 0 {
                self.text.push_str(", ");
            }
            if place == MAX_ELEMENTS {
                write!(self.text, "{} more: ", length - place)?;
                return Err(End);
            }
            self.value(element, input)?;
        }
        self.close(']')
    }

    fn close(&mut self, bracket: char) -> Outcome {
        self.text.push(bracket);
        Ok(())
    }

    /// A value without nested values.
    fn simple(&mut self, code: &TypeCode, input: &mut Decoder<'_>) -> Outcome {
        let out = &mut self.text;
        match code {
            TypeCode::Null | TypeCode::Void => {}
            TypeCode::Short => write!(out, "{}", input.i16()?)?,
            TypeCode::UShort => write!(out, "{}", input.u16()?)?,
            TypeCode::Long => write!(out, "{}", input.i32()?)?,
            TypeCode::ULong => write!(out, "{}", input.u32()?)?,
            TypeCode::LongLong => write!(out, "{}", input.i64()?)?,
            TypeCode::ULongLong => write!(out, "{}", input.u64()?)?,
            TypeCode::Float => write!(out, "{:?}", input.f32()?)?,
            TypeCode::Double => write!(out, "{:?}", input.f64()?)?,
            TypeCode::LongDouble => write!(out, "{:?}", input.long_double()?)?,
            TypeCode::Boolean => write!(out, "{}", input.bool()?)?,
            TypeCode::Octet => write!(out, "{}", input.u8()?)?,
            TypeCode::Char => write!(out, "{:?}", char::from(input.u8()?))?,
            TypeCode::WChar => write!(out, "{:?}", input.wchar()?)?,
            TypeCode::String(_) => text(&input.string()?, out)?,
            TypeCode::WString(_) => text(&input.wstring()?, out)?,
            TypeCode::Fixed { digits, scale } => decimal(input.digits(*digits)?, *scale, out)?,
            TypeCode::Enum(code) => {
                let number = input.u32()?;
                out.push_str(code.enumerators.get(number as usize).ok_or(End)?);
            }
            TypeCode::TypeCode => write!(out, "{}", TypeCode::decode(input)?)?,
            TypeCode::ObjectReference(_) | TypeCode::Component(_) | TypeCode::Home(_) => {
                reference(input, out)?;
            }
            _ => return Err(End),
        }
        Ok(())
    }
}

/// A text in quotation marks, cut behind its first characters.
fn text(value: &str, out: &mut String) -> Outcome {
    match value.char_indices().nth(MAX_SHOWN) {
        None => Ok(write!(out, "{value:?}")?),
        Some((end, _)) => {
            write!(out, "{:?}", &value[..end])?;
            Err(End)
        }
    }
}

/// A number with its last `scale` digits behind the point; fewer than none are zeros before it.
fn decimal(unscaled: i128, scale: i16, out: &mut String) -> Outcome {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = unscaled.unsigned_abs();
    // No IDL type has more digits than 31, but others make TypeCodes too.
    let unit = 10_u128.checked_pow(scale.unsigned_abs().into()).ok_or(End)?;
    match usize::try_from(scale) {
        Ok(0) => write!(out, "{sign}{digits}")?,
        Ok(behind) => write!(out, "{sign}{}.{:0>behind$}", digits / unit, digits % unit)?,
        Err(_) => write!(out, "{sign}{}", digits.checked_mul(unit).ok_or(End)?)?,
    }
    Ok(())
}

/// A reference as the repository id of its interface and the number of its profiles.
fn reference(input: &mut Decoder<'_>, out: &mut String) -> Outcome {
    let id = input.string()?;
    let profiles = input.length()?;
    for _ in 0..profiles {
        input.u32()?;
        input.octets()?;
    }
    match profiles {
        0 => out.push_str("nil"),
        1 => write!(out, "<{id}, 1 profile>")?,
        _ => write!(out, "<{id}, {profiles} profiles>")?,
    }
    Ok(())
}
