//! Values whose types only the run knows, as NDR encodes them.

use super::shape::Shape;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{Decoder, Encoder, Ndr, NdrError, Unique, WideString};
use armilla_dcom::InterfacePointer;
use armilla_dcom::automation::{
    Bstr, Currency, Date, Decimal, SafeArrayPointer, VariantBool, VariantPointer,
};

/// A pointer: null, or to what follows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pointer {
    Null,
    /// It is read after the structure.
    Later(Shape),
    To(Box<Value>),
}

/// The elements of an array whose size travels with it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Elements {
    pub(crate) alignment: usize,
    pub(crate) varying: bool,
    /// Of a varying one: how many there could be, and the index of the first that travels.
    pub(crate) room: u32,
    pub(crate) first: u32,
    pub(crate) values: Vec<Value>,
}

/// The size of an array is read before memory is reserved; an element may be larger in memory.
const FIRST: usize = 64;

macro_rules! values {
    ($($name:ident: $type:ty),* $(,)?) => {
        /// A value as it travels.
        #[derive(Debug, Clone, PartialEq)]
        pub(crate) enum Value {
            $($name($type),)*
            /// A string that is behind no pointer.
            WideString(WideString),
            /// The members of a struct or the elements of an array of a fixed size, and their alignment.
            Parts(usize, Vec<Value>),
            Elements(Elements),
            Pointer(Pointer),
        }

        impl Shape {
            /// To which multiple of octets a value is aligned.
            pub(crate) fn alignment(&self) -> usize {
                match self {
                    $(Self::$name => <$type as Ndr>::ALIGNMENT,)*
                    Self::Object(_) => 4,
                    Self::Struct(members) => {
                        members.iter().map(Self::alignment).max().unwrap_or(1)
                    }
                    Self::Fixed(element, _) | Self::Array(element) | Self::Varying(element) => {
                        element.alignment()
                    }
                    Self::WideString | Self::Unique(_) | Self::Sequence(_) => 4,
                }
            }
        }

        impl Value {
            /// What travels for a result of a call that failed.
            pub(crate) fn nothing(shape: &Shape) -> Self {
                match shape {
                    $(Shape::$name => Self::$name(Default::default()),)*
                    Shape::Object(_) => Self::Interface(Unique::NULL),
                    Shape::Struct(members) => {
                        Self::Parts(shape.alignment(), members.iter().map(Self::nothing).collect())
                    }
                    Shape::Fixed(element, count) => {
                        let part = Self::nothing(element);
                        Self::Parts(shape.alignment(), vec![part; *count as usize])
                    }
                    Shape::Sequence(element) => {
                        let parts = Shape::members_of_sequence(element);
                        Self::Parts(shape.alignment(), parts.iter().map(Self::nothing).collect())
                    }
                    Shape::Unique(_) => Self::Pointer(Pointer::Null),
                    Shape::WideString => Self::WideString("".into()),
                    Shape::Array(element) | Shape::Varying(element) => Self::Elements(Elements {
                        alignment: element.alignment(),
                        varying: matches!(shape, Shape::Varying(_)),
                        room: 0,
                        first: 0,
                        values: Vec::new(),
                    }),
                }
            }

            fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
                match self {
                    $(Self::$name(value) => Ndr::encode(value, out),)*
                    Self::Parts(alignment, parts) => {
                        out.align(*alignment);
                        parts.iter().try_for_each(|part| part.encode(out))
                    }
                    Self::Pointer(Pointer::To(_)) => {
                        out.referent();
                        Ok(())
                    }
                    Self::Pointer(_) => Ndr::encode(&0u32, out),
                    // They stand alone or behind a pointer: see `write`.
                    Self::WideString(_) | Self::Elements(_) => Ok(()),
                }
            }

            fn encode_referents(&self, out: &mut Encoder) -> Result<(), NdrError> {
                match self {
                    $(Self::$name(value) => Ndr::encode_referents(value, out),)*
                    Self::Parts(_, parts) => {
                        parts.iter().try_for_each(|part| part.encode_referents(out))
                    }
                    Self::Pointer(Pointer::To(value)) => value.write(out),
                    Self::Pointer(_) | Self::WideString(_) | Self::Elements(_) => Ok(()),
                }
            }

            fn decode(shape: &Shape, input: &mut Decoder<'_>) -> Result<Self, NdrError> {
                Ok(match shape {
                    $(Shape::$name => Self::$name(Ndr::decode(input)?),)*
                    Shape::Object(_) => Self::Interface(Ndr::decode(input)?),
                    Shape::Struct(members) => Self::parts(shape, members.iter(), input)?,
                    Shape::Fixed(element, count) => {
                        let elements = std::iter::repeat_n(&**element, *count as usize);
                        Self::parts(shape, elements, input)?
                    }
                    Shape::Sequence(element) => {
                        Self::parts(shape, Shape::members_of_sequence(element).iter(), input)?
                    }
                    Shape::Unique(inner) => Self::Pointer(match u32::decode(input)? {
                        0 => Pointer::Null,
                        _ => Pointer::Later((**inner).clone()),
                    }),
                    Shape::WideString | Shape::Array(_) | Shape::Varying(_) => {
                        Self::read(shape, input)?
                    }
                })
            }

            fn decode_referents(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
                match self {
                    $(Self::$name(value) => Ndr::decode_referents(value, input),)*
                    Self::Parts(_, parts) => {
                        parts.iter_mut().try_for_each(|part| part.decode_referents(input))
                    }
                    Self::Pointer(pointer) => {
                        if let Pointer::Later(shape) = pointer {
                            let value = input.nested(|input| Self::read(shape, input))?;
                            *pointer = Pointer::To(Box::new(value));
                        }
                        Ok(())
                    }
                    Self::WideString(_) | Self::Elements(_) => Ok(()),
                }
            }
        }
    };
}

