//! The conversion from JSON.

use super::super::shared::Shared;
use super::super::tree::Content;
use super::super::types::Types;
use super::super::{DynAny, DynAnyError, Result, too_deep};
use super::type_name::Lookup;
use super::{DISCRIMINATOR, REF, TYPE, VALUE, type_code};
use crate::runtime::Orb;
use armilla_cdr::{Any, DEPTH_LIMIT, LongDouble, TypeCode};
use armilla_giop::Version;
use armilla_giop::ior::Ior;
use armilla_giop::url::ObjectUrl;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

pub(super) struct Reader<'o> {
    /// Finds types that the TypeCode does not describe.
    orb: Option<&'o Orb>,
    /// Finds types by the names that the JSON gives them.
    lookup: Lookup<'o>,
    /// The valuetypes that were read, in order.
    values: Vec<Arc<Shared>>,
    /// The nesting depth of the value that is being read.
    depth: u16,
}

impl<'o> Reader<'o> {
    pub(super) const fn new(orb: Option<&'o Orb>, lookup: Lookup<'o>) -> Self {
        Self { orb, lookup, values: Vec::new(), depth: 0 }
    }

    /// Converts `json` to a value of this type.
    pub(super) fn whole(mut self, type_code: &TypeCode, json: &Value) -> Result<DynAny> {
        let mut value = DynAny::new(type_code)?;
        self.value(&mut value, json)?;
        Ok(value)
    }

    /// Sets `target` to the value that `json` describes.
    pub(super) fn value(&mut self, target: &mut DynAny, json: &Value) -> Result {
        match &target.content {
            Content::Any(_) => {
                let any = self.nested(|reader| reader.any(json))?;
                target.insert_any(any)
            }
            Content::Union(_) => self.nested(|reader| reader.union(target, json)),
            Content::Value(_) => self.nested(|reader| reader.valuetype(target, json)),
            Content::Octets(_) | Content::Parts(_) => {
                self.nested(|reader| reader.parts(target, json))
            }
            _ => simple(target, json, self.lookup),
        }
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEPTH_LIMIT {
            return Err(too_deep());
        }
        self.depth += 1;
        let done = read(self);
        self.depth -= 1;
        done
    }

    fn any(&self, json: &Value) -> Result<Any> {
        let Some(object) = json.as_object() else { return plain(json) };
        let (Some(ty), Some(value)) = (object.get(TYPE), object.get(VALUE)) else {
            return Err(expected("an object with $type and $value, or a plain value", json));
        };
        if let Some(other) = object.keys().find(|key| *key != TYPE && *key != VALUE) {
            let what = format!("{other:?} is neither {TYPE} nor {VALUE}");
            return Err(DynAnyError::invalid(what));
        }
        let ty = type_code::from_json(ty, self.lookup).map_err(|error| error.within(TYPE))?;
        let mut target = DynAny::new(&ty).map_err(|error| error.within(TYPE))?;
        // The content of an `any` shares no valuetypes with its surroundings.
        let mut within = Self { depth: self.depth, ..Self::new(self.orb, self.lookup) };
        within.value(&mut target, value).map_err(|error| error.within(VALUE))?;
        target.to_any()
    }

    fn parts(&mut self, target: &mut DynAny, json: &Value) -> Result {
        if let TypeCode::Struct(_) | TypeCode::Exception(_) = target.resolved() {
            let names = target.as_struct()?.member_names();
            let Content::Parts(parts) = &mut target.content else { return Ok(()) };
            return self.members(&names, parts, object(json)?, &[]);
        }
        let elements = match json {
            Value::Array(elements) => Cow::Borrowed(&**elements),
            // A string stands for a sequence of characters.
            Value::String(text) if is_text(target) => {
                text.chars().map(|c| c.to_string().into()).collect()
            }
            _ => return Err(expected("an array", json)),
        };
        if let TypeCode::Sequence(..) = target.resolved() {
            target.as_sequence()?.set_length(elements.len())?;
        } else if elements.len() != target.component_count() {
            return Err(expected(&format!("an array of {}", target.component_count()), json));
        }
        target.expand();
        let Content::Parts(parts) = &mut target.content else { return Ok(()) };
        for (index, (part, element)) in parts.iter_mut().zip(&*elements).enumerate() {
            self.value(part, element).map_err(|error| error.within(&format!("[{index}]")))?;
        }
        Ok(())
    }

