//! The encoder of the interpreting marshaller.

use super::shared::Shared;
use super::tree::Content;
use super::types::Types;
use super::{DynAny, invalid};
use armilla_cdr::value::ValueHandle;
use armilla_cdr::{CdrError, CdrErrorKind, CdrResult, DEPTH_LIMIT, Encoder, TypeCode};
use armilla_giop::ior::Ior;
use std::sync::Arc;

/// Writes a value.
pub(super) fn value(value: &DynAny, out: &mut Encoder<'_>) -> CdrResult {
    nested(value, out, 0)
}

/// Writes a value. For an exception it writes the members only.
pub(super) fn without_id(value: &DynAny, out: &mut Encoder<'_>) -> CdrResult {
    content(value, out, 0)
}

/// Writes a value at this nesting depth.
fn nested(value: &DynAny, out: &mut Encoder<'_>, depth: u16) -> CdrResult {
    if let TypeCode::Exception(code) = value.resolved() {
        out.put_string(&code.id)?;
    }
    content(value, out, depth)
}

fn content(value: &DynAny, out: &mut Encoder<'_>, depth: u16) -> CdrResult {
    if depth > DEPTH_LIMIT {
        return Err(CdrError::new(CdrErrorKind::TooDeep { limit: DEPTH_LIMIT }));
    }
    let code = value.resolved();
    match &value.content {
        Content::Parts(parts) => {
            length(code, parts.len(), out)?;
            parts.iter().try_for_each(|part| nested(part, out, depth + 1))
        }
        Content::Union(union) => {
            simple(&union.discriminator, out)?;
            union.member.iter().try_for_each(|member| nested(member, out, depth + 1))
        }
        Content::Value(value_here) => {
            if matches!(code, TypeCode::AbstractInterface(_)) {
                out.put_bool(false);
            }
            valuetype(value_here.as_ref(), &value.types, out, depth)
        }
        _ => simple(value, out),
    }
}

/// Writes a value without components.
fn simple(value: &DynAny, out: &mut Encoder<'_>) -> CdrResult {
    let code = value.resolved();
    match &value.content {
        Content::Nothing => {}
        Content::Boolean(value) => out.put_bool(*value),
        Content::Char(value) | Content::Octet(value) => out.put_u8(*value),
        Content::Short(value) => out.put_i16(*value),
        Content::UShort(value) => out.put_u16(*value),
        Content::Long(value) => out.put_i32(*value),
        Content::ULong(value) | Content::Enum(value) => out.put_u32(*value),
        Content::LongLong(value) => out.put_i64(*value),
        Content::ULongLong(value) => out.put_u64(*value),
        Content::Float(value) => out.put_f32(*value),
        Content::Double(value) => out.put_f64(*value),
        Content::LongDouble(value) => out.put_long_double(*value),
        Content::WChar(value) => out.put_wchar(*value)?,
        Content::String(text) => match code.length() {
            None | Some(0) => out.put_string(text)?,
            Some(bound) => out.put_bounded_string(text, bound)?,
        },
        Content::WString(text) => match code.length() {
            None | Some(0) => out.put_wstring(text)?,
            Some(bound) => out.put_bounded_wstring(text, bound)?,
        },
        Content::Fixed(unscaled) => match code {
            TypeCode::Fixed { digits, .. } => out.put_digits(*unscaled, *digits),
            _ => return Err(invalid("a fixed number has no fixed type")),
        },
        Content::Any(any) => {
            any.type_code().write(out)?;
            any.write(out)?;
        }
        Content::TypeCode(code) => code.write(out)?,
        Content::Reference(ior) => {
            if matches!(code, TypeCode::AbstractInterface(_)) {
                out.put_bool(true);
            }
            reference(ior, out)?;
        }
        Content::Octets(octets) => {
            length(code, octets.len(), out)?;
            out.copy_raw(octets);
        }
        Content::Parts(_) | Content::Union(_) | Content::Value(_) => {
            return Err(invalid("a discriminator or a part of it has components"));
        }
    }
    Ok(())
}

/// Writes the length of a sequence; an array has none.
fn length(code: &TypeCode, length: usize, out: &mut Encoder<'_>) -> CdrResult {
    let TypeCode::Sequence(_, bound) = code else { return Ok(()) };
    if *bound > 0 {
        out.check_bound(length, *bound)?;
    }
    out.put_length(length)
}

fn reference(ior: &Ior, out: &mut Encoder<'_>) -> CdrResult {
    out.put_string(&ior.type_id)?;
    out.put_length(ior.profiles.len())?;
    ior.profiles.iter().try_for_each(|profile| {
        out.put_u32(profile.id);
        out.copy_octets(&profile.data)
    })
}

/// Writes a valuetype within a dynamic value with these named types.
fn valuetype(
    value: Option<&Arc<Shared>>,
    types: &Types,
    out: &mut Encoder<'_>,
    depth: u16,
) -> CdrResult {
    let Some(value) = value else {
        out.put_null_value();
        return Ok(());
    };
    let handle: ValueHandle = value.clone();
    let ids = value.ids();
    let ids: Vec<&[u8]> = ids.iter().map(String::as_bytes).collect();
    let ty = value.type_beyond(types);
    let Some(mut state) = out.begin_dynamic_value(&handle, &ids, value.is_chunked(), ty)? else {
        return Ok(());
    };
    let written = value.state().iter().try_for_each(|part| nested(part, &mut state, depth + 1));
    out.end_value(state, written)
}
