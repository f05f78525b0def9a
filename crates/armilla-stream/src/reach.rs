//! To which addresses a listener connects for a caller that listens itself. A caller names any
//! address that it likes; without a rule it could make a server connect to whatever the server
//! reaches and the caller does not.

use crate::carrier::transport;
use armilla::Caller;
use armilla_ipc::{Address, host};
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Where a [`Listener`](crate::Listener) connects to when the caller listens, as
/// [`FlowRequest::listening`](crate::FlowRequest::listening) asks for it.
///
/// By default, where the caller is: its own address over TCP, as digits. A caller on this host may
/// name an address of this host, and one whose user the system vouches for (over a Unix-domain
/// socket or shared memory) a socket that belongs to this user. What a name server says may change,
/// so a name is no address that can be compared. This process may ask of itself what it likes: see
/// [`Listener::check`](crate::Listener::check).
///
/// ```
/// use armilla_stream::{Listener, Reach};
///
/// let networks = Reach::callers().and_network("10.20.0.0".parse().unwrap(), 16);
/// let listener = Listener::builder().tcp("127.0.0.1", 0).reach(networks).start()?;
/// # drop(listener);
/// assert_eq!(Reach::default(), Reach::callers());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    callers: bool,
    /// The addresses that share the first bits of these.
    networks: Vec<(IpAddr, u32)>,
    anywhere: bool,
}

impl Default for Reach {
    fn default() -> Self {
        Self::callers()
    }
}

impl Reach {
    /// Where the caller is: the default.
    pub const fn callers() -> Self {
        Self { callers: true, networks: Vec::new(), anywhere: false }
    }

    /// Nowhere: every caller has to connect itself.
    pub const fn nowhere() -> Self {
        Self { callers: false, networks: Vec::new(), anywhere: false }
    }

    /// Wherever a caller says. For callers that may use whatever this process reaches.
    pub const fn anywhere() -> Self {
        Self { callers: true, networks: Vec::new(), anywhere: true }
    }

    /// Also all addresses over TCP that share the first `bits` bits with this one.
    #[must_use]
    pub fn and_network(mut self, network: IpAddr, bits: u32) -> Self {
        self.networks.push((network.to_canonical(), bits));
        self
    }

    /// The user who has to listen at a socket to which it connects for a caller; `None` if it may
    /// be anybody. Only the kernel's word on the connection counts: the caller may put another
    /// socket in the place of the one that was looked at.
    pub(crate) fn user(&self, caller: Option<&Caller>) -> Option<u32> {
        let caller = caller.filter(|caller| caller.address.is_some() && !self.anywhere)?;
        caller.credentials.map(|credentials| credentials.user)
    }

    /// Whether it connects to an address for a caller; `None` if nobody knows who calls.
    pub(crate) fn includes(&self, address: &str, caller: Option<&Caller>) -> bool {
        let Ok(address) = address.parse::<Address>() else { return false };
        match &address {
            _ if transport(&address).is_none() => false,
            _ if self.anywhere => true,
            _ if self.callers && caller.is_some_and(|caller| caller.address.is_none()) => true,
            Address::Tcp { host, .. } => digits(host).is_some_and(|named| {
                self.networks.iter().any(|(network, bits)| shares(*network, named, *bits))
                    || self.callers && caller.is_some_and(|caller| is_at(caller, named))
            }),
            Address::Unix(path) | Address::Shm(path) => {
                self.callers && caller.is_some_and(|caller| owns(caller, path))
            }
            _ => false,
        }
    }
}

/// An address in digits; `localhost` is this host by definition (RFC 6761).
fn digits(host: &str) -> Option<IpAddr> {
    match host {
        "localhost" => Some(IpAddr::from([127, 0, 0, 1])),
        host => Address::tcp(host.trim_matches(['[', ']']), 0).ip(),
    }
}

/// Whether a caller is at an address.
fn is_at(caller: &Caller, named: IpAddr) -> bool {
    let at = match &caller.address {
        Some(Address::Tcp { host, .. }) => digits(host),
        // Over what does not leave the host.
        _ => Some(IpAddr::from([127, 0, 0, 1])),
    };
    // A caller on this host may have come by the address that the server publishes.
    let here = host::is_local_address;
    at.is_some_and(|at| at == named || here(at) && here(named))
}

/// Whether a socket is one of the caller's user.
fn owns(caller: &Caller, path: &Path) -> bool {
    caller.credentials.is_some_and(|credentials| {
        std::fs::metadata(path).is_ok_and(|found| found.uid() == credentials.user)
    })
}

