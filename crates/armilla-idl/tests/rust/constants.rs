// Made from constants.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// Constants of every type.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod limits {
    use ::armilla::rt;

    /// The most accounts that a customer may have.
    pub const MAX_ACCOUNTS: i16 = 16;

    /// IDL `Limits::EVERYTHING`.
    pub const EVERYTHING: u64 = 18446744073709551615;

    /// IDL `Limits::LEAST`.
    pub const LEAST: i64 = -9223372036854775808;

    /// IDL `Limits::MASK`.
    pub const MASK: u8 = 255;

    /// IDL `Limits::RATE`.
    pub const RATE: f64 = -0.0025;

    /// IDL `Limits::Single`.
    pub const SINGLE: f32 = 0.1;

    /// IDL `Limits::PI`.
    #[allow(clippy::approx_constant)]
    pub const PI: f64 = 3.14159;

    /// IDL `Limits::OPEN`.
    pub const OPEN: bool = true;

    /// IDL `Limits::initial`.
    pub const INITIAL: u8 = b'A';

    /// IDL `Limits::BELL`.
    pub const BELL: u8 = b'\x07';

    /// IDL `Limits::GREETING`.
    pub const GREETING: &str = "Good \"day\"\n";

    /// IDL `Limits::Amount`.
    pub type Amount = i32;

    /// The TypeCode of IDL `Limits::Amount`.
    pub fn amount_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias("IDL:Limits/Amount:1.0", "Amount", rt::TypeCode::Long)
        });
        CODE.clone()
    }

    /// IDL `Limits::DEFAULT_AMOUNT`.
    pub const DEFAULT_AMOUNT: Amount = 49;

    /// IDL `Limits::Name`.
    pub type Name = String;

    /// The TypeCode of IDL `Limits::Name`.
    pub fn name_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias("IDL:Limits/Name:1.0", "Name", rt::TypeCode::String(0))
        });
        CODE.clone()
    }

    /// IDL `Limits::OWNER`.
    pub const OWNER: &str = "nobody";

    /// IDL `Limits::Colour`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[repr(u32)]
    pub enum Colour {
        /// IDL `RED`.
        #[default]
        Red,
        /// IDL `GREEN`.
        Green,
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
                _ => Err(rt::CdrError::invalid_enum("Limits::Colour", value)),
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
                    "IDL:Limits/Colour:1.0",
                    "Colour",
                    ["RED", "GREEN"],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Limits::FAVOURITE`.
    pub const FAVOURITE: Colour = Colour::Green;
}
