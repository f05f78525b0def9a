//! The contents of a reference as a tree of named values: the JSON that `armilla ior --json`
//! prints.

use super::components::{Within, components};
use super::names;
use armilla_giop::ior::{
    IiopProfile, Ior, TAG_INTERNET_IOP, TAG_MULTIPLE_COMPONENTS, TAG_UIOP, TaggedProfile,
    UiopProfile,
};
use serde_json::{Map, Value, json};

/// Names and values in the order of printing.
pub(super) type Contents = Map<String, Value>;

/// Everything that a reference contains.
pub(super) fn of(ior: &Ior) -> Contents {
    let numbered = ior.profiles.iter().enumerate();
    let profiles: Vec<Value> = numbered.map(|(index, it)| profile(index + 1, it)).collect();
    members(json!({ "type_id": ior.type_id, "nil": ior.is_nil(), "profiles": profiles }))
}

fn profile(number: usize, profile: &TaggedProfile) -> Value {
    let mut contents = members(json!({
        "profile": number,
        "protocol": names::protocol(profile.id),
        "tag": names::tag(profile.id),
    }));
    contents.extend(match profile.id {
        TAG_INTERNET_IOP => IiopProfile::decode_data(&profile.data)
            .map_or_else(malformed, |iiop| iiop_members(&iiop)),
        TAG_UIOP => UiopProfile::decode_data(&profile.data)
            .map_or_else(malformed, |uiop| uiop_members(&uiop)),
        TAG_MULTIPLE_COMPONENTS => profile.multiple_components().map_or_else(malformed, |all| {
            members(json!({ "components": components(&all, Within::Other) }))
        }),
        _ => data(&profile.data),
    });
    Value::Object(contents)
}

fn iiop_members(profile: &IiopProfile) -> Contents {
    members(json!({
        "version": profile.version.to_string(),
        "host": profile.host,
        "port": profile.port,
        "object_key": profile.object_key.escape_ascii().to_string(),
        "components": components(&profile.components, Within::Other),
    }))
}

fn uiop_members(profile: &UiopProfile) -> Contents {
    members(json!({
        "version": profile.version.to_string(),
        "rendezvous_point": profile.rendezvous_point,
        "object_key": profile.object_key.escape_ascii().to_string(),
        "components": components(&profile.components, Within::Uiop),
    }))
}

pub(super) fn malformed(error: impl std::fmt::Display) -> Contents {
    members(json!({ "malformed": error.to_string() }))
}

/// Octets of an unknown format.
pub(super) fn data(octets: &[u8]) -> Contents {
    members(json!({ "data": octets.escape_ascii().to_string() }))
}

/// The members of an object.
pub(super) fn members(object: Value) -> Contents {
    match object {
        Value::Object(members) => members,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}
