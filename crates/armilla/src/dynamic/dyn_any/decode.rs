//! The decoder of the interpreting marshaller, which a TypeCode controls.

use super::shared::{MUST_TRUNCATE, Shared};
use super::tree::{Content, UnionContent, is_octet};
use super::types::Types;
use super::{DynAny, invalid};
use armilla_cdr::type_code::{MemberCode, UnionCode, ZERO_SIZED_LIMIT};
use armilla_cdr::value::{NewValue, ValueHead};
use armilla_cdr::{Any, CdrErrorKind, CdrResult, Decode, Decoder, TypeCode};
use armilla_giop::ior::Ior;
use std::sync::Arc;

/// The error for a value of a type other than the declared one.
const OTHER_TYPE: &str = "a value is of another type than the one that is expected";

/// Reads a value of the type `code`.
pub(super) fn value(code: TypeCode, types: &Types, input: &mut Decoder<'_>) -> CdrResult<DynAny> {
    let content = content(types.resolve(&code), types, input)?;
    Ok(DynAny::with(code, types, content))
}

fn content(code: &TypeCode, types: &Types, input: &mut Decoder<'_>) -> CdrResult<Content> {
    match code {
        TypeCode::Value(_) | TypeCode::Event(_) | TypeCode::ValueBox(_) => {
            valuetype(Some(code), types, input).map(Content::Value)
        }
        TypeCode::AbstractInterface(_) => match input.bool()? {
            true => reference(input),
            false => valuetype(None, types, input).map(Content::Value),
        },
        TypeCode::Struct(_)
        | TypeCode::Exception(_)
        | TypeCode::Sequence(..)
        | TypeCode::Array(..)
        | TypeCode::Union(_) => input.nested(|input| composed(code, types, input)),
        _ => simple(code, input),
    }
}

fn composed(code: &TypeCode, types: &Types, input: &mut Decoder<'_>) -> CdrResult<Content> {
    match code {
        TypeCode::Struct(code) => parts(&code.members, types, input),
        TypeCode::Exception(code) => {
            skip_exception_id(&code.id, input)?;
            parts(&code.members, types, input)
        }
        TypeCode::Sequence(element, bound) => {
            let length = input.length_for(types.resolve(element), *bound)?;
            elements(element, length, types, input)
        }
        TypeCode::Array(element, length) => elements(element, *length as usize, types, input),
        TypeCode::Union(code) => union(code, types, input),
        _ => simple(code, input),
    }
}

// Types without components have separate functions, so that the recursive functions above have
// small stack frames.

fn simple(code: &TypeCode, input: &mut Decoder<'_>) -> CdrResult<Content> {
    Ok(match code {
        TypeCode::Null | TypeCode::Void => Content::Nothing,
        TypeCode::Boolean => Content::Boolean(input.bool()?),
        TypeCode::Char => Content::Char(input.u8()?),
        TypeCode::Octet => Content::Octet(input.u8()?),
        TypeCode::Short => Content::Short(input.i16()?),
        TypeCode::UShort => Content::UShort(input.u16()?),
        TypeCode::Long => Content::Long(input.i32()?),
        TypeCode::ULong => Content::ULong(input.u32()?),
        TypeCode::LongLong => Content::LongLong(input.i64()?),
        TypeCode::ULongLong => Content::ULongLong(input.u64()?),
        TypeCode::Float => Content::Float(input.f32()?),
        TypeCode::Double => Content::Double(input.f64()?),
        TypeCode::LongDouble => Content::LongDouble(input.long_double()?),
        TypeCode::WChar => Content::WChar(input.wchar()?),
        TypeCode::String(0) => Content::String(input.string()?.into_owned()),
        TypeCode::String(bound) => Content::String(input.bounded_string(*bound)?.into_owned()),
        TypeCode::WString(0) => Content::WString(input.wstring()?),
        TypeCode::WString(bound) => Content::WString(input.bounded_wstring(*bound)?),
        TypeCode::Fixed { digits, .. } => Content::Fixed(input.digits(*digits)?),
        TypeCode::Enum(code) => Content::Enum(code.read("an enum", input)?),
        TypeCode::Any => Content::Any(Box::new(Any::decode(input)?)),
        TypeCode::TypeCode => Content::TypeCode(TypeCode::decode(input)?),
        TypeCode::ObjectReference(_) | TypeCode::Component(_) | TypeCode::Home(_) => {
            reference(input)?
        }
        TypeCode::Recursive(_) => {
            return Err(armilla_cdr::CdrError::new(CdrErrorKind::IncompleteTypeCode));
        }
        _ => return Err(invalid("values of local interfaces and native types do not travel")),
    })
}

