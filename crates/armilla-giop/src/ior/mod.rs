//! Interoperable object references (CORBA 3.4 Part 2, 7.6): profiles and their components as
//! data. What is not understood is kept as it is, so that a reference can be passed on whole.

mod component;
mod group;
mod iiop;
mod policies;
mod security;
mod tao;
mod text;

pub use component::{
    AlternateAddress, CodeSetComponent, CodeSetComponentInfo, Component, OrbType, TaggedComponent,
};
pub use group::{FtGroup, FtHeartbeatEnabled, FtPrimary};
pub use iiop::{
    IiopProfile, iiop_component, iiop_components, iiop_object_key, key_between, split_at_key,
};
pub use policies::{Policies, PolicyValue};
pub use security::{
    AssociationOptions, AttributeLayer, AuthenticationLayer, CompoundSecMech, CsiSecMechList,
    SslSecTrans, TlsSecTrans,
};
pub use tao::{IiopEndpoint, IiopEndpoints, TAG_UIOP, UiopEndpoint, UiopEndpoints, UiopProfile};
pub use text::IorError;

use crate::encapsulation::unpack;
use alloc::string::String;
use alloc::vec::Vec;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};

/// The id of a profile for IIOP.
pub const TAG_INTERNET_IOP: u32 = 0;
/// The id of a profile that only carries components.
pub const TAG_MULTIPLE_COMPONENTS: u32 = 1;

/// An object reference as it is sent. A reference without profiles is nil.
///
/// ```
/// use armilla_giop::Version;
/// use armilla_giop::ior::{IiopProfile, Ior};
///
/// let profile = IiopProfile {
///     version: Version::V1_2,
///     host: "example.org".into(),
///     port: 2809,
///     object_key: b"account".to_vec(),
///     components: vec![],
/// };
/// let ior = Ior { type_id: "IDL:Account:1.0".into(), profiles: vec![profile.to_tagged()?] };
/// let text = ior.to_text()?;
/// assert_eq!(text.parse::<Ior>()?.iiop_profiles().next(), Some(Ok(profile)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Ior {
    /// The repository id of the most derived interface, or nothing when it is not known.
    pub type_id: String,
    /// The ways to reach the object.
    pub profiles: Vec<TaggedProfile>,
}

impl Ior {
    /// The reference to no object.
    pub const NIL: Self = Self { type_id: String::new(), profiles: Vec::new() };

    /// Whether it refers to no object.
    pub fn is_nil(&self) -> bool {
        self.profiles.is_empty()
    }

    /// The IIOP profiles, in order; one that is malformed is an error in its place.
    pub fn iiop_profiles(&self) -> impl Iterator<Item = CdrResult<IiopProfile>> {
        let iiop = self.profiles.iter().filter(|profile| profile.id == TAG_INTERNET_IOP);
        iiop.map(|profile| IiopProfile::decode_data(&profile.data))
    }
}

/// One way to reach an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaggedProfile {
    /// Which protocol it is for.
    pub id: u32,
    /// Its octets; an encapsulation for every id of the OMG.
    pub data: Vec<u8>,
}

impl TaggedProfile {
    /// The components of a profile with id [`TAG_MULTIPLE_COMPONENTS`].
    ///
    /// # Errors
    /// When the octets end too early.
    pub fn multiple_components(&self) -> CdrResult<Vec<TaggedComponent>> {
        let Components(components) = unpack(&self.data)?;
        Ok(components)
    }
}

/// The contents of a profile that only carries components.
struct Components(Vec<TaggedComponent>);

impl<'a> Decode<'a> for Components {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.sequence().map(Self)
    }
}

impl<'a> Decode<'a> for Ior {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { type_id: input.string()?.into_owned(), profiles: input.sequence()? })
    }
}

impl Encode for Ior {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.type_id)?;
        out.put_sequence(&self.profiles)
    }
}

impl<'a> Decode<'a> for TaggedProfile {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { id: input.u32()?, data: input.octets()?.to_vec() })
    }
}

impl Encode for TaggedProfile {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u32(self.id);
        out.put_sequence(&self.data)
    }
}
