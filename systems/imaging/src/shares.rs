//! How many images each client has stored, where that is limited (`images`, `user-images`).
//!
//! Whose an image is stands in the index of the store, so it is known after a restart. Who only passes
//! images on, as a page for other servers or a cache, knows it as long as it runs. What was stored while
//! there was no limit is nobody's.

use crate::access::{Operation, Place, Verdict};
use crate::audit::{Client, Guard};
use crate::store::{Store, StoreError};
use armilla_ipc::Address;
use armilla_security::{Caller, Held, Limits, Owner, Principal, Proof, Resource, UsedUp};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limits, and whose images are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shares {
    limits: Option<Limits>,
    images: Arc<Mutex<HashMap<String, Held>>>,
    /// What keeps whose they are.
    store: Option<Store>,
}

/// What an image takes of the share of a client that stores it.
#[derive(Debug)]
#[must_use = "it is given back when this is dropped"]
pub struct Admitted {
    held: Held,
    owner: Option<Owner>,
}

impl Shares {
    /// The limits, if there is one for images.
    fn restrict(&self) -> Option<&Limits> {
        self.limits.as_ref().filter(|limits| limits.restrict(Resource::Images))
    }

    fn images(&self) -> MutexGuard<'_, HashMap<String, Held>> {
        self.images.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Guard {
    /// Limits how many images each host and each user may have stored.
    #[must_use]
    pub fn with_limits(mut self, limits: Option<Limits>) -> Self {
        self.shares.limits = limits;
        self
    }

    /// Has a store keep whose its images are, and takes those that it has from the shares.
    ///
    /// # Errors
    /// The index of the store fails.
    pub fn with_owners_in(mut self, store: &Store) -> Result<Self, StoreError> {
        let Some(limits) = self.shares.restrict() else { return Ok(self) };
        let owners = store.owners()?;
        let mut images = self.shares.images();
        for (uid, owner) in owners {
            if let Some(held) = limits.hold_stored(Resource::Images, &owner, 1) {
                images.insert(uid, held);
            }
        }
        drop(images);
        self.shares.store = Some(store.clone());
        Ok(self)
    }

    /// The limits, if there are any.
    pub fn limits(&self) -> Option<&Limits> {
        self.shares.limits.as_ref()
    }

    /// Takes one image from the share of a client that is about to store it. It is given back unless
    /// [`stored`](Self::stored) gets it.
    ///
    /// # Errors
    /// The client, or its host, has stored as many as it may.
    pub fn admit(&self, client: &Client) -> Result<Option<Admitted>, UsedUp> {
        let Some(limits) = self.shares.restrict() else { return Ok(None) };
        match client.place {
            // What this process passes on was admitted before.
            Place::Here => Ok(None),
            _ => {
                let caller = self.caller(client);
                let held = limits.hold(Resource::Images, &caller, 1)?;
                Ok(held.map(|held| Admitted { held, owner: Owner::of(&caller) }))
            }
        }
    }

    /// Notes whose an image is that was stored. One that was somebody's already stays that one's.
    pub fn stored(&self, uid: &str, admitted: Option<Admitted>) {
        let Some(Admitted { held, owner }) = admitted else { return };
        match self.shares.images().entry(uid.to_owned()) {
            Entry::Vacant(free) => drop(free.insert(held)),
            Entry::Occupied(_) => return,
        }
        let (Some(store), Some(owner)) = (&self.shares.store, owner) else { return };
        match store.own(uid, &owner) {
            Ok(true) => {}
            // It was removed meanwhile.
            Ok(false) => self.removed(uid),
            Err(error) => {
                tracing::warn!(uid, %error, "whose an image is will be forgotten at the next start");
            }
        }
    }

    /// Gives an image back that was removed.
    pub fn removed(&self, uid: &str) {
        let held = self.shares.images().remove(uid);
        drop(held);
    }

    /// A client as limits know callers: a user, or who has a token of this name.
    fn caller(&self, client: &Client) -> Caller {
        let token = || match self.verdict(client, Operation::Store) {
            Verdict::Allowed(token) => token,
            _ => None,
        };
        let name = client.user.clone().or_else(token);
        let principal = name.and_then(|name| name.parse().ok()).unwrap_or(Principal::Anonymous);
        let address = match client.place {
            Place::At(address) => Address::tcp(address.to_string(), 0),
            Place::Unknown => Address::tcp("unknown", 0),
            Place::Here | Place::Local => Address::SameHost,
        };
        let proof = Proof::usual_of(&principal);
        Caller::new(principal, proof, address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Rules, token_hash};

    #[test]
    fn a_client_has_so_many_images_by_its_name_or_its_token() {
        let rules: Rules =
            format!("allow store token gantry {}\nallow any from any", token_hash("t"))
                .parse()
                .unwrap();
        let limits = Limits::new("user-images=1,images=3".parse().unwrap());
        let guard = Guard::new(rules, None).unwrap().with_limits(Some(limits));
        let at = Place::At("192.0.2.1".parse().unwrap());
        let known = |user: &str| Client { user: Some(user.to_owned()), ..Client::at(at, "http") };
        let token = Client { token: Some("t".to_owned()), ..Client::at(at, "corba") };
        let ann = known("ann@clinic");
        guard.stored("1.2", guard.admit(&ann).unwrap());
        assert!(guard.admit(&ann).unwrap_err().by_user);
        guard.stored("1.3", guard.admit(&token).unwrap());
        assert!(guard.admit(&token).unwrap_err().by_user);
        guard.stored("1.4", guard.admit(&known("dn:CN=scanner")).unwrap());
        assert!(!guard.admit(&known("zoe@clinic")).unwrap_err().by_user, "the host has three");
        guard.removed("1.2");
        drop(guard.admit(&ann).unwrap());
        guard.stored("1.5", guard.admit(&ann).unwrap());
        assert!(guard.admit(&Client::at(Place::Here, "corba")).unwrap().is_none());
    }
}
