//! References to objects of servers, made from where a server listens and an object key. A server
//! that listens over TLS alone has no plain port, and none is made up for it.

use armilla::Ior;
use armilla_giop::Version;
use armilla_giop::ior::{Component, IiopProfile, SslSecTrans, TaggedComponent, TaggedProfile};

/// The port over TLS of a profile that has no other.
pub(crate) fn tls_port(profile: &IiopProfile) -> Option<u16> {
    let tls = |component: &TaggedComponent| SslSecTrans::from_tagged(component).ok().flatten();
    let found = profile.components.iter().find_map(tls);
    found.filter(|_| profile.port == 0).map(|found| found.port)
}

/// Where a server listens: the profiles of a reference to any object there.
#[derive(Debug, Clone)]
pub(super) struct Place(Vec<IiopProfile>);

impl Place {
    /// The place of an endpoint: `HOST:PORT`, `ssliop://HOST:PORT` for one over TLS alone, or a
    /// stringified reference.
    pub(super) fn parse(endpoint: &str) -> Option<Self> {
        let profiles: Vec<IiopProfile> = match endpoint.starts_with("IOR:") {
            true => {
                let ior: Ior = endpoint.parse().ok()?;
                ior.iiop_profiles().filter_map(Result::ok).collect()
            }
            false => {
                let tls = endpoint.strip_prefix("ssliop://");
                let (host, port) = tls.unwrap_or(endpoint).rsplit_once(':')?;
                let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
                let port = port.parse().ok()?;
                let (port, components) = match tls {
                    Some(_) => (0, vec![SslSecTrans::at(port).to_tagged().ok()?]),
                    None => (port, Vec::new()),
                };
                let (version, object_key) = (Version::V1_2, Vec::new());
                vec![IiopProfile { version, host, port, object_key, components }]
            }
        };
        (!profiles.is_empty()).then_some(Self(profiles))
    }

    /// The reference to the object with this key there. `None` if it cannot be encoded.
    pub(super) fn reference(&self, key: &[u8]) -> Option<Ior> {
        let profiles = self.0.iter().map(|profile| {
            IiopProfile { object_key: key.to_vec(), ..profile.clone() }.to_tagged().ok()
        });
        let profiles = profiles.collect::<Option<Vec<TaggedProfile>>>()?;
        Some(Ior { type_id: String::new(), profiles })
    }

    /// The address, for operators.
    pub(super) fn address(&self) -> String {
        let Some(profile) = self.0.first() else { return String::new() };
        let (scheme, port) = match tls_port(profile) {
            Some(port) => ("ssliop://", port),
            None => ("", profile.port),
        };
        match profile.host.contains(':') {
            true => format!("{scheme}[{}]:{port}", profile.host),
            false => format!("{scheme}{}:{port}", profile.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_over_tls_alone_gets_no_plain_port() {
        let place = Place::parse("ssliop://[::1]:2810").unwrap();
        assert_eq!(place.address(), "ssliop://[::1]:2810");
        let reference = place.reference(b"key").unwrap();
        let profile = reference.iiop_profiles().next().unwrap().unwrap();
        assert_eq!((profile.port, tls_port(&profile)), (0, Some(2810)));
        assert_eq!(profile.object_key, b"key");
        let again = Place::parse(&reference.to_text().unwrap()).unwrap();
        assert_eq!(again.address(), place.address(), "as a server registers");
        let plain = Place::parse("h:1").unwrap();
        assert_eq!(plain.address(), "h:1");
        assert_eq!(tls_port(&plain.0[0]), None);
    }
}
