//! The conversion of TypeCodes to and from JSON.

use super::super::{DynAnyError, Result};
use super::object_of;
use super::type_name::{self, Lookup, Names};
use armilla_cdr::TypeCode;
use armilla_cdr::type_code::{
    MemberCode, TYPE_CODE_DEPTH_LIMIT, TypeCodeFactory as Factory, UnionCode, UnionMember,
    ValueCode,
};
use serde_json::{Map, Value};

/// The largest number of types in one that can be written. A shared part counts each time.
const MAX_TYPES: u32 = 100_000;

pub(super) fn to_json(code: &TypeCode, names: Names<'_>) -> Result<Value> {
    Writer { names, left: MAX_TYPES, depth: 0 }.code(code)
}

struct Writer<'n> {
    names: Names<'n>,
    left: u32,
    /// The nesting depth of the type that is being written.
    depth: usize,
}

impl Writer<'_> {
    fn code(&mut self, code: &TypeCode) -> Result<Value> {
        let too_large = || bad("the type consists of too many others to be written");
        self.left = self.left.checked_sub(1).ok_or_else(too_large)?;
        if self.depth > TYPE_CODE_DEPTH_LIMIT {
            return Err(bad("the type nests too deep to be written"));
        }
        if let Some(text) = type_name::text(code, self.names) {
            return Ok(text.into());
        }
        self.depth += 1;
        let written = self.shallow(code);
        self.depth -= 1;
        written
    }

    fn shallow(&mut self, code: &TypeCode) -> Result<Value> {
        Ok(match code {
            TypeCode::Recursive(id) => {
                object_of([("kind", "recursive".into()), ("id", (**id).into())])
            }
            TypeCode::Sequence(element, bound) => {
                elements("sequence", self.code(element)?, "bound", *bound)
            }
            TypeCode::Array(element, length) => {
                elements("array", self.code(element)?, "length", *length)
            }
            TypeCode::ObjectReference(code) => named_type("interface", &code.id, &code.name),
            TypeCode::AbstractInterface(code) => {
                named_type("abstract interface", &code.id, &code.name)
            }
            TypeCode::LocalInterface(code) => named_type("local interface", &code.id, &code.name),
            TypeCode::Component(code) => named_type("component", &code.id, &code.name),
            TypeCode::Home(code) => named_type("home", &code.id, &code.name),
            TypeCode::Native(code) => named_type("native", &code.id, &code.name),
            code => self.composed(code)?,
        })
    }

    fn composed(&mut self, code: &TypeCode) -> Result<Value> {
        let (kind, more) = match code {
            TypeCode::Struct(code) => ("struct", vec![("members", self.members(&code.members)?)]),
            TypeCode::Exception(code) => {
                ("exception", vec![("members", self.members(&code.members)?)])
            }
            TypeCode::Enum(code) => {
                ("enum", vec![("enumerators", code.enumerators.clone().into())])
            }
            TypeCode::Alias(code) => ("alias", vec![("type", self.code(&code.ty)?)]),
            TypeCode::ValueBox(code) => ("value box", vec![("type", self.code(&code.ty)?)]),
            TypeCode::Union(code) => ("union", self.union(code)?),
            TypeCode::Value(code) => ("value", self.value(code)?),
            TypeCode::Event(code) => ("event", self.value(code)?),
            _ => return Err(bad("the type cannot be written")),
        };
        let mut object =
            named_type(kind, code.id().unwrap_or_default(), code.name().unwrap_or_default());
        if let Some(object) = object.as_object_mut() {
            object.extend(more.into_iter().map(|(key, value)| (key.to_owned(), value)));
        }
        Ok(object)
    }

    fn members(&mut self, members: &[MemberCode]) -> Result<Value> {
        let member = |m: &MemberCode| {
            Ok(object_of([("name", m.name.as_str().into()), ("type", self.code(&m.ty)?)]))
        };
        members.iter().map(member).collect()
    }

    fn union(&mut self, code: &UnionCode) -> Result<Vec<(&'static str, Value)>> {
        let cases = code.cases.iter().enumerate().map(|(index, case)| {
            let is_default = code.default == u32::try_from(index).ok();
            let label = if is_default { Value::Null } else { case.label.into() };
            let name = case.name.as_str().into();
            Ok(object_of([("label", label), ("name", name), ("type", self.code(&case.ty)?)]))
        });
        let cases = cases.collect::<Result<Value>>()?;
        Ok(vec![("discriminator", self.code(&code.discriminator)?), ("cases", cases)])
    }

    fn value(&mut self, code: &ValueCode) -> Result<Vec<(&'static str, Value)>> {
        let members = code.members.iter().map(|m| {
            let name = m.name.as_str().into();
            let ty = self.code(&m.ty)?;
            Ok(object_of([("name", name), ("type", ty), ("public", m.public.into())]))
        });
        let members = members.collect::<Result<Value>>()?;
        let base = self.code(&code.base)?;
        Ok(vec![("modifier", code.modifier.into()), ("base", base), ("members", members)])
    }
}

