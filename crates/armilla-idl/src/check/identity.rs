//! `typeid`, `typeprefix` and `import` (CORBA 3.4 Part 1, 7.6 and 14.7.5).

use super::Checker;
use super::repository::{self, Part, Prefix};
use super::scope::{self, Target};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Export};
use crate::parse::ast::{Definition, DefinitionKind, Item, Name, ScopedName};
use crate::source::Span;

/// How many items behind a `typeprefix` may open its module.
const FOLLOWING: usize = 64;

/// The prefix that a `typeprefix` gives to a scope.
#[derive(Debug)]
pub(super) struct TypePrefix {
    prefix: String,
    /// The prefix of what is declared in the scope.
    pub(super) inside: Prefix,
    span: Span,
    /// The opening of the module that was the last one then.
    opening: u32,
}

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
        self.prefix_of_declaration(id, prefix, span);
    }

    /// Applies `prefix` to the module that is open.
    pub(super) fn module_prefix(&mut self, prefix: &str, span: Span) {
        if !repository::good_prefix(prefix) {
            let message = format!("`{prefix}` cannot begin a repository id");
            return self.error(Code::BadPragma, span, message);
        }
        match self.scope().decl {
            Some(id) => self.prefix_of_declaration(id, prefix, span),
            None => {
                let message = "outside of modules a `typeprefix` needs a name";
                self.error(Code::BadPragma, span, message.to_owned());
            }
        }
    }

    fn prefix_of_declaration(&mut self, id: DeclId, prefix: &str, span: Span) {
        if !self.replaces_prefix(id, prefix, span) {
            return;
        }
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            self.prepend(id, prefix);
            // A declaration with a prefix of its own keeps it.
            let within = self.declared_in(id).into_iter();
            pending.extend(within.filter(|id| !self.type_prefixes.contains_key(id)));
        }
        self.prepend_forwards(id, prefix);
        self.prepend_open_scopes(id, prefix);
        let known = TypePrefix {
            prefix: prefix.to_owned(),
            inside: Prefix::of(prefix, &self.model.path(id)),
            span,
            opening: self.opening(id),
        };
        self.type_prefixes.insert(id, known);
    }

    /// Whether `item` is a `typeprefix` for a module that one of the `following` items opens for the
    /// first time, as JacORB's `orb.idl` has it. If so, it is kept until then, with a warning.
    pub(super) fn is_early_prefix(&mut self, item: &Definition, following: &[Item]) -> bool {
        let DefinitionKind::TypePrefix { name, prefix, prefix_span } = &item.kind else {
            return false;
        };
        let key = scope::key(&name.first.text);
        let known = self.scope().names.get(&key).map(|entry| entry.target);
        let is_new = matches!(known, None | Some(Target::CorbaModule));
        let opens = |item: &Item| {
            let Item::Definition(definition) = item else { return false };
            let DefinitionKind::Module { name: module, .. } = &definition.kind else {
                return false;
            };
            module.text == name.first.text
        };
        let early = is_new
            && name.rest.is_empty()
            && repository::good_prefix(prefix)
            && following.iter().take(FOLLOWING).any(opens);
        if early {
            let module = &name.first.text;
            let message = format!("the module `{module}` is not open yet");
            let warning = Diagnostic::warning(Code::LooseTypePrefix, name.span(), message);
            self.session.report(warning.help("put the `typeprefix` into the module, or behind it"));
            let early = (prefix.clone(), *prefix_span);
            self.early_prefixes.insert((self.current, key), early);
        }
        early
    }

    /// Gives the new module `id` the prefix that was declared before it, if there is one.
    pub(super) fn claim_early_prefix(&mut self, id: DeclId, name: &Name) {
        let key = (self.current, scope::key(&name.text));
        if let Some((prefix, span)) = self.early_prefixes.remove(&key) {
            self.prefix_of_declaration(id, &prefix, span);
        }
    }

    /// Whether `prefix` becomes the prefix of `id`. TAO's files repeat a prefix in each opening of
    /// a module. If two differ, TAO keeps the first one of an opening, and the one of a later
    /// opening is for the whole module.
    fn replaces_prefix(&mut self, id: DeclId, prefix: &str, span: Span) -> bool {
        let Some(known) = self.type_prefixes.get(&id).filter(|known| known.prefix != prefix) else {
            return !self.type_prefixes.contains_key(&id);
        };
        let replaces = known.opening != self.opening(id);
        let name = self.model.scoped_name(id);
        let consequence = match replaces {
            true => {
                format!("this prefix is used for all of `{name}`, and `{}` no more", known.prefix)
            }
            false => "the first one stays, and this one has no effect".to_owned(),
        };
        let message = format!("`{name}` has two prefixes");
        let warning = Diagnostic::warning(Code::TwoPrefixes, span, message);
        let warning = warning.secondary(known.span, "the first one is here").note(consequence);
        self.session.report(warning.help("keep one of the two"));
        replaces
    }

    /// How often the module `id` was reopened.
    fn opening(&self, id: DeclId) -> u32 {
        self.openings.get(&id).copied().unwrap_or_default()
    }

    /// The prefix within `scope` if `prefix` is that of `outer`. `None` if `scope` is not within
    /// `outer`, or if it or a scope between them has a prefix of its own.
    fn prefix_within(&self, outer: DeclId, prefix: &str, scope: Option<DeclId>) -> Option<Prefix> {
        let scope = scope?;
        let mut next = scope;
        while next != outer {
            if self.type_prefixes.contains_key(&next) {
                return None;
            }
            next = self.model.get(next).scope?;
        }
        Some(Prefix::of(prefix, &self.model.path(scope)))
    }

    /// Changes the prefix of each scope within `id` that is open, the current one included.
    fn prepend_open_scopes(&mut self, id: DeclId, prefix: &str) {
        let mut enclosing = std::mem::take(&mut self.enclosing_prefixes);
        let mut including = std::mem::take(&mut self.including_prefixes);
        for saved in enclosing.iter_mut().chain(&mut including) {
            if let Some(new) = self.prefix_within(id, prefix, saved.scope) {
                saved.prefix = new;
            }
        }
        (self.enclosing_prefixes, self.including_prefixes) = (enclosing, including);
        if let Some(new) = self.prefix_within(id, prefix, self.scope().decl) {
            self.prefix = new;
        }
    }

    /// Changes the prefix of each forward declaration within `id` that is not defined yet.
    fn prepend_forwards(&mut self, id: DeclId, prefix: &str) {
        for index in 0..self.forwards.len() {
            let scope = self.scopes[self.forwards[index].scope().0].decl;
            let Some(inside) = self.prefix_within(id, prefix, scope) else { continue };
            if let Some(decl) = self.forwards[index].set_prefix(inside) {
                self.prepend(decl, prefix);
            }
        }
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
