//! Copies values from one encoding into another, as their TypeCode describes them.

use super::fixed_layout::FixedLayout;
use super::types::DynamicTypes;
use crate::type_code::{
    StructCode, TypeIndex, UnionCode, ZERO_SIZED_LIMIT, label, read_label, write,
};
use crate::{CdrError, CdrErrorKind, CdrResult, Decode, Decoder, Encoder, TypeCode};
use alloc::vec::Vec;

/// Reads a value of the type `code` and writes it, in any byte order and code set of either side.
/// `dynamic_types` are types of values in it that `code` does not describe. `trusted` input was
/// written by this module, so it needs no validation.
pub(super) fn value(
    code: &TypeCode,
    dynamic_types: &DynamicTypes<'_>,
    input: &mut Decoder<'_>,
    out: &mut Encoder<'_>,
    trusted: bool,
) -> CdrResult {
    let (index, enclosing, skipping, zero_sized) = (None, Vec::new(), false, 0);
    Transcoder { root: code, dynamic_types, index, enclosing, skipping, zero_sized, trusted }
        .value(code, input, out)
}

pub(super) struct Transcoder<'c> {
    /// The type of the whole.
    pub(super) root: &'c TypeCode,
    pub(super) dynamic_types: &'c DynamicTypes<'c>,
    /// The types within the whole and the dynamic types, indexed on first use.
    pub(super) index: Option<TypeIndex<'c>>,
    /// The types that enclose the value, for recursive codes.
    pub(super) enclosing: Vec<&'c TypeCode>,
    /// Whether a value is being skipped that the output contains already.
    pub(super) skipping: bool,
    /// The number of values without octets so far.
    zero_sized: usize,
    trusted: bool,
}

impl<'c> Transcoder<'c> {
    pub(super) fn value(
        &mut self,
        code: &'c TypeCode,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        let before = input.remaining();
        let code = self.unrolled(code);
        match code {
            TypeCode::Any => self.any(input, out)?,
            TypeCode::Value(_) | TypeCode::Event(_) | TypeCode::ValueBox(_) => {
                self.valuetype(Some(code), input, out)?;
            }
            TypeCode::AbstractInterface(_) => self.abstraction(input, out)?,
            TypeCode::Struct(_)
            | TypeCode::Exception(_)
            | TypeCode::Union(_)
            | TypeCode::Sequence(..)
            | TypeCode::Array(..)
            | TypeCode::Alias(_)
            | TypeCode::Recursive(_) => input.nested(|input| self.composed(code, input, out))?,
            _ => simple(code, input, out)?,
        }
        if input.remaining() < before {
            return Ok(());
        }
        // Only `null`, `void` and structs without members take no octets. A TypeCode could demand
        // any number of them.
        let nothing = matches!(code, TypeCode::Null | TypeCode::Void);
        self.zero_sized += 1;
        match nothing && !self.enclosing.is_empty() || self.zero_sized > ZERO_SIZED_LIMIT {
            true => Err(no_octets()),
            false => Ok(()),
        }
    }

    /// The valuetype that a recursive code refers to; any other code as it is.
    fn unrolled(&mut self, code: &'c TypeCode) -> &'c TypeCode {
        let TypeCode::Recursive(id) = code else { return code };
        let enclosing = self.enclosing.iter().rev().find(|e| e.id() == Some(id)).copied();
        let target = enclosing.or_else(|| self.find(id));
        target.filter(|target| target.is_valuetype()).unwrap_or(code)
    }

    fn composed(
        &mut self,
        code: &'c TypeCode,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        if let TypeCode::Recursive(id) = code {
            let found = self.enclosing.iter().rposition(|e| e.id() == Some(id));
            let Some(found) = found else {
                // Within a valuetype that is described elsewhere in the whole.
                let target = self.find(id).ok_or_else(unknown_recursion)?;
                return self.value(target, input, out);
            };
            // The types in between do not enclose what follows.
            let inner = self.enclosing.split_off(found + 1);
            let target = self.enclosing[found];
            self.enclosing.truncate(found);
            let copied = self.composed(target, input, out);
            self.enclosing.push(target);
            self.enclosing.extend(inner);
            return copied;
        }
        self.enclosing.push(code);
        let copied = self.members(code, input, out);
        self.enclosing.pop();
        copied
    }

    fn members(
        &mut self,
        code: &'c TypeCode,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        match code {
            TypeCode::Struct(code) => self.structure(code, input, out),
            TypeCode::Exception(code) => {
                exception_id(&code.id, input, out)?;
                self.structure(code, input, out)
            }
            TypeCode::Union(code) => self.union(code, input, out),
            TypeCode::Alias(code) => self.value(&code.ty, input, out),
            TypeCode::Sequence(element, bound) => {
                let length = input.length_for(element, *bound)?;
                out.put_length(length)?;
                self.elements(element, length, input, out)
            }
            TypeCode::Array(element, length) => {
                self.elements(element, *length as usize, input, out)
            }
            _ => simple(code, input, out),
        }
    }

    fn structure(
        &mut self,
        code: &'c StructCode,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        code.members.iter().try_for_each(|member| self.value(&member.ty, input, out))
    }

    fn elements(
        &mut self,
        element: &'c TypeCode,
        length: usize,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        match numbers(element.resolved(), length, self.trusted, input, out)? {
            true => Ok(()),
            false => (0..length).try_for_each(|_| self.value(element, input, out)),
        }
    }

    fn any(&self, input: &mut Decoder<'_>, out: &mut Encoder<'_>) -> CdrResult {
        let code = TypeCode::decode(input)?;
        write(&code, out)?;
        input.nested(|input| value(&code, self.dynamic_types, input, out, self.trusted))
    }

    fn union(
        &mut self,
        code: &'c UnionCode,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> CdrResult {
        let chosen = read_label(&code.discriminator, input)?;
        label(&code.discriminator, chosen, out)?;
        code.select(chosen).map_or(Ok(()), |case| self.value(&case.ty, input, out))
    }
}

