//! `typeid`, `typeprefix` and `import` (CORBA 3.4 Part 1, 7.6 and 14.7.5).

use super::Checker;
use super::repository::{self, Part, Prefix};
use super::scope::Target;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Export};
use crate::parse::ast::ScopedName;
use crate::source::Span;

impl Checker<'_, '_> {
    pub(super) fn type_id(&mut self, name: &ScopedName, id: &str, span: Span) {
        if !repository::well_formed(id) {
            let message = format!("`{id}` is not a repository id");
            let error = Diagnostic::error(Code::BadPragma, span, message);
            self.session.report(error.help("a repository id is of the form `IDL:A/B:1.0`"));
            return;
        }
        self.set_id(name, Part::Whole, span, |_| id.to_owned());
    }

    /// Applies `prefix` to the repository ids of `name` and of all declarations within it.
    pub(super) fn type_prefix(&mut self, name: &ScopedName, prefix: &str, span: Span) {
        if !repository::good_prefix(prefix) {
            let message = format!("`{prefix}` cannot begin a repository id");
            return self.error(Code::BadPragma, span, message);
        }
        let Some(target) = self.resolve(name) else { return };
        let id = match target {
            Target::Decl(id) if self.scope_of.contains_key(&id) => id,
            _ => {
                let what = self.describe(target);
                let message = format!("{what} has nothing declared in it for a prefix");
                return self.error(Code::BadPragma, name.span(), message);
            }
        };
        if self.type_prefixes.contains_key(&id) {
            let message = format!("the prefix of `{}` is set twice", self.model.scoped_name(id));
            return self.error(Code::RepositoryId, span, message);
        }
        let mut aliases_of_incomplete = vec![id];
        while let Some(id) = aliases_of_incomplete.pop() {
            self.prepend(id, prefix);
            // A declaration with a prefix of its own keeps it.
            let within = self.declared_in(id).into_iter();
            aliases_of_incomplete.extend(within.filter(|id| !self.type_prefixes.contains_key(id)));
        }
        let inside = Prefix::of(prefix, &self.model.path(id));
        let current = self.scope().decl;
        if current == Some(id) {
            self.prefix = inside.clone();
        }
        self.type_prefixes.insert(id, inside);
    }

    /// The declarations directly within `id`, even if its scope is still open.
    fn declared_in(&self, id: DeclId) -> Vec<DeclId> {
        let open = self.scope_of.get(&id).map(|scope| self.scopes[scope.0].members.as_slice());
        let closed = match &self.model.get(id).kind {
            DeclKind::Interface(interface) => interface.nested.as_slice(),
            DeclKind::Value(value) => &value.nested,
            DeclKind::Struct(body) | DeclKind::Exception(body) => &body.nested,
            DeclKind::Union(union) => &union.nested,
            _ => &[],
        };
        [open.unwrap_or_default(), closed].concat()
    }

    /// Recomputes the repository ids of a declaration and of its exports and enumerators, except
    /// for those that were set.
    fn prepend(&mut self, id: DeclId, prefix: &str) {
        let path = self.model.path(id).join("/");
        let renew = |old: &mut String, name: &str| {
            let version = old.rsplit_once(':').map_or("1.0", |(_, version)| version);
            let slash = if prefix.is_empty() { "" } else { "/" };
            *old = format!("IDL:{prefix}{slash}{name}:{version}");
        };
        let is_set = |target: Target| self.ids.is_whole(target);
        let own = !is_set(Target::Decl(id));
        let outer = path.rsplit_once('/').map_or(String::new(), |(outer, _)| format!("{outer}/"));
        let declaration = &mut self.model.declarations[id.index()];
        if own {
            renew(&mut declaration.repository_id, &path);
        }
        let exports = match &mut declaration.kind {
            DeclKind::Enum(body) => {
                for (index, enumerator) in body.enumerators.iter_mut().enumerate() {
                    if !is_set(Target::Enumerator(id, index as u32)) {
                        let name = format!("{outer}{}", enumerator.name);
                        renew(&mut enumerator.repository_id, &name);
                    }
                }
                return;
            }
            DeclKind::Interface(interface) => &mut interface.exports,
            DeclKind::Value(value) => &mut value.exports,
            _ => return,
        };
        for (index, export) in exports.iter_mut().enumerate() {
            let (name, repository_id) = match export {
                Export::Operation(operation) => (&operation.name, &mut operation.repository_id),
                Export::Attribute(attribute) => (&attribute.name, &mut attribute.repository_id),
            };
            if !is_set(Target::Export(id, index)) {
                renew(repository_id, &format!("{path}/{name}"));
            }
        }
    }

    /// `import` refers to an interface repository. Here all declarations come from sources.
    pub(super) fn import(&mut self, name: &ScopedName) {
        if self.resolve(name).is_some() {
            let message = "`import` has no effect: names come from the sources";
            let warning = Diagnostic::warning(Code::ImportIgnored, name.span(), message);
            self.session.report(warning.help("include the file that declares it"));
        }
    }
}
