// Made from exceptions.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// IDL module `Bank`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod bank {
    use ::armilla::rt;

    /// IDL `Bank::NotFound`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct NotFound;

    impl ::std::fmt::Display for NotFound {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.write_str("Bank::NotFound")
        }
    }

    impl ::std::error::Error for NotFound {}

    impl rt::UserException for NotFound {
        const REPOSITORY_ID: &'static str = "IDL:Bank/NotFound:1.0";
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
                rt::TypeCode::exception::<&str>("IDL:Bank/NotFound:1.0", "NotFound", [])
            });
            CODE.clone()
        }
    }

    /// There is less than was asked for.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct InsufficientFunds {
        /// How much is missing.
        pub missing: f64,
        /// IDL `currency`.
        pub currency: String,
    }

    impl ::std::fmt::Display for InsufficientFunds {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            write!(
                f, "Bank::InsufficientFunds (missing: {:?}, currency: {:?})", self
                .missing, self.currency
            )
        }
    }

    impl ::std::error::Error for InsufficientFunds {}

    impl rt::UserException for InsufficientFunds {
        const REPOSITORY_ID: &'static str = "IDL:Bank/InsufficientFunds:1.0";
    }

    impl rt::Encode for InsufficientFunds {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_f64(self.missing);
            out.borrow_string(&self.currency)
        }
    }

    impl<'a> rt::Decode<'a> for InsufficientFunds {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                missing: input.f64()?,
                currency: input.string().map(Into::into)?,
            })
        }
    }

    impl rt::Typed for InsufficientFunds {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::exception(
                    "IDL:Bank/InsufficientFunds:1.0",
                    "InsufficientFunds",
                    [
                        ("missing", rt::TypeCode::Double),
                        ("currency", rt::TypeCode::String(0)),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL module `Bank::Archive`.
    pub mod archive {
        use ::armilla::rt;

        /// IDL `Bank::Archive::NotFound`.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
        pub struct NotFound {
            /// IDL `year`.
            pub year: i32,
        }

        impl ::std::fmt::Display for NotFound {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, "Bank::Archive::NotFound (year: {:?})", self.year)
            }
        }

        impl ::std::error::Error for NotFound {}

        impl rt::UserException for NotFound {
            const REPOSITORY_ID: &'static str = "IDL:Bank/Archive/NotFound:1.0";
        }

        impl rt::Encode for NotFound {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                out.put_i32(self.year);
                Ok(())
            }
        }

        impl<'a> rt::Decode<'a> for NotFound {
            fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self { year: input.i32()? })
            }
        }

        impl rt::Typed for NotFound {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::exception(
                        "IDL:Bank/Archive/NotFound:1.0",
                        "NotFound",
                        [("year", rt::TypeCode::Long)],
                    )
                });
                CODE.clone()
            }
        }

        /// IDL interface `Bank::Archive::Ledger`.
        pub trait Ledger: Send + Sync + 'static {
            /// Reads a page.
            fn read(&self, page: i32) -> Result<String, rt::Error<ledger::ReadRaises>>;

            /// IDL operation `close`.
            fn close(&self) -> Result<(), rt::Error<ledger::CloseRaises>>;

            /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
            /// servant that is an `armilla::ServantBase`.
            fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
                None
            }
        }

        /// A reference to an object with the interface [`Ledger`].
        pub type LedgerRef = rt::Ref<dyn Ledger>;

        impl<I: Ledger + rt::Interface + ?Sized> Ledger for rt::Ref<I> {
            fn read(&self, page: i32) -> Result<String, rt::Error<ledger::ReadRaises>> {
                if let Some(done) = self.directly(|servant| Ledger::read(servant, page))
                {
                    return done;
                }
                self.invoke_raises(
                    "read",
                    |out| {
                        out.put_i32(page);
                        Ok(())
                    },
                    |input| input.string().map(Into::into),
                )
            }

            fn close(&self) -> Result<(), rt::Error<ledger::CloseRaises>> {
                if let Some(done) = self.directly(|servant| Ledger::close(servant)) {
                    return done;
                }
                self.invoke_raises("close", |_out| Ok(()), |_input| Ok(()))
            }
        }

        impl rt::Interface for dyn Ledger {
            const REPOSITORY_ID: &'static str = "IDL:Bank/Archive/Ledger:1.0";
            const BASES: &'static [&'static str] = &[];
            const OPERATIONS: &'static [&'static str] = &["read", "close"];

            fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
                static OPERATIONS: rt::Operations<2, 4> = rt::Operations::new(
                    <dyn Ledger as rt::Interface>::OPERATIONS,
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
                    0 => ledger::skeleton::read(self, call),
                    1 => ledger::skeleton::close(self, call),
                    _ => call.unknown_operation(),
                }
            }

            fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
                Ledger::servant_base(self)
            }

            fn signature(operation: &str) -> Option<rt::Signature> {
                Some(
                    match operation {
                        "read" => {
                            rt::Signature::new()
                                .with_in("page", rt::TypeCode::Long)
                                .with_result(rt::TypeCode::String(0))
                                .with_exception(<NotFound as rt::Typed>::type_code())
                                .with_exception(<super::NotFound as rt::Typed>::type_code())
                                .with_exception(<ledger::Locked as rt::Typed>::type_code())
                        }
                        "close" => {
                            rt::Signature::new()
                                .with_exception(
                                    <super::InsufficientFunds as rt::Typed>::type_code(),
                                )
                        }
                        _ => return None,
                    },
                )
            }

            fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
                target.offer::<dyn Ledger>(|| servant.clone());
            }
        }

        impl rt::IsA<dyn Ledger> for dyn Ledger {}

        /// What belongs to the interface [`Ledger`].
        pub mod ledger {
            use ::armilla::rt;

            /// IDL `Bank::Archive::Ledger::Locked`.
            #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
            pub struct Locked {
                /// IDL `by`.
                pub by: String,
            }

            impl ::std::fmt::Display for Locked {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    write!(f, "Bank::Archive::Ledger::Locked (by: {:?})", self.by)
                }
            }

            impl ::std::error::Error for Locked {}

            impl rt::UserException for Locked {
                const REPOSITORY_ID: &'static str = "IDL:Bank/Archive/Ledger/Locked:1.0";
            }

            impl rt::Encode for Locked {
                fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                    out.borrow_string(&self.by)
                }
            }

            impl<'a> rt::Decode<'a> for Locked {
                fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                    Ok(Self {
                        by: input.string().map(Into::into)?,
                    })
                }
            }

            impl rt::Typed for Locked {
                fn type_code() -> rt::TypeCode {
                    static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                        rt::TypeCode::exception(
                            "IDL:Bank/Archive/Ledger/Locked:1.0",
                            "Locked",
                            [("by", rt::TypeCode::String(0))],
                        )
                    });
                    CODE.clone()
                }
            }

            /// Ties the servant to the skeleton of [`Ledger`](super::Ledger), for an object adapter.
            pub fn tie(
                servant: impl super::Ledger,
            ) -> ::std::sync::Arc<dyn super::Ledger> {
                ::std::sync::Arc::new(servant)
            }

            /// The exceptions that `read` may raise.
            #[derive(Debug, Clone, PartialEq)]
            pub enum ReadRaises {
                /// IDL exception `Bank::Archive::NotFound`.
                BankArchiveNotFound(super::NotFound),
                /// IDL exception `Bank::NotFound`.
                BankNotFound(super::super::NotFound),
                /// IDL exception `Bank::Archive::Ledger::Locked`.
                Locked(Locked),
            }

            impl rt::Raises for ReadRaises {
                fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                    match self {
                        Self::BankArchiveNotFound(exception) => {
                            rt::encode_exception(exception, out)
                        }
                        Self::BankNotFound(exception) => {
                            rt::encode_exception(exception, out)
                        }
                        Self::Locked(exception) => rt::encode_exception(exception, out),
                    }
                }

                fn decode(
                    repository_id: &str,
                    input: &mut rt::Decoder<'_>,
                ) -> rt::CdrResult<Option<Self>> {
                    match repository_id {
                        <super::NotFound as rt::UserException>::REPOSITORY_ID => {
                            rt::Decode::decode(input)
                                .map(|exception| Some(Self::BankArchiveNotFound(exception)))
                        }
                        <super::super::NotFound as rt::UserException>::REPOSITORY_ID => {
                            rt::Decode::decode(input)
                                .map(|exception| Some(Self::BankNotFound(exception)))
                        }
                        <Locked as rt::UserException>::REPOSITORY_ID => {
                            rt::Decode::decode(input)
                                .map(|exception| Some(Self::Locked(exception)))
                        }
                        _ => Ok(None),
                    }
                }
            }

            impl ::std::fmt::Display for ReadRaises {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    match self {
                        Self::BankArchiveNotFound(exception) => {
                            ::std::fmt::Display::fmt(exception, f)
                        }
                        Self::BankNotFound(exception) => {
                            ::std::fmt::Display::fmt(exception, f)
                        }
                        Self::Locked(exception) => ::std::fmt::Display::fmt(exception, f),
                    }
                }
            }

            impl ::std::error::Error for ReadRaises {}

            impl From<super::NotFound> for ReadRaises {
                fn from(exception: super::NotFound) -> Self {
                    Self::BankArchiveNotFound(exception)
                }
            }

            impl From<super::super::NotFound> for ReadRaises {
                fn from(exception: super::super::NotFound) -> Self {
                    Self::BankNotFound(exception)
                }
            }

            impl From<Locked> for ReadRaises {
                fn from(exception: Locked) -> Self {
                    Self::Locked(exception)
                }
            }

            /// The exceptions that `close` may raise.
            #[derive(Debug, Clone, PartialEq)]
            pub enum CloseRaises {
                /// IDL exception `Bank::InsufficientFunds`.
                InsufficientFunds(super::super::InsufficientFunds),
            }

            impl rt::Raises for CloseRaises {
                fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                    match self {
                        Self::InsufficientFunds(exception) => {
                            rt::encode_exception(exception, out)
                        }
                    }
                }

                fn decode(
                    repository_id: &str,
                    input: &mut rt::Decoder<'_>,
                ) -> rt::CdrResult<Option<Self>> {
                    match repository_id {
                        <super::super::InsufficientFunds as rt::UserException>::REPOSITORY_ID => {
                            rt::Decode::decode(input)
                                .map(|exception| Some(Self::InsufficientFunds(exception)))
                        }
                        _ => Ok(None),
                    }
                }
            }

            impl ::std::fmt::Display for CloseRaises {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    match self {
                        Self::InsufficientFunds(exception) => {
                            ::std::fmt::Display::fmt(exception, f)
                        }
                    }
                }
            }

            impl ::std::error::Error for CloseRaises {}

            impl From<super::super::InsufficientFunds> for CloseRaises {
                fn from(exception: super::super::InsufficientFunds) -> Self {
                    Self::InsufficientFunds(exception)
                }
            }

            #[doc(hidden)]
            pub mod skeleton {
                use ::armilla::rt;

                pub fn read<T: super::super::Ledger + ?Sized>(
                    servant: &T,
                    call: &mut rt::ServerCall<'_>,
                ) -> rt::Dispatched {
                    let input = &mut call.arguments();
                    let page = input.i32()?;
                    call.reply(servant.read(page), |result, out| out.borrow_string(result))
                }

                pub fn close<T: super::super::Ledger + ?Sized>(
                    servant: &T,
                    call: &mut rt::ServerCall<'_>,
                ) -> rt::Dispatched {
                    call.reply(servant.close(), |(), _out| Ok(()))
                }
            }
        }
    }
}
