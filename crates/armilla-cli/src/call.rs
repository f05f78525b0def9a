//! `armilla call`: calls an operation of any object, with arguments and results in JSON.

use crate::json_text;
use crate::orb::OrbArguments;
use armilla::{ExceptionKind, Object, Orb};
use armilla_ifr::CallError;
use armilla_ifr::corba::DefinitionKind;
use armilla_ifr::model::{DefId, Kind, Model, Signature};
use armilla_terminal::{Failure, Outcome, say};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// The arguments of `armilla call`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The result is printed as JSON. A user exception is printed as its name and \
                  its members in JSON.\n\n\
                  Exit status: 0 with a result, 1 with an exception, 2 if the arguments are \
                  wrong; then nothing was called.\n\n\
                  A number is a number, a boolean true or false, a string, char or wchar a \
                  string, a fixed \"12.50\". A struct is an object with all members, a union one \
                  with its member, a valuetype one or null, an enum a name, a sequence or array \
                  an array, a reference a URL or null. [1] is a list with the argument 1, or the \
                  argument itself where a sequence is due. What is not JSON is a string, so its \
                  quotes may be left out.\n\n\
                  An argument of type any is {\"$type\": TYPE, \"$value\": VALUE}, or a plain \
                  string, number or boolean. TYPE is written as in IDL, or is a repository id:\n\n  \
                  {\"$type\": \"sequence<long>\", \"$value\": [1, 2]}\n  \
                  {\"$type\": \"Tango::DevVarLongArray\", \"$value\": [1, 2]}\n  \
                  {\"$type\": \"IDL:Bank/Account:1.0\", \"$value\": \"corbaloc::host:2809/Account\"}"
)]
pub(crate) struct Call {
    /// The object's reference
    #[arg(value_name = "REF")]
    reference: String,
    /// The operation. NAME of an attribute reads it, NAME=VALUE writes it. Without an operation,
    /// lists the operations and attributes of the object
    operation: Option<String>,
    /// The arguments: a JSON object by parameter name, an array in order, or a single argument
    #[arg(value_name = "ARGUMENTS-JSON", allow_negative_numbers = true)]
    arguments: Option<String>,
    /// An IDL file that declares the interface; repeatable. Without one, the object provides its
    /// interface, for which its server needs an interface repository
    #[arg(long, value_name = "FILE")]
    idl: Vec<PathBuf>,
    /// Search this directory for included files; repeatable
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// The interface of the object, such as Bank::Account, or its repository id [default: the one
    /// that the reference or the object names]
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// Timeout of the call in milliseconds
    #[arg(long, value_name = "MS")]
    timeout: Option<u64>,
}

pub(crate) fn run(call: &Call, arguments: &OrbArguments) -> Outcome {
    let orb = arguments.orb()?;
    let mut object = orb.string_to_object(&call.reference)?;
    if let Some(timeout) = call.timeout {
        object = object.with_timeout(Duration::from_millis(timeout));
    }
    let (signatures, model) = match call.idl.is_empty() {
        true => (discover(&object)?, None),
        false => {
            let model = crate::ifr::model(&call.idl, &call.include)?;
            let interface = interface(call, &object, &model)?;
            (model.signatures(interface)?, Some(model))
        }
    };
    let Some(operation) = &call.operation else {
        return signatures.iter().try_for_each(|signature| say!("{signature}"));
    };
    let (name, value) = match operation.split_once('=') {
        Some((name, value)) => (format!("_set_{name}"), Some(value)),
        None => (operation.clone(), call.arguments.as_deref()),
    };
    let signature = find(&signatures, &name)?;
    if value.is_none() && signature.takes_arguments() {
        return Err(Failure::usage(format!("the arguments are missing; {}", signature.takes())));
    }
    let json = value.map_or(Ok(Value::Null), |text| json(text, &orb))?;
    if signature.may_carry_values() {
        let types = model
            .as_ref()
            .map_or_else(|| armilla_ifr::value_types(&object), |model| Ok(model.value_types()))?;
        types.iter().try_for_each(|ty| orb.register_value_type(ty))?;
    }
    let lookup = |name: &str| match &model {
        Some(model) => model.type_named(name),
        None => armilla_ifr::type_named(&object, name).ok().flatten(),
    };
    let outcome = signature.call_with_types(&object, &json, &lookup);
    orb.shutdown();
    match outcome {
        Ok(Value::Null) if signature.has_no_results() => Ok(()),
        Ok(result) => say!("{}", json_text::text(&result, &orb)),
        Err(raised @ CallError::Raised { .. }) => {
            say!("{raised}")?;
            Err(Failure::Reported)
        }
        Err(error @ CallError::Arguments(_)) => Err(Failure::usage(error)),
        Err(error) => Err(error.into()),
    }
}

