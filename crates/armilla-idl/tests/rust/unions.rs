// Made from unions.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// IDL module `Choice`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod choice {
    use ::armilla::rt;

    /// IDL `Choice::Colour`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[repr(u32)]
    pub enum Colour {
        /// IDL `RED`.
        #[default]
        Red,
        /// IDL `GREEN`.
        Green,
        /// IDL `BLUE`.
        Blue,
    }

    impl Colour {
        /// The enumerator with the number `value`, the first being 0.
        ///
        /// # Errors
        /// When there are not so many enumerators.
        pub fn from_discriminant(value: u32) -> rt::CdrResult<Self> {
            match value {
                0 => Ok(Self::Red),
                1 => Ok(Self::Green),
                2 => Ok(Self::Blue),
                _ => Err(rt::CdrError::invalid_enum("Choice::Colour", value)),
            }
        }
    }

    impl rt::Encode for Colour {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_u32(*self as u32);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Colour {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Self::from_discriminant(input.u32()?)
        }
    }

    impl rt::Typed for Colour {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::enumeration(
                    "IDL:Choice/Colour:1.0",
                    "Colour",
                    ["RED", "GREEN", "BLUE"],
                )
            });
            CODE.clone()
        }
    }

    /// A number or a text.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum Value {
        /// IDL `number`, selected by `1`.
        Number(i32),
        /// Selected twice.
        Text {
            /// The discriminator, one of those that select this member.
            discriminator: i32,
            /// The member.
            value: String,
        },
        /// A discriminator that selects no member.
        Unlisted {
            /// The discriminator.
            discriminator: i32,
        },
    }

    impl Value {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> i32 {
            match self {
                Self::Number(_) => 1,
                Self::Text { discriminator, .. } | Self::Unlisted { discriminator } => {
                    *discriminator
                }
            }
        }
    }

    impl rt::Encode for Value {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Number(value) => {
                    out.put_i32(1);
                    out.put_i32(*value);
                    Ok(())
                }
                Self::Text { discriminator: discriminator @ (2 | -3), value } => {
                    out.put_i32(*discriminator);
                    out.borrow_string(value)
                }
                Self::Text { .. } => {
                    Err(rt::CdrError::invalid_discriminator("Choice::Value"))
                }
                Self::Unlisted { discriminator: 1 | 2 | -3, .. } => {
                    Err(rt::CdrError::invalid_discriminator("Choice::Value"))
                }
                Self::Unlisted { discriminator } => {
                    out.put_i32(*discriminator);
                    Ok(())
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Value {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.i32()?;
            Ok(
                match discriminator {
                    1 => Self::Number(input.i32()?),
                    2 | -3 => {
                        Self::Text {
                            discriminator,
                            value: input.string().map(Into::into)?,
                        }
                    }
                    _ => Self::Unlisted { discriminator },
                },
            )
        }
    }

    impl rt::Typed for Value {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Choice/Value:1.0",
                    "Value",
                    rt::TypeCode::Long,
                    None,
                    [
                        (1, "number", rt::TypeCode::Long),
                        (2, "text", rt::TypeCode::String(0)),
                        (-3, "text", rt::TypeCode::String(0)),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Choice::Complete`.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Complete {
        /// IDL `yes`, selected by `true`.
        Yes(f64),
        /// IDL `no`, selected by `false`.
        No(String),
    }

    impl Complete {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> bool {
            match self {
                Self::Yes(_) => true,
                Self::No(_) => false,
            }
        }
    }

    impl rt::Encode for Complete {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Yes(value) => {
                    out.put_bool(true);
                    out.put_f64(*value);
                    Ok(())
                }
                Self::No(value) => {
                    out.put_bool(false);
                    out.put_bounded_string(value, 4)
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Complete {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.bool()?;
            Ok(
                match discriminator {
                    true => Self::Yes(input.f64()?),
                    false => Self::No(input.bounded_string(4).map(Into::into)?),
                },
            )
        }
    }

    impl rt::Typed for Complete {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Choice/Complete:1.0",
                    "Complete",
                    rt::TypeCode::Boolean,
                    None,
                    [
                        (1, "yes", rt::TypeCode::Double),
                        (0, "no", rt::TypeCode::String(4)),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Choice::Tinted`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum Tinted {
        /// IDL `parts`, selected by `Colour::Red`.
        Parts(Vec<Value>),
        /// IDL `shade`, selected by all other discriminators.
        Shade {
            /// The discriminator, one of those that select this member.
            discriminator: Colour,
            /// The member.
            value: i16,
        },
    }

    impl Tinted {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> Colour {
            match self {
                Self::Parts(_) => Colour::Red,
                Self::Shade { discriminator, .. } => *discriminator,
            }
        }
    }

    impl rt::Encode for Tinted {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Parts(value) => {
                    out.put_u32(Colour::Red as u32);
                    out.put_sequence(value)
                }
                Self::Shade { discriminator: Colour::Red, .. } => {
                    Err(rt::CdrError::invalid_discriminator("Choice::Tinted"))
                }
                Self::Shade { discriminator, value } => {
                    out.put_u32(*discriminator as u32);
                    out.put_i16(*value);
                    Ok(())
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Tinted {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator: Colour = rt::Decode::decode(input)?;
            Ok(
                match discriminator {
                    Colour::Red => Self::Parts(input.sequence()?),
                    _ => {
                        Self::Shade {
                            discriminator,
                            value: input.i16()?,
                        }
                    }
                },
            )
        }
    }

    impl rt::Typed for Tinted {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Choice/Tinted:1.0",
                    "Tinted",
                    <Colour as rt::Typed>::type_code(),
                    Some(1),
                    [
                        (
                            0,
                            "parts",
                            rt::TypeCode::sequence(<Value as rt::Typed>::type_code(), 0),
                        ),
                        (0, "shade", rt::TypeCode::Short),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Choice::Mixed`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum Mixed {
        /// IDL `other`, selected by `b'a'` and all other discriminators.
        Other {
            /// The discriminator, one of those that select this member.
            discriminator: u8,
            /// The member.
            value: u8,
        },
        /// IDL `chosen`, selected by `b'b'`.
        Chosen(i32),
    }

    impl Mixed {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> u8 {
            match self {
                Self::Chosen(_) => b'b',
                Self::Other { discriminator, .. } => *discriminator,
            }
        }
    }

    impl rt::Encode for Mixed {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Other { discriminator: b'b', .. } => {
                    Err(rt::CdrError::invalid_discriminator("Choice::Mixed"))
                }
                Self::Other { discriminator, value } => {
                    out.put_u8(*discriminator);
                    out.put_u8(*value);
                    Ok(())
                }
                Self::Chosen(value) => {
                    out.put_u8(b'b');
                    out.put_i32(*value);
                    Ok(())
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Mixed {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.u8()?;
            Ok(
                match discriminator {
                    b'b' => Self::Chosen(input.i32()?),
                    _ => {
                        Self::Other {
                            discriminator,
                            value: input.u8()?,
                        }
                    }
                },
            )
        }
    }

    impl rt::Typed for Mixed {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Choice/Mixed:1.0",
                    "Mixed",
                    rt::TypeCode::Char,
                    Some(1),
                    [
                        (97, "other", rt::TypeCode::Octet),
                        (0, "other", rt::TypeCode::Octet),
                        (98, "chosen", rt::TypeCode::Long),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Choice::AllOfThem`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum AllOfThem {
        /// IDL `value`, selected by `Colour::Red`, `Colour::Green`, `Colour::Blue`.
        Value {
            /// The discriminator, one of those that select this member.
            discriminator: Colour,
            /// The member.
            value: i32,
        },
    }

    impl AllOfThem {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> Colour {
            match self {
                Self::Value { discriminator, .. } => *discriminator,
            }
        }
    }

    impl rt::Encode for AllOfThem {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Value { discriminator, value } => {
                    out.put_u32(*discriminator as u32);
                    out.put_i32(*value);
                    Ok(())
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for AllOfThem {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator: Colour = rt::Decode::decode(input)?;
            Ok(
                match discriminator {
                    Colour::Red | Colour::Green | Colour::Blue => {
                        Self::Value {
                            discriminator,
                            value: input.i32()?,
                        }
                    }
                },
            )
        }
    }

    impl rt::Typed for AllOfThem {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Choice/AllOfThem:1.0",
                    "AllOfThem",
                    <Colour as rt::Typed>::type_code(),
                    None,
                    [
                        (0, "value", rt::TypeCode::Long),
                        (1, "value", rt::TypeCode::Long),
                        (2, "value", rt::TypeCode::Long),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Choice::Ranges`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum Ranges {
        /// IDL `some`, selected by `3`, `1`, `2`, `9`.
        Some {
            /// The discriminator, one of those that select this member.
            discriminator: i64,
            /// The member.
            value: i32,
        },
        /// IDL `below`, selected by `-1`, `-2`, `-3`.
        Below {
            /// The discriminator, one of those that select this member.
            discriminator: i64,
            /// The member.
            value: i16,
        },
        /// IDL `one`, selected by `5`.
        One(u8),
        /// A discriminator that selects no member.
        Unlisted {
            /// The discriminator.
            discriminator: i64,
        },
    }

    impl Ranges {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> i64 {
            match self {
                Self::One(_) => 5,
                Self::Some { discriminator, .. }
                | Self::Below { discriminator, .. }
                | Self::Unlisted { discriminator } => *discriminator,
            }
        }
    }

    impl rt::Encode for Ranges {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Some { discriminator: discriminator @ (1..=3 | 9), value } => {
                    out.put_i64(*discriminator);
                    out.put_i32(*value);
                    Ok(())
                }
                Self::Some { .. } => {
                    Err(rt::CdrError::invalid_discriminator("Choice::Ranges"))
                }
                Self::Below { discriminator: discriminator @ (-3..=-1), value } => {
                    out.put_i64(*discriminator);
                    out.put_i16(*value);
                    Ok(())
                }
                Self::Below { .. } => {
                    Err(rt::CdrError::invalid_discriminator("Choice::Ranges"))
                }
                Self::One(value) => {
                    out.put_i64(5);
                    out.put_u8(*value);
                    Ok(())
                }
                Self::Unlisted { discriminator: -3..=-1 | 1..=3 | 5 | 9, .. } => {
                    Err(rt::CdrError::invalid_discriminator("Choice::Ranges"))
                }
                Self::Unlisted { discriminator } => {
                    out.put_i64(*discriminator);
                    Ok(())
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Ranges {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.i64()?;
            Ok(
                match discriminator {
                    1..=3 | 9 => {
                        Self::Some {
                            discriminator,
                            value: input.i32()?,
                        }
                    }
                    -3..=-1 => {
                        Self::Below {
                            discriminator,
                            value: input.i16()?,
                        }
                    }
                    5 => Self::One(input.u8()?),
                    _ => Self::Unlisted { discriminator },
                },
            )
        }
    }

    impl rt::Typed for Ranges {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Choice/Ranges:1.0",
                    "Ranges",
                    rt::TypeCode::LongLong,
                    None,
                    [
                        (3, "some", rt::TypeCode::Long),
                        (1, "some", rt::TypeCode::Long),
                        (2, "some", rt::TypeCode::Long),
                        (9, "some", rt::TypeCode::Long),
                        (-1, "below", rt::TypeCode::Short),
                        (-2, "below", rt::TypeCode::Short),
                        (-3, "below", rt::TypeCode::Short),
                        (5, "one", rt::TypeCode::Octet),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Choice::Letters`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum Letters {
        /// IDL `first`, selected by `b'a'`, `b'b'`, `b'c'`.
        First {
            /// The discriminator, one of those that select this member.
            discriminator: u8,
            /// The member.
            value: i32,
        },
        /// IDL `others`, selected by all other discriminators.
        Others {
            /// The discriminator, one of those that select this member.
            discriminator: u8,
            /// The member.
            value: i16,
        },
    }

    impl Letters {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> u8 {
            match self {
                Self::First { discriminator, .. }
                | Self::Others { discriminator, .. } => *discriminator,
            }
        }
    }

    impl rt::Encode for Letters {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::First { discriminator: discriminator @ (b'a'..=b'c'), value } => {
                    out.put_u8(*discriminator);
                    out.put_i32(*value);
                    Ok(())
                }
                Self::First { .. } => {
                    Err(rt::CdrError::invalid_discriminator("Choice::Letters"))
                }
                Self::Others { discriminator: b'a'..=b'c', .. } => {
                    Err(rt::CdrError::invalid_discriminator("Choice::Letters"))
                }
                Self::Others { discriminator, value } => {
                    out.put_u8(*discriminator);
                    out.put_i16(*value);
                    Ok(())
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Letters {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.u8()?;
            Ok(
                match discriminator {
                    b'a'..=b'c' => {
                        Self::First {
                            discriminator,
                            value: input.i32()?,
                        }
                    }
                    _ => {
                        Self::Others {
                            discriminator,
                            value: input.i16()?,
                        }
                    }
                },
            )
        }
    }

    impl rt::Typed for Letters {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Choice/Letters:1.0",
                    "Letters",
                    rt::TypeCode::Char,
                    Some(3),
                    [
                        (97, "first", rt::TypeCode::Long),
                        (98, "first", rt::TypeCode::Long),
                        (99, "first", rt::TypeCode::Long),
                        (0, "others", rt::TypeCode::Short),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Choice::Nested`.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Nested {
        /// IDL `place`, selected by `0`.
        Place(nested::Point),
        /// IDL `names`, selected by `1`.
        Names([String; 2]),
        /// A discriminator that selects no member.
        Unlisted {
            /// The discriminator.
            discriminator: i16,
        },
    }

    impl Nested {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> i16 {
            match self {
                Self::Place(_) => 0,
                Self::Names(_) => 1,
                Self::Unlisted { discriminator } => *discriminator,
            }
        }
    }

    impl rt::Encode for Nested {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Place(value) => {
                    out.put_i16(0);
                    rt::Encode::encode(value, out)
                }
                Self::Names(value) => {
                    out.put_i16(1);
                    for item in value {
                        out.put_bounded_string(item, 3)?;
                    }
                    Ok(())
                }
                Self::Unlisted { discriminator: 0 | 1, .. } => {
                    Err(rt::CdrError::invalid_discriminator("Choice::Nested"))
                }
                Self::Unlisted { discriminator } => {
                    out.put_i16(*discriminator);
                    Ok(())
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Nested {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.i16()?;
            Ok(
                match discriminator {
                    0 => Self::Place(rt::Decode::decode(input)?),
                    1 => {
                        Self::Names(
                            input
                                .array_with(|input| {
                                    input.bounded_string(3).map(Into::into)
                                })?,
                        )
                    }
                    _ => Self::Unlisted { discriminator },
                },
            )
        }
    }

    impl rt::Typed for Nested {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Choice/Nested:1.0",
                    "Nested",
                    rt::TypeCode::Short,
                    None,
                    [
                        (0, "place", <nested::Point as rt::Typed>::type_code()),
                        (1, "names", rt::TypeCode::array(rt::TypeCode::String(3), 2)),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// What belongs to [`Nested`].
    pub mod nested {
        use ::armilla::rt;

        /// IDL `Choice::Nested::Point`.
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        pub struct Point {
            /// IDL `x`.
            pub x: f64,
            /// IDL `y`.
            pub y: f64,
        }

        impl rt::Encode for Point {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                out.put_f64(self.x);
                out.put_f64(self.y);
                Ok(())
            }

            fn encode_slice<'p>(
                items: &'p [Self],
                out: &mut rt::Encoder<'p>,
            ) -> rt::CdrResult {
                out.put_fixed(items)
            }
        }

        impl<'a> rt::Decode<'a> for Point {
            fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self {
                    x: input.f64()?,
                    y: input.f64()?,
                })
            }

            fn decode_vec(
                input: &mut rt::Decoder<'a>,
                len: usize,
            ) -> rt::CdrResult<Vec<Self>> {
                input.fixed_vec(len)
            }
        }

        impl rt::Fixed for Point {
            const ALIGN: usize = 8;
            const PHASE: usize = 0;
            type Chunk = [u8; 16];

            #[inline(always)]
            fn write<O: rt::Order>(&self, chunk: &mut [u8; 16]) {
                O::put_f64(chunk, 0..8, self.x);
                O::put_f64(chunk, 8..16, self.y);
            }

            #[inline(always)]
            fn read<O: rt::Order>(chunk: &[u8; 16]) -> rt::CdrResult<Self> {
                Ok(Self {
                    x: O::f64(chunk, 0),
                    y: O::f64(chunk, 8),
                })
            }
        }

        impl rt::Typed for Point {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::structure(
                        "IDL:Choice/Nested/Point:1.0",
                        "Point",
                        [("x", rt::TypeCode::Double), ("y", rt::TypeCode::Double)],
                    )
                });
                CODE.clone()
            }
        }
    }

    /// IDL `Choice::Values`.
    pub type Values = Vec<Value>;

    /// The TypeCode of IDL `Choice::Values`.
    pub fn values_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Choice/Values:1.0",
                "Values",
                rt::TypeCode::sequence(<Value as rt::Typed>::type_code(), 4),
            )
        });
        CODE.clone()
    }

    /// IDL `Choice::Holder`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub struct Holder {
        /// IDL `several`.
        pub several: Values,
        /// IDL `coloured`.
        pub coloured: Tinted,
    }

    impl rt::Encode for Holder {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_bounded_sequence(&self.several, 4)?;
            rt::Encode::encode(&self.coloured, out)
        }
    }

    impl<'a> rt::Decode<'a> for Holder {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                several: input.bounded_sequence(4)?,
                coloured: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Holder {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Choice/Holder:1.0",
                    "Holder",
                    [
                        (
                            "several",
                            rt::TypeCode::alias(
                                "IDL:Choice/Values:1.0",
                                "Values",
                                rt::TypeCode::sequence(<Value as rt::Typed>::type_code(), 4),
                            ),
                        ),
                        ("coloured", <Tinted as rt::Typed>::type_code()),
                    ],
                )
            });
            CODE.clone()
        }
    }
}
