// Maps, bitmasks and bitsets: their types, how they travel, their TypeCodes.

//= mod blocks > struct Small
/// IDL bitmask `Blocks::Small`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Small(pub u32);

//= mod blocks > impl Small
impl Small {
    /// IDL `A`.
    pub const A: Self = Self(1);
    /// IDL `B`.
    pub const B: Self = Self(1 << 5);
    /// Whether all flags of `other` are set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

//= mod blocks > impl ::std::ops::BitOr for Small
impl ::std::ops::BitOr for Small {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

//= mod blocks > impl Large > const HIGH
/// IDL `HIGH`.
pub const HIGH: Self = Self(1 << 39);

//= mod blocks > impl Status > fn drift
/// IDL `drift`, 5 bits wide.
pub const fn drift(self) -> i16 {
    codegen::get_signed_bits(self.0, 6, 5) as i16
}

//= mod blocks > impl Status > fn with_drift
/// The same with `drift` set to the lower bits of `value`.
#[must_use]
pub const fn with_drift(self, value: i16) -> Self {
    Self(codegen::set_bits(self.0, 6, 5, value as u64))
}

//= mod blocks > impl codegen::Typed for Status
impl codegen::Typed for Status {
    fn type_code() -> codegen::TypeCode {
        static CODE: codegen::SharedTypeCode = codegen::SharedTypeCode::new(|| {
            codegen::TypeCode::alias(
                "IDL:Blocks/Status:1.0",
                "Status",
                codegen::TypeCode::UShort,
            )
        });
        CODE.clone()
    }
}

//= mod blocks > impl Extended > fn tag
/// IDL `tag`, 8 bits wide.
pub const fn tag(self) -> u8 {
    codegen::get_bits(self.0, 51, 8) as u8
}

//= mod blocks > impl Extended > fn with_tag
/// The same with `tag` set to the lower bits of `value`.
#[must_use]
pub const fn with_tag(self, value: u8) -> Self {
    Self(codegen::set_bits(self.0, 51, 8, value as u64))
}

//= mod blocks > type Paints
/// IDL `Blocks::Paints`.
pub type Paints = ::std::collections::BTreeMap<Colour, Vec<String>>;

//= mod blocks > struct Stock
/// IDL `Blocks::Stock`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stock {
    /// IDL `amounts`.
    pub amounts: Counts,
    /// IDL `deep`.
    pub deep: ::std::collections::BTreeMap<i64, ::std::collections::BTreeMap<char, f64>>,
    /// IDL `few`.
    pub few: ::std::collections::BTreeMap<String, Small>,
    /// IDL `rights`.
    pub rights: Large,
    /// IDL `state`.
    pub state: Extended,
}

//= mod blocks > impl codegen::Decode for Stock
impl<'a> codegen::Decode<'a> for Stock {
    fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
        Ok(Self {
            amounts: codegen::Decode::decode(input)?,
            deep: codegen::Decode::decode(input)?,
            few: input
                .bounded_map_with(
                    2,
                    |input| Ok((
                        input.bounded_string(4).map(Into::into)?,
                        codegen::Decode::decode(input)?,
                    )),
                )?,
            rights: codegen::Decode::decode(input)?,
            state: codegen::Decode::decode(input)?,
        })
    }
}
