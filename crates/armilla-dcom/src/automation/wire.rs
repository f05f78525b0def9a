//! How values of Automation travel (MS-OAUT 2.2.29.2, 2.2.30.10): little-endian, each number aligned
//! to its own size.

use super::bstr::Bstr;
use super::numbers::{Currency, Date, Decimal};
use super::safe_array::{Bound, Elements, SafeArray, kind};
use super::variant::{Variant, vt};
use crate::objref::InterfacePointer;
use alloc::boxed::Box;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{Decoder, Encoder, Ndr, NdrError, NdrErrorKind, Unique};
use armilla_dcerpc::{Status, Uuid};

/// More dimensions than any program uses.
const MOST_DIMENSIONS: u32 = 64;

/// A value as a parameter, or as an element of an array of parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VariantPointer(Unique<WireVariant>);

/// An array as a parameter (`SAFEARRAY(type)`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SafeArrayPointer(Unique<WireArray>);

#[derive(Debug, Clone, PartialEq)]
struct WireVariant(Variant);

#[derive(Debug, Clone, PartialEq)]
struct WireArray(SafeArray);

impl VariantPointer {
    /// The value; empty if there is none.
    pub fn into_variant(self) -> Variant {
        self.0.into_inner().map_or(Variant::Empty, |wire| wire.0)
    }

    /// The value; `None` if there is none.
    pub fn get(&self) -> Option<&Variant> {
        self.0.get().map(|wire| &wire.0)
    }
}

impl From<Variant> for VariantPointer {
    fn from(value: Variant) -> Self {
        Self(Unique::new(WireVariant(value)))
    }
}

impl SafeArrayPointer {
    /// The pointer that leads nowhere.
    pub const NULL: Self = Self(Unique::NULL);

    /// The array; `None` if there is none.
    pub fn into_array(self) -> Option<SafeArray> {
        self.0.into_inner().map(|wire| wire.0)
    }
}

impl From<SafeArray> for SafeArrayPointer {
    fn from(array: SafeArray) -> Self {
        Self(Unique::new(WireArray(array)))
    }
}

macro_rules! pointer {
    ($($type:ident),*) => {$(
        impl Ndr for $type {
            const ALIGNMENT: usize = 4;

            fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
                self.0.encode(out)
            }

            fn encode_referents(&self, out: &mut Encoder) -> Result<(), NdrError> {
                self.0.encode_referents(out)
            }

            fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
                Unique::decode(input).map(Self)
            }

            fn decode_referents(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
                self.0.decode_referents(input)
            }
        }
    )*};
}

pointer!(VariantPointer, SafeArrayPointer);

impl Ndr for WireVariant {
    const ALIGNMENT: usize = 8;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        out.align(8);
        out.little_endian(|out| write_variant(&self.0, out))
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        input.align(8)?;
        input.little_endian(read_variant).map(Self)
    }
}

impl Ndr for WireArray {
    const ALIGNMENT: usize = 4;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        out.little_endian(|out| write_array(&self.0, out))
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        input.little_endian(read_array).map(Self)
    }
}

fn write_variant(value: &Variant, out: &mut Encoder) -> Result<(), NdrError> {
    let start = out.position();
    let vt = value.vt();
    0u32.encode(out)?;
    0u32.encode(out)?;
    vt.encode(out)?;
    [0u16; 3].encode(out)?;
    // The arm of an array does not depend on its type.
    let arm = if vt & vt::ARRAY != 0 { vt & !vt::TYPE } else { vt };
    u32::from(arm).encode(out)?;
    match value {
        Variant::Reference(inner) | Variant::VariantReference(inner) => {
            out.referent();
            if vt & !vt::BYREF == vt::VARIANT {
                out.referent();
                out.align(8);
                write_variant(inner, out)?;
            } else {
                write_value(inner, out)?;
            }
        }
        value => write_value(value, out)?,
    }
    let units = (out.position() - start).div_ceil(8);
    let units = u32::try_from(units).map_err(|_| too_long(out, units))?;
    out.patch(start, units);
    Ok(())
}

fn too_long(out: &Encoder, count: usize) -> NdrError {
    NdrError { kind: NdrErrorKind::TooLong(count), position: out.position() }
}

