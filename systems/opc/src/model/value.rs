//! Values, and what they become when a client wants another type.

use super::quality::Quality;
use crate::status::{BAD_TYPE, RANGE};
use armilla_dcerpc::Status;
use armilla_dcom::automation::Variant;
use std::time::Duration;

/// A value with its quality and its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The value.
    pub value: Variant,
    /// How far it can be believed.
    pub quality: Quality,
    /// Since when it is so, as the time after 1970.
    pub time: Duration,
}

/// The types that values can become, with their names.
const TYPES: &[(u16, &str)] = &[
    (2, "I2"),
    (3, "I4"),
    (4, "R4"),
    (5, "R8"),
    (7, "DATE"),
    (8, "BSTR"),
    (11, "BOOL"),
    (16, "I1"),
    (17, "UI1"),
    (18, "UI2"),
    (19, "UI4"),
    (20, "I8"),
    (21, "UI8"),
];

/// The name of a type, without the `VT_` in front.
pub fn type_name(vt: u16) -> String {
    let (array, element) = (vt & 0x2000 != 0, vt & 0xfff);
    let known = TYPES.iter().find(|(number, _)| *number == element);
    let name = known.map_or_else(|| element.to_string(), |(_, name)| (*name).to_string());
    if array { format!("{name}[]") } else { name }
}

fn whole<T: TryFrom<i128>>(value: &Variant) -> Result<T, Status> {
    let number = match value {
        Variant::String(text) => text.to_text().trim().parse().map_err(|_| BAD_TYPE)?,
        Variant::Bool(on) => i128::from(*on),
        Variant::U8(number) => i128::from(*number),
        other => match other.as_i64() {
            Some(number) => i128::from(number),
            // What has a fraction is rounded; saturation is out of every range below.
            None => other.as_f64().ok_or(BAD_TYPE)?.round_ties_even() as i128,
        },
    };
    T::try_from(number).map_err(|_| RANGE)
}

fn real(value: &Variant) -> Result<f64, Status> {
    match value {
        Variant::String(text) => text.to_text().trim().parse().map_err(|_| BAD_TYPE),
        Variant::Bool(on) => Ok(f64::from(u8::from(*on))),
        other => other.as_f64().ok_or(BAD_TYPE),
    }
}

fn truth(value: &Variant) -> Result<bool, Status> {
    match value {
        Variant::Bool(on) => Ok(*on),
        Variant::String(text) => match text.to_text().trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "-1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(BAD_TYPE),
        },
        other => other.as_f64().map(|number| number != 0.0).ok_or(BAD_TYPE),
    }
}

fn text(value: &Variant) -> Result<String, Status> {
    match value {
        Variant::String(text) => Ok(text.to_text()),
        Variant::Bool(on) => Ok(on.to_string()),
        Variant::U8(number) => Ok(number.to_string()),
        other => match (other.as_i64(), other.as_f64()) {
            (Some(number), _) => Ok(number.to_string()),
            (None, Some(number)) => Ok(number.to_string()),
            (None, None) => Err(BAD_TYPE),
        },
    }
}

/// The value as another type; 0 for the type that it has.
///
/// # Errors
///
/// [`BAD_TYPE`] if there is no such value, [`RANGE`] if it does not fit.
pub fn convert(value: &Variant, vt: u16) -> Result<Variant, Status> {
    let value = value.value();
    if vt == 0 || vt == value.vt() {
        return Ok(value.clone());
    }
    Ok(match vt {
        2 => Variant::I2(whole(value)?),
        3 => Variant::I4(whole(value)?),
        4 => Variant::R4(real(value)? as f32),
        5 => Variant::R8(real(value)?),
        8 => text(value)?.as_str().into(),
        11 => Variant::Bool(truth(value)?),
        16 => Variant::I1(whole(value)?),
        17 => Variant::U1(whole(value)?),
        18 => Variant::U2(whole(value)?),
        19 => Variant::U4(whole(value)?),
        20 => Variant::I8(whole(value)?),
        21 => Variant::U8(whole(value)?),
        _ => return Err(BAD_TYPE),
    })
}
