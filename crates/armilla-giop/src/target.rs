//! How a request names the object that it is for (CORBA 3.4 Part 2, 9.4.2.1, `TargetAddress`).

use crate::ior::{TAG_INTERNET_IOP, iiop_object_key};
use armilla_cdr::{CdrErrorKind, CdrResult, Decoder, Encoder};

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
    pub(crate) fn decode(input: &mut Decoder<'b>) -> CdrResult<Self> {
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

fn profile<'b>(input: &mut Decoder<'b>) -> CdrResult<Target<'b>> {
    Ok(Target::Profile { id: input.u32()?, data: input.octets()? })
}

#[cold]
fn selected_profile<'b>(input: &mut Decoder<'b>) -> CdrResult<Target<'b>> {
    let selected = input.u32()? as usize;
    let _type_id = input.octets()?;
    let mut found = None;
    for index in 0..input.length()? {
        let candidate = profile(input)?;
        if index == selected {
            found = Some(candidate);
        }
    }
    found.ok_or_else(|| input.error(CdrErrorKind::Invalid("the selected profile does not exist")))
}
