//! The policies in a reference: their names, and the values of those that travel in references.

use super::contents::{Contents, data, malformed, members};
use super::names;
use armilla_cdr::{CdrResult, Decoder};
use armilla_giop::ior::PolicyValue;
use serde_json::{Value, json};

/// A policy of `TAG_POLICIES`.
pub(super) fn policy(policy: &PolicyValue) -> Value {
    let mut contents = members(json!({
        "policy": policy.policy_type,
        "name": names::policy(policy.policy_type),
    }));
    contents.extend(value(policy).unwrap_or_else(malformed));
    Value::Object(contents)
}

fn value(policy: &PolicyValue) -> CdrResult<Contents> {
    let Some(read) = reader(policy.policy_type) else { return Ok(data(&policy.value)) };
    Ok(members(read(&mut policy.open()?)?))
}

type Reader = fn(&mut Decoder<'_>) -> CdrResult<Value>;

/// How the value of a policy of this type is read (CORBA 3.4 Part 1, 17.2.2; RT-CORBA 1.2, 5;
/// ZIOP, Part 2, 11).
fn reader(policy_type: u32) -> Option<Reader> {
    Some(match policy_type {
        23 => |input| Ok(json!({ "rebind": of(&REBIND, input.i16()?) })),
        24 => |input| Ok(json!({ "sync_scope": of(&SYNC_SCOPE, input.i16()?) })),
        25 | 26 => |input| Ok(json!({ "minimum": input.i16()?, "maximum": input.i16()? })),
        27..=30 => |input| {
            let time = input.u64()?;
            Ok(json!({ "hundreds_of_nanoseconds_since_1582": time }))
        },
        31 | 32 => |input| Ok(json!({ "milliseconds": input.u64()? as f64 / 10_000.0 })),
        33 => |input| {
            let [least, most] = [input.i16()?, input.i16()?];
            Ok(json!({ "minimum": of(&ROUTING, least), "maximum": of(&ROUTING, most) }))
        },
        34 => |input| Ok(json!({ "hops": input.u16()? })),
        35 => |input| Ok(json!({ "orders": input.u16()? })),
        37 => |input| Ok(json!({ "bidirectional": of(&BIDIRECTIONAL, input.u16()? as i16) })),
        40 => |input| {
            let model = input.u32()?;
            Ok(json!({ "model": of(&PRIORITY_MODEL, model as i16), "priority": input.i16()? }))
        },
        42 | 43 => |input| {
            let count = input.length()?;
            Ok(json!({ "protocols": count, "first": names::protocol(input.u32()?) }))
        },
        45 => |input| {
            let count = input.length()?;
            let mut bands = Vec::new();
            for _ in 0..count {
                bands.push(format!("{} to {}", input.i16()?, input.i16()?));
            }
            Ok(json!({ "bands": bands }))
        },
        64 => |input| Ok(json!({ "compression": input.bool()? })),
        65 => |input| {
            let count = input.length()?;
            let mut compressors = Vec::new();
            for _ in 0..count {
                let (id, level) = (input.u16()?, input.u16()?);
                compressors.push(format!("{} level {level}", of(&COMPRESSOR, id as i16)));
            }
            Ok(json!({ "compressors": compressors }))
        },
        66 => |input| Ok(json!({ "octets": input.u32()? })),
        67 => |input| Ok(json!({ "ratio": input.f32()? })),
        _ => return None,
    })
}

const REBIND: [&str; 3] = ["TRANSPARENT", "NO_REBIND", "NO_RECONNECT"];
const SYNC_SCOPE: [&str; 4] =
    ["SYNC_NONE", "SYNC_WITH_TRANSPORT", "SYNC_WITH_SERVER", "SYNC_WITH_TARGET"];
const ROUTING: [&str; 3] = ["ROUTE_NONE", "ROUTE_FORWARD", "ROUTE_STORE_AND_FORWARD"];
const BIDIRECTIONAL: [&str; 2] = ["NORMAL", "BOTH"];
const PRIORITY_MODEL: [&str; 2] = ["CLIENT_PROPAGATED", "SERVER_DECLARED"];
const COMPRESSOR: [&str; 10] =
    ["none", "gzip", "pkzip", "bzip2", "zlib", "lzma", "lzo", "rzip", "7x", "xar"];

/// The name of a number, or the number.
fn of(names: &[&str], number: i16) -> String {
    let name = usize::try_from(number).ok().and_then(|number| names.get(number));
    name.map_or_else(|| number.to_string(), |name| (*name).to_owned())
}
