// Made from wide.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// Wide characters, decimal numbers and long floating-point numbers.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod wide {
    use ::armilla::rt;

    /// IDL `Wide::Title`.
    pub type Title = rt::WString;

    /// The TypeCode of IDL `Wide::Title`.
    pub fn title_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias("IDL:Wide/Title:1.0", "Title", rt::TypeCode::WString(8))
        });
        CODE.clone()
    }

    /// IDL `Wide::Amount`.
    pub type Amount = rt::Decimal<9, 2>;

    /// The TypeCode of IDL `Wide::Amount`.
    pub fn amount_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Wide/Amount:1.0",
                "Amount",
                rt::TypeCode::Fixed {
                    digits: 9,
                    scale: 2,
                },
            )
        });
        CODE.clone()
    }

    /// IDL `Wide::STAR`.
    pub const STAR: char = '★';

    /// IDL `Wide::GREETING`.
    pub const GREETING: &str = "grüß dich";

    /// IDL `Wide::RATE`.
    pub const RATE: rt::Decimal<3, 1> = rt::Decimal::constant(125);

    /// IDL `Wide::LOSS`.
    pub const LOSS: rt::Decimal<3, 3> = rt::Decimal::constant(-5);

    /// IDL `Wide::HALF`.
    pub const HALF: rt::LongDouble = rt::LongDouble::from_f64(0.5);

    /// IDL `Wide::Entry`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Entry {
        /// IDL `mark`.
        pub mark: char,
        /// IDL `text`.
        pub text: rt::WString,
        /// IDL `heading`.
        pub heading: Title,
        /// IDL `price`.
        pub price: Amount,
        /// IDL `tiny`.
        pub tiny: rt::Decimal<31, 31>,
        /// IDL `exact`.
        pub exact: rt::LongDouble,
        /// IDL `marks`.
        pub marks: Vec<char>,
        /// IDL `tags`.
        pub tags: Vec<rt::WString>,
        /// IDL `grid`.
        pub grid: [rt::Decimal<4, 0>; 2],
    }

    impl rt::Encode for Entry {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_wchar(self.mark)?;
            out.put_wstring(&self.text)?;
            out.put_bounded_wstring(&self.heading, 8)?;
            out.put_decimal(self.price);
            out.put_decimal(self.tiny);
            out.put_long_double(self.exact);
            out.put_sequence(&self.marks)?;
            out.check_bound(self.tags.len(), 2)?;
            out.put_length(self.tags.len())?;
            for item in &self.tags {
                out.put_bounded_wstring(item, 4)?;
            }
            rt::Encode::encode(&self.grid, out)
        }
    }

    impl<'a> rt::Decode<'a> for Entry {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                mark: input.wchar()?,
                text: input.wstring().map(Into::into)?,
                heading: input.bounded_wstring(8).map(Into::into)?,
                price: input.decimal()?,
                tiny: input.decimal()?,
                exact: input.long_double()?,
                marks: input.sequence()?,
                tags: input
                    .bounded_sequence_with(
                        2,
                        |input| input.bounded_wstring(4).map(Into::into),
                    )?,
                grid: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Entry {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Wide/Entry:1.0",
                    "Entry",
                    [
                        ("mark", rt::TypeCode::WChar),
                        ("text", rt::TypeCode::WString(0)),
                        (
                            "heading",
                            rt::TypeCode::alias(
                                "IDL:Wide/Title:1.0",
                                "Title",
                                rt::TypeCode::WString(8),
                            ),
                        ),
                        (
                            "price",
                            rt::TypeCode::alias(
                                "IDL:Wide/Amount:1.0",
                                "Amount",
                                rt::TypeCode::Fixed {
                                    digits: 9,
                                    scale: 2,
                                },
                            ),
                        ),
                        (
                            "tiny",
                            rt::TypeCode::Fixed {
                                digits: 31,
                                scale: 31,
                            },
                        ),
                        ("exact", rt::TypeCode::LongDouble),
                        ("marks", rt::TypeCode::sequence(rt::TypeCode::WChar, 0)),
                        ("tags", rt::TypeCode::sequence(rt::TypeCode::WString(4), 2)),
                        (
                            "grid",
                            rt::TypeCode::array(
                                rt::TypeCode::Fixed {
                                    digits: 4,
                                    scale: 0,
                                },
                                2,
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Wide::Sign`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum Sign {
        /// IDL `price`, selected by `'a'`, `'b'`, `'c'`.
        Price {
            /// The discriminator, one of those that select this member.
            discriminator: char,
            /// The member.
            value: Amount,
        },
        /// IDL `text`, selected by `'z'`.
        Text(rt::WString),
        /// A discriminator that selects no member.
        Unlisted {
            /// The discriminator.
            discriminator: char,
        },
    }

    impl Sign {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> char {
            match self {
                Self::Text(_) => 'z',
                Self::Price { discriminator, .. } | Self::Unlisted { discriminator } => {
                    *discriminator
                }
            }
        }
    }

    impl rt::Encode for Sign {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Price { discriminator: discriminator @ ('a'..='c'), value } => {
                    out.put_wchar(*discriminator)?;
                    out.put_decimal(*value);
                    Ok(())
                }
                Self::Price { .. } => {
                    Err(rt::CdrError::invalid_discriminator("Wide::Sign"))
                }
                Self::Text(value) => {
                    out.put_wchar('z')?;
                    out.put_wstring(value)
                }
                Self::Unlisted { discriminator: 'a'..='c' | 'z', .. } => {
                    Err(rt::CdrError::invalid_discriminator("Wide::Sign"))
                }
                Self::Unlisted { discriminator } => out.put_wchar(*discriminator),
            }
        }
    }

    impl<'a> rt::Decode<'a> for Sign {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.wchar()?;
            Ok(
                match discriminator {
                    'a'..='c' => {
                        Self::Price {
                            discriminator,
                            value: input.decimal()?,
                        }
                    }
                    'z' => Self::Text(input.wstring().map(Into::into)?),
                    _ => Self::Unlisted { discriminator },
                },
            )
        }
    }

    impl rt::Typed for Sign {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Wide/Sign:1.0",
                    "Sign",
                    rt::TypeCode::WChar,
                    None,
                    [
                        (
                            97,
                            "price",
                            rt::TypeCode::alias(
                                "IDL:Wide/Amount:1.0",
                                "Amount",
                                rt::TypeCode::Fixed {
                                    digits: 9,
                                    scale: 2,
                                },
                            ),
                        ),
                        (
                            98,
                            "price",
                            rt::TypeCode::alias(
                                "IDL:Wide/Amount:1.0",
                                "Amount",
                                rt::TypeCode::Fixed {
                                    digits: 9,
                                    scale: 2,
                                },
                            ),
                        ),
                        (
                            99,
                            "price",
                            rt::TypeCode::alias(
                                "IDL:Wide/Amount:1.0",
                                "Amount",
                                rt::TypeCode::Fixed {
                                    digits: 9,
                                    scale: 2,
                                },
                            ),
                        ),
                        (122, "text", rt::TypeCode::WString(0)),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL interface `Wide::Book`.
    pub trait Book: Send + Sync + 'static {
        /// Reads the attribute `owner`.
        fn owner(&self) -> Result<rt::WString, rt::SystemException>;

        /// Sets the attribute [`owner`](Self::owner).
        fn set_owner(&self, value: &str) -> Result<(), rt::SystemException>;

        /// IDL operation `add`.
        fn add(
            &self,
            given: Amount,
            total: &mut Amount,
        ) -> Result<(Amount, rt::LongDouble), rt::SystemException>;

        /// IDL operation `find`.
        fn find(
            &self,
            text: &str,
            which: char,
            heading: &mut Title,
        ) -> Result<char, rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Book`].
    pub type BookRef = rt::Ref<dyn Book>;

    impl<I: Book + rt::Interface + ?Sized> Book for rt::Ref<I> {
        fn owner(&self) -> Result<rt::WString, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Book::owner(servant)) {
                return done;
            }
            self.invoke(
                "_get_owner",
                |_out| Ok(()),
                |input| input.wstring().map(Into::into),
            )
        }

        fn set_owner(&self, value: &str) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Book::set_owner(servant, value))
            {
                return done;
            }
            self.invoke("_set_owner", |out| out.put_wstring(value), |_input| Ok(()))
        }

        fn add(
            &self,
            given: Amount,
            total: &mut Amount,
        ) -> Result<(Amount, rt::LongDouble), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Book::add(servant, given, total))
            {
                return done;
            }
            self.invoke(
                    "add",
                    |out| {
                        out.put_decimal(given);
                        out.put_decimal(*total);
                        Ok(())
                    },
                    |input| Ok((
                        input.decimal()?,
                        input.decimal()?,
                        input.long_double()?,
                    )),
                )
                .map(|(result, new_total, exact)| {
                    *total = new_total;
                    (result, exact)
                })
        }

        fn find(
            &self,
            text: &str,
            which: char,
            heading: &mut Title,
        ) -> Result<char, rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Book::find(servant, text, which, heading))
            {
                return done;
            }
            self.invoke(
                    "find",
                    |out| {
                        out.put_wstring(text)?;
                        out.put_wchar(which)?;
                        out.put_bounded_wstring(&*heading, 8)
                    },
                    |input| Ok((
                        input.wchar()?,
                        input.bounded_wstring(8).map(Into::into)?,
                    )),
                )
                .map(|(result, new_heading)| {
                    *heading = new_heading;
                    result
                })
        }
    }

    impl rt::Interface for dyn Book {
        const REPOSITORY_ID: &'static str = "IDL:Wide/Book:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &[
            "_get_owner",
            "_set_owner",
            "add",
            "find",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<4, 8> = rt::Operations::new(
                <dyn Book as rt::Interface>::OPERATIONS,
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
                0 => book::skeleton::owner(self, call),
                1 => book::skeleton::set_owner(self, call),
                2 => book::skeleton::add(self, call),
                3 => book::skeleton::find(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Book::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "_get_owner" => {
                        rt::Signature::new().with_result(rt::TypeCode::WString(0))
                    }
                    "_set_owner" => {
                        rt::Signature::new().with_in("owner", rt::TypeCode::WString(0))
                    }
                    "add" => {
                        rt::Signature::new()
                            .with_in(
                                "given",
                                rt::TypeCode::alias(
                                    "IDL:Wide/Amount:1.0",
                                    "Amount",
                                    rt::TypeCode::Fixed {
                                        digits: 9,
                                        scale: 2,
                                    },
                                ),
                            )
                            .with_inout(
                                "total",
                                rt::TypeCode::alias(
                                    "IDL:Wide/Amount:1.0",
                                    "Amount",
                                    rt::TypeCode::Fixed {
                                        digits: 9,
                                        scale: 2,
                                    },
                                ),
                            )
                            .with_out("exact", rt::TypeCode::LongDouble)
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:Wide/Amount:1.0",
                                    "Amount",
                                    rt::TypeCode::Fixed {
                                        digits: 9,
                                        scale: 2,
                                    },
                                ),
                            )
                    }
                    "find" => {
                        rt::Signature::new()
                            .with_in("text", rt::TypeCode::WString(0))
                            .with_in("which", rt::TypeCode::WChar)
                            .with_inout(
                                "heading",
                                rt::TypeCode::alias(
                                    "IDL:Wide/Title:1.0",
                                    "Title",
                                    rt::TypeCode::WString(8),
                                ),
                            )
                            .with_result(rt::TypeCode::WChar)
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Book>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Book> for dyn Book {}

    /// What belongs to the interface [`Book`].
    pub mod book {
        /// Ties the servant to the skeleton of [`Book`](super::Book), for an object adapter.
        pub fn tie(servant: impl super::Book) -> ::std::sync::Arc<dyn super::Book> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn owner<T: super::super::Book + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.owner(), |result, out| out.put_wstring(result))
            }

            pub fn set_owner<T: super::super::Book + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value = input.wstring()?;
                call.reply(servant.set_owner(&value), |(), _out| Ok(()))
            }

            pub fn add<T: super::super::Book + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let given: super::super::Amount = input.decimal()?;
                let mut total: super::super::Amount = input.decimal()?;
                let outcome = servant.add(given, &mut total);
                call.reply(
                    outcome.map(|value| (value, total)),
                    |((result, exact), total), out| {
                        out.put_decimal(*result);
                        out.put_decimal(*total);
                        out.put_long_double(*exact);
                        Ok(())
                    },
                )
            }

            pub fn find<T: super::super::Book + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let text = input.wstring()?;
                let which = input.wchar()?;
                let mut heading: super::super::Title = input
                    .bounded_wstring(8)
                    .map(Into::into)?;
                let outcome = servant.find(&text, which, &mut heading);
                call.reply(
                    outcome.map(|value| (value, heading)),
                    |(result, heading), out| {
                        out.put_wchar(*result)?;
                        out.put_bounded_wstring(heading, 8)
                    },
                )
            }
        }
    }
}
