//! The marshalling of `Values::Sealed`, a `custom` valuetype.

use crate::values::Sealed;
use armilla::{CdrResult, CustomMarshal, Decode, Decoder, Encode, Encoder};

impl CustomMarshal for Sealed {
    /// The node first, then the text backwards: not as the IDL would have it.
    fn marshal<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.inside.encode(out)?;
        out.put_string(&self.text.chars().rev().collect::<String>())
    }

    fn unmarshal(input: &mut Decoder<'_>) -> CdrResult<Self> {
        let inside = Decode::decode(input)?;
        Ok(Self { text: input.string()?.chars().rev().collect(), inside })
    }
}
