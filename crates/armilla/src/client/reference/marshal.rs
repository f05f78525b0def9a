//! Encoding and decoding of object references as IORs (CORBA 3.4 Part 2, 9.6.2).

use super::object::Object;
use crate::runtime::Orb;
use armilla_cdr::{
    CdrError, CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed,
};
use armilla_giop::ior::Ior;

impl Encode for Object {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        match self.reference() {
            Ok(reference) => reference.ior().encode(out),
            Err(_) => {
                // The nil reference: an empty type id and no profiles.
                out.put_string("")?;
                out.put_length(0)
            }
        }
    }
}

impl<'a> Decode<'a> for Object {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let orb: &Orb = input.context().ok_or(CdrError::new(CdrErrorKind::NoContext))?;
        Ok(Self::from_ior(orb, Ior::decode(input)?))
    }
}

impl Typed for Object {
    fn type_code() -> TypeCode {
        TypeCode::object_reference(crate::wire::OBJECT_ID, "Object")
    }
}