/// The operations of the object, from its server.
fn discover(object: &Object) -> Outcome<Vec<Signature>> {
    armilla_ifr::discover(object).map_err(|error| match error.kind() {
        // The server has answered, but has no repository, or none that knows the interface.
        ExceptionKind::IntfRepos
        | ExceptionKind::BadOperation
        | ExceptionKind::NoImplement
        | ExceptionKind::Unknown => {
            Failure::because(error.with_hint("--idl FILE describes the interface in its place"))
        }
        _ => error.into(),
    })
}

/// Parses JSON. A text that is not JSON is a string, so the quotes of a string are optional.
fn json(text: &str, orb: &Orb) -> Outcome<Value> {
    match json_text::parse(text, orb) {
        Ok(json) => Ok(json),
        Err(_) if !text.starts_with(['{', '[', '"']) => Ok(text.into()),
        Err(error) => {
            let hint = match json_text::has_lone_surrogates(text) {
                true => "\n  hint: -ORBLoneSurrogates 1 carries units of UTF-16 without partners",
                false => "",
            };
            Err(Failure::usage(format!("the arguments are not valid JSON: {error}{hint}")))
        }
    }
}

fn find<'s>(signatures: &'s [Signature], name: &str) -> Outcome<&'s Signature> {
    let named = |wanted: &str| signatures.iter().find(|s| s.operation == wanted);
    named(name).or_else(|| named(&format!("_get_{name}"))).ok_or_else(|| {
        let attribute = name.strip_prefix("_set_").unwrap_or_default();
        if named(&format!("_get_{attribute}")).is_some() {
            return Failure::because(format!("the attribute {attribute:?} is readonly"));
        }
        let known: Vec<&str> = signatures.iter().map(|s| s.operation.as_str()).collect();
        let hint = format!("it has {}", known.join(", "));
        Failure::because(format!("the interface has no operation {name:?}\n  hint: {hint}"))
    })
}

/// The interface of the object: the one given by `--interface`, else the one that its reference
/// names, else the first in the files that the object supports, the most derived ones first.
fn interface(call: &Call, object: &Object, model: &Model) -> Outcome<DefId> {
    if let Some(name) = &call.interface {
        return match model.find(name, DefinitionKind::DkInterface)[..] {
            [found] => Ok(found),
            [] => {
                let what = format!("the IDL declares no interface {name:?}");
                Err(Failure::because(format!("{what}\n  hint: it declares {}", declared(model))))
            }
            ref several => {
                let names: Vec<_> = several.iter().map(|id| model.absolute_name(*id)).collect();
                let what = format!("{name:?} may be any of {}", names.join(", "));
                Err(Failure::because(what))
            }
        };
    }
    let type_id = object.ior().type_id;
    if let Some(found) = model.lookup_id(&type_id) {
        return Ok(found);
    }
    let mut interfaces: Vec<DefId> =
        model.iter().map(|(id, _)| id).filter(|id| is_interface(model, *id)).collect();
    interfaces.sort_by_key(|id| std::cmp::Reverse(model.with_bases(*id).len()));
    for id in interfaces {
        let Some(definition) = model.get(id) else { continue };
        if object.is_a(&definition.id)? {
            return Ok(id);
        }
    }
    let what = "the object supports none of the interfaces that the IDL declares";
    let named = match &*type_id {
        "" => match object.repository_id() {
            Ok(id) if !id.is_empty() => format!("it is a {id:?}"),
            _ => "its reference names none".to_owned(),
        },
        id => format!("its reference names {id:?}"),
    };
    Err(Failure::because(format!("{what}\n  hint: {named}; the IDL declares {}", declared(model))))
}

/// The names of the interfaces that the IDL declares.
fn declared(model: &Model) -> String {
    let interfaces = model.iter().filter(|(id, _)| is_interface(model, *id));
    let names: Vec<_> = interfaces.map(|(id, _)| model.absolute_name(id)).collect();
    names.join(", ")
}

fn is_interface(model: &Model, id: DefId) -> bool {
    model.get(id).is_some_and(|definition| matches!(definition.kind, Kind::Interface { .. }))
}
