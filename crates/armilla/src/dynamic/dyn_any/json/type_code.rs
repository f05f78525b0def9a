//! TypeCodes as JSON.

use super::super::{DynAnyError, Result};
use armilla_cdr::TypeCode;
use armilla_cdr::type_code::{TypeCodeFactory as Factory, UnionMember};
use serde_json::{Map, Value, json};

/// The types whose name says everything, as IDL names them.
const BASIC: [(&str, TypeCode); 18] = [
    ("null", TypeCode::Null),
    ("void", TypeCode::Void),
    ("short", TypeCode::Short),
    ("long", TypeCode::Long),
    ("unsigned short", TypeCode::UShort),
    ("unsigned long", TypeCode::ULong),
    ("long long", TypeCode::LongLong),
    ("unsigned long long", TypeCode::ULongLong),
    ("float", TypeCode::Float),
    ("double", TypeCode::Double),
    ("long double", TypeCode::LongDouble),
    ("boolean", TypeCode::Boolean),
    ("char", TypeCode::Char),
    ("wchar", TypeCode::WChar),
    ("octet", TypeCode::Octet),
    ("any", TypeCode::Any),
    ("TypeCode", TypeCode::TypeCode),
    ("Principal", TypeCode::Principal),
];

pub(super) fn to_json(code: &TypeCode) -> Value {
    let kind = |kind: &str, id: &str, name: &str| json!({"kind": kind, "id": id, "name": name});
    let (mut object, more) = match code {
        TypeCode::String(0) => return "string".into(),
        TypeCode::WString(0) => return "wstring".into(),
        TypeCode::String(bound) => return format!("string<{bound}>").into(),
        TypeCode::WString(bound) => return format!("wstring<{bound}>").into(),
        TypeCode::Fixed { digits, scale } => return format!("fixed<{digits},{scale}>").into(),
        TypeCode::Recursive(id) => return json!({"kind": "recursive", "id": &**id}),
        TypeCode::Sequence(element, bound) => {
            return json!({"kind": "sequence", "element": to_json(element), "bound": bound});
        }
        TypeCode::Array(element, length) => {
            return json!({"kind": "array", "element": to_json(element), "length": length});
        }
        TypeCode::ObjectReference(code) => return kind("interface", &code.id, &code.name),
        TypeCode::AbstractInterface(code) => {
            return kind("abstract interface", &code.id, &code.name);
        }
        TypeCode::LocalInterface(code) => return kind("local interface", &code.id, &code.name),
        TypeCode::Component(code) => return kind("component", &code.id, &code.name),
        TypeCode::Home(code) => return kind("home", &code.id, &code.name),
        TypeCode::Native(code) => return kind("native", &code.id, &code.name),
        TypeCode::Struct(code) => {
            let members = code.members.iter().map(|m| member(&m.name, &m.ty)).collect();
            (kind("struct", &code.id, &code.name), vec![("members", members)])
        }
        TypeCode::Exception(code) => {
            let members = code.members.iter().map(|m| member(&m.name, &m.ty)).collect();
            (kind("exception", &code.id, &code.name), vec![("members", members)])
        }
        TypeCode::Enum(code) => {
            let names = code.enumerators.clone().into();
            (kind("enum", &code.id, &code.name), vec![("enumerators", names)])
        }
        TypeCode::Alias(code) => {
            (kind("alias", &code.id, &code.name), vec![("type", to_json(&code.ty))])
        }
        TypeCode::ValueBox(code) => {
            (kind("value box", &code.id, &code.name), vec![("type", to_json(&code.ty))])
        }
        TypeCode::Union(code) => {
            let cases = code.cases.iter().enumerate().map(|(index, case)| {
                let is_default = code.default == u32::try_from(index).ok();
                let label = if is_default { Value::Null } else { case.label.into() };
                json!({"label": label, "name": case.name, "type": to_json(&case.ty)})
            });
            let more =
                vec![("discriminator", to_json(&code.discriminator)), ("cases", cases.collect())];
            (kind("union", &code.id, &code.name), more)
        }
        TypeCode::Value(code) | TypeCode::Event(code) => {
            let members = code.members.iter().map(|member| {
                json!({"name": member.name, "type": to_json(&member.ty), "public": member.public})
            });
            let more = vec![
                ("modifier", code.modifier.into()),
                ("base", to_json(&code.base)),
                ("members", members.collect()),
            ];
            (kind("value", &code.id, &code.name), more)
        }
        basic => {
            let known = BASIC.iter().find(|(_, code)| code.kind() == basic.kind());
            return known.map_or(Value::Null, |(name, _)| (*name).into());
        }
    };
    if let Some(object) = object.as_object_mut() {
        object.extend(more.into_iter().map(|(key, value)| (key.to_owned(), value)));
    }
    object
}

