//! What references to objects of an ORB say about its endpoints: addresses, components, profiles.

use crate::log::report;
use crate::server::addresses::own_addresses::is_same_host;
use crate::settings::Settings;
use crate::transport::{MakeProfile, ProtectedAddress, Publication};
use crate::wire::ARMILLA_ORB_TYPE;
use armilla_cdr::{CdrResult, CodeSet, CodeSets};
use armilla_giop::Version;
use armilla_giop::ior::{
    AlternateAddress, AssociationOptions, CodeSetComponent, CodeSetComponentInfo, Component,
    IiopProfile, OrbType, SslSecTrans, TaggedComponent, TaggedProfile,
};
use std::sync::Arc;

/// The addresses to which a profile of a reference leads, for a component that tells of them:
/// [`IorInfo::add_component_by_addresses`](crate::interceptor::IorInfo::add_component_by_addresses).
#[derive(Debug)]
pub struct ProfileAddresses<'a> {
    has_plain_port: bool,
    protected: &'a [&'a ProtectedAddress],
}

impl ProfileAddresses<'_> {
    /// Whether the profile has a port whose connections are not protected.
    pub const fn has_plain_port(&self) -> bool {
        self.has_plain_port
    }

    /// The addresses of the object for protected connections, such as those of TLS.
    pub fn protected(&self) -> impl ExactSizeIterator<Item = &ProtectedAddress> {
        self.protected.iter().copied()
    }
}

/// Makes a component from the addresses of a profile, or none.
pub(crate) type ComponentByAddresses =
    Arc<dyn Fn(&ProfileAddresses<'_>) -> CdrResult<Option<TaggedComponent>> + Send + Sync>;

/// What a reference carries besides the addresses of the ORB.
#[derive(Clone, Copy, Default)]
pub(crate) struct Added<'a> {
    pub(crate) components: &'a [TaggedComponent],
    pub(crate) by_addresses: &'a [ComponentByAddresses],
}

/// An address over TLS of a server of which only that is known.
///
/// # Errors
/// When a component cannot be encoded.
pub(in crate::server) fn protected_at((host, port): (String, u16)) -> CdrResult<ProtectedAddress> {
    let alone = SslSecTrans::at(port);
    // Where there is a plain port, too, a client may do without TLS.
    let beside = SslSecTrans { target_requires: AssociationOptions(0), ..alone };
    let (alone, beside) = (alone.to_tagged()?, beside.to_tagged()?);
    Ok(ProtectedAddress { host, port, alone, beside })
}

/// The addresses, components and profiles of all endpoints.
pub(crate) struct Publications {
    iiop: Vec<(String, u16)>,
    protected: Vec<ProtectedAddress>,
    components: Vec<TaggedComponent>,
    /// Those of the endpoints for processes of the same host.
    same_host: Vec<TaggedComponent>,
    profiles: Vec<Box<dyn MakeProfile>>,
}

impl Publications {
    /// Those that come from the settings.
    pub(in crate::server) fn new(settings: &Settings) -> Self {
        Self { iiop: settings.publish_addresses.clone(), ..Self::empty() }
    }

    /// None.
    pub(in crate::server) fn empty() -> Self {
        let (iiop, protected, components, same_host, profiles) = Default::default();
        Self { iiop, protected, components, same_host, profiles }
    }

    /// Those of these addresses alone.
    pub(in crate::server) fn of_protected(protected: &[ProtectedAddress]) -> Self {
        Self { protected: protected.to_vec(), ..Self::empty() }
    }

    /// Adds those of an endpoint.
    pub(in crate::server) fn extend(&mut self, publications: Vec<Publication>) {
        for publication in publications {
            match publication {
                Publication::Iiop(host, port) => self.iiop.push((host, port)),
                Publication::Protected(address) => self.protected.push(address),
                Publication::Component(component) => self.components.push(component),
                Publication::Profile(profile) => self.profiles.push(profile),
                other => report!(
                    error,
                    "a transport publishes what this ORB does not know",
                    what = format!("{other:?}"),
                ),
            }
        }
    }

