//! What the forms of the page do. Only an operator may change anything: one on this host, unless the
//! trader admits others, and nobody if the page is read-only.

use super::Shown;
use crate::model::ModelError;
use armilla::dynamic::DynAny;
use armilla_cos_trading::Property;
use armilla_service::axum::Json;
use armilla_service::axum::extract::{ConnectInfo, State};
use armilla_service::axum::http::StatusCode;
use serde_json::Value;
use std::collections::HashMap;
use std::net::SocketAddr;

/// The fields of a form.
type Fields = Json<HashMap<String, String>>;

/// What a form gets: nothing, or the reason.
type Answer = Result<StatusCode, (StatusCode, String)>;

type Address = ConnectInfo<SocketAddr>;

/// Does something where it may wait for the disk, if the client may.
async fn act(
    shown: Shown,
    client: SocketAddr,
    act: impl FnOnce(&Shown) -> Result<(), (StatusCode, String)> + Send + 'static,
) -> Answer {
    if !shown.may_change(client) {
        let why = "the trader is changed by this page on its own host; see --remote-operators and \
                   --http-read-only";
        return Err((StatusCode::FORBIDDEN, why.to_owned()));
    }
    let done = armilla_service::spawn_blocking(move || act(&shown)).await;
    let undone = || Err((StatusCode::INTERNAL_SERVER_ERROR, "it was not done".to_owned()));
    done.unwrap_or_else(undone).map(|()| StatusCode::NO_CONTENT)
}

fn changed(outcome: Result<(), ModelError>) -> Result<(), (StatusCode, String)> {
    outcome.map_err(|error| match error {
        ModelError::System(_) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        error => (StatusCode::CONFLICT, error.to_string()),
    })
}

fn field<'f>(fields: &'f HashMap<String, String>, name: &str) -> &'f str {
    fields.get(name).map_or("", |text| text.trim())
}

pub(super) async fn withdraw(
    State(shown): State<Shown>,
    ConnectInfo(client): Address,
    Json(fields): Fields,
) -> Answer {
    act(shown, client, move |it| changed(it.trader.withdraw(field(&fields, "id")))).await
}

/// Sets a property of an offer to a value in JSON, or deletes it without one.
pub(super) async fn modify(
    State(shown): State<Shown>,
    ConnectInfo(client): Address,
    Json(fields): Fields,
) -> Answer {
    act(shown, client, move |it| {
        let (id, name) = (field(&fields, "id"), field(&fields, "name"));
        let property = match field(&fields, "value") {
            "" => None,
            text => {
                Some(property(it, id, name, text).map_err(|why| (StatusCode::BAD_REQUEST, why))?)
            }
        };
        changed(it.trader.modify(id, name, property))
    })
    .await
}

/// A property of the type that the service type of the offer declares. The quotes of a text are
/// optional.
fn property(shown: &Shown, id: &str, name: &str, text: &str) -> Result<Property, String> {
    let declared = shown.trader.read(|model| {
        let info = model.describe(id).map_err(|error| error.to_string())?;
        let service_type = model.service_types().get(&info.r#type);
        let service_type = service_type.map_err(|error| error.to_string())?;
        let declared = service_type.declaration(name);
        declared.map(|declared| declared.value_type.clone()).ok_or_else(|| {
            format!("the service type {} declares no property {name:?}", info.r#type)
        })
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
    let value = value.map_err(|error| format!("the value of {name}: {error}"))?;
    Ok(Property { name: name.to_owned(), value })
}

pub(super) async fn change_type(
    State(shown): State<Shown>,
    ConnectInfo(client): Address,
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

pub(super) async fn remove_link(
    State(shown): State<Shown>,
    ConnectInfo(client): Address,
    Json(fields): Fields,
) -> Answer {
    act(shown, client, move |it| changed(it.trader.remove_link(field(&fields, "name")))).await
}
