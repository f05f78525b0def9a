//! Which processes can reach one another without a network.

use rustix::fs::stat;
use std::sync::OnceLock;

/// Where a process is: what has to be equal for two processes to connect by an abstract Unix-domain
/// address and to mean the same users by their numbers. Containers differ in it by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The kernel's identifier of its current boot.
    pub boot: [u8; 16],
    /// The number of the network namespace. The kernel may give it to another one later.
    pub network: u32,
    /// The number of the user namespace.
    pub users: u32,
}

impl Place {
    /// That of the calling thread; `None` where the system does not tell, as without `/proc`.
    pub fn here() -> Option<Self> {
        static BOOT: OnceLock<Option<[u8; 16]>> = OnceLock::new();
        let boot = (*BOOT.get_or_init(|| parse(&crate::host::boot_id()?)))?;
        // Read anew each time: a thread may move to another namespace, and sockets go by the thread.
        let namespace = |kind: &str| {
            let found = stat(format!("/proc/thread-self/ns/{kind}").as_str()).ok()?;
            u32::try_from(found.st_ino).ok()
        };
        Some(Self { boot, network: namespace("net")?, users: namespace("user")? })
    }
}

/// The octets of an identifier in hexadecimal digits and hyphens.
fn parse(id: &str) -> Option<[u8; 16]> {
    let digits: String = id.chars().filter(|character| *character != '-').collect();
    if digits.len() != 32 {
        return None;
    }
    Some(u128::from_str_radix(&digits, 16).ok()?.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_stays_where_it_is() {
        let here = Place::here().expect("Linux with /proc");
        assert_eq!(Place::here(), Some(here));
        assert_eq!(std::thread::spawn(Place::here).join().unwrap(), Some(here));
    }

    #[test]
    fn identifiers_of_another_form_are_none() {
        let id = "01234567-89ab-cdef-0123-456789abcdef";
        let octets = parse(id).unwrap();
        assert_eq!((octets[0], octets[15]), (0x01, 0xef));
        for other in ["", "01234567", &format!("{id}0"), &id.replace('f', "g")] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
