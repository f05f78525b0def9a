//! The three messages of the handshake (MS-NLMP 2.2.1).

use crate::cursor::{Ended, Reader, Writer};
use crate::order::ByteOrder;
use crate::security::error::SecurityError;
use alloc::string::String;
use alloc::vec::Vec;

const SIGNATURE: &[u8; 8] = b"NTLMSSP\0";

/// The bits that both sides negotiate (MS-NLMP 2.2.2.5).
pub(super) mod flag {
    pub(in super::super) const UNICODE: u32 = 1;
    pub(in super::super) const REQUEST_TARGET: u32 = 4;
    pub(in super::super) const SIGN: u32 = 0x10;
    pub(in super::super) const SEAL: u32 = 0x20;
    pub(in super::super) const NTLM: u32 = 0x200;
    pub(in super::super) const ANONYMOUS: u32 = 0x800;
    pub(in super::super) const ALWAYS_SIGN: u32 = 0x8000;
    pub(in super::super) const TARGET_SERVER: u32 = 0x2_0000;
    pub(in super::super) const EXTENDED: u32 = 0x8_0000;
    pub(in super::super) const TARGET_INFO: u32 = 0x80_0000;
    pub(in super::super) const VERSION: u32 = 0x200_0000;
    pub(in super::super) const BITS_128: u32 = 0x2000_0000;
    pub(in super::super) const KEY_EXCHANGE: u32 = 0x4000_0000;
    pub(in super::super) const BITS_56: u32 = 0x8000_0000;
}

/// Version 10.0 of Windows, and revision 15 of NTLM, as current systems say.
const OWN_VERSION: [u8; 8] = [10, 0, 0x63, 0x45, 0, 0, 0, 15];

/// Where the MIC begins in [`Authenticate`].
pub(super) const MIC_OFFSET: usize = 72;
const MIC_END: usize = MIC_OFFSET + 16;

/// The client begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Negotiate {
    /// What the client can do.
    pub flags: u32,
}

/// The server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    /// What both can do.
    pub flags: u32,
    /// The name of the server, in UTF-16.
    pub target: Vec<u8>,
    /// What the client's proof has to contain.
    pub challenge: [u8; 8],
    /// The attributes of the server.
    pub target_info: Vec<u8>,
}

/// The client proves who it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Authenticate {
    /// What was agreed.
    pub flags: u32,
    /// The response of LM: zeros, where there is a MIC.
    pub lm_response: Vec<u8>,
    /// The proof, and what it is about.
    pub nt_response: Vec<u8>,
    /// The domain of the user, in UTF-16.
    pub domain: Vec<u8>,
    /// The user, in UTF-16.
    pub user: Vec<u8>,
    /// The client's host, in UTF-16.
    pub workstation: Vec<u8>,
    /// The session key under the key exchange key.
    pub session_key: Vec<u8>,
    /// The MIC over all three messages; `None` where the message has no place for one.
    pub mic: Option<[u8; 16]>,
}

fn ended(_: Ended) -> SecurityError {
    SecurityError::Malformed("an NTLM message ends early")
}

/// A reader behind the signature and the number of the message.
fn open(octets: &[u8], kind: u32) -> Result<Reader<'_>, SecurityError> {
    let mut input = Reader::new(octets, 0, ByteOrder::Little);
    if input.octets(8).map_err(ended)? != SIGNATURE {
        return Err(SecurityError::Malformed("it does not begin as an NTLM message"));
    }
    if input.u32().map_err(ended)? != kind {
        return Err(SecurityError::Unexpected);
    }
    Ok(input)
}

/// What a field of length, space and offset leads to, and the offset.
fn field<'a>(octets: &'a [u8], input: &mut Reader<'_>) -> Result<(&'a [u8], usize), Ended> {
    let length = usize::from(input.u16()?);
    input.u16()?;
    let offset = input.u32()? as usize;
    if length == 0 {
        return Ok((&[], usize::MAX));
    }
    let value = offset.checked_add(length).and_then(|end| octets.get(offset..end));
    value.map(|value| (value, offset)).ok_or(Ended { at: offset })
}

/// Writes fields ahead of what they lead to.
struct Fields {
    head: Writer,
    payload: Vec<u8>,
    /// Where the payload begins.
    at: usize,
}

