// Made from blocks.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// Building blocks of IDL 4.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod blocks {
    use ::armilla::rt;

    /// IDL `Blocks::Colour`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[repr(u32)]
    pub enum Colour {
        /// IDL `RED`.
        #[default]
        Red,
        /// IDL `GREEN`.
        Green,
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
                _ => Err(rt::CdrError::invalid_enum("Blocks::Colour", value)),
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
                    "IDL:Blocks/Colour:1.0",
                    "Colour",
                    ["RED", "GREEN"],
                )
            });
            CODE.clone()
        }
    }

    /// IDL bitmask `Blocks::Small`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct Small(pub u32);

    impl Small {
        /// IDL `A`.
        pub const A: Self = Self(1);

        /// IDL `B`.
        pub const B: Self = Self(1 << 5);

        /// Whether all flags of `other` are set.
        pub const fn contains(self, other: Self) -> bool {
            self.0 & other.0 == other.0
        }
    }

    impl ::std::ops::BitOr for Small {
        type Output = Self;

        fn bitor(self, other: Self) -> Self {
            Self(self.0 | other.0)
        }
    }

    impl rt::Encode for Small {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_u32(self.0);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Small {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            input.u32().map(Self)
        }
    }

    impl rt::Typed for Small {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::alias("IDL:Blocks/Small:1.0", "Small", rt::TypeCode::ULong)
            });
            CODE.clone()
        }
    }

    /// IDL bitmask `Blocks::Large`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct Large(pub u64);

    impl Large {
        /// IDL `LOW`.
        pub const LOW: Self = Self(1);

        /// IDL `HIGH`.
        pub const HIGH: Self = Self(1 << 39);

        /// Whether all flags of `other` are set.
        pub const fn contains(self, other: Self) -> bool {
            self.0 & other.0 == other.0
        }
    }

    impl ::std::ops::BitOr for Large {
        type Output = Self;

        fn bitor(self, other: Self) -> Self {
            Self(self.0 | other.0)
        }
    }

    impl rt::Encode for Large {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_u64(self.0);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Large {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            input.u64().map(Self)
        }
    }

    impl rt::Typed for Large {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::alias(
                    "IDL:Blocks/Large:1.0",
                    "Large",
                    rt::TypeCode::ULongLong,
                )
            });
            CODE.clone()
        }
    }

    /// IDL bitset `Blocks::Status`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct Status(u64);

    impl Status {
        /// IDL `level`, 3 bits wide.
        pub const fn level(self) -> u8 {
            rt::get_bits(self.0, 0, 3) as u8
        }

        /// The same with `level` set to the lower bits of `value`.
        #[must_use]
        pub const fn with_level(self, value: u8) -> Self {
            Self(rt::set_bits(self.0, 0, 3, value as u64))
        }

        /// IDL `open`, 1 bits wide.
        pub const fn open(self) -> bool {
            rt::get_bits(self.0, 3, 1) != 0
        }

        /// The same with `open` set to the lower bits of `value`.
        #[must_use]
        pub const fn with_open(self, value: bool) -> Self {
            Self(rt::set_bits(self.0, 3, 1, value as u64))
        }

        /// IDL `drift`, 5 bits wide.
        pub const fn drift(self) -> i16 {
            rt::get_signed_bits(self.0, 6, 5) as i16
        }

        /// The same with `drift` set to the lower bits of `value`.
        #[must_use]
        pub const fn with_drift(self, value: i16) -> Self {
            Self(rt::set_bits(self.0, 6, 5, value as u64))
        }
    }

    impl rt::Encode for Status {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_u16(self.0 as u16);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Status {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            input.u16().map(|bits| Self(bits.into()))
        }
    }

    impl rt::Typed for Status {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::alias(
                    "IDL:Blocks/Status:1.0",
                    "Status",
                    rt::TypeCode::UShort,
                )
            });
            CODE.clone()
        }
    }

    /// IDL bitset `Blocks::Extended`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct Extended(u64);

    impl Extended {
        /// IDL `level`, 3 bits wide.
        pub const fn level(self) -> u8 {
            rt::get_bits(self.0, 0, 3) as u8
        }

        /// The same with `level` set to the lower bits of `value`.
        #[must_use]
        pub const fn with_level(self, value: u8) -> Self {
            Self(rt::set_bits(self.0, 0, 3, value as u64))
        }

        /// IDL `open`, 1 bits wide.
        pub const fn open(self) -> bool {
            rt::get_bits(self.0, 3, 1) != 0
        }

        /// The same with `open` set to the lower bits of `value`.
        #[must_use]
        pub const fn with_open(self, value: bool) -> Self {
            Self(rt::set_bits(self.0, 3, 1, value as u64))
        }

        /// IDL `drift`, 5 bits wide.
        pub const fn drift(self) -> i16 {
            rt::get_signed_bits(self.0, 6, 5) as i16
        }

        /// The same with `drift` set to the lower bits of `value`.
        #[must_use]
        pub const fn with_drift(self, value: i16) -> Self {
            Self(rt::set_bits(self.0, 6, 5, value as u64))
        }

        /// IDL `serial`, 40 bits wide.
        pub const fn serial(self) -> u64 {
            rt::get_bits(self.0, 11, 40)
        }

        /// The same with `serial` set to the lower bits of `value`.
        #[must_use]
        pub const fn with_serial(self, value: u64) -> Self {
            Self(rt::set_bits(self.0, 11, 40, value))
        }

        /// IDL `tag`, 8 bits wide.
        pub const fn tag(self) -> u8 {
            rt::get_bits(self.0, 51, 8) as u8
        }

        /// The same with `tag` set to the lower bits of `value`.
        #[must_use]
        pub const fn with_tag(self, value: u8) -> Self {
            Self(rt::set_bits(self.0, 51, 8, value as u64))
        }
    }

    impl rt::Encode for Extended {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_u64(self.0);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Extended {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            input.u64().map(Self)
        }
    }

    impl rt::Typed for Extended {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::alias(
                    "IDL:Blocks/Extended:1.0",
                    "Extended",
                    rt::TypeCode::ULongLong,
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Blocks::Counts`.
    pub type Counts = ::std::collections::BTreeMap<String, i32>;

    /// The TypeCode of IDL `Blocks::Counts`.
    pub fn counts_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Blocks/Counts:1.0",
                "Counts",
                rt::TypeCode::map(rt::TypeCode::String(0), rt::TypeCode::Long, 0),
            )
        });
        CODE.clone()
    }

    /// IDL `Blocks::Paints`.
    pub type Paints = ::std::collections::BTreeMap<Colour, Vec<String>>;

    /// The TypeCode of IDL `Blocks::Paints`.
    pub fn paints_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Blocks/Paints:1.0",
                "Paints",
                rt::TypeCode::map(
                    <Colour as rt::Typed>::type_code(),
                    rt::TypeCode::sequence(rt::TypeCode::String(3), 0),
                    8,
                ),
            )
        });
        CODE.clone()
    }

    /// IDL `Blocks::Stock`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Stock {
        /// IDL `amounts`.
        pub amounts: Counts,
        /// IDL `deep`.
        pub deep: ::std::collections::BTreeMap<
            i64,
            ::std::collections::BTreeMap<char, f64>,
        >,
        /// IDL `few`.
        pub few: ::std::collections::BTreeMap<String, Small>,
        /// IDL `rights`.
        pub rights: Large,
        /// IDL `state`.
        pub state: Extended,
    }

    impl rt::Encode for Stock {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.amounts, out)?;
            rt::Encode::encode(&self.deep, out)?;
            out.check_bound(self.few.len(), 2)?;
            out.put_length(self.few.len())?;
            for (key, value) in &self.few {
                out.put_bounded_string(key, 4)?;
                out.put_u32(value.0);
            }
            out.put_u64(self.rights.0);
            rt::Encode::encode(&self.state, out)
        }
    }

    impl<'a> rt::Decode<'a> for Stock {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                amounts: rt::Decode::decode(input)?,
                deep: rt::Decode::decode(input)?,
                few: input
                    .bounded_map_with(
                        2,
                        |input| Ok((
                            input.bounded_string(4).map(Into::into)?,
                            rt::Decode::decode(input)?,
                        )),
                    )?,
                rights: rt::Decode::decode(input)?,
                state: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Stock {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Blocks/Stock:1.0",
                    "Stock",
                    [
                        (
                            "amounts",
                            rt::TypeCode::alias(
                                "IDL:Blocks/Counts:1.0",
                                "Counts",
                                rt::TypeCode::map(
                                    rt::TypeCode::String(0),
                                    rt::TypeCode::Long,
                                    0,
                                ),
                            ),
                        ),
                        (
                            "deep",
                            rt::TypeCode::map(
                                rt::TypeCode::LongLong,
                                rt::TypeCode::map(
                                    rt::TypeCode::WChar,
                                    rt::TypeCode::Double,
                                    0,
                                ),
                                0,
                            ),
                        ),
                        (
                            "few",
                            rt::TypeCode::map(
                                rt::TypeCode::String(4),
                                <Small as rt::Typed>::type_code(),
                                2,
                            ),
                        ),
                        ("rights", <Large as rt::Typed>::type_code()),
                        ("state", <Extended as rt::Typed>::type_code()),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL interface `Blocks::Store`.
    pub trait Store: Send + Sync + 'static {
        /// IDL operation `count`.
        fn count(
            &self,
            given: &Counts,
            shades: &mut Paints,
        ) -> Result<(Counts, Small), rt::SystemException>;

        /// Reads the attribute `mode`.
        fn mode(&self) -> Result<Small, rt::SystemException>;

        /// Sets the attribute [`mode`](Self::mode).
        fn set_mode(&self, value: Small) -> Result<(), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Store`].
    pub type StoreRef = rt::Ref<dyn Store>;

    impl<I: Store + rt::Interface + ?Sized> Store for rt::Ref<I> {
        fn count(
            &self,
            given: &Counts,
            shades: &mut Paints,
        ) -> Result<(Counts, Small), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Store::count(servant, given, shades))
            {
                return done;
            }
            self.invoke(
                    "count",
                    |out| {
                        rt::Encode::encode(given, out)?;
                        out.check_bound(shades.len(), 8)?;
                        out.put_length(shades.len())?;
                        for (key, value) in &*shades {
                            out.put_u32(*key as u32);
                            out.put_length(value.len())?;
                            for item in value {
                                out.put_bounded_string(item, 3)?;
                            }
                        }
                        Ok(())
                    },
                    |input| Ok((
                        rt::Decode::decode(input)?,
                        input
                            .bounded_map_with(
                                8,
                                |input| Ok((
                                    rt::Decode::decode(input)?,
                                    input
                                        .sequence_with(|input| {
                                            input.bounded_string(3).map(Into::into)
                                        })?,
                                )),
                            )?,
                        rt::Decode::decode(input)?,
                    )),
                )
                .map(|(result, new_shades, rights)| {
                    *shades = new_shades;
                    (result, rights)
                })
        }

        #[allow(clippy::redundant_closure)]
        fn mode(&self) -> Result<Small, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Store::mode(servant)) {
                return done;
            }
            self.invoke("_get_mode", |_out| Ok(()), |input| rt::Decode::decode(input))
        }

        fn set_mode(&self, value: Small) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Store::set_mode(servant, value))
            {
                return done;
            }
            self.invoke(
                "_set_mode",
                |out| {
                    out.put_u32(value.0);
                    Ok(())
                },
                |_input| Ok(()),
            )
        }
    }

    impl rt::Interface for dyn Store {
        const REPOSITORY_ID: &'static str = "IDL:Blocks/Store:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &["count", "_get_mode", "_set_mode"];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<3, 8> = rt::Operations::new(
                <dyn Store as rt::Interface>::OPERATIONS,
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
                0 => store::skeleton::count(self, call),
                1 => store::skeleton::mode(self, call),
                2 => store::skeleton::set_mode(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Store::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "count" => {
                        rt::Signature::new()
                            .with_in(
                                "given",
                                rt::TypeCode::alias(
                                    "IDL:Blocks/Counts:1.0",
                                    "Counts",
                                    rt::TypeCode::map(
                                        rt::TypeCode::String(0),
                                        rt::TypeCode::Long,
                                        0,
                                    ),
                                ),
                            )
                            .with_inout(
                                "shades",
                                rt::TypeCode::alias(
                                    "IDL:Blocks/Paints:1.0",
                                    "Paints",
                                    rt::TypeCode::map(
                                        <Colour as rt::Typed>::type_code(),
                                        rt::TypeCode::sequence(rt::TypeCode::String(3), 0),
                                        8,
                                    ),
                                ),
                            )
                            .with_out("rights", <Small as rt::Typed>::type_code())
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:Blocks/Counts:1.0",
                                    "Counts",
                                    rt::TypeCode::map(
                                        rt::TypeCode::String(0),
                                        rt::TypeCode::Long,
                                        0,
                                    ),
                                ),
                            )
                    }
                    "_get_mode" => {
                        rt::Signature::new()
                            .with_result(<Small as rt::Typed>::type_code())
                    }
                    "_set_mode" => {
                        rt::Signature::new()
                            .with_in("mode", <Small as rt::Typed>::type_code())
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Store>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Store> for dyn Store {}

    /// What belongs to the interface [`Store`].
    pub mod store {
        /// Ties the servant to the skeleton of [`Store`](super::Store), for an object adapter.
        pub fn tie(servant: impl super::Store) -> ::std::sync::Arc<dyn super::Store> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn count<T: super::super::Store + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let given: super::super::Counts = rt::Decode::decode(input)?;
                let mut shades: super::super::Paints = input
                    .bounded_map_with(
                        8,
                        |input| Ok((
                            rt::Decode::decode(input)?,
                            input
                                .sequence_with(|input| {
                                    input.bounded_string(3).map(Into::into)
                                })?,
                        )),
                    )?;
                let outcome = servant.count(&given, &mut shades);
                call.reply(
                    outcome.map(|value| (value, shades)),
                    |((result, rights), shades), out| {
                        rt::Encode::encode(result, out)?;
                        out.check_bound(shades.len(), 8)?;
                        out.put_length(shades.len())?;
                        for (key, value) in shades {
                            out.put_u32(*key as u32);
                            out.put_length(value.len())?;
                            for item in value {
                                out.put_bounded_string(item, 3)?;
                            }
                        }
                        out.put_u32(rights.0);
                        Ok(())
                    },
                )
            }

            pub fn mode<T: super::super::Store + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.mode(), rt::Encode::encode)
            }

            pub fn set_mode<T: super::super::Store + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value: super::super::Small = rt::Decode::decode(input)?;
                call.reply(servant.set_mode(value), |(), _out| Ok(()))
            }
        }
    }
}