/// Writes what stands in the arm of a type.
fn write_value(value: &Variant, out: &mut Encoder) -> Result<(), NdrError> {
    match value {
        Variant::Empty | Variant::Null => Ok(()),
        Variant::I1(number) => number.encode(out),
        Variant::U1(number) => number.encode(out),
        Variant::I2(number) => number.encode(out),
        Variant::U2(number) => number.encode(out),
        Variant::I4(number) | Variant::Int(number) => number.encode(out),
        Variant::U4(number) | Variant::Uint(number) => number.encode(out),
        Variant::I8(number) => number.encode(out),
        Variant::U8(number) => number.encode(out),
        Variant::R4(number) => number.encode(out),
        Variant::R8(number) => number.encode(out),
        Variant::Bool(value) => boolean(*value).encode(out),
        Variant::Error(status) => status.0.encode(out),
        Variant::Date(date) => date.encode(out),
        Variant::Currency(amount) => amount.encode(out),
        Variant::Decimal(number) => number.encode(out),
        Variant::String(text) => text.write(out),
        Variant::Unknown(pointer) | Variant::Dispatch(pointer) => {
            Unique::from(pointer.clone()).write(out)
        }
        // A pointer to a pointer.
        Variant::Array(array) => {
            out.referent();
            out.referent();
            write_array(array, out)
        }
        Variant::NullArray(_) => {
            out.referent();
            0u32.encode(out)
        }
        // Written by its own function, or within another reference.
        Variant::Reference(inner) | Variant::VariantReference(inner) => write_value(inner, out),
    }
}

/// True is all ones.
fn boolean(value: bool) -> i16 {
    if value { -1 } else { 0 }
}

fn write_array(array: &SafeArray, out: &mut Encoder) -> Result<(), NdrError> {
    let (kind, size, features) = array.elements.layout();
    let (dimensions, count) = (array.bounds.len(), array.elements.len());
    let number = |count: usize| u32::try_from(count).ok();
    let cells = SafeArray::cells(&array.bounds).filter(|cells| Some(*cells) == number(count));
    let fits = dimensions > 0 && dimensions <= MOST_DIMENSIONS as usize;
    let Some(cells) = cells.filter(|_| fits) else {
        let kind = NdrErrorKind::InvalidBounds(count);
        return Err(NdrError { kind, position: out.position() });
    };
    (dimensions as u32).encode(out)?;
    (dimensions as u16).encode(out)?;
    (array.features | features).encode(out)?;
    size.encode(out)?;
    // No locks, and the type where there would be more of them.
    let vt = if features & SafeArray::HAS_TYPE != 0 { array.elements.vt() } else { 0 };
    (u32::from(vt) << 16).encode(out)?;
    kind.encode(out)?;
    cells.encode(out)?;
    out.referent();
    if let Elements::Interface(iid, _) = &array.elements {
        iid.encode(out)?;
    }
    for bound in &array.bounds {
        bound.count.encode(out)?;
        bound.lower.encode(out)?;
    }
    cells.encode(out)?;
    write_elements(&array.elements, out)
}

fn write_elements(elements: &Elements, out: &mut Encoder) -> Result<(), NdrError> {
    fn all<T: Ndr>(values: impl Iterator<Item = T>, out: &mut Encoder) -> Result<(), NdrError> {
        let values: Vec<T> = values.collect();
        values.iter().try_for_each(|value| value.encode(out))?;
        values.iter().try_for_each(|value| value.encode_referents(out))
    }
    match elements {
        Elements::I1(values) => all(values.iter().copied(), out),
        Elements::U1(values) => {
            out.put(values);
            Ok(())
        }
        Elements::I2(values) => all(values.iter().copied(), out),
        Elements::U2(values) => all(values.iter().copied(), out),
        Elements::I4(values) | Elements::Int(values) => all(values.iter().copied(), out),
        Elements::U4(values) | Elements::Uint(values) => all(values.iter().copied(), out),
        Elements::I8(values) => all(values.iter().copied(), out),
        Elements::U8(values) => all(values.iter().copied(), out),
        Elements::R4(values) => all(values.iter().copied(), out),
        Elements::R8(values) => all(values.iter().copied(), out),
        Elements::Bool(values) => all(values.iter().copied().map(boolean), out),
        Elements::Error(values) => all(values.iter().map(|status| status.0), out),
        Elements::Date(values) => all(values.iter().copied(), out),
        Elements::Currency(values) => all(values.iter().copied(), out),
        Elements::String(values) => all(values.iter().cloned(), out),
        Elements::Variant(values) => all(values.iter().cloned().map(VariantPointer::from), out),
        Elements::Unknown(values) | Elements::Dispatch(values) | Elements::Interface(_, values) => {
            all(values.iter().cloned().map(Unique::from), out)
        }
    }
}

