//! Names of a running service, for the completion of a shell.

use super::context;
use crate::orb::OrbArguments;
use armilla::{Policies, PolicyCurrent};
use armilla_cos_naming::{BindingIterator, BindingType, NamingContext};
use armilla_naming::client::to_text;
use armilla_terminal::Outcome;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use std::ffi::OsStr;
use std::time::Duration;

/// How many names of a context are offered.
const MOST: u32 = 1000;

/// How long a person waits for them.
const PATIENCE: Duration = Duration::from_secs(2);

/// Completes a name by those of the service at `ARMILLA_NAMES`.
pub(super) fn names() -> ArgValueCompleter {
    // Whoever completes cannot be told of errors.
    ArgValueCompleter::new(|typed: &OsStr| {
        typed.to_str().and_then(|typed| find(typed).ok()).unwrap_or_default()
    })
}

fn find(typed: &str) -> Outcome<Vec<CompletionCandidate>> {
    let limits = Policies { round_trip_timeout: Some(PATIENCE), ..Policies::default() };
    let _limited = PolicyCurrent::set(limits);
    let orb = super::SERVICE.orb(&OrbArguments::default(), None)?;
    let path = typed.rfind('/').map_or("", |slash| &typed[..slash]);
    let context = context(&orb, (!path.is_empty()).then_some(path))?;
    let (bindings, rest) = context.list(MOST)?;
    if !rest.is_nil() {
        rest.destroy()?;
    }
    let name = |binding: &armilla_cos_naming::Binding| {
        let step = to_text(&binding.binding_name);
        let slash = if binding.binding_type == BindingType::Ncontext { "/" } else { "" };
        if path.is_empty() { step + slash } else { format!("{path}/{step}{slash}") }
    };
    let fitting = bindings.iter().map(name).filter(|name| name.starts_with(typed));
    Ok(fitting.map(CompletionCandidate::new).collect())
}
