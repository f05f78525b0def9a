// Made from names.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// Identifiers that Rust would not take as they are.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod r#match {
    use ::armilla::rt;

    /// IDL `match::type`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Type {
        /// IDL `fn`.
        pub r#fn: i32,
        /// IDL `interface`.
        pub interface: String,
        /// IDL `self`.
        pub self_: i32,
    }

    impl rt::Encode for Type {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_i32(self.r#fn);
            out.borrow_string(&self.interface)?;
            out.put_i32(self.self_);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Type {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                r#fn: input.i32()?,
                interface: input.string().map(Into::into)?,
                self_: input.i32()?,
            })
        }
    }

    impl rt::Typed for Type {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:match/type:1.0",
                    "type",
                    [
                        ("fn", rt::TypeCode::Long),
                        ("interface", rt::TypeCode::String(0)),
                        ("self", rt::TypeCode::Long),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `match::Choice`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[repr(u32)]
    pub enum Choice {
        /// IDL `Self`.
        #[default]
        Self_,
        /// IDL `Async`.
        Async,
    }

    impl Choice {
        /// The enumerator with the number `value`, the first being 0.
        ///
        /// # Errors
        /// When there are not so many enumerators.
        pub fn from_discriminant(value: u32) -> rt::CdrResult<Self> {
            match value {
                0 => Ok(Self::Self_),
                1 => Ok(Self::Async),
                _ => Err(rt::CdrError::invalid_enum("match::Choice", value)),
            }
        }
    }

    impl rt::Encode for Choice {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_u32(*self as u32);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Choice {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Self::from_discriminant(input.u32()?)
        }
    }

    impl rt::Typed for Choice {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::enumeration(
                    "IDL:match/Choice:1.0",
                    "Choice",
                    ["Self", "Async"],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `match::TTCP_Sequence`.
    pub type TtcpSequence = Vec<Type>;

    /// The TypeCode of IDL `match::TTCP_Sequence`.
    pub fn ttcp_sequence_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:match/TTCP_Sequence:1.0",
                "TTCP_Sequence",
                rt::TypeCode::sequence(<Type as rt::Typed>::type_code(), 0),
            )
        });
        CODE.clone()
    }

    /// IDL interface `match::HTTPServer`.
    #[allow(clippy::len_without_is_empty)]
    pub trait HttpServer: Send + Sync + 'static {
        /// IDL operation `sendStructSeq_2way`.
        fn send_struct_seq_2way(
            &self,
            ttcp_seq: &[Type],
        ) -> Result<(), rt::SystemException>;

        /// Reads the attribute `yield`.
        fn r#yield(&self) -> Result<i32, rt::SystemException>;

        /// Sets the attribute [`yield`](Self::yield).
        fn set_yield(&self, value: i32) -> Result<(), rt::SystemException>;

        /// IDL operation `object`.
        fn object_(&self) -> Result<(), rt::SystemException>;

        /// IDL operation `clone`.
        fn clone_(&self) -> Result<(), rt::SystemException>;

        /// IDL operation `len`.
        fn len(&self) -> Result<i32, rt::SystemException>;

        /// IDL operation `from_text`.
        #[allow(clippy::wrong_self_convention)]
        fn from_text(&self, text: &str) -> Result<(), rt::SystemException>;

        /// IDL operation `new`.
        #[allow(clippy::new_ret_no_self, clippy::wrong_self_convention)]
        fn new(&self) -> Result<(), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`HttpServer`].
    pub type HttpServerRef = rt::Ref<dyn HttpServer>;

    impl<I_: HttpServer + rt::Interface + ?Sized> HttpServer for rt::Ref<I_> {
        fn send_struct_seq_2way(
            &self,
            ttcp_seq: &[Type],
        ) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| HttpServer::send_struct_seq_2way(servant, ttcp_seq))
            {
                return done;
            }
            self.invoke(
                "sendStructSeq_2way",
                |out| out.put_sequence(ttcp_seq),
                |_input| Ok(()),
            )
        }

        fn r#yield(&self) -> Result<i32, rt::SystemException> {
            if let Some(done) = self.directly(|servant| HttpServer::r#yield(servant)) {
                return done;
            }
            self.invoke("_get_yield", |_out| Ok(()), |input| input.i32())
        }

        fn set_yield(&self, value: i32) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| HttpServer::set_yield(servant, value))
            {
                return done;
            }
            self.invoke(
                "_set_yield",
                |out| {
                    out.put_i32(value);
                    Ok(())
                },
                |_input| Ok(()),
            )
        }

        fn object_(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| HttpServer::object_(servant)) {
                return done;
            }
            self.invoke("object", |_out| Ok(()), |_input| Ok(()))
        }

        fn clone_(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| HttpServer::clone_(servant)) {
                return done;
            }
            self.invoke("clone", |_out| Ok(()), |_input| Ok(()))
        }

        fn len(&self) -> Result<i32, rt::SystemException> {
            if let Some(done) = self.directly(|servant| HttpServer::len(servant)) {
                return done;
            }
            self.invoke("len", |_out| Ok(()), |input| input.i32())
        }

        fn from_text(&self, text: &str) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| HttpServer::from_text(servant, text))
            {
                return done;
            }
            self.invoke("from_text", |out| out.borrow_string(text), |_input| Ok(()))
        }

        fn new(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| HttpServer::new(servant)) {
                return done;
            }
            self.invoke("new", |_out| Ok(()), |_input| Ok(()))
        }
    }

    impl rt::Interface for dyn HttpServer {
        const REPOSITORY_ID: &'static str = "IDL:match/HTTPServer:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &[
            "sendStructSeq_2way",
            "_get_yield",
            "_set_yield",
            "object",
            "clone",
            "len",
            "from_text",
            "new",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<8, 16> = rt::Operations::new(
                <dyn HttpServer as rt::Interface>::OPERATIONS,
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
                0 => http_server::skeleton::send_struct_seq_2way(self, call),
                1 => http_server::skeleton::r#yield(self, call),
                2 => http_server::skeleton::set_yield(self, call),
                3 => http_server::skeleton::object_(self, call),
                4 => http_server::skeleton::clone_(self, call),
                5 => http_server::skeleton::len(self, call),
                6 => http_server::skeleton::from_text(self, call),
                7 => http_server::skeleton::new(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            HttpServer::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "sendStructSeq_2way" => {
                        rt::Signature::new()
                            .with_in(
                                "ttcp_seq",
                                rt::TypeCode::alias(
                                    "IDL:match/TTCP_Sequence:1.0",
                                    "TTCP_Sequence",
                                    rt::TypeCode::sequence(<Type as rt::Typed>::type_code(), 0),
                                ),
                            )
                    }
                    "_get_yield" => rt::Signature::new().with_result(rt::TypeCode::Long),
                    "_set_yield" => {
                        rt::Signature::new().with_in("yield", rt::TypeCode::Long)
                    }
                    "object" => rt::Signature::new(),
                    "clone" => rt::Signature::new(),
                    "len" => rt::Signature::new().with_result(rt::TypeCode::Long),
                    "from_text" => {
                        rt::Signature::new().with_in("text", rt::TypeCode::String(0))
                    }
                    "new" => rt::Signature::new(),
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn HttpServer>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn HttpServer> for dyn HttpServer {}

    /// What belongs to the interface [`HttpServer`].
    pub mod http_server {
        /// Ties the servant to the skeleton of [`HttpServer`](super::HttpServer), for an object adapter.
        pub fn tie(
            servant: impl super::HttpServer,
        ) -> ::std::sync::Arc<dyn super::HttpServer> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn send_struct_seq_2way<T: super::super::HttpServer + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let ttcp_seq: super::super::TtcpSequence = input.sequence()?;
                call.reply(servant.send_struct_seq_2way(&ttcp_seq), |(), _out| Ok(()))
            }

            pub fn r#yield<T: super::super::HttpServer + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(
                    servant.r#yield(),
                    |result, out| {
                        out.put_i32(*result);
                        Ok(())
                    },
                )
            }

            pub fn set_yield<T: super::super::HttpServer + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value = input.i32()?;
                call.reply(servant.set_yield(value), |(), _out| Ok(()))
            }

            pub fn object_<T: super::super::HttpServer + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.object_(), |(), _out| Ok(()))
            }

            pub fn clone_<T: super::super::HttpServer + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.clone_(), |(), _out| Ok(()))
            }

            pub fn len<T: super::super::HttpServer + ?Sized>(
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

            pub fn from_text<T: super::super::HttpServer + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let text = input.string()?;
                call.reply(servant.from_text(&text), |(), _out| Ok(()))
            }

            pub fn new<T: super::super::HttpServer + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.new(), |(), _out| Ok(()))
            }
        }
    }

    /// IDL `match::O`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct O {
        /// IDL `x`.
        pub x: i32,
    }

    impl rt::Encode for O {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_i32(self.x);
            Ok(())
        }

        fn encode_slice<'p>(
            items: &'p [Self],
            out: &mut rt::Encoder<'p>,
        ) -> rt::CdrResult {
            out.put_fixed(items)
        }
    }

    impl<'a> rt::Decode<'a> for O {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self { x: input.i32()? })
        }

        fn decode_vec(
            input: &mut rt::Decoder<'a>,
            len: usize,
        ) -> rt::CdrResult<Vec<Self>> {
            input.fixed_vec(len)
        }
    }

    impl rt::Fixed for O {
        const ALIGN: usize = 4;
        const PHASE: usize = 0;
        type Chunk = [u8; 4];

        #[inline(always)]
        fn write<O_: rt::Order>(&self, chunk: &mut [u8; 4]) {
            O_::put_i32(chunk, 0..4, self.x);
        }

        #[inline(always)]
        fn read<O_: rt::Order>(chunk: &[u8; 4]) -> rt::CdrResult<Self> {
            Ok(Self { x: O_::i32(chunk, 0) })
        }
    }

    impl rt::Typed for O {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:match/O:1.0",
                    "O",
                    [("x", rt::TypeCode::Long)],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `match::P`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct P {
        /// IDL `inner`.
        pub inner: O,
    }

    impl rt::Encode for P {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.inner, out)
        }

        fn encode_slice<'p>(
            items: &'p [Self],
            out: &mut rt::Encoder<'p>,
        ) -> rt::CdrResult {
            out.put_fixed(items)
        }
    }

    impl<'a> rt::Decode<'a> for P {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                inner: rt::Decode::decode(input)?,
            })
        }

        fn decode_vec(
            input: &mut rt::Decoder<'a>,
            len: usize,
        ) -> rt::CdrResult<Vec<Self>> {
            input.fixed_vec(len)
        }
    }

    impl rt::Fixed for P {
        const ALIGN: usize = 4;
        const PHASE: usize = 0;
        type Chunk = [u8; 4];

        #[inline(always)]
        fn write<O_: rt::Order>(&self, chunk: &mut [u8; 4]) {
            O_::put_i32(chunk, 0..4, self.inner.x);
        }

        #[inline(always)]
        fn read<O_: rt::Order>(chunk: &[u8; 4]) -> rt::CdrResult<Self> {
            Ok(Self {
                inner: O { x: O_::i32(chunk, 0) },
            })
        }
    }

    impl rt::Typed for P {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:match/P:1.0",
                    "P",
                    [("inner", <O as rt::Typed>::type_code())],
                )
            });
            CODE.clone()
        }
    }

    /// IDL interface `match::I`.
    pub trait I: Send + Sync + 'static {
        /// IDL operation `next`.
        fn next(&self, other: &O) -> Result<IRef, rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`I`].
    pub type IRef = rt::Ref<dyn I>;

    impl<I_: I + rt::Interface + ?Sized> I for rt::Ref<I_> {
        #[allow(clippy::redundant_closure)]
        fn next(&self, other: &O) -> Result<IRef, rt::SystemException> {
            if let Some(done) = self.directly(|servant| I::next(servant, other)) {
                return done;
            }
            self.invoke(
                "next",
                |out| rt::Encode::encode(other, out),
                |input| rt::Decode::decode(input),
            )
        }
    }

    impl rt::Interface for dyn I {
        const REPOSITORY_ID: &'static str = "IDL:match/I:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &["next"];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<1, 2> = rt::Operations::new(
                <dyn I as rt::Interface>::OPERATIONS,
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
                0 => i::skeleton::next(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            I::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "next" => {
                        rt::Signature::new()
                            .with_in("other", <O as rt::Typed>::type_code())
                            .with_result(
                                rt::TypeCode::object_reference("IDL:match/I:1.0", "I"),
                            )
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn I>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn I> for dyn I {}

    /// What belongs to the interface [`I`].
    pub mod i {
        /// Ties the servant to the skeleton of [`I`](super::I), for an object adapter.
        pub fn tie(servant: impl super::I) -> ::std::sync::Arc<dyn super::I> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn next<T: super::super::I + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let other: super::super::O = rt::Decode::decode(input)?;
                call.reply(servant.next(&other), rt::Encode::encode)
            }
        }
    }
}

