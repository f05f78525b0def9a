// Made from lints.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// What clippy would say something about, were it not allowed where it stands.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod outer {
    use ::armilla::rt;

    /// IDL module `Outer::outer_`.
    #[allow(clippy::module_inception)]
    pub mod outer {
        use ::armilla::rt;

        /// IDL `Outer::outer_::Deep`.
        pub type Deep = Vec<Vec<Vec<Vec<Vec<Vec<Vec<i32>>>>>>>;

        /// The TypeCode of IDL `Outer::outer_::Deep`.
        pub fn deep_type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::alias(
                    "IDL:Outer/outer_/Deep:1.0",
                    "Deep",
                    rt::TypeCode::sequence(
                        rt::TypeCode::sequence(
                            rt::TypeCode::sequence(
                                rt::TypeCode::sequence(
                                    rt::TypeCode::sequence(
                                        rt::TypeCode::sequence(
                                            rt::TypeCode::sequence(rt::TypeCode::Long, 0),
                                            0,
                                        ),
                                        0,
                                    ),
                                    0,
                                ),
                                0,
                            ),
                            0,
                        ),
                        0,
                    ),
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Outer::Shade`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[repr(u32)]
    #[allow(clippy::enum_variant_names)]
    pub enum Shade {
        /// IDL `SHADE_LIGHT`.
        #[default]
        ShadeLight,
        /// IDL `SHADE_DARK`.
        ShadeDark,
        /// IDL `SHADE_NONE`.
        ShadeNone,
    }

    impl Shade {
        /// The enumerator with the number `value`, the first being 0.
        ///
        /// # Errors
        /// When there are not so many enumerators.
        pub fn from_discriminant(value: u32) -> rt::CdrResult<Self> {
            match value {
                0 => Ok(Self::ShadeLight),
                1 => Ok(Self::ShadeDark),
                2 => Ok(Self::ShadeNone),
                _ => Err(rt::CdrError::invalid_enum("Outer::Shade", value)),
            }
        }
    }

    impl rt::Encode for Shade {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_u32(*self as u32);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Shade {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Self::from_discriminant(input.u32()?)
        }
    }

    impl rt::Typed for Shade {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::enumeration(
                    "IDL:Outer/Shade:1.0",
                    "Shade",
                    ["SHADE_LIGHT", "SHADE_DARK", "SHADE_NONE"],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Outer::Field`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Field {
        /// IDL `deep`.
        #[allow(clippy::type_complexity)]
        pub deep: Vec<Vec<Vec<Vec<Vec<Vec<Vec<i32>>>>>>>,
        /// IDL `wide`.
        pub wide: [i64; 30],
    }

    impl rt::Encode for Field {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_sequence(&self.deep)?;
            rt::Encode::encode(&self.wide, out)
        }
    }

    impl<'a> rt::Decode<'a> for Field {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                deep: input.sequence()?,
                wide: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Field {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Outer/Field:1.0",
                    "Field",
                    [
                        (
                            "deep",
                            rt::TypeCode::sequence(
                                rt::TypeCode::sequence(
                                    rt::TypeCode::sequence(
                                        rt::TypeCode::sequence(
                                            rt::TypeCode::sequence(
                                                rt::TypeCode::sequence(
                                                    rt::TypeCode::sequence(rt::TypeCode::Long, 0),
                                                    0,
                                                ),
                                                0,
                                            ),
                                            0,
                                        ),
                                        0,
                                    ),
                                    0,
                                ),
                                0,
                            ),
                        ),
                        ("wide", rt::TypeCode::array(rt::TypeCode::LongLong, 30)),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Outer::Large`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Large {
        /// IDL `a`.
        pub a: String,
        /// IDL `b`.
        pub b: String,
        /// IDL `c`.
        pub c: String,
        /// IDL `d`.
        pub d: String,
        /// IDL `e`.
        pub e: String,
        /// IDL `f`.
        pub f: String,
    }

    impl ::std::fmt::Display for Large {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            write!(
                f, "Outer::Large (a: {:?}, b: {:?}, c: {:?}, d: {:?}, e: {:?}, f: {:?})",
                self.a, self.b, self.c, self.d, self.e, self.f
            )
        }
    }

    impl ::std::error::Error for Large {}

    impl rt::UserException for Large {
        const REPOSITORY_ID: &'static str = "IDL:Outer/Large:1.0";
    }

    impl rt::Encode for Large {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.borrow_string(&self.a)?;
            out.borrow_string(&self.b)?;
            out.borrow_string(&self.c)?;
            out.borrow_string(&self.d)?;
            out.borrow_string(&self.e)?;
            out.borrow_string(&self.f)
        }
    }

    impl<'a> rt::Decode<'a> for Large {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                a: input.string().map(Into::into)?,
                b: input.string().map(Into::into)?,
                c: input.string().map(Into::into)?,
                d: input.string().map(Into::into)?,
                e: input.string().map(Into::into)?,
                f: input.string().map(Into::into)?,
            })
        }
    }

    impl rt::Typed for Large {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::exception(
                    "IDL:Outer/Large:1.0",
                    "Large",
                    [
                        ("a", rt::TypeCode::String(0)),
                        ("b", rt::TypeCode::String(0)),
                        ("c", rt::TypeCode::String(0)),
                        ("d", rt::TypeCode::String(0)),
                        ("e", rt::TypeCode::String(0)),
                        ("f", rt::TypeCode::String(0)),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Outer::NotFound`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct NotFound;

    impl ::std::fmt::Display for NotFound {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.write_str("Outer::NotFound")
        }
    }

    impl ::std::error::Error for NotFound {}

    impl rt::UserException for NotFound {
        const REPOSITORY_ID: &'static str = "IDL:Outer/NotFound:1.0";
    }

    impl rt::Encode for NotFound {
        fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for NotFound {
        fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self)
        }
    }

    impl rt::Typed for NotFound {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::exception::<&str>("IDL:Outer/NotFound:1.0", "NotFound", [])
            });
            CODE.clone()
        }
    }

    /// IDL `Outer::NotThere`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct NotThere;

    impl ::std::fmt::Display for NotThere {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.write_str("Outer::NotThere")
        }
    }

    impl ::std::error::Error for NotThere {}

    impl rt::UserException for NotThere {
        const REPOSITORY_ID: &'static str = "IDL:Outer/NotThere:1.0";
    }

    impl rt::Encode for NotThere {
        fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for NotThere {
        fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self)
        }
    }

    impl rt::Typed for NotThere {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::exception::<&str>("IDL:Outer/NotThere:1.0", "NotThere", [])
            });
            CODE.clone()
        }
    }

    /// IDL `Outer::NotAllowed`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct NotAllowed;

    impl ::std::fmt::Display for NotAllowed {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.write_str("Outer::NotAllowed")
        }
    }

    impl ::std::error::Error for NotAllowed {}

    impl rt::UserException for NotAllowed {
        const REPOSITORY_ID: &'static str = "IDL:Outer/NotAllowed:1.0";
    }

    impl rt::Encode for NotAllowed {
        fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for NotAllowed {
        fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self)
        }
    }

    impl rt::Typed for NotAllowed {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::exception::<
                    &str,
                >("IDL:Outer/NotAllowed:1.0", "NotAllowed", [])
            });
            CODE.clone()
        }
    }

    /// IDL `Outer::Uneven`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    #[allow(clippy::large_enum_variant)]
    pub enum Uneven {
        /// IDL `big`, selected by `0`.
        Big(Field),
        /// IDL `small`, selected by `1`.
        Small(u8),
        /// IDL `deep`, selected by `2`.
        Deep(#[allow(clippy::type_complexity)] Vec<Vec<Vec<Vec<Vec<Vec<Vec<i32>>>>>>>),
        /// A discriminator that selects no member.
        Unlisted {
            /// The discriminator.
            discriminator: i16,
        },
    }

    impl Uneven {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> i16 {
            match self {
                Self::Big(_) => 0,
                Self::Small(_) => 1,
                Self::Deep(_) => 2,
                Self::Unlisted { discriminator } => *discriminator,
            }
        }
    }

    impl rt::Encode for Uneven {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Big(value) => {
                    out.put_i16(0);
                    rt::Encode::encode(value, out)
                }
                Self::Small(value) => {
                    out.put_i16(1);
                    out.put_u8(*value);
                    Ok(())
                }
                Self::Deep(value) => {
                    out.put_i16(2);
                    out.put_sequence(value)
                }
                Self::Unlisted { discriminator: 0..=2, .. } => {
                    Err(rt::CdrError::invalid_discriminator("Outer::Uneven"))
                }
                Self::Unlisted { discriminator } => {
                    out.put_i16(*discriminator);
                    Ok(())
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Uneven {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.i16()?;
            Ok(
                match discriminator {
                    0 => Self::Big(rt::Decode::decode(input)?),
                    1 => Self::Small(input.u8()?),
                    2 => Self::Deep(input.sequence()?),
                    _ => Self::Unlisted { discriminator },
                },
            )
        }
    }

    impl rt::Typed for Uneven {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Outer/Uneven:1.0",
                    "Uneven",
                    rt::TypeCode::Short,
                    None,
                    [
                        (0, "big", <Field as rt::Typed>::type_code()),
                        (1, "small", rt::TypeCode::Octet),
                        (
                            2,
                            "deep",
                            rt::TypeCode::sequence(
                                rt::TypeCode::sequence(
                                    rt::TypeCode::sequence(
                                        rt::TypeCode::sequence(
                                            rt::TypeCode::sequence(
                                                rt::TypeCode::sequence(
                                                    rt::TypeCode::sequence(rt::TypeCode::Long, 0),
                                                    0,
                                                ),
                                                0,
                                            ),
                                            0,
                                        ),
                                        0,
                                    ),
                                    0,
                                ),
                                0,
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Outer::Shades`.
    pub type Shades = Vec<Shade>;

    /// The TypeCode of IDL `Outer::Shades`.
    pub fn shades_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Outer/Shades:1.0",
                "Shades",
                rt::TypeCode::sequence(<Shade as rt::Typed>::type_code(), 0),
            )
        });
        CODE.clone()
    }

    /// IDL `Outer::Palette`.
    pub type Palette = Vec<Shades>;

    /// The TypeCode of IDL `Outer::Palette`.
    pub fn palette_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Outer/Palette:1.0",
                "Palette",
                rt::TypeCode::sequence(
                    rt::TypeCode::alias(
                        "IDL:Outer/Shades:1.0",
                        "Shades",
                        rt::TypeCode::sequence(<Shade as rt::Typed>::type_code(), 0),
                    ),
                    0,
                ),
            )
        });
        CODE.clone()
    }

    /// IDL `Outer::Palettes`.
    pub type Palettes = Vec<Palette>;

    /// The TypeCode of IDL `Outer::Palettes`.
    pub fn palettes_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Outer/Palettes:1.0",
                "Palettes",
                rt::TypeCode::sequence(
                    rt::TypeCode::alias(
                        "IDL:Outer/Palette:1.0",
                        "Palette",
                        rt::TypeCode::sequence(
                            rt::TypeCode::alias(
                                "IDL:Outer/Shades:1.0",
                                "Shades",
                                rt::TypeCode::sequence(<Shade as rt::Typed>::type_code(), 0),
                            ),
                            0,
                        ),
                    ),
                    0,
                ),
            )
        });
        CODE.clone()
    }

    /// IDL interface `Outer::Critic`.
    pub trait Critic: Send + Sync + 'static {
        /// IDL operation `fail`.
        #[allow(clippy::result_large_err)]
        fn fail(&self) -> Result<(), rt::Error<critic::FailRaises>>;

        /// IDL operation `several`.
        #[allow(clippy::result_large_err)]
        fn several(
            &self,
        ) -> Result<(Shades, Shades, Shades, Shades), rt::Error<critic::SeveralRaises>>;

        /// IDL operation `len`.
        fn len(&self) -> Result<i32, rt::SystemException>;

        /// IDL operation `is_empty`.
        fn is_empty(&self) -> Result<bool, rt::SystemException>;

        /// IDL operation `to_peer`.
        fn to_peer(&self, value: &Field) -> Result<CriticRef, rt::SystemException>;

        /// IDL operation `is_good`.
        fn is_good(&self) -> Result<bool, rt::SystemException>;

        /// IDL operation `as_text`.
        fn as_text(&self) -> Result<(), rt::SystemException>;

        /// IDL operation `default`.
        fn default(&self, self_: i32) -> Result<(), rt::SystemException>;

        /// IDL operation `add`.
        fn add(&self, other: &CriticRef) -> Result<(), rt::SystemException>;

        /// IDL operation `drop`.
        fn drop(&self) -> Result<(), rt::SystemException>;

        /// IDL operation `into`.
        #[allow(clippy::wrong_self_convention)]
        fn into_(&self) -> Result<(), rt::SystemException>;

        /// IDL operation `try_into`.
        fn try_into_(&self) -> Result<(), rt::SystemException>;

        /// IDL operation `to_string`.
        fn to_string(&self) -> Result<(), rt::SystemException>;

        /// IDL operation `borrow`.
        fn borrow(&self) -> Result<(), rt::SystemException>;

        /// IDL operation `type_id`.
        fn type_id(&self) -> Result<(), rt::SystemException>;

        /// IDL operation `fmt`.
        fn fmt(&self) -> Result<(), rt::SystemException>;

        /// IDL operation `eq`.
        fn eq_(&self, other: &CriticRef) -> Result<(), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Critic`].
    pub type CriticRef = rt::Ref<dyn Critic>;

    impl<I: Critic + rt::Interface + ?Sized> Critic for rt::Ref<I> {
        #[allow(clippy::result_large_err)]
        fn fail(&self) -> Result<(), rt::Error<critic::FailRaises>> {
            if let Some(done) = self.directly(|servant| Critic::fail(servant)) {
                return done;
            }
            self.invoke_raises("fail", |_out| Ok(()), |_input| Ok(()))
        }

        #[allow(clippy::result_large_err)]
        fn several(
            &self,
        ) -> Result<(Shades, Shades, Shades, Shades), rt::Error<critic::SeveralRaises>> {
            if let Some(done) = self.directly(|servant| Critic::several(servant)) {
                return done;
            }
            self.invoke_raises(
                "several",
                |_out| Ok(()),
                |input| Ok((
                    input.sequence()?,
                    input.sequence()?,
                    input.sequence()?,
                    input.sequence()?,
                )),
            )
        }

        fn len(&self) -> Result<i32, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::len(servant)) {
                return done;
            }
            self.invoke("len", |_out| Ok(()), |input| input.i32())
        }

        fn is_empty(&self) -> Result<bool, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::is_empty(servant)) {
                return done;
            }
            self.invoke("is_empty", |_out| Ok(()), |input| input.bool())
        }

        #[allow(clippy::redundant_closure)]
        fn to_peer(&self, value: &Field) -> Result<CriticRef, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::to_peer(servant, value))
            {
                return done;
            }
            self.invoke(
                "to_peer",
                |out| rt::Encode::encode(value, out),
                |input| rt::Decode::decode(input),
            )
        }

        fn is_good(&self) -> Result<bool, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::is_good(servant)) {
                return done;
            }
            self.invoke("is_good", |_out| Ok(()), |input| input.bool())
        }

        fn as_text(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::as_text(servant)) {
                return done;
            }
            self.invoke("as_text", |_out| Ok(()), |_input| Ok(()))
        }

        fn default(&self, self_: i32) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::default(servant, self_))
            {
                return done;
            }
            self.invoke(
                "default",
                |out| {
                    out.put_i32(self_);
                    Ok(())
                },
                |_input| Ok(()),
            )
        }

        fn add(&self, other: &CriticRef) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::add(servant, other)) {
                return done;
            }
            self.invoke("add", |out| rt::Encode::encode(other, out), |_input| Ok(()))
        }

        fn drop(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::drop(servant)) {
                return done;
            }
            self.invoke("drop", |_out| Ok(()), |_input| Ok(()))
        }

        fn into_(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::into_(servant)) {
                return done;
            }
            self.invoke("into", |_out| Ok(()), |_input| Ok(()))
        }

        fn try_into_(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::try_into_(servant)) {
                return done;
            }
            self.invoke("try_into", |_out| Ok(()), |_input| Ok(()))
        }

        fn to_string(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::to_string(servant)) {
                return done;
            }
            self.invoke("to_string", |_out| Ok(()), |_input| Ok(()))
        }

        fn borrow(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::borrow(servant)) {
                return done;
            }
            self.invoke("borrow", |_out| Ok(()), |_input| Ok(()))
        }

        fn type_id(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::type_id(servant)) {
                return done;
            }
            self.invoke("type_id", |_out| Ok(()), |_input| Ok(()))
        }

        fn fmt(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::fmt(servant)) {
                return done;
            }
            self.invoke("fmt", |_out| Ok(()), |_input| Ok(()))
        }

        fn eq_(&self, other: &CriticRef) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Critic::eq_(servant, other)) {
                return done;
            }
            self.invoke("eq", |out| rt::Encode::encode(other, out), |_input| Ok(()))
        }
    }

    impl rt::Interface for dyn Critic {
        const REPOSITORY_ID: &'static str = "IDL:Outer/Critic:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &[
            "fail",
            "several",
            "len",
            "is_empty",
            "to_peer",
            "is_good",
            "as_text",
            "default",
            "add",
            "drop",
            "into",
            "try_into",
            "to_string",
            "borrow",
            "type_id",
            "fmt",
            "eq",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<17, 64> = rt::Operations::new(
                <dyn Critic as rt::Interface>::OPERATIONS,
            );
            match OPERATIONS.find(call.operation()) {
                Some(number) => rt::Interface::perform(self, number, call),
                None => call.unknown_operation(),
            }
        }

        #[inline]
        fn perform(
            &self,
            number: usize,
            call: &mut rt::ServerCall<'_>,
        ) -> rt::Dispatched {
            match number {
                0 => critic::skeleton::fail(self, call),
                1 => critic::skeleton::several(self, call),
                2 => critic::skeleton::len(self, call),
                3 => critic::skeleton::is_empty(self, call),
                4 => critic::skeleton::to_peer(self, call),
                5 => critic::skeleton::is_good(self, call),
                6 => critic::skeleton::as_text(self, call),
                7 => critic::skeleton::default(self, call),
                8 => critic::skeleton::add(self, call),
                9 => critic::skeleton::drop(self, call),
                10 => critic::skeleton::into_(self, call),
                11 => critic::skeleton::try_into_(self, call),
                12 => critic::skeleton::to_string(self, call),
                13 => critic::skeleton::borrow(self, call),
                14 => critic::skeleton::type_id(self, call),
                15 => critic::skeleton::fmt(self, call),
                16 => critic::skeleton::eq_(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Critic::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "fail" => {
                        rt::Signature::new()
                            .with_exception(<Large as rt::Typed>::type_code())
                            .with_exception(<NotFound as rt::Typed>::type_code())
                            .with_exception(<NotThere as rt::Typed>::type_code())
                            .with_exception(<NotAllowed as rt::Typed>::type_code())
                    }
                    "several" => {
                        rt::Signature::new()
                            .with_out(
                                "a",
                                rt::TypeCode::alias(
                                    "IDL:Outer/Shades:1.0",
                                    "Shades",
                                    rt::TypeCode::sequence(<Shade as rt::Typed>::type_code(), 0),
                                ),
                            )
                            .with_out(
                                "b",
                                rt::TypeCode::alias(
                                    "IDL:Outer/Shades:1.0",
                                    "Shades",
                                    rt::TypeCode::sequence(<Shade as rt::Typed>::type_code(), 0),
                                ),
                            )
                            .with_out(
                                "c",
                                rt::TypeCode::alias(
                                    "IDL:Outer/Shades:1.0",
                                    "Shades",
                                    rt::TypeCode::sequence(<Shade as rt::Typed>::type_code(), 0),
                                ),
                            )
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:Outer/Shades:1.0",
                                    "Shades",
                                    rt::TypeCode::sequence(<Shade as rt::Typed>::type_code(), 0),
                                ),
                            )
                            .with_exception(<Large as rt::Typed>::type_code())
                    }
                    "len" => rt::Signature::new().with_result(rt::TypeCode::Long),
                    "is_empty" => rt::Signature::new().with_result(rt::TypeCode::Boolean),
                    "to_peer" => {
                        rt::Signature::new()
                            .with_in("value", <Field as rt::Typed>::type_code())
                            .with_result(
                                rt::TypeCode::object_reference(
                                    "IDL:Outer/Critic:1.0",
                                    "Critic",
                                ),
                            )
                    }
                    "is_good" => rt::Signature::new().with_result(rt::TypeCode::Boolean),
                    "as_text" => rt::Signature::new(),
                    "default" => rt::Signature::new().with_in("self", rt::TypeCode::Long),
                    "add" => {
                        rt::Signature::new()
                            .with_in(
                                "other",
                                rt::TypeCode::object_reference(
                                    "IDL:Outer/Critic:1.0",
                                    "Critic",
                                ),
                            )
                    }
                    "drop" => rt::Signature::new(),
                    "into" => rt::Signature::new(),
                    "try_into" => rt::Signature::new(),
                    "to_string" => rt::Signature::new(),
                    "borrow" => rt::Signature::new(),
                    "type_id" => rt::Signature::new(),
                    "fmt" => rt::Signature::new(),
                    "eq" => {
                        rt::Signature::new()
                            .with_in(
                                "other",
                                rt::TypeCode::object_reference(
                                    "IDL:Outer/Critic:1.0",
                                    "Critic",
                                ),
                            )
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Critic>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Critic> for dyn Critic {}

    /// What belongs to the interface [`Critic`].
    pub mod critic {
        use ::armilla::rt;

        /// Ties the servant to the skeleton of [`Critic`](super::Critic), for an object adapter.
        pub fn tie(servant: impl super::Critic) -> ::std::sync::Arc<dyn super::Critic> {
            ::std::sync::Arc::new(servant)
        }

        /// The exceptions that `fail` may raise.
        #[derive(Debug, Clone, PartialEq)]
        #[allow(clippy::large_enum_variant)]
        pub enum FailRaises {
            /// IDL exception `Outer::Large`.
            Large(super::Large),
            /// IDL exception `Outer::NotFound`.
            NotFound(super::NotFound),
            /// IDL exception `Outer::NotThere`.
            NotThere(super::NotThere),
            /// IDL exception `Outer::NotAllowed`.
            NotAllowed(super::NotAllowed),
        }

        impl rt::Raises for FailRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::Large(exception) => rt::encode_exception(exception, out),
                    Self::NotFound(exception) => rt::encode_exception(exception, out),
                    Self::NotThere(exception) => rt::encode_exception(exception, out),
                    Self::NotAllowed(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::Large as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::Large(exception)))
                    }
                    <super::NotFound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotFound(exception)))
                    }
                    <super::NotThere as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotThere(exception)))
                    }
                    <super::NotAllowed as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotAllowed(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for FailRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Large(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::NotFound(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::NotThere(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::NotAllowed(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for FailRaises {}

        impl From<super::Large> for FailRaises {
            fn from(exception: super::Large) -> Self {
                Self::Large(exception)
            }
        }

        impl From<super::NotFound> for FailRaises {
            fn from(exception: super::NotFound) -> Self {
                Self::NotFound(exception)
            }
        }

        impl From<super::NotThere> for FailRaises {
            fn from(exception: super::NotThere) -> Self {
                Self::NotThere(exception)
            }
        }

        impl From<super::NotAllowed> for FailRaises {
            fn from(exception: super::NotAllowed) -> Self {
                Self::NotAllowed(exception)
            }
        }

        /// The exceptions that `several` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum SeveralRaises {
            /// IDL exception `Outer::Large`.
            Large(super::Large),
        }

        impl rt::Raises for SeveralRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::Large(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::Large as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::Large(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for SeveralRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Large(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for SeveralRaises {}

        impl From<super::Large> for SeveralRaises {
            fn from(exception: super::Large) -> Self {
                Self::Large(exception)
            }
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn fail<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.fail(), |(), _out| Ok(()))
            }

            pub fn several<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(
                    servant.several(),
                    |(result, a, b, c), out| {
                        out.put_sequence(result)?;
                        out.put_sequence(a)?;
                        out.put_sequence(b)?;
                        out.put_sequence(c)
                    },
                )
            }

            pub fn len<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(
                    servant.len(),
                    |result, out| {
                        out.put_i32(*result);
                        Ok(())
                    },
                )
            }

            pub fn is_empty<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(
                    servant.is_empty(),
                    |result, out| {
                        out.put_bool(*result);
                        Ok(())
                    },
                )
            }

            pub fn to_peer<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value: super::super::Field = rt::Decode::decode(input)?;
                call.reply(servant.to_peer(&value), rt::Encode::encode)
            }

            pub fn is_good<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(
                    servant.is_good(),
                    |result, out| {
                        out.put_bool(*result);
                        Ok(())
                    },
                )
            }

            pub fn as_text<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.as_text(), |(), _out| Ok(()))
            }

            pub fn default<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let self_ = input.i32()?;
                call.reply(servant.default(self_), |(), _out| Ok(()))
            }

            pub fn add<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let other: super::super::CriticRef = rt::Decode::decode(input)?;
                call.reply(servant.add(&other), |(), _out| Ok(()))
            }

            pub fn drop<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.drop(), |(), _out| Ok(()))
            }

            pub fn into_<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.into_(), |(), _out| Ok(()))
            }

            pub fn try_into_<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.try_into_(), |(), _out| Ok(()))
            }

            pub fn to_string<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.to_string(), |(), _out| Ok(()))
            }

            pub fn borrow<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.borrow(), |(), _out| Ok(()))
            }

            pub fn type_id<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.type_id(), |(), _out| Ok(()))
            }

            pub fn fmt<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.fmt(), |(), _out| Ok(()))
            }

            pub fn eq_<T: super::super::Critic + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let other: super::super::CriticRef = rt::Decode::decode(input)?;
                call.reply(servant.eq_(&other), |(), _out| Ok(()))
            }
        }
    }
}
