//! Messages and tokens of CSIv2: contexts, GSSUP, names, certificates.

use armilla_giop::csi::{
    EstablishContext, ExportedName, GssupError, GssupToken, IdentityToken, SasMessage, ScopedName,
    certificate_subject, certificates_of, distinguished_name,
};

pub(crate) fn check(data: &[u8]) {
    if let Ok(message) = SasMessage::decode_data(data) {
        let written = message.to_data().unwrap();
        assert_eq!(SasMessage::decode_data(&written).as_ref(), Ok(&message));
        if let SasMessage::Establish(establish) = message {
            tokens(&establish);
        }
    }
    token(data);
    name(data);
    der(data);
    GssupError::parse(data);
}

fn tokens(establish: &EstablishContext<'_>) {
    token(establish.authentication);
    match establish.identity {
        IdentityToken::PrincipalName(octets) => name(octets),
        IdentityToken::Certificates(octets) | IdentityToken::DistinguishedName(octets) => {
            der(octets);
        }
        _ => {}
    }
}

fn token(octets: &[u8]) {
    if let Ok(token) = GssupToken::parse(octets) {
        assert!(GssupToken::is_one(octets));
        assert_eq!(GssupToken::parse(&token.to_octets().unwrap()), Ok(token));
        token.target_name();
        name(token.user);
        name(token.target);
    }
}

fn name(octets: &[u8]) {
    if let Ok(name) = ExportedName::parse(octets) {
        assert_eq!(name.to_octets(), octets);
    }
    if let Ok(name) = ScopedName::from_octets(octets) {
        assert_eq!(name.to_string().parse().as_ref(), Ok(&name));
    }
}

fn der(octets: &[u8]) {
    if let Ok(certificates) = certificates_of(octets) {
        for certificate in certificates {
            certificate_subject(certificate).map(distinguished_name).ok();
        }
    }
    distinguished_name(octets).ok();
}
