//! What TAO adds to references: the profile of a Unix-domain socket, and the component with the
//! endpoints of a profile, each with its priority.

use super::{Component, TaggedComponent, TaggedProfile};
use crate::Version;
use crate::encapsulation::{pack, unpack};
use alloc::string::String;
use alloc::vec::Vec;
use armilla_cdr::{CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};

/// The id of TAO's profile for UIOP, GIOP over a Unix-domain socket.
pub const TAG_UIOP: u32 = 0x5441_4f00;

/// The path of a Unix-domain socket and the object key. It is laid out as an IIOP profile without
/// its port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UiopProfile {
    /// The highest version that the server takes.
    pub version: Version,
    /// The path of the socket, on the host of the server.
    pub rendezvous_point: String,
    /// The key by which the server identifies the object.
    pub object_key: Vec<u8>,
    /// Additional information (since 1.1).
    pub components: Vec<TaggedComponent>,
}

impl UiopProfile {
    /// Reads the data of a profile with id [`TAG_UIOP`].
    ///
    /// # Errors
    /// When the octets end too early, or the major version is not 1.
    pub fn decode_data(data: &[u8]) -> CdrResult<Self> {
        unpack(data)
    }

    /// The profile in its encoded form.
    ///
    /// # Errors
    /// When the path contains a NUL, or a length does not fit 32 bits.
    pub fn to_tagged(&self) -> CdrResult<TaggedProfile> {
        Ok(TaggedProfile { id: TAG_UIOP, data: pack(self)? })
    }
}

impl<'a> Decode<'a> for UiopProfile {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let version = Version { major: input.u8()?, minor: input.u8()? };
        if version.major != 1 {
            let what = "a UIOP profile of a major version not 1";
            return Err(input.error(CdrErrorKind::Invalid(what)));
        }
        let rendezvous_point = input.string()?.into_owned();
        let object_key = input.octets()?.to_vec();
        let components = match version.minor {
            0 => Vec::new(),
            _ => input.sequence()?,
        };
        Ok(Self { version, rendezvous_point, object_key, components })
    }
}

impl Encode for UiopProfile {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u8(self.version.major);
        out.put_u8(self.version.minor);
        out.put_string(&self.rendezvous_point)?;
        out.put_sequence(&self.object_key)?;
        match self.version.minor {
            0 => Ok(()),
            _ => out.put_sequence(&self.components),
        }
    }
}

/// `TAO_TAG_ENDPOINTS` in an IIOP profile: all endpoints of the server, that of the profile first.
/// A server with lanes has one for each.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct IiopEndpoints(pub Vec<IiopEndpoint>);

/// A TCP port with the priority of the lane behind it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IiopEndpoint {
    /// A host name or an address; IPv6 without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
    /// The CORBA priority.
    pub priority: i16,
}

impl Component for IiopEndpoints {
    const ID: u32 = 0x5441_4f02;
}

impl<'a> Decode<'a> for IiopEndpoints {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.sequence().map(Self)
    }
}

impl Encode for IiopEndpoints {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_sequence(&self.0)
    }
}

impl<'a> Decode<'a> for IiopEndpoint {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { host: input.string()?.into_owned(), port: input.u16()?, priority: input.i16()? })
    }
}

impl Encode for IiopEndpoint {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.host)?;
        out.put_u16(self.port);
        self.priority.encode(out)
    }
}

/// `TAO_TAG_ENDPOINTS` in a UIOP profile, which has the same id as [`IiopEndpoints`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct UiopEndpoints(pub Vec<UiopEndpoint>);

/// A Unix-domain socket with the priority of the lane behind it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UiopEndpoint {
    /// The path of the socket.
    pub rendezvous_point: String,
    /// The CORBA priority.
    pub priority: i16,
}

impl Component for UiopEndpoints {
    const ID: u32 = IiopEndpoints::ID;
}

impl<'a> Decode<'a> for UiopEndpoints {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.sequence().map(Self)
    }
}

impl Encode for UiopEndpoints {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_sequence(&self.0)
    }
}

impl<'a> Decode<'a> for UiopEndpoint {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { rendezvous_point: input.string()?.into_owned(), priority: input.i16()? })
    }
}

impl Encode for UiopEndpoint {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.rendezvous_point)?;
        self.priority.encode(out)
    }
}
