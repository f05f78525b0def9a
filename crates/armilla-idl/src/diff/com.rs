//! Interfaces of COM.

use super::{Diff, Location};
use crate::model::{ComDefinition, ComInterface};

impl Diff<'_> {
    /// An IID stands for what it always stood for: every change is one too many.
    pub(super) fn com(
        &mut self,
        name: &str,
        old: &ComInterface,
        new: &ComInterface,
        location: Location,
    ) {
        let before: Vec<_> = old.methods.iter().map(|it| self.old.com_signature(it)).collect();
        let after: Vec<_> = new.methods.iter().map(|it| self.new.com_signature(it)).collect();
        if old.iid == new.iid && before != after {
            let message = "its methods changed, and its IID did not".to_owned();
            let why = "an interface of COM never changes: give the new one an IID of its own, and \
                       keep the old one";
            self.breaking("com-interface-changed", name, message, why, location);
        }
    }

    /// A type is part of the interfaces that use it.
    pub(super) fn com_definition(
        &mut self,
        name: &str,
        old: &ComDefinition,
        new: &ComDefinition,
        location: Location,
    ) {
        let (before, after) = (self.old.com_definition(old), self.new.com_definition(new));
        if before != after {
            let message = format!("it is `{after}` and was `{before}`");
            let why = "an interface of COM never changes, and what its methods are given neither: \
                       declare the new type beside it, for an interface with an IID of its own";
            self.breaking("com-type-changed", name, message, why, location);
        }
    }
}