fn unknown(input: &Decoder<'_>, type_name: &'static str, value: u32) -> NdrError {
    let kind = NdrErrorKind::InvalidDiscriminant { type_name, value };
    NdrError { kind, position: input.position() }
}

fn read_variant(input: &mut Decoder<'_>) -> Result<Variant, NdrError> {
    // Its size and what is reserved say nothing.
    u32::decode(input)?;
    u32::decode(input)?;
    let vt = u16::decode(input)?;
    <[u16; 3]>::decode(input)?;
    u32::decode(input)?;
    if vt & vt::BYREF == 0 {
        return read_value(vt, input);
    }
    let inner = vt & !vt::BYREF;
    if u32::decode(input)? == 0 {
        return Err(NdrError { kind: NdrErrorKind::NullReference, position: input.position() });
    }
    match inner {
        vt::VARIANT => {
            if u32::decode(input)? == 0 {
                return Ok(Variant::VariantReference(Box::new(Variant::Empty)));
            }
            input.align(8)?;
            input.nested(read_variant).map(Box::new).map(Variant::VariantReference)
        }
        0 | 1 => Err(unknown(input, "VARIANT", vt.into())),
        inner => read_value(inner, input).map(Box::new).map(Variant::Reference),
    }
}

fn read_value(vt: u16, input: &mut Decoder<'_>) -> Result<Variant, NdrError> {
    if vt & !vt::TYPE == vt::ARRAY {
        return read_array_value(vt & vt::TYPE, input);
    }
    Ok(match vt {
        0 => Variant::Empty,
        1 => Variant::Null,
        vt::I1 => Variant::I1(i8::decode(input)?),
        vt::UI1 => Variant::U1(u8::decode(input)?),
        vt::I2 => Variant::I2(i16::decode(input)?),
        vt::UI2 => Variant::U2(u16::decode(input)?),
        vt::I4 => Variant::I4(i32::decode(input)?),
        vt::UI4 => Variant::U4(u32::decode(input)?),
        vt::INT => Variant::Int(i32::decode(input)?),
        vt::UINT => Variant::Uint(u32::decode(input)?),
        vt::I8 => Variant::I8(i64::decode(input)?),
        vt::UI8 => Variant::U8(u64::decode(input)?),
        vt::R4 => Variant::R4(f32::decode(input)?),
        vt::R8 => Variant::R8(f64::decode(input)?),
        vt::BOOL => Variant::Bool(i16::decode(input)? != 0),
        vt::ERROR => Variant::Error(Status(u32::decode(input)?)),
        vt::DATE => Variant::Date(Date::decode(input)?),
        vt::CY => Variant::Currency(Currency::decode(input)?),
        vt::DECIMAL => Variant::Decimal(Decimal::decode(input)?),
        vt::BSTR => Variant::String(Bstr::read(input)?),
        vt::UNKNOWN => Variant::Unknown(read_interface(input)?),
        vt::DISPATCH => Variant::Dispatch(read_interface(input)?),
        other => return Err(unknown(input, "VARIANT", other.into())),
    })
}

fn read_interface(input: &mut Decoder<'_>) -> Result<Option<InterfacePointer>, NdrError> {
    Unique::<InterfacePointer>::read(input).map(Unique::into_inner)
}

fn read_array_value(element: u16, input: &mut Decoder<'_>) -> Result<Variant, NdrError> {
    if u32::decode(input)? == 0 || u32::decode(input)? == 0 {
        return Ok(Variant::NullArray(element));
    }
    let array = input.nested(read_array)?;
    // Both say of which type the elements are.
    match array.elements.vt() == element {
        true => Ok(Variant::Array(array)),
        false => Err(unknown(input, "SAFEARRAY", element.into())),
    }
}

