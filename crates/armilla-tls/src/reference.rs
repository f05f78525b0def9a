//! TLS in references: the components that name its ports, read and written (CORBA 3.4 Part 2, 10.5).

use crate::choices::Verify;
use crate::settings::TlsSettings;
use armilla_core::transport::{Address, Component, ObjectProfile, ProtectedAddress};
use armilla_giop::ior::{
    AlternateAddress, AssociationOptions, CsiSecMechList, SslSecTrans, TaggedComponent, TlsSecTrans,
};
use rustls::pki_types::ServerName;
use std::io;

/// The scheme of addresses over TLS.
pub(crate) const SCHEME: &str = "ssliop";

/// The most addresses of one profile that are used.
const MOST: usize = 32;

/// The text of an address over TLS.
pub(crate) fn address(host: &str, port: u16) -> String {
    match host.contains(':') {
        true => format!("{SCHEME}://[{host}]:{port}"),
        false => format!("{SCHEME}://{host}:{port}"),
    }
}

/// The host and the port of such a text.
pub(crate) fn parts(address: &str) -> Option<(String, u16)> {
    let place = address.strip_prefix(SCHEME)?.strip_prefix("://")?;
    match format!("tcp://{place}").parse() {
        Ok(Address::Tcp { host, port }) => Some((host, port)),
        _ => None,
    }
}

/// The addresses over TLS that a profile names, in its order: in components of SSLIOP, in the
/// mechanisms of CSIv2, and those of its alternate addresses that have no other port. A client
/// without a certificate tries those that require one last.
pub(crate) fn addresses(host: &str, profile: &ObjectProfile, has_certificate: bool) -> Vec<String> {
    let mut transports = Vec::new();
    for component in &profile.components {
        let list = CsiSecMechList::from_tagged(component).ok().flatten();
        match list {
            Some(list) => transports.extend(list.mechanisms.into_iter().map(|it| it.transport)),
            // A component for TLS belongs into a mechanism; outside of one it means the same.
            None => transports.push(component.clone()),
        }
    }
    let (mut found, mut ports) = (Vec::new(), Vec::new());
    // Those of both kinds stay in order.
    for needed in [false, true] {
        for transport in &transports {
            if (needs_certificate(transport) && !has_certificate) == needed {
                ssl(host, transport, &mut found, &mut ports);
                tls(host, transport, &mut found);
            }
        }
    }
    for component in &profile.components {
        // JacORB gives the other addresses of its host so, without a port.
        if let Ok(Some(other)) = AlternateAddress::from_tagged(component)
            && other.port == 0
            && let Some(port) = ports.first()
        {
            add(&mut found, &other.host, *port);
        }
    }
    found
}

/// Whether a transport requires that the client proves who it is.
fn needs_certificate(transport: &TaggedComponent) -> bool {
    let ssl = SslSecTrans::from_tagged(transport).ok().flatten().map(|ssl| ssl.target_requires);
    let tls = || TlsSecTrans::from_tagged(transport).ok().flatten().map(|tls| tls.target_requires);
    let client = AssociationOptions::ESTABLISH_TRUST_IN_CLIENT;
    ssl.or_else(tls).is_some_and(|required| required.contains(client))
}

fn ssl(host: &str, component: &TaggedComponent, found: &mut Vec<String>, ports: &mut Vec<u16>) {
    if let Ok(Some(ssl)) = SslSecTrans::from_tagged(component) {
        ports.push(ssl.port);
        add(found, host, ssl.port);
    }
}

fn tls(host: &str, component: &TaggedComponent, found: &mut Vec<String>) {
    if let Ok(Some(tls)) = TlsSecTrans::from_tagged(component) {
        for at in tls.addresses {
            let host = if at.host.is_empty() { host } else { &at.host };
            add(found, host, at.port);
        }
    }
}

fn add(found: &mut Vec<String>, host: &str, port: u16) {
    let text = address(host, port);
    if port != 0 && found.len() < MOST && !found.contains(&text) {
        found.push(text);
    }
}

/// What references say of an endpoint at this address.
pub(crate) fn published(
    settings: &TlsSettings,
    host: String,
    port: u16,
) -> io::Result<(ProtectedAddress, TlsSecTrans)> {
    let client = AssociationOptions::ESTABLISH_TRUST_IN_CLIENT;
    let (wanted, required) = match settings.verify {
        Verify::None => (AssociationOptions(0), AssociationOptions(0)),
        Verify::Peer => (client, AssociationOptions(0)),
        Verify::Required => (client, client),
    };
    let supports = settings.supports.unwrap_or(AssociationOptions::TLS.with(wanted));
    let requires =
        settings.requires.unwrap_or(SslSecTrans::at(port).target_requires.with(required));
    // Where there is a plain port too, a client may do without TLS.
    let beside = settings.requires.unwrap_or(AssociationOptions(0));
    let tagged = |requires| {
        let component = SslSecTrans { target_supports: supports, target_requires: requires, port };
        component.to_tagged().map_err(io::Error::other)
    };
    let address = ProtectedAddress {
        host: host.clone(),
        port,
        alone: tagged(requires)?,
        beside: tagged(beside)?,
    };
    let addresses = vec![AlternateAddress { host, port }];
    Ok((address, TlsSecTrans { target_supports: supports, target_requires: requires, addresses }))
}