/// IDL module `rt`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod rt_ {
    use ::armilla::rt;

    /// IDL `rt::Result`.
    pub type Result_ = i32;

    /// The TypeCode of IDL `rt::Result`.
    pub fn result_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias("IDL:rt/Result:1.0", "Result", rt::TypeCode::Long)
        });
        CODE.clone()
    }

    /// IDL `rt::String`.
    pub type String_ = Vec<String>;

    /// The TypeCode of IDL `rt::String`.
    pub fn string_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:rt/String:1.0",
                "String",
                rt::TypeCode::sequence(rt::TypeCode::String(0), 0),
            )
        });
        CODE.clone()
    }
}

/// IDL `Top`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[allow(dead_code, unreachable_pub)]
pub struct Top {
    /// IDL `x`.
    pub x: i32,
    /// IDL `y`.
    pub y: rt_::String_,
}

impl ::armilla::rt::Encode for Top {
    fn encode<'p>(
        &'p self,
        out: &mut ::armilla::rt::Encoder<'p>,
    ) -> ::armilla::rt::CdrResult {
        out.put_i32(self.x);
        out.put_sequence(&self.y)
    }
}

impl<'a> ::armilla::rt::Decode<'a> for Top {
    fn decode(input: &mut ::armilla::rt::Decoder<'a>) -> ::armilla::rt::CdrResult<Self> {
        Ok(Self {
            x: input.i32()?,
            y: input.sequence()?,
        })
    }
}

