//! References to objects of servers, made from where a server listens and an object key.

use armilla::Ior;
use armilla_giop::Version;
use armilla_giop::ior::{IiopProfile, TaggedProfile};

/// Where a server listens: the profiles of a reference to any object there.
#[derive(Debug, Clone)]
pub(super) struct Place(Vec<IiopProfile>);

impl Place {
    /// The place of an endpoint: `HOST:PORT` or a stringified reference.
    pub(super) fn parse(endpoint: &str) -> Option<Self> {
        let profiles: Vec<IiopProfile> = match endpoint.starts_with("IOR:") {
            true => {
                let ior: Ior = endpoint.parse().ok()?;
                ior.iiop_profiles().filter_map(Result::ok).collect()
            }
            false => {
                let (host, port) = endpoint.rsplit_once(':')?;
                let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
                let port = port.parse().ok()?;
                let (version, components, object_key) = (Version::V1_2, Vec::new(), Vec::new());
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
        self.0.first().map_or_else(String::new, |profile| match profile.host.contains(':') {
            true => format!("[{}]:{}", profile.host, profile.port),
            false => format!("{}:{}", profile.host, profile.port),
        })
    }
}
