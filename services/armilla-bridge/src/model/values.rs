//! Values of CORBA as values of Automation, and back (CORBA 2.3, 19.8).

use armilla::dynamic::{DynAny, DynAnyError};
use armilla::{Any, Object, TypeCode};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::InterfacePointer;
use armilla_dcom::automation::dispatch::DISPATCH;
use armilla_dcom::automation::{Decimal, Elements, SafeArray, Variant};
use std::fmt;

/// What crosses besides plain values: objects, and values with members.
pub trait Crossing {
    /// The object as a view, with an interface if the view has it, or else with the one that scripts
    /// call; `None` if it is nil.
    ///
    /// # Errors
    ///
    /// If no view can be made.
    fn view_of(&self, value: &mut DynAny, iid: Uuid) -> Result<Option<InterfacePointer>, Mismatch>;

    /// The object of COM as a reference of CORBA with an interface. A view comes back unwrapped.
    ///
    /// # Errors
    ///
    /// If it is not reached, or may not be passed.
    fn reference_to(
        &self,
        pointer: &InterfacePointer,
        interface: &TypeCode,
    ) -> Result<Object, Mismatch>;

    /// A value with members as an object whose properties they are.
    ///
    /// # Errors
    ///
    /// If no such object can be made.
    fn with_members(&self, value: DynAny) -> Result<InterfacePointer, Mismatch>;

    /// The value whose members are the properties of such an object; `None` for another object.
    fn members_of(&self, pointer: &InterfacePointer) -> Option<DynAny>;
}

/// A value cannot be what the other side wants.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// The HRESULT of it.
    pub status: Status,
    /// What does not fit, and where.
    pub what: String,
}

impl Mismatch {
    /// A value has a type that cannot be what is wanted.
    pub fn ty(what: impl Into<String>) -> Self {
        Self { status: Status::TYPE_MISMATCH, what: what.into() }
    }

    pub(crate) fn range(what: impl Into<String>) -> Self {
        Self { status: Status::OVERFLOW, what: what.into() }
    }