    fn members(
        &mut self,
        names: &[String],
        parts: &mut [DynAny],
        object: &Map<String, Value>,
        others: &[&str],
    ) -> Result {
        let known = |key: &&String| names.contains(key) || others.contains(&key.as_str());
        if let Some(unknown) = object.keys().find(|key| !known(key)) {
            let names = names.join(", ");
            let what = format!("{unknown:?} is none of the members {names}");
            return Err(DynAnyError::invalid(what));
        }
        for (name, part) in names.iter().zip(parts) {
            let missing = || DynAnyError::invalid(format!("the member {name:?} is missing"));
            let json = object.get(name).ok_or_else(missing)?;
            self.value(part, json).map_err(|error| error.within(name))?;
        }
        Ok(())
    }

    fn union(&mut self, target: &mut DynAny, json: &Value) -> Result {
        let object = object(json)?;
        let mut member = object.iter().filter(|(key, _)| *key != DISCRIMINATOR);
        let (member, more) = (member.next(), member.next());
        if more.is_some() {
            return Err(expected("an object with one member", json));
        }
        match (object.get(DISCRIMINATOR), member) {
            (Some(json), _) => {
                let mut discriminator = target.as_union()?.discriminator()?;
                self.value(&mut discriminator, json)
                    .map_err(|error| error.within(DISCRIMINATOR))?;
                target.as_union()?.set_discriminator(&discriminator)?;
            }
            (None, Some((name, _))) => target.as_union()?.set_member_name(name)?,
            (None, None) => target.as_union()?.set_to_no_active_member()?,
        }
        let mut union = target.as_union()?;
        let chosen = union.member_name();
        match (member, chosen) {
            (Some((name, content)), Some(chosen)) if *name == chosen => {
                let member = union.member().ok_or_else(|| expected("no member", json))?;
                self.value(member, content).map_err(|error| error.within(name))
            }
            (None, None) => Ok(()),
            (_, Some(chosen)) => {
                let what = format!("the discriminator selects the member {chosen:?}");
                Err(DynAnyError::invalid(what))
            }
            (_, None) => Err(DynAnyError::invalid("the discriminator selects no member")),
        }
    }

    /// A null value of the type with the repository id `id`.
    fn null_of(&self, id: &str, target: &DynAny) -> Result<DynAny> {
        if let Some(code) = target.types.find(id) {
            return Ok(DynAny::with(code.clone(), &target.types, Content::Value(None)));
        }
        let Some(code) = self.orb.and_then(|orb| orb.value_type_code(id)) else {
            let what = format!("{id:?} is no valuetype that the TypeCode describes");
            return Err(DynAnyError::invalid(what));
        };
        let types = Types::of(&code, &[]);
        Ok(DynAny::with(code, &types, Content::Value(None)))
    }

