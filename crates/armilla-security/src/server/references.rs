//! What references tell clients of the security of a server.

use super::establish::Evidence;
use crate::options::{IDENTITY_ASSERTION, TRUST_IN_CLIENT};
use crate::policy::Authentication;
use armilla::CdrResult;
use armilla::interceptor::ProfileAddresses;
use armilla_giop::csi::{ExportedName, GSSUP_MECHANISM, IdentityTypes};
use armilla_giop::ior::{
    AlternateAddress, AssociationOptions, AttributeLayer, AuthenticationLayer, Component,
    CompoundSecMech, CsiSecMechList, SslSecTrans, TaggedComponent, TlsSecTrans,
};

/// The ways to the objects of a server, as mechanisms name them.
#[derive(Default)]
pub(super) struct Transports {
    /// TLS, if there is such an endpoint.
    protected: Option<Way>,
    /// Without TLS, if there is such an endpoint.
    plain: Option<Way>,
}

/// A transport: its component, and what it supports and requires.
struct Way {
    component: TaggedComponent,
    options: [AssociationOptions; 2],
}

impl Way {
    fn none() -> Self {
        let component = TaggedComponent { id: CompoundSecMech::NO_TRANSPORT, data: Vec::new() };
        Self { component, options: Default::default() }
    }
}

impl Transports {
    /// Those of a profile with these addresses.
    ///
    /// # Errors
    /// When a component cannot be encoded.
    pub(super) fn of(addresses: &ProfileAddresses<'_>) -> CdrResult<Self> {
        let mut tls: Option<TlsSecTrans> = None;
        for protected in addresses.protected() {
            let at = AlternateAddress { host: protected.host.clone(), port: protected.port };
            let Some(ssl) = SslSecTrans::from_tagged(&protected.alone)? else { continue };
            let SslSecTrans { target_supports, target_requires, .. } = ssl;
            tls.get_or_insert(TlsSecTrans { target_supports, target_requires, addresses: vec![] })
                .addresses
                .push(at);
        }
        let protected = match tls {
            Some(tls) => {
                let options = [tls.target_supports, tls.target_requires];
                Some(Way { component: tls.to_tagged()?, options })
            }
            None => None,
        };
        let plain = addresses.has_plain_port() || protected.is_none();
        Ok(Self { protected, plain: plain.then(Way::none) })
    }

    /// The one that a program names.
    pub(super) fn named(component: &TaggedComponent) -> Self {
        let mut way = Way { component: component.clone(), ..Way::none() };
        let tls = TlsSecTrans::from_tagged(component).ok().flatten();
        if let Some(TlsSecTrans { target_supports, target_requires, .. }) = tls {
            way.options = [target_supports, target_requires];
        }
        Self { protected: Some(way), plain: None }
    }

    /// All of them, the preferred one first.
    fn all(&self) -> impl Iterator<Item = &Way> {
        self.protected.iter().chain(&self.plain)
    }
}

/// The mechanisms of a server, the preferred first. `None` if it has nothing to tell.
pub(super) fn mechanisms(
    evidence: &Evidence,
    authentication: Authentication,
    stateful: bool,
    transports: &Transports,
) -> Option<CsiSecMechList> {
    let layers = match authentication {
        Authentication::Off => Vec::new(),
        _ => layers(evidence, authentication),
    };
    let attributes = match authentication {
        Authentication::Off => AttributeLayer::default(),
        _ => attributes(evidence),
    };
    if layers.is_empty() && transports.protected.is_none() {
        return None;
    }
    let layers = if layers.is_empty() { vec![AuthenticationLayer::default()] } else { layers };
    let mut mechanisms = Vec::new();
    for transport in transports.all() {
        let [_, required] = transport.options;
        for layer in &layers {
            let mut authentication = layer.clone();
            if required.contains(TRUST_IN_CLIENT) {
                // The certificate of the client shows who it is.
                authentication.target_requires = AssociationOptions::default();
            }
            let layers = authentication.target_requires.with(attributes.target_requires);
            mechanisms.push(CompoundSecMech {
                target_requires: required.with(layers),
                transport: transport.component.clone(),
                authentication,
                attributes: attributes.clone(),
            });
        }
    }
    (!mechanisms.is_empty()).then_some(CsiSecMechList { stateful, mechanisms })
}

/// How clients may authenticate themselves, or that they need not.
fn layers(evidence: &Evidence, authentication: Authentication) -> Vec<AuthenticationLayer> {
    let required = match authentication {
        Authentication::Required => TRUST_IN_CLIENT,
        _ => AssociationOptions::default(),
    };
    let layer = |mechanism: &[u8], name: &[u8]| AuthenticationLayer {
        target_supports: TRUST_IN_CLIENT,
        target_requires: required,
        mechanism: mechanism.to_vec(),
        target_name: ExportedName { mechanism, name }.to_octets(),
    };
    let mut layers = Vec::new();
    if evidence.passwords.is_some() {
        layers.push(layer(GSSUP_MECHANISM, evidence.realm.as_bytes()));
    }
    layers.extend(evidence.mechanisms.iter().map(|it| layer(it.identifier(), &it.target_name())));
    if layers.is_empty() && evidence.takes_assertions() {
        layers.push(AuthenticationLayer::default());
    }
    layers
}

/// Which identities clients may assert.
fn attributes(evidence: &Evidence) -> AttributeLayer {
    match evidence.takes_assertions() {
        true => AttributeLayer {
            target_supports: IDENTITY_ASSERTION,
            naming_mechanisms: vec![GSSUP_MECHANISM.to_vec()],
            identity_types: IdentityTypes::ALL.0,
            ..AttributeLayer::default()
        },
        false => AttributeLayer::default(),
    }
}
