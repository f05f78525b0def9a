//! What the forms of the page do. Only an operator may change anything: one on this host, unless the
//! trader admits others, and nobody if the page is read-only.

use super::forms::{PROPERTY, RULES};
use super::{Shown, refusal};
use crate::model::ModelError;
use armilla::dynamic::DynAny;
use armilla::{ExceptionKind, Object, TypeCode};
use armilla_cos_trading::register::OfferInfo;
use armilla_cos_trading::{FollowOption, Property};
use armilla_service::Visitor;
use armilla_service::axum::Json;
use armilla_service::axum::extract::State;
use armilla_service::axum::http::StatusCode;
use serde_json::Value;
use std::collections::HashMap;

/// The fields of a form.
type Fields = Json<HashMap<String, String>>;

/// What a form gets: what there is to say, if anything, or the reason of a refusal.
type Answer = Result<(StatusCode, String), (StatusCode, String)>;

/// What came of it.
type Outcome<T = ()> = Result<T, (StatusCode, String)>;

/// Does something where it may wait for the disk, if the client may.
async fn act(
    shown: Shown,
    client: Visitor,
    act: impl FnOnce(&Shown) -> Outcome<String> + Send + 'static,
) -> Answer {
    if !shown.may_change(&client) {
        let why = "the trader is changed by this page on its own host; see --remote-operators and \
                   --http-read-only";
        return Err((StatusCode::FORBIDDEN, why.to_owned()));
    }
    let done = armilla_service::spawn_blocking(move || act(&shown)).await;
    let undone = || Err((StatusCode::INTERNAL_SERVER_ERROR, "it was not done".to_owned()));
    let done = done.unwrap_or_else(undone);
    done.map(|said| match said.is_empty() {
        true => (StatusCode::NO_CONTENT, said),
        false => (StatusCode::CREATED, said),
    })
}

