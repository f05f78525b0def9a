//! Rules of a service, as an operator writes them: who may do what where, which names are shared by
//! several servers, and which dead bindings go.
//!
//! Permission is in the language of `armilla-security`, with names in the place of objects and
//! `read`, `bind` and `unbind` as operations. What a naming service has besides stands below
//! `service`.
//!
//! ```toml
//! [[rule]]                                       # the first rule that fits decides
//! allow = ["dn:CN=dome", "uid:1000"]
//! object = ["/telescopes", "/telescopes/*"]      # a name, and all names below it
//! operation = ["bind", "unbind"]
//!
//! [[rule]]
//! allow = "*"
//! operation = "read"
//!
//! [[service.balance]]
//! names = "/services/database"
//! how = "round-robin"
//!
//! [[service.sweep]]
//! names = "/telescopes"
//! what = "gone"
//! after = 3
//! ```
//!
//! `read` reads what stands below `service`, `convert` makes such a text of one in the language of
//! before, in which `users` finds the users of this host.

mod convert;
mod read;
mod users;

pub use armilla_security::RuleError;
pub use convert::convert;

use crate::model::{Balance, NameComponent, stringify_name};
use armilla::Orb;
use armilla_ipc::{Address, host};
use armilla_security::{AccessRules, Caller, Principal, Proof, Question, ServerSecurity, Watched};
use std::fmt;
use std::net::IpAddr;
use std::time::SystemTime;

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

impl Operation {
    const ALL: [Self; 3] = [Self::Read, Self::Bind, Self::Unbind];

    /// Its name in rules.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Bind => "bind",
            Self::Unbind => "unbind",
        }
    }
}

/// Who does it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client(Caller);

impl fmt::Display for Client {
    /// As `armilla_security::Caller`: `ann@bank by password at 192.0.2.1:4000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Caller> for Client {
    fn from(caller: Caller) -> Self {
        Self(caller)
    }
}

impl From<IpAddr> for Client {
    /// The client at an address, who has shown nothing.
    fn from(address: IpAddr) -> Self {
        Self::at(Address::tcp(address.to_canonical().to_string(), 0))
    }
}

impl Client {
    /// Somebody of whom nothing is known.
    pub fn unknown() -> Self {
        Self::at(Address::tcp("", 0))
    }

    fn at(address: Address) -> Self {
        Self(Caller::new(Principal::Anonymous, Proof::None, address))
    }

    /// The client of the request that this thread serves: whom the security of the server knows, or
    /// else what the connection tells.
    pub(crate) fn current(orb: &Orb, security: Option<&ServerSecurity>) -> Self {
        if let Some(known) = security.and_then(ServerSecurity::caller) {
            return Self((*known).clone());
        }
        let address = match orb.caller() {
            Ok(address) => address.unwrap_or_else(|| Address::unix("")),
            Err(_) => return Self::unknown(),
        };
        Self(Caller::connected(address, orb.caller_credentials().ok().flatten()))
    }

    /// The same as rules and limits know it.
    pub(crate) const fn caller(&self) -> &Caller {
        &self.0
    }

    /// Whether it is on the host of the service: this process, an address of the host, or a
    /// transport that does not leave it. This asks the operating system which addresses are its own.
    pub fn is_on_this_host(&self) -> bool {
        match self.0.address() {
            at @ Address::Tcp { .. } => at.ip().is_some_and(host::is_local_address),
            _ => true,
        }
    }
}

/// When a dead binding goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// Whether it goes also when nobody answers, not only when the server does not know the object.
    pub unreachable: bool,
    /// After how many checks in a row.
    pub checks: u32,
}

/// The rules of a service. Without any about access, everybody may do everything; with some, what
/// none allows is denied. Without others nothing is shared or swept.
///
/// # Examples
/// ```
/// use armilla_naming::access::{Client, Operation, Rules};
/// use armilla_naming::model::parse_name;
/// use std::net::IpAddr;
///
/// let rules: Rules = r#"
///     [[rule]]
///     allow = "*"
///     operation = "read"
///
///     [[rule]]
///     allow = "*"
///     network = "local"
/// "#
/// .parse()?;
/// let name = parse_name("dome.device")?;
/// let stranger = Client::from("192.0.2.1".parse::<IpAddr>()?);
/// assert!(rules.allow(Operation::Read, &stranger, &name));
/// assert!(!rules.allow(Operation::Bind, &stranger, &name));
/// let near = Client::from("127.0.0.1".parse::<IpAddr>()?);
/// assert!(rules.allow(Operation::Bind, &near, &name));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// `None` if no rule is about access.
    access: Option<AccessRules>,
    balance: Vec<(Vec<NameComponent>, Balance)>,
    sweep: Vec<(Vec<NameComponent>, Sweep)>,
}

/// A file of [`Rules`], which is read again when it has changed; or rules that do not change.
pub type RulesFile = Watched<Rules>;

impl From<Rules> for RulesFile {
    fn from(rules: Rules) -> Self {
        Self::fixed(rules)
    }
}

impl Rules {
    /// Whether there are rules about access.
    pub const fn restrict(&self) -> bool {
        self.access.is_some()
    }

    /// Whether there are rules about groups.
    pub const fn share(&self) -> bool {
        !self.balance.is_empty()
    }

    /// Whether a client may do this with a name.
    pub fn allow(&self, operation: Operation, client: &Client, name: &[NameComponent]) -> bool {
        let Some(access) = &self.access else { return true };
        access.decide(&question(operation, client, &text(name))).allowed
    }

    /// Whether a client may do everything with a name and with all names below it. Where rules with
    /// patterns do not show that easily, it may not.
    pub fn allow_whole(&self, client: &Client, name: &[NameComponent]) -> bool {
        let Some(access) = &self.access else { return true };
        let name = text(name);
        let may = |operation| access.allow_below(&question(operation, client, &name));
        Operation::ALL.into_iter().all(may)
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

/// A name as rules have it: behind a slash, which alone is the root.
fn text(name: &[NameComponent]) -> String {
    format!("/{}", stringify_name(name))
}

fn question<'q>(operation: Operation, client: &'q Client, name: &'q str) -> Question<'q> {
    Question {
        caller: &client.0,
        adapter: "naming",
        object: name,
        interface: "IDL:omg.org/CosNaming/NamingContext:1.0",
        operation: operation.name(),
        at: SystemTime::now(),
    }
}
