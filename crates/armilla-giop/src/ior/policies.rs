//! `TAG_POLICIES`: policies of the server that a client has to know (CORBA 3.4 Part 1, 17.3.2).

use super::Component;
use crate::encapsulation::open;
use alloc::vec::Vec;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};

/// The policies in a profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Policies(pub Vec<PolicyValue>);

/// One policy, understood or not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PolicyValue {
    /// The type of the policy (`CORBA::PolicyType`).
    pub policy_type: u32,
    /// The value, an encapsulation whose contents depend on the type.
    pub value: Vec<u8>,
}

impl PolicyValue {
    /// A decoder for the contents of the value.
    ///
    /// # Errors
    /// When the value is empty, and so lacks its byte order.
    pub fn open(&self) -> CdrResult<Decoder<'_>> {
        open(&self.value)
    }
}

impl Component for Policies {
    const ID: u32 = 2;
}

impl<'a> Decode<'a> for Policies {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.sequence().map(Self)
    }
}

impl Encode for Policies {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_sequence(&self.0)
    }
}

impl<'a> Decode<'a> for PolicyValue {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { policy_type: input.u32()?, value: input.octets()?.to_vec() })
    }
}

impl Encode for PolicyValue {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u32(self.policy_type);
        out.put_sequence(&self.value)
    }
}
