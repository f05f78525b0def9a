//! From JSON.

use super::write::MOST_DIMENSIONS;
use crate::automation::bstr::Bstr;
use crate::automation::numbers::{Currency, Date, Decimal};
use crate::automation::safe_array::{Bound, Elements, SafeArray};
use crate::automation::type_info::Type;
use crate::automation::variant::{Variant, vt};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Number, Value};

/// The value that JSON means: of a type, if the parameter has one. `null` is no value, an array
/// becomes an array.
///
/// # Errors
///
/// What does not fit.
pub fn from_json(json: &Value, ty: Option<&Type>) -> Result<Variant, String> {
    match (ty, json) {
        // What a pointer leads to is what is given.
        (Some(Type::Pointer(to)), _) => from_json(json, Some(to)),
        (Some(Type::SafeArray(of)), Value::Array(all)) => array(all, of),
        (Some(ty @ Type::Simple(number)), _) if *ty != Type::VARIANT => simple(json, *number, ty),
        (_, json) => untyped(json),
    }
}

fn untyped(json: &Value) -> Result<Variant, String> {
    match json {
        Value::Null => Ok(Variant::Empty),
        Value::Bool(on) => Ok((*on).into()),
        Value::String(text) => Ok(Variant::from(&**text)),
        Value::Number(number) => any_number(number),
        Value::Array(all) => array(all, &Type::VARIANT),
        Value::Object(_) => Err(format!("{json}: Automation has no value for it")),
    }
}

/// A number in as few bits as programs in Basic use for it.
fn any_number(number: &Number) -> Result<Variant, String> {
    if let Some(number) = number.as_i64() {
        return Ok(i32::try_from(number).map_or(Variant::I8(number), Variant::I4));
    }
    let large = number.as_u64().map(Variant::U8).or_else(|| number.as_f64().map(Variant::R8));
    large.ok_or_else(|| format!("{number} is too large"))
}

/// A value of a type that has a number. What is of another type, and what programs may read in ways of
/// their own, is left to the object: most convert what they are given.
fn simple(json: &Value, number: u16, ty: &Type) -> Result<Variant, String> {
    let none = || format!("{json} is no {ty}");
    Ok(match (json, number) {
        (Value::Array(_), _) => return Err(format!("an array is no {ty}")),
        (Value::Null, vt::DISPATCH) => Variant::Dispatch(None),
        (Value::Null, vt::UNKNOWN) => Variant::Unknown(None),
        (Value::Number(given), vt::R4 | vt::R8) => {
            float(given.as_f64().ok_or_else(none)?, number).ok_or_else(none)?
        }
        (Value::String(text), vt::R4 | vt::R8) => match &**text {
            "NaN" => float(f64::NAN, number).ok_or_else(none)?,
            "Infinity" => float(f64::INFINITY, number).ok_or_else(none)?,
            "-Infinity" => float(f64::NEG_INFINITY, number).ok_or_else(none)?,
            _ => untyped(json)?,
        },
        (Value::Number(given), vt::CY | vt::DECIMAL) => {
            text_number(&given.to_string(), number).ok_or_else(none)?
        }
        (Value::Number(given), vt::BSTR) => Variant::from(&*given.to_string()),
        (Value::Number(given), _) => match exact(given, number) {
            Some(whole) => whole.map_err(|range| format!("{}: it is {range}", none()))?,
            None => any_number(given)?,
        },
        (Value::String(text), vt::CY | vt::DECIMAL | vt::DATE) => {
            text_number(text, number).map_or_else(|| untyped(json), Ok)?
        }
        _ => untyped(json)?,
    })
}

/// A floating-point number; `None` if it is finite and the type has none so large.
fn float(given: f64, number: u16) -> Option<Variant> {
    if number == vt::R8 {
        return Some(Variant::R8(given));
    }
    let short = given as f32;
    (short.is_finite() || !given.is_finite()).then_some(Variant::R4(short))
}

fn text_number(text: &str, number: u16) -> Option<Variant> {
    match number {
        vt::CY => Currency::parse(text).map(Variant::Currency),
        vt::DECIMAL => Decimal::parse(text).map(Variant::Decimal),
        _ => Date::parse(text).map(Variant::Date),
    }
}

