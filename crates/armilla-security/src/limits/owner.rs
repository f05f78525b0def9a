//! Whose something is, as a service stores it beside what it keeps.

use super::{Held, Host, Limits, Resource, UsedUp};
use crate::caller::Caller;
use crate::principal::Principal;
use std::fmt;
use std::str::FromStr;

/// Stands for a host or a principal that nobody knows.
const NOBODY: &str = "-";

/// Whose something is that a service keeps: from whose shares it is taken. Its text is what a service
/// stores beside it, so that the shares are right after a restart.
///
/// ```
/// use armilla_ipc::Address;
/// use armilla_security::{Caller, LimitOptions, Limits, Owner, Proof, Resource};
///
/// let address = Address::tcp("192.0.2.1", 4000);
/// let ann = Caller::new("ann@bank".parse()?, Proof::Password, address);
/// let stored = Owner::of(&ann).unwrap().to_string();
/// assert_eq!(stored, "192.0.2.1 ann@bank");
///
/// let limits = Limits::new("user-images=1".parse()?);
/// let _held = limits.hold_stored(Resource::Images, &stored.parse()?, 1);
/// assert!(limits.hold(Resource::Images, &ann, 1).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Owner {
    host: Option<Host>,
    principal: Option<Principal>,
}

impl Owner {
    /// The caller as an owner; `None` if neither its host nor its name is known.
    pub fn of(caller: &Caller) -> Option<Self> {
        let host = Host::of(caller.address()).filter(Host::is_text);
        let principal = Some(caller.principal().clone()).filter(Principal::is_known);
        (host.is_some() || principal.is_some()).then_some(Self { host, principal })
    }

    /// Its host: an address, or for IPv6 the network of 64 bits.
    pub fn host(&self) -> Option<String> {
        self.host.as_ref().map(Host::to_string)
    }

    /// Its name.
    pub const fn principal(&self) -> Option<&Principal> {
        self.principal.as_ref()
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Some(host) => write!(f, "{host} ")?,
            None => write!(f, "{NOBODY} ")?,
        }
        match &self.principal {
            Some(principal) => principal.fmt(f),
            None => f.write_str(NOBODY),
        }
    }
}

impl FromStr for Owner {
    type Err = &'static str;

    /// Reads what `Display` writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (host, principal) = text.split_once(' ').ok_or("no host and name")?;
        let known = |part: &str| (part != NOBODY).then(|| part.to_owned());
        let host = known(host).map(|host| Host::from_text(&host));
        let principal = known(principal).map(|name| name.parse()).transpose()?;
        match (host, principal) {
            (None, None) => Err("this is nobody"),
            (host, principal) => Ok(Self { host, principal }),
        }
    }
}

impl Limits {
    /// Takes what was stored before this process began from the shares of its owner, even beyond
    /// them: it is there. `None` if no limit is set for it.
    pub fn hold_stored(&self, resource: Resource, owner: &Owner, amount: u64) -> Option<Held> {
        let options = &self.0.options;
        let host = owner.host.clone().filter(|_| options.per_host.of(resource) > 0);
        let principal = owner.principal.clone().filter(|_| options.per_principal.of(resource) > 0);
        if host.is_none() && principal.is_none() {
            return None;
        }
        if let Some(host) = &host {
            self.take_held(&self.0.hosts, host, (resource, amount, u64::MAX));
        }
        if let Some(principal) = &principal {
            self.take_held(&self.0.principals, principal, (resource, amount, u64::MAX));
        }
        self.0.counters.hold(resource, amount);
        Some(Held { limits: self.clone(), resource, amount, host, principal })
    }

    /// Whether a host, or a principal, may have so much in all, where the service itself counts what each
    /// has. [`count_refused`](Self::count_refused) is for what is refused then.
    ///
    /// # Errors
    /// It may not.
    pub fn allow(&self, resource: Resource, by_user: bool, amount: u64) -> Result<(), UsedUp> {
        let options = &self.0.options;
        let quota = if by_user { &options.per_principal } else { &options.per_host };
        match quota.of(resource) {
            0 => Ok(()),
            most if amount <= most => Ok(()),
            _ => Err(UsedUp { resource, by_user }),
        }
    }

    /// Whether a host, or a principal, has a limit for it.
    pub fn restrict_each(&self, resource: Resource, by_user: bool) -> bool {
        self.allow(resource, by_user, u64::MAX).is_err()
    }

    /// Counts what a service has refused by [`allow`](Self::allow).
    pub fn count_refused(&self, used_up: UsedUp) {
        self.0.counters.refuse(used_up);
    }

    /// Sets what tells the metrics how much of it is held in all, where the service itself counts it.
    pub fn count_held_by(
        &self,
        resource: Resource,
        count: impl Fn() -> u64 + Send + Sync + 'static,
    ) {
        self.0.counters.count_by(resource, Box::new(count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::Proof;
    use armilla_ipc::Address;

    fn owner(name: &str, host: &str) -> Option<Owner> {
        let address = Address::tcp(host, 1);
        Owner::of(&Caller::new(name.parse().unwrap(), Proof::Password, address))
    }

    #[test]
    fn owners_survive_as_text() {
        for (name, host, text) in [
            ("ann@bank", "192.0.2.1", "192.0.2.1 ann@bank"),
            ("ann@bank", "::ffff:192.0.2.1", "192.0.2.1 ann@bank"),
            ("dn:CN=ann smith,O=Bank", "2001:db8::7:1", "2001:db8::/64 dn:CN=ann smith,O=Bank"),
            ("uid:7", "host.example.org", "host.example.org uid:7"),
            (r"a\@b@bank", "192.0.2.1", r"192.0.2.1 a\@b@bank"),
            ("anonymous", "192.0.2.1", "192.0.2.1 -"),
            ("ann", "no host", "- ann"),
            ("ann", "-", "- ann"),
        ] {
            let owner = owner(name, host).unwrap();
            assert_eq!(owner.to_string(), text);
            assert_eq!(text.parse(), Ok(owner));
        }
        assert_eq!(owner("anonymous", "no host"), None);
        for text in ["", "-", "- -", "192.0.2.1", "- uid:x"] {
            assert!(text.parse::<Owner>().is_err(), "{text}");
        }
        let local = Caller::new(Principal::Anonymous, Proof::None, Address::SameHost);
        assert_eq!(Owner::of(&local), None);
    }

    #[test]
    fn what_is_stored_counts_even_beyond_a_share() {
        let limits = Limits::new("images=2,user-images=1".parse().unwrap());
        let ann = owner("ann", "192.0.2.1").unwrap();
        let held: Vec<_> =
            (0..3).filter_map(|_| limits.hold_stored(Resource::Images, &ann, 1)).collect();
        assert_eq!(held.len(), 3);
        assert!(limits.hold_stored(Resource::Bindings, &ann, 1).is_none(), "no limit");
        let caller = |name: &str, host| {
            Caller::new(name.parse().unwrap(), Proof::Password, Address::tcp(host, 1))
        };
        let (ann, zoe) = (caller("ann", "192.0.2.9"), caller("zoe", "192.0.2.1"));
        assert!(limits.hold(Resource::Images, &ann, 1).unwrap_err().by_user);
        assert!(!limits.hold(Resource::Images, &zoe, 1).unwrap_err().by_user);
        assert!(limits.to_prometheus().contains("armilla_limits_held{what=\"images\"} 3\n"));
        drop(held);
        assert!(limits.hold(Resource::Images, &ann, 1).is_ok());
        assert!(limits.to_prometheus().contains("armilla_limits_held{what=\"images\"} 0\n"));
    }
}
