// Made from rare.idl by the Armilla IDL compiler. Do not edit: change the IDL.
// Left out, for they cannot become Rust: Rare::Registry::keep.

/// IDL module `Rare`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod rare {
    use ::armilla::rt;

    /// IDL `Rare::Nothing`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Nothing;

    impl rt::Encode for Nothing {
        fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Nothing {
        fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self)
        }
        const ZERO_SIZED: bool = true;

        fn decode_vec(
            input: &mut rt::Decoder<'a>,
            len: usize,
        ) -> rt::CdrResult<Vec<Self>> {
            Self::decode(input).map(|one| vec![one; len])
        }
    }

    impl rt::Typed for Nothing {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure::<
                    &str,
                >("IDL:rare.example/Rare/Nothing:1.0", "Nothing", [])
            });
            CODE.clone()
        }
    }

    /// IDL `Rare::Hardly`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Hardly {
        /// IDL `none`.
        pub none: Nothing,
        /// IDL `more`.
        pub more: [Nothing; 2],
    }

    impl rt::Encode for Hardly {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.none, out)?;
            rt::Encode::encode(&self.more, out)
        }
    }

    impl<'a> rt::Decode<'a> for Hardly {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                none: rt::Decode::decode(input)?,
                more: rt::Decode::decode(input)?,
            })
        }
        const ZERO_SIZED: bool = true;

        fn decode_vec(
            input: &mut rt::Decoder<'a>,
            len: usize,
        ) -> rt::CdrResult<Vec<Self>> {
            Self::decode(input).map(|one| vec![one; len])
        }
    }

    impl rt::Typed for Hardly {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:rare.example/Rare/Hardly:1.0",
                    "Hardly",
                    [
                        ("none", <Nothing as rt::Typed>::type_code()),
                        (
                            "more",
                            rt::TypeCode::array(<Nothing as rt::Typed>::type_code(), 2),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Rare::Lists`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Lists {
        /// IDL `nothings`.
        pub nothings: Vec<Nothing>,
        /// IDL `few`.
        pub few: Vec<Hardly>,
    }

    impl rt::Encode for Lists {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_sequence(&self.nothings)?;
            out.put_bounded_sequence(&self.few, 8)
        }
    }

    impl<'a> rt::Decode<'a> for Lists {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                nothings: input.sequence()?,
                few: input.bounded_sequence(8)?,
            })
        }
    }

    impl rt::Typed for Lists {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:rare.example/Rare/Lists:1.0",
                    "Lists",
                    [
                        (
                            "nothings",
                            rt::TypeCode::sequence(
                                <Nothing as rt::Typed>::type_code(),
                                0,
                            ),
                        ),
                        (
                            "few",
                            rt::TypeCode::sequence(<Hardly as rt::Typed>::type_code(), 8),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Rare::ByHeight`.
    pub type ByHeight = Vec<(f64, String)>;

    /// The TypeCode of IDL `Rare::ByHeight`.
    pub fn by_height_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:rare.example/Rare/ByHeight:1.0",
                "ByHeight",
                rt::TypeCode::map(rt::TypeCode::Double, rt::TypeCode::String(0), 0),
            )
        });
        CODE.clone()
    }

    /// IDL `Rare::Nested`.
    pub type Nested = Vec<(Hardly, ByHeight)>;

    /// The TypeCode of IDL `Rare::Nested`.
    pub fn nested_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:rare.example/Rare/Nested:1.0",
                "Nested",
                rt::TypeCode::map(
                    <Hardly as rt::Typed>::type_code(),
                    rt::TypeCode::alias(
                        "IDL:rare.example/Rare/ByHeight:1.0",
                        "ByHeight",
                        rt::TypeCode::map(
                            rt::TypeCode::Double,
                            rt::TypeCode::String(0),
                            0,
                        ),
                    ),
                    4,
                ),
            )
        });
        CODE.clone()
    }

    /// IDL native `Rare::Cookie`.
    pub type Cookie = rt::Native;

    /// IDL interface `Rare::Registry`.
    pub trait Registry: Send + Sync + 'static {
        /// Reads the attribute `owner`.
        fn owner(&self) -> Result<Vec<u8>, rt::SystemException>;

        /// Sets the attribute [`owner`](Self::owner).
        fn set_owner(&self, value: &[u8]) -> Result<(), rt::SystemException>;

        /// IDL operation `swap`.
        fn swap(
            &self,
            mine: &[u8],
            other: &mut Vec<u8>,
        ) -> Result<(Vec<u8>, Nothing), rt::SystemException>;

        /// IDL operation `sorted`.
        fn sorted(
            &self,
            given: &[(f64, String)],
            changed: &mut Nested,
        ) -> Result<ByHeight, rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Registry`].
    pub type RegistryRef = rt::Ref<dyn Registry>;

    impl<I: Registry + rt::Interface + ?Sized> Registry for rt::Ref<I> {
        fn owner(&self) -> Result<Vec<u8>, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Registry::owner(servant)) {
                return done;
            }
            self.invoke("_get_owner", |_out| Ok(()), |input| input.sequence())
        }

        fn set_owner(&self, value: &[u8]) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Registry::set_owner(servant, value))
            {
                return done;
            }
            self.invoke(
                "_set_owner",
                |out| out.put_sequence::<u8>(value),
                |_input| Ok(()),
            )
        }

        fn swap(
            &self,
            mine: &[u8],
            other: &mut Vec<u8>,
        ) -> Result<(Vec<u8>, Nothing), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Registry::swap(servant, mine, other))
            {
                return done;
            }
            self.invoke(
                    "swap",
                    |out| {
                        out.put_sequence::<u8>(mine)?;
                        out.put_sequence::<u8>(&*other)
                    },
                    |input| Ok((
                        input.sequence()?,
                        input.sequence()?,
                        rt::Decode::decode(input)?,
                    )),
                )
                .map(|(result, new_other, none)| {
                    *other = new_other;
                    (result, none)
                })
        }

        fn sorted(
            &self,
            given: &[(f64, String)],
            changed: &mut Nested,
        ) -> Result<ByHeight, rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Registry::sorted(servant, given, changed))
            {
                return done;
            }
            self.invoke(
                    "sorted",
                    |out| {
                        out.put_length(given.len())?;
                        for (key, value) in given {
                            out.put_f64(*key);
                            out.borrow_string(value)?;
                        }
                        out.check_bound(changed.len(), 4)?;
                        out.put_length(changed.len())?;
                        for (key, value) in &*changed {
                            rt::Encode::encode(key, out)?;
                            out.put_length(value.len())?;
                            for (key, value) in value {
                                out.put_f64(*key);
                                out.borrow_string(value)?;
                            }
                        }
                        Ok(())
                    },
                    |input| Ok((
                        input
                            .sequence_with(|input| Ok((
                                input.f64()?,
                                input.string().map(Into::into)?,
                            )))?,
                        input
                            .bounded_sequence_with(
                                4,
                                |input| Ok((
                                    rt::Decode::decode(input)?,
                                    input
                                        .sequence_with(|input| Ok((
                                            input.f64()?,
                                            input.string().map(Into::into)?,
                                        )))?,
                                )),
                            )?,
                    )),
                )
                .map(|(result, new_changed)| {
                    *changed = new_changed;
                    result
                })
        }
    }

    impl rt::Interface for dyn Registry {
        const REPOSITORY_ID: &'static str = "IDL:rare.example/Rare/Registry:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &[
            "_get_owner",
            "_set_owner",
            "swap",
            "sorted",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<4, 8> = rt::Operations::new(
                <dyn Registry as rt::Interface>::OPERATIONS,
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
                0 => registry::skeleton::owner(self, call),
                1 => registry::skeleton::set_owner(self, call),
                2 => registry::skeleton::swap(self, call),
                3 => registry::skeleton::sorted(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Registry::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "_get_owner" => {
                        rt::Signature::new().with_result(rt::TypeCode::Principal)
                    }
                    "_set_owner" => {
                        rt::Signature::new().with_in("owner", rt::TypeCode::Principal)
                    }
                    "swap" => {
                        rt::Signature::new()
                            .with_in("mine", rt::TypeCode::Principal)
                            .with_inout("other", rt::TypeCode::Principal)
                            .with_out("none", <Nothing as rt::Typed>::type_code())
                            .with_result(rt::TypeCode::Principal)
                    }
                    "sorted" => {
                        rt::Signature::new()
                            .with_in(
                                "given",
                                rt::TypeCode::alias(
                                    "IDL:rare.example/Rare/ByHeight:1.0",
                                    "ByHeight",
                                    rt::TypeCode::map(
                                        rt::TypeCode::Double,
                                        rt::TypeCode::String(0),
                                        0,
                                    ),
                                ),
                            )
                            .with_inout(
                                "changed",
                                rt::TypeCode::alias(
                                    "IDL:rare.example/Rare/Nested:1.0",
                                    "Nested",
                                    rt::TypeCode::map(
                                        <Hardly as rt::Typed>::type_code(),
                                        rt::TypeCode::alias(
                                            "IDL:rare.example/Rare/ByHeight:1.0",
                                            "ByHeight",
                                            rt::TypeCode::map(
                                                rt::TypeCode::Double,
                                                rt::TypeCode::String(0),
                                                0,
                                            ),
                                        ),
                                        4,
                                    ),
                                ),
                            )
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:rare.example/Rare/ByHeight:1.0",
                                    "ByHeight",
                                    rt::TypeCode::map(
                                        rt::TypeCode::Double,
                                        rt::TypeCode::String(0),
                                        0,
                                    ),
                                ),
                            )
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Registry>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Registry> for dyn Registry {}

    /// What belongs to the interface [`Registry`].
    pub mod registry {
        /// Ties the servant to the skeleton of [`Registry`](super::Registry), for an object adapter.
        pub fn tie(
            servant: impl super::Registry,
        ) -> ::std::sync::Arc<dyn super::Registry> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn owner<T: super::super::Registry + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.owner(), |result, out| out.put_sequence::<u8>(result))
            }

            pub fn set_owner<T: super::super::Registry + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value = input.octets()?;
                call.reply(servant.set_owner(value), |(), _out| Ok(()))
            }

            pub fn swap<T: super::super::Registry + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let mine = input.octets()?;
                let mut other: Vec<u8> = input.sequence()?;
                let outcome = servant.swap(mine, &mut other);
                call.reply(
                    outcome.map(|value| (value, other)),
                    |((result, none), other), out| {
                        out.put_sequence::<u8>(result)?;
                        out.put_sequence::<u8>(other)?;
                        rt::Encode::encode(none, out)
                    },
                )
            }

            pub fn sorted<T: super::super::Registry + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let given: super::super::ByHeight = input
                    .sequence_with(|input| Ok((
                        input.f64()?,
                        input.string().map(Into::into)?,
                    )))?;
                let mut changed: super::super::Nested = input
                    .bounded_sequence_with(
                        4,
                        |input| Ok((
                            rt::Decode::decode(input)?,
                            input
                                .sequence_with(|input| Ok((
                                    input.f64()?,
                                    input.string().map(Into::into)?,
                                )))?,
                        )),
                    )?;
                let outcome = servant.sorted(&given, &mut changed);
                call.reply(
                    outcome.map(|value| (value, changed)),
                    |(result, changed), out| {
                        out.put_length(result.len())?;
                        for (key, value) in result {
                            out.put_f64(*key);
                            out.borrow_string(value)?;
                        }
                        out.check_bound(changed.len(), 4)?;
                        out.put_length(changed.len())?;
                        for (key, value) in changed {
                            rt::Encode::encode(key, out)?;
                            out.put_length(value.len())?;
                            for (key, value) in value {
                                out.put_f64(*key);
                                out.borrow_string(value)?;
                            }
                        }
                        Ok(())
                    },
                )
            }
        }
    }

    /// IDL `Rare::Owned`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Owned {
        /// IDL `owner`.
        pub owner: Vec<u8>,
        /// IDL `heights`.
        pub heights: ByHeight,
        /// IDL `sorted`.
        pub sorted: Nested,
    }

    impl rt::Encode for Owned {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_sequence::<u8>(&self.owner)?;
            out.put_length(self.heights.len())?;
            for (key, value) in &self.heights {
                out.put_f64(*key);
                out.borrow_string(value)?;
            }
            out.check_bound(self.sorted.len(), 4)?;
            out.put_length(self.sorted.len())?;
            for (key, value) in &self.sorted {
                rt::Encode::encode(key, out)?;
                out.put_length(value.len())?;
                for (key, value) in value {
                    out.put_f64(*key);
                    out.borrow_string(value)?;
                }
            }
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Owned {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                owner: input.sequence()?,
                heights: input
                    .sequence_with(|input| Ok((
                        input.f64()?,
                        input.string().map(Into::into)?,
                    )))?,
                sorted: input
                    .bounded_sequence_with(
                        4,
                        |input| Ok((
                            rt::Decode::decode(input)?,
                            input
                                .sequence_with(|input| Ok((
                                    input.f64()?,
                                    input.string().map(Into::into)?,
                                )))?,
                        )),
                    )?,
            })
        }
    }

    impl rt::Typed for Owned {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:rare.example/Rare/Owned:1.0",
                    "Owned",
                    [
                        ("owner", rt::TypeCode::Principal),
                        (
                            "heights",
                            rt::TypeCode::alias(
                                "IDL:rare.example/Rare/ByHeight:1.0",
                                "ByHeight",
                                rt::TypeCode::map(
                                    rt::TypeCode::Double,
                                    rt::TypeCode::String(0),
                                    0,
                                ),
                            ),
                        ),
                        (
                            "sorted",
                            rt::TypeCode::alias(
                                "IDL:rare.example/Rare/Nested:1.0",
                                "Nested",
                                rt::TypeCode::map(
                                    <Hardly as rt::Typed>::type_code(),
                                    rt::TypeCode::alias(
                                        "IDL:rare.example/Rare/ByHeight:1.0",
                                        "ByHeight",
                                        rt::TypeCode::map(
                                            rt::TypeCode::Double,
                                            rt::TypeCode::String(0),
                                            0,
                                        ),
                                    ),
                                    4,
                                ),
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }
}
