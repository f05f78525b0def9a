// Unions by the kind of their discriminator: with and without default, with several labels.

//= mod choice > enum Value
/// A number or a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// IDL `number`, selected by `1`.
    Number(i32),
    /// Selected twice.
    Text {
        /// The discriminator, one of those that select this member.
        discriminator: i32,
        /// The member.
        value: String,
    },
    /// A discriminator that selects no member.
    Unlisted {
        /// The discriminator.
        discriminator: i32,
    },
}

//= mod choice > impl Value
impl Value {
    /// The discriminator of the value.
    pub fn discriminator(&self) -> i32 {
        match self {
            Self::Number(_) => 1,
            Self::Text { discriminator, .. } | Self::Unlisted { discriminator } => {
                *discriminator
            }
        }
    }
}

//= mod choice > impl codegen::Encode for Value
impl codegen::Encode for Value {
    fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
        match self {
            Self::Number(value) => {
                out.put_i32(1);
                out.put_i32(*value);
                Ok(())
            }
            Self::Text { discriminator: discriminator @ (2 | -3), value } => {
                out.put_i32(*discriminator);
                out.borrow_string(value)
            }
            Self::Text { .. } => {
                Err(codegen::CdrError::invalid_discriminator("Choice::Value"))
            }
            Self::Unlisted { discriminator: 1 | 2 | -3, .. } => {
                Err(codegen::CdrError::invalid_discriminator("Choice::Value"))
            }
            Self::Unlisted { discriminator } => {
                out.put_i32(*discriminator);
                Ok(())
            }
        }
    }
}

//= mod choice > impl Tinted
impl Tinted {
    /// The discriminator of the value.
    pub fn discriminator(&self) -> Colour {
        match self {
            Self::Parts(_) => Colour::Red,
            Self::Shade { discriminator, .. } => *discriminator,
        }
    }
}

//= mod choice > enum Mixed
/// IDL `Choice::Mixed`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Mixed {
    /// IDL `other`, selected by `b'a'` and all other discriminators.
    Other {
        /// The discriminator, one of those that select this member.
        discriminator: u8,
        /// The member.
        value: u8,
    },
    /// IDL `chosen`, selected by `b'b'`.
    Chosen(i32),
}

//= mod choice > impl codegen::Decode for Ranges
impl<'a> codegen::Decode<'a> for Ranges {
    fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
        let discriminator = input.i64()?;
        Ok(
            match discriminator {
                1..=3 | 9 => {
                    Self::Some {
                        discriminator,
                        value: input.i32()?,
                    }
                }
                -3..=-1 => {
                    Self::Below {
                        discriminator,
                        value: input.i16()?,
                    }
                }
                5 => Self::One(input.u8()?),
                _ => Self::Unlisted { discriminator },
            },
        )
    }
}

//= mod choice > enum Nested
/// IDL `Choice::Nested`.
#[derive(Debug, Clone, PartialEq)]
pub enum Nested {
    /// IDL `place`, selected by `0`.
    Place(nested::Point),
    /// IDL `names`, selected by `1`.
    Names([String; 2]),
    /// A discriminator that selects no member.
    Unlisted {
        /// The discriminator.
        discriminator: i16,
    },
}
