//! Comparison of types by their wire format.

use super::{Diff, Location};
use crate::model::{ConstValue, DeclId, DeclKind, Model, Type};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// The types are the same.
    Same,
    /// The types are the same except for typedefs.
    Respelled,
    Different,
}

impl Diff<'_> {
    pub(super) fn wire(&self, old: &Type, new: &Type) -> Wire {
        if let (Type::Named(a), Type::Named(b)) = (old, new)
            && self.same_declaration(*a, *b)
        {
            return Wire::Same;
        }
        if is_typedef(self.old, old) || is_typedef(self.new, new) {
            return match self.wire(self.old.resolve(old), self.new.resolve(new)) {
                Wire::Different => Wire::Different,
                _ => Wire::Respelled,
            };
        }
        match (old, new) {
            (Type::Sequence(a, n), Type::Sequence(b, m)) if n == m => self.wire(a, b),
            (Type::Array(a, n), Type::Array(b, m)) if n == m => self.wire(a, b),
            (Type::Map(a, c, n), Type::Map(b, d, m)) if n == m => {
                match (self.wire(a, b), self.wire(c, d)) {
                    (Wire::Different, _) | (_, Wire::Different) => Wire::Different,
                    (Wire::Same, Wire::Same) => Wire::Same,
                    _ => Wire::Respelled,
                }
            }
            (Type::Named(_), _) | (_, Type::Named(_)) => Wire::Different,
            (a, b) if a == b => Wire::Same,
            _ => Wire::Different,
        }
    }

    pub(super) fn same_declaration(&self, old: DeclId, new: DeclId) -> bool {
        self.pairs.new_of(old) == Some(new)
    }

    pub(super) fn same_value(&self, old: &ConstValue, new: &ConstValue) -> bool {
        match (old, new) {
            (ConstValue::Enumerator(a, n), ConstValue::Enumerator(b, m)) => {
                self.same_declaration(*a, *b) && n == m
            }
            (ConstValue::Float(a), ConstValue::Float(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        }
    }

    /// Reports that the type of something changed. `change` begins the name of the change, `whose`
    /// the sentence: "the type of member `a`".
    pub(super) fn type_of(
        &mut self,
        name: &str,
        change: &str,
        whose: &str,
        (old, new): (&Type, &Type),
        location: Location,
    ) {
        let wire = self.wire(old, new);
        if wire == Wire::Same {
            return;
        }
        let (before, after) = (self.old.type_text(old), self.new.type_text(new));
        let whose = if change == "type" { "the type that it stands for" } else { whose };
        let message = if before == after {
            format!("{whose} is still `{after}`, but that is now another type")
        } else {
            format!("{whose} is `{after}` and was `{before}`")
        };
        let change = format!("{change}-changed");
        if wire == Wire::Respelled {
            let why = "it is another name for the same type, and marshalled alike";
            return self.compatible(change, name, message, why, location);
        }
        let why = match (self.old.resolve(old), self.new.resolve(new)) {
            (Type::String(_), Type::String(_))
            | (Type::WString(_), Type::WString(_))
            | (Type::Sequence(..), Type::Sequence(..))
                if self.bound_only(old, new) =>
            {
                "a program with the smaller bound rejects what exceeds it"
            }
            _ => "a value of one type is not read as the other",
        };
        self.breaking(change, name, message, why, location);
    }

    /// Whether two types differ in the outermost bound only.
    fn bound_only(&self, old: &Type, new: &Type) -> bool {
        match (self.old.resolve(old), self.new.resolve(new)) {
            (Type::Sequence(a, _), Type::Sequence(b, _)) => self.wire(a, b) != Wire::Different,
            _ => true,
        }
    }
}

fn is_typedef(model: &Model, ty: &Type) -> bool {
    matches!(ty, Type::Named(id) if matches!(model.get(*id).kind, DeclKind::Typedef(_)))
}