// Types without nesting have separate functions, so that the recursive functions above use little
// stack.

/// Copies a value without nested values.
fn simple(code: &TypeCode, input: &mut Decoder<'_>, out: &mut Encoder<'_>) -> CdrResult {
    match code {
        TypeCode::Null | TypeCode::Void => {}
        TypeCode::Short | TypeCode::UShort => out.put_u16(input.u16()?),
        TypeCode::Long | TypeCode::ULong => out.put_u32(input.u32()?),
        TypeCode::LongLong | TypeCode::ULongLong => out.put_u64(input.u64()?),
        TypeCode::Float => out.put_f32(input.f32()?),
        TypeCode::Double => out.put_f64(input.f64()?),
        TypeCode::LongDouble => out.put_long_double(input.long_double()?),
        TypeCode::Boolean => out.put_bool(input.bool()?),
        TypeCode::Char | TypeCode::Octet => out.put_u8(input.u8()?),
        TypeCode::WChar => out.put_wchar(input.wchar()?)?,
        TypeCode::String(0) => out.put_string(&input.string()?)?,
        TypeCode::String(bound) => {
            let text = input.bounded_string(*bound)?;
            out.put_bounded_string(&text, *bound)?;
        }
        TypeCode::WString(0) => out.put_wstring(&input.wstring()?)?,
        TypeCode::WString(bound) => {
            let text = input.bounded_wstring(*bound)?;
            out.put_bounded_wstring(&text, *bound)?;
        }
        TypeCode::Fixed { digits, .. } => {
            out.put_digits(input.digits(*digits)?, *digits);
        }
        TypeCode::Enum(code) => out.put_u32(code.read("its type", input)?),
        TypeCode::TypeCode => write(&TypeCode::decode(input)?, out)?,
        TypeCode::ObjectReference(_) | TypeCode::Component(_) | TypeCode::Home(_) => {
            reference(input, out)?;
        }
        // `Principal` is a sequence of octets.
        TypeCode::Principal => out.copy_octets(input.octets()?)?,
        _ => {
            let what = "values of local interfaces and native types do not travel";
            return Err(CdrError::new(CdrErrorKind::Invalid(what)));
        }
    }
    Ok(())
}

/// Copies `count` elements at once, if their type permits it; otherwise returns `false`.
fn numbers(
    element: &TypeCode,
    length: usize,
    trusted: bool,
    input: &mut Decoder<'_>,
    out: &mut Encoder<'_>,
) -> CdrResult<bool> {
    match element {
        TypeCode::Octet | TypeCode::Char => out.copy_raw(input.raw(length)?),
        TypeCode::Short | TypeCode::UShort => out.copy_u16s(&input.borrowed_numbers(length)?),
        TypeCode::Long | TypeCode::ULong => out.copy_u32s(&input.borrowed_numbers(length)?),
        TypeCode::LongLong | TypeCode::ULongLong => out.copy_u64s(&input.borrowed_numbers(length)?),
        TypeCode::Float => out.copy_f32s(&input.borrowed_numbers(length)?),
        TypeCode::Double => out.copy_f64s(&input.borrowed_numbers(length)?),
        composed => match (length > 1).then(|| FixedLayout::of(composed)).flatten() {
            Some(layout) => layout.copy(length, trusted, input, out)?,
            None => return Ok(false),
        },
    }
    Ok(true)
}

/// The repository id before the members of an exception. omniORB omits it, and cannot read
/// exceptions that contain it, so an omitted id stays omitted.
fn exception_id(id: &str, input: &mut Decoder<'_>, out: &mut Encoder<'_>) -> CdrResult {
    if input.next_string_is(id) {
        out.put_string(&input.string()?)?;
    }
    Ok(())
}

/// Copies an IOR: a type id, and profiles of a number and octets.
pub(super) fn reference(input: &mut Decoder<'_>, out: &mut Encoder<'_>) -> CdrResult {
    out.put_string(&input.string()?)?;
    let profiles = input.length()?;
    out.put_length(profiles)?;
    for _ in 0..profiles {
        out.put_u32(input.u32()?);
        out.copy_octets(input.octets()?)?;
    }
    Ok(())
}

#[cold]
const fn unknown_recursion() -> CdrError {
    CdrError::new(CdrErrorKind::IncompleteTypeCode)
}

#[cold]
const fn no_octets() -> CdrError {
    CdrError::new(CdrErrorKind::Invalid("an any holds too many values that take no octets"))
}
