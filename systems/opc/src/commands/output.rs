//! Values for people, and as lines of JSON.

use armilla_dcerpc::Status;
use armilla_dcom::automation::{Elements, Variant};
use armilla_opc::model::{Sample, type_name};
use armilla_opc::status::text;
use armilla_terminal::{Outcome, say};
use serde_json::{Value, json};
use std::time::Duration;

/// A moment after 1970, in milliseconds, as RFC 3339 writes it.
pub(super) fn moment(since: Duration) -> String {
    let (days, rest) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // Days of years that begin in March, in eras of 400 years: a leap day is a year's last.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// A value as JSON. What JSON has no word for is text.
pub(super) fn json(value: &Variant) -> Value {
    match value.value() {
        Variant::Empty | Variant::Null => Value::Null,
        Variant::Bool(on) => json!(on),
        Variant::U8(number) => json!(number),
        Variant::R4(number) => decimal(*number),
        Variant::String(text) => json!(text.to_text()),
        Variant::Date(date) => {
            let seconds = date.to_unix_seconds();
            match Duration::try_from_secs_f64(seconds) {
                Ok(since) => json!(moment(since)),
                Err(_) => json!(format!("{seconds} s after 1970")),
            }
        }
        Variant::Currency(amount) => json!(amount.to_string()),
        Variant::Error(status) => json!(text(*status)),
        Variant::Array(array) => elements(&array.elements),
        other => match (other.as_i64(), other.as_f64()) {
            (Some(number), _) => json!(number),
            (None, Some(number)) => json!(number),
            (None, None) => json!(format!("{other:?}")),
        },
    }
}

/// A number of 32 bits with the digits that it has, not with those of the nearest one of 64.
fn decimal(number: f32) -> Value {
    number.to_string().parse::<f64>().map_or(Value::Null, |number| json!(number))
}

fn elements(elements: &Elements) -> Value {
    match elements {
        Elements::I1(all) => json!(all),
        Elements::U1(all) => json!(all),
        Elements::I2(all) => json!(all),
        Elements::U2(all) => json!(all),
        Elements::I4(all) | Elements::Int(all) => json!(all),
        Elements::U4(all) | Elements::Uint(all) => json!(all),
        Elements::I8(all) => json!(all),
        Elements::U8(all) => json!(all),
        Elements::R4(all) => all.iter().copied().map(decimal).collect(),
        Elements::R8(all) => json!(all),
        Elements::Bool(all) => json!(all),
        Elements::String(all) => all.iter().map(|text| json!(text.to_text())).collect(),
        Elements::Variant(all) => all.iter().map(json).collect(),
        other => json!(format!("{other:?}")),
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
