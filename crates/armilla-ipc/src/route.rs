//! Asking the kernel's routing table over netlink (rtnetlink(7)). Nothing is sent to the network.

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{self, AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use std::io;
use std::net::IpAddr;

// linux/netlink.h and linux/rtnetlink.h.
const NLM_F_REQUEST: u16 = 1;
const NLMSG_ERROR: u16 = 2;
const RTM_NEWROUTE: u16 = 24;
const RTM_GETROUTE: u16 = 26;
const RTA_DST: u16 = 1;
const RTN_LOCAL: u8 = 2;

/// The length of `nlmsghdr`, and where its type stands.
const HEADER: usize = 16;
const MESSAGE_TYPE: usize = 4;

/// Where the type of the route stands in `rtmsg`.
const ROUTE_TYPE: usize = 7;

/// Whether the route to `ip` is one of type `local`: the kernel delivers such packets to this host,
/// and drops those from elsewhere that claim to come from there.
///
/// # Errors
/// The process may not use netlink, or the kernel does not answer as expected.
pub(crate) fn is_local(ip: IpAddr) -> io::Result<bool> {
    let kind = SocketType::RAW;
    let socket = net::socket_with(AddressFamily::NETLINK, kind, SocketFlags::CLOEXEC, None)?;
    let kernel = SocketAddrNetlink::new(0, 0);
    net::sendto(&socket, &request(ip), SendFlags::empty(), &kernel)?;
    let mut answer = [0; 1024];
    // The kernel has answered before `sendto` returned.
    let (count, _, from) = net::recvfrom(&socket, &mut answer[..], RecvFlags::DONTWAIT)?;
    let from = from.and_then(|from| SocketAddrNetlink::try_from(from).ok());
    if from.is_none_or(|from| from.pid() != 0) {
        return Err(io::Error::other("somebody else than the kernel has answered"));
    }
    read(&answer[..count])
}

/// The question for the route to an address.
fn request(ip: IpAddr) -> Vec<u8> {
    let (family, octets) = match ip {
        IpAddr::V4(ip) => (AddressFamily::INET, ip.octets().to_vec()),
        IpAddr::V6(ip) => (AddressFamily::INET6, ip.octets().to_vec()),
    };
    // `rtmsg`: family, bits of the destination; all else is for the kernel to say.
    let one = |number: usize| u8::try_from(number).unwrap_or_default();
    let mut body = vec![one(family.as_raw().into()), one(octets.len() * 8)];
    body.resize(12, 0);
    body.extend(u16::try_from(4 + octets.len()).unwrap_or_default().to_ne_bytes());
    body.extend(RTA_DST.to_ne_bytes());
    body.extend(octets);
    let mut message = Vec::with_capacity(HEADER + body.len());
    message.extend(u32::try_from(HEADER + body.len()).unwrap_or_default().to_ne_bytes());
    message.extend(RTM_GETROUTE.to_ne_bytes());
    message.extend(NLM_F_REQUEST.to_ne_bytes());
    message.extend([0; 8]);
    message.extend(body);
    message
}

/// What the kernel has answered.
fn read(answer: &[u8]) -> io::Result<bool> {
    let malformed = || io::Error::other("the kernel's answer has another form");
    let kind = answer.get(MESSAGE_TYPE..MESSAGE_TYPE + 2).ok_or_else(malformed)?;
    match u16::from_ne_bytes([kind[0], kind[1]]) {
        RTM_NEWROUTE => Ok(*answer.get(HEADER + ROUTE_TYPE).ok_or_else(malformed)? == RTN_LOCAL),
        // No route leads there.
        NLMSG_ERROR => Ok(false),
        _ => Err(malformed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_which_addresses_are_local() {
        for ip in ["127.0.0.1", "127.9.9.9"] {
            assert!(is_local(ip.parse().unwrap()).unwrap(), "{ip}");
        }
        for ip in ["192.0.2.1", "2001:db8::1", "224.0.0.1", "255.255.255.255"] {
            assert!(!is_local(ip.parse().unwrap()).unwrap(), "{ip}");
        }
    }

    #[test]
    fn an_answer_of_another_form_is_an_error() {
        for length in [0, 4, 5, 20] {
            assert!(read(&vec![0; length]).is_err(), "{length}");
        }
        let mut cut = vec![0; HEADER + ROUTE_TYPE];
        cut[MESSAGE_TYPE..MESSAGE_TYPE + 2].copy_from_slice(&RTM_NEWROUTE.to_ne_bytes());
        assert!(read(&cut).is_err());
    }
}