    /// Adds those of an endpoint for processes of the same host.
    pub(in crate::server) fn add_same_host(
        &mut self,
        components: impl IntoIterator<Item = TaggedComponent>,
    ) {
        for component in components {
            if !self.same_host.contains(&component) {
                self.same_host.push(component);
            }
        }
    }

    /// Whether there is at least one address or profile, so that a reference can be made.
    pub(in crate::server) fn has_profile(&self) -> bool {
        !(self.iiop.is_empty() && self.protected.is_empty() && self.profiles.is_empty())
    }

    /// The IIOP addresses.
    pub(crate) fn addresses(&self) -> &[(String, u16)] {
        &self.iiop
    }

    /// The addresses for protected connections.
    pub(crate) fn protected(&self) -> &[ProtectedAddress] {
        &self.protected
    }

    /// The components that every profile has.
    pub(in crate::server) fn components(&self) -> &[TaggedComponent] {
        &self.components
    }

    /// Those of endpoints for processes of the same host.
    pub(in crate::server) fn same_host(&self) -> &[TaggedComponent] {
        &self.same_host
    }

    /// The profiles of the object with this key, with `added` among their components. If `own` is
    /// not empty, its addresses replace those of the ORB's IIOP endpoints. A protected address is a
    /// component of the profile with its host, or makes a profile of its own.
    ///
    /// # Errors
    /// When a component or profile cannot be encoded.
    pub(crate) fn profiles(
        &self,
        settings: &Settings,
        own: &[(String, u16)],
        key: &[u8],
        added: Added<'_>,
    ) -> CdrResult<Vec<TaggedProfile>> {
        let version = settings.max_giop;
        let code_sets = code_sets(settings.native_code_sets());
        let mut common = vec![OrbType(ARMILLA_ORB_TYPE).to_tagged()?, code_sets.to_tagged()?];
        common.extend_from_slice(&self.components);
        common.extend_from_slice(added.components);
        if own.is_empty() {
            // Each belongs to one of the ORB's own addresses.
            common.extend_from_slice(&self.same_host);
        }
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
        // The protected addresses of other hosts than the references lead to are none of theirs.
        let usable = self.protected.iter().filter(|protected| {
            own.is_empty() || addresses.iter().any(|(host, _)| is_same_host(host, &protected.host))
        });
        let usable: Vec<_> = usable.collect();
        let profile = |host: &str, port, others: &[TaggedComponent], protected: &[_]| {
            let components = match version {
                Version::V1_0 => Vec::new(),
                _ => {
                    let at = ProfileAddresses { has_plain_port: port != 0, protected: &usable };
                    let made = added.by_addresses.iter().filter_map(|make| make(&at).transpose());
                    let made = made.collect::<CdrResult<Vec<_>>>()?;
                    [&common[..], others, protected, &made].concat()
                }
            };
            let (host, object_key) = (host.to_owned(), key.to_vec());
            IiopProfile { version, host, port, object_key, components }.to_tagged()
        };
        let iiop = iiop.iter().map(|(host, port)| {
            let beside = self.protected.iter().filter(|address| is_same_host(&address.host, host));
            let beside: Vec<_> = beside.map(|address| address.beside.clone()).collect();
            profile(host, *port, &others, &beside)
        });
        // Version 1.0 has no components, without which a profile does not tell of the address.
        let alone = self.protected.iter().filter(|alone| {
            let has_place =
                iiop_hosts(addresses, alternates).any(|at| is_same_host(at, &alone.host));
            version > Version::V1_0 && own.is_empty() && !has_place
        });
        let alone = alone
            .map(|address| profile(&address.host, 0, &[], std::slice::from_ref(&address.alone)));
        let others = self.profiles.iter().map(|profile| profile.make(version, key, &common));
        // omniORB uses the first profile alone, which should be one that every client can use.
        iiop.chain(alone).chain(others).collect()
    }
}

/// The hosts of the IIOP profiles: the first address has the others as components, if there may be
/// such.
fn iiop_hosts(addresses: &[(String, u16)], alternates: bool) -> impl Iterator<Item = &str> {
    let profiles = if alternates { 1 } else { addresses.len() };
    addresses.iter().take(profiles).map(|(host, _)| host.as_str())
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
