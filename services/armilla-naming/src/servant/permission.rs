//! Asking the rules of the service.
//!
//! A context may have several names. What is forbidden under one of them is forbidden, so that
//! nobody gains anything by binding a context once more. Nor does anybody by taking a name from a
//! context: that needs permission for everything that rules say of the names at and below it.

use super::Names;
use crate::access::{Client, Operation};
use crate::model::{Balance, ContextId, Found, NameComponent, NameTree, NamingError, Target};

impl Names {
    /// The client of the current request, if there are rules about clients.
    fn asking(&self) -> Option<Client> {
        self.rules.current().restrict().then(|| self.client())
    }

    /// The client of the current request.
    pub(super) fn client(&self) -> Client {
        Client::current(&self.orb, self.security.as_ref())
    }

    /// Fails if the rules do not allow an operation with a name, or with the context itself if the
    /// name is empty.
    pub(super) fn permit(
        &self,
        tree: &NameTree,
        operation: Operation,
        from: ContextId,
        name: &[NameComponent],
    ) -> Result<(), NamingError> {
        let Some(client) = self.asking() else { return Ok(()) };
        self.permit_to(&client, tree, operation, from, name)
    }

    /// Fails if the rules do not allow a name to be unbound.
    pub(super) fn permit_unbind(
        &self,
        tree: &NameTree,
        from: ContextId,
        name: &[NameComponent],
    ) -> Result<(), NamingError> {
        let Some(client) = self.asking() else { return Ok(()) };
        self.permit_unbind_to(&client, tree, from, name)
    }

    /// Fails if the rules do not allow a name to be bound to `target`, in place of what it is bound
    /// to.
    pub(super) fn permit_bind(
        &self,
        tree: &NameTree,
        from: ContextId,
        name: &[NameComponent],
        target: &Target,
    ) -> Result<(), NamingError> {
        let Some(client) = self.asking() else { return Ok(()) };
        self.permit_bind_to(&client, tree, from, name, target)
    }

    /// Fails if the rules do not allow a context to be destroyed.
    pub(super) fn permit_destroy(
        &self,
        tree: &NameTree,
        context: ContextId,
    ) -> Result<(), NamingError> {
        let Some(client) = self.asking() else { return Ok(()) };
        self.permit_to(&client, tree, Operation::Unbind, context, &[])?;
        let names = tree.names_of(context).ok_or(NamingError::Denied)?;
        self.allow_whole(&client, &names)
    }

    /// [`permit`](Self::permit) for a client that is known.
    pub(super) fn permit_to(
        &self,
        client: &Client,
        tree: &NameTree,
        operation: Operation,
        from: ContextId,
        name: &[NameComponent],
    ) -> Result<(), NamingError> {
        let names = names(tree, from, name).ok_or(NamingError::Denied)?;
        let rules = self.rules.current();
        allowed(names.iter().all(|name| rules.allow(operation, client, name)))
    }

    /// [`permit_unbind`](Self::permit_unbind) for a client that is known. A context takes the names
    /// below it along, and what rules say of them.
    pub(super) fn permit_unbind_to(
        &self,
        client: &Client,
        tree: &NameTree,
        from: ContextId,
        name: &[NameComponent],
    ) -> Result<(), NamingError> {
        self.permit_to(client, tree, Operation::Unbind, from, name)?;
        self.permit_leaving(client, tree, from, name)
    }

    /// [`permit_bind`](Self::permit_bind) for a client that is known. A context that has a name
    /// already gets one more, by which rules may forbid more, so its contents must be this client's
    /// to change.
    pub(super) fn permit_bind_to(
        &self,
        client: &Client,
        tree: &NameTree,
        from: ContextId,
        name: &[NameComponent],
        target: &Target,
    ) -> Result<(), NamingError> {
        self.permit_to(client, tree, Operation::Bind, from, name)?;
        if let Target::Context(context) = target {
            let names = tree.names_of(*context).ok_or(NamingError::Denied)?;
            let rules = self.rules.current();
            let changes = |name: &Vec<_>| rules.allow(Operation::Bind, client, name);
            allowed(names.iter().all(changes))?;
        }
        self.permit_leaving(client, tree, from, name)
    }

    /// Fails if a name that is bound to a context may not be taken from it: only who may do
    /// everything with the names below it may do that.
    fn permit_leaving(
        &self,
        client: &Client,
        tree: &NameTree,
        from: ContextId,
        name: &[NameComponent],
    ) -> Result<(), NamingError> {
        match tree.resolve(from, name) {
            Ok(Found::Here(bound)) if bound.target.is_context() => {
                let names = tree.full_names(from, name).ok_or(NamingError::Denied)?;
                self.allow_whole(client, &names)
            }
            // Nothing goes, or an object without names of its own, or the operation fails.
            _ => Ok(()),
        }
    }

    fn allow_whole(
        &self,
        client: &Client,
        names: &[Vec<NameComponent>],
    ) -> Result<(), NamingError> {
        let rules = self.rules.current();
        allowed(names.iter().all(|name| rules.allow_whole(client, name)))
    }

    /// How the servers of a name share it.
    pub(super) fn balance(
        &self,
        tree: &NameTree,
        from: ContextId,
        name: &[NameComponent],
    ) -> Option<Balance> {
        let rules = self.rules.current();
        if !rules.share() {
            return None;
        }
        names(tree, from, name)?.iter().find_map(|name| rules.balance(name))
    }
}

/// The names from the root of what `name` denotes, of which rules speak; `None` if there are too many.
/// What is not bound below the root has the name without components.
fn names(
    tree: &NameTree,
    from: ContextId,
    name: &[NameComponent],
) -> Option<Vec<Vec<NameComponent>>> {
    let names = tree.full_names(from, name)?;
    Some(if names.is_empty() { vec![Vec::new()] } else { names })
}

fn allowed(allowed: bool) -> Result<(), NamingError> {
    if allowed { Ok(()) } else { Err(NamingError::Denied) }
}