impl ::armilla::rt::Typed for Top {
    fn type_code() -> ::armilla::rt::TypeCode {
        static CODE: ::armilla::rt::SharedTypeCode = ::armilla::rt::SharedTypeCode::new(||
        {
            ::armilla::rt::TypeCode::structure(
                "IDL:Top:1.0",
                "Top",
                [
                    ("x", ::armilla::rt::TypeCode::Long),
                    (
                        "y",
                        ::armilla::rt::TypeCode::alias(
                            "IDL:rt/String:1.0",
                            "String",
                            ::armilla::rt::TypeCode::sequence(
                                ::armilla::rt::TypeCode::String(0),
                                0,
                            ),
                        ),
                    ),
                ],
            )
        });
        CODE.clone()
    }
}

/// IDL module `Deep`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod deep {
    /// IDL module `Deep::Deep2`.
    pub mod deep2 {
        use ::armilla::rt;

        /// IDL `Deep::Deep2::Far`.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
        pub struct Far {
            /// IDL `there`.
            pub there: super::super::r#match::Type,
            /// IDL `result`.
            pub result: super::super::rt_::Result_,
            /// IDL `top`.
            pub top: super::super::Top,
        }

        impl rt::Encode for Far {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                rt::Encode::encode(&self.there, out)?;
                out.put_i32(self.result);
                rt::Encode::encode(&self.top, out)
            }
        }

        impl<'a> rt::Decode<'a> for Far {
            fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self {
                    there: rt::Decode::decode(input)?,
                    result: input.i32()?,
                    top: rt::Decode::decode(input)?,
                })
            }
        }

        impl rt::Typed for Far {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::structure(
                        "IDL:Deep/Deep2/Far:1.0",
                        "Far",
                        [
                            (
                                "there",
                                <super::super::r#match::Type as rt::Typed>::type_code(),
                            ),
                            (
                                "result",
                                rt::TypeCode::alias(
                                    "IDL:rt/Result:1.0",
                                    "Result",
                                    rt::TypeCode::Long,
                                ),
                            ),
                            ("top", <super::super::Top as rt::Typed>::type_code()),
                        ],
                    )
                });
                CODE.clone()
            }
        }
    }
}

