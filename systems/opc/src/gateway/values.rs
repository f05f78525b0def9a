//! Values of OPC as values of CORBA, and back.

use crate::idl::opc::Reading;
use crate::model::Sample;
use armilla::{Any, ExceptionKind, SystemException};
use armilla_dcerpc::Status;
use armilla_dcom::automation::Variant;

/// A value as an `any`: numbers in their size, text, and as text what CORBA has no type for.
fn any(value: &Variant) -> Result<Any, SystemException> {
    let made = match value.value() {
        Variant::Empty | Variant::Null => Ok(Any::default()),
        Variant::Bool(on) => Any::new(on),
        Variant::U1(number) => Any::new(number),
        Variant::I1(number) => Any::new(&i16::from(*number)),
        Variant::I2(number) => Any::new(number),
        Variant::U2(number) => Any::new(number),
        Variant::I4(number) | Variant::Int(number) => Any::new(number),
        Variant::U4(number) | Variant::Uint(number) => Any::new(number),
        Variant::I8(number) => Any::new(number),
        Variant::U8(number) => Any::new(number),
        Variant::R4(number) => Any::new(number),
        Variant::R8(number) => Any::new(number),
        Variant::String(text) => Any::new(text.to_text().as_str()),
        other => Any::new(format!("{other:?}").as_str()),
    };
    Ok(made?)
}

/// What is known of an item.
pub(super) fn reading(
    id: &str,
    sample: &Result<Sample, Status>,
) -> Result<Reading, SystemException> {
    let item = id.to_string();
    match sample {
        Ok(sample) => {
            let time = u64::try_from(sample.time.as_millis()).unwrap_or(u64::MAX);
            let (value, quality) = (any(&sample.value)?, sample.quality.0);
            Ok(Reading { item, value, quality, time, status: 0 })
        }
        Err(status) => {
            let value = Any::default();
            Ok(Reading { item, value, quality: 0, time: 0, status: status.0 })
        }
    }
}

/// An `any` as a value.
pub(super) fn variant(value: &Any) -> Result<Variant, SystemException> {
    macro_rules! first_of {
        ($($type:ty),*) => {$(
            if let Some(value) = value.get::<$type>()? {
                return Ok(value.into());
            }
        )*};
    }
    first_of!(bool, u8, i16, u16, i32, u32, i64, u64, f32, f64);
    match value.get::<String>()? {
        Some(text) => Ok(text.as_str().into()),
        None => Err(ExceptionKind::BadParam
            .because("an item is written as a number, a boolean or a string")),
    }
}
