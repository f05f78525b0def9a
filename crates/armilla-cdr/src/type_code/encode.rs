//! TypeCodes into octets (CORBA 3.4 Part 2, 9.3.5.1).
//!
//! A part that was written before is written as an indirection to it, so that the output is as
//! small as the type is in memory, however often its parts are shared.

use super::{StructCode, TYPE_CODE_DEPTH_LIMIT, TypeCode, UnionCode, ValueCode};
use crate::{CdrError, CdrErrorKind, CdrResult, Encode, Encoder};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// Announces an indirection where a kind would stand.
pub(super) const INDIRECTION: u32 = 0xffff_ffff;

impl Encode for TypeCode {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        write(self, out)
    }
}

impl TypeCode {
    /// Appends a copy of it, so that it need not live as long as the output.
    ///
    /// # Errors
    /// When it nests too deep or names an enclosing type that there is not.
    pub fn write(&self, out: &mut Encoder<'_>) -> CdrResult {
        write(self, out)
    }
}

/// Appends `code`, of which the output keeps nothing.
pub(crate) fn write(code: &TypeCode, out: &mut Encoder<'_>) -> CdrResult {
    Writer::default().write(code, out, 0)
}

/// What was written, by its offset from the start of the outermost message or encapsulation.
#[derive(Default)]
struct Writer {
    /// Where the parts stand that clones share.
    written: BTreeMap<usize, usize>,
    /// The types that enclose what is being written.
    enclosing: Vec<(String, usize)>,
}

impl Writer {
    /// Writes `code`; `base` is where the octets of `out` begin.
    fn write(&mut self, code: &TypeCode, out: &mut Encoder<'_>, base: usize) -> CdrResult {
        out.align(4);
        let start = base + out.len();
        if let Some(before) = self.before(code)? {
            return indirect(before, start, out);
        }
        if let Some(address) = code.address() {
            self.written.insert(address, start);
        }
        let Some(kind) = code.kind() else {
            // `before` has found every recursive code or refused it.
            return Ok(());
        };
        out.put_u32(kind as u32);
        match code {
            TypeCode::String(bound) | TypeCode::WString(bound) => out.put_u32(*bound),
            TypeCode::Fixed { digits, scale } => {
                out.put_u16(*digits);
                out.put_i16(*scale);
            }
            _ if TypeCode::simple(kind).is_some() => {}
            _ => {
                if self.enclosing.len() == TYPE_CODE_DEPTH_LIMIT {
                    let limit = TYPE_CODE_DEPTH_LIMIT as u16;
                    return Err(CdrError::new(CdrErrorKind::TooDeep { limit }));
                }
                let id = code.id().unwrap_or_default();
                self.enclosing.push((id.into(), start));
                let written = self.encapsulate(out, base, |writer, inner, base| {
                    writer.parameters(code, inner, base)
                });
                self.enclosing.pop();
                written?;
            }
        }
        Ok(())
    }

    /// Where `code` was written before, or encloses what is being written.
    fn before(&self, code: &TypeCode) -> CdrResult<Option<usize>> {
        if let TypeCode::Recursive(id) = code {
            let found = self.enclosing.iter().rev().find(|(enclosing, _)| **enclosing == **id);
            return match found {
                Some((_, start)) => Ok(Some(*start)),
                None => Err(CdrError::new(CdrErrorKind::IncompleteTypeCode)),
            };
        }
        Ok(code.address().and_then(|address| self.written.get(&address).copied()))
    }