/// IDL `TopError`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[allow(dead_code, unreachable_pub)]
pub struct TopError;

impl ::std::fmt::Display for TopError {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        f.write_str("TopError")
    }
}

impl ::std::error::Error for TopError {}

impl ::armilla::rt::UserException for TopError {
    const REPOSITORY_ID: &'static str = "IDL:TopError:1.0";
}

impl ::armilla::rt::Encode for TopError {
    fn encode<'p>(
        &'p self,
        _out: &mut ::armilla::rt::Encoder<'p>,
    ) -> ::armilla::rt::CdrResult {
        Ok(())
    }
}

impl<'a> ::armilla::rt::Decode<'a> for TopError {
    fn decode(
        _input: &mut ::armilla::rt::Decoder<'a>,
    ) -> ::armilla::rt::CdrResult<Self> {
        Ok(Self)
    }
}

impl ::armilla::rt::Typed for TopError {
    fn type_code() -> ::armilla::rt::TypeCode {
        static CODE: ::armilla::rt::SharedTypeCode = ::armilla::rt::SharedTypeCode::new(||
        {
            ::armilla::rt::TypeCode::exception::<
                &str,
            >("IDL:TopError:1.0", "TopError", [])
        });
        CODE.clone()
    }
}

/// IDL interface `TopLevel`.
#[allow(dead_code, unreachable_pub)]
pub trait TopLevel: Send + Sync + 'static {
    /// IDL operation `top`.
    fn top(
        &self,
        far: &deep::deep2::Far,
    ) -> Result<Top, ::armilla::rt::Error<top_level::TopRaises>>;

    /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
    /// servant that is an `armilla::ServantBase`.
    fn servant_base(&self) -> Option<&dyn ::armilla::rt::ServantBase> {
        None
    }
}

