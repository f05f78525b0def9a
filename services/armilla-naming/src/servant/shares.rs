//! How many names each client has bound, where that is limited (`bindings`, `user-bindings`).
//!
//! Whose a name is stands beside it in the store, so it is known after a restart and to other instances.
//! The tree counts. What was bound while there was no limit is nobody's.

use super::Names;
use crate::access::Client;
use crate::model::{Bound, Change, Decision, NameTree, NamingError, Owner};
use crate::store::ChangeError;
use armilla_security::{Limits, Resource, ServerSecurity, UsedUp};
use std::cell::Cell;
use std::sync::{Arc, Weak};

/// Has the metrics of the limits tell how many names are somebody's.
pub(super) fn count_names(names: &Arc<Names>) {
    let Some(limits) = names.limits() else { return };
    let (of_hosts, of_users) = restricted(limits);
    let names: Weak<Names> = Arc::downgrade(names);
    limits.count_held_by(Resource::Bindings, move || {
        let owned = names.upgrade().map(|names| names.store.read().owned()).unwrap_or_default();
        match (of_hosts, of_users) {
            (true, true) => owned.of_any,
            (true, false) => owned.of_hosts,
            (false, _) => owned.of_users,
        }
    });
}

/// Whether names of hosts are limited, and those of users.
fn restricted(limits: &Limits) -> (bool, bool) {
    let of = |by_user| limits.restrict_each(Resource::Bindings, by_user);
    (of(false), of(true))
}

impl Names {
    /// The limits, if there is one for names.
    fn limits(&self) -> Option<&Limits> {
        let limits = self.security.as_ref().and_then(ServerSecurity::limits);
        limits.filter(|limits| limits.restrict(Resource::Bindings))
    }

    /// Makes the changes of a client, if its share suffices: `make` has the store decide and make them.
    pub(super) fn change_of(
        &self,
        client: impl FnOnce() -> Client,
        decide: impl Fn(&NameTree) -> Result<Decision, NamingError>,
        make: impl FnOnce(
            &dyn Fn(&NameTree) -> Result<Decision, NamingError>,
        ) -> Result<Decision, ChangeError>,
    ) -> Result<Decision, ChangeError> {
        let Some(limits) = self.limits() else { return make(&decide) };
        let owner = owner(&client());
        // A later tree may suffice where an earlier one did not.
        let refused = Cell::new(None);
        let made = make(&|tree| {
            let mut decision = decide(tree)?;
            if let Decision::Here { changes, .. } = &mut decision {
                changes.iter_mut().for_each(|change| give(change, owner.as_ref()));
                let allowed = owner.as_ref().map_or(Ok(()), |it| allow(limits, it, changes, tree));
                allowed.map_err(|used_up: UsedUp| {
                    refused.set(Some(used_up));
                    NamingError::Share(used_up.to_string())
                })?;
            }
            Ok(decision)
        });
        if let (Err(ChangeError::Naming(NamingError::Share(_))), Some(used_up)) =
            (&made, refused.take())
        {
            limits.count_refused(used_up);
        }
        made
    }
}

/// A client as names have it.
fn owner(client: &Client) -> Option<Arc<Owner>> {
    let owner = armilla_security::Owner::of(client.caller())?;
    let host = owner.host().unwrap_or_default();
    let user = owner.principal().map(ToString::to_string).unwrap_or_default();
    Some(Arc::new(Owner { host: host.into(), user: user.into() }))
}

/// Who binds a name has it.
fn give(change: &mut Change, owner: Option<&Arc<Owner>>) {
    if let Change::Bind { bound, .. } = change {
        bound.owner = owner.cloned();
    }
}

/// Whether the owner may have what these changes leave it, if that is more than before.
fn allow(
    limits: &Limits,
    owner: &Owner,
    changes: &[Change],
    tree: &NameTree,
) -> Result<(), UsedUp> {
    let of_host = (&owner.host, tree.owned_by_host(&owner.host));
    let of_user = (&owner.user, tree.owned_by_user(&owner.user));
    for (by_user, (name, has)) in [(false, of_host), (true, of_user)] {
        if name.is_empty() {
            continue;
        }
        let is_own = |bound: &Bound| {
            bound.owner.as_ref().is_some_and(|it| if by_user { &it.user } else { &it.host } == name)
        };
        let (mut more, mut fewer) = (0, 0);
        for change in changes {
            let (Change::Bind { context, step, .. } | Change::Unbind { context, step }) = change
            else {
                continue;
            };
            more += u64::from(matches!(change, Change::Bind { .. }));
            fewer += u64::from(tree.get(*context, step).is_some_and(is_own));
        }
        if more > fewer {
            limits.allow(Resource::Bindings, by_user, has + more - fewer)?;
        }
    }
    Ok(())
}
