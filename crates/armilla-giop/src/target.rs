//! The target of a request (`TargetAddress`, CORBA 3.4 Part 2, 9.4.2.1).

use crate::cursor::Cursor;
use crate::ior::{Ior, TAG_INTERNET_IOP, TaggedProfile, iiop_object_key};
use armilla_cdr::{CdrError, CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};

/// The ways to name an object in a request (`AddressingDisposition`). A server names the one it
/// asks for in a reply with [`NeedsAddressingMode`](crate::ReplyStatus::NeedsAddressingMode).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum AddressingDisposition {
    /// By the object key.
    Key = 0,
    /// By a profile of the reference.
    Profile,
    /// By the whole reference.
    Reference,
}

impl AddressingDisposition {
    const fn from_number(number: u16) -> Option<Self> {
        Some(match number {
            0 => Self::Key,
            1 => Self::Profile,
            2 => Self::Reference,
            _ => return None,
        })
    }
}

impl<'a> Decode<'a> for AddressingDisposition {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let number = input.u16()?;
        Self::from_number(number)
            .ok_or_else(|| input.invalid_enum("GIOP::AddressingDisposition", u32::from(number)))
    }
}

impl Encode for AddressingDisposition {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u16(*self as u16);
        Ok(())
    }
}

/// The object of a request to send. Versions before 1.2 send the key alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetAddress<'r> {
    /// Its object key.
    Key(&'r [u8]),
    /// A profile of its reference.
    Profile(&'r TaggedProfile),
    /// Its reference, and the index of the selected profile.
    Reference {
        /// The index of the profile.
        selected: u32,
        /// The reference.
        ior: &'r Ior,
    },
}

impl TargetAddress<'_> {
    /// Appends the address as GIOP 1.2 sends it.
    #[inline]
    pub(crate) fn encode(self, out: &mut Encoder<'_>) -> CdrResult {
        match self {
            Self::Key(key) => {
                out.put_u16(AddressingDisposition::Key as u16);
                out.copy_octets(key)
            }
            _ => self.encode_more(out),
        }
    }

    #[cold]
    fn encode_more(self, out: &mut Encoder<'_>) -> CdrResult {
        let put = |profile: &TaggedProfile, out: &mut Encoder<'_>| {
            out.put_u32(profile.id);
            out.copy_octets(&profile.data)
        };
        match self {
            Self::Key(_) => self.encode(out),
            Self::Profile(profile) => {
                out.put_u16(AddressingDisposition::Profile as u16);
                put(profile, out)
            }
            Self::Reference { selected, ior } => {
                out.put_u16(AddressingDisposition::Reference as u16);
                out.put_u32(selected);
                out.put_string(&ior.type_id)?;
                out.put_length(ior.profiles.len())?;
                ior.profiles.iter().try_for_each(|profile| put(profile, out))
            }
        }
    }

    /// The object key, which is all that versions before 1.2 send.
    ///
    /// # Errors
    /// When it must be found in a profile that has none.
    #[inline]
    pub(crate) fn key(&self) -> CdrResult<&[u8]> {
        let profile = match *self {
            Self::Key(key) => return Ok(key),
            Self::Profile(profile) => profile,
            Self::Reference { selected, ior } => {
                let profile = usize::try_from(selected).ok().and_then(|at| ior.profiles.get(at));
                profile.ok_or(NO_PROFILE)?
            }
        };
        iiop_object_key(&profile.data)
    }
}

const NO_PROFILE: CdrError =
    CdrError::new(CdrErrorKind::Invalid("the selected profile does not exist"));

/// The object of a received request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'b> {
    /// Its object key. The only form before 1.2, and nearly always the form in 1.2.
    Key(&'b [u8]),
    /// A profile of its reference: of a whole reference, the one that the client selected.
    Profile {
        /// The kind of profile.
        id: u32,
        /// Its octets.
        data: &'b [u8],
    },
}