/// A reference to an object with the interface [`TopLevel`].
#[allow(dead_code, unreachable_pub)]
pub type TopLevelRef = ::armilla::rt::Ref<dyn TopLevel>;

impl<I_: TopLevel + ::armilla::rt::Interface + ?Sized> TopLevel
for ::armilla::rt::Ref<I_> {
    #[allow(clippy::redundant_closure)]
    fn top(
        &self,
        far: &deep::deep2::Far,
    ) -> Result<Top, ::armilla::rt::Error<top_level::TopRaises>> {
        if let Some(done) = self.directly(|servant| TopLevel::top(servant, far)) {
            return done;
        }
        self.invoke_raises(
            "top",
            |out| ::armilla::rt::Encode::encode(far, out),
            |input| ::armilla::rt::Decode::decode(input),
        )
    }
}

impl ::armilla::rt::Interface for dyn TopLevel {
    const REPOSITORY_ID: &'static str = "IDL:TopLevel:1.0";
    const BASES: &'static [&'static str] = &[];
    const OPERATIONS: &'static [&'static str] = &["top"];

    fn dispatch(
        &self,
        call: &mut ::armilla::rt::ServerCall<'_>,
    ) -> ::armilla::rt::Dispatched {
        static OPERATIONS: ::armilla::rt::Operations<1, 2> = ::armilla::rt::Operations::new(
            <dyn TopLevel as ::armilla::rt::Interface>::OPERATIONS,
        );
        match OPERATIONS.find(call.operation()) {
            Some(number) => ::armilla::rt::Interface::perform(self, number, call),
            None => call.unknown_operation(),
        }
    }

    #[inline]
    fn perform(
        &self,
        number: usize,
        call: &mut ::armilla::rt::ServerCall<'_>,
    ) -> ::armilla::rt::Dispatched {
        match number {
            0 => top_level::skeleton::top(self, call),
            _ => call.unknown_operation(),
        }
    }

    fn servant_base(&self) -> Option<&dyn ::armilla::rt::ServantBase> {
        TopLevel::servant_base(self)
    }

    fn signature(operation: &str) -> Option<::armilla::rt::Signature> {
        Some(
            match operation {
                "top" => {
                    ::armilla::rt::Signature::new()
                        .with_in(
                            "far",
                            <deep::deep2::Far as ::armilla::rt::Typed>::type_code(),
                        )
                        .with_result(<Top as ::armilla::rt::Typed>::type_code())
                        .with_exception(<TopError as ::armilla::rt::Typed>::type_code())
                }
                _ => return None,
            },
        )
    }

    fn upcast(servant: ::std::sync::Arc<Self>, target: &mut ::armilla::rt::Upcast<'_>) {
        target.offer::<dyn TopLevel>(|| servant.clone());
    }
}