fn shares(network: IpAddr, address: IpAddr, bits: u32) -> bool {
    match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            (u32::from(network) ^ u32::from(address)).leading_zeros() >= bits.min(32)
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => {
            (u128::from(network) ^ u128::from(address)).leading_zeros() >= bits.min(128)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_ipc::Credentials;

    fn over_tcp(host: &str) -> Caller {
        Caller::at(Address::tcp(host, 40_000))
    }

    fn includes(reach: &Reach, address: &str, caller: &Caller) -> bool {
        reach.includes(address, Some(caller))
    }

    #[test]
    fn a_caller_is_connected_to_where_it_is_and_nowhere_else() {
        let reach = Reach::default();
        let far = over_tcp("10.1.2.3");
        assert!(includes(&reach, "tcp://10.1.2.3:4000", &far));
        assert!(includes(&reach, "tcp://[::ffff:10.1.2.3]:4000", &far));
        let own = host::primary_address();
        for address in [
            "tcp://10.1.2.4:4000".to_owned(),
            "tcp://127.0.0.1:22".to_owned(),
            "tcp://[::1]:22".to_owned(),
            "tcp://localhost:22".to_owned(),
            "tcp://0.0.0.0:22".to_owned(),
            "tcp://0x7f.1:22".to_owned(),
            "tcp://metadata.internal:80".to_owned(),
            format!("tcp://{own}:22"),
            "unix:///run/docker.sock".to_owned(),
            "shm:///run/memory".to_owned(),
            "fifo:///tmp/fifo".to_owned(),
            "nonsense".to_owned(),
        ] {
            assert!(!includes(&reach, &address, &far), "{address}");
        }
        assert!(includes(&reach, "tcp://[fd00::7]:1", &over_tcp("fd00::7")));
        assert!(!reach.includes("tcp://127.0.0.1:1", None), "nobody knows who calls");
    }

    #[test]
    fn a_caller_of_this_host_names_addresses_of_it() {
        let reach = Reach::default();
        let near = over_tcp("127.0.0.1");
        for address in ["tcp://127.0.0.1:1", "tcp://localhost:1", "tcp://[::1]:1"] {
            assert!(includes(&reach, address, &near), "{address}");
        }
        let own = host::primary_address();
        assert!(includes(&reach, &format!("tcp://{own}:1"), &near));
        assert!(includes(&reach, "tcp://127.0.0.1:1", &over_tcp(&own.to_string())));
        for address in ["tcp://10.1.2.3:1", "tcp://0.0.0.0:1", "unix:///run/docker.sock"] {
            assert!(!includes(&reach, address, &near), "{address}");
        }
    }

    #[test]
    fn a_socket_is_connected_to_for_the_user_whose_it_is() {
        let reach = Reach::default();
        // Any file that is there; whose it is decides.
        let file = std::env::current_exe().unwrap();
        let user = std::fs::metadata(&file).unwrap().uid();
        let socket = format!("unix://{}", file.display());
        let by = |user| Caller {
            credentials: Some(Credentials { process: 1, user, group: 1 }),
            ..Caller::at(Address::unix(""))
        };
        assert!(includes(&reach, &socket, &by(user)));
        assert!(!includes(&reach, &socket, &by(user + 1)));
        assert!(!includes(&reach, "unix:///nowhere/at/all", &by(user)));
        let own = Caller { address: None, credentials: None, protection: None };
        assert!(includes(&reach, &socket, &own) && includes(&reach, "tcp://10.1.2.3:1", &own));
    }

    #[test]
    fn an_operator_allows_networks_everything_or_nothing() {
        let far = over_tcp("10.1.2.3");
        let network = Reach::callers().and_network("192.168.0.0".parse().unwrap(), 16);
        assert!(includes(&network, "tcp://192.168.7.7:1", &far));
        assert!(includes(&network, "tcp://10.1.2.3:1", &far));
        assert!(!includes(&network, "tcp://192.169.0.1:1", &far));
        assert!(network.includes("tcp://192.168.7.7:1", None));
        let anywhere = Reach::anywhere();
        assert!(includes(&anywhere, "tcp://metadata.internal:80", &far));
        assert!(anywhere.includes("unix:///run/socket", None));
        assert!(!anywhere.includes("fifo:///tmp/fifo", None), "it carries no flows");
        assert!(!includes(&Reach::nowhere(), "tcp://10.1.2.3:1", &far));
    }
}
