// Empty structs, maps with keys of any type, native types, `Principal`.

//= mod rare > struct Nothing
/// IDL `Rare::Nothing`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Nothing;

//= mod rare > impl codegen::Decode for Nothing
impl<'a> codegen::Decode<'a> for Nothing {
    fn decode(_input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
        Ok(Self)
    }
    const ZERO_SIZED: bool = true;
    fn decode_vec(
        input: &mut codegen::Decoder<'a>,
        len: usize,
    ) -> codegen::CdrResult<Vec<Self>> {
        Self::decode(input).map(|one| vec![one; len])
    }
}

//= mod rare > impl codegen::Decode for Hardly
impl<'a> codegen::Decode<'a> for Hardly {
    fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
        Ok(Self {
            none: codegen::Decode::decode(input)?,
            more: codegen::Decode::decode(input)?,
        })
    }
    const ZERO_SIZED: bool = true;
    fn decode_vec(
        input: &mut codegen::Decoder<'a>,
        len: usize,
    ) -> codegen::CdrResult<Vec<Self>> {
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
pub type Cookie = codegen::Native;

//= mod rare > trait Registry > fn swap
/// IDL operation `swap`.
fn swap(
    &self,
    mine: &[u8],
    other: &mut Vec<u8>,
) -> Result<(Vec<u8>, Nothing), codegen::SystemException>;