fn member(name: &str, ty: &TypeCode) -> Value {
    json!({"name": name, "type": to_json(ty)})
}

pub(super) fn from_json(json: &Value) -> Result<TypeCode> {
    let Value::Object(object) = json else {
        let name = json.as_str().ok_or_else(|| bad("a type is a name or an object"))?;
        return named(name);
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
            Factory::create_sequence_tc(number(object, "bound")?, part(object, "element")?)
        }
        "array" => Factory::create_array_tc(number(object, "length")?, part(object, "element")?),
        "alias" => Factory::create_alias_tc(id, name, part(object, "type")?),
        "value box" => Factory::create_value_box_tc(id, name, part(object, "type")?),
        "enum" => {
            let names = list(object, "enumerators")?.iter().filter_map(Value::as_str);
            Factory::create_enum_tc(id, name, names)
        }
        "struct" => Factory::create_struct_tc(id, name, members(object)?),
        "exception" => Factory::create_exception_tc(id, name, members(object)?),
        "union" => {
            let cases = list(object, "cases")?.iter().map(case).collect::<Result<Vec<_>>>()?;
            Factory::create_union_tc(id, name, part(object, "discriminator")?, cases)
        }
        "value" => {
            let state = list(object, "members")?.iter().map(|member| {
                let (name, ty) = named_part(member)?;
                Ok((name, ty, member.get("public").and_then(Value::as_bool).unwrap_or(true)))
            });
            let state = state.collect::<Result<Vec<_>>>()?;
            let base = object.get("base").map_or(Ok(TypeCode::Null), from_json)?;
            let modifier = object.get("modifier").and_then(Value::as_i64).unwrap_or_default();
            let modifier = i16::try_from(modifier).map_err(|_| bad("there is no such modifier"))?;
            Factory::create_value_tc(id, name, modifier, base, state)
        }
        kind => return Err(bad(&format!("there is no kind of types {kind:?}"))),
    };
    made.map_err(|error| bad(&error.what))
}

fn named(name: &str) -> Result<TypeCode> {
    let basic = BASIC.iter().find(|(known, _)| *known == name);
    if let Some((_, code)) = basic {
        return Ok(code.clone());
    }
    let unknown = || bad(&format!("there is no basic type {name:?}"));
    let (kind, arguments) = match name.strip_suffix('>').and_then(|name| name.split_once('<')) {
        Some((kind, arguments)) => (kind, arguments),
        None => (name, "0"),
    };
    match (kind, arguments.split_once(',')) {
        ("string", None) => arguments.trim().parse().map(TypeCode::String).map_err(|_| unknown()),
        ("wstring", None) => arguments.trim().parse().map(TypeCode::WString).map_err(|_| unknown()),
        ("fixed", Some((digits, scale))) => {
            let (digits, scale) = (digits.trim().parse(), scale.trim().parse());
            let made = digits.ok().zip(scale.ok()).map(|(d, s)| Factory::create_fixed_tc(d, s));
            made.ok_or_else(unknown)?.map_err(|error| bad(&error.what))
        }
        _ => Err(unknown()),
    }
}

fn part(object: &Map<String, Value>, key: &str) -> Result<TypeCode> {
    from_json(object.get(key).ok_or_else(|| bad(&format!("{key:?} is missing")))?)
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

fn named_part(member: &Value) -> Result<(String, TypeCode)> {
    let object = member.as_object().ok_or_else(|| bad("a member is an object"))?;
    let name = object.get("name").and_then(Value::as_str).unwrap_or_default();
    Ok((name.to_owned(), part(object, "type")?))
}

fn members(object: &Map<String, Value>) -> Result<Vec<(String, TypeCode)>> {
    list(object, "members")?.iter().map(named_part).collect()
}

fn case(case: &Value) -> Result<UnionMember> {
    let (name, ty) = named_part(case)?;
    Ok(UnionMember { label: case.get("label").and_then(Value::as_i64), name, ty })
}

#[cold]
fn bad(what: &str) -> DynAnyError {
    DynAnyError::invalid(what)
}
