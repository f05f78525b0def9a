//! Bases and supported interfaces (CORBA 3.4 Part 1, 7.8.5 and 7.9.5).

use super::Checker;
use super::scope::{Entry, ScopeId, Target};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Flavour, Type, Value, ValueModifier};
use crate::parse::ast::{Name, ScopedName};
use crate::source::Span;
use std::collections::HashMap;

/// The maximum number of direct and indirect bases.
const MAX_ANCESTORS: usize = 256;

/// A base and the span of its name.
pub(super) type Base = (DeclId, Span);

/// The ids of `bases`.
pub(super) fn ids(bases: &[Base]) -> Vec<DeclId> {
    bases.iter().map(|(id, _)| *id).collect()
}

impl Checker<'_, '_> {
    /// Resolves `names` to interfaces: bases, or those that a valuetype supports.
    pub(super) fn base_interfaces(&mut self, names: &[ScopedName]) -> Vec<Base> {
        self.bases(names, "an interface", |kind| matches!(kind, DeclKind::Interface(_)))
    }

    pub(super) fn base_values(&mut self, names: &[ScopedName]) -> Vec<Base> {
        self.bases(names, "a valuetype", |kind| matches!(kind, DeclKind::Value(_)))
    }

    fn bases(
        &mut self,
        names: &[ScopedName],
        what: &str,
        fits: impl Fn(&DeclKind) -> bool,
    ) -> Vec<Base> {
        let mut bases: Vec<Base> = Vec::new();
        for name in names {
            let Some(base) = self.base(name, what, &fits) else { continue };
            match bases.iter().find(|(other, _)| *other == base) {
                None => bases.push((base, name.span())),
                Some((_, first)) => {
                    let message = format!("{what} is named twice here");
                    let error = Diagnostic::error(Code::BadBase, name.span(), message);
                    self.session.report(error.secondary(*first, "first named here"));
                }
            }
        }
        bases
    }

    pub(super) fn base(
        &mut self,
        name: &ScopedName,
        what: &str,
        fits: impl Fn(&DeclKind) -> bool,
    ) -> Option<DeclId> {
        let target = self.resolve(name)?;
        let last = name.rest.last().unwrap_or(&name.first);
        if let Target::Decl(id) = target
            && let Type::Named(id) = *self.model.resolve(&Type::Named(id))
            && fits(&self.model.get(id).kind)
        {
            if self.scope_of.contains_key(&id) {
                return Some(id);
            }
            let message = format!("`{}` is not defined yet and cannot be a base", last.text);
            let error = Diagnostic::error(Code::BadBase, name.span(), message);
            let error = error.secondary(self.model.get(id).span, "only declared here");
            self.session.report(error.help("define it before, or include the file that does"));
            return None;
        }
        self.wrong_kind(Code::BadBase, name, target, what);
        None
    }

    /// The scopes of `bases`.
    pub(super) fn base_scopes(&self, bases: &[Base]) -> Vec<ScopeId> {
        bases.iter().filter_map(|(base, _)| self.scope_of.get(base).copied()).collect()
    }

    /// Whether one declaration can have these bases. Reports collisions.
    pub(super) fn check_bases(&mut self, name: &Name, bases: &[ScopeId]) -> bool {
        let ancestors = self.ancestors(bases);
        if ancestors.len() > MAX_ANCESTORS {
            let message =
                format!("`{}` inherits from more than {MAX_ANCESTORS} interfaces", name.text);
            self.error(Code::BadBase, name.span, message);
            return false;
        }
        if bases.len() < 2 {
            return true;
        }
        let mut inherited: HashMap<&str, &Entry> = HashMap::new();
        let mut collisions = Vec::new();
        for ancestor in ancestors {
            for (key, entry) in &self.scopes[ancestor.0].names {
                if !matches!(entry.target, Target::Export(..) | Target::State) {
                    continue;
                }
                if let Some(other) = inherited.insert(key, entry) {
                    collisions.push((entry.name.clone(), other.name.clone()));
                }
            }
        }
        // The order of a hash map is not deterministic.
        collisions.sort_by_key(|(one, _)| (one.span.file, one.span.start));
        for (one, other) in collisions {
            let message =
                format!("`{}` inherits two operations or attributes `{}`", name.text, one.text);
            let error = Diagnostic::error(Code::InheritedCollision, name.span, message);
            let error = error.secondary(other.span, "declared here");
            self.session.report(error.secondary(one.span, "and declared here"));
        }
        true
    }

