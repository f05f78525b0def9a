//! What the forms of the pages do.

use super::{Shown, Viewer};
use crate::access::Operation;
use crate::model::{NameComponent, NamingError, Target, parse_name, stringify_name};
use crate::servant::to_octets;
use crate::store::ChangeError;
use armilla_service::axum::Json;
use armilla_service::axum::extract::State;
use armilla_service::axum::http::StatusCode;
use std::collections::HashMap;

/// The fields of a form.
type Fields = Json<HashMap<String, String>>;

/// What a form gets: nothing, or the reason.
type Answer = Result<StatusCode, (StatusCode, String)>;

fn bad(what: impl std::fmt::Display) -> (StatusCode, String) {
    (StatusCode::BAD_REQUEST, what.to_string())
}

fn changed(outcome: Result<(), ChangeError>) -> Answer {
    match outcome {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(ChangeError::Naming(NamingError::Denied)) => Err(denied()),
        Err(error @ ChangeError::Naming(_)) => Err((StatusCode::CONFLICT, error.to_string())),
        Err(error @ ChangeError::Store(_)) => {
            Err((StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
        }
    }
}

fn denied() -> (StatusCode, String) {
    (StatusCode::FORBIDDEN, NamingError::Denied.to_string())
}

/// The name of a field, below that of the field `context`.
fn name(fields: &HashMap<String, String>, key: &str) -> Result<Vec<NameComponent>, String> {
    let given = |key| fields.get(key).map_or("", String::as_str);
    let read = |text: &str| parse_name(text).map_err(|error| error.to_string());
    let mut name = match given("context") {
        "" => Vec::new(),
        context => read(context)?,
    };
    name.extend(read(given(key))?);
    Ok(name)
}

/// Runs a change where it may wait for the disk.
async fn wait(change: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    let done = armilla_service::spawn_blocking(change).await;
    done.unwrap_or_else(|| Err((StatusCode::INTERNAL_SERVER_ERROR, "it was not done".to_owned())))
}

pub(super) async fn bind(
    State(shown): State<Shown>,
    viewer: Viewer,
    Json(fields): Fields,
) -> Answer {
    wait(move || {
        let name = name(&fields, "name").map_err(bad)?;
        if !shown.permits(&viewer, Operation::Bind, &name) {
            return Err(denied());
        }
        let reference = fields.get("reference").map_or("", String::as_str);
        // Of the schemes only those that name no file of this host and call no other service.
        if !["IOR:", "corbaloc:"].iter().any(|scheme| has_scheme(reference, scheme)) {
            return Err(bad("a reference begins with IOR: or corbaloc:"));
        }
        let object = shown.service.orb().string_to_object(reference).map_err(bad)?;
        let target = Target::Object(to_octets(&object).map_err(bad)?);
        changed(shown.service.rebind(&viewer.client, &name, &target))
    })
    .await
}

fn has_scheme(reference: &str, scheme: &str) -> bool {
    reference.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
}

pub(super) async fn context(
    State(shown): State<Shown>,
    viewer: Viewer,
    Json(fields): Fields,
) -> Answer {
    wait(move || {
        let name = name(&fields, "name").map_err(bad)?;
        match shown.permits(&viewer, Operation::Bind, &name) {
            true => changed(shown.service.bind_new_context(&viewer.client, &name)),
            false => Err(denied()),
        }
    })
    .await
}

pub(super) async fn unbind(
    State(shown): State<Shown>,
    viewer: Viewer,
    Json(fields): Fields,
) -> Answer {
    wait(move || {
        let name = name(&fields, "name").map_err(bad)?;
        let may = shown.permits(&viewer, Operation::Unbind, &name);
        if !may || !shown.service.may_unbind(&viewer.client, &name) {
            return Err(denied());
        }
        let held = shown.service.held(&name);
        if held.bindings > 0 && fields.get("confirmed").is_none_or(|answer| answer != "yes") {
            let (bindings, contexts) = (held.bindings, held.contexts.len());
            let question = format!(
                "Unbind {}? Only this name leads to {bindings} names in {contexts} contexts: they \
                 are removed, too.",
                stringify_name(&name)
            );
            return Err((StatusCode::PRECONDITION_REQUIRED, question));
        }
        changed(shown.service.unbind(&viewer.client, &name).map(drop))
    })
    .await
}

pub(super) async fn rename(
    State(shown): State<Shown>,
    viewer: Viewer,
    Json(fields): Fields,
) -> Answer {
    wait(move || {
        let (from, to) = (name(&fields, "from").map_err(bad)?, name(&fields, "to").map_err(bad)?);
        match shown.permits(&viewer, Operation::Unbind, &from) {
            true => changed(shown.service.rename(&viewer.client, &from, &to)),
            false => Err(denied()),
        }
    })
    .await
}
