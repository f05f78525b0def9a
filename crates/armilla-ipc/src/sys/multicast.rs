//! Membership in multicast groups (RFC 3678).
//!
//! # Safety contract
//! The four rules of the [parent module](super).

use super::set_option;
use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use rustix::net::addr::SocketAddrArg;
use std::{mem, ptr};

/// What to do with the membership in a multicast group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Membership {
    /// Receive from every sender to the group.
    Join,
    /// The end of `Join`.
    Leave,
    /// Receive what this source sends to the group.
    JoinSource(std::net::IpAddr),
    /// The end of `JoinSource`.
    LeaveSource(std::net::IpAddr),
}

/// Changes the membership of `fd` in `group` on the interface with this index (0: the system's
/// choice), by the calls of RFC 3678 that serve both families.
pub(crate) fn change_membership(
    fd: BorrowedFd<'_>,
    group: std::net::IpAddr,
    interface: u32,
    change: Membership,
) -> Result<(), Errno> {
    let level = if group.is_ipv4() { libc::IPPROTO_IP } else { libc::IPPROTO_IPV6 };
    let gr_group = storage_of(group);
    let whole = libc::group_req { gr_interface: interface, gr_group };
    let of_source = |source| libc::group_source_req {
        gsr_interface: interface,
        gsr_group: gr_group,
        gsr_source: storage_of(source),
    };
    match change {
        Membership::Join => set_option(fd, level, libc::MCAST_JOIN_GROUP, &whole),
        Membership::Leave => set_option(fd, level, libc::MCAST_LEAVE_GROUP, &whole),
        Membership::JoinSource(source) => {
            set_option(fd, level, libc::MCAST_JOIN_SOURCE_GROUP, &of_source(source))
        }
        Membership::LeaveSource(source) => {
            set_option(fd, level, libc::MCAST_LEAVE_SOURCE_GROUP, &of_source(source))
        }
    }
}

/// The address as the kernel wants it within a larger structure; the port is 0.
fn storage_of(address: std::net::IpAddr) -> libc::sockaddr_storage {
    // SAFETY: rule 4.
    let mut storage: libc::sockaddr_storage = unsafe { mem::zeroed() };
    let address = std::net::SocketAddr::new(address, 0);
    let target = (&raw mut storage).cast::<u8>();
    // SAFETY: `with_sockaddr` gives a pointer that is readable for the length, which of an IP
    // address is at most 28 bytes, less than a `sockaddr_storage`; the two do not overlap.
    unsafe {
        address.with_sockaddr(|source, length| {
            ptr::copy_nonoverlapping(source.cast::<u8>(), target, length as usize);
        });
    }
    storage
}
