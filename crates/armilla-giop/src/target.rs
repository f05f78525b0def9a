//! How a request names the object that it is for (CORBA 3.4 Part 2, 9.4.2.1, `TargetAddress`).

use crate::cursor::Cursor;
use crate::ior::{TAG_INTERNET_IOP, iiop_object_key};
use armilla_cdr::{CdrErrorKind, CdrResult, Encoder};

const KEY_ADDRESS: u16 = 0;
const PROFILE_ADDRESS: u16 = 1;
const REFERENCE_ADDRESS: u16 = 2;

/// The object that a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'b> {
    /// Its object key. The only form before 1.2, and nearly always the form in 1.2.
    Key(&'b [u8]),
    /// A profile of its reference. A client that sends the whole reference says which profile it
    /// selected, and this is that one.
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
    #[inline]
    pub(crate) fn decode(input: &mut Cursor<'b>) -> CdrResult<Self> {
        match input.u16()? {
            KEY_ADDRESS => input.octets().map(Self::Key),
            PROFILE_ADDRESS => profile(input),
            REFERENCE_ADDRESS => selected_profile(input),
            form => Err(input.invalid_enum("GIOP::TargetAddress", u32::from(form))),
        }
    }

    /// Appends the address by object key as GIOP 1.2 sends it.
    #[inline]
    pub(crate) fn encode_key(out: &mut Encoder<'_>, key: &[u8]) -> CdrResult {
        out.put_u16(KEY_ADDRESS);
        out.copy_octets(key)
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
    use armilla_cdr::{ByteOrder, Encode};

    fn profile() -> TaggedProfile {
        let (version, host) = (Version::V1_2, "host".into());
        let object_key = b"key".to_vec();
        let profile = IiopProfile { version, host, port: 1, object_key, components: Vec::new() };
        profile.to_tagged().unwrap()
    }

    fn reference(order: ByteOrder, selected: u32) -> Vec<u8> {
        let unknown = TaggedProfile { id: ior::TAG_MULTIPLE_COMPONENTS, data: b"\0".to_vec() };
        let reference = Ior { type_id: "IDL:A:1.0".into(), profiles: [unknown, profile()].into() };
        let mut out = Encoder::new(order);
        out.put_u16(REFERENCE_ADDRESS);
        out.put_u32(selected);
        reference.encode(&mut out).unwrap();
        out.to_vec()
    }

    #[test]
    fn the_key_is_found_in_each_form_of_address() {
        for order in ORDERS {
            let profile = profile();
            let mut key = Encoder::new(order);
            Target::encode_key(&mut key, b"key").unwrap();
            let mut by_profile = Encoder::new(order);
            by_profile.put_u16(PROFILE_ADDRESS);
            profile.encode(&mut by_profile).unwrap();
            for octets in [key.to_vec(), by_profile.to_vec(), reference(order, 1)] {
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
