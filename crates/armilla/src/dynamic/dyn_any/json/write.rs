//! The conversion to JSON.

use super::super::shared::Shared;
use super::super::tree::{Content, UnionContent};
use super::super::{DynAny, DynAnyError, Result, too_deep};
use super::type_name::Names;
use super::{DISCRIMINATOR, REF, TYPE, VALUE, object_of, type_code};
use armilla_cdr::type_code::UnionCode;
use armilla_cdr::{Any, DEPTH_LIMIT, LongDouble, TypeCode};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

pub(super) struct Writer<'n> {
    /// Finds the names of types.
    names: Names<'n>,
    /// The number of each valuetype that was written, by its address.
    values: HashMap<usize, usize>,
    /// The nesting depth of the value that is being written.
    depth: u16,
}

impl<'n> Writer<'n> {
    pub(super) fn new(names: Names<'n>) -> Self {
        Self { names, values: HashMap::new(), depth: 0 }
    }

    pub(super) fn value(&mut self, value: &DynAny) -> Result<Value> {
        match &value.content {
            Content::Any(any) => self.nested(|writer| writer.any(any)),
            Content::Parts(parts) => self.nested(|writer| writer.parts(value.resolved(), parts)),
            Content::Union(union) => self.nested(|writer| writer.union(value.resolved(), union)),
            Content::Value(Some(shared)) => self.nested(|writer| writer.shared(value, shared)),
            _ => simple(value, self.names),
        }
    }

    fn nested(&mut self, write: impl FnOnce(&mut Self) -> Result<Value>) -> Result<Value> {
        if self.depth == DEPTH_LIMIT {
            return Err(too_deep());
        }
        self.depth += 1;
        let written = write(self);
        self.depth -= 1;
        written
    }

    fn any(&self, any: &Any) -> Result<Value> {
        // The content of an `any` shares no valuetypes with its surroundings.
        let mut within = Self { depth: self.depth, ..Self::new(self.names) };
        let value = within.value(&DynAny::from_any(any)?)?;
        let ty = type_code::to_json(any.type_code(), self.names)?;
        Ok(object_of([(TYPE, ty), (VALUE, value)]))
    }

    fn parts(&mut self, code: &TypeCode, parts: &[DynAny]) -> Result<Value> {
        let (TypeCode::Struct(code) | TypeCode::Exception(code)) = code else {
            let all_chars =
                matches!(code.content_type().map(TypeCode::resolved), Some(TypeCode::Char));
            let elements = parts.iter().map(|part| self.value(part)).collect::<Result<Vec<_>>>()?;
            return Ok(match all_chars {
                true => elements.iter().filter_map(Value::as_str).collect::<String>().into(),
                false => elements.into(),
            });
        };
        let names = code.members.iter().map(|member| member.name.as_str());
        self.members(names, parts).map(Value::Object)
    }

    fn members<'m>(
        &mut self,
        names: impl Iterator<Item = &'m str>,
        parts: &[DynAny],
    ) -> Result<Map<String, Value>> {
        let named = names.zip(parts);
        named.map(|(name, part)| Ok((name.to_owned(), self.value(part)?))).collect()
    }

    fn union(&mut self, code: &TypeCode, union: &UnionContent) -> Result<Value> {
        let number = union.discriminator.content.number().unwrap_or_default();
        let TypeCode::Union(code) = code else { return Ok(Value::Null) };
        let mut object = Map::new();
        if !is_first_label(code, number) {
            object.insert(DISCRIMINATOR.to_owned(), self.value(&union.discriminator)?);
        }
        if let (Some(member), Some(case)) = (&union.member, code.select(number)) {
            object.insert(case.name.clone(), self.value(member)?);
        }
        Ok(object.into())
    }

    fn shared(&mut self, value: &DynAny, shared: &Arc<Shared>) -> Result<Value> {
        let (address, number) = (Arc::as_ptr(shared).addr(), self.values.len());
        if let Some(number) = self.values.get(&address) {
            return Ok(object_of([(REF, (*number).into())]));
        }
        self.values.insert(address, number);
        let state = shared.copies();
        if let (TypeCode::ValueBox(_), [boxed]) = (shared.code(), &state[..]) {
            let boxed = self.value(boxed)?;
            return Ok(match shared.code().id() == value.resolved().id() {
                true => wrapped(boxed),
                false => object_of([(TYPE, shared.code().id().into()), (VALUE, boxed)]),
            });
        }
        let names = shared.names();
        let mut object = Map::new();
        if shared.code().id() != value.resolved().id() {
            object.insert(TYPE.to_owned(), shared.code().id().into());
        }
        object.extend(self.members(names.iter().map(String::as_str), &state)?);
        Ok(object.into())
    }
}

