//! Typed references as values: marshalling, equality and hashing.

use super::Ref;
use crate::client::Object;
use crate::server::Interface;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed};
use std::hash::{Hash, Hasher};

impl<I: Interface + ?Sized> Encode for Ref<I> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.object().encode(out)
    }
}

impl<'a, I: Interface + ?Sized> Decode<'a> for Ref<I> {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Object::decode(input).map(|object| object.assume())
    }
}

impl<I: Interface + ?Sized> Typed for Ref<I> {
    fn type_code() -> TypeCode {
        I::reference_type()
    }
}

impl<I: ?Sized> Eq for Ref<I> {}

impl<I: ?Sized> Hash for Ref<I> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.untyped().hash(state);
    }
}
