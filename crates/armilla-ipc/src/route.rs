//! Asking the kernel for routes and addresses over netlink (rtnetlink(7)). Nothing is sent to the
//! network.

use rustix::fd::OwnedFd;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{self, AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use std::io;
use std::net::IpAddr;

// linux/netlink.h and linux/rtnetlink.h.
const NLM_F_REQUEST: u16 = 1;
const NLM_F_DUMP: u16 = 0x300;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const RTM_NEWADDR: u16 = 20;
const RTM_GETADDR: u16 = 22;
const RTM_NEWROUTE: u16 = 24;
const RTM_GETROUTE: u16 = 26;
const RTA_DST: u16 = 1;
const RTN_LOCAL: u8 = 2;
const IFA_ADDRESS: u16 = 1;
const IFA_LOCAL: u16 = 2;

/// The length of `nlmsghdr`, and where its type stands.
const HEADER: usize = 16;
const MESSAGE_TYPE: usize = 4;

/// Where the type of the route stands in `rtmsg`.
const ROUTE_TYPE: usize = 7;

/// The length of `ifaddrmsg`, and of the head of an attribute.
const ADDRESS_HEADER: usize = 8;
const ATTRIBUTE_HEADER: usize = 4;

/// The most datagrams that one answer may have. One holds some hundred addresses.
const MOST_DATAGRAMS: usize = 1000;

/// Whether the route to `ip` is one of type `local`: the kernel delivers such packets to this host,
/// and drops those from elsewhere that claim to come from there.
///
/// # Errors
/// The process may not use netlink, or the kernel does not answer as expected.
pub(crate) fn is_local(ip: IpAddr) -> io::Result<bool> {
    let socket = ask(&request(ip))?;
    let mut answer = [0; 1024];
    read(receive(&socket, &mut answer)?)
}

/// The addresses of the network interfaces.
///
/// # Errors
/// The process may not use netlink, or the kernel does not answer as expected.
pub(crate) fn interface_addresses() -> io::Result<Vec<IpAddr>> {
    // All families: nothing but zeros in `ifaddrmsg`.
    let socket = ask(&message(RTM_GETADDR, NLM_F_REQUEST | NLM_F_DUMP, &[0; ADDRESS_HEADER]))?;
    let (mut found, mut answer) = (Vec::new(), vec![0; 32 << 10]);
    for _ in 0..MOST_DATAGRAMS {
        if read_addresses(receive(&socket, &mut answer)?, &mut found)? {
            return Ok(found);
        }
    }
    Err(malformed())
}

/// Sends a question to the kernel.
fn ask(question: &[u8]) -> io::Result<OwnedFd> {
    let kind = SocketType::RAW;
    let socket = net::socket_with(AddressFamily::NETLINK, kind, SocketFlags::CLOEXEC, None)?;
    net::sendto(&socket, question, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    Ok(socket)
}

/// A datagram of the answer. The kernel has the first one ready before `sendto` returns, and a
/// further one before it hands out the one before.
fn receive<'a>(socket: &OwnedFd, answer: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let (count, _, from) = net::recvfrom(socket, &mut *answer, RecvFlags::DONTWAIT)?;
    let from = from.and_then(|from| SocketAddrNetlink::try_from(from).ok());
    if from.is_none_or(|from| from.pid() != 0) {
        return Err(io::Error::other("somebody else than the kernel has answered"));
    }
    answer.get(..count).ok_or_else(malformed)
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
    message(RTM_GETROUTE, NLM_F_REQUEST, &body)
}

/// A message of this type.
fn message(kind: u16, flags: u16, body: &[u8]) -> Vec<u8> {
    let mut message = Vec::with_capacity(HEADER + body.len());
    message.extend(u32::try_from(HEADER + body.len()).unwrap_or_default().to_ne_bytes());
    message.extend(kind.to_ne_bytes());
    message.extend(flags.to_ne_bytes());
    message.extend([0; 8]);
    message.extend(body);
    message
}

#[cold]
fn malformed() -> io::Error {
    io::Error::other("the kernel's answer has another form")
}

/// Takes the addresses from a datagram. Returns whether it is the last one.
fn read_addresses(mut answer: &[u8], found: &mut Vec<IpAddr>) -> io::Result<bool> {
    while !answer.is_empty() {
        let length = answer.first_chunk().ok_or_else(malformed)?;
        let length = u32::from_ne_bytes(*length) as usize;
        let message = answer.get(..length).filter(|it| it.len() >= HEADER).ok_or_else(malformed)?;
        match u16::from_ne_bytes([message[MESSAGE_TYPE], message[MESSAGE_TYPE + 1]]) {
            NLMSG_DONE => return Ok(true),
            RTM_NEWADDR => found.extend(interface_address(&message[HEADER..])),
            _ => return Err(malformed()),
        }
        answer = answer.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(false)
}

/// The address in `ifaddrmsg` and its attributes. On a line between two hosts `IFA_ADDRESS` is that
/// of the other one.
fn interface_address(message: &[u8]) -> Option<IpAddr> {
    let mut attributes = message.get(ADDRESS_HEADER..)?;
    let (mut local, mut address) = (None, None);
    while let Some(head) = attributes.first_chunk::<ATTRIBUTE_HEADER>() {
        let length = usize::from(u16::from_ne_bytes([head[0], head[1]]));
        let value = attributes.get(ATTRIBUTE_HEADER..length)?;
        let ip = || match value.len() {
            4 => <[u8; 4]>::try_from(value).ok().map(IpAddr::from),
            _ => <[u8; 16]>::try_from(value).ok().map(IpAddr::from),
        };
        match u16::from_ne_bytes([head[2], head[3]]) {
            IFA_LOCAL => local = ip(),
            IFA_ADDRESS => address = ip(),
            _ => {}
        }
        attributes = attributes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    local.or(address)
}

/// What the kernel has answered.
fn read(answer: &[u8]) -> io::Result<bool> {
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
    fn the_kernel_tells_the_addresses_of_the_interfaces() {
        let found = interface_addresses().unwrap();
        assert!(found.contains(&"127.0.0.1".parse().unwrap()), "{found:?}");
        for ip in found {
            assert!(is_local(ip).unwrap(), "{ip}");
        }
    }

    #[test]
    fn addresses_in_another_form_are_none_or_an_error() {
        let head = [AddressFamily::INET.as_raw() as u8, 32, 0, 0, 1, 0, 0, 0];
        let attribute = |kind: u16, value: &[u8]| {
            let length = (ATTRIBUTE_HEADER + value.len()) as u16;
            [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), value].concat()
        };
        let (peer, own) =
            (attribute(IFA_ADDRESS, &[10, 0, 0, 1]), attribute(IFA_LOCAL, &[10, 0, 0, 2]));
        let body = [&head[..], &peer, &own].concat();
        let whole = message(RTM_NEWADDR, 0, &body);
        let mut found = Vec::new();
        assert!(!read_addresses(&whole, &mut found).unwrap());
        assert_eq!(found, ["10.0.0.2".parse::<IpAddr>().unwrap()]);
        assert!(read_addresses(&message(NLMSG_DONE, 0, &[0; 4]), &mut found).unwrap());
        for length in 1..whole.len() {
            assert!(read_addresses(&whole[..length], &mut found).is_err(), "{length}");
        }
        for length in 0..body.len() {
            interface_address(&body[..length]);
        }
        // Lengths of nothing lead nowhere, and not in a circle.
        assert_eq!(interface_address(&[&head[..], &[0; 4]].concat()), None);
        assert!(read_addresses(&[0; HEADER], &mut found).is_err());
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