values! {
    I1: i8,
    U1: u8,
    I2: i16,
    U2: u16,
    I4: i32,
    U4: u32,
    I8: i64,
    U8: u64,
    R4: f32,
    R8: f64,
    VariantBool: VariantBool,
    Date: Date,
    Currency: Currency,
    Decimal: Decimal,
    Guid: Uuid,
    Bstr: Bstr,
    Variant: VariantPointer,
    SafeArray: SafeArrayPointer,
    Interface: Unique<InterfacePointer>,
}

impl Value {
    /// A pointer to a value.
    pub(crate) fn pointer(value: Self) -> Self {
        Self::Pointer(Pointer::To(Box::new(value)))
    }

    /// The number that it is or leads to.
    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Self::I1(value) => Some((*value).into()),
            Self::U1(value) => Some((*value).into()),
            Self::I2(value) => Some((*value).into()),
            Self::U2(value) => Some((*value).into()),
            Self::I4(value) => Some((*value).into()),
            Self::U4(value) => Some((*value).into()),
            Self::I8(value) => Some(*value),
            Self::U8(value) => i64::try_from(*value).ok(),
            Self::Pointer(Pointer::To(value)) => value.number(),
            _ => None,
        }
    }

    /// The array that it is or leads to.
    pub(crate) fn as_elements_mut(&mut self) -> Option<&mut Elements> {
        match self {
            Self::Elements(elements) => Some(elements),
            Self::Pointer(Pointer::To(value)) => value.as_elements_mut(),
            _ => None,
        }
    }

    /// The array that it is or leads to.
    pub(crate) fn as_elements(&self) -> Option<&Elements> {
        match self {
            Self::Elements(elements) => Some(elements),
            Self::Pointer(Pointer::To(value)) => value.as_elements(),
            _ => None,
        }
    }

    fn parts<'s>(
        shape: &Shape,
        members: impl Iterator<Item = &'s Shape>,
        input: &mut Decoder<'_>,
    ) -> Result<Self, NdrError> {
        let alignment = shape.alignment();
        input.align(alignment)?;
        let parts: Result<_, _> = members.map(|member| Self::decode(member, input)).collect();
        parts.map(|parts| Self::Parts(alignment, parts))
    }

    /// Writes the whole value: a parameter, or what a pointer leads to.
    pub(crate) fn write(&self, out: &mut Encoder) -> Result<(), NdrError> {
        match self {
            Self::WideString(text) => text.write(out),
            Self::Elements(Elements { alignment, varying, room, first, values }) => {
                let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
                match varying {
                    true => {
                        (*room).max(first.saturating_add(count)).encode(out)?;
                        first.encode(out)?;
                        count.encode(out)?;
                    }
                    false => count.encode(out)?,
                }
                out.align(*alignment);
                values.iter().try_for_each(|value| value.encode(out))?;
                values.iter().try_for_each(|value| value.encode_referents(out))
            }
            _ => {
                self.encode(out)?;
                self.encode_referents(out)
            }
        }
    }

    /// Reads the whole value.
    pub(crate) fn read(shape: &Shape, input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        match shape {
            Shape::WideString => WideString::read(input).map(Self::WideString),
            Shape::Array(element) => {
                let count = u32::decode(input)?;
                Self::elements(element, count, None, input)
            }
            Shape::Varying(element) => {
                let (room, first) = (u32::decode(input)?, u32::decode(input)?);
                let count = u32::decode(input)?;
                Self::elements(element, count, Some((room, first)), input)
            }
            _ => {
                let mut value = Self::decode(shape, input)?;
                value.decode_referents(input)?;
                Ok(value)
            }
        }
    }

    fn elements(
        element: &Shape,
        count: u32,
        varying: Option<(u32, u32)>,
        input: &mut Decoder<'_>,
    ) -> Result<Self, NdrError> {
        let alignment = element.alignment();
        input.align(alignment)?;
        let count = input.check_count(count)?;
        let mut values = Vec::with_capacity(count.min(FIRST));
        for _ in 0..count {
            values.push(Self::decode(element, input)?);
        }
        values.iter_mut().try_for_each(|value| value.decode_referents(input))?;
        let (varying, (room, first)) = (varying.is_some(), varying.unwrap_or_default());
        Ok(Self::Elements(Elements { alignment, varying, room, first, values }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_dcerpc::ByteOrder;
    use armilla_dcerpc::ndr::{Conformant, ConformantVarying, to_stub};
    use std::sync::Arc;

    armilla_dcerpc::ndr_struct! {
        struct Reading {
            handle: u16,
            name: Unique<WideString>,
            level: f64,
        }
        struct Table {
            maximum: u32,
            used: u32,
            rows: Unique<ConformantVarying<Reading>>,
        }
    }

    fn reading() -> Shape {
        let name = Shape::Unique(Arc::new(Shape::WideString));
        Shape::Struct([Shape::U2, name, Shape::R8].into())
    }

    fn rows() -> Vec<Reading> {
        let row = |handle, name: &str| Reading {
            handle,
            name: Unique::new(WideString::from(name)),
            level: 0.5,
        };
        vec![row(1, "one"), Reading { name: Unique::NULL, ..row(2, "") }, row(3, "größer")]
    }

    /// The octets of a table are read and written again alike, in both byte orders.
    fn alike<T: Ndr>(table: &T, shape: &Shape) {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let stub = to_stub(table, order).unwrap();
            let value = Value::read(shape, &mut Decoder::new(&stub, order)).unwrap();
            let mut out = Encoder::new(order);
            value.write(&mut out).unwrap();
            assert_eq!(out.into_octets(), stub, "{shape:?}");
        }
    }

    #[test]
    fn octets_are_those_of_tables() {
        let reading = Arc::new(reading());
        alike(&rows()[2], &reading);
        alike(&Conformant(rows()), &Shape::Array(reading.clone()));
        alike(&Conformant::<Reading>(vec![]), &Shape::Array(reading.clone()));
        let array = Shape::Unique(Arc::new(Shape::Varying(reading.clone())));
        alike(&Unique::new(ConformantVarying::from(rows())), &array);
        alike(&Unique::<ConformantVarying<Reading>>::NULL, &array);
        let rows = Unique::new(ConformantVarying::from(rows()));
        alike(&Table { maximum: 3, used: 3, rows }, &Shape::Sequence(reading));
        alike(&WideString::from("größer"), &Shape::WideString);
        alike(&[1u16, 2, 3], &Shape::Fixed(Arc::new(Shape::U2), 3));
    }

    /// Octets of strangers are read or refused, and what was read is written again.
    #[test]
    fn whatever_the_octets_are_nothing_breaks() {
        let reading = Arc::new(reading());
        let nested = Shape::Struct([Shape::Sequence(reading.clone()), Shape::Bstr].into());
        let shapes = [
            Shape::Array(Arc::new(nested)),
            Shape::Sequence(Arc::new(Shape::Sequence(reading.clone()))),
            Shape::Fixed(Arc::new(Shape::Varying(reading).unique()), 3),
            Shape::Struct([Shape::Variant, Shape::SafeArray, Shape::Interface].into()),
        ];
        let mut state = 7u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u8
        };
        let mut all = 0;
        for _ in 0..20_000 {
            // Small numbers are counts that the octets may hold.
            let small = |octet: u8| if octet < 200 { octet % 4 } else { octet };
            let stub: Vec<u8> = (0..random()).map(|_| small(random())).collect();
            for shape in &shapes {
                let read = Value::read(shape, &mut Decoder::new(&stub, ByteOrder::Little));
                if let Ok(value) = read {
                    value.write(&mut Encoder::new(ByteOrder::Big)).unwrap();
                    all += 1;
                }
            }
        }
        assert!(all > 50, "{all}");
    }

    #[test]
    fn counts_that_the_octets_cannot_hold_are_refused() {
        let shape = Shape::Array(Arc::new(Shape::Array(Arc::new(Shape::U8))));
        let stub = [0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0];
        assert!(Value::read(&shape, &mut Decoder::new(&stub, ByteOrder::Little)).is_err());
        let mut deep = Shape::U1;
        for _ in 0..100 {
            deep = Shape::Unique(Arc::new(deep));
        }
        let stub = vec![1; 1_000];
        assert!(Value::read(&deep, &mut Decoder::new(&stub, ByteOrder::Little)).is_err());
    }
}
