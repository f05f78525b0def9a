//! What an operator does by way of a console, under the same rules as clients of the service.

use super::{NamingService, now};
use crate::access::{Client, Operation};
use crate::model::{
    Bind, Change, Decision, Found, NameComponent, NameTree, NamingError, ROOT, Target,
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
        client: Client,
        operation: Operation,
        name: &[NameComponent],
    ) -> bool {
        let tree = self.names.store.read();
        self.names.permit_to(client, &tree, operation, ROOT, name).is_ok()
    }

    /// Binds an object to a name, in place of another object, as the rules say.
    pub(crate) fn rebind(
        &self,
        client: Client,
        name: &[NameComponent],
        target: &Target,
    ) -> Result<(), ChangeError> {
        self.change(|tree| {
            self.names.permit_bind_to(client, tree, ROOT, name, target)?;
            let shared = self.names.balance(tree, ROOT, name);
            tree.bind(ROOT, name, target.clone(), shared.map_or(Bind::Replace, Bind::Join), now())
        })
    }

    /// Binds a name to a new context.
    pub(crate) fn bind_new_context(
        &self,
        client: Client,
        name: &[NameComponent],
    ) -> Result<(), ChangeError> {
        self.change(|tree| {
            self.names.permit_to(client, tree, Operation::Bind, ROOT, name)?;
            tree.bind_new_context(ROOT, name, now())
        })
    }

    /// Unbinds a name.
    pub(crate) fn unbind(&self, client: Client, name: &[NameComponent]) -> Result<(), ChangeError> {
        self.change(|tree| {
            self.names.permit_unbind_to(client, tree, ROOT, name)?;
            tree.unbind(ROOT, name)
        })
    }

    /// Gives a binding another name, at once. What has another name can be read under that, so the
    /// client must be allowed to read it.
    pub(crate) fn rename(
        &self,
        client: Client,
        from: &[NameComponent],
        to: &[NameComponent],
    ) -> Result<(), ChangeError> {
        self.change(|tree| {
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
        decide: impl Fn(&NameTree) -> Result<Decision, NamingError>,
    ) -> Result<(), ChangeError> {
        self.names.store.change(decide).map(drop)
    }
}