fn made<T>(outcome: Result<T, ModelError>) -> Outcome<T> {
    outcome.map_err(|error| match &error {
        // The store, mostly. A refusal of the trader itself is none of the server's failures.
        ModelError::System(exception) if exception.kind() != ExceptionKind::NoPermission => {
            (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
        }
        error => (StatusCode::CONFLICT, refusal::said(error)),
    })
}

/// The outcome of a change of which there is nothing to say.
fn changed(outcome: Result<(), ModelError>) -> Outcome<String> {
    made(outcome).map(|()| String::new())
}

fn bad(what: impl std::fmt::Display) -> (StatusCode, String) {
    (StatusCode::BAD_REQUEST, what.to_string())
}

/// The reference of a form: of the schemes only those that name no file of this host and call no
/// other service.
fn reference(shown: &Shown, fields: &HashMap<String, String>) -> Outcome<Object> {
    let text = field(fields, "reference");
    let has = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    if !["IOR:", "corbaloc:"].into_iter().any(has) {
        return Err(bad("a reference begins with IOR: or corbaloc:"));
    }
    shown.orb.string_to_object(text).map_err(bad)
}

/// Exports an offer, with the properties whose fields are not empty.
pub(super) async fn export(
    State(shown): State<Shown>,
    client: Visitor,
    Json(fields): Fields,
) -> Answer {
    act(shown, client, move |it| {
        let service_type = field(&fields, "type");
        let reference = reference(it, &fields)?;
        let mut given: Vec<(&str, &str)> = fields
            .iter()
            .filter_map(|(name, text)| Some((name.strip_prefix(PROPERTY)?, text.trim())))
            .filter(|(_, text)| !text.is_empty())
            .collect();
        given.sort_unstable();
        let property = |(name, text)| property(it, service_type, name, text);
        let properties = given.into_iter().map(property).collect::<Outcome<_>>()?;
        let r#type = service_type.to_owned();
        let id = made(it.trader.export(OfferInfo { reference, r#type, properties }))?;
        Ok(format!("exported as {id}"))
    })
    .await
}

fn field<'f>(fields: &'f HashMap<String, String>, name: &str) -> &'f str {
    fields.get(name).map_or("", |text| text.trim())
}

pub(super) async fn withdraw(
    State(shown): State<Shown>,
    client: Visitor,
    Json(fields): Fields,
) -> Answer {
    act(shown, client, move |it| changed(it.trader.withdraw(field(&fields, "id")))).await
}

/// Sets a property of an offer to a value in JSON, or deletes it without one.
pub(super) async fn modify(
    State(shown): State<Shown>,
    client: Visitor,
    Json(fields): Fields,
) -> Answer {
    act(shown, client, move |it| {
        let (id, name) = (field(&fields, "id"), field(&fields, "name"));
        let property = match field(&fields, "value") {
            "" => None,
            text => {
                let service_type = made(it.trader.read(|model| model.describe(id)))?.r#type;
                Some(property(it, &service_type, name, text)?)
            }
        };
        changed(it.trader.modify(id, name, property))
    })
    .await
}

/// A property of the type that the service type declares. The quotes of a text are optional.
fn property(shown: &Shown, service_type: &str, name: &str, text: &str) -> Outcome<Property> {
    let declared: Option<TypeCode> = made(shown.trader.read(|model| {
        let service_type = model.service_types().get(service_type)?;
        Ok(service_type.declaration(name).map(|declared| declared.value_type.clone()))
    }))?;
    let declared = declared.ok_or_else(|| {
        bad(format_args!("the service type {service_type} declares no property {name:?}"))
    })?;
    let json = |value: &Value| {
        let value = DynAny::from_json_within(&declared, value, &shown.orb);
        value.and_then(|value| value.to_any())
    };
    let as_text = json(&Value::from(text));
    let value = match serde_json::from_str(text) {
        Ok(value) => json(&value).or(as_text),
        Err(_) => as_text,
    };
    let value = value.map_err(|error| bad(format_args!("the value of {name}: {error}")))?;
    Ok(Property { name: name.to_owned(), value })
}

pub(super) async fn change_type(
    State(shown): State<Shown>,
    client: Visitor,
    Json(fields): Fields,
) -> Answer {
    act(shown, client, move |it| {
        let name = field(&fields, "name");
        changed(match field(&fields, "action") {
            "mask" => it.trader.mask(name, true),
            "unmask" => it.trader.mask(name, false),
            "remove" => it.trader.remove_type(name),
            other => {
                let why = format!("{other:?}: one of mask, unmask and remove");
                return Err((StatusCode::BAD_REQUEST, why));
            }
        })
    })
    .await
}

/// The rule of a link in a field.
fn rule(fields: &HashMap<String, String>, name: &str) -> Outcome<FollowOption> {
    let given = field(fields, name);
    let known = RULES.into_iter().find(|(_, value, _)| *value == given);
    let unknown =
        || bad(format_args!("{name} is local_only, if_no_local or always, not {given:?}"));
    known.map(|(rule, ..)| rule).ok_or_else(unknown)
}

pub(super) async fn add_link(
    State(shown): State<Shown>,
    client: Visitor,
    Json(fields): Fields,
) -> Answer {
    act(shown, client, move |it| {
        let target = reference(it, &fields)?;
        let (default, limit) = (rule(&fields, "default")?, rule(&fields, "limit")?);
        let added = it.trader.add_link(field(&fields, "name"), &target, default, limit);
        Ok(match made(added)? {
            true => String::new(),
            false => "the link is made; the other trader does not answer now".to_owned(),
        })
    })
    .await
}

pub(super) async fn modify_link(
    State(shown): State<Shown>,
    client: Visitor,
    Json(fields): Fields,
) -> Answer {
    act(shown, client, move |it| {
        let (default, limit) = (rule(&fields, "default")?, rule(&fields, "limit")?);
        changed(it.trader.modify_link(field(&fields, "name"), default, limit))
    })
    .await
}

pub(super) async fn remove_link(
    State(shown): State<Shown>,
    client: Visitor,
    Json(fields): Fields,
) -> Answer {
    act(shown, client, move |it| changed(it.trader.remove_link(field(&fields, "name")))).await
}
