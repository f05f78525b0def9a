//! The tagged component of references that tells clients the numbers of operations.

use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};
use armilla_giop::ior::Component;
use std::collections::HashMap;

/// The operations of an object whose requests may say their numbers, in the order of the numbers.
pub struct OperationNames(Vec<String>);

impl OperationNames {
    /// The names of the operations, in the order of their numbers.
    pub fn new(names: &[&str]) -> Self {
        Self(names.iter().map(|name| (*name).to_owned()).collect())
    }
}

impl Component for OperationNames {
    const ID: u32 = 0x4152_4d02;
}

impl Encode for OperationNames {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_sequence(&self.0)
    }
}

impl<'a> Decode<'a> for OperationNames {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.sequence().map(Self)
    }
}

/// The numbers of the operations of an object, as a client looks them up.
#[derive(Debug)]
pub struct Numbers(HashMap<String, u32>);

impl Numbers {
    /// The number of the operation.
    pub fn of(&self, operation: &str) -> Option<u32> {
        self.0.get(operation).copied()
    }
}

impl From<OperationNames> for Numbers {
    fn from(names: OperationNames) -> Self {
        Self(names.0.into_iter().zip(0..).collect())
    }
}