    fn valuetype(&mut self, target: &mut DynAny, json: &Value) -> Result {
        let is_abstract = matches!(target.resolved(), TypeCode::AbstractInterface(_));
        if let Some(number) = json.get(REF) {
            let found = number.as_u64().and_then(|number| self.values.get(number as usize));
            let shared =
                found.ok_or_else(|| expected("the number of an earlier value", json))?.clone();
            let known =
                DynAny::with(target.code.clone(), &target.types, Content::Value(Some(shared)));
            return target.as_value()?.share(&known);
        }
        match json {
            Value::Null => {
                target.as_value()?.set_to_null();
                return Ok(());
            }
            Value::String(_) if is_abstract => {
                target.content = Content::Reference(Box::new(reference(json)?));
                return Ok(());
            }
            _ => {}
        }
        let said = json.get(TYPE).and_then(Value::as_str);
        let mut made = match said {
            Some(id) => self.null_of(id, target)?,
            None => DynAny::with(target.resolved().clone(), &target.types, Content::Value(None)),
        };
        made.as_value()?.set_to_value()?;
        let Some(shared) = made.shared().cloned() else {
            return Err(expected("a valuetype", json));
        };
        self.values.push(shared.clone());
        target.as_value()?.share(&made)?;
        // A separate copy of the state, because the members may refer back to the value.
        let mut state = shared.copies();
        match (shared.code(), &mut state[..]) {
            (TypeCode::ValueBox(_), [boxed]) => {
                self.value(boxed, unwrapped(json, said.is_some()))?
            }
            (_, state) => self.members(&shared.names(), state, object(json)?, &[TYPE])?,
        }
        shared.set(state);
        target.rewind();
        Ok(())
    }
}

/// Whether the elements of a sequence or an array are of type `char`.
fn is_text(target: &DynAny) -> bool {
    let element = target.resolved().content_type();
    matches!(element.map(TypeCode::resolved), Some(TypeCode::Char))
}

/// The JSON of the content of a box.
fn unwrapped(json: &Value, has_type: bool) -> &Value {
    let object = json.as_object().filter(|object| has_type || object.len() == 1);
    object.and_then(|object| object.get(VALUE)).unwrap_or(json)
}

/// Sets `target`, a value without components, to the value that `json` describes.
fn simple(target: &mut DynAny, json: &Value, lookup: Lookup<'_>) -> Result {
    if let Some(scalar) = number(&target.content, json) {
        target.content = scalar?;
        return Ok(());
    }
    match &target.content {
        Content::Nothing => match json {
            Value::Null => Ok(()),
            _ => Err(expected("null", json)),
        },
        Content::Boolean(_) => {
            target.insert_boolean(json.as_bool().ok_or_else(|| expected("true or false", json))?)
        }
        Content::Char(_) => {
            let one = one_character(json)?;
            target.insert_char(
                u8::try_from(one).map_err(|_| expected("a character of ISO 8859-1", json))?,
            )
        }
        Content::WChar(_) => target.insert_wchar(one_character(json)?),
        Content::String(_) => target.insert_string(text(json)?),
        Content::WString(_) => target.insert_wstring(text(json)?),
        Content::Fixed(_) => match target.as_fixed()?.set_value(&digits(json)?)? {
            true => Ok(()),
            false => Err(expected(&format!("a {}", target.resolved()), json)),
        },
        Content::Enum(_) => match json.as_u64().and_then(|number| number.try_into().ok()) {
            Some(number) => target.as_enum()?.set_number(number),
            None => target.as_enum()?.set_name(text(json)?),
        },
        Content::TypeCode(_) => target.insert_typecode(type_code::from_json(json, lookup)?),
        Content::Reference(_) => {
            target.content = Content::Reference(Box::new(reference(json)?));
            Ok(())
        }
        _ => Err(expected("another value", json)),
    }
}

/// The content of a numeric type; `None` for other types.
fn number(content: &Content, json: &Value) -> Option<Result<Content>> {
    fn integer<T: TryFrom<i128>>(json: &Value) -> Result<T> {
        let number = json.as_i64().map(i128::from).or_else(|| json.as_u64().map(i128::from));
        let number = number.ok_or_else(|| expected("an integer", json))?;
        T::try_from(number).map_err(|_| DynAnyError::invalid(format!("{number} is out of range")))
    }
    Some(match content {
        Content::Octet(_) => integer(json).map(Content::Octet),
        Content::Short(_) => integer(json).map(Content::Short),
        Content::UShort(_) => integer(json).map(Content::UShort),
        Content::Long(_) => integer(json).map(Content::Long),
        Content::ULong(_) => integer(json).map(Content::ULong),
        Content::LongLong(_) => integer(json).map(Content::LongLong),
        Content::ULongLong(_) => integer(json).map(Content::ULongLong),
        Content::Float(_) => short_float(json).map(Content::Float),
        Content::Double(_) => float(json).map(Content::Double),
        Content::LongDouble(_) => long_double(json).map(Content::LongDouble),
        _ => return None,
    })
}