/// A whole number of exactly this type, or which ones it has; `None` if the type is no such type.
fn exact(given: &Number, number: u16) -> Option<Result<Variant, String>> {
    let whole = given.as_i64().map(i128::from).or_else(|| given.as_u64().map(i128::from));
    // Beyond 53 bits nobody can say which number was meant.
    let round = |it: &f64| it.abs() < 9.0e15 && *it as i64 as f64 == *it;
    let whole = whole.or_else(|| given.as_f64().filter(round).map(|it| it as i128));
    macro_rules! types {
        ($($vt:ident => $case:ident($int:ty)),* $(,)?) => {
            match number {
                $(vt::$vt => {
                    let fits = whole.and_then(|whole| <$int>::try_from(whole).ok());
                    let range = || format!("a whole number from {} to {}", <$int>::MIN, <$int>::MAX);
                    Some(fits.map(Variant::$case).ok_or_else(range))
                })*
                _ => None,
            }
        };
    }
    types! {
        I1 => I1(i8), UI1 => U1(u8), I2 => I2(i16), UI2 => U2(u16), I4 => I4(i32), UI4 => U4(u32),
        I8 => I8(i64), UI8 => U8(u64), INT => Int(i32), UINT => Uint(u32),
    }
}

/// An array of this type. Arrays in it are its further dimensions, unless each may be a value itself.
fn array(all: &[Value], of: &Type) -> Result<Variant, String> {
    let mut counts = Vec::from([all.len()]);
    let mut inner = all.first();
    while let (Type::Simple(number), Some(Value::Array(row))) = (of, inner)
        && *number != vt::VARIANT
        && counts.len() < MOST_DIMENSIONS
    {
        counts.push(row.len());
        inner = row.first();
    }
    let mut rows = Vec::new();
    flatten(all, &counts, of, &mut rows)?;
    let elements = elements(first_index_fastest(rows, &counts), of)?;
    let bounds = counts.iter().map(|count| {
        let count = u32::try_from(*count).map_err(|_| "the array is too large".to_string())?;
        Ok(Bound { count, lower: 0 })
    });
    let bounds = bounds.collect::<Result<_, String>>()?;
    Ok(Variant::Array(SafeArray { features: 0, bounds, elements }))
}

/// The elements, the last index fastest.
fn flatten(
    row: &[Value],
    counts: &[usize],
    of: &Type,
    found: &mut Vec<Variant>,
) -> Result<(), String> {
    let Some((count, inner)) = counts.split_first() else { return Ok(()) };
    if row.len() != *count {
        return Err(format!("{} elements, where others have {count}", row.len()));
    }
    for (place, value) in row.iter().enumerate() {
        let within = |what: String| match what.starts_with('[') {
            true => format!("[{place}]{what}"),
            false => format!("[{place}]: {what}"),
        };
        match value {
            Value::Array(row) if !inner.is_empty() => {
                flatten(row, inner, of, found).map_err(within)?;
            }
            _ if !inner.is_empty() => {
                return Err(within(format!("{value} is no array, as others are")));
            }
            _ => found.push(element(value, of).map_err(within)?),
        }
    }
    Ok(())
}

/// An element, which has to have this very type.
fn element(json: &Value, of: &Type) -> Result<Variant, String> {
    let value = from_json(json, Some(of))?;
    let fits = match (of, &value) {
        (Type::Simple(vt::BSTR), Variant::Empty) => true,
        (Type::Simple(number), value) => *number == vt::VARIANT || *number == value.vt(),
        _ => true,
    };
    if fits { Ok(value) } else { Err(format!("{json} is no {of}")) }
}

/// The same elements in the order of an array of Automation.
fn first_index_fastest(rows: Vec<Variant>, counts: &[usize]) -> Vec<Variant> {
    if counts.len() < 2 {
        return rows;
    }
    let place = |mut cell: usize| {
        let (mut place, mut stride) = (0, rows.len());
        for count in counts {
            stride /= count;
            place += cell % count * stride;
            cell /= count;
        }
        place
    };
    (0..rows.len()).map(|cell| rows[place(cell)].clone()).collect()
}

/// Elements that all have this type.
fn elements(all: Vec<Variant>, of: &Type) -> Result<Elements, String> {
    let number = match of {
        Type::Simple(number) => *number,
        // What its values are the description does not say.
        _ => vt::VARIANT,
    };
    macro_rules! types {
        ($($vt:ident => $case:ident),* $(,)?) => {
            match number {
                $(vt::$vt => {
                    let one = |it| if let Variant::$case(value) = it { Some(value) } else { None };
                    all.into_iter().map(one).collect::<Option<_>>().map(Elements::$case)
                })*
                vt::BSTR => {
                    let text = |it| if let Variant::String(text) = it { text } else { Bstr::null() };
                    Some(Elements::String(all.into_iter().map(text).collect()))
                }
                vt::VARIANT => Some(Elements::Variant(all)),
                _ => None,
            }
        };
    }
    let elements = types! {
        I1 => I1, UI1 => U1, I2 => I2, UI2 => U2, I4 => I4, UI4 => U4, I8 => I8, UI8 => U8,
        INT => Int, UINT => Uint, R4 => R4, R8 => R8, BOOL => Bool, DATE => Date, CY => Currency,
        ERROR => Error, UNKNOWN => Unknown, DISPATCH => Dispatch,
    };
    elements.ok_or_else(|| format!("arrays of {of} do not travel"))
}
