// Wide characters, decimal numbers, long floating-point numbers.

//= mod wide > type Title
/// IDL `Wide::Title`.
pub type Title = codegen::WString;

//= mod wide > const STAR
/// IDL `Wide::STAR`.
pub const STAR: char = '★';

//= mod wide > const GREETING
/// IDL `Wide::GREETING`.
pub const GREETING: &str = "grüß dich";

//= mod wide > const RATE
/// IDL `Wide::RATE`.
pub const RATE: codegen::Decimal<3, 1> = codegen::Decimal::constant(125);

//= mod wide > const LOSS
/// IDL `Wide::LOSS`.
pub const LOSS: codegen::Decimal<3, 3> = codegen::Decimal::constant(-5);

//= mod wide > const HALF
/// IDL `Wide::HALF`.
pub const HALF: codegen::LongDouble = codegen::LongDouble::from_bits(
    0x3ffe0000000000000000000000000000,
);

//= mod wide > struct Entry
/// IDL `Wide::Entry`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entry {
    /// IDL `mark`.
    pub mark: char,
    /// IDL `text`.
    pub text: codegen::WString,
    /// IDL `heading`.
    pub heading: Title,
    /// IDL `price`.
    pub price: Amount,
    /// IDL `tiny`.
    pub tiny: codegen::Decimal<31, 31>,
    /// IDL `exact`.
    pub exact: codegen::LongDouble,
    /// IDL `marks`.
    pub marks: Vec<char>,
    /// IDL `tags`.
    pub tags: Vec<codegen::WString>,
    /// IDL `grid`.
    pub grid: [codegen::Decimal<4, 0>; 2],
}

//= mod wide > impl codegen::Encode for Entry
impl codegen::Encode for Entry {
    fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
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
        codegen::Encode::encode(&self.grid, out)
    }
}

//= mod wide > impl Sign
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

//= mod wide > trait Book > fn add
/// IDL operation `add`.
fn add(
    &self,
    given: Amount,
    total: &mut Amount,
) -> Result<(Amount, codegen::LongDouble), codegen::SystemException>;

//= mod wide > trait Book > fn find
/// IDL operation `find`.
fn find(
    &self,
    text: &str,
    which: char,
    heading: &mut Title,
) -> Result<char, codegen::SystemException>;
