// Made from operations.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// Operations and attributes with more to them.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod extras {
    use ::armilla::rt;

    /// IDL `Extras::Unreadable`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Unreadable;

    impl ::std::fmt::Display for Unreadable {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.write_str("Extras::Unreadable")
        }
    }

    impl ::std::error::Error for Unreadable {}

    impl rt::UserException for Unreadable {
        const REPOSITORY_ID: &'static str = "IDL:Extras/Unreadable:1.0";
    }

    impl rt::Encode for Unreadable {
        fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Unreadable {
        fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self)
        }
    }

    impl rt::Typed for Unreadable {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::exception::<
                    &str,
                >("IDL:Extras/Unreadable:1.0", "Unreadable", [])
            });
            CODE.clone()
        }
    }

    /// IDL `Extras::Unwritable`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Unwritable;

    impl ::std::fmt::Display for Unwritable {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.write_str("Extras::Unwritable")
        }
    }

    impl ::std::error::Error for Unwritable {}

    impl rt::UserException for Unwritable {
        const REPOSITORY_ID: &'static str = "IDL:Extras/Unwritable:1.0";
    }

    impl rt::Encode for Unwritable {
        fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Unwritable {
        fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self)
        }
    }

    impl rt::Typed for Unwritable {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::exception::<
                    &str,
                >("IDL:Extras/Unwritable:1.0", "Unwritable", [])
            });
            CODE.clone()
        }
    }

    /// IDL `Extras::Sized`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Sized_ {
        /// IDL `a`.
        pub a: i8,
        /// IDL `b`.
        pub b: u8,
        /// IDL `c`.
        pub c: i16,
        /// IDL `d`.
        pub d: u64,
    }

    impl rt::Encode for Sized_ {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_i8(self.a);
            out.put_u8(self.b);
            out.put_i16(self.c);
            out.put_u64(self.d);
            Ok(())
        }

        fn encode_slice<'p>(
            items: &'p [Self],
            out: &mut rt::Encoder<'p>,
        ) -> rt::CdrResult {
            out.put_fixed(items)
        }
    }

    impl<'a> rt::Decode<'a> for Sized_ {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                a: input.i8()?,
                b: input.u8()?,
                c: input.i16()?,
                d: input.u64()?,
            })
        }

        fn decode_vec(
            input: &mut rt::Decoder<'a>,
            len: usize,
        ) -> rt::CdrResult<Vec<Self>> {
            input.fixed_vec(len)
        }
    }

    impl rt::Fixed for Sized_ {
        const ALIGN: usize = 8;
        const PHASE: usize = 0;
        type Chunk = [u8; 16];

        #[inline(always)]
        fn write<O: rt::Order>(&self, chunk: &mut [u8; 16]) {
            O::put_i8(chunk, 0..1, self.a);
            O::put_u8(chunk, 1..2, self.b);
            O::put_i16(chunk, 2..8, self.c);
            O::put_u64(chunk, 8..16, self.d);
        }

        #[inline(always)]
        fn read<O: rt::Order>(chunk: &[u8; 16]) -> rt::CdrResult<Self> {
            Ok(Self {
                a: O::i8(chunk, 0),
                b: O::u8(chunk, 1),
                c: O::i16(chunk, 2),
                d: O::u64(chunk, 8),
            })
        }
    }

    impl rt::Typed for Sized_ {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Extras/Sized:1.0",
                    "Sized",
                    [
                        ("a", rt::TypeCode::Octet),
                        ("b", rt::TypeCode::Octet),
                        ("c", rt::TypeCode::Short),
                        ("d", rt::TypeCode::ULongLong),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Extras::Octets`.
    pub type Octets = Vec<u8>;

    /// The TypeCode of IDL `Extras::Octets`.
    pub fn octets_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Extras/Octets:1.0",
                "Octets",
                rt::TypeCode::sequence(rt::TypeCode::Octet, 0),
            )
        });
        CODE.clone()
    }

    /// IDL `Extras::Signed`.
    pub type Signed = Vec<i8>;

    /// The TypeCode of IDL `Extras::Signed`.
    pub fn signed_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Extras/Signed:1.0",
                "Signed",
                rt::TypeCode::sequence(rt::TypeCode::Octet, 0),
            )
        });
        CODE.clone()
    }

    /// IDL `Extras::Samples`.
    pub type Samples = Vec<f64>;

    /// The TypeCode of IDL `Extras::Samples`.
    pub fn samples_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Extras/Samples:1.0",
                "Samples",
                rt::TypeCode::sequence(rt::TypeCode::Double, 16),
            )
        });
        CODE.clone()
    }

    /// IDL `Extras::Small`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum Small {
        /// IDL `minus`, selected by `-1`.
        Minus(i32),
        /// IDL `other`, selected by all other discriminators.
        Other {
            /// The discriminator, one of those that select this member.
            discriminator: i8,
            /// The member.
            value: i32,
        },
    }

    impl Small {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> i8 {
            match self {
                Self::Minus(_) => -1,
                Self::Other { discriminator, .. } => *discriminator,
            }
        }
    }

    impl rt::Encode for Small {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Minus(value) => {
                    out.put_i8(-1);
                    out.put_i32(*value);
                    Ok(())
                }
                Self::Other { discriminator: -1, .. } => {
                    Err(rt::CdrError::invalid_discriminator("Extras::Small"))
                }
                Self::Other { discriminator, value } => {
                    out.put_i8(*discriminator);
                    out.put_i32(*value);
                    Ok(())
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Small {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.i8()?;
            Ok(
                match discriminator {
                    -1 => Self::Minus(input.i32()?),
                    _ => {
                        Self::Other {
                            discriminator,
                            value: input.i32()?,
                        }
                    }
                },
            )
        }
    }

    impl rt::Typed for Small {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Extras/Small:1.0",
                    "Small",
                    rt::TypeCode::Octet,
                    Some(1),
                    [
                        (255, "minus", rt::TypeCode::Long),
                        (0, "other", rt::TypeCode::Long),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL interface `Extras::Device`.
    pub trait Device: Send + Sync + 'static {
        /// Reads the attribute `level`.
        fn level(&self) -> Result<i32, rt::Error<device::LevelGetRaises>>;

        /// Reads the attribute `text`.
        fn text(&self) -> Result<String, rt::Error<device::TextGetRaises>>;

        /// Sets the attribute [`text`](Self::text).
        fn set_text(&self, value: &str) -> Result<(), rt::Error<device::TextSetRaises>>;

        /// Reads the attribute `mark`.
        fn mark(&self) -> Result<i32, rt::SystemException>;

        /// Sets the attribute [`mark`](Self::mark).
        fn set_mark(&self, value: i32) -> Result<(), rt::Error<device::MarkSetRaises>>;

        /// IDL operation `run`.
        fn run(
            &self,
            program: &str,
            context: &rt::Context,
        ) -> Result<i32, rt::SystemException>;

        /// IDL operation `stop`.
        fn stop(&self, context: &rt::Context) -> Result<(), rt::SystemException>;

        /// IDL operation `mix`.
        fn mix(
            &self,
            given: i8,
            kept: &mut u8,
            raw: &[u8],
            values: &[i8],
        ) -> Result<i8, rt::SystemException>;

        /// IDL operation `sample`.
        fn sample(&self, taken: &[f64]) -> Result<(), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Device`].
    pub type DeviceRef = rt::Ref<dyn Device>;

    impl<I: Device + rt::Interface + ?Sized> Device for rt::Ref<I> {
        fn level(&self) -> Result<i32, rt::Error<device::LevelGetRaises>> {
            if let Some(done) = self.directly(|servant| Device::level(servant)) {
                return done;
            }
            self.invoke_raises("_get_level", |_out| Ok(()), |input| input.i32())
        }

        fn text(&self) -> Result<String, rt::Error<device::TextGetRaises>> {
            if let Some(done) = self.directly(|servant| Device::text(servant)) {
                return done;
            }
            self.invoke_raises(
                "_get_text",
                |_out| Ok(()),
                |input| input.string().map(Into::into),
            )
        }

        fn set_text(&self, value: &str) -> Result<(), rt::Error<device::TextSetRaises>> {
            if let Some(done) = self.directly(|servant| Device::set_text(servant, value))
            {
                return done;
            }
            self.invoke_raises(
                "_set_text",
                |out| out.borrow_string(value),
                |_input| Ok(()),
            )
        }

        fn mark(&self) -> Result<i32, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Device::mark(servant)) {
                return done;
            }
            self.invoke("_get_mark", |_out| Ok(()), |input| input.i32())
        }

        fn set_mark(&self, value: i32) -> Result<(), rt::Error<device::MarkSetRaises>> {
            if let Some(done) = self.directly(|servant| Device::set_mark(servant, value))
            {
                return done;
            }
            self.invoke_raises(
                "_set_mark",
                |out| {
                    out.put_i32(value);
                    Ok(())
                },
                |_input| Ok(()),
            )
        }

        fn run(
            &self,
            program: &str,
            context: &rt::Context,
        ) -> Result<i32, rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Device::run(
                    servant,
                    program,
                    &context.as_it_travels(&["PATH", "HOME*"]),
                ))
            {
                return done;
            }
            self.invoke(
                "run",
                |out| {
                    out.borrow_string(program)?;
                    context.write(&["PATH", "HOME*"], out)
                },
                |input| input.i32(),
            )
        }

        fn stop(&self, context: &rt::Context) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Device::stop(
                    servant,
                    &context.as_it_travels(&["WHY"]),
                ))
            {
                return done;
            }
            self.invoke("stop", |out| context.write(&["WHY"], out), |_input| Ok(()))
        }

        fn mix(
            &self,
            given: i8,
            kept: &mut u8,
            raw: &[u8],
            values: &[i8],
        ) -> Result<i8, rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Device::mix(servant, given, kept, raw, values))
            {
                return done;
            }
            self.invoke(
                    "mix",
                    |out| {
                        out.put_i8(given);
                        out.put_u8(*kept);
                        out.put_sequence(raw)?;
                        out.put_sequence(values)
                    },
                    |input| Ok((input.i8()?, input.u8()?)),
                )
                .map(|(result, new_kept)| {
                    *kept = new_kept;
                    result
                })
        }

        fn sample(&self, taken: &[f64]) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Device::sample(servant, taken)) {
                return done;
            }
            self.invoke_oneway("sample", |out| out.put_bounded_sequence(taken, 16))
        }
    }

    impl rt::Interface for dyn Device {
        const REPOSITORY_ID: &'static str = "IDL:Extras/Device:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &[
            "_get_level",
            "_get_text",
            "_set_text",
            "_get_mark",
            "_set_mark",
            "run",
            "stop",
            "mix",
            "sample",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<9, 32> = rt::Operations::new(
                <dyn Device as rt::Interface>::OPERATIONS,
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
                0 => device::skeleton::level(self, call),
                1 => device::skeleton::text(self, call),
                2 => device::skeleton::set_text(self, call),
                3 => device::skeleton::mark(self, call),
                4 => device::skeleton::set_mark(self, call),
                5 => device::skeleton::run(self, call),
                6 => device::skeleton::stop(self, call),
                7 => device::skeleton::mix(self, call),
                8 => device::skeleton::sample(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Device::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "_get_level" => {
                        rt::Signature::new()
                            .with_result(rt::TypeCode::Long)
                            .with_exception(<Unreadable as rt::Typed>::type_code())
                    }
                    "_get_text" => {
                        rt::Signature::new()
                            .with_result(rt::TypeCode::String(0))
                            .with_exception(<Unreadable as rt::Typed>::type_code())
                    }
                    "_set_text" => {
                        rt::Signature::new()
                            .with_in("text", rt::TypeCode::String(0))
                            .with_exception(<Unwritable as rt::Typed>::type_code())
                            .with_exception(<Unreadable as rt::Typed>::type_code())
                    }
                    "_get_mark" => rt::Signature::new().with_result(rt::TypeCode::Long),
                    "_set_mark" => {
                        rt::Signature::new()
                            .with_in("mark", rt::TypeCode::Long)
                            .with_exception(<Unwritable as rt::Typed>::type_code())
                    }
                    "run" => {
                        rt::Signature::new()
                            .with_in("program", rt::TypeCode::String(0))
                            .with_result(rt::TypeCode::Long)
                            .with_context("PATH")
                            .with_context("HOME*")
                    }
                    "stop" => rt::Signature::new().with_context("WHY"),
                    "mix" => {
                        rt::Signature::new()
                            .with_in("given", rt::TypeCode::Octet)
                            .with_inout("kept", rt::TypeCode::Octet)
                            .with_in(
                                "raw",
                                rt::TypeCode::alias(
                                    "IDL:Extras/Octets:1.0",
                                    "Octets",
                                    rt::TypeCode::sequence(rt::TypeCode::Octet, 0),
                                ),
                            )
                            .with_in(
                                "values",
                                rt::TypeCode::alias(
                                    "IDL:Extras/Signed:1.0",
                                    "Signed",
                                    rt::TypeCode::sequence(rt::TypeCode::Octet, 0),
                                ),
                            )
                            .with_result(rt::TypeCode::Octet)
                    }
                    "sample" => {
                        rt::Signature::new()
                            .with_in(
                                "taken",
                                rt::TypeCode::alias(
                                    "IDL:Extras/Samples:1.0",
                                    "Samples",
                                    rt::TypeCode::sequence(rt::TypeCode::Double, 16),
                                ),
                            )
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Device>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Device> for dyn Device {}

    /// What belongs to the interface [`Device`].
    pub mod device {
        use ::armilla::rt;

        /// Ties the servant to the skeleton of [`Device`](super::Device), for an object adapter.
        pub fn tie(servant: impl super::Device) -> ::std::sync::Arc<dyn super::Device> {
            ::std::sync::Arc::new(servant)
        }

        /// The exceptions that `level` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum LevelGetRaises {
            /// IDL exception `Extras::Unreadable`.
            Unreadable(super::Unreadable),
        }

        impl rt::Raises for LevelGetRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::Unreadable(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::Unreadable as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::Unreadable(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for LevelGetRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Unreadable(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for LevelGetRaises {}

        impl From<super::Unreadable> for LevelGetRaises {
            fn from(exception: super::Unreadable) -> Self {
                Self::Unreadable(exception)
            }
        }

        /// The exceptions that `text` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum TextGetRaises {
            /// IDL exception `Extras::Unreadable`.
            Unreadable(super::Unreadable),
        }

        impl rt::Raises for TextGetRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::Unreadable(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::Unreadable as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::Unreadable(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for TextGetRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Unreadable(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for TextGetRaises {}

        impl From<super::Unreadable> for TextGetRaises {
            fn from(exception: super::Unreadable) -> Self {
                Self::Unreadable(exception)
            }
        }

        /// The exceptions that `text` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum TextSetRaises {
            /// IDL exception `Extras::Unwritable`.
            Unwritable(super::Unwritable),
            /// IDL exception `Extras::Unreadable`.
            Unreadable(super::Unreadable),
        }

        impl rt::Raises for TextSetRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::Unwritable(exception) => rt::encode_exception(exception, out),
                    Self::Unreadable(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::Unwritable as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::Unwritable(exception)))
                    }
                    <super::Unreadable as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::Unreadable(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for TextSetRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Unwritable(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::Unreadable(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for TextSetRaises {}

        impl From<super::Unwritable> for TextSetRaises {
            fn from(exception: super::Unwritable) -> Self {
                Self::Unwritable(exception)
            }
        }

        impl From<super::Unreadable> for TextSetRaises {
            fn from(exception: super::Unreadable) -> Self {
                Self::Unreadable(exception)
            }
        }

        /// The exceptions that `mark` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum MarkSetRaises {
            /// IDL exception `Extras::Unwritable`.
            Unwritable(super::Unwritable),
        }

        impl rt::Raises for MarkSetRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::Unwritable(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::Unwritable as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::Unwritable(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for MarkSetRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Unwritable(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for MarkSetRaises {}

        impl From<super::Unwritable> for MarkSetRaises {
            fn from(exception: super::Unwritable) -> Self {
                Self::Unwritable(exception)
            }
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn level<T: super::super::Device + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(
                    servant.level(),
                    |result, out| {
                        out.put_i32(*result);
                        Ok(())
                    },
                )
            }

            pub fn text<T: super::super::Device + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.text(), |result, out| out.borrow_string(result))
            }

            pub fn set_text<T: super::super::Device + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value = input.string()?;
                call.reply(servant.set_text(&value), |(), _out| Ok(()))
            }

            pub fn mark<T: super::super::Device + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(
                    servant.mark(),
                    |result, out| {
                        out.put_i32(*result);
                        Ok(())
                    },
                )
            }

            pub fn set_mark<T: super::super::Device + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value = input.i32()?;
                call.reply(servant.set_mark(value), |(), _out| Ok(()))
            }

            pub fn run<T: super::super::Device + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let program = input.string()?;
                let context = rt::Context::read(input)?;
                call.reply(
                    servant.run(&program, &context),
                    |result, out| {
                        out.put_i32(*result);
                        Ok(())
                    },
                )
            }

            pub fn stop<T: super::super::Device + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let context = rt::Context::read(input)?;
                call.reply(servant.stop(&context), |(), _out| Ok(()))
            }

            pub fn mix<T: super::super::Device + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let given = input.i8()?;
                let mut kept = input.u8()?;
                let raw = input.octets()?;
                let values = input.lent_sequence::<i8>(None)?;
                let outcome = servant.mix(given, &mut kept, raw, &values);
                call.reply(
                    outcome.map(|value| (value, kept)),
                    |(result, kept), out| {
                        out.put_i8(*result);
                        out.put_u8(*kept);
                        Ok(())
                    },
                )
            }

            pub fn sample<T: super::super::Device + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let taken = input.lent_sequence::<f64>(Some(16))?;
                call.no_reply(servant.sample(&taken))
            }
        }
    }
}