impl ::armilla::rt::IsA<dyn TopLevel> for dyn TopLevel {}

/// What belongs to the interface [`TopLevel`].
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod top_level {
    use ::armilla::rt;

    /// Ties the servant to the skeleton of [`TopLevel`](super::TopLevel), for an object adapter.
    pub fn tie(servant: impl super::TopLevel) -> ::std::sync::Arc<dyn super::TopLevel> {
        ::std::sync::Arc::new(servant)
    }

    /// The exceptions that `top` may raise.
    #[derive(Debug, Clone, PartialEq)]
    pub enum TopRaises {
        /// IDL exception `TopError`.
        TopError(super::TopError),
    }

    impl rt::Raises for TopRaises {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::TopError(exception) => rt::encode_exception(exception, out),
            }
        }

        fn decode(
            repository_id: &str,
            input: &mut rt::Decoder<'_>,
        ) -> rt::CdrResult<Option<Self>> {
            match repository_id {
                <super::TopError as rt::UserException>::REPOSITORY_ID => {
                    rt::Decode::decode(input)
                        .map(|exception| Some(Self::TopError(exception)))
                }
                _ => Ok(None),
            }
        }
    }

    impl ::std::fmt::Display for TopRaises {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::TopError(exception) => ::std::fmt::Display::fmt(exception, f),
            }
        }
    }

    impl ::std::error::Error for TopRaises {}

    impl From<super::TopError> for TopRaises {
        fn from(exception: super::TopError) -> Self {
            Self::TopError(exception)
        }
    }

    #[doc(hidden)]
    pub mod skeleton {
        use ::armilla::rt;

        pub fn top<T: super::super::TopLevel + ?Sized>(
            servant: &T,
            call: &mut rt::ServerCall<'_>,
        ) -> rt::Dispatched {
            let input = &mut call.arguments();
            let far: super::super::deep::deep2::Far = rt::Decode::decode(input)?;
            call.reply(servant.top(&far), rt::Encode::encode)
        }
    }
}

/// IDL `Tops`.
#[allow(dead_code, unreachable_pub)]
pub type Tops = Vec<Top>;

/// The TypeCode of IDL `Tops`.
#[allow(dead_code, unreachable_pub)]
pub fn tops_type_code() -> ::armilla::rt::TypeCode {
    static CODE: ::armilla::rt::SharedTypeCode = ::armilla::rt::SharedTypeCode::new(|| {
        ::armilla::rt::TypeCode::alias(
            "IDL:Tops:1.0",
            "Tops",
            ::armilla::rt::TypeCode::sequence(
                <Top as ::armilla::rt::Typed>::type_code(),
                0,
            ),
        )
    });
    CODE.clone()
}

/// IDL `TOP_MOST`.
#[allow(dead_code, unreachable_pub)]
pub const TOP_MOST: i32 = 1;
