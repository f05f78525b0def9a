// Empty structs, maps with keys of any type, native types, `Principal`.

//= mod rare > struct Nothing
/// IDL `Rare::Nothing`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Nothing;

//= mod rare > impl rt::Decode for Nothing
impl<'a> rt::Decode<'a> for Nothing {
    fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
        Ok(Self)
    }
    const ZERO_SIZED: bool = true;
    fn decode_vec(input: &mut rt::Decoder<'a>, len: usize) -> rt::CdrResult<Vec<Self>> {
        Self::decode(input).map(|one| vec![one; len])
    }
}

//= mod rare > impl rt::Decode for Hardly
impl<'a> rt::Decode<'a> for Hardly {
    fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
        Ok(Self {
            none: rt::Decode::decode(input)?,
            more: rt::Decode::decode(input)?,
        })
    }
    const ZERO_SIZED: bool = true;
    fn decode_vec(input: &mut rt::Decoder<'a>, len: usize) -> rt::CdrResult<Vec<Self>> {
        Self::decode(input).map(|one| vec![one; len])
    }
}

//= mod rare > type ByHeight
/// IDL `Rare::ByHeight`.
pub type ByHeight = Vec<(f64, String)>;

//= mod rare > type Nested
/// IDL `Rare::Nested`.
pub type Nested = Vec<(Hardly, ByHeight)>;

//= mod rare > type Cookie
/// IDL native `Rare::Cookie`.
pub type Cookie = rt::Native;

//= mod rare > trait Registry > fn swap
/// IDL operation `swap`.
fn swap(
    &self,
    mine: &[u8],
    other: &mut Vec<u8>,
) -> Result<(Vec<u8>, Nothing), rt::SystemException>;