/// The name that the certificate of a server at `host` must be for.
pub(crate) fn expected_name(
    host: &str,
    instead: Option<String>,
) -> io::Result<ServerName<'static>> {
    // The zone of an address of a link is for this host alone (RFC 4007, 11).
    let address = Address::tcp(host, 0).ip().map(|ip| ip.to_string());
    let is_address = address.is_some();
    let name = instead.filter(|_| is_address).or(address).unwrap_or_else(|| host.to_owned());
    // The dot at the end of a complete name is in no certificate.
    let name = name.strip_suffix('.').map_or(name.clone(), str::to_owned);
    ServerName::try_from(name).map_err(|_| {
        wrong(format!(
            "{host:?} is neither a host name nor an address that a certificate can be for"
        ))
    })
}

/// The error of an endpoint or a connection whose files are wrong.
pub(crate) fn wrong(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_giop::Version;
    use armilla_giop::ior::{AttributeLayer, AuthenticationLayer, CompoundSecMech};

    fn profile(components: Vec<TaggedComponent>) -> ObjectProfile {
        ObjectProfile {
            address: "tcp://h:0".into(),
            version: Version::V1_2,
            object_key: b"k".to_vec(),
            components,
        }
    }

    fn mechanism(transport: TaggedComponent) -> CompoundSecMech {
        CompoundSecMech {
            target_requires: AssociationOptions(0),
            transport,
            authentication: AuthenticationLayer::default(),
            attributes: AttributeLayer::default(),
        }
    }

    #[test]
    fn addresses_are_found_wherever_products_put_them() {
        let ssl = SslSecTrans::at(2810).to_tagged().unwrap();
        let at = |host: &str, port| AlternateAddress { host: host.into(), port };
        let tls = TlsSecTrans {
            target_supports: AssociationOptions(102),
            target_requires: AssociationOptions(0),
            addresses: vec![at("", 7), at("other", 8), at("h", 2810), at("h", 0)],
        };
        let tls = tls.to_tagged().unwrap();
        let null = TaggedComponent { id: 34, data: Vec::new() };
        let list = |transports: Vec<TaggedComponent>| {
            let mechanisms = transports.into_iter().map(mechanism).collect();
            CsiSecMechList { stateful: false, mechanisms }.to_tagged().unwrap()
        };
        let alternate = at("second", 0).to_tagged().unwrap();
        for (components, expected) in [
            (vec![], vec![]),
            (vec![ssl.clone()], vec!["ssliop://h:2810"]),
            (vec![list(vec![null.clone()])], vec![]),
            (
                vec![list(vec![null, tls.clone()])],
                vec!["ssliop://h:7", "ssliop://other:8", "ssliop://h:2810"],
            ),
            (vec![list(vec![ssl.clone()])], vec!["ssliop://h:2810"]),
            (vec![alternate, ssl], vec!["ssliop://h:2810", "ssliop://second:2810"]),
        ] {
            assert_eq!(addresses("h", &profile(components), false), expected);
        }
    }

    #[test]
    fn a_client_without_a_certificate_tries_ports_that_need_one_last() {
        // As GlassFish has them: one port for all, one for clients with certificates.
        let at = |port, requires| {
            let addresses = vec![AlternateAddress { host: "h".into(), port }];
            let target_supports = AssociationOptions(102);
            let target_requires = AssociationOptions(requires);
            TlsSecTrans { target_supports, target_requires, addresses }.to_tagged().unwrap()
        };
        let mechanisms = [at(3920, 70), at(3820, 6)].map(mechanism).to_vec();
        let list = CsiSecMechList { stateful: false, mechanisms }.to_tagged().unwrap();
        let profile = profile(vec![list]);
        let (mutual, open) = ("ssliop://h:3920", "ssliop://h:3820");
        assert_eq!(addresses("h", &profile, true), [mutual, open], "the best one first");
        assert_eq!(addresses("h", &profile, false), [open, mutual]);
    }

    #[test]
    fn the_zone_of_an_address_is_in_no_certificate() {
        let name = |host, instead: Option<&str>| {
            expected_name(host, instead.map(str::to_owned)).unwrap().to_str().into_owned()
        };
        assert_eq!(name("fe80::1%eth0", None), "fe80::1");
        assert_eq!(name("fe80::1%eth0", Some("bank.example.org")), "bank.example.org");
        assert_eq!(name("bank.example.org.", Some("other.example.org")), "bank.example.org");
        assert!(expected_name("a b", None).is_err());
    }

    #[test]
    fn the_text_of_an_address_is_read_back() {
        for (host, port) in [("a.org", 1), ("127.0.0.1", 65535), ("::1", 2810)] {
            assert_eq!(parts(&address(host, port)), Some((host.to_owned(), port)));
        }
        assert_eq!(parts("tcp://a.org:1"), None);
    }
}
