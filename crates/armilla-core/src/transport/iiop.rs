//! IIOP: GIOP over TCP (CORBA 3.4 Part 2, 9.7).

use super::{
    Acceptor, Address, Component, IiopProfile, Listening, ObjectProfile, Publication, Refused,
    Stream, TaggedComponent, TaggedProfile, Transport, local, reachable,
};
use crate::exception::Minor;
use crate::settings::{PublishAs, Settings, parse_ports, parse_published, split_port};
use armilla_cdr::CdrResult;
use armilla_giop::ior::{AlternateAddress, TAG_INTERNET_IOP};
use armilla_ipc::host;
use std::io;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// The transport over TCP.
#[derive(Debug)]
pub(super) struct Iiop;

impl Iiop {
    pub(super) const SCHEME: &str = "iiop";
}

impl Transport for Iiop {
    fn scheme(&self) -> &str {
        Self::SCHEME
    }

    fn form(&self) -> &str {
        "iiop://HOST:PORT, with either part left out at will"
    }

    fn check(&self, endpoint: &str) -> Result<(), String> {
        endpoint.parse::<TcpEndpoint>().map(drop)
    }

    fn listen(&self, endpoint: &str, settings: &Settings) -> io::Result<Listening> {
        let endpoint: TcpEndpoint = endpoint.parse().map_err(io::Error::other)?;
        let acceptor = endpoint.bind(settings)?;
        let publications = match settings.publish_addresses.is_empty() {
            true => {
                let published = endpoint.published(&*acceptor, settings)?.into_iter();
                published.map(|(host, port)| Publication::Iiop(host, port)).collect()
            }
            // The ORB publishes only `publish_addresses`.
            false => Vec::new(),
        };
        Ok(Listening { acceptor, publications })
    }

    fn connect(
        &self,
        address: &str,
        timeout: Duration,
        settings: &Settings,
    ) -> io::Result<Box<dyn Stream>> {
        if address.ends_with(":0") {
            return Err(Refused::new(
                Minor::TLS_NEEDED,
                format!("the object is reached over TLS alone, and {address} has no plain port"),
            )
            .with_hint("OrbBuilder::transport adds the transport of the crate armilla-tls")
            .into());
        }
        local::connect(address, timeout, settings)
    }

    fn has_same_host_endpoints(&self) -> bool {
        true
    }

    fn read_profile(&self, profile: &TaggedProfile) -> Option<CdrResult<ObjectProfile>> {
        if profile.id != TAG_INTERNET_IOP {
            return None;
        }
        Some(IiopProfile::decode_data(&profile.data).map(|profile| ObjectProfile {
            address: Address::tcp(profile.host, profile.port).to_string(),
            version: profile.version,
            object_key: profile.object_key,
            components: profile.components,
        }))
    }

    fn read_component(&self, component: &TaggedComponent, _settings: &Settings) -> Option<String> {
        let address = AlternateAddress::from_tagged(component).ok()??;
        Some(Address::tcp(address.host, address.port).to_string())
    }
}

/// An endpoint `HOST:PORT` or `HOST:FIRST-LAST`, of which both parts are optional. The option
/// `?publish=HOST:PORT` sets the address that references carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TcpEndpoint {
    host: String,
    ports: RangeInclusive<u16>,
    /// The published hosts, with the port if it differs.
    publish: Vec<(String, Option<u16>)>,
}

impl FromStr for TcpEndpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (place, options) = text.split_once('?').unwrap_or((text, ""));
        let (host, ports) = split_port(place);
        let publish = options.split('&').filter(|option| !option.is_empty()).map(|option| {
            let published = option.strip_prefix("publish=").ok_or_else(|| {
                format!("{option:?}: the only option of an endpoint is publish=HOST:PORT")
            })?;
            parse_published(published)
        });
        let publish = publish.collect::<Result<_, _>>()?;
        Ok(Self { host: host.to_owned(), ports: parse_ports(ports)?, publish })
    }
}

