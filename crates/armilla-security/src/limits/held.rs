//! Shares that a service asks for: of what it keeps for its clients, and of what it does for them.

use super::{Host, Limits, Resource, Table, UsedUp};
use crate::caller::Caller;
use crate::principal::Principal;
use std::fmt;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard};

/// What a caller holds of something, until this is dropped: a name that it has bound, an image that it
/// has stored. [`Limits::hold`] makes it.
#[must_use = "what is held is given back when this is dropped"]
pub struct Held {
    pub(super) limits: Limits,
    pub(super) resource: Resource,
    pub(super) amount: u64,
    pub(super) host: Option<Host>,
    pub(super) principal: Option<Principal>,
}

impl Held {
    /// Whether it is of the share of this caller.
    pub fn is_of(&self, caller: &Caller) -> bool {
        match &self.principal {
            Some(principal) => principal == caller.principal(),
            None => self.host == Host::of(caller.address()),
        }
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held")
            .field("resource", &self.resource)
            .field("amount", &self.amount)
            .field("principal", &self.principal)
            .finish_non_exhaustive()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let (limits, shared) = (&self.limits, &*self.limits.0);
        shared.counters.give_back(self.resource, self.amount);
        if let Some(host) = &self.host {
            give_back(&mut limits.shard(&shared.hosts, host), host, self);
        }
        if let Some(principal) = &self.principal {
            give_back(&mut limits.shard(&shared.principals, principal), principal, self);
        }
    }
}

fn give_back<K: Hash + Eq + Clone>(table: &mut MutexGuard<'_, Table<K>>, key: &K, held: &Held) {
    if let Some(share) = table.find(key) {
        share.give_back(held.resource, held.amount);
    }
}

impl Limits {
    /// Whether there is a limit for it, of hosts or of principals.
    pub fn restrict(&self, resource: Resource) -> bool {
        let options = &self.0.options;
        options.per_host.of(resource) > 0 || options.per_principal.of(resource) > 0
    }

