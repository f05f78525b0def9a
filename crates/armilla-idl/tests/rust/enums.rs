// Enums: names of enumerators, comments, conversion from the wire.

//= enum Order
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

//= impl Order
#[allow(dead_code, unreachable_pub)]
impl Order {
    /// The enumerator with the number `value`, the first being 0.
    ///
    /// # Errors
    /// When there are not so many enumerators.
    pub fn from_discriminant(value: u32) -> ::armilla::codegen::CdrResult<Self> {
        match value {
            0 => Ok(Self::FirstIn),
            1 => Ok(Self::LastIn),
            _ => Err(::armilla::codegen::CdrError::invalid_enum("Order", value)),
        }
    }
}

//= mod paint > enum Colour
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

//= mod paint > impl codegen::Decode for Colour
impl<'a> codegen::Decode<'a> for Colour {
    fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
        Self::from_discriminant(input.u32()?)
    }
}

//= mod paint > enum Shade
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
