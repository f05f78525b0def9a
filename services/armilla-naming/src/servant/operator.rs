//! What an operator does by way of a console, under the same rules as clients of the service.

use super::{NamingService, now};
use crate::access::{Client, Operation};
use crate::model::{
    Bind, Change, Decision, Found, Held, NameComponent, NameTree, NamingError, ROOT, Target,
};
use crate::store::ChangeError;
use armilla::Orb;

/// What a console does for a client at an address, with names from the root.
impl NamingService {
    /// The ORB.
    pub(crate) fn orb(&self) -> &Orb {
        &self.names.orb
    }

    /// Whether the rules allow a client an operation with a name.
    pub(crate) fn permits(
        &self,
        client: &Client,
        operation: Operation,
        name: &[NameComponent],
    ) -> bool {
        let tree = self.names.store.read();
        self.names.permit_to(client, &tree, operation, ROOT, name).is_ok()
    }

    /// Whether the store can take changes, as `/healthz` asks.
    pub(crate) fn check_store(&self) -> Result<(), String> {
        self.names.store.check().map_err(|error| error.to_string())
    }

    /// Binds an object to a name, in place of another object, as the rules say. Missing contexts are
    /// made.
    pub(crate) fn rebind(
        &self,
        client: &Client,
        name: &[NameComponent],
        target: &Target,
    ) -> Result<(), ChangeError> {
        self.change(client, |tree| {
            self.permit_way(client, tree, name)?;
            self.names.permit_bind_to(client, tree, ROOT, name, target)?;
            let how = self.names.balance(tree, ROOT, name).map_or(Bind::Replace, Bind::Join);
            tree.bind_with_way(ROOT, name, Some(target.clone()), how, now())
        })
    }

    /// Fails if the rules do not allow the contexts to be made that are missing on the way.
    fn permit_way(
        &self,
        client: &Client,
        tree: &NameTree,
        name: &[NameComponent],
    ) -> Result<(), NamingError> {
        let Some(first) = tree.missing(ROOT, name) else { return Ok(()) };
        (first..name.len()).try_for_each(|end| {
            self.names.permit_to(client, tree, Operation::Bind, ROOT, &name[..end])
        })
    }

    /// Binds a name to a new context. Missing contexts on the way are made.
    pub(crate) fn bind_new_context(
        &self,
        client: &Client,
        name: &[NameComponent],
    ) -> Result<(), ChangeError> {
        self.change(client, |tree| {
            self.permit_way(client, tree, name)?;
            self.names.permit_to(client, tree, Operation::Bind, ROOT, name)?;
            tree.bind_with_way(ROOT, name, None, Bind::New, now())
        })
    }

    /// Whether the rules allow a client to unbind a name, with what is below it.
    pub(crate) fn may_unbind(&self, client: &Client, name: &[NameComponent]) -> bool {
        let tree = self.names.store.read();
        self.names.permit_unbind_to(client, &tree, ROOT, name).is_ok()
    }

    /// What only a name leads to.
    pub(crate) fn held(&self, name: &[NameComponent]) -> Held {
        let tree = self.names.store.read();
        let place = tree.place(ROOT, name);
        place.map(|(context, step)| tree.held(context, &step)).unwrap_or_default()
    }

    /// Unbinds a name, and destroys the contexts to which only this name leads, with all that is
    /// bound in them. Returns what went besides the name.
    pub(crate) fn unbind(
        &self,
        client: &Client,
        name: &[NameComponent],
    ) -> Result<Held, ChangeError> {
        {
            let tree = self.names.store.read();
            self.names.permit_unbind_to(client, &tree, ROOT, name)?;
        }
        let held = self.held(name);
        // What is deepest goes first, so that a failure leaves nothing that no name leads to.
        for context in held.contexts.iter().rev() {
            self.names.empty(*context)?;
        }
        self.change(client, |tree| {
            self.names.permit_unbind_to(client, tree, ROOT, name)?;
            let place = tree.place(ROOT, name);
            let Decision::Here { mut changes, created } = tree.unbind(ROOT, name)? else {
                return tree.unbind(ROOT, name);
            };
            let now_held = place.map(|(at, step)| tree.held(at, &step)).unwrap_or_default();
            changes.extend(tree.destruction(&now_held.contexts));
            Ok(Decision::Here { changes, created })
        })?;
        Ok(held)
    }

    /// Gives a binding another name, at once. What has another name can be read under that, so the
    /// client must be allowed to read it.
    pub(crate) fn rename(
        &self,
        client: &Client,
        from: &[NameComponent],
        to: &[NameComponent],
    ) -> Result<(), ChangeError> {
        self.change(client, |tree| {
            self.names.permit_to(client, tree, Operation::Read, ROOT, from)?;
            self.names.permit_unbind_to(client, tree, ROOT, from)?;
            let Found::Here(bound) = tree.resolve(ROOT, from)? else {
                return Err(NamingError::Denied);
            };
            self.names.permit_bind_to(client, tree, ROOT, to, &bound.target)?;
            let decision = tree.bind(ROOT, to, bound.target.clone(), Bind::New, bound.since)?;
            let (Decision::Here { mut changes, created }, Some((context, step))) =
                (decision, tree.place(ROOT, from))
            else {
                return Err(NamingError::Denied);
            };
            changes.push(Change::Unbind { context, step });
            Ok(Decision::Here { changes, created })
        })
    }

    fn change(
        &self,
        client: &Client,
        decide: impl Fn(&NameTree) -> Result<Decision, NamingError>,
    ) -> Result<(), ChangeError> {
        let make = |decide: &dyn Fn(&_) -> _| self.names.store.change(decide);
        self.names.change_of(|| client.clone(), decide, make).map(drop)
    }
}
