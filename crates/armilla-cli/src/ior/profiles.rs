//! The profiles of a reference, each decoded as far as its layout is known.

use super::components::{Within, components};
use super::contents::{Contents, data, malformed, members};
use super::names;
use armilla_giop::ior::{
    IiopProfile, Ior, TAG_INTERNET_IOP, TAG_MULTIPLE_COMPONENTS, TAG_UIOP, TaggedProfile,
    UiopProfile,
};
use serde_json::{Value, json};

/// Everything that a reference contains.
pub(super) fn contents(ior: &Ior) -> Contents {
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
