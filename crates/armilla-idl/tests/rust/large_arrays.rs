// Arrays that are too large for the stack.

//= mod large > type Planes
/// IDL `Large::Planes`.
pub type Planes = [codegen::LargeArray<u8, 100000>; 3];

//= mod large > struct Frame
/// IDL `Large::Frame`.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// IDL `number`.
    pub number: i32,
    /// IDL `pixels`.
    pub pixels: Image,
    /// IDL `tags`.
    pub tags: Names,
    /// IDL `weights`.
    pub weights: [codegen::LargeArray<f32, 20000>; 2],
}

//= mod large > impl codegen::Decode for Frame
impl<'a> codegen::Decode<'a> for Frame {
    fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
        Ok(Self {
            number: input.i32()?,
            pixels: codegen::Decode::decode(input)?,
            tags: input
                .large_array_with(|input| input.bounded_string(8).map(Into::into))?,
            weights: codegen::Decode::decode(input)?,
        })
    }
}

//= mod large > enum Content
/// IDL `Large::Content`.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// IDL `heard`, selected by `true`.
    Heard(Samples),
    /// IDL `seen`, selected by `false`.
    Seen(Planes),
}

//= mod large > trait Camera > fn take
/// IDL operation `take`.
fn take(
    &self,
    mask: &Image,
    heard: &mut Samples,
) -> Result<(Frame, Planes), codegen::Error<camera::TakeRaises>>;
