// Made from enums.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// The order of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u32)]
#[allow(dead_code, unreachable_pub)]
pub enum Order {
    /// IDL `FIRST_IN`.
    #[default]
    FirstIn,
    /// IDL `LAST_IN`.
    LastIn,
}

#[allow(dead_code, unreachable_pub)]
impl Order {
    /// The enumerator with the number `value`, the first being 0.
    ///
    /// # Errors
    /// When there are not so many enumerators.
    pub fn from_discriminant(value: u32) -> ::armilla::rt::CdrResult<Self> {
        match value {
            0 => Ok(Self::FirstIn),
            1 => Ok(Self::LastIn),
            _ => Err(::armilla::rt::CdrError::invalid_enum("Order", value)),
        }
    }
}

impl ::armilla::rt::Encode for Order {
    fn encode<'p>(
        &'p self,
        out: &mut ::armilla::rt::Encoder<'p>,
    ) -> ::armilla::rt::CdrResult {
        out.put_u32(*self as u32);
        Ok(())
    }
}

impl<'a> ::armilla::rt::Decode<'a> for Order {
    fn decode(input: &mut ::armilla::rt::Decoder<'a>) -> ::armilla::rt::CdrResult<Self> {
        Self::from_discriminant(input.u32()?)
    }
}

impl ::armilla::rt::Typed for Order {
    fn type_code() -> ::armilla::rt::TypeCode {
        static CODE: ::armilla::rt::SharedTypeCode = ::armilla::rt::SharedTypeCode::new(||
        {
            ::armilla::rt::TypeCode::enumeration(
                "IDL:Order:1.0",
                "Order",
                ["FIRST_IN", "LAST_IN"],
            )
        });
        CODE.clone()
    }
}

/// IDL module `Paint`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod paint {
    use ::armilla::rt;

    /// What can be mixed.
    ///
    /// - red is
    ///   the first
    /// - green, see \[the table\] of \<colours>
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[repr(u32)]
    pub enum Colour {
        /// IDL `RED`.
        #[default]
        Red,
        /// Of leaves.
        Green,
        /// IDL `dark_blue`.
        DarkBlue,
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
                2 => Ok(Self::DarkBlue),
                _ => Err(rt::CdrError::invalid_enum("Paint::Colour", value)),
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
                    "IDL:Paint/Colour:1.0",
                    "Colour",
                    ["RED", "GREEN", "dark_blue"],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Paint::Shade`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[repr(u32)]
    #[allow(clippy::enum_variant_names)]
    pub enum Shade {
        /// IDL `SHADE_LIGHT`.
        #[default]
        ShadeLight,
        /// IDL `SHADE_DARK`.
        ShadeDark,
        /// IDL `SHADE_NONE`.
        ShadeNone,
    }

    impl Shade {
        /// The enumerator with the number `value`, the first being 0.
        ///
        /// # Errors
        /// When there are not so many enumerators.
        pub fn from_discriminant(value: u32) -> rt::CdrResult<Self> {
            match value {
                0 => Ok(Self::ShadeLight),
                1 => Ok(Self::ShadeDark),
                2 => Ok(Self::ShadeNone),
                _ => Err(rt::CdrError::invalid_enum("Paint::Shade", value)),
            }
        }
    }

    impl rt::Encode for Shade {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_u32(*self as u32);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Shade {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Self::from_discriminant(input.u32()?)
        }
    }

    impl rt::Typed for Shade {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::enumeration(
                    "IDL:Paint/Shade:1.0",
                    "Shade",
                    ["SHADE_LIGHT", "SHADE_DARK", "SHADE_NONE"],
                )
            });
            CODE.clone()
        }
    }
}
