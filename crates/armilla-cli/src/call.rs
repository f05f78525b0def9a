//! `armilla call`: an operation of any object, with JSON.

use crate::failure::{Failure, Outcome};
use crate::orb::OrbArguments;
use crate::output::say;
use armilla::Object;
use armilla_ifr::CallError;
use armilla_ifr::model::{DefId, Kind, Model, Signature};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// What `armilla call` may be told. What comes back is printed as JSON; an exception that the IDL
/// declares is printed with its name, and the exit status is 1.
#[derive(Debug, clap::Args)]
pub(crate) struct Call {
    /// The object's reference
    #[arg(value_name = "REF")]
    reference: String,
    /// The operation; that of an attribute is its name, or NAME=VALUE to set it. Without one, what
    /// the object offers is listed
    operation: Option<String>,
    /// The arguments: an object with the parameters by name, an array of them, or the only one
    #[arg(value_name = "ARGUMENTS-JSON", allow_negative_numbers = true)]
    arguments: Option<String>,
    /// An IDL file that declares the interface; without one the object is asked for its interface,
    /// which needs an interface repository
    #[arg(long, value_name = "FILE")]
    idl: Vec<PathBuf>,
    /// Where included files are looked for
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// The interface to call the object by, such as Bank::Account or its repository id, where the
    /// object should not be asked for it
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// How long the call may take, in milliseconds
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
        true => (armilla_ifr::discover(&object)?, None),
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
    let json = value.map_or(Ok(Value::Null), json)?;
    if signature.may_carry_values() {
        let types = model
            .map_or_else(|| armilla_ifr::value_types(&object), |model| Ok(model.value_types()))?;
        types.iter().try_for_each(|ty| orb.register_value_type(ty))?;
    }
    let outcome = signature.call(&object, &json);
    orb.shutdown();
    match outcome {
        Ok(Value::Null) if signature.returns_nothing() => Ok(()),
        Ok(result) => say!("{result:#}"),
        Err(raised @ CallError::Raised { .. }) => {
            say!("{raised}")?;
            Err(Failure::Told)
        }
        Err(error @ CallError::Arguments(_)) => Err(Failure::usage(error)),
        Err(error) => Err(error.into()),
    }
}

/// A JSON text; what is none is a string, so that quotes may be left out.
fn json(text: &str) -> Outcome<Value> {
    match serde_json::from_str(text) {
        Ok(json) => Ok(json),
        Err(_) if !text.starts_with(['{', '[', '"']) => Ok(text.into()),
        Err(error) => Err(Failure::usage(format!("the arguments are no JSON: {error}"))),
    }
}

fn find<'s>(signatures: &'s [Signature], name: &str) -> Outcome<&'s Signature> {
    let named = |wanted: &str| signatures.iter().find(|s| s.operation == wanted);
    named(name).or_else(|| named(&format!("_get_{name}"))).ok_or_else(|| {
        let known: Vec<&str> = signatures.iter().map(|s| s.operation.as_str()).collect();
        let hint = format!("it has {}", known.join(", "));
        Failure::because(format!("the interface has no operation {name:?}\n  hint: {hint}"))
    })
}

/// The interface of the object: the one that was named, else the one that its reference names, else
/// the first in the files that the object says it has, the most special ones first.
fn interface(call: &Call, object: &Object, model: &Model) -> Outcome<DefId> {
    if let Some(name) = &call.interface {
        let scoped = format!("::{}", name.trim_start_matches("::"));
        let found =
            model.lookup_id(name).or_else(|| model.lookup(armilla_ifr::model::ROOT, &scoped));
        let unknown = || Failure::because(format!("the IDL declares no interface {name:?}"));
        return found.filter(|id| is_interface(model, *id)).ok_or_else(unknown);
    }
    let said = object.ior().type_id;
    if let Some(found) = model.lookup_id(&said) {
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
    let what = "the object has none of the interfaces that the IDL declares";
    Err(Failure::because(format!("{what}\n  hint: its reference says {said:?}")))
}

fn is_interface(model: &Model, id: DefId) -> bool {
    model.get(id).is_some_and(|definition| matches!(definition.kind, Kind::Interface { .. }))
}
