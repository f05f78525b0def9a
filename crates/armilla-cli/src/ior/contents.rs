//! The contents of a reference as a tree of named values: the JSON that `armilla ior --json`
//! prints.

use super::names;
use armilla_cdr::CdrResult;
use armilla_giop::Version;
use armilla_giop::ior::{
    AlternateAddress, CodeSetComponent, CodeSetComponentInfo, Component, IiopProfile, Ior, OrbType,
    TAG_INTERNET_IOP, TaggedComponent, TaggedProfile,
};
use serde_json::{Map, Value, json};

/// Names and values in the order of printing.
pub(super) type Contents = Map<String, Value>;

/// Everything that a reference contains.
pub(super) fn of(ior: &Ior) -> Contents {
    let profiles: Vec<Value> = ior.profiles.iter().map(profile).collect();
    members(json!({ "type_id": ior.type_id, "nil": ior.is_nil(), "profiles": profiles }))
}

fn profile(profile: &TaggedProfile) -> Value {
    let mut contents =
        members(json!({ "profile": profile.id, "protocol": names::protocol(profile.id) }));
    contents.extend(match profile.id {
        TAG_INTERNET_IOP => IiopProfile::decode_data(&profile.data)
            .map_or_else(malformed, |iiop| iiop_members(&iiop)),
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
        "components": profile.components.iter().map(component).collect::<Vec<_>>(),
    }))
}

fn component(component: &TaggedComponent) -> Value {
    let mut contents = members(json!({
        "component": component.id,
        "name": names::component(component.id),
    }));
    contents.extend(match component.id {
        OrbType::ID => understood(component, |OrbType(number)| {
            json!({ "orb": names::orb(number), "number": number })
        }),
        CodeSetComponentInfo::ID => understood(component, |sets: CodeSetComponentInfo| {
            json!({ "char": code_sets(&sets.char), "wchar": code_sets(&sets.wchar) })
        }),
        AlternateAddress::ID => understood(component, |address: AlternateAddress| {
            json!({ "host": address.host, "port": address.port })
        }),
        _ => data(&component.data),
    });
    Value::Object(contents)
}

fn code_sets(component: &CodeSetComponent) -> Value {
    let conversion: Vec<String> =
        component.conversion.iter().copied().map(names::code_set).collect();
    json!({ "native": names::code_set(component.native), "conversion": conversion })
}

fn understood<C: Component>(
    component: &TaggedComponent,
    describe: impl FnOnce(C) -> Value,
) -> Contents {
    decode(component)
        .map_or_else(malformed, |decoded| decoded.map(describe).map_or_else(Map::new, members))
}

/// Decodes a component. The library reads components from a profile, so this makes one around it.
fn decode<C: Component>(component: &TaggedComponent) -> CdrResult<Option<C>> {
    let profile = IiopProfile {
        version: Version::V1_2,
        host: String::new(),
        port: 0,
        object_key: Vec::new(),
        components: vec![component.clone()],
    };
    profile.component()
}

fn malformed(error: impl std::fmt::Display) -> Contents {
    members(json!({ "malformed": error.to_string() }))
}

/// Octets of an unknown format.
fn data(octets: &[u8]) -> Contents {
    members(json!({ "data": octets.escape_ascii().to_string() }))
}

/// The members of an object.
fn members(object: Value) -> Contents {
    match object {
        Value::Object(members) => members,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}
