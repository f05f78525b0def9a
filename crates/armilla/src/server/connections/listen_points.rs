//! The addresses for which a bidirectional connection is offered: those of this ORB, and which of a
//! client's to trust.

use crate::runtime::Orb;
use crate::server::addresses::publications::Publications;
use crate::settings::AcceptBidirectional;
use crate::threads::BlockingScope;
use armilla_giop::{ListenPoint, ListenPoints};
use armilla_ipc::{Address, Stream, host};
use std::net::{IpAddr, ToSocketAddrs};

/// The most addresses for which one connection can be offered; further ones are ignored.
pub(in crate::server) const MAX_OFFERED: usize = 16;

/// The addresses that references of this ORB carry.
pub(in crate::server) fn of(publications: &Publications) -> ListenPoints {
    let points = publications.addresses().iter().map(|(host, port)| (host, port));
    let protected = publications.protected().iter().map(|address| (&address.host, &address.port));
    let points = points.chain(protected);
    ListenPoints(
        points.map(|(host, port)| ListenPoint { host: host.clone(), port: *port }).collect(),
    )
}

/// The host at the other end of a stream, as text.
pub(in crate::server) fn host_of(stream: &dyn Stream) -> String {
    match elsewhere(stream.peer(), stream.local()) {
        Some(ip) => ip.to_string(),
        None => "this host".into(),
    }
}

/// The address of a peer on another host; `None` for a peer on this host.
fn elsewhere(peer: &Address, local: &Address) -> Option<IpAddr> {
    let (peer, local) = (peer.ip()?, local.ip());
    (!peer.is_loopback() && Some(peer) != local).then_some(peer)
}

/// Checks whether the client may offer its connection for this address.
///
/// # Errors
/// The reason, with a hint at what to change, if it may not.
pub(in crate::server) fn check(
    point: &ListenPoint,
    orb: &Orb,
    stream: &dyn Stream,
) -> Result<(), String> {
    let ours = orb.server().is_ok_and(|server| server.is_at(&point.host, point.port));
    if ours {
        return Err("it is this server's own".into());
    }
    let trusted = orb.settings().accept_bidirectional == AcceptBidirectional::Trusted;
    if trusted || is_at(&point.host, elsewhere(stream.peer(), stream.local())) {
        return Ok(());
    }
    Err("the client does not come from there; where it is behind an address translation, \
         -ORBAcceptBiDirectionalGIOP trusted believes it"
        .into())
}

/// Whether `host` is the address of `peer`, or of this host if the peer is on it.
fn is_at(host: &str, peer: Option<IpAddr>) -> bool {
    let is = |ip: IpAddr| match peer {
        Some(peer) => ip.to_canonical() == peer,
        None => host::is_local_address(ip),
    };
    match Address::tcp(host, 0).ip() {
        Some(ip) => is(ip),
        None => {
            let _blocking = BlockingScope::begin();
            (host, 0).to_socket_addrs().is_ok_and(|mut found| found.any(|found| is(found.ip())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listen_points_with_the_address_of_the_client_are_accepted() {
        let elsewhere: IpAddr = "192.0.2.7".parse().unwrap();
        assert!(is_at("192.0.2.7", Some(elsewhere)));
        assert!(is_at("::ffff:192.0.2.7", Some(elsewhere)));
        for other in ["192.0.2.8", "127.0.0.1", "0.0.0.0", "::1", "2001:db8::1", "", "[192.0.2.7]"]
        {
            assert!(!is_at(other, Some(elsewhere)), "{other}");
        }
    }

    #[test]
    fn a_client_on_the_same_link_is_not_on_this_host() {
        let at = |host| Address::tcp(host, 4000);
        let ip = "fe80::7".parse().unwrap();
        assert_eq!(elsewhere(&at("fe80::7%2"), &at("fe80::1%2")), Some(ip));
        assert_eq!(elsewhere(&at("fe80::1%2"), &at("fe80::1%2")), None);
        assert_eq!(elsewhere(&at("127.0.0.1"), &at("127.0.0.1")), None);
        assert_eq!(elsewhere(&Address::SameHost, &Address::SameHost), None);
        assert!(is_at("fe80::7%9", Some(ip)) && !is_at("127.0.0.1", Some(ip)));
    }

    #[test]
    fn a_client_on_this_host_is_believed_every_address_of_it() {
        assert!(is_at("127.0.0.1", None));
        assert!(is_at("localhost", None));
        for other in ["192.0.2.8", "0.0.0.0", "::"] {
            assert!(!is_at(other, None), "{other}");
        }
    }
}
