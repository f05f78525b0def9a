//! `armilla ior`: what a reference contains. No server is asked.

use crate::failure::{Doing, Outcome};
use crate::orb::OrbArguments;
use armilla_cdr::{CdrResult, CodeSet};
use armilla_giop::Version;
use armilla_giop::ior::{
    AlternateAddress, CodeSetComponent, CodeSetComponentInfo, Component, IiopProfile, Ior, OrbType,
    TAG_INTERNET_IOP, TAG_MULTIPLE_COMPONENTS, TaggedComponent, TaggedProfile,
};
use armilla_giop::url::ObjectUrl;
use serde_json::{Map, Value, json};
use std::io::Write;

/// What `armilla ior` may be told.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadIor {
    /// The reference
    reference: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ReadIor, orb: &OrbArguments) -> Outcome {
    let (ior, name) = match arguments.reference.parse() {
        // The name is resolved by a server; what can be told is where that server is.
        Ok(ObjectUrl::Corbaname { location, name }) => {
            (location.to_ior(Version::V1_2)?, Some(name))
        }
        // Errors too: the ORB words them with their hint.
        _ => (orb.orb()?.string_to_object(&arguments.reference)?.ior(), None),
    };
    let mut told = told(&ior);
    if let (Some(name), Some(members)) = (name, told.as_object_mut()) {
        members.insert("name".into(), name.into());
    }
    let text = match arguments.json {
        true => format!("{told:#}\n"),
        false => text(&told),
    };
    std::io::stdout().write_all(text.as_bytes()).doing("cannot write to standard output")
}

/// Everything that is known of a reference.
fn told(ior: &Ior) -> Value {
    let profiles: Vec<Value> = ior.profiles.iter().map(profile).collect();
    json!({ "type_id": ior.type_id, "nil": ior.is_nil(), "profiles": profiles })
}

fn profile(profile: &TaggedProfile) -> Value {
    let protocol = match profile.id {
        TAG_INTERNET_IOP => "IIOP",
        TAG_MULTIPLE_COMPONENTS => "components only",
        _ => "unknown",
    };
    let mut told = json!({ "profile": profile.id, "protocol": protocol });
    let more = match profile.id {
        TAG_INTERNET_IOP => match IiopProfile::decode_data(&profile.data) {
            Ok(iiop) => json!({
                "version": iiop.version.to_string(),
                "host": iiop.host,
                "port": iiop.port,
                "object_key": iiop.object_key.escape_ascii().to_string(),
                "components": iiop.components.iter().map(component).collect::<Vec<_>>(),
            }),
            Err(error) => json!({ "malformed": error.to_string() }),
        },
        _ => json!({ "data": profile.data.escape_ascii().to_string() }),
    };
    merge(&mut told, more);
    told
}

fn component(component: &TaggedComponent) -> Value {
    let mut told = json!({ "component": component.id, "name": component_name(component.id) });
    let more = match component.id {
        OrbType::ID => understood(component, |OrbType(number)| {
            json!({ "orb": match number.to_be_bytes() {
                bytes if bytes.iter().all(|&byte| byte == 0 || byte.is_ascii_graphic()) => {
                    String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()
                }
                _ => format!("{number:#x}"),
            } })
        }),
        CodeSetComponentInfo::ID => understood(
            component,
            |sets: CodeSetComponentInfo| json!({ "char": code_sets(&sets.char), "wchar": code_sets(&sets.wchar) }),
        ),
        AlternateAddress::ID => understood(
            component,
            |address: AlternateAddress| json!({ "host": address.host, "port": address.port }),
        ),
        _ => Ok(json!({ "data": component.data.escape_ascii().to_string() })),
    };
    merge(&mut told, more.unwrap_or_else(|error| json!({ "malformed": error.to_string() })));
    told
}

fn understood<C: Component>(
    component: &TaggedComponent,
    tell: impl FnOnce(C) -> Value,
) -> CdrResult<Value> {
    // The library reads components out of a profile: one that holds only this.
    let profile = IiopProfile {
        version: Version::V1_2,
        host: String::new(),
        port: 0,
        object_key: Vec::new(),
        components: vec![component.clone()],
    };
    Ok(profile.component()?.map_or(Value::Null, tell))
}

/// What the specification calls a component (CORBA 3.4 Part 2, 7.6.6).
fn component_name(id: u32) -> &'static str {
    match id {
        0 => "TAG_ORB_TYPE",
        1 => "TAG_CODE_SETS",
        2 => "TAG_POLICIES",
        3 => "TAG_ALTERNATE_IIOP_ADDRESS",
        13 => "TAG_ASSOCIATION_OPTIONS",
        14 => "TAG_SEC_NAME",
        20 => "TAG_SSL_SEC_TRANS",
        25 => "TAG_JAVA_CODEBASE",
        27 => "TAG_FT_GROUP",
        30 => "TAG_INTERNET_IOP_COMPONENT",
        33 => "TAG_CSI_SEC_MECH_LIST",
        34 => "TAG_NULL_TAG",
        36 => "TAG_TLS_SEC_TRANS",
        _ => "unknown",
    }
}

fn code_sets(component: &CodeSetComponent) -> Value {
    let conversion: Vec<String> = component.conversion.iter().copied().map(code_set).collect();
    json!({ "native": code_set(component.native), "conversion": conversion })
}

/// The name of a code set with this number in the registry of the OSF.
fn code_set(id: u32) -> String {
    match (CodeSet::from_id(id), id) {
        (Some(known), _) => known.to_string(),
        (None, 0) => "none".into(),
        (None, 0x0001_0020) => "ISO 646".into(),
        (None, 0x0001_000f) => "ISO 8859-15".into(),
        (None, 0x0001_0100) => "UCS-2 level 1".into(),
        (None, 0x0001_0109) => "UTF-16".into(),
        (None, 0x0001_0106) => "UCS-4 level 3".into(),
        (None, 0x1002_0025) => "EBCDIC 037".into(),
        (None, id) => format!("{id:#010x}"),
    }
}

fn merge(told: &mut Value, more: Value) {
    if let (Some(told), Value::Object(more)) = (told.as_object_mut(), more) {
        told.extend(more);
    }
}

/// The same as text: a line for each fact, indented below what it is about.
fn text(told: &Value) -> String {
    let mut text = String::new();
    if let Some(members) = told.as_object() {
        lines(members, 0, &mut text);
    }
    text
}

fn lines(members: &Map<String, Value>, depth: usize, text: &mut String) {
    use std::fmt::Write;
    let indent = "  ".repeat(depth);
    for (name, value) in members {
        let name = name.replace('_', " ");
        // Writing to a string cannot fail.
        let _ = match value {
            Value::Array(items) if items.iter().all(Value::is_object) => {
                items
                    .iter()
                    .filter_map(Value::as_object)
                    .for_each(|item| lines(item, depth + 1, text));
                Ok(())
            }
            Value::Array(items) => {
                let items: Vec<_> = items.iter().filter_map(Value::as_str).collect();
                writeln!(text, "{indent}{name}: {}", items.join(", "))
            }
            Value::Object(members) => {
                let _ = writeln!(text, "{indent}{name}");
                lines(members, depth + 1, text);
                Ok(())
            }
            Value::String(value) => writeln!(text, "{indent}{name}: {value}"),
            value => writeln!(text, "{indent}{name}: {value}"),
        };
    }
}
