//! Values for people, and as lines of JSON.

use armilla_dcerpc::Status;
use armilla_dcom::automation::json::to_json;
use armilla_dcom::automation::{Date, Variant};
use armilla_opc::model::{Sample, type_name};
use armilla_opc::status::text;
use armilla_terminal::{Outcome, say};
use serde_json::{Value, json};
use std::time::Duration;

/// A moment after 1970, in milliseconds, as RFC 3339 writes it.
pub(super) fn moment(since: Duration) -> String {
    format!("{}Z", Date::from_unix(since))
}

/// A value as JSON; errors are those of OPC, and moments are in UTC.
fn json(value: &Variant) -> Value {
    match value.value() {
        Variant::Error(status) => json!(text(*status)),
        Variant::Date(date) => json!(format!("{date}Z")),
        other => to_json(other),
    }
}

/// A value for people: text without quotation marks.
pub(super) fn plain(value: &Variant) -> String {
    match json(value) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Shows the value of an item, or why it has none.
pub(super) fn show(id: &str, sample: &Result<Sample, Status>, as_json: bool) -> Outcome {
    match (sample, as_json) {
        (Ok(sample), true) => say!(
            "{}",
            json!({
                "item": id,
                "value": json(&sample.value),
                "type": type_name(sample.value.vt()),
                "quality": sample.quality.to_string(),
                "good": sample.quality.is_good(),
                "time": moment(sample.time),
            })
        ),
        (Ok(sample), false) => {
            let (time, value) = (moment(sample.time), plain(&sample.value));
            say!("{time}  {id}  {value}  {}", sample.quality)
        }
        (Err(status), true) => {
            say!("{}", json!({ "item": id, "error": text(*status), "status": status.0 }))
        }
        (Err(status), false) => say!("{id}: {}", text(*status)),
    }
}