    /// Reports bases that an interface of `flavour` cannot have.
    pub(super) fn check_flavours(&mut self, flavour: Flavour, bases: &[Base]) {
        for (base, span) in bases {
            let DeclKind::Interface(interface) = &self.model.get(*base).kind else { continue };
            let message = match (flavour, interface.flavour) {
                (Flavour::Abstract, Flavour::Unconstrained | Flavour::Local) => {
                    "an abstract interface can only inherit from abstract ones"
                }
                (Flavour::Unconstrained, Flavour::Local) => {
                    "only a local interface can inherit from a local one"
                }
                _ => continue,
            };
            let error = Diagnostic::error(Code::BadBase, *span, message);
            self.session.report(error.secondary(self.model.get(*base).span, "declared here"));
        }
    }

    /// Reports bases that a valuetype with `modifier` cannot have.
    pub(super) fn check_value_bases(&mut self, modifier: ValueModifier, bases: &[Base]) {
        for (index, (base, span)) in bases.iter().enumerate() {
            let DeclKind::Value(value) = &self.model.get(*base).kind else { continue };
            let message = match (modifier, value.modifier) {
                (_, ValueModifier::Abstract) => continue,
                (ValueModifier::Abstract, _) => {
                    "an abstract valuetype can only inherit from abstract ones"
                }
                (ValueModifier::None, ValueModifier::Custom) => {
                    "only a custom valuetype can inherit from a custom one"
                }
                _ if index > 0 => "only the first base of a valuetype may be concrete",
                _ => continue,
            };
            let error = Diagnostic::error(Code::BadBase, *span, message);
            self.session.report(error.secondary(self.model.get(*base).span, "declared here"));
        }
    }

    /// Reports interfaces that a valuetype with these bases cannot support.
    pub(super) fn check_supports(&mut self, bases: &[Base], supports: &[Base]) {
        let concrete = |this: &Self, id: DeclId| {
            matches!(&this.model.get(id).kind,
                DeclKind::Interface(interface) if interface.flavour != Flavour::Abstract)
        };
        for (id, span) in supports.iter().skip(1) {
            if !concrete(self, *id) {
                continue;
            }
            let message = "only the first supported interface may be other than abstract";
            self.error(Code::BadBase, *span, message);
        }
        let Some((own, span)) = supports.first().filter(|(id, _)| concrete(self, *id)) else {
            return;
        };
        let inherited = bases.iter().find_map(|(base, _)| self.supported(*base, 0));
        let Some(inherited) = inherited else { return };
        let target = self.scope_of.get(&inherited).copied();
        let own = self.scope_of.get(own).map(|scope| self.ancestors(&[*scope])).unwrap_or_default();
        if !own.iter().any(|scope| Some(*scope) == target) {
            let name = self.model.scoped_name(inherited);
            let message = format!("this does not inherit from `{name}`, which the base supports");
            self.error(Code::BadBase, *span, message);
        }
    }

    /// The interface that is not abstract and that a valuetype or one of its bases supports.
    fn supported(&self, id: DeclId, depth: usize) -> Option<DeclId> {
        let DeclKind::Value(Value { bases, supports, .. }) = &self.model.get(id).kind else {
            return None;
        };
        let first = supports.first().copied().filter(|id| {
            matches!(&self.model.get(*id).kind,
                DeclKind::Interface(interface) if interface.flavour != Flavour::Abstract)
        });
        // Only the first base can be concrete, so the search need not branch.
        let base = bases.first().filter(|_| depth < MAX_ANCESTORS);
        first.or_else(|| self.supported(*base?, depth + 1))
    }
}