fn float(json: &Value) -> Result<f64> {
    match json {
        Value::String(text) if text == "NaN" => Ok(f64::NAN),
        Value::String(text) if text == "Infinity" => Ok(f64::INFINITY),
        Value::String(text) if text == "-Infinity" => Ok(f64::NEG_INFINITY),
        json => json.as_f64().ok_or_else(|| expected("a number", json)),
    }
}

/// A `float`. A number that is too large for one is refused, and not made infinite.
fn short_float(json: &Value) -> Result<f32> {
    let value = float(json)?;
    let short = value as f32;
    match short.is_infinite() && value.is_finite() {
        true => Err(DynAnyError::invalid(format!("{json} is out of range"))),
        false => Ok(short),
    }
}

fn long_double(json: &Value) -> Result<LongDouble> {
    let bits = json.as_str().and_then(|text| text.strip_prefix("0x"));
    match bits.and_then(|bits| u128::from_str_radix(bits, 16).ok()) {
        Some(bits) => Ok(LongDouble::from_bits(bits)),
        None => float(json).map(LongDouble::from_f64),
    }
}

/// The digits of a decimal number, from a string or from a number as it was written.
fn digits(json: &Value) -> Result<String> {
    match json {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(expected("a decimal number", json)),
    }
}

fn text(json: &Value) -> Result<&str> {
    json.as_str().ok_or_else(|| expected("a string", json))
}

fn object(json: &Value) -> Result<&Map<String, Value>> {
    json.as_object().ok_or_else(|| expected("an object", json))
}

fn one_character(json: &Value) -> Result<char> {
    let mut characters = text(json)?.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(character),
        _ => Err(expected("one character", json)),
    }
}

/// An `any` of the type that the JSON value suggests.
fn plain(json: &Value) -> Result<Any> {
    Ok(match json {
        Value::Null => Any::default(),
        Value::Bool(value) => Any::new(value)?,
        Value::String(text) => Any::new(text)?,
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => match i32::try_from(value) {
                Ok(value) => Any::new(&value)?,
                Err(_) => Any::new(&value)?,
            },
            (None, Some(value)) => Any::new(&value)?,
            _ => Any::new(&number.as_f64().ok_or_else(|| expected("a number", json))?)?,
        },
        _ => return Err(expected("a plain value, or an object with $type and $value", json)),
    })
}

fn reference(json: &Value) -> Result<Ior> {
    if json.is_null() {
        return Ok(Ior::NIL);
    }
    let bad = |error: String| DynAnyError::invalid(error);
    match ObjectUrl::parse(text(json)?).map_err(|error| bad(error.to_string()))? {
        ObjectUrl::Ior(ior) => Ok(ior),
        ObjectUrl::Corbaloc(location) => {
            location.to_ior(Version::V1_2).map_err(|error| bad(error.to_string()))
        }
        _ => Err(expected("IOR:… or corbaloc:…", json)),
    }
}

/// `what` was expected where `json` is.
fn expected(what: &str, json: &Value) -> DynAnyError {
    let found = match json {
        Value::Array(elements) => format!("an array of {}", elements.len()),
        Value::Object(members) => {
            let names: Vec<&str> = members.keys().take(NAMES).map(String::as_str).collect();
            let more = if members.len() > NAMES { ", …" } else { "" };
            format!("an object with the members ({}{more})", names.join(", "))
        }
        plain => plain.to_string(),
    };
    let end = found.char_indices().nth(SHOWN).map_or(found.len(), |(end, _)| end);
    let more = if end < found.len() { "…" } else { "" };
    DynAnyError::invalid(format!("expected {what}, not {}{more}", &found[..end]))
}

/// How many characters of a wrong value an error shows.
const SHOWN: usize = 60;

/// How many names of the members of a wrong object an error shows.
const NAMES: usize = 4;
