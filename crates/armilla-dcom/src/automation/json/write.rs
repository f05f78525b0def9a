//! To JSON.

use crate::automation::safe_array::{Bound, SafeArray};
use crate::automation::variant::Variant;
use alloc::format;
use alloc::string::ToString;
use serde_json::{Value, json};

/// No program has arrays with more dimensions (MS-OAUT 2.2.30.1 counts them in 16 bits).
pub(super) const MOST_DIMENSIONS: usize = 60;

/// A value as JSON. What JSON has no word for is text.
pub fn to_json(value: &Variant) -> Value {
    match value.value() {
        Variant::Empty | Variant::Null | Variant::NullArray(_) => Value::Null,
        Variant::Bool(on) => json!(on),
        Variant::U8(number) => json!(number),
        Variant::R4(number) => short_float(*number),
        Variant::R8(number) => float(*number),
        Variant::String(text) => json!(text.to_text()),
        Variant::Date(date) => json!(date.to_string()),
        Variant::Currency(amount) => json!(amount.to_string()),
        Variant::Decimal(number) => json!(number.to_string()),
        Variant::Error(status) => json!(status.to_string()),
        Variant::Unknown(None) | Variant::Dispatch(None) => Value::Null,
        Variant::Unknown(Some(_)) | Variant::Dispatch(Some(_)) => json!("an object"),
        Variant::Array(array) => elements(array),
        other => other.as_i64().map_or_else(|| json!(format!("{other:?}")), |number| json!(number)),
    }
}

fn float(number: f64) -> Value {
    if number.is_nan() {
        return json!("NaN");
    }
    if number.is_infinite() {
        return json!(if number > 0.0 { "Infinity" } else { "-Infinity" });
    }
    json!(number)
}

/// A number of 32 bits with the digits that it has, not with those of the nearest one of 64.
fn short_float(number: f32) -> Value {
    match number.is_finite() {
        true => number.to_string().parse::<f64>().map_or(Value::Null, |number| json!(number)),
        false => float(number.into()),
    }
}

fn elements(array: &SafeArray) -> Value {
    let values = array.elements.to_variants();
    let cells = SafeArray::cells(&array.bounds).and_then(|cells| usize::try_from(cells).ok());
    // Where there are no elements, the other dimensions may have any size.
    match array.bounds.len() {
        2..=MOST_DIMENSIONS if cells == Some(values.len()) && !values.is_empty() => {
            table(&values, &array.bounds, 0, 1)
        }
        _ => values.iter().map(to_json).collect(),
    }
}

/// The part of an array that begins at an element, whose next index is so many elements away.
fn table(values: &[Variant], bounds: &[Bound], start: usize, stride: usize) -> Value {
    let Some((bound, inner)) = bounds.split_first() else { return to_json(&values[start]) };
    let count = bound.count as usize;
    let rows = (0..count).map(|at| table(values, inner, start + at * stride, stride * count));
    rows.collect()
}