impl TcpEndpoint {
    /// Whether the endpoint is on every interface.
    fn is_everywhere(&self) -> bool {
        let unspecified = self.host.parse().is_ok_and(|ip: IpAddr| ip.is_unspecified());
        self.host.is_empty() || unspecified
    }

    /// Listens at the first free port of the range.
    ///
    /// # Errors
    /// When no port of the range is free, or the host is none of this machine.
    pub fn bind(&self, settings: &Settings) -> io::Result<Box<dyn Acceptor>> {
        let options = settings.stream_options_with(settings.tcp_queues);
        let mut taken = None;
        for port in self.ports.clone() {
            let at = |host: &str| armilla_ipc::listen(&Address::tcp(host, port), &options);
            let bound = match self.host.as_str() {
                // IPv6 and IPv4; only IPv4 if the host has no IPv6.
                "" => at("::").or_else(|error| match error.kind() {
                    io::ErrorKind::AddrInUse => Err(error),
                    _ => at("0.0.0.0"),
                }),
                host => at(host),
            };
            match bound {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => taken = Some(error),
                bound => return bound,
            }
        }
        Err(taken.unwrap_or_else(|| io::ErrorKind::AddrInUse.into()))
    }

    /// The addresses that references carry. In the order of precedence: the addresses of the
    /// endpoint's option, the `publish_host` of the ORB, the address at which it listens.
    ///
    /// # Errors
    /// When the host has no name or address of the kind that the settings ask for.
    pub fn published(
        &self,
        acceptor: &dyn Acceptor,
        settings: &Settings,
    ) -> io::Result<Vec<(String, u16)>> {
        let (local, port) = match acceptor.local() {
            Address::Tcp { host, port } => (host.clone(), *port),
            other => return Err(io::Error::other(format!("{other} is no TCP address"))),
        };
        let mut hosts = self.publish.clone();
        if hosts.is_empty() {
            let host = match &settings.publish_host {
                Some(host) => host.clone(),
                None => self.published_host(local, settings)?,
            };
            hosts.push((host, None));
        }
        let published = hosts.into_iter().map(|(host, other)| {
            reachable::check(&host, self.is_everywhere());
            (host, other.unwrap_or(port))
        });
        Ok(published.collect())
    }

    /// The host that references carry if neither the endpoint nor the ORB names one.
    fn published_host(&self, local: String, settings: &Settings) -> io::Result<String> {
        if settings.publish_as == PublishAs::Name {
            return host::name().ok_or_else(|| io::Error::other("the host has no name"));
        }
        let everywhere = self.is_everywhere();
        Ok(match settings.publish_network {
            Some(network) if everywhere => {
                let found = host::address_in(network.address, network.prefix);
                let none = || io::Error::other(format!("this host has no address in {network}"));
                found.ok_or_else(none)?.to_string()
            }
            _ if everywhere => host::primary_address().to_string(),
            _ if settings.publish_as == PublishAs::Address => local,
            _ => self.host.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(host: &str, ports: RangeInclusive<u16>) -> TcpEndpoint {
        TcpEndpoint { host: host.into(), ports, publish: Vec::new() }
    }

    #[test]
    fn each_part_of_an_endpoint_may_be_left_out() {
        let cases = [
            ("", endpoint("", 0..=0)),
            (":", endpoint("", 0..=0)),
            (":2809", endpoint("", 2809..=2809)),
            ("host", endpoint("host", 0..=0)),
            ("host:7-9", endpoint("host", 7..=9)),
            ("[::1]", endpoint("::1", 0..=0)),
            ("[::]:1", endpoint("::", 1..=1)),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse(), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn published_addresses_are_parsed_and_malformed_ones_reported() {
        let both: TcpEndpoint = ":1?publish=a.org:12809&publish=[2001:db8::7]".parse().unwrap();
        let published = [("a.org".to_owned(), Some(12809)), ("2001:db8::7".to_owned(), None)];
        assert_eq!(both.publish, published);
        for text in
            [":9-7", ":0-7", ":7-", ":x", ":65536", "h:1?name=a", ":1?publish=", ":1?publish=a:x"]
        {
            assert!(text.parse::<TcpEndpoint>().is_err(), "{text:?}");
        }
    }
}
