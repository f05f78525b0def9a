//! Whom a rule is about.

use crate::caller::{Caller, Proof};
use crate::principal::{Pattern, Principal};
use armilla_giop::csi::ScopedName;
use armilla_ipc::Address;
use std::fmt;

/// Whom a rule is about, as its text has it: `*`, `authenticated`, `anonymous`, `ann@bank` and
/// other patterns of users, `dn:CN=*,O=Bank`, `uid:1000`, `uid:*`.
///
/// A pattern of users never stands for anybody else, whatever their names are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Who {
    Anyone,
    /// Who has shown who it is, or whose principal has a name.
    Authenticated,
    Anonymous,
    User(Pattern),
    DistinguishedName(Pattern),
    /// Every user of this host.
    Local,
    LocalUser(u32),
}

impl Who {
    /// Reads whom a rule is about.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        Ok(match text.split_once(':') {
            _ if text == "*" => Self::Anyone,
            _ if text == "authenticated" => Self::Authenticated,
            _ if text == "anonymous" => Self::Anonymous,
            _ if text.is_empty() => return Err("a name is empty"),
            Some(("uid", "*")) => Self::Local,
            Some(("uid", number)) => {
                Self::LocalUser(number.parse().map_err(|_| "uid: needs a number, or *")?)
            }
            Some(("dn", "")) => return Err("dn: needs a distinguished name, or *"),
            Some(("dn", name)) => Self::DistinguishedName(Pattern::new(name)),
            Some(("group" | "role", _)) => return Err("a group or a role cannot stand here"),
            _ => Self::User(Pattern::new(text)),
        })
    }

    /// Whether the rule is about this caller.
    pub(crate) fn includes(&self, caller: &Caller) -> bool {
        match self {
            Self::Authenticated => caller.proof() != Proof::None && caller.principal().is_known(),
            other => other.names(caller.principal()) || other.names_user(caller),
        }
    }

    /// Whether it names the user of a caller by the same-host endpoint who has shown nothing. A rule
    /// about users holds there, for the kernel knows them.
    fn names_user(&self, caller: &Caller) -> bool {
        let Some(credentials) = caller.credentials() else { return false };
        *caller.address() == Address::SameHost
            && *caller.principal() == Principal::Anonymous
            && caller.through().is_none()
            && match self {
                Self::Local => true,
                Self::LocalUser(number) => *number == credentials.user,
                _ => false,
            }
    }

    /// Whether it names this principal. Who has shown something is not told here.
    pub(crate) fn names(&self, principal: &Principal) -> bool {
        match (self, principal) {
            (Self::Anyone, _) | (Self::Anonymous, Principal::Anonymous) => true,
            (Self::Authenticated, principal) => principal.is_known(),
            (Self::User(pattern), Principal::User(name)) => pattern.matches_name(name),
            (Self::DistinguishedName(pattern), Principal::DistinguishedName(name)) => {
                pattern.matches(name)
            }
            (Self::Local, Principal::LocalUser(_)) => true,
            (Self::LocalUser(number), Principal::LocalUser(other)) => number == other,
            _ => false,
        }
    }

    /// The principal, if this stands for one alone.
    pub(crate) fn only(&self) -> Option<Principal> {
        match self {
            Self::User(pattern) => {
                let name: ScopedName = pattern.as_str().parse().ok()?;
                // Of names that are written in two ways, that of the pattern counts.
                let is_name = pattern.plain().is_some() && name.to_string() == pattern.as_str();
                is_name.then_some(Principal::User(name))
            }
            Self::DistinguishedName(pattern) if pattern.plain().is_some() => {
                Some(Principal::DistinguishedName(pattern.as_str().to_owned()))
            }
            // A user of this host may have shown nothing.
            _ => None,
        }
    }

    /// Whether everybody whom `other` stands for is among those of this one.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Anyone, _) | (Self::Local, Self::LocalUser(_)) => true,
            // Whoever has one of these names has shown so, or somebody else for them.
            (Self::Authenticated, Self::User(_) | Self::DistinguishedName(_)) => true,
            (Self::User(one), Self::User(other))
            | (Self::DistinguishedName(one), Self::DistinguishedName(other)) => one.covers(other),
            (one, other) => one == other,
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anyone => f.write_str("*"),
            Self::Authenticated => f.write_str("authenticated"),
            Self::Anonymous => f.write_str("anonymous"),
            Self::User(pattern) => pattern.fmt(f),
            Self::DistinguishedName(pattern) => write!(f, "dn:{pattern}"),
            Self::Local => f.write_str("uid:*"),
            Self::LocalUser(number) => write!(f, "uid:{number}"),
        }
    }
}
