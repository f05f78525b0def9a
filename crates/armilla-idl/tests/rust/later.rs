// Made from later.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// Servants that reply later.
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

    /// IDL interface `Bank::Named`.
    pub trait Named: Send + Sync + 'static {
        /// Reads the attribute `name`.
        fn name(&self) -> Result<String, rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Named`].
    pub type NamedRef = rt::Ref<dyn Named>;

    impl<I: Named + rt::Interface + ?Sized> Named for rt::Ref<I> {
        fn name(&self) -> Result<String, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Named::name(servant)) {
                return done;
            }
            self.invoke(
                "_get_name",
                |_out| Ok(()),
                |input| input.string().map(Into::into),
            )
        }
    }

    impl rt::Interface for dyn Named {
        const REPOSITORY_ID: &'static str = "IDL:Bank/Named:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &["_get_name"];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<1, 2> = rt::Operations::new(
                <dyn Named as rt::Interface>::OPERATIONS,
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
                0 => named::skeleton::name(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Named::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "_get_name" => {
                        rt::Signature::new().with_result(rt::TypeCode::String(0))
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Named>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Named> for dyn Named {}

    /// Servants of [`Named`] that may reply later. What is not implemented here is what the method of [`Named`] returns.
    pub trait NamedLater: Named {
        /// `name`, with the reply whenever `reply` is completed.
        fn name_later(&self, reply: rt::ReplyHandle<String>) {
            reply.complete(self.name());
        }
    }

    impl rt::Interface for dyn NamedLater {
        const REPOSITORY_ID: &'static str = <dyn Named as rt::Interface>::REPOSITORY_ID;
        const BASES: &'static [&'static str] = <dyn Named as rt::Interface>::BASES;
        const OPERATIONS: &'static [&'static str] = &["_get_name"];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<1, 2> = rt::Operations::new(
                <dyn NamedLater as rt::Interface>::OPERATIONS,
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
                0 => named::skeleton_later::name(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Named::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            <dyn Named as rt::Interface>::signature(operation)
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn NamedLater>(|| servant.clone());
            target.offer::<dyn Named>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn NamedLater> for dyn NamedLater {}

    impl rt::IsA<dyn Named> for dyn NamedLater {}

    /// What belongs to the interface [`Named`].
    pub mod named {
        /// Ties the servant to the skeleton of [`Named`](super::Named), for an object adapter.
        pub fn tie(servant: impl super::Named) -> ::std::sync::Arc<dyn super::Named> {
            ::std::sync::Arc::new(servant)
        }

        /// Ties a servant that may reply later to the skeleton of [`Named`](super::Named), for an object adapter.
        pub fn tie_later(
            servant: impl super::NamedLater,
        ) -> ::std::sync::Arc<dyn super::NamedLater> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn name<T: super::super::Named + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.name(), |result, out| out.borrow_string(result))
            }
        }

        #[doc(hidden)]
        pub mod skeleton_later {
            use ::armilla::rt;

            pub fn name<T: super::super::NamedLater + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                servant.name_later(call.later(|result, out| out.borrow_string(result)));
                Ok(())
            }
        }
    }

    /// IDL interface `Bank::Account`.
    pub trait Account: Named {
        /// IDL operation `withdraw`.
        fn withdraw(
            &self,
            amount: f64,
        ) -> Result<(), rt::Error<account::WithdrawRaises>>;

        /// IDL operation `split`.
        fn split(
            &self,
            reply: &str,
            rest: &mut String,
            pieces: &mut Entries,
            n: &mut i32,
            e: &mut Entry,
        ) -> Result<(Entries, rt::WString), rt::SystemException>;

        /// IDL operation `notify`.
        fn notify(&self, n: i32) -> Result<(), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Named::servant_base(self)
        }
    }

    /// A reference to an object with the interface [`Account`].
    pub type AccountRef = rt::Ref<dyn Account>;

    impl<I: Account + rt::Interface + ?Sized> Account for rt::Ref<I> {
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

        fn split(
            &self,
            reply: &str,
            rest: &mut String,
            pieces: &mut Entries,
            n: &mut i32,
            e: &mut Entry,
        ) -> Result<(Entries, rt::WString), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::split(servant, reply, rest, pieces, n, e))
            {
                return done;
            }
            self.invoke(
                    "split",
                    |out| {
                        out.borrow_string(reply)?;
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
    }

    impl rt::Interface for dyn Account {
        const REPOSITORY_ID: &'static str = "IDL:Bank/Account:1.0";
        const BASES: &'static [&'static str] = &["IDL:Bank/Named:1.0"];
        const OPERATIONS: &'static [&'static str] = &[
            "withdraw",
            "split",
            "notify",
            "_get_name",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<4, 8> = rt::Operations::new(
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
                0 => account::skeleton::withdraw(self, call),
                1 => account::skeleton::split(self, call),
                2 => account::skeleton::notify(self, call),
                3 => named::skeleton::name(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Account::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "withdraw" => {
                        rt::Signature::new()
                            .with_in("amount", rt::TypeCode::Double)
                            .with_exception(<Closed as rt::Typed>::type_code())
                    }
                    "split" => {
                        rt::Signature::new()
                            .with_in("reply", rt::TypeCode::String(0))
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
                    "notify" => rt::Signature::new().with_in("n", rt::TypeCode::Long),
                    _ => return <dyn Named as rt::Interface>::signature(operation),
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Account>(|| servant.clone());
            target.offer::<dyn Named>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Account> for dyn Account {}

    impl rt::IsA<dyn Named> for dyn Account {}

    /// Servants of [`Account`] that may reply later. What is not implemented here is what the method of [`Account`] returns.
    pub trait AccountLater: Account + NamedLater {
        /// `withdraw`, with the reply whenever `reply` is completed.
        fn withdraw_later(
            &self,
            amount: f64,
            reply: rt::ReplyHandle<(), rt::Error<account::WithdrawRaises>>,
        ) {
            reply.complete(self.withdraw(amount));
        }

        /// `split`, with the reply whenever `reply` is completed.
        fn split_later(
            &self,
            reply: &str,
            rest: &str,
            pieces: &[Entry],
            n: i32,
            e: &Entry,
            reply_: rt::ReplyHandle<(Entries, String, Entries, i32, Entry, rt::WString)>,
        ) {
            let mut rest: String = rest.into();
            let mut pieces = pieces.to_owned();
            let mut n = n;
            let mut e = e.to_owned();
            reply_
                .complete(
                    self
                        .split(reply, &mut rest, &mut pieces, &mut n, &mut e)
                        .map(|(result, text)| (result, rest, pieces, n, e, text)),
                );
        }
    }

    impl rt::Interface for dyn AccountLater {
        const REPOSITORY_ID: &'static str = <dyn Account as rt::Interface>::REPOSITORY_ID;
        const BASES: &'static [&'static str] = <dyn Account as rt::Interface>::BASES;
        const OPERATIONS: &'static [&'static str] = &[
            "withdraw",
            "split",
            "notify",
            "_get_name",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<4, 8> = rt::Operations::new(
                <dyn AccountLater as rt::Interface>::OPERATIONS,
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
                0 => account::skeleton_later::withdraw(self, call),
                1 => account::skeleton_later::split(self, call),
                2 => account::skeleton::notify(self, call),
                3 => named::skeleton_later::name(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Account::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            <dyn Account as rt::Interface>::signature(operation)
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn AccountLater>(|| servant.clone());
            target.offer::<dyn Account>(|| servant.clone());
            target.offer::<dyn Named>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn AccountLater> for dyn AccountLater {}

    impl rt::IsA<dyn Account> for dyn AccountLater {}

    impl rt::IsA<dyn Named> for dyn AccountLater {}

    /// What belongs to the interface [`Account`].
    pub mod account {
        use ::armilla::rt;

        /// Ties the servant to the skeleton of [`Account`](super::Account), for an object adapter.
        pub fn tie(
            servant: impl super::Account,
        ) -> ::std::sync::Arc<dyn super::Account> {
            ::std::sync::Arc::new(servant)
        }

        /// Ties a servant that may reply later to the skeleton of [`Account`](super::Account), for an object adapter.
        pub fn tie_later(
            servant: impl super::AccountLater,
        ) -> ::std::sync::Arc<dyn super::AccountLater> {
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
                let reply = input.string()?;
                let mut rest: String = input.string().map(Into::into)?;
                let mut pieces: super::super::Entries = input.sequence()?;
                let mut n = input.i32()?;
                let mut e: super::super::Entry = rt::Decode::decode(input)?;
                let outcome = servant
                    .split(&reply, &mut rest, &mut pieces, &mut n, &mut e);
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

            pub fn notify<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n = input.i32()?;
                call.no_reply(servant.notify(n))
            }
        }

        #[doc(hidden)]
        pub mod skeleton_later {
            use ::armilla::rt;

            pub fn withdraw<T: super::super::AccountLater + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let amount = input.f64()?;
                servant.withdraw_later(amount, call.later(|(), _out| Ok(())));
                Ok(())
            }

            pub fn split<T: super::super::AccountLater + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let reply = input.string()?;
                let rest = input.string()?;
                let pieces: super::super::Entries = input.sequence()?;
                let n = input.i32()?;
                let e: super::super::Entry = rt::Decode::decode(input)?;
                servant
                    .split_later(
                        &reply,
                        &rest,
                        &pieces,
                        n,
                        &e,
                        call
                            .later(|(result, rest, pieces, n, e, text), out| {
                                out.put_sequence(result)?;
                                out.borrow_string(rest)?;
                                out.put_sequence(pieces)?;
                                out.put_i32(*n);
                                rt::Encode::encode(e, out)?;
                                out.put_wstring(text)
                            }),
                    );
                Ok(())
            }
        }
    }

    /// IDL interface `Bank::Marker`.
    pub trait Marker: Send + Sync + 'static {
        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Marker`].
    pub type MarkerRef = rt::Ref<dyn Marker>;

    impl<I: Marker + rt::Interface + ?Sized> Marker for rt::Ref<I> {}

    impl rt::Interface for dyn Marker {
        const REPOSITORY_ID: &'static str = "IDL:Bank/Marker:1.0";
        const BASES: &'static [&'static str] = &[];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            call.unknown_operation()
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Marker::servant_base(self)
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Marker>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Marker> for dyn Marker {}

    /// Servants of [`Marker`] that may reply later. What is not implemented here is what the method of [`Marker`] returns.
    pub trait MarkerLater: Marker {}

    impl rt::Interface for dyn MarkerLater {
        const REPOSITORY_ID: &'static str = <dyn Marker as rt::Interface>::REPOSITORY_ID;
        const BASES: &'static [&'static str] = <dyn Marker as rt::Interface>::BASES;

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            call.unknown_operation()
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Marker::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            <dyn Marker as rt::Interface>::signature(operation)
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn MarkerLater>(|| servant.clone());
            target.offer::<dyn Marker>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn MarkerLater> for dyn MarkerLater {}

    impl rt::IsA<dyn Marker> for dyn MarkerLater {}

    /// What belongs to the interface [`Marker`].
    pub mod marker {
        /// Ties the servant to the skeleton of [`Marker`](super::Marker), for an object adapter.
        pub fn tie(servant: impl super::Marker) -> ::std::sync::Arc<dyn super::Marker> {
            ::std::sync::Arc::new(servant)
        }

        /// Ties a servant that may reply later to the skeleton of [`Marker`](super::Marker), for an object adapter.
        pub fn tie_later(
            servant: impl super::MarkerLater,
        ) -> ::std::sync::Arc<dyn super::MarkerLater> {
            ::std::sync::Arc::new(servant)
        }
    }
}
