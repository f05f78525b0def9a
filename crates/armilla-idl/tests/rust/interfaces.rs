// Made from interfaces.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// IDL module `Bank`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod bank {
    use ::armilla::rt;

    /// IDL `Bank::Part`.
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct Part {
        /// IDL `number`.
        pub number: i32,
        /// IDL `amount`.
        pub amount: f64,
    }

    impl rt::Encode for Part {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_i32(self.number);
            out.put_f64(self.amount);
            Ok(())
        }

        fn encode_slice<'p>(
            items: &'p [Self],
            out: &mut rt::Encoder<'p>,
        ) -> rt::CdrResult {
            out.put_fixed(items)
        }
    }

    impl<'a> rt::Decode<'a> for Part {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                number: input.i32()?,
                amount: input.f64()?,
            })
        }

        fn decode_vec(
            input: &mut rt::Decoder<'a>,
            len: usize,
        ) -> rt::CdrResult<Vec<Self>> {
            input.fixed_vec(len)
        }
    }

    impl rt::Fixed for Part {
        const ALIGN: usize = 8;
        const PHASE: usize = 0;
        type Chunk = [u8; 16];

        #[inline(always)]
        fn write<O: rt::Order>(&self, chunk: &mut [u8; 16]) {
            O::put_i32(chunk, 0..8, self.number);
            O::put_f64(chunk, 8..16, self.amount);
        }

        #[inline(always)]
        fn read<O: rt::Order>(chunk: &[u8; 16]) -> rt::CdrResult<Self> {
            Ok(Self {
                number: O::i32(chunk, 0),
                amount: O::f64(chunk, 8),
            })
        }
    }

    impl rt::Typed for Part {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:example.com/Bank/Part:1.0",
                    "Part",
                    [("number", rt::TypeCode::Long), ("amount", rt::TypeCode::Double)],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Bank::Parts`.
    pub type Parts = Vec<Part>;

    /// The TypeCode of IDL `Bank::Parts`.
    pub fn parts_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:example.com/Bank/Parts:1.0",
                "Parts",
                rt::TypeCode::sequence(<Part as rt::Typed>::type_code(), 0),
            )
        });
        CODE.clone()
    }

    /// IDL `Bank::Matrix`.
    pub type Matrix = [[i32; 3]; 3];

    /// The TypeCode of IDL `Bank::Matrix`.
    pub fn matrix_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:example.com/Bank/Matrix:1.0",
                "Matrix",
                rt::TypeCode::array(rt::TypeCode::array(rt::TypeCode::Long, 3), 3),
            )
        });
        CODE.clone()
    }

    /// IDL `Bank::Blob`.
    pub type Blob = Vec<u8>;

    /// The TypeCode of IDL `Bank::Blob`.
    pub fn blob_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:example.com/Bank/Blob:1.0",
                "Blob",
                rt::TypeCode::sequence(rt::TypeCode::Octet, 0),
            )
        });
        CODE.clone()
    }

    /// IDL `Bank::Kind`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[repr(u32)]
    pub enum Kind {
        /// IDL `PERSONAL`.
        #[default]
        Personal,
        /// IDL `BUSINESS`.
        Business,
    }

    impl Kind {
        /// The enumerator with the number `value`, the first being 0.
        ///
        /// # Errors
        /// When there are not so many enumerators.
        pub fn from_discriminant(value: u32) -> rt::CdrResult<Self> {
            match value {
                0 => Ok(Self::Personal),
                1 => Ok(Self::Business),
                _ => Err(rt::CdrError::invalid_enum("Bank::Kind", value)),
            }
        }
    }

    impl rt::Encode for Kind {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_u32(*self as u32);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Kind {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Self::from_discriminant(input.u32()?)
        }
    }

    impl rt::Typed for Kind {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::enumeration(
                    "IDL:example.com/Bank/Kind:1.0",
                    "Kind",
                    ["PERSONAL", "BUSINESS"],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Bank::Detail`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum Detail {
        /// IDL `text`, selected by `0`.
        Text(String),
        /// A discriminator that selects no member.
        Unlisted {
            /// The discriminator.
            discriminator: i32,
        },
    }

    impl Detail {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> i32 {
            match self {
                Self::Text(_) => 0,
                Self::Unlisted { discriminator } => *discriminator,
            }
        }
    }

    impl rt::Encode for Detail {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Text(value) => {
                    out.put_i32(0);
                    out.borrow_string(value)
                }
                Self::Unlisted { discriminator: 0, .. } => {
                    Err(rt::CdrError::invalid_discriminator("Bank::Detail"))
                }
                Self::Unlisted { discriminator } => {
                    out.put_i32(*discriminator);
                    Ok(())
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Detail {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.i32()?;
            Ok(
                match discriminator {
                    0 => Self::Text(input.string().map(Into::into)?),
                    _ => Self::Unlisted { discriminator },
                },
            )
        }
    }

    impl rt::Typed for Detail {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:example.com/Bank/Detail:1.0",
                    "Detail",
                    rt::TypeCode::Long,
                    None,
                    [(0, "text", rt::TypeCode::String(0))],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Bank::Code`.
    pub type Code = String;

    /// The TypeCode of IDL `Bank::Code`.
    pub fn code_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:example.com/Bank/Code:1.0",
                "Code",
                rt::TypeCode::String(5),
            )
        });
        CODE.clone()
    }

    /// IDL `Bank::Salt`.
    pub type Salt = Vec<u8>;

    /// The TypeCode of IDL `Bank::Salt`.
    pub fn salt_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:example.com/Bank/Salt:1.0",
                "Salt",
                rt::TypeCode::sequence(rt::TypeCode::Char, 4),
            )
        });
        CODE.clone()
    }

    /// An account that holds money.
    ///
    /// It may be *closed*.
    pub trait Account: Send + Sync + 'static {
        /// What there is.
        fn balance(&self) -> Result<f64, rt::SystemException>;

        /// Reads the attribute `owner`.
        fn owner(&self) -> Result<String, rt::SystemException>;

        /// Sets the attribute [`owner`](Self::owner).
        fn set_owner(&self, value: &str) -> Result<(), rt::SystemException>;

        /// Reads the attribute `recent`.
        fn recent(&self) -> Result<account::Entries, rt::SystemException>;

        /// Sets the attribute [`recent`](Self::recent).
        fn set_recent(
            &self,
            value: &[account::Entry],
        ) -> Result<(), rt::SystemException>;

        /// Puts money in.
        fn deposit(&self, amount: f64) -> Result<(), rt::SystemException>;

        /// IDL operation `notify`.
        fn notify(&self, n: i32, text: &str) -> Result<(), rt::SystemException>;

        /// IDL operation `split`.
        fn split(
            &self,
            name: &str,
            pieces: &[Part],
            rest: &mut i32,
        ) -> Result<(Parts, String), rt::SystemException>;

        /// IDL operation `swap`.
        fn swap(
            &self,
            a: &mut String,
            m: &mut Matrix,
        ) -> Result<(), rt::SystemException>;

        /// IDL operation `bump`.
        fn bump(
            &self,
            which: &mut Kind,
            pieces: &mut Parts,
        ) -> Result<i32, rt::SystemException>;

        /// IDL operation `hash`.
        fn hash(&self, data: &[u8], grain: &[u8]) -> Result<Blob, rt::SystemException>;

        /// IDL operation `join`.
        fn join(
            &self,
            other: &AccountRef,
            witness: &rt::Object,
            sort: Kind,
            info: &Detail,
            piece: &Part,
        ) -> Result<AccountRef, rt::SystemException>;

        /// IDL operation `any_object`.
        fn any_object(
            &self,
            m: &Matrix,
            all: bool,
            several: &[account::Entry],
            old: &str,
        ) -> Result<rt::Object, rt::SystemException>;

        /// IDL operation `invert`.
        fn invert(
            &self,
        ) -> Result<(Matrix, Kind, AccountRef, Detail), rt::SystemException>;

        /// IDL operation `recode`.
        fn recode(&self, old: &mut Code) -> Result<Code, rt::SystemException>;

        /// IDL operation `sort`.
        fn sort(&self) -> Result<Kind, rt::SystemException>;

        /// IDL operation `many`.
        #[allow(clippy::too_many_arguments)]
        fn many(
            &self,
            a: i32,
            b: i32,
            c: i32,
            d: i32,
            e: i32,
            f: i32,
            g: i32,
        ) -> Result<(), rt::SystemException>;

        /// IDL operation `locals`.
        fn locals(
            &self,
            servant: i32,
            call: &str,
            input: i32,
            out: &mut i32,
            value: &mut i32,
            outcome: i32,
        ) -> Result<i32, rt::SystemException>;

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

        fn owner(&self) -> Result<String, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::owner(servant)) {
                return done;
            }
            self.invoke(
                "_get_owner",
                |_out| Ok(()),
                |input| input.string().map(Into::into),
            )
        }

        fn set_owner(&self, value: &str) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::set_owner(servant, value))
            {
                return done;
            }
            self.invoke("_set_owner", |out| out.borrow_string(value), |_input| Ok(()))
        }

        fn recent(&self) -> Result<account::Entries, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::recent(servant)) {
                return done;
            }
            self.invoke("_get_recent", |_out| Ok(()), |input| input.bounded_sequence(10))
        }

        fn set_recent(
            &self,
            value: &[account::Entry],
        ) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::set_recent(servant, value))
            {
                return done;
            }
            self.invoke(
                "_set_recent",
                |out| out.put_bounded_sequence(value, 10),
                |_input| Ok(()),
            )
        }

        fn deposit(&self, amount: f64) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::deposit(servant, amount))
            {
                return done;
            }
            self.invoke(
                "deposit",
                |out| {
                    out.put_f64(amount);
                    Ok(())
                },
                |_input| Ok(()),
            )
        }

        fn notify(&self, n: i32, text: &str) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::notify(servant, n, text))
            {
                return done;
            }
            self.invoke_oneway(
                "notify",
                |out| {
                    out.put_i32(n);
                    out.borrow_string(text)
                },
            )
        }

        fn split(
            &self,
            name: &str,
            pieces: &[Part],
            rest: &mut i32,
        ) -> Result<(Parts, String), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::split(servant, name, pieces, rest))
            {
                return done;
            }
            self.invoke(
                    "split",
                    |out| {
                        out.borrow_string(name)?;
                        out.put_sequence(pieces)?;
                        out.put_i32(*rest);
                        Ok(())
                    },
                    |input| Ok((
                        input.sequence()?,
                        input.i32()?,
                        input.string().map(Into::into)?,
                    )),
                )
                .map(|(result, new_rest, text)| {
                    *rest = new_rest;
                    (result, text)
                })
        }

        fn swap(
            &self,
            a: &mut String,
            m: &mut Matrix,
        ) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::swap(servant, a, m)) {
                return done;
            }
            self.invoke(
                    "swap",
                    |out| {
                        out.borrow_string(&*a)?;
                        rt::Encode::encode(&*m, out)
                    },
                    |input| Ok((
                        input.string().map(Into::into)?,
                        rt::Decode::decode(input)?,
                    )),
                )
                .map(|(new_a, new_m)| {
                    *a = new_a;
                    *m = new_m;
                })
        }

        fn bump(
            &self,
            which: &mut Kind,
            pieces: &mut Parts,
        ) -> Result<i32, rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::bump(servant, which, pieces))
            {
                return done;
            }
            self.invoke(
                    "bump",
                    |out| {
                        out.put_u32(*which as u32);
                        out.put_sequence(&*pieces)
                    },
                    |input| Ok((
                        input.i32()?,
                        rt::Decode::decode(input)?,
                        input.sequence()?,
                    )),
                )
                .map(|(result, new_which, new_pieces)| {
                    *which = new_which;
                    *pieces = new_pieces;
                    result
                })
        }

        fn hash(&self, data: &[u8], grain: &[u8]) -> Result<Blob, rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::hash(servant, data, grain))
            {
                return done;
            }
            self.invoke(
                "hash",
                |out| {
                    out.put_sequence(data)?;
                    out.put_bounded_sequence(grain, 4)
                },
                |input| input.sequence(),
            )
        }

        #[allow(clippy::redundant_closure)]
        fn join(
            &self,
            other: &AccountRef,
            witness: &rt::Object,
            sort: Kind,
            info: &Detail,
            piece: &Part,
        ) -> Result<AccountRef, rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::join(
                    servant,
                    other,
                    witness,
                    sort,
                    info,
                    piece,
                ))
            {
                return done;
            }
            self.invoke(
                "join",
                |out| {
                    rt::Encode::encode(other, out)?;
                    rt::Encode::encode(witness, out)?;
                    out.put_u32(sort as u32);
                    rt::Encode::encode(info, out)?;
                    rt::Encode::encode(piece, out)
                },
                |input| rt::Decode::decode(input),
            )
        }

        #[allow(clippy::redundant_closure)]
        fn any_object(
            &self,
            m: &Matrix,
            all: bool,
            several: &[account::Entry],
            old: &str,
        ) -> Result<rt::Object, rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::any_object(servant, m, all, several, old))
            {
                return done;
            }
            self.invoke(
                "any_object",
                |out| {
                    rt::Encode::encode(m, out)?;
                    out.put_bool(all);
                    out.put_bounded_sequence(several, 10)?;
                    out.put_bounded_string(old, 5)
                },
                |input| rt::Decode::decode(input),
            )
        }

        fn invert(
            &self,
        ) -> Result<(Matrix, Kind, AccountRef, Detail), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::invert(servant)) {
                return done;
            }
            self.invoke(
                "invert",
                |_out| Ok(()),
                |input| Ok((
                    rt::Decode::decode(input)?,
                    rt::Decode::decode(input)?,
                    rt::Decode::decode(input)?,
                    rt::Decode::decode(input)?,
                )),
            )
        }

        fn recode(&self, old: &mut Code) -> Result<Code, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::recode(servant, old)) {
                return done;
            }
            self.invoke(
                    "recode",
                    |out| out.put_bounded_string(&*old, 5),
                    |input| Ok((
                        input.bounded_string(5).map(Into::into)?,
                        input.bounded_string(5).map(Into::into)?,
                    )),
                )
                .map(|(result, new_old)| {
                    *old = new_old;
                    result
                })
        }

        #[allow(clippy::redundant_closure)]
        fn sort(&self) -> Result<Kind, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Account::sort(servant)) {
                return done;
            }
            self.invoke("sort", |_out| Ok(()), |input| rt::Decode::decode(input))
        }

        fn many(
            &self,
            a: i32,
            b: i32,
            c: i32,
            d: i32,
            e: i32,
            f: i32,
            g: i32,
        ) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Account::many(servant, a, b, c, d, e, f, g))
            {
                return done;
            }
            self.invoke(
                "many",
                |out| {
                    out.put_i32(a);
                    out.put_i32(b);
                    out.put_i32(c);
                    out.put_i32(d);
                    out.put_i32(e);
                    out.put_i32(f);
                    out.put_i32(g);
                    Ok(())
                },
                |_input| Ok(()),
            )
        }

        fn locals(
            &self,
            servant: i32,
            call: &str,
            input: i32,
            out: &mut i32,
            value: &mut i32,
            outcome: i32,
        ) -> Result<i32, rt::SystemException> {
            if let Some(done) = self
                .directly(|servant_| Account::locals(
                    servant_,
                    servant,
                    call,
                    input,
                    out,
                    value,
                    outcome,
                ))
            {
                return done;
            }
            self.invoke(
                    "locals",
                    |out_| {
                        out_.put_i32(servant);
                        out_.borrow_string(call)?;
                        out_.put_i32(input);
                        out_.put_i32(*out);
                        out_.put_i32(*value);
                        out_.put_i32(outcome);
                        Ok(())
                    },
                    |input| Ok((input.i32()?, input.i32()?, input.i32()?)),
                )
                .map(|(new_out, result, new_value)| {
                    *out = new_out;
                    *value = new_value;
                    result
                })
        }
    }

    impl rt::Interface for dyn Account {
        const REPOSITORY_ID: &'static str = "IDL:example.com/Bank/Account:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &[
            "_get_balance",
            "_get_owner",
            "_set_owner",
            "_get_recent",
            "_set_recent",
            "deposit",
            "notify",
            "split",
            "swap",
            "bump",
            "hash",
            "join",
            "any_object",
            "invert",
            "recode",
            "sort",
            "many",
            "locals",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<18, 64> = rt::Operations::new(
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
                1 => account::skeleton::owner(self, call),
                2 => account::skeleton::set_owner(self, call),
                3 => account::skeleton::recent(self, call),
                4 => account::skeleton::set_recent(self, call),
                5 => account::skeleton::deposit(self, call),
                6 => account::skeleton::notify(self, call),
                7 => account::skeleton::split(self, call),
                8 => account::skeleton::swap(self, call),
                9 => account::skeleton::bump(self, call),
                10 => account::skeleton::hash(self, call),
                11 => account::skeleton::join(self, call),
                12 => account::skeleton::any_object(self, call),
                13 => account::skeleton::invert(self, call),
                14 => account::skeleton::recode(self, call),
                15 => account::skeleton::sort(self, call),
                16 => account::skeleton::many(self, call),
                17 => account::skeleton::locals(self, call),
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
                    "_get_owner" => {
                        rt::Signature::new().with_result(rt::TypeCode::String(0))
                    }
                    "_set_owner" => {
                        rt::Signature::new().with_in("owner", rt::TypeCode::String(0))
                    }
                    "_get_recent" => {
                        rt::Signature::new()
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Account/Entries:1.0",
                                    "Entries",
                                    rt::TypeCode::sequence(
                                        <account::Entry as rt::Typed>::type_code(),
                                        10,
                                    ),
                                ),
                            )
                    }
                    "_set_recent" => {
                        rt::Signature::new()
                            .with_in(
                                "recent",
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Account/Entries:1.0",
                                    "Entries",
                                    rt::TypeCode::sequence(
                                        <account::Entry as rt::Typed>::type_code(),
                                        10,
                                    ),
                                ),
                            )
                    }
                    "deposit" => {
                        rt::Signature::new().with_in("amount", rt::TypeCode::Double)
                    }
                    "notify" => {
                        rt::Signature::new()
                            .with_in("n", rt::TypeCode::Long)
                            .with_in("text", rt::TypeCode::String(0))
                    }
                    "split" => {
                        rt::Signature::new()
                            .with_in("name", rt::TypeCode::String(0))
                            .with_in(
                                "pieces",
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Parts:1.0",
                                    "Parts",
                                    rt::TypeCode::sequence(<Part as rt::Typed>::type_code(), 0),
                                ),
                            )
                            .with_inout("rest", rt::TypeCode::Long)
                            .with_out("text", rt::TypeCode::String(0))
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Parts:1.0",
                                    "Parts",
                                    rt::TypeCode::sequence(<Part as rt::Typed>::type_code(), 0),
                                ),
                            )
                    }
                    "swap" => {
                        rt::Signature::new()
                            .with_inout("a", rt::TypeCode::String(0))
                            .with_inout(
                                "m",
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Matrix:1.0",
                                    "Matrix",
                                    rt::TypeCode::array(
                                        rt::TypeCode::array(rt::TypeCode::Long, 3),
                                        3,
                                    ),
                                ),
                            )
                    }
                    "bump" => {
                        rt::Signature::new()
                            .with_inout("which", <Kind as rt::Typed>::type_code())
                            .with_inout(
                                "pieces",
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Parts:1.0",
                                    "Parts",
                                    rt::TypeCode::sequence(<Part as rt::Typed>::type_code(), 0),
                                ),
                            )
                            .with_result(rt::TypeCode::Long)
                    }
                    "hash" => {
                        rt::Signature::new()
                            .with_in(
                                "data",
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Blob:1.0",
                                    "Blob",
                                    rt::TypeCode::sequence(rt::TypeCode::Octet, 0),
                                ),
                            )
                            .with_in(
                                "grain",
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Salt:1.0",
                                    "Salt",
                                    rt::TypeCode::sequence(rt::TypeCode::Char, 4),
                                ),
                            )
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Blob:1.0",
                                    "Blob",
                                    rt::TypeCode::sequence(rt::TypeCode::Octet, 0),
                                ),
                            )
                    }
                    "join" => {
                        rt::Signature::new()
                            .with_in(
                                "other",
                                rt::TypeCode::object_reference(
                                    "IDL:example.com/Bank/Account:1.0",
                                    "Account",
                                ),
                            )
                            .with_in("witness", <rt::Object as rt::Typed>::type_code())
                            .with_in("sort", <Kind as rt::Typed>::type_code())
                            .with_in("info", <Detail as rt::Typed>::type_code())
                            .with_in("piece", <Part as rt::Typed>::type_code())
                            .with_result(
                                rt::TypeCode::object_reference(
                                    "IDL:example.com/Bank/Account:1.0",
                                    "Account",
                                ),
                            )
                    }
                    "any_object" => {
                        rt::Signature::new()
                            .with_in(
                                "m",
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Matrix:1.0",
                                    "Matrix",
                                    rt::TypeCode::array(
                                        rt::TypeCode::array(rt::TypeCode::Long, 3),
                                        3,
                                    ),
                                ),
                            )
                            .with_in("all", rt::TypeCode::Boolean)
                            .with_in(
                                "several",
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Account/Entries:1.0",
                                    "Entries",
                                    rt::TypeCode::sequence(
                                        <account::Entry as rt::Typed>::type_code(),
                                        10,
                                    ),
                                ),
                            )
                            .with_in(
                                "old",
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Code:1.0",
                                    "Code",
                                    rt::TypeCode::String(5),
                                ),
                            )
                            .with_result(<rt::Object as rt::Typed>::type_code())
                    }
                    "invert" => {
                        rt::Signature::new()
                            .with_out("which", <Kind as rt::Typed>::type_code())
                            .with_out(
                                "next",
                                rt::TypeCode::object_reference(
                                    "IDL:example.com/Bank/Account:1.0",
                                    "Account",
                                ),
                            )
                            .with_out("info", <Detail as rt::Typed>::type_code())
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Matrix:1.0",
                                    "Matrix",
                                    rt::TypeCode::array(
                                        rt::TypeCode::array(rt::TypeCode::Long, 3),
                                        3,
                                    ),
                                ),
                            )
                    }
                    "recode" => {
                        rt::Signature::new()
                            .with_inout(
                                "old",
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Code:1.0",
                                    "Code",
                                    rt::TypeCode::String(5),
                                ),
                            )
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:example.com/Bank/Code:1.0",
                                    "Code",
                                    rt::TypeCode::String(5),
                                ),
                            )
                    }
                    "sort" => {
                        rt::Signature::new()
                            .with_result(<Kind as rt::Typed>::type_code())
                    }
                    "many" => {
                        rt::Signature::new()
                            .with_in("a", rt::TypeCode::Long)
                            .with_in("b", rt::TypeCode::Long)
                            .with_in("c", rt::TypeCode::Long)
                            .with_in("d", rt::TypeCode::Long)
                            .with_in("e", rt::TypeCode::Long)
                            .with_in("f", rt::TypeCode::Long)
                            .with_in("g", rt::TypeCode::Long)
                    }
                    "locals" => {
                        rt::Signature::new()
                            .with_in("servant", rt::TypeCode::Long)
                            .with_in("call", rt::TypeCode::String(0))
                            .with_in("input", rt::TypeCode::Long)
                            .with_inout("out_", rt::TypeCode::Long)
                            .with_out("result", rt::TypeCode::Long)
                            .with_inout("value", rt::TypeCode::Long)
                            .with_in("outcome", rt::TypeCode::Long)
                    }
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

        /// IDL `Bank::Account::LIMIT`.
        pub const LIMIT: i32 = 10;

        /// IDL `Bank::Account::Entry`.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct Entry {
            /// IDL `text`.
            pub text: String,
            /// IDL `amount`.
            pub amount: f64,
        }

        impl rt::Encode for Entry {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                out.borrow_string(&self.text)?;
                out.put_f64(self.amount);
                Ok(())
            }
        }

        impl<'a> rt::Decode<'a> for Entry {
            fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self {
                    text: input.string().map(Into::into)?,
                    amount: input.f64()?,
                })
            }
        }

        impl rt::Typed for Entry {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::structure(
                        "IDL:example.com/Bank/Account/Entry:1.0",
                        "Entry",
                        [
                            ("text", rt::TypeCode::String(0)),
                            ("amount", rt::TypeCode::Double),
                        ],
                    )
                });
                CODE.clone()
            }
        }

        /// IDL `Bank::Account::Entries`.
        pub type Entries = Vec<Entry>;

        /// The TypeCode of IDL `Bank::Account::Entries`.
        pub fn entries_type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::alias(
                    "IDL:example.com/Bank/Account/Entries:1.0",
                    "Entries",
                    rt::TypeCode::sequence(<Entry as rt::Typed>::type_code(), 10),
                )
            });
            CODE.clone()
        }

        /// Ties the servant to the skeleton of [`Account`](super::Account), for an object adapter.
        pub fn tie(
            servant: impl super::Account,
        ) -> ::std::sync::Arc<dyn super::Account> {
            ::std::sync::Arc::new(servant)
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

            pub fn owner<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.owner(), |result, out| out.borrow_string(result))
            }

            pub fn set_owner<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value = input.string()?;
                call.reply(servant.set_owner(&value), |(), _out| Ok(()))
            }

            pub fn recent<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(
                    servant.recent(),
                    |result, out| out.put_bounded_sequence(result, 10),
                )
            }

            pub fn set_recent<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value: super::Entries = input.bounded_sequence(10)?;
                call.reply(servant.set_recent(&value), |(), _out| Ok(()))
            }

            pub fn deposit<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let amount = input.f64()?;
                call.reply(servant.deposit(amount), |(), _out| Ok(()))
            }

            pub fn notify<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n = input.i32()?;
                let text = input.string()?;
                call.no_reply(servant.notify(n, &text))
            }

            pub fn split<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let name = input.string()?;
                let pieces = rt::Scratch::<super::super::Part>::read(input, None)?;
                let mut rest = input.i32()?;
                let outcome = servant.split(&name, &pieces, &mut rest);
                call.reply(
                    outcome.map(|value| (value, rest)),
                    |((result, text), rest), out| {
                        out.put_sequence(result)?;
                        out.put_i32(*rest);
                        out.borrow_string(text)
                    },
                )
            }

            pub fn swap<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let mut a: String = input.string().map(Into::into)?;
                let mut m: super::super::Matrix = rt::Decode::decode(input)?;
                let outcome = servant.swap(&mut a, &mut m);
                call.reply(
                    outcome.map(|()| (a, m)),
                    |(a, m), out| {
                        out.borrow_string(a)?;
                        rt::Encode::encode(m, out)
                    },
                )
            }

            pub fn bump<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let mut which: super::super::Kind = rt::Decode::decode(input)?;
                let mut pieces: super::super::Parts = input.sequence()?;
                let outcome = servant.bump(&mut which, &mut pieces);
                call.reply(
                    outcome.map(|value| (value, which, pieces)),
                    |(result, which, pieces), out| {
                        out.put_i32(*result);
                        out.put_u32(*which as u32);
                        out.put_sequence(pieces)
                    },
                )
            }

            pub fn hash<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let data = input.octets()?;
                let grain = input.bounded_octets(4)?;
                call.reply(
                    servant.hash(data, grain),
                    |result, out| out.put_sequence(result),
                )
            }

            pub fn join<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let other: super::super::AccountRef = rt::Decode::decode(input)?;
                let witness: rt::Object = rt::Decode::decode(input)?;
                let sort: super::super::Kind = rt::Decode::decode(input)?;
                let info: super::super::Detail = rt::Decode::decode(input)?;
                let piece: super::super::Part = rt::Decode::decode(input)?;
                call.reply(
                    servant.join(&other, &witness, sort, &info, &piece),
                    rt::Encode::encode,
                )
            }

            pub fn any_object<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let m: super::super::Matrix = rt::Decode::decode(input)?;
                let all = input.bool()?;
                let several: super::Entries = input.bounded_sequence(10)?;
                let old = input.bounded_string(5)?;
                call.reply(
                    servant.any_object(&m, all, &several, &old),
                    rt::Encode::encode,
                )
            }

            pub fn invert<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(
                    servant.invert(),
                    |(result, which, next, info), out| {
                        rt::Encode::encode(result, out)?;
                        out.put_u32(*which as u32);
                        rt::Encode::encode(next, out)?;
                        rt::Encode::encode(info, out)
                    },
                )
            }

            pub fn recode<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let mut old: super::super::Code = input
                    .bounded_string(5)
                    .map(Into::into)?;
                let outcome = servant.recode(&mut old);
                call.reply(
                    outcome.map(|value| (value, old)),
                    |(result, old), out| {
                        out.put_bounded_string(result, 5)?;
                        out.put_bounded_string(old, 5)
                    },
                )
            }

            pub fn sort<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.sort(), rt::Encode::encode)
            }

            pub fn many<T: super::super::Account + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let a = input.i32()?;
                let b = input.i32()?;
                let c = input.i32()?;
                let d = input.i32()?;
                let e = input.i32()?;
                let f = input.i32()?;
                let g = input.i32()?;
                call.reply(servant.many(a, b, c, d, e, f, g), |(), _out| Ok(()))
            }

            pub fn locals<T: super::super::Account + ?Sized>(
                servant_: &T,
                call_: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input_ = &mut call_.arguments();
                let servant = input_.i32()?;
                let call = input_.string()?;
                let input = input_.i32()?;
                let mut out = input_.i32()?;
                let mut value = input_.i32()?;
                let outcome = input_.i32()?;
                let outcome_ = servant_
                    .locals(servant, &call, input, &mut out, &mut value, outcome);
                call_
                    .reply(
                        outcome_.map(|value_| (value_, out, value)),
                        |(result, out, value), out_| {
                            out_.put_i32(*out);
                            out_.put_i32(*result);
                            out_.put_i32(*value);
                            Ok(())
                        },
                    )
            }
        }
    }

    /// IDL interface `Bank::Empty`.
    pub trait Empty: Send + Sync + 'static {
        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Empty`].
    pub type EmptyRef = rt::Ref<dyn Empty>;

    impl<I: Empty + rt::Interface + ?Sized> Empty for rt::Ref<I> {}

    impl rt::Interface for dyn Empty {
        const REPOSITORY_ID: &'static str = "IDL:example.com/Bank/Empty:1.0";
        const BASES: &'static [&'static str] = &[];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            call.unknown_operation()
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Empty::servant_base(self)
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Empty>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Empty> for dyn Empty {}

    /// What belongs to the interface [`Empty`].
    pub mod empty {
        /// Ties the servant to the skeleton of [`Empty`](super::Empty), for an object adapter.
        pub fn tie(servant: impl super::Empty) -> ::std::sync::Arc<dyn super::Empty> {
            ::std::sync::Arc::new(servant)
        }
    }
}
