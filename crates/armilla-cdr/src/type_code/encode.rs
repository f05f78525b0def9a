//! The encoder of TypeCodes (CORBA 3.4 Part 2, 9.3.5.1).
//!
//! A part that was written before becomes an indirection, so the output is no larger than the type
//! in memory, however often its parts are shared. A shared part counts towards the depth limit each
//! time, as it does in the decoder.

use super::{StructCode, TYPE_CODE_DEPTH_LIMIT, TypeCode, UnionCode, ValueCode};
use crate::key_table::KeyTable;
use crate::{CdrError, CdrErrorKind, CdrResult, Encode, Encoder};
use alloc::string::String;
use alloc::vec::Vec;

/// Marks an indirection in place of a kind.
pub(super) const INDIRECTION: u32 = 0xffff_ffff;

impl Encode for TypeCode {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        write(self, out)
    }
}

impl TypeCode {
    /// Appends the TypeCode as a copy, so that it need not outlive the output.
    ///
    /// # Errors
    /// When it nests too deeply, or a recursive code names no enclosing type.
    pub fn write(&self, out: &mut Encoder<'_>) -> CdrResult {
        write(self, out)
    }
}

/// Appends `code`. The output borrows nothing from it.
pub(crate) fn write(code: &TypeCode, out: &mut Encoder<'_>) -> CdrResult {
    Writer::default().write(code, out, 0)
}

/// The state of the encoder. Offsets are relative to the start of the outermost message or
/// encapsulation.
#[derive(Default)]
struct Writer {
    /// The shared parts that were written.
    written: KeyTable<Written>,
    /// The enclosing types, with the repository ids of those that have one.
    enclosing: Vec<(Option<String>, usize)>,
    /// The largest depth that a part of the innermost enclosing type has reached.
    deepest: usize,
}

#[derive(Clone, Copy)]
struct Written {
    start: usize,
    /// The number of nesting levels, including the type itself.
    height: usize,
}

impl Writer {
    /// Writes `code`. `base` is the offset at which the octets of `out` begin.
    fn write(&mut self, code: &TypeCode, out: &mut Encoder<'_>, base: usize) -> CdrResult {
        out.align(4);
        let start = base + out.len();
        if let Some(before) = self.before(code)? {
            return indirect(before, start, out);
        }
        let Some(kind) = code.kind() else {
            // `before` has resolved every recursive code, or has failed.
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
            _ => self.complex(code, start, out, base)?,
        }
        Ok(())
    }

    /// Writes the encapsulation of the parameters.
    fn complex(
        &mut self,
        code: &TypeCode,
        start: usize,
        out: &mut Encoder<'_>,
        base: usize,
    ) -> CdrResult {
        check_depth(self.enclosing.len() + 1)?;
        self.enclosing.push((code.id().map(String::from), start));
        let outside = core::mem::replace(&mut self.deepest, self.enclosing.len());
        self.encapsulate(out, base, |writer, inner, base| writer.parameters(code, inner, base))?;
        self.enclosing.pop();
        let height = self.deepest - self.enclosing.len();
        self.deepest = self.deepest.max(outside);
        if let Some(identity) = code.identity() {
            self.written.insert(identity, Written { start, height });
        }
        Ok(())
    }

    /// The offset at which `code` was written before, or at which the enclosing type begins.
    fn before(&mut self, code: &TypeCode) -> CdrResult<Option<usize>> {
        if let TypeCode::Recursive(id) = code {
            let same = |(enclosing, _): &&(Option<String>, _)| enclosing.as_deref() == Some(id);
            return match self.enclosing.iter().rev().find(same) {
                Some((_, start)) => Ok(Some(*start)),
                None => Err(CdrError::new(CdrErrorKind::IncompleteTypeCode)),
            };
        }
        let known = code.identity().and_then(|identity| self.written.get(identity).copied());
        let Some(Written { start, height }) = known else { return Ok(None) };
        let reach = self.enclosing.len() + height;
        check_depth(reach)?;
        self.deepest = self.deepest.max(reach);
        Ok(Some(start))
    }

    /// Writes an encapsulation. `fill` gets the offset at which the encapsulation begins.
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
            // The other kinds have no encapsulation.
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
                // The label of the default case is the octet 0, for every type of discriminator.
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

fn check_depth(depth: usize) -> CdrResult {
    match depth <= TYPE_CODE_DEPTH_LIMIT {
        true => Ok(()),
        false => {
            let limit = TYPE_CODE_DEPTH_LIMIT as u16;
            Err(CdrError::new(CdrErrorKind::TooDeep { limit }))
        }
    }
}

fn named(id: &str, name: &str, out: &mut Encoder<'_>) -> CdrResult {
    out.put_string(id)?;
    out.put_string(name)
}

/// Writes an indirection from `start` to `target`. The offset is relative to its own position.
fn indirect(target: usize, start: usize, out: &mut Encoder<'_>) -> CdrResult {
    let place = start + size_of::<u32>();
    let too_far = || CdrError::new(CdrErrorKind::TooLong(place - target));
    let offset = i32::try_from(place - target).map_err(|_| too_far())?;
    out.put_u32(INDIRECTION);
    out.put_i32(-offset);
    Ok(())
}

/// Writes a value of the discriminator's type.
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
