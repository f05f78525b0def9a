//! Rules of a service, as an operator writes them: who may do what where, which names are shared by
//! several servers, and which dead bindings go.
//!
//! ```text
//! # The first rule for an operation, a client and a name decides. Without one it is allowed.
//! allow  change   /telescopes     from 10.1.0.0/16
//! allow  change   /               from user observer
//! allow  read     /               from local
//! deny   any      /               from any
//! balance round-robin /services/database
//! sweep  gone after 3 /telescopes
//! ```
//!
//! A rule holds for a name and all names below it. `parse` reads the text, `users` knows the users
//! of this host.

mod parse;
mod users;

pub use parse::RuleError;

use crate::model::{Balance, NameComponent};
use armilla_ipc::host;
use std::net::IpAddr;

/// What a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `resolve` and `list`.
    Read,
    /// `bind`, `rebind`, `bind_context`, `rebind_context`, `bind_new_context`, `new_context`.
    Bind,
    /// `unbind` and `destroy`.
    Unbind,
}

/// Where a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// On the host of the service: this process, the loopback interface, or a transport that does
    /// not leave the host.
    Local,
    /// The same, and the operating system vouches for the number of the user: over a Unix-domain
    /// socket or shared memory.
    User(u32),
    /// On the host of the service, by the endpoint for that beside one over TCP (`-ORBSameHost`). It
    /// may do what it might have over TCP, with any address of the host. The number of the user is
    /// the kernel's.
    SameHost(Option<u32>),
    /// On the host of the service, and at an address of it that others know, too: a service that
    /// publishes one is called by that.
    Here(IpAddr),
    /// At an address of another host.
    At(IpAddr),
    /// Somewhere that has no address.
    Unknown,
}

impl From<IpAddr> for Client {
    /// The client at an address. This asks the operating system which addresses are its own.
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            address if address.is_loopback() => Self::Local,
            address if host::is_local_address(address) => Self::Here(address),
            address => Self::At(address),
        }
    }
}

impl Client {
    /// Whether it is on the host of the service.
    pub const fn is_on_this_host(self) -> bool {
        matches!(self, Self::Local | Self::User(_) | Self::SameHost(_) | Self::Here(_))
    }
}

/// The operations that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operations {
    Only(Operation),
    /// `bind` and `unbind`.
    Change,
    Any,
}

/// The clients that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clients {
    Any,
    Local,
    /// A user of this host, by number.
    User(u32),
    /// The addresses that share the first bits of this one.
    Network(IpAddr, u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct AccessRule {
    allow: bool,
    operations: Operations,
    below: Vec<NameComponent>,
    clients: Clients,
}

/// When a dead binding goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// Whether it goes also when nobody answers, not only when the server does not know the object.
    pub unreachable: bool,
    /// After how many checks in a row.
    pub checks: u32,
}

/// The rules of a service. Without any, everybody may do everything, and nothing is shared or
/// swept.
///
/// # Examples
/// ```
/// use armilla_naming::access::{Client, Operation, Rules};
/// use armilla_naming::model::parse_name;
///
/// let rules: Rules = "allow change / from local\ndeny change / from any\n".parse()?;
/// let name = parse_name("dome.device")?;
/// let stranger = Client::At("10.0.0.1".parse()?);
/// assert!(rules.allow(Operation::Read, stranger, &name));
/// assert!(!rules.allow(Operation::Bind, stranger, &name));
/// assert!(rules.allow(Operation::Bind, Client::Local, &name));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    access: Vec<AccessRule>,
    balance: Vec<(Vec<NameComponent>, Balance)>,
    sweep: Vec<(Vec<NameComponent>, Sweep)>,
}

impl Operations {
    fn include(self, operation: Operation) -> bool {
        match self {
            Self::Only(only) => only == operation,
            Self::Change => operation != Operation::Read,
            Self::Any => true,
        }
    }
}

impl Clients {
    fn include(self, client: Client) -> bool {
        match (self, client) {
            (Self::Any, _) => true,
            (Self::Local, client) => client.is_on_this_host(),
            (Self::User(user), Client::User(client) | Client::SameHost(Some(client))) => {
                user == client
            }
            (Self::Network(network, bits), Client::At(address) | Client::Here(address)) => {
                crate::model::nearness(network, address) >= bits
                    && network.is_ipv4() == address.to_canonical().is_ipv4()
            }
            _ => false,
        }
    }
}

impl Rules {
    /// Whether there are rules about access.
    pub const fn restrict(&self) -> bool {
        !self.access.is_empty()
    }

    /// Whether there are rules about users.
    pub fn name_users(&self) -> bool {
        self.access.iter().any(|rule| matches!(rule.clients, Clients::User(_)))
    }

    /// Whether there are rules about groups.
    pub const fn share(&self) -> bool {
        !self.balance.is_empty()
    }

    /// Whether a client may do this with a name.
    pub fn allow(&self, operation: Operation, client: Client, name: &[NameComponent]) -> bool {
        let of_network = |rule: &AccessRule| matches!(rule.clients, Clients::Network(..));
        self.allow_to(operation, &[client], name)
            || matches!(client, Client::SameHost(_))
                && self.access.iter().any(of_network)
                && host::addresses()
                    .into_iter()
                    .any(|own| self.allow_to(operation, &[client, own.into()], name))
    }

    /// Whether a client of which all of this is true may do this with a name.
    fn allow_to(&self, operation: Operation, client: &[Client], name: &[NameComponent]) -> bool {
        let mut rules = self.access.iter();
        let decides = |rule: &&AccessRule| {
            rule.operations.include(operation)
                && client.iter().any(|client| rule.clients.include(*client))
                && name.starts_with(&rule.below)
        };
        rules.find(decides).is_none_or(|rule| rule.allow)
    }

    /// Whether a client may do everything with a name and with all names below it. The rules say the
    /// same of a name below as of the nearest name above it that one of them mentions.
    pub fn allow_whole(&self, client: Client, name: &[NameComponent]) -> bool {
        let below = self.access.iter().map(|rule| rule.below.as_slice());
        let mut mentioned = below.filter(|below| below.starts_with(name)).chain([name]);
        mentioned.all(|name| {
            let all = [Operation::Read, Operation::Bind, Operation::Unbind];
            all.into_iter().all(|operation| self.allow(operation, client, name))
        })
    }

    /// How the servers of a name share it; `None` if a name has one.
    pub fn balance(&self, name: &[NameComponent]) -> Option<Balance> {
        let mut rules = self.balance.iter();
        rules.find(|(below, _)| name.starts_with(below)).map(|(_, balance)| *balance)
    }

    /// When a dead binding of this name goes; `None` if it stays.
    pub fn sweep(&self, name: &[NameComponent]) -> Option<Sweep> {
        self.sweep.iter().find(|(below, _)| name.starts_with(below)).map(|(_, sweep)| *sweep)
    }

    /// Whether there are rules about dead bindings.
    pub const fn sweeps(&self) -> bool {
        !self.sweep.is_empty()
    }
}
