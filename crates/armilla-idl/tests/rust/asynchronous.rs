// Made from asynchronous.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// Forms that do not wait. A name that is taken gets an underscore.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod bank {
    use ::armilla::rt;

    /// IDL `Bank::Closed`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Closed;

    impl ::std::fmt::Display for Closed {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.write_str("Bank::Closed")
        }
    }

    impl ::std::error::Error for Closed {}

    impl rt::UserException for Closed {
        const REPOSITORY_ID: &'static str = "IDL:Bank/Closed:1.0";
    }

    impl rt::Encode for Closed {
        fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Closed {
        fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self)
        }
    }

    impl rt::Typed for Closed {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::exception::<&str>("IDL:Bank/Closed:1.0", "Closed", [])
            });
            CODE.clone()
        }
    }

    /// IDL `Bank::Entry`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Entry {
        /// IDL `text`.
        pub text: String,
    }

    impl rt::Encode for Entry {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.borrow_string(&self.text)
        }
    }

    impl<'a> rt::Decode<'a> for Entry {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                text: input.string().map(Into::into)?,
            })
        }
    }

    impl rt::Typed for Entry {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Bank/Entry:1.0",
                    "Entry",
                    [("text", rt::TypeCode::String(0))],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Bank::Entries`.
    pub type Entries = Vec<Entry>;

    /// The TypeCode of IDL `Bank::Entries`.
    pub fn entries_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Bank/Entries:1.0",
                "Entries",
                rt::TypeCode::sequence(<Entry as rt::Typed>::type_code(), 0),
            )
        });
        CODE.clone()
    }

    /// IDL interface `Bank::Account`.
    pub trait Account: Send + Sync + 'static {
        /// Reads the attribute `balance`.
        fn balance(&self) -> Result<f64, rt::SystemException>;

        /// [`balance`](Self::balance) without waiting for the reply.
        fn balance_async(&self) -> rt::ReplyFuture<f64> {
            rt::ReplyFuture::ready(self.balance())
        }

        /// Sets the attribute [`balance`](Self::balance).
        fn set_balance(&self, value: f64) -> Result<(), rt::SystemException>;

        /// [`set_balance`](Self::set_balance) without waiting for the reply.
        fn set_balance_async(&self, value: f64) -> rt::ReplyFuture<()> {
            rt::ReplyFuture::ready(self.set_balance(value))
        }

        /// Reads the attribute `recent`.
        fn recent(&self) -> Result<Entries, rt::SystemException>;

        /// [`recent`](Self::recent) without waiting for the reply.
        fn recent_async(&self) -> rt::ReplyFuture<Entries> {
            rt::ReplyFuture::ready(self.recent())
        }

        /// IDL operation `withdraw`.
        fn withdraw(
            &self,
            amount: f64,
        ) -> Result<(), rt::Error<account::WithdrawRaises>>;

        /// [`withdraw`](Self::withdraw) without waiting for the reply.
        fn withdraw_async(
            &self,
            amount: f64,
        ) -> rt::ReplyFuture<(), rt::Error<account::WithdrawRaises>> {
            rt::ReplyFuture::ready(self.withdraw(amount))
        }

        /// IDL operation `split`.
        fn split(
            &self,
            name: &str,
            rest: &mut String,
            pieces: &mut Entries,
            n: &mut i32,
            e: &mut Entry,
        ) -> Result<(Entries, rt::WString), rt::SystemException>;

        /// [`split`](Self::split) without waiting for the reply.
        fn split_async(
            &self,
            name: &str,
            rest: &str,
            pieces: &[Entry],
            n: i32,
            e: &Entry,
        ) -> rt::ReplyFuture<(Entries, String, Entries, i32, Entry, rt::WString)> {
            let mut rest: String = rest.into();
            let mut pieces = pieces.to_owned();
            let mut n = n;
            let mut e = e.to_owned();
            rt::ReplyFuture::ready(
                self
                    .split(name, &mut rest, &mut pieces, &mut n, &mut e)
                    .map(|(result, text)| (result, rest, pieces, n, e, text)),
            )
        }

        /// IDL operation `bump`.
        fn bump(&self, result: &mut i32) -> Result<(), rt::SystemException>;

        /// [`bump`](Self::bump) without waiting for the reply.
        fn bump_async(&self, result: i32) -> rt::ReplyFuture<i32> {
            let mut result = result;
            rt::ReplyFuture::ready(self.bump(&mut result).map(|()| result))
        }

        /// IDL operation `notify`.
        fn notify(&self, n: i32) -> Result<(), rt::SystemException>;

        /// IDL operation `stop`.
        fn stop(&self) -> Result<(), rt::SystemException>;

        /// [`stop`](Self::stop) without waiting for the reply.
        fn stop_async_(&self) -> rt::ReplyFuture<()> {
            rt::ReplyFuture::ready(self.stop())
        }

        /// IDL operation `stop_async`.
        fn stop_async(&self) -> Result<(), rt::SystemException>;

        /// [`stop_async`](Self::stop_async) without waiting for the reply.
        fn stop_async_async(&self) -> rt::ReplyFuture<()> {
            rt::ReplyFuture::ready(self.stop_async())
        }

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Account`].
    pub type AccountRef = rt::Ref<dyn Account>;

    impl<I: Account + rt::Interface + ?Sized> Account for rt::Ref<I> {
        fn balance(&self) -> Result<f64, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::balance(servant)) {
                return done;
            }
            self.invoke("_get_balance", |_out| Ok(()), |input| input.f64())
        }

        fn balance_async(&self) -> rt::ReplyFuture<f64> {
            if let Some(done) = self.directly(|servant| Account::balance_async(servant))
            {
                return done;
            }
            self.invoke_async("_get_balance", |_out| Ok(()), |input| input.f64())
        }

        fn set_balance(&self, value: f64) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::set_balance(servant, value))
            {
                return done;
            }
            self.invoke(
                "_set_balance",
                |out| {
                    out.put_f64(value);
                    Ok(())
                },
                |_input| Ok(()),
            )
        }

        fn set_balance_async(&self, value: f64) -> rt::ReplyFuture<()> {
            if let Some(done) = self
                .directly(|servant| Account::set_balance_async(servant, value))
            {
                return done;
            }
            self.invoke_async(
                "_set_balance",
                |out| {
                    out.put_f64(value);
                    Ok(())
                },
                |_input| Ok(()),
            )
        }

        fn recent(&self) -> Result<Entries, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::recent(servant)) {
                return done;
            }
            self.invoke("_get_recent", |_out| Ok(()), |input| input.sequence())
        }

        fn recent_async(&self) -> rt::ReplyFuture<Entries> {
            if let Some(done) = self.directly(|servant| Account::recent_async(servant)) {
                return done;
            }
            self.invoke_async("_get_recent", |_out| Ok(()), |input| input.sequence())
        }

        fn withdraw(
            &self,
            amount: f64,
        ) -> Result<(), rt::Error<account::WithdrawRaises>> {
            if let Some(done) = self
                .directly(|servant| Account::withdraw(servant, amount))
            {
                return done;
            }
            self.invoke_raises(
                "withdraw",
                |out| {
                    out.put_f64(amount);
                    Ok(())
                },
                |_input| Ok(()),
            )
        }

        fn withdraw_async(
            &self,
            amount: f64,
        ) -> rt::ReplyFuture<(), rt::Error<account::WithdrawRaises>> {
            if let Some(done) = self
                .directly(|servant| Account::withdraw_async(servant, amount))
            {
                return done;
            }
            self.invoke_raises_async(
                "withdraw",
                |out| {
                    out.put_f64(amount);
                    Ok(())
                },
                |_input| Ok(()),
            )
        }

        fn split(
            &self,
            name: &str,
            rest: &mut String,
            pieces: &mut Entries,
            n: &mut i32,
            e: &mut Entry,
        ) -> Result<(Entries, rt::WString), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::split(servant, name, rest, pieces, n, e))
            {
                return done;
            }
            self.invoke(
                    "split",
                    |out| {
                        out.borrow_string(name)?;
                        out.borrow_string(&*rest)?;
                        out.put_sequence(&*pieces)?;
                        out.put_i32(*n);
                        rt::Encode::encode(&*e, out)
                    },
                    |input| Ok((
                        input.sequence()?,
                        input.string().map(Into::into)?,
                        input.sequence()?,
                        input.i32()?,
                        rt::Decode::decode(input)?,
                        input.wstring().map(Into::into)?,
                    )),
                )
                .map(|(result, new_rest, new_pieces, new_n, new_e, text)| {
                    *rest = new_rest;
                    *pieces = new_pieces;
                    *n = new_n;
                    *e = new_e;
                    (result, text)
                })
        }

        fn split_async(
            &self,
            name: &str,
            rest: &str,
            pieces: &[Entry],
            n: i32,
            e: &Entry,
        ) -> rt::ReplyFuture<(Entries, String, Entries, i32, Entry, rt::WString)> {
            if let Some(done) = self
                .directly(|servant| Account::split_async(
                    servant,
                    name,
                    rest,
                    pieces,
                    n,
                    e,
                ))
            {
                return done;
            }
            self.invoke_async(
                "split",
                |out| {
                    out.borrow_string(name)?;
                    out.borrow_string(rest)?;
                    out.put_sequence(pieces)?;
                    out.put_i32(n);
                    rt::Encode::encode(e, out)
                },
                |input| Ok((
                    input.sequence()?,
                    input.string().map(Into::into)?,
                    input.sequence()?,
                    input.i32()?,
                    rt::Decode::decode(input)?,
                    input.wstring().map(Into::into)?,
                )),
            )
        }

        fn bump(&self, result: &mut i32) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::bump(servant, result)) {
                return done;
            }
            self.invoke(
                    "bump",
                    |out| {
                        out.put_i32(*result);
                        Ok(())
                    },
                    |input| input.i32(),
                )
                .map(|new_result| {
                    *result = new_result;
                })
        }

        fn bump_async(&self, result: i32) -> rt::ReplyFuture<i32> {
            if let Some(done) = self
                .directly(|servant| Account::bump_async(servant, result))
            {
                return done;
            }
            self.invoke_async(
                "bump",
                |out| {
                    out.put_i32(result);
                    Ok(())
                },
                |input| input.i32(),
            )
        }

        fn notify(&self, n: i32) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::notify(servant, n)) {
                return done;
            }
            self.invoke_oneway(
                "notify",
                |out| {
                    out.put_i32(n);
                    Ok(())
                },
            )
        }

        fn stop(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::stop(servant)) {
                return done;
            }
            self.invoke("stop", |_out| Ok(()), |_input| Ok(()))
        }

        fn stop_async_(&self) -> rt::ReplyFuture<()> {
            if let Some(done) = self.directly(|servant| Account::stop_async_(servant)) {
                return done;
            }
            self.invoke_async("stop", |_out| Ok(()), |_input| Ok(()))
        }

        fn stop_async(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::stop_async(servant)) {
                return done;
            }
            self.invoke("stop_async", |_out| Ok(()), |_input| Ok(()))
        }

        fn stop_async_async(&self) -> rt::ReplyFuture<()> {
            if let Some(done) = self
                .directly(|servant| Account::stop_async_async(servant))
            {
                return done;
            }
            self.invoke_async("stop_async", |_out| Ok(()), |_input| Ok(()))
        }
    }

    impl rt::Interface for dyn Account {
        const REPOSITORY_ID: &'static str = "IDL:Bank/Account:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &[
            "_get_balance",
            "_set_balance",
            "_get_recent",
            "withdraw",
            "split",
            "bump",
            "notify",
            "stop",
            "stop_async",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<9, 32> = rt::Operations::new(
                <dyn Account as rt::Interface>::OPERATIONS,
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
                0 => account::skeleton::balance(self, call),
                1 => account::skeleton::set_balance(self, call),
                2 => account::skeleton::recent(self, call),
                3 => account::skeleton::withdraw(self, call),
                4 => account::skeleton::split(self, call),
                5 => account::skeleton::bump(self, call),
                6 => account::skeleton::notify(self, call),
                7 => account::skeleton::stop(self, call),
                8 => account::skeleton::stop_async(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Account::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "_get_balance" => {
                        rt::Signature::new().with_result(rt::TypeCode::Double)
                    }
                    "_set_balance" => {
                        rt::Signature::new().with_in("balance", rt::TypeCode::Double)
                    }
                    "_get_recent" => {
                        rt::Signature::new()
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:Bank/Entries:1.0",
                                    "Entries",
                                    rt::TypeCode::sequence(<Entry as rt::Typed>::type_code(), 0),
                                ),
                            )
                    }
                    "withdraw" => {
                        rt::Signature::new()
                            .with_in("amount", rt::TypeCode::Double)
                            .with_exception(<Closed as rt::Typed>::type_code())
                    }
                    "split" => {
                        rt::Signature::new()
                            .with_in("name", rt::TypeCode::String(0))
                            .with_inout("rest", rt::TypeCode::String(0))
                            .with_inout(
                                "pieces",
                                rt::TypeCode::alias(
                                    "IDL:Bank/Entries:1.0",
                                    "Entries",
                                    rt::TypeCode::sequence(<Entry as rt::Typed>::type_code(), 0),
                                ),
                            )
                            .with_inout("n", rt::TypeCode::Long)
                            .with_inout("e", <Entry as rt::Typed>::type_code())
                            .with_out("text", rt::TypeCode::WString(0))
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:Bank/Entries:1.0",
                                    "Entries",
                                    rt::TypeCode::sequence(<Entry as rt::Typed>::type_code(), 0),
                                ),
                            )
                    }
                    "bump" => {
                        rt::Signature::new().with_inout("result", rt::TypeCode::Long)
                    }
                    "notify" => rt::Signature::new().with_in("n", rt::TypeCode::Long),
                    "stop" => rt::Signature::new(),
                    "stop_async" => rt::Signature::new(),
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Account>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Account> for dyn Account {}

    /// What belongs to the interface [`Account`].
    pub mod account {
        use ::armilla::rt;

        /// Ties the servant to the skeleton of [`Account`](super::Account), for an object adapter.
        pub fn tie(
            servant: impl super::Account,
        ) -> ::std::sync::Arc<dyn super::Account> {
            ::std::sync::Arc::new(servant)
        }

        /// The exceptions that `withdraw` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum WithdrawRaises {
            /// IDL exception `Bank::Closed`.
            Closed(super::Closed),
        }

        impl rt::Raises for WithdrawRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::Closed(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::Closed as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::Closed(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for WithdrawRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Closed(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for WithdrawRaises {}

        impl From<super::Closed> for WithdrawRaises {
            fn from(exception: super::Closed) -> Self {
                Self::Closed(exception)
            }
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn balance<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(
                    servant.balance(),
                    |result, out| {
                        out.put_f64(*result);
                        Ok(())
                    },
                )
            }

            pub fn set_balance<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value = input.f64()?;
                call.reply(servant.set_balance(value), |(), _out| Ok(()))
            }

            pub fn recent<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.recent(), |result, out| out.put_sequence(result))
            }

            pub fn withdraw<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let amount = input.f64()?;
                call.reply(servant.withdraw(amount), |(), _out| Ok(()))
            }

            pub fn split<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let name = input.string()?;
                let mut rest: String = input.string().map(Into::into)?;
                let mut pieces: super::super::Entries = input.sequence()?;
                let mut n = input.i32()?;
                let mut e: super::super::Entry = rt::Decode::decode(input)?;
                let outcome = servant
                    .split(&name, &mut rest, &mut pieces, &mut n, &mut e);
                call.reply(
                    outcome.map(|value| (value, rest, pieces, n, e)),
                    |((result, text), rest, pieces, n, e), out| {
                        out.put_sequence(result)?;
                        out.borrow_string(rest)?;
                        out.put_sequence(pieces)?;
                        out.put_i32(*n);
                        rt::Encode::encode(e, out)?;
                        out.put_wstring(text)
                    },
                )
            }

            pub fn bump<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let mut result = input.i32()?;
                let outcome = servant.bump(&mut result);
                call.reply(
                    outcome.map(|()| result),
                    |result, out| {
                        out.put_i32(*result);
                        Ok(())
                    },
                )
            }

            pub fn notify<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n = input.i32()?;
                call.no_reply(servant.notify(n))
            }

            pub fn stop<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.stop(), |(), _out| Ok(()))
            }

            pub fn stop_async<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.stop_async(), |(), _out| Ok(()))
            }
        }
    }

    /// IDL interface `Bank::Guard`.
    pub trait Guard: Send + Sync + 'static {
        /// IDL operation `check`.
        fn check(&self) -> Result<(), rt::SystemException>;
    }

    /// A reference to an object with the interface [`Guard`].
    pub type GuardRef = rt::LocalRef<dyn Guard>;

    /// What belongs to the interface [`Guard`].
    pub mod guard {
        /// Makes an object of what implements [`Guard`](super::Guard).
        pub fn tie(servant: impl super::Guard) -> ::std::sync::Arc<dyn super::Guard> {
            ::std::sync::Arc::new(servant)
        }
    }
}