fn reference(input: &mut Decoder<'_>) -> CdrResult<Content> {
    Ok(Content::Reference(Box::new(Ior::decode(input)?)))
}

/// Skips the repository id before the members of an exception, which omniORB leaves out in an any.
fn skip_exception_id(id: &str, input: &mut Decoder<'_>) -> CdrResult {
    if input.next_string_is(id) {
        input.octets()?;
    }
    Ok(())
}

fn parts(members: &[MemberCode], types: &Types, input: &mut Decoder<'_>) -> CdrResult<Content> {
    let mut parts = Vec::with_capacity(members.len());
    for member in members {
        parts.push(value(member.ty.clone(), types, input)?);
    }
    Ok(Content::Parts(parts))
}

fn elements(
    element: &TypeCode,
    length: usize,
    types: &Types,
    input: &mut Decoder<'_>,
) -> CdrResult<Content> {
    if is_octet(types.resolve(element)) {
        return Ok(Content::Octets(input.u8s(length)?));
    }
    // Elements without octets could be arbitrarily many.
    let are_few = || {
        let zero_sized = types.resolve(element).zero_sized_parts(ZERO_SIZED_LIMIT);
        zero_sized.is_some_and(|parts| length <= ZERO_SIZED_LIMIT / parts)
    };
    let mut parts = Vec::new();
    for _ in 0..length {
        let before = input.remaining();
        parts.push(value(element.clone(), types, input)?);
        // If the first element has no octets, no element has.
        if input.remaining() == before && parts.len() == 1 && !are_few() {
            return Err(invalid("there are too many elements that take no octets"));
        }
    }
    Ok(Content::Parts(parts))
}

fn union(code: &UnionCode, types: &Types, input: &mut Decoder<'_>) -> CdrResult<Content> {
    let discriminator = value(code.discriminator.clone(), types, input)?;
    let number = discriminator.content.number();
    let number = number.ok_or_else(|| invalid("a union cannot have such a discriminator"))?;
    let case = code.select(number);
    let member = case.map(|case| value(case.ty.clone(), types, input)).transpose()?;
    Ok(Content::Union(Box::new(UnionContent { discriminator, member })))
}

/// Reads a valuetype where the type `declared` is expected.
fn valuetype(
    declared: Option<&TypeCode>,
    types: &Types,
    input: &mut Decoder<'_>,
) -> CdrResult<Option<Arc<Shared>>> {
    let head = match input.value_head()? {
        ValueHead::Null => return Ok(None),
        ValueHead::Known(handle) => {
            let known = handle.downcast::<Shared>().map_err(|_| invalid("a value of another's"))?;
            let fits = declared.is_none_or(|declared| known.is(declared));
            return match fits {
                true => Ok(Some(known)),
                false => Err(invalid(OTHER_TYPE)),
            };
        }
        ValueHead::New(head) => head,
    };
    let (code, skipped) = actual(declared, types, &head)?;
    let shared = Arc::new(Shared::begun(code.clone(), types, &head));
    input.register_value(&head, shared.clone());
    let state = shared.members()?;
    let members = input.value_state(&head, skipped, |input| {
        state.iter().map(|ty| value(ty.clone(), types, input)).collect::<CdrResult<Vec<_>>>()
    })?;
    shared.set(members);
    Ok(Some(shared))
}

/// The type of a value, and whether decoding as that type truncates the value.
fn actual<'c>(
    declared: Option<&'c TypeCode>,
    types: &'c Types,
    head: &NewValue<'_>,
) -> CdrResult<(&'c TypeCode, bool)> {
    if let ([], Some(declared)) = (head.ids(), declared) {
        return Ok((declared, false));
    }
    for (index, id) in head.ids().iter().enumerate() {
        let Ok(id) = std::str::from_utf8(id) else { continue };
        let found = match declared.filter(|code| code.id() == Some(id)) {
            None => types.find(id).filter(|code| code.is_valuetype()),
            found => found,
        };
        match found {
            Some(_) if index > 0 && types.keeps_whole && head.can_be_truncated() => {
                return Err(invalid(MUST_TRUNCATE));
            }
            Some(code) if index == 0 || head.can_be_truncated() => {
                return match declared.is_none_or(|declared| types.may_stand_for(code, declared)) {
                    true => Ok((code, index > 0)),
                    false => Err(invalid(OTHER_TYPE)),
                };
            }
            _ => {}
        }
    }
    Err(armilla_cdr::CdrError::new(CdrErrorKind::UnknownValueType))
}
