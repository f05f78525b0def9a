//! What an operator does by way of a console, under the same rules as clients of the service.

use super::{NamingService, now};
use crate::access::{Client, Operation};
use crate::model::{
    Bind, Change, Decision, Found, NameComponent, NameTree, NamingError, ROOT, Target,
};
use crate::store::ChangeError;
use armilla::Orb;

/// What a console does for a client at an address.
impl NamingService {
    /// The ORB.
    pub(crate) fn orb(&self) -> &Orb {
        &self.names.orb
    }

    /// Whether the rules allow a client an operation with a name from the root.
    pub(crate) fn permits(
        &self,
        client: Client,
        operation: Operation,
        name: &[NameComponent],
    ) -> bool {
        let tree = self.names.store.read();
        self.names.permit_to(client, &tree, operation, ROOT, name).is_ok()
    }

    /// Makes a change with a name from the root.
    pub(crate) fn change(
        &self,
        client: Client,
        operation: Operation,
        name: &[NameComponent],
        decide: impl Fn(&NameTree) -> Result<Decision, NamingError>,
    ) -> Result<(), ChangeError> {
        self.names.store.change(|tree| {
            self.names.permit_to(client, tree, operation, ROOT, name)?;
            decide(tree)
        })?;
        Ok(())
    }

    /// Binds an object to a name, in place of another object, as the rules say.
    pub(crate) fn rebind(
        &self,
        client: Client,
        name: &[NameComponent],
        target: Target,
    ) -> Result<(), ChangeError> {
        self.change(client, Operation::Bind, name, |tree| {
            let shared = self.names.balance(tree, ROOT, name);
            tree.bind(ROOT, name, target.clone(), shared.map_or(Bind::Replace, Bind::Join), now())
        })
    }
}

/// A binding that gets another name, at once.
pub(crate) struct Renamed<'n> {
    pub(crate) from: &'n [NameComponent],
    pub(crate) to: &'n [NameComponent],
}

impl Renamed<'_> {
    /// Renames a binding of this service.
    pub(crate) fn decide(&self, tree: &NameTree) -> Result<Decision, NamingError> {
        let found = tree.resolve(ROOT, self.from)?;
        let Found::Here(bound) = found else { return Err(NamingError::Denied) };
        let decision = tree.bind(ROOT, self.to, bound.target.clone(), Bind::New, bound.since)?;
        let (Decision::Here { mut changes, created }, Some((context, step))) =
            (decision, tree.place(ROOT, self.from))
        else {
            return Err(NamingError::Denied);
        };
        for change in &mut changes {
            // A group stays whole, and a binding keeps its age.
            if let Change::Bind { bound: new, .. } = change {
                *new = bound.clone();
            }
        }
        changes.push(Change::Unbind { context, step });
        Ok(Decision::Here { changes, created })
    }
}
