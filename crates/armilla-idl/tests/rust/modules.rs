// Made from modules.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// Opened twice.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod shop {
    use ::armilla::rt;

    /// IDL `Shop::Price`.
    pub type Price = i32;

    /// The TypeCode of IDL `Shop::Price`.
    pub fn price_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias("IDL:Shop/Price:1.0", "Price", rt::TypeCode::Long)
        });
        CODE.clone()
    }

    /// IDL module `Shop::Shelf`.
    pub mod shelf {
        use ::armilla::rt;

        /// IDL `Shop::Shelf::Prices`.
        pub type Prices = Vec<super::Price>;

        /// The TypeCode of IDL `Shop::Shelf::Prices`.
        pub fn prices_type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::alias(
                    "IDL:Shop/Shelf/Prices:1.0",
                    "Prices",
                    rt::TypeCode::sequence(
                        rt::TypeCode::alias(
                            "IDL:Shop/Price:1.0",
                            "Price",
                            rt::TypeCode::Long,
                        ),
                        0,
                    ),
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Shop::Item`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Item {
        /// IDL `cost`.
        pub cost: Price,
        /// IDL `former`.
        pub former: shelf::Prices,
    }

    impl rt::Encode for Item {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_i32(self.cost);
            out.put_sequence(&self.former)
        }
    }

    impl<'a> rt::Decode<'a> for Item {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                cost: input.i32()?,
                former: input.sequence()?,
            })
        }
    }

    impl rt::Typed for Item {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Shop/Item:1.0",
                    "Item",
                    [
                        (
                            "cost",
                            rt::TypeCode::alias(
                                "IDL:Shop/Price:1.0",
                                "Price",
                                rt::TypeCode::Long,
                            ),
                        ),
                        (
                            "former",
                            rt::TypeCode::alias(
                                "IDL:Shop/Shelf/Prices:1.0",
                                "Prices",
                                rt::TypeCode::sequence(
                                    rt::TypeCode::alias(
                                        "IDL:Shop/Price:1.0",
                                        "Price",
                                        rt::TypeCode::Long,
                                    ),
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
}
