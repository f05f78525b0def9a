//! Asking the rules of the service.
//!
//! A context may have several names. What is forbidden under one of them is forbidden, so that
//! nobody gains anything by binding a context once more.

use super::Names;
use crate::access::{Client, Operation};
use crate::model::{Balance, ContextId, NameComponent, NameTree, NamingError};
use armilla::Orb;
use armilla_ipc::Address;
use std::net::IpAddr;

/// The client of the current request; its user only if that `matters`.
fn client(orb: &Orb, user_matters: bool) -> Client {
    match orb.caller() {
        Ok(Some(Address::Tcp { host, .. })) => host.parse().map_or(Client::Unknown, at),
        Ok(Some(_)) if user_matters => match orb.caller_credentials() {
            Ok(Some(credentials)) => Client::User(credentials.user),
            _ => Client::Local,
        },
        Ok(Some(_) | None) => Client::Local,
        Err(_) => Client::Unknown,
    }
}

/// The client at an address.
pub(crate) fn at(address: IpAddr) -> Client {
    match address.to_canonical() {
        address if address.is_loopback() => Client::Local,
        address => Client::At(address),
    }
}

impl Names {
    /// Fails if the rules do not allow an operation with a name, or with the context itself if the
    /// name is empty.
    pub(super) fn permit(
        &self,
        tree: &NameTree,
        operation: Operation,
        from: ContextId,
        name: &[NameComponent],
    ) -> Result<(), NamingError> {
        match self.rules.restrict() {
            true => {
                let client = client(&self.orb, self.rules.name_users());
                self.permit_to(client, tree, operation, from, name)
            }
            false => Ok(()),
        }
    }

    /// [`permit`](Self::permit) for a client that is known.
    pub(super) fn permit_to(
        &self,
        client: Client,
        tree: &NameTree,
        operation: Operation,
        from: ContextId,
        name: &[NameComponent],
    ) -> Result<(), NamingError> {
        // Of a name that leads nowhere the operation tells more than the rules.
        let Some(names) = names(tree, from, name) else { return Ok(()) };
        let names = names.ok_or(NamingError::Denied)?;
        let allowed = names.iter().all(|name| self.rules.allow(operation, client, name));
        if allowed { Ok(()) } else { Err(NamingError::Denied) }
    }

    /// How the servers of a name share it.
    pub(super) fn balance(
        &self,
        tree: &NameTree,
        from: ContextId,
        name: &[NameComponent],
    ) -> Option<Balance> {
        if !self.rules.share() {
            return None;
        }
        names(tree, from, name)??.iter().find_map(|name| self.rules.balance(name))
    }
}

/// The names from the root of what `name` denotes: `None` if it leads nowhere, `Some(None)` if there
/// are too many. What is not bound below the root has the name without components.
fn names(
    tree: &NameTree,
    from: ContextId,
    name: &[NameComponent],
) -> Option<Option<Vec<Vec<NameComponent>>>> {
    let (context, last) = match name {
        [] => (from, None),
        name => tree.place(from, name).map(|(context, step)| (context, Some(step.component())))?,
    };
    Some(tree.names_of(context).map(|mut names| {
        names.iter_mut().for_each(|name| name.extend(last.clone()));
        if names.is_empty() {
            names.push(Vec::new());
        }
        names
    }))
}