    /// Writes an encapsulation whose place in the whole is known while it is filled.
    fn encapsulate(
        &mut self,
        out: &mut Encoder<'_>,
        base: usize,
        fill: impl FnOnce(&mut Self, &mut Encoder<'_>, usize) -> CdrResult,
    ) -> CdrResult {
        out.align(4);
        let base = base + out.len() + size_of::<u32>();
        out.put_encapsulation(|inner| fill(self, inner, base))
    }

    fn parameters(&mut self, code: &TypeCode, out: &mut Encoder<'_>, base: usize) -> CdrResult {
        match code {
            TypeCode::ObjectReference(code)
            | TypeCode::AbstractInterface(code)
            | TypeCode::LocalInterface(code)
            | TypeCode::Component(code)
            | TypeCode::Home(code)
            | TypeCode::Native(code) => named(&code.id, &code.name, out),
            TypeCode::Struct(code) | TypeCode::Exception(code) => self.structure(code, out, base),
            TypeCode::Union(code) => self.union(code, out, base),
            TypeCode::Enum(code) => {
                named(&code.id, &code.name, out)?;
                out.put_length(code.enumerators.len())?;
                code.enumerators.iter().try_for_each(|name| out.put_string(name))
            }
            TypeCode::Sequence(element, length) | TypeCode::Array(element, length) => {
                self.write(element, out, base)?;
                out.put_u32(*length);
                Ok(())
            }
            TypeCode::Alias(code) | TypeCode::ValueBox(code) => {
                named(&code.id, &code.name, out)?;
                self.write(&code.ty, out, base)
            }
            TypeCode::Value(code) | TypeCode::Event(code) => self.value(code, out, base),
            // Kinds without an encapsulation.
            _ => Ok(()),
        }
    }

    fn structure(&mut self, code: &StructCode, out: &mut Encoder<'_>, base: usize) -> CdrResult {
        named(&code.id, &code.name, out)?;
        out.put_length(code.members.len())?;
        for member in &code.members {
            out.put_string(&member.name)?;
            self.write(&member.ty, out, base)?;
        }
        Ok(())
    }

    fn union(&mut self, code: &UnionCode, out: &mut Encoder<'_>, base: usize) -> CdrResult {
        named(&code.id, &code.name, out)?;
        self.write(&code.discriminator, out, base)?;
        out.put_i32(code.default.map_or(-1, |index| index as i32));
        out.put_length(code.cases.len())?;
        for (index, case) in code.cases.iter().enumerate() {
            match code.default {
                // The label of the default case is the octet 0, whatever the discriminator.
                Some(default) if default as usize == index => out.put_u8(0),
                _ => label(&code.discriminator, case.label, out)?,
            }
            out.put_string(&case.name)?;
            self.write(&case.ty, out, base)?;
        }
        Ok(())
    }

    fn value(&mut self, code: &ValueCode, out: &mut Encoder<'_>, base: usize) -> CdrResult {
        named(&code.id, &code.name, out)?;
        out.put_i16(code.modifier);
        self.write(&code.base, out, base)?;
        out.put_length(code.members.len())?;
        for member in &code.members {
            out.put_string(&member.name)?;
            self.write(&member.ty, out, base)?;
            out.put_i16(i16::from(member.public));
        }
        Ok(())
    }
}

fn named(id: &str, name: &str, out: &mut Encoder<'_>) -> CdrResult {
    out.put_string(id)?;
    out.put_string(name)
}

/// An indirection from `start` to `target`; its offset counts from where the offset itself stands.
fn indirect(target: usize, start: usize, out: &mut Encoder<'_>) -> CdrResult {
    let place = start + size_of::<u32>();
    let too_far = || CdrError::new(CdrErrorKind::TooLong(place - target));
    let offset = i32::try_from(place - target).map_err(|_| too_far())?;
    out.put_u32(INDIRECTION);
    out.put_i32(-offset);
    Ok(())
}

/// A value of the type of a discriminator.
pub(crate) fn label(ty: &TypeCode, label: i64, out: &mut Encoder<'_>) -> CdrResult {
    match ty.resolved() {
        TypeCode::Short | TypeCode::UShort => out.put_u16(label as u16),
        TypeCode::Long | TypeCode::ULong | TypeCode::Enum(_) => out.put_u32(label as u32),
        TypeCode::LongLong | TypeCode::ULongLong => out.put_u64(label as u64),
        TypeCode::Boolean | TypeCode::Char | TypeCode::Octet => out.put_u8(label as u8),
        TypeCode::WChar => {
            let label = u32::try_from(label).ok().and_then(char::from_u32);
            out.put_wchar(label.ok_or_else(bad_discriminator)?)?;
        }
        _ => return Err(bad_discriminator()),
    }
    Ok(())
}

#[cold]
pub(crate) const fn bad_discriminator() -> CdrError {
    CdrError::new(CdrErrorKind::Invalid(
        "the discriminator of a union is no integer, character, boolean or enum",
    ))
}