impl<'b> Target<'b> {
    /// The object key, also out of an IIOP profile; `None` when a profile is of another kind or
    /// malformed.
    #[inline]
    pub fn object_key(&self) -> Option<&'b [u8]> {
        match *self {
            Self::Key(key) => Some(key),
            Self::Profile { id: TAG_INTERNET_IOP, data } => iiop_object_key(data).ok(),
            Self::Profile { .. } => None,
        }
    }

    /// Reads a target address as GIOP 1.2 sends it.
    ///
    /// # Errors
    /// When the octets end too early, the form of address is unknown, or a reference does not
    /// have the profile that is selected.
    #[inline(always)]
    pub(crate) fn decode(input: &mut Cursor<'b>) -> CdrResult<Self> {
        let number = input.u16()?;
        match AddressingDisposition::from_number(number) {
            Some(AddressingDisposition::Key) => input.octets().map(Self::Key),
            Some(AddressingDisposition::Profile) => profile(input),
            Some(AddressingDisposition::Reference) => selected_profile(input),
            None => Err(input.invalid_enum("GIOP::AddressingDisposition", u32::from(number))),
        }
    }
}

fn profile<'b>(input: &mut Cursor<'b>) -> CdrResult<Target<'b>> {
    Ok(Target::Profile { id: input.u32()?, data: input.octets()? })
}

#[cold]
fn selected_profile<'b>(input: &mut Cursor<'b>) -> CdrResult<Target<'b>> {
    let selected = input.u32()?;
    let _type_id = input.octets()?;
    let mut found = None;
    // Each turn consumes eight octets or fails, so the number cannot make it long.
    for index in 0..input.u32()? {
        let candidate = profile(input)?;
        if index == selected {
            found = Some(candidate);
        }
    }
    found.ok_or_else(|| input.error(CdrErrorKind::Invalid("the selected profile does not exist")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::Cursor;
    use crate::ior::{IiopProfile, Ior, TaggedProfile};
    use crate::testing::ORDERS;
    use crate::{Version, ior};
    use alloc::vec::Vec;
    use armilla_cdr::ByteOrder;

    fn profile() -> TaggedProfile {
        let (version, host) = (Version::V1_2, "host".into());
        let object_key = b"key".to_vec();
        let profile = IiopProfile { version, host, port: 1, object_key, components: Vec::new() };
        profile.to_tagged().unwrap()
    }

    fn reference(order: ByteOrder, selected: u32) -> Vec<u8> {
        let unknown = TaggedProfile { id: ior::TAG_MULTIPLE_COMPONENTS, data: b"\0".to_vec() };
        let reference = Ior { type_id: "IDL:A:1.0".into(), profiles: [unknown, profile()].into() };
        written(order, TargetAddress::Reference { selected, ior: &reference })
    }

    fn written(order: ByteOrder, address: TargetAddress<'_>) -> Vec<u8> {
        let mut out = Encoder::new(order);
        address.encode(&mut out).unwrap();
        out.to_vec()
    }

    #[test]
    fn the_key_is_found_in_each_form_of_address() {
        for order in ORDERS {
            let profile = profile();
            let key = written(order, TargetAddress::Key(b"key"));
            let by_profile = written(order, TargetAddress::Profile(&profile));
            for octets in [key, by_profile, reference(order, 1)] {
                let mut input = Cursor::at(&octets, 0, order);
                let target = Target::decode(&mut input).unwrap();
                assert_eq!(target.object_key(), Some(&b"key"[..]), "{target:?}");
                assert_eq!(input.position(), octets.len());
            }
        }
    }

    #[test]
    fn a_profile_of_another_protocol_has_no_key_that_is_known_here() {
        let octets = reference(ByteOrder::Big, 0);
        let target = Target::decode(&mut Cursor::at(&octets, 0, ByteOrder::Big)).unwrap();
        assert_eq!(target.object_key(), None);
    }

    #[test]
    fn a_selected_profile_that_does_not_exist_and_an_unknown_form_are_refused() {
        for octets in [reference(ByteOrder::Big, 2), [0, 3, 0, 0].into()] {
            assert!(Target::decode(&mut Cursor::at(&octets, 0, ByteOrder::Big)).is_err());
        }
    }
}
