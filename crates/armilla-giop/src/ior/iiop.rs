//! The profile for IIOP: host, port and object key (CORBA 3.4 Part 2, 9.7.2).

use super::{Component, TAG_INTERNET_IOP, TaggedComponent, TaggedProfile};
use crate::Version;
use crate::encapsulation::{open, pack, unpack};
use alloc::string::String;
use alloc::vec::Vec;
use armilla_cdr::{ByteOrder, CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};

/// The address and the object key for IIOP.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IiopProfile {
    /// The highest version that the server takes. A minor version above 2 keeps the layout of
    /// 1.2, so it is accepted and kept.
    pub version: Version,
    /// A host name or an address; IPv6 without brackets.
    pub host: String,
    /// The TCP port. It is 0 if the server only accepts other transports (TLS).
    pub port: u16,
    /// The key by which the server identifies the object.
    pub object_key: Vec<u8>,
    /// Additional information (since 1.1).
    pub components: Vec<TaggedComponent>,
}

impl IiopProfile {
    /// Reads the data of a profile with id [`TAG_INTERNET_IOP`].
    ///
    /// # Errors
    /// When the octets end too early, or the major version is not 1.
    pub fn decode_data(data: &[u8]) -> CdrResult<Self> {
        unpack(data)
    }

    /// The profile in its encoded form.
    ///
    /// # Errors
    /// When the host contains a NUL, or a length does not fit 32 bits.
    pub fn to_tagged(&self) -> CdrResult<TaggedProfile> {
        Ok(TaggedProfile { id: TAG_INTERNET_IOP, data: pack(self)? })
    }

    /// The first component of this type, if there is one.
    ///
    /// # Errors
    /// When that component is malformed.
    pub fn component<C: Component>(&self) -> CdrResult<Option<C>> {
        let found = self.components.iter().find(|component| component.id == C::ID);
        found.map(|component| unpack(&component.data)).transpose()
    }

    /// All components of this type, in order; one that is malformed is an error in its place.
    pub fn components_of<C: Component>(&self) -> impl Iterator<Item = CdrResult<C>> {
        let found = self.components.iter().filter(|component| component.id == C::ID);
        found.map(|component| unpack(&component.data))
    }
}

/// The object key in the data of an IIOP profile, borrowed.
///
/// # Errors
/// As [`IiopProfile::decode_data`].
pub fn iiop_object_key(data: &[u8]) -> CdrResult<&[u8]> {
    split_at_key(data).map(|[_, key, _]| key)
}

/// The components in the data of an IIOP profile, borrowed: their ids and their data.
///
/// # Errors
/// As [`IiopProfile::decode_data`].
pub fn iiop_components(data: &[u8]) -> CdrResult<Vec<(u32, &[u8])>> {
    let mut input = open(data)?;
    let version = version(&mut input)?;
    let _host = input.octets()?;
    let _port = input.u16()?;
    let _key = input.octets()?;
    match version.minor {
        0 => Ok(Vec::new()),
        _ => input.sequence_with(|input| Ok((input.u32()?, input.octets()?))),
    }
}

/// The data of the first component with this id in the data of an IIOP profile, borrowed.
///
/// # Errors
/// As [`IiopProfile::decode_data`], as far as the component.
pub fn iiop_component(data: &[u8], id: u32) -> CdrResult<Option<&[u8]>> {
    let mut input = open(data)?;
    let version = version(&mut input)?;
    let _host = input.octets()?;
    let _port = input.u16()?;
    let _key = input.octets()?;
    let count = if version.minor == 0 { 0 } else { input.length()? };
    for _ in 0..count {
        let (known, data) = (input.u32()?, input.octets()?);
        if known == id {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// The data of an IIOP profile in three parts: what stands before the object key (the version and
/// the address), the key, and what stands behind it (the components). The length of the key and the
/// octets that align what follows are in none of them, so that the profiles of a server's objects
/// differ in the key alone.
///
/// # Errors
/// As [`IiopProfile::decode_data`], as far as the key; what stands behind it is not looked at.
pub fn split_at_key(data: &[u8]) -> CdrResult<[&[u8]; 3]> {
    let mut input = open(data)?;
    version(&mut input)?;
    let _host = input.octets()?;
    let _port = input.u16()?;
    let before = &data[..input.position()];
    let Some([key, behind]) = key_and_rest(data, before) else {
        return Err(
            input.error(CdrErrorKind::Invalid("an IIOP profile ends before its object key"))
        );
    };
    input.end();
    Ok([before, key, behind])
}

/// The object key in `data`, the data of an IIOP profile, where around the key nothing else stands
/// than what [`split_at_key`] found before and behind that of another. To compare takes less than
/// to read.
#[inline]
pub fn key_between<'d>(data: &'d [u8], [before, behind]: [&[u8]; 2]) -> Option<&'d [u8]> {
    if !data.starts_with(before) {
        return None;
    }
    let [key, rest] = key_and_rest(data, before)?;
    (rest == behind).then_some(key)
}

/// The object key in the data of a profile that begins with `before`, and what stands behind it.
#[inline(always)]
fn key_and_rest<'d>(data: &'d [u8], before: &[u8]) -> Option<[&'d [u8]; 2]> {
    let begin = before.len().next_multiple_of(size_of::<u32>());
    let (length, rest) = data.get(begin..)?.split_first_chunk()?;
    let length = match ByteOrder::from_flag(*before.first()?) {
        ByteOrder::Big => u32::from_be_bytes(*length),
        ByteOrder::Little => u32::from_le_bytes(*length),
    };
    let (key, rest) = rest.split_at_checked(length as usize)?;
    let padding = key.len().wrapping_neg() % size_of::<u32>();
    Some([key, rest.get(padding..).unwrap_or_default()])
}

fn version(input: &mut Decoder<'_>) -> CdrResult<Version> {
    let version = Version { major: input.u8()?, minor: input.u8()? };
    match version.major {
        1 => Ok(version),
        _ => Err(input.error(CdrErrorKind::Invalid("an IIOP profile of a major version not 1"))),
    }
}

impl<'a> Decode<'a> for IiopProfile {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let version = version(input)?;
        let host = input.string()?.into_owned();
        let port = input.u16()?;
        let object_key = input.octets()?.to_vec();
        let components = match version.minor {
            0 => Vec::new(),
            _ => input.sequence()?,
        };
        Ok(Self { version, host, port, object_key, components })
    }
}

impl Encode for IiopProfile {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u8(self.version.major);
        out.put_u8(self.version.minor);
        out.put_string(&self.host)?;
        out.put_u16(self.port);
        out.put_sequence(&self.object_key)?;
        match self.version.minor {
            0 => Ok(()),
            _ => out.put_sequence(&self.components),
        }
    }
}
