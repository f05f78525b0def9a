//! What references tell clients of the security of a server.

use super::establish::Evidence;
use crate::options::{IDENTITY_ASSERTION, TAG_NULL_TAG, TRUST_IN_CLIENT};
use crate::policy::Authentication;
use armilla_giop::csi::{ExportedName, GSSUP_MECHANISM, IdentityTypes};
use armilla_giop::ior::{
    AssociationOptions, AttributeLayer, AuthenticationLayer, CompoundSecMech, CsiSecMechList,
    TaggedComponent,
};

/// The mechanisms of a server, the preferred first. `None` if it has nothing to tell.
pub(super) fn mechanisms(
    evidence: &Evidence,
    authentication: Authentication,
    stateful: bool,
    transport: Option<&TaggedComponent>,
) -> Option<CsiSecMechList> {
    if authentication == Authentication::Off {
        return None;
    }
    let attributes = attributes(evidence);
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
    let none = TaggedComponent { id: TAG_NULL_TAG, data: Vec::new() };
    let mechanisms = layers.into_iter().map(|authentication| CompoundSecMech {
        target_requires: authentication.target_requires,
        transport: transport.cloned().unwrap_or_else(|| none.clone()),
        authentication,
        attributes: attributes.clone(),
    });
    let mechanisms: Vec<_> = mechanisms.collect();
    (!mechanisms.is_empty()).then_some(CsiSecMechList { stateful, mechanisms })
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