    /// Takes so much for the caller of what a service keeps: from the share of its host, and from
    /// that of its principal, if that is known. `None` if no limit is set for it; then the service
    /// need not remember whose it is.
    ///
    /// # Errors
    /// Which share does not suffice.
    ///
    /// ```
    /// use armilla_ipc::Address;
    /// use armilla_security::{Caller, Limits, Proof, Resource};
    ///
    /// let limits = Limits::new("user-bindings=1".parse()?);
    /// let address = Address::tcp("192.0.2.1", 4000);
    /// let ann = Caller::new("ann@bank".parse()?, Proof::Password, address);
    /// let name = limits.hold(Resource::Bindings, &ann, 1)?;
    /// let refused = limits.hold(Resource::Bindings, &ann, 1).unwrap_err();
    /// assert_eq!(refused.to_string(), "the caller has bound too many names (user-bindings)");
    /// drop(name);
    /// assert!(limits.hold(Resource::Bindings, &ann, 1).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hold(
        &self,
        resource: Resource,
        caller: &Caller,
        amount: u64,
    ) -> Result<Option<Held>, UsedUp> {
        let held = self.try_hold(resource, caller, amount);
        held.map_err(|UsedUp { resource, by_user }| self.refused(resource, by_user))
    }

    /// The same for who has something to give back if it does not suffice, and then asks again: no metric
    /// counts the refusal.
    ///
    /// # Errors
    /// As [`hold`](Self::hold).
    pub fn try_hold(
        &self,
        resource: Resource,
        caller: &Caller,
        amount: u64,
    ) -> Result<Option<Held>, UsedUp> {
        let shared = &*self.0;
        let options = &shared.options;
        let (of_host, of_user) =
            (options.per_host.of(resource), options.per_principal.of(resource));
        let host = Host::of(caller.address()).filter(|_| of_host > 0);
        let known = Some(caller.principal()).filter(|it| of_user > 0 && it.is_known());
        if host.is_none() && known.is_none() {
            return Ok(None);
        }
        if let Some(host) = &host
            && !self.take_held(&shared.hosts, host, (resource, amount, of_host))
        {
            return Err(UsedUp { resource, by_user: false });
        }
        shared.counters.hold(resource, amount);
        // From here on it is given back if the principal may not have it.
        let (limits, principal) = (self.clone(), None);
        let mut held = Held { limits, resource, amount, host, principal };
        if let Some(known) = known {
            if !self.take_held(&shared.principals, known, (resource, amount, of_user)) {
                return Err(UsedUp { resource, by_user: true });
            }
            held.principal = Some(known.clone());
        }
        Ok(Some(held))
    }

    pub(super) fn take_held<K: Hash + Eq + Clone>(
        &self,
        tables: &[Mutex<Table<K>>; super::SHARDS],
        key: &K,
        (resource, amount, most): (Resource, u64, u64),
    ) -> bool {
        let now = self.now();
        self.shard(tables, key).of(key, now).hold(resource, amount, most)
    }

    /// Takes so many events of the caller from the shares of its host and of its principal: what is
    /// done at once, and not kept.
    ///
    /// # Errors
    /// Which share is used up for the moment.
    pub fn pass(&self, caller: &Caller, events: u64) -> Result<(), UsedUp> {
        let shared = &*self.0;
        let (options, now) = (&shared.options, self.now());
        let (of_host, of_user) = (options.per_host.events, options.per_principal.events);
        if let Some(host) = Host::of(caller.address()).filter(|_| of_host > 0) {
            let mut table = self.shard(&shared.hosts, &host);
            if !table.of(&host, now).events.take(events, of_host, options.burst, now) {
                drop(table);
                return Err(self.refused(Resource::Events, false));
            }
        }
        let known = Some(caller.principal()).filter(|it| of_user > 0 && it.is_known());
        if let Some(principal) = known {
            let mut table = self.shard(&shared.principals, principal);
            if !table.of(principal, now).events.take(events, of_user, options.burst, now) {
                drop(table);
                return Err(self.refused(Resource::Events, true));
            }
        }
        Ok(())
    }

    /// Counts a connection for the principal, if this is its first call over it.
    ///
    /// # Errors
    /// Its share is used up for the moment.
    pub(crate) fn take_connection(
        &self,
        connection: u64,
        principal: &Principal,
    ) -> Result<(), UsedUp> {
        let shared = &*self.0;
        let most = shared.options.per_principal.connections;
        if most == 0 || !principal.is_known() {
            return Ok(());
        }
        if super::lock(&shared.connections).knows(connection, principal) {
            return Ok(());
        }
        let now = self.now();
        let mut table = self.shard(&shared.principals, principal);
        let taken = table.of(principal, now).connections.take(1, most, shared.options.burst, now);
        drop(table);
        if !taken {
            return Err(self.refused(Resource::Connections, true));
        }
        super::lock(&shared.connections).add(connection, principal.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::Proof;
    use armilla_ipc::Address;

    fn caller(name: &str, host: &str) -> Caller {
        Caller::new(name.parse().unwrap(), Proof::Password, Address::tcp(host, 1))
    }

    #[test]
    fn what_is_held_counts_until_it_is_given_back() {
        let limits = Limits::new("images=3,user-images=2".parse().unwrap());
        let hold = |caller: &Caller| limits.hold(Resource::Images, caller, 1);
        let (ann, zoe) = (caller("ann", "192.0.2.1"), caller("zoe", "192.0.2.1"));
        let (first, second) = (hold(&ann).unwrap(), hold(&ann).unwrap());
        assert!(hold(&ann).unwrap_err().by_user, "two are hers");
        let third = hold(&zoe).unwrap();
        assert!(!hold(&zoe).unwrap_err().by_user, "three are those of the host");
        assert!(third.as_ref().unwrap().is_of(&zoe) && !third.unwrap().is_of(&ann));
        assert!(hold(&zoe).is_ok(), "what was refused by one share is taken from neither");
        let text = limits.to_prometheus();
        assert!(text.contains("armilla_limits_held{what=\"images\"} 2\n"), "{text}");
        assert!(text.contains("refused_total{what=\"user-images\"} 1\n"), "{text}");
        drop((first, second));
        assert!(limits.to_prometheus().contains("held{what=\"images\"} 0\n"));
        let elsewhere = caller("ann", "192.0.2.2");
        assert!(hold(&elsewhere).is_ok() && hold(&caller("anonymous", "h")).is_ok());
        let nobody = Caller::connected(Address::SameHost, None);
        assert!(hold(&nobody).unwrap().is_none(), "nobody in particular, on this host");
        assert!(limits.hold(Resource::Bindings, &ann, 9).unwrap().is_none(), "no limit");
        let refusals = limits.to_prometheus();
        assert!(limits.try_hold(Resource::Images, &zoe, 4).is_err());
        assert_eq!(limits.to_prometheus(), refusals, "who only tries is not counted");
    }

    #[test]
    fn events_and_connections_are_rates() {
        let text = "user-events=10,events=15,user-connections=1,burst=0";
        let limits = Limits::new(text.parse().unwrap());
        let (ann, zoe) = (caller("ann", "192.0.2.1"), caller("zoe", "192.0.2.1"));
        assert_eq!(limits.pass(&ann, 10), Ok(()));
        let refused = limits.pass(&zoe, 1).unwrap_err();
        assert_eq!(refused, UsedUp { resource: Resource::Events, by_user: false });
        let (ann, eve) = (ann.principal(), Principal::Anonymous);
        assert_eq!(limits.take_connection(1, ann), Ok(()));
        let refused = limits.take_connection(2, ann).unwrap_err();
        assert_eq!(refused, UsedUp { resource: Resource::Connections, by_user: true });
        assert_eq!(limits.take_connection(1, ann), Ok(()), "it was counted");
        assert_eq!(limits.take_connection(3, &eve), Ok(()));
        assert_eq!((limits.counts().user_connections, limits.counts().events), (1, 1));
    }
}
