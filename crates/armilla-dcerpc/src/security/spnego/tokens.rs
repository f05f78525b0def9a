//! The tokens (RFC 4178 section 4.2).

use super::MOST_MECHANISMS;
use super::der::{
    self, APPLICATION, ENUMERATED, OBJECT_ID, OCTETS, SEQUENCE, context, expect, only, wrap,
};
use crate::security::error::SecurityError;
use alloc::vec::Vec;

/// The object identifier 1.3.6.1.5.5.2 of SPNEGO.
const SPNEGO: &[u8] = &[0x2b, 6, 1, 5, 5, 2];

/// A token of either kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// The client's first one.
    Init(NegTokenInit),
    /// Any other one.
    Response(NegTokenResponse),
}

/// The client begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NegTokenInit {
    /// The list of mechanisms as DER: this is what is signed.
    pub list: Vec<u8>,
    /// The object identifiers in it: the contents of their DER.
    pub mechanisms: Vec<Vec<u8>>,
    /// The first token of the first mechanism.
    pub token: Option<Vec<u8>>,
}

/// How far the negotiation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum NegState {
    /// It is over, and the context is established.
    Completed = 0,
    /// Further tokens are needed.
    Incomplete = 1,
    /// It has failed.
    Rejected = 2,
    /// Further tokens are needed, and the list of mechanisms has to be signed.
    RequestMic = 3,
}

/// Either side goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NegTokenResponse {
    /// How far it is.
    pub state: Option<NegState>,
    /// The mechanism that the server took.
    pub mechanism: Option<Vec<u8>>,
    /// A token of the mechanism.
    pub token: Option<Vec<u8>>,
    /// The signature of the list of mechanisms.
    pub mic: Option<Vec<u8>>,
}

impl NegTokenInit {
    /// A first token that offers these mechanisms.
    pub fn new(mechanisms: Vec<Vec<u8>>, token: Option<Vec<u8>>) -> Self {
        let all: Vec<u8> =
            mechanisms.iter().flat_map(|mechanism| wrap(OBJECT_ID, mechanism)).collect();
        Self { list: wrap(SEQUENCE, &all), mechanisms, token }
    }

    fn decode(octets: &[u8]) -> Result<Self, SecurityError> {
        let mut found = None;
        let mut token = None;
        let mut rest = only(only(octets, context(0))?, SEQUENCE)?;
        while !rest.is_empty() {
            let (tag, content, after) = der::element(rest)?;
            rest = after;
            if tag == context(0) {
                found = Some(content);
            } else if tag == context(2) {
                token = Some(only(content, OCTETS)?.to_vec());
            }
        }
        let list = found.ok_or(SecurityError::Malformed("it lists no mechanisms"))?;
        let mut rest = only(list, SEQUENCE)?;
        let mut mechanisms = Vec::new();
        while !rest.is_empty() {
            if mechanisms.len() == MOST_MECHANISMS {
                return Err(SecurityError::Malformed("it lists too many mechanisms"));
            }
            let (mechanism, after) = expect(rest, OBJECT_ID)?;
            mechanisms.push(mechanism.to_vec());
            rest = after;
        }
        Ok(Self { list: list.to_vec(), mechanisms, token })
    }

    fn encode(&self) -> Vec<u8> {
        let mut parts = wrap(context(0), &self.list);
        if let Some(token) = &self.token {
            parts.extend(wrap(context(2), &wrap(OCTETS, token)));
        }
        let choice = wrap(context(0), &wrap(SEQUENCE, &parts));
        wrap(APPLICATION, &[wrap(OBJECT_ID, SPNEGO), choice].concat())
    }
}

impl NegTokenResponse {
    fn decode(octets: &[u8]) -> Result<Self, SecurityError> {
        let mut response = Self::default();
        let mut rest = only(only(octets, context(1))?, SEQUENCE)?;
        while !rest.is_empty() {
            let (tag, content, after) = der::element(rest)?;
            rest = after;
            match tag & 0x1f {
                _ if tag & 0xe0 != context(0) => {}
                0 => response.state = Some(NegState::decode(only(content, ENUMERATED)?)?),
                1 => response.mechanism = Some(only(content, OBJECT_ID)?.to_vec()),
                2 => response.token = Some(only(content, OCTETS)?.to_vec()),
                3 => response.mic = Some(only(content, OCTETS)?.to_vec()),
                _ => {}
            }
        }
        Ok(response)
    }

    fn encode(&self) -> Vec<u8> {
        let mut parts = Vec::new();
        let mut part = |number, tag, content: &[u8]| {
            parts.extend(wrap(context(number), &wrap(tag, content)));
        };
        if let Some(state) = self.state {
            part(0, ENUMERATED, &[state as u8]);
        }
        if let Some(mechanism) = &self.mechanism {
            part(1, OBJECT_ID, mechanism);
        }
        if let Some(token) = &self.token {
            part(2, OCTETS, token);
        }
        if let Some(mic) = &self.mic {
            part(3, OCTETS, mic);
        }
        wrap(context(1), &wrap(SEQUENCE, &parts))
    }
}

impl NegState {
    fn decode(octets: &[u8]) -> Result<Self, SecurityError> {
        match octets {
            [0] => Ok(Self::Completed),
            [1] => Ok(Self::Incomplete),
            [2] => Ok(Self::Rejected),
            [3] => Ok(Self::RequestMic),
            _ => Err(SecurityError::Malformed("its state does not exist")),
        }
    }
}

impl Token {
    /// Reads a token of either kind.
    ///
    /// # Errors
    ///
    /// If the octets are none.
    pub fn decode(octets: &[u8]) -> Result<Self, SecurityError> {
        match der::element(octets)? {
            (APPLICATION, content, _) => {
                let (name, choice) = expect(content, OBJECT_ID)?;
                if name != SPNEGO {
                    return Err(SecurityError::Malformed("it is of another mechanism"));
                }
                NegTokenInit::decode(choice).map(Self::Init)
            }
            _ => NegTokenResponse::decode(octets).map(Self::Response),
        }
    }

    /// Writes it.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Init(init) => init.encode(),
            Self::Response(response) => response.encode(),
        }
    }
}