/// Writes a value without components.
fn simple(value: &DynAny, names: Names<'_>) -> Result<Value> {
    Ok(match &value.content {
        Content::Boolean(value) => (*value).into(),
        Content::Char(value) => char::from(*value).to_string().into(),
        Content::Octet(value) => (*value).into(),
        Content::Short(value) => (*value).into(),
        Content::UShort(value) => (*value).into(),
        Content::Long(value) => (*value).into(),
        Content::ULong(value) => (*value).into(),
        Content::LongLong(value) => (*value).into(),
        Content::ULongLong(value) => (*value).into(),
        Content::Float(value) => float(f64::from(*value), || value.to_string()),
        Content::Double(value) => float(*value, String::new),
        Content::LongDouble(value) => long_double(*value),
        Content::WChar(value) => value.to_string().into(),
        Content::String(text) | Content::WString(text) => text.as_str().into(),
        Content::Fixed(_) => value.clone().as_fixed()?.value().into(),
        Content::Enum(_) => value.clone().as_enum()?.name().into(),
        Content::TypeCode(code) => type_code::to_json(code, names)?,
        Content::Reference(ior) if !ior.is_nil() => {
            ior.to_text().map_err(|error| DynAnyError::invalid(error.to_string()))?.into()
        }
        Content::Octets(octets) => self::octets(value, octets),
        // `null`, `void`, a nil reference, or a null valuetype.
        _ => Value::Null,
    })
}

fn octets(value: &DynAny, octets: &[u8]) -> Value {
    let element = value.resolved().content_type();
    match element.map(|element| value.types.resolve(element)) {
        Some(TypeCode::Char) => {
            octets.iter().map(|octet| char::from(*octet)).collect::<String>().into()
        }
        _ => octets.to_vec().into(),
    }
}

/// The JSON of the content of a box. It is put into an object if it could be mistaken for the box.
fn wrapped(boxed: Value) -> Value {
    let ambiguous = match &boxed {
        Value::Null => true,
        Value::Object(object) => {
            object.contains_key(TYPE)
                || object.contains_key(REF)
                || (object.len() == 1 && object.contains_key(VALUE))
        }
        _ => false,
    };
    if ambiguous { object_of([(VALUE, boxed)]) } else { boxed }
}

/// Whether naming the member alone implies this discriminator.
fn is_first_label(code: &UnionCode, number: i64) -> bool {
    let Some(chosen) = code.select(number) else { return false };
    let first = code.cases.iter().position(|case| case.name == chosen.name);
    first.is_some_and(|first| match code.default == u32::try_from(first).ok() {
        true => code.unused_label() == Some(number),
        false => code.cases[first].label == number,
    })
}

/// Writes a number, or its name if JSON has no such number. `short` writes it in a shorter type.
fn float(value: f64, short: impl FnOnce() -> String) -> Value {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.into();
    }
    // So the `float` 0.1 becomes 0.1 and not the `double` next to it.
    short().parse().map_or_else(|_| value.into(), |short: f64| short.into())
}

fn long_double(value: LongDouble) -> Value {
    let near = value.to_f64();
    match LongDouble::from_f64(near).to_bits() == value.to_bits() {
        true => float(near, String::new),
        false => format!("{:#034x}", value.to_bits()).into(),
    }
}