impl Fields {
    fn new(kind: u32, at: usize) -> Self {
        let mut head = Writer::new(ByteOrder::Little);
        head.put(SIGNATURE);
        head.u32(kind);
        Self { head, payload: Vec::new(), at }
    }

    fn field(&mut self, value: &[u8]) {
        // Names and responses come from this program, and are cut rather than wrapped.
        let length = u16::try_from(value.len()).unwrap_or(!1);
        self.head.u16(length);
        self.head.u16(length);
        self.head.u32((self.at + self.payload.len()) as u32);
        self.payload.extend_from_slice(&value[..length.into()]);
    }

    fn finish(mut self) -> Vec<u8> {
        self.head.put(&self.payload);
        self.head.octets
    }
}

impl Negotiate {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// If the octets are no such message.
    pub fn decode(octets: &[u8]) -> Result<Self, SecurityError> {
        Ok(Self { flags: open(octets, 1)?.u32().map_err(ended)? })
    }

    /// Writes it, without names.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Fields::new(1, 40);
        out.head.u32(self.flags);
        out.field(&[]);
        out.field(&[]);
        out.head.put(&OWN_VERSION);
        out.finish()
    }
}

impl Challenge {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// If the octets are no such message.
    pub fn decode(octets: &[u8]) -> Result<Self, SecurityError> {
        let mut input = open(octets, 2)?;
        Self::fields(octets, &mut input).map_err(ended)
    }

    fn fields(octets: &[u8], input: &mut Reader<'_>) -> Result<Self, Ended> {
        let target = field(octets, input)?.0.to_vec();
        let (flags, challenge) = (input.u32()?, input.array()?);
        input.octets(8)?;
        let target_info = match flags & flag::TARGET_INFO {
            0 => Vec::new(),
            _ => field(octets, input)?.0.to_vec(),
        };
        Ok(Self { flags, target, challenge, target_info })
    }

    /// Writes it.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Fields::new(2, 56);
        out.field(&self.target);
        out.head.u32(self.flags);
        out.head.put(&self.challenge);
        out.head.put(&[0; 8]);
        out.field(&self.target_info);
        out.head.put(&OWN_VERSION);
        out.finish()
    }
}

impl Authenticate {
    /// Reads it. It has a MIC if its payload leaves place for one.
    ///
    /// # Errors
    ///
    /// If the octets are no such message.
    pub fn decode(octets: &[u8]) -> Result<Self, SecurityError> {
        let mut input = open(octets, 3)?;
        Self::fields(octets, &mut input).map_err(ended)
    }

    fn fields(octets: &[u8], input: &mut Reader<'_>) -> Result<Self, Ended> {
        let mut payload = usize::MAX;
        let mut next = || {
            let (value, offset) = field(octets, input)?;
            payload = payload.min(offset);
            Ok(value.to_vec())
        };
        let (lm_response, nt_response) = (next()?, next()?);
        let (domain, user, workstation) = (next()?, next()?, next()?);
        let session_key = next()?;
        let flags = input.u32()?;
        let mic = octets.get(MIC_OFFSET..MIC_END).filter(|_| payload >= MIC_END);
        let mic = mic.and_then(|mic| mic.try_into().ok());
        Ok(Self { flags, lm_response, nt_response, domain, user, workstation, session_key, mic })
    }

    /// The user's name.
    ///
    /// # Errors
    ///
    /// If it is not UTF-16.
    pub fn user(&self) -> Result<String, SecurityError> {
        text(&self.user)
    }

    /// The name of the user's domain.
    ///
    /// # Errors
    ///
    /// If it is not UTF-16.
    pub fn domain(&self) -> Result<String, SecurityError> {
        text(&self.domain)
    }

    /// Writes it. Without a MIC there is a place of zeros for one.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Fields::new(3, MIC_END);
        // The fields stand in one order, and what they lead to in another, as Windows has it; no
        // reader depends on the latter.
        for value in [
            &self.lm_response,
            &self.nt_response,
            &self.domain,
            &self.user,
            &self.workstation,
            &self.session_key,
        ] {
            out.field(value);
        }
        out.head.u32(self.flags);
        out.head.put(&OWN_VERSION);
        out.head.put(&self.mic.unwrap_or_default());
        out.finish()
    }
}

/// A name in UTF-16.
fn text(octets: &[u8]) -> Result<String, SecurityError> {
    let units: Vec<u16> =
        octets.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    String::from_utf16(&units).map_err(|_| SecurityError::Malformed("a name is not UTF-16"))
}