fn named_type(kind: &str, id: &str, name: &str) -> Value {
    object_of([("kind", kind.into()), ("id", id.into()), ("name", name.into())])
}

fn elements(kind: &str, element: Value, what: &str, count: u32) -> Value {
    object_of([("kind", kind.into()), ("element", element), (what, count.into())])
}

/// The type that `json` describes. `lookup` finds types by their scoped names and repository ids.
pub(super) fn from_json(json: &Value, lookup: Lookup<'_>) -> Result<TypeCode> {
    let Value::Object(object) = json else {
        let name = json.as_str().ok_or_else(|| bad("a type is a name or an object"))?;
        return type_name::parse(name, lookup);
    };
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let (id, name) = (text("id"), text("name"));
    let made = match text("kind") {
        "recursive" => Factory::create_recursive_tc(id),
        "interface" => Factory::create_interface_tc(id, name),
        "abstract interface" => Factory::create_abstract_interface_tc(id, name),
        "local interface" => Factory::create_local_interface_tc(id, name),
        "component" => Factory::create_component_tc(id, name),
        "home" => Factory::create_home_tc(id, name),
        "native" => Factory::create_native_tc(id, name),
        "sequence" => {
            Factory::create_sequence_tc(number(object, "bound")?, part(object, "element", lookup)?)
        }
        "array" => {
            Factory::create_array_tc(number(object, "length")?, part(object, "element", lookup)?)
        }
        "alias" => Factory::create_alias_tc(id, name, part(object, "type", lookup)?),
        "value box" => Factory::create_value_box_tc(id, name, part(object, "type", lookup)?),
        "enum" => {
            let names = list(object, "enumerators")?.iter().filter_map(Value::as_str);
            Factory::create_enum_tc(id, name, names)
        }
        "struct" => Factory::create_struct_tc(id, name, members(object, lookup)?),
        "exception" => Factory::create_exception_tc(id, name, members(object, lookup)?),
        "union" => {
            let cases = list(object, "cases")?.iter().map(|it| case(it, lookup));
            let cases = cases.collect::<Result<Vec<_>>>()?;
            Factory::create_union_tc(id, name, part(object, "discriminator", lookup)?, cases)
        }
        kind @ ("value" | "event") => {
            let state = list(object, "members")?.iter().map(|member| {
                let (name, ty) = named_part(member, lookup)?;
                Ok((name, ty, member.get("public").and_then(Value::as_bool).unwrap_or(true)))
            });
            let state = state.collect::<Result<Vec<_>>>()?;
            let base = object.get("base");
            let base = base.map_or(Ok(TypeCode::Null), |base| from_json(base, lookup))?;
            let modifier = object.get("modifier").and_then(Value::as_i64).unwrap_or_default();
            let modifier = i16::try_from(modifier).map_err(|_| bad("there is no such modifier"))?;
            match kind {
                "event" => Factory::create_event_tc(id, name, modifier, base, state),
                _ => Factory::create_value_tc(id, name, modifier, base, state),
            }
        }
        kind => return Err(bad(&format!("there is no kind of types {kind:?}"))),
    };
    made.map_err(|error| bad(&error.what))
}

fn part(object: &Map<String, Value>, key: &str, lookup: Lookup<'_>) -> Result<TypeCode> {
    from_json(object.get(key).ok_or_else(|| bad(&format!("{key:?} is missing")))?, lookup)
}

fn number(object: &Map<String, Value>, key: &str) -> Result<u32> {
    let number = object.get(key).map_or(Some(0), Value::as_u64);
    let number = number.and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| bad(&format!("{key:?} is no number")))
}

fn list<'o>(object: &'o Map<String, Value>, key: &str) -> Result<&'o [Value]> {
    let list = object.get(key).and_then(Value::as_array);
    list.map(Vec::as_slice).ok_or_else(|| bad(&format!("{key:?} is no array")))
}

fn named_part(member: &Value, lookup: Lookup<'_>) -> Result<(String, TypeCode)> {
    let object = member.as_object().ok_or_else(|| bad("a member is an object"))?;
    let name = object.get("name").and_then(Value::as_str).unwrap_or_default();
    Ok((name.to_owned(), part(object, "type", lookup)?))
}

fn members(object: &Map<String, Value>, lookup: Lookup<'_>) -> Result<Vec<(String, TypeCode)>> {
    list(object, "members")?.iter().map(|member| named_part(member, lookup)).collect()
}

fn case(case: &Value, lookup: Lookup<'_>) -> Result<UnionMember> {
    let (name, ty) = named_part(case, lookup)?;
    Ok(UnionMember { label: case.get("label").and_then(Value::as_i64), name, ty })
}

fn bad(what: &str) -> DynAnyError {
    DynAnyError::invalid(what)
}