fn read_array(input: &mut Decoder<'_>) -> Result<SafeArray, NdrError> {
    let dimensions = u32::decode(input)?;
    let same = u32::from(u16::decode(input)?) == dimensions;
    let (features, _) = (u16::decode(input)?, u32::decode(input)?);
    let vt = (u32::decode(input)? >> 16) as u16;
    let (kind, count, place) = (u32::decode(input)?, u32::decode(input)?, u32::decode(input)?);
    let iid = if kind == kind::HAVE_IID { Uuid::decode(input)? } else { Uuid::NIL };
    if !same || dimensions == 0 || dimensions > MOST_DIMENSIONS {
        return Err(unknown(input, "SAFEARRAY", dimensions));
    }
    let mut bounds = Vec::new();
    for _ in 0..dimensions {
        bounds.push(Bound { count: u32::decode(input)?, lower: i32::decode(input)? });
    }
    let there = if place == 0 { 0 } else { u32::decode(input)? };
    let wrong = NdrErrorKind::InvalidRange { maximum: count, offset: 0, count: there };
    if SafeArray::cells(&bounds) != Some(count) || there != count {
        return Err(NdrError { kind: wrong, position: input.position() });
    }
    let vt = if features & SafeArray::HAS_TYPE != 0 { vt } else { 0 };
    let elements = read_elements((kind, vt, iid), count, input)?;
    let (.., own) = elements.layout();
    Ok(SafeArray { features: features & !own, bounds, elements })
}

fn read_elements(
    (kind, vt, iid): (u32, u16, Uuid),
    count: u32,
    input: &mut Decoder<'_>,
) -> Result<Elements, NdrError> {
    fn all<T: Ndr>(count: u32, input: &mut Decoder<'_>) -> Result<Vec<T>, NdrError> {
        let count = input.check_count(count)?;
        // An element in memory may be larger than its octets: memory grows with what was read.
        let mut values = Vec::with_capacity(count.min(64));
        for _ in 0..count {
            values.push(T::decode(input)?);
        }
        values.iter_mut().try_for_each(|value| value.decode_referents(input))?;
        Ok(values)
    }
    fn pointers(
        count: u32,
        input: &mut Decoder<'_>,
    ) -> Result<Vec<Option<InterfacePointer>>, NdrError> {
        let values = all::<Unique<InterfacePointer>>(count, input)?;
        Ok(values.into_iter().map(Unique::into_inner).collect())
    }
    Ok(match (kind, vt) {
        (kind::I1, vt::I1) => Elements::I1(all(count, input)?),
        (kind::I1, vt::UI1 | 0) => {
            let count = input.check_count(count)?;
            Elements::U1(input.octets(count)?.to_vec())
        }
        (kind::I2, vt::I2 | 0) => Elements::I2(all(count, input)?),
        (kind::I2, vt::UI2) => Elements::U2(all(count, input)?),
        (kind::I2, vt::BOOL) => {
            Elements::Bool(all::<i16>(count, input)?.into_iter().map(|it| it != 0).collect())
        }
        (kind::I4, vt::I4 | 0) => Elements::I4(all(count, input)?),
        (kind::I4, vt::UI4) => Elements::U4(all(count, input)?),
        (kind::I4, vt::INT) => Elements::Int(all(count, input)?),
        (kind::I4, vt::UINT) => Elements::Uint(all(count, input)?),
        (kind::I4, vt::R4) => Elements::R4(all(count, input)?),
        (kind::I4, vt::ERROR) => {
            Elements::Error(all::<u32>(count, input)?.into_iter().map(Status).collect())
        }
        (kind::I8, vt::I8 | 0) => Elements::I8(all(count, input)?),
        (kind::I8, vt::UI8) => Elements::U8(all(count, input)?),
        (kind::I8, vt::R8) => Elements::R8(all(count, input)?),
        (kind::I8, vt::DATE) => Elements::Date(all(count, input)?),
        (kind::I8, vt::CY) => Elements::Currency(all(count, input)?),
        (kind::BSTR, vt::BSTR | 0) => Elements::String(all(count, input)?),
        (kind::VARIANT, vt::VARIANT | 0) => {
            let values = all::<VariantPointer>(count, input)?;
            Elements::Variant(values.into_iter().map(VariantPointer::into_variant).collect())
        }
        (kind::UNKNOWN, _) => Elements::Unknown(pointers(count, input)?),
        (kind::DISPATCH, _) => Elements::Dispatch(pointers(count, input)?),
        (kind::HAVE_IID, _) => Elements::Interface(iid, pointers(count, input)?),
        (kind, vt) => return Err(unknown(input, "SAFEARRAY", kind << 16 | u32::from(vt))),
    })
}
