//! What references to objects of an ORB say about its endpoints: addresses, components, profiles.

use crate::settings::Settings;
use crate::transport::{MakeProfile, Publication};
use crate::wire::ARMILLA_ORB_TYPE;
use armilla_cdr::{CdrResult, CodeSet, CodeSets};
use armilla_giop::Version;
use armilla_giop::ior::{
    AlternateAddress, CodeSetComponent, CodeSetComponentInfo, Component, IiopProfile, OrbType,
    TaggedComponent, TaggedProfile,
};

/// The addresses, components and profiles of all endpoints.
pub(crate) struct Publications {
    iiop: Vec<(String, u16)>,
    components: Vec<TaggedComponent>,
    profiles: Vec<Box<dyn MakeProfile>>,
}

impl Publications {
    /// Those that come from the settings.
    pub(in crate::server) fn new(settings: &Settings) -> Self {
        let (components, profiles) = Default::default();
        Self { iiop: settings.publish_addresses.clone(), components, profiles }
    }

    /// None.
    pub(in crate::server) fn empty() -> Self {
        Self { iiop: Vec::new(), components: Vec::new(), profiles: Vec::new() }
    }

    /// Adds those of an endpoint.
    pub(in crate::server) fn extend(&mut self, publications: Vec<Publication>) {
        for publication in publications {
            publication.add_to(&mut self.iiop, &mut self.components, &mut self.profiles);
        }
    }

    /// Whether there is at least one address or profile, so that a reference can be made.
    pub(in crate::server) fn has_profile(&self) -> bool {
        !self.iiop.is_empty() || !self.profiles.is_empty()
    }

    /// The IIOP addresses.
    pub(crate) fn addresses(&self) -> &[(String, u16)] {
        &self.iiop
    }

    /// The components that every profile has.
    pub(in crate::server) fn components(&self) -> &[TaggedComponent] {
        &self.components
    }

    /// The profiles of the object with this key, with `added` among their components. If `own` is
    /// not empty, its addresses replace those of the ORB's IIOP endpoints.
    ///
    /// # Errors
    /// When a component or profile cannot be encoded.
    pub(crate) fn profiles(
        &self,
        settings: &Settings,
        own: &[(String, u16)],
        key: &[u8],
        added: &[TaggedComponent],
    ) -> CdrResult<Vec<TaggedProfile>> {
        let version = settings.max_giop;
        let code_sets = code_sets(settings.native_code_sets());
        let mut common = vec![OrbType(ARMILLA_ORB_TYPE).to_tagged()?, code_sets.to_tagged()?];
        common.extend_from_slice(&self.components);
        common.extend_from_slice(added);
        // IIOP 1.0 profiles have no components, so each address needs a profile of its own.
        let alternates = settings.alternate_addresses && version > Version::V1_0;
        let addresses = if own.is_empty() { &self.iiop[..] } else { own };
        let (iiop, others) = match addresses.split_first() {
            Some((first, others)) if alternates => (std::slice::from_ref(first), others),
            _ => (addresses, &[][..]),
        };
        let others = others
            .iter()
            .map(|(host, port)| AlternateAddress { host: host.clone(), port: *port }.to_tagged());
        let others = others.collect::<CdrResult<Vec<_>>>()?;
        let iiop = iiop.iter().map(|(host, port)| {
            let components = match version {
                Version::V1_0 => Vec::new(),
                _ => [&common[..], &others].concat(),
            };
            let (host, object_key) = (host.clone(), key.to_vec());
            IiopProfile { version, host, port: *port, object_key, components }.to_tagged()
        });
        iiop.chain(self.profiles.iter().map(|profile| profile.make(version, key, &common)))
            .collect()
    }
}

/// The code sets that the server offers: the native ones, and those that every ORB can convert to.
/// A client may choose any other code set that this ORB knows.
fn code_sets(native: CodeSets) -> CodeSetComponentInfo {
    let component = |native: CodeSet, others: &[CodeSet]| {
        let others = others.iter().filter(|other| **other != native);
        CodeSetComponent { native: native.id(), conversion: others.map(|set| set.id()).collect() }
    };
    CodeSetComponentInfo {
        char: component(native.char, &[CodeSet::Utf8, CodeSet::Iso8859_1]),
        wchar: component(native.wchar.unwrap_or(CodeSet::Utf16), &[CodeSet::Utf16, CodeSet::Ucs2]),
    }
}