    /// The same, in a part of a value.
    pub(crate) fn within(self, part: impl fmt::Display) -> Self {
        Self { what: format!("{part}: {}", self.what), ..self }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Mismatch {}

impl From<DynAnyError> for Mismatch {
    fn from(error: DynAnyError) -> Self {
        match error {
            DynAnyError::InvalidValue(what) => Self::range(what),
            other => Self::ty(other.to_string()),
        }
    }
}

type Result<T = (), E = Mismatch> = std::result::Result<T, E>;

/// The most dimensions of an array that crosses, and the most rows: each takes more memory than an octet.
const MOST_DIMENSIONS: usize = 8;
const MOST_ROWS: usize = 0x4_0000;

/// The value as a script sees it. Sequences and arrays become arrays; structs, unions and valuetypes
/// objects with properties; the value of an `any` stands for itself.
///
/// # Errors
///
/// If Automation has no such value.
pub fn to_variant(value: &mut DynAny, crossing: &dyn Crossing) -> Result<Variant> {
    let code = value.type_code();
    Ok(match code.resolved() {
        TypeCode::Null | TypeCode::Void => Variant::Empty,
        TypeCode::Boolean => value.get_boolean()?.into(),
        TypeCode::Octet => value.get_octet()?.into(),
        TypeCode::Char => value.get_char()?.into(),
        TypeCode::Short => value.get_short()?.into(),
        // Programs in Basic have no unsigned numbers but octets.
        TypeCode::UShort => i32::from(value.get_ushort()?).into(),
        TypeCode::Long => value.get_long()?.into(),
        TypeCode::ULong => {
            let number = value.get_ulong()?;
            i32::try_from(number).map_or(Variant::U4(number), Variant::I4)
        }
        TypeCode::LongLong => value.get_longlong()?.into(),
        TypeCode::ULongLong => value.get_ulonglong()?.into(),
        TypeCode::Float => value.get_float()?.into(),
        TypeCode::Double => value.get_double()?.into(),
        TypeCode::WChar => Variant::from(&*value.get_wchar()?.to_string()),
        TypeCode::String(_) => Variant::from(&*value.get_string()?),
        TypeCode::WString(_) => Variant::from(&*value.get_wstring()?),
        TypeCode::Enum(_) => Variant::I4(value.as_enum()?.number() as i32),
        TypeCode::Fixed { .. } => Variant::Decimal(decimal(&value.as_fixed()?.value())?),
        TypeCode::Any => to_variant(&mut value.get_dyn_any()?, crossing)?,
        TypeCode::TypeCode => Variant::from(&*value.get_typecode()?.to_string()),
        TypeCode::ObjectReference(_) | TypeCode::Component(_) | TypeCode::Home(_) => {
            Variant::Dispatch(crossing.view_of(value, DISPATCH.uuid)?)
        }
        TypeCode::Sequence(element, _) => {
            let elements = value.as_sequence()?.elements();
            Variant::Array(array(element, elements, crossing)?)
        }
        TypeCode::Array(element, _) => {
            let elements = value.as_array()?.elements();
            Variant::Array(array(element, elements, crossing)?)
        }
        TypeCode::Struct(_) | TypeCode::Exception(_) | TypeCode::Union(_) => {
            Variant::Dispatch(Some(crossing.with_members(value.copy()?)?))
        }
        other => return Err(Mismatch::ty(format!("Automation has no value of the type {other}"))),
    })
}

/// An array of elements that have a type of their own in Automation, or else of variants.
fn array(element: &TypeCode, elements: Vec<DynAny>, crossing: &dyn Crossing) -> Result<SafeArray> {
    let all = elements.into_iter().enumerate().map(|(index, mut element)| {
        to_variant(&mut element, crossing).map_err(|error| error.within(format!("[{index}]")))
    });
    let all: Vec<Variant> = all.collect::<Result<_>>()?;
    macro_rules! of {
        ($case:ident) => {{
            let one = |value: &Variant| match value {
                Variant::$case(value) => Some(value.clone()),
                _ => None,
            };
            let same: Option<Vec<_>> = all.iter().map(one).collect();
            same.map_or_else(|| Elements::Variant(all.clone()), Elements::$case)
        }};
    }
    Ok(SafeArray::new(match element.resolved() {
        TypeCode::Octet | TypeCode::Char => of!(U1),
        TypeCode::Short => of!(I2),
        TypeCode::UShort | TypeCode::Long | TypeCode::ULong | TypeCode::Enum(_) => of!(I4),
        TypeCode::LongLong => of!(I8),
        TypeCode::ULongLong => of!(U8),
        TypeCode::Float => of!(R4),
        TypeCode::Double => of!(R8),
        TypeCode::Boolean => of!(Bool),
        TypeCode::String(_) | TypeCode::WString(_) | TypeCode::WChar => of!(String),
        _ => Elements::Variant(all),
    }))
}

/// The value that a script gives for one of this type.
///
/// # Errors
///
/// If it has another type, or does not fit.
pub fn from_variant(given: &Variant, code: &TypeCode, crossing: &dyn Crossing) -> Result<DynAny> {
    let mut value = DynAny::new(code)?;
    let given = given.value();
    match code.resolved() {
        TypeCode::Null | TypeCode::Void => {}
        TypeCode::Boolean => value.insert_boolean(boolean(given)?)?,
        TypeCode::Octet => value.insert_octet(integer(given)?)?,
        TypeCode::Char => value.insert_char(character(given).map_or_else(
            || integer(given),
            |one| u8::try_from(one).map_err(|_| Mismatch::range(format!("{one:?} is no char"))),
        )?)?,
        TypeCode::Short => value.insert_short(integer(given)?)?,
        TypeCode::UShort => value.insert_ushort(integer(given)?)?,
        TypeCode::Long => value.insert_long(integer(given)?)?,
        TypeCode::ULong => value.insert_ulong(integer(given)?)?,
        TypeCode::LongLong => value.insert_longlong(integer(given)?)?,
        TypeCode::ULongLong => value.insert_ulonglong(integer(given)?)?,
        TypeCode::Float => value.insert_float(number(given)? as f32)?,
        TypeCode::Double => value.insert_double(number(given)?)?,
        TypeCode::WChar => value.insert_wchar(
            character(given).ok_or_else(|| wrong("a string of one character", given))?,
        )?,
        TypeCode::String(_) => value.insert_string(&text(given)?)?,
        TypeCode::WString(_) => value.insert_wstring(&text(given)?)?,
        TypeCode::Enum(_) => match given.as_text() {
            Some(name) => value.as_enum()?.set_name(&name)?,
            None => value.as_enum()?.set_number(integer(given)?)?,
        },
        TypeCode::Fixed { .. } => {
            if !value.as_fixed()?.set_value(&digits(given)?)? {
                return Err(Mismatch::range(format!("it is no {}", code.resolved())));
            }
        }
        TypeCode::Any => value.insert_any(any(given, crossing)?)?,
        TypeCode::ObjectReference(_) | TypeCode::Component(_) | TypeCode::Home(_) => match given {
            Variant::Dispatch(Some(pointer)) | Variant::Unknown(Some(pointer)) => {
                value.insert_reference(crossing.reference_to(pointer, code.resolved())?)?;
            }
            Variant::Dispatch(None) | Variant::Unknown(None) | Variant::Empty => {}
            other => return Err(wrong("an object", other)),
        },
        TypeCode::Sequence(element, _) => {
            let elements = elements(given, element, crossing)?;
            value.as_sequence()?.set_elements_as_dyn_any(&elements)?;
        }
        TypeCode::Array(element, _) => {
            let elements = elements(given, element, crossing)?;
            value.as_array()?.set_elements_as_dyn_any(&elements)?;
        }
        TypeCode::Struct(_) | TypeCode::Exception(_) => {
            return structure(value, given, crossing);
        }
        TypeCode::Union(_) => return members(given, &value, crossing),
        other => return Err(Mismatch::ty(format!("Automation has no value of the type {other}"))),
    }
    Ok(value)
}

/// A struct: an object that the bridge made, or an array of the members in their order.
fn structure(mut value: DynAny, given: &Variant, crossing: &dyn Crossing) -> Result<DynAny> {
    let Variant::Array(array) = given else { return members(given, &value, crossing) };
    let all = rows(array)?;
    let known = value.as_struct()?.members();
    if all.len() != known.len() {
        return Err(Mismatch::ty(format!("it has {} members, not {}", known.len(), all.len())));
    }
    let made = known.into_iter().zip(&all).map(|((name, member), given)| {
        let made = from_variant(given, &member.type_code(), crossing);
        made.map(|made| (name.clone(), made)).map_err(|error| error.within(name))
    });
    let made: Vec<(String, DynAny)> = made.collect::<Result<_>>()?;
    let made = made.iter().map(|(name, member)| (name.as_str(), member));
    value.as_struct()?.set_members_as_dyn_any(made)?;
    Ok(value)
}

/// The value of an object that the bridge made.
fn members(given: &Variant, wanted: &DynAny, crossing: &dyn Crossing) -> Result<DynAny> {
    let (Variant::Dispatch(Some(pointer)) | Variant::Unknown(Some(pointer))) = given else {
        return Err(wrong("an object with its members, or an array of them", given));
    };
    let found = crossing.members_of(pointer);
    let found = found.ok_or_else(|| Mismatch::ty("it is an object of another program"))?;
    let (is, wants) = (found.type_code(), wanted.type_code());
    match is.is_equivalent(&wants) {
        true => Ok(found),
        false => Err(Mismatch::ty(format!("it is a {is}, and a {wants} is wanted"))),
    }
}

/// The elements of an array. Octets may be a string of octets, too, as some clients send them.
fn elements(given: &Variant, element: &TypeCode, crossing: &dyn Crossing) -> Result<Vec<DynAny>> {
    let all = match given {
        Variant::Array(array) => rows(array)?,
        Variant::Empty | Variant::Null | Variant::NullArray(_) => Vec::new(),
        other => return Err(wrong("an array", other)),
    };
    let made = all.iter().enumerate().map(|(index, given)| {
        from_variant(given, element, crossing).map_err(|error| error.within(format!("[{index}]")))
    });
    made.collect()
}

/// The elements of an array; those of a table are its rows, arrays that have one dimension less.
fn rows(array: &SafeArray) -> Result<Vec<Variant>> {
    let all = array.elements.to_variants();
    match array.bounds.split_first() {
        // Where there are no elements, the dimensions may have any size.
        Some((first, rest)) if !rest.is_empty() && !all.is_empty() => {
            let (count, dimensions) = (first.count as usize, array.bounds.len());
            let cells = all.len().is_multiple_of(count.max(1));
            if dimensions > MOST_DIMENSIONS || count > MOST_ROWS || !cells {
                let why = format!("it has {dimensions} dimensions and {count} rows");
                return Err(Mismatch::range(why));
            }
            // The first index changes fastest.
            let row = |at: usize| {
                let elements =
                    Elements::Variant(all.iter().skip(at).step_by(count).cloned().collect());
                Variant::Array(SafeArray { features: 0, bounds: rest.to_vec(), elements })
            };
            Ok((0..count).map(row).collect())
        }
        _ => Ok(all),
    }
}

/// The `any` of a value whose type only the script knows.
fn any(given: &Variant, crossing: &dyn Crossing) -> Result<Any> {
    let code = type_of(given);
    if let Variant::Dispatch(Some(pointer)) = given
        && let Some(value) = crossing.members_of(pointer)
    {
        return Ok(value.to_any()?);
    }
    let code = code.ok_or_else(|| Mismatch::ty(format!("no `any` holds {}", describe(given))))?;
    Ok(from_variant(given, &code, crossing)?.to_any()?)
}

/// The type of CORBA that a value of Automation has by itself.
pub fn type_of(given: &Variant) -> Option<TypeCode> {
    Some(match given.value() {
        Variant::Empty | Variant::Null => TypeCode::Null,
        Variant::Bool(_) => TypeCode::Boolean,
        Variant::I1(_) | Variant::I2(_) => TypeCode::Short,
        Variant::U1(_) => TypeCode::Octet,
        Variant::U2(_) => TypeCode::UShort,
        Variant::I4(_) | Variant::Int(_) => TypeCode::Long,
        Variant::U4(_) | Variant::Uint(_) => TypeCode::ULong,
        Variant::I8(_) => TypeCode::LongLong,
        Variant::U8(_) => TypeCode::ULongLong,
        Variant::R4(_) => TypeCode::Float,
        Variant::R8(_) | Variant::Date(_) => TypeCode::Double,
        Variant::Error(_) => TypeCode::ULong,
        Variant::String(_) => TypeCode::String(0),
        Variant::Currency(_) => TypeCode::Fixed { digits: 19, scale: 4 },
        Variant::Decimal(number) => TypeCode::Fixed { digits: 29, scale: number.scale.into() },
        Variant::Dispatch(_) | Variant::Unknown(_) => {
            TypeCode::object_reference("IDL:omg.org/CORBA/Object:1.0", "Object")
        }
        Variant::Array(array) => {
            let first = array.elements.to_variants().first().and_then(type_of);
            let element = match &array.elements {
                Elements::Variant(_) => TypeCode::Any,
                _ => first.unwrap_or(TypeCode::Any),
            };
            let further = array.bounds.len().clamp(1, MOST_DIMENSIONS) - 1;
            let further = if array.elements.is_empty() { 0 } else { further };
            (0..=further).fold(element, |code, _| TypeCode::sequence(code, 0))
        }
        _ => return None,
    })
}

pub(crate) fn boolean(given: &Variant) -> Result<bool> {
    let number = || given.as_i64().map(|number| number != 0);
    given.as_bool().or_else(number).ok_or_else(|| wrong("true or false", given))
}

/// A whole number. One with a fraction is none; true is -1, as in Basic.
pub(crate) fn integer<T: TryFrom<i128>>(given: &Variant) -> Result<T> {
    let number = match given {
        Variant::U8(number) => i128::from(*number),
        Variant::Bool(value) => -i128::from(*value),
        Variant::Error(status) => status.0.into(),
        Variant::R4(number) if number.fract() == 0.0 => *number as i128,
        Variant::R8(number) if number.fract() == 0.0 => *number as i128,
        other => other.as_i64().ok_or_else(|| wrong("a whole number", other))?.into(),
    };
    T::try_from(number).map_err(|_| Mismatch::range(format!("{number} is out of range")))
}

pub(crate) fn number(given: &Variant) -> Result<f64> {
    match given {
        Variant::Date(date) => Ok(date.0),
        Variant::Currency(amount) => Ok(amount.0 as f64 / 10_000.0),
        Variant::Decimal(number) => {
            Ok(number.to_string().parse().map_err(|_| wrong("a number", given))?)
        }
        other => other.as_f64().ok_or_else(|| wrong("a number", other)),
    }
}

pub(crate) fn text(given: &Variant) -> Result<String> {
    given.as_text().ok_or_else(|| wrong("a string", given))
}

pub(crate) fn character(given: &Variant) -> Option<char> {
    let text = given.as_text()?;
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// A decimal number as text.
pub(crate) fn digits(given: &Variant) -> Result<String> {
    match given {
        Variant::Decimal(number) => Ok(number.to_string()),
        Variant::Currency(amount) => Ok(amount.to_string()),
        Variant::String(text) => Ok(text.to_text()),
        Variant::R4(_) | Variant::R8(_) => Ok(number(given)?.to_string()),
        other => Ok(integer::<i128>(other)?.to_string()),
    }
}

/// A decimal number of text.
pub(crate) fn decimal(text: &str) -> Result<Decimal> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let magnitude = format!("{whole}{fraction}").parse::<u128>().ok();
    let magnitude = magnitude.filter(|number| *number >> 96 == 0);
    let scale = u8::try_from(fraction.len()).ok().filter(|it| *it <= Decimal::MOST_DIGITS);
    let beyond = || Mismatch::range(format!("{text} has more digits than a DECIMAL"));
    let (magnitude, scale) = magnitude.zip(scale).ok_or_else(beyond)?;
    Ok(Decimal { scale, negative, high: (magnitude >> 64) as u32, low: magnitude as u64 })
}

pub(crate) fn wrong(wanted: &str, given: &Variant) -> Mismatch {
    Mismatch::ty(format!("{} is given, and {wanted} is wanted", describe(given)))
}

/// A value in words, for messages.
fn describe(given: &Variant) -> String {
    match given {
        Variant::Empty | Variant::Null => "nothing".to_owned(),
        Variant::String(text) => {
            let short: String = text.to_text().chars().take(40).collect();
            format!("the string {short:?}")
        }
        Variant::Array(array) => format!("an array of {}", array.elements.len()),
        Variant::Dispatch(_) | Variant::Unknown(_) => "an object".to_owned(),
        other => match other.as_f64() {
            Some(number) => number.to_string(),
            None => format!("a value of type {}", other.vt()),
        },
    }
}
