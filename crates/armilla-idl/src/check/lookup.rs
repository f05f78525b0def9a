//! Name resolution (IDL 4.2, 7.5.1 to 7.5.3).

use super::Checker;
use super::scope::{Entry, ScopeId, ScopeKind, Target, key};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclKind, Primitive};
use crate::parse::ast::{Name, ScopedName};
use std::collections::HashSet;

/// Type names of IDL 4. Older IDL may declare types of these names.
const IDL4_TYPES: &[(&str, Primitive)] = &[
    ("int8", Primitive::Int8),
    ("int16", Primitive::Short),
    ("int32", Primitive::Long),
    ("int64", Primitive::LongLong),
    ("uint8", Primitive::UInt8),
    ("uint16", Primitive::UShort),
    ("uint32", Primitive::ULong),
    ("uint64", Primitive::ULongLong),
];

/// The result of a search in one scope.
enum Found {
    Nothing,
    One(Entry),
    /// Inherited from two bases with different meanings.
    Ambiguous(Entry, Entry),
}

impl Checker<'_, '_> {
    /// Resolves `name`. `None` if an error was reported, now or before.
    pub(super) fn resolve(&mut self, name: &ScopedName) -> Option<Target> {
        let mut target = if name.absolute {
            self.resolve_in(ScopeId::FILE, &name.first, name)?
        } else {
            self.resolve_outwards(&name.first, name)?
        };
        for (index, part) in name.rest.iter().enumerate() {
            let scope = match target {
                Target::Decl(id) => self.scope_of.get(&id).copied(),
                Target::CorbaModule => Some(ScopeId::CORBA),
                _ => None,
            };
            let Some(scope) = scope else {
                let before = index.checked_sub(1).map_or(&name.first, |i| &name.rest[i]);
                self.report_no_scope(target, before, part);
                return None;
            };
            target = self.resolve_in(scope, part, name)?;
        }
        Some(target)
    }

    /// Reports that `before`, which denotes `target`, is not a scope in which `part` can be found.
    fn report_no_scope(&mut self, target: Target, before: &Name, part: &Name) {
        let kind = match target {
            Target::Decl(id) => Some(&self.model.get(id).kind),
            _ => None,
        };
        let what = match target {
            Target::Decl(id) if matches!(self.incomplete.get(&id), Some(Some(_))) => {
                "not defined yet"
            }
            target => self.describe(target),
        };
        let message = format!("`{}` is {what} and has no names in it", before.text);
        let mut error = Diagnostic::error(Code::WrongKind, before.span, message);
        if let Some(DeclKind::Enum(_)) = kind {
            let help = format!("an enumerator is in the scope of its enum: write `{}`", part.text);
            error = error.help(help);
        }
        if let Target::Template(_) = target {
            let name = &before.text;
            let help = format!("make a module of it, `module {name}<…> Name;`, and name that");
            error = error.help(help);
        }
        self.session.report(error);
    }

    /// Searches the current scope and then the enclosing ones.
    fn resolve_outwards(&mut self, name: &Name, whole: &ScopedName) -> Option<Target> {
        let key = key(&name.text);
        let mut next = Some(self.current);
        while let Some(scope) = next {
            let found = self.search(scope, &key);
            if !matches!(found, Found::Nothing) {
                let inherited = !self.scopes[scope.0].names.contains_key(&key);
                self.record_use(scope, inherited, name);
                let found = self.look_behind(scope, found, name);
                return self.accept(found, name);
            }
            next = self.scopes[scope.0].parent;
        }
        self.not_found(name, None, whole);
        None
    }

    /// What `found` in `scope` hides, and an error about that, if it is a member, a parameter or
    /// the like and a scope further out declares exactly `name`. Otherwise `found`.
    fn look_behind(&mut self, scope: ScopeId, found: Found, name: &Name) -> Found {
        let hiding = match &found {
            Found::One(entry) if self.is_no_declaration(entry.target) => entry.clone(),
            _ => return found,
        };
        let mut next = self.scopes[scope.0].parent;
        while let Some(outer) = next {
            if let Found::One(hidden) = self.search(outer, &key(&name.text))
                && hidden.name.text == name.text
                && matches!(hidden.target, Target::Decl(_) | Target::Forward(_))
            {
                self.report_hidden(name, &hidden, &hiding);
                return Found::One(hidden);
            }
            next = self.scopes[outer.0].parent;
        }
        found
    }

    /// Whether `target` belongs to a declaration, as members and parameters do.
    fn is_no_declaration(&self, target: Target) -> bool {
        use Target::{Export, Initializer, Member, Parameter, State};
        matches!(target, Member | State | Parameter | Initializer | Export(..))
    }

    fn report_hidden(&mut self, name: &Name, hidden: &Entry, hiding: &Entry) {
        let what = self.describe(hiding.target);
        let what = what.strip_prefix("an ").or(what.strip_prefix("a ")).unwrap_or(what);
        let message = format!("the {what} `{}` hides `{}`", hiding.name.text, name.text);
        let path = match hidden.target {
            Target::Decl(id) => self.model.scoped_name(id),
            _ => name.text.clone(),
        };
        let mut error = Diagnostic::error(Code::WrongKind, name.span, message);
        error = error.secondary(hiding.name.span, "declared here");
        if hiding.name.text != name.text {
            error = error.note("names that differ only in case are one name in IDL");
        }
        self.session.report(error.help(format!("write `::{path}`, or rename the {what}")));
    }

    fn resolve_in(&mut self, scope: ScopeId, name: &Name, whole: &ScopedName) -> Option<Target> {
        match self.search(scope, &key(&name.text)) {
            Found::Nothing if scope == ScopeId::CORBA && name.text == "AbstractBase" => {
                Some(self.abstract_base(name.span))
            }
            Found::Nothing => {
                self.not_found(name, Some(scope), whole);
                None
            }
            found => self.accept(found, name),
        }
    }

    /// Searches one scope and, if that is an interface, its bases; the declarations of an interface
    /// hide inherited ones.
    fn search(&self, scope: ScopeId, key: &str) -> Found {
        if let Some(entry) = self.scopes[scope.0].names.get(key) {
            return Found::One(entry.clone());
        }
        let mut found: Option<Entry> = None;
        let mut visited = HashSet::new();
        let mut pending = self.scopes[scope.0].bases.clone();
        while let Some(base) = pending.pop() {
            if !visited.insert(base) {
                continue;
            }
            match (self.scopes[base.0].names.get(key), found.take()) {
                (Some(entry), None) => found = Some(entry.clone()),
                (Some(entry), Some(other)) => return Found::Ambiguous(other, entry.clone()),
                (None, other) => {
                    found = other;
                    pending.extend(&self.scopes[base.0].bases);
                }
            }
        }
        found.map_or(Found::Nothing, Found::One)
    }

    fn accept(&mut self, found: Found, name: &Name) -> Option<Target> {
        let entry = match found {
            Found::Nothing => return None,
            Found::One(entry) => entry,
            Found::Ambiguous(one, other) => {
                let message = format!("`{}` is inherited with two meanings", name.text);
                let error = Diagnostic::error(Code::Ambiguous, name.span, message);
                let error = error.secondary(one.name.span, "declared here");
                let error = error.secondary(other.name.span, "and declared here");
                self.session.report(error.help("name the interface that is meant, as in `A::B`"));
                return None;
            }
        };
        // MIDL tells names apart by case, and a tag is often its type in other letters.
        if entry.name.text != name.text && !self.session.midl.contains(&name.span.file) {
            let message = format!("`{}` is declared as `{}`", name.text, entry.name.text);
            let error = Diagnostic::error(Code::WrongCase, name.span, message);
            let error = error.secondary(entry.name.span, "declared here");
            self.session.report(error.help(format!("write `{}`", entry.name.text)));
        }
        match entry.target {
            Target::Error => None,
            Target::Forward(index) => Some(Target::Decl(self.refer_to(index, name.span))),
            Target::Decl(id) => {
                self.record_reference(id, name.span);
                Some(entry.target)
            }
            target => Some(target),
        }
    }

    /// Records that `name` of `scope` was used in the current scope and in the enclosing scopes up
    /// to `scope` that are not modules. A name in `raises` is recorded in the scope of the
    /// operation only.
    fn record_use(&mut self, scope: ScopeId, inherited: bool, name: &Name) {
        let mut next = Some(self.current);
        while let Some(id) = next {
            if id == scope && !inherited {
                return;
            }
            let is_operation = self.scopes[id.0].kind == ScopeKind::Operation;
            let current = &mut self.scopes[id.0];
            let is_module = matches!(current.kind, ScopeKind::File | ScopeKind::Module);
            if id == self.current || !is_module {
                current.used.entry(key(&name.text)).or_insert_with(|| name.clone());
            }
            if id == scope || is_operation && self.in_raises {
                return;
            }
            next = current.parent;
        }
    }

    /// The type of IDL 4 that `name` denotes, unless that name is declared.
    pub(super) fn idl4_type(&self, name: &ScopedName) -> Option<Primitive> {
        if name.absolute || !name.rest.is_empty() {
            return None;
        }
        let (_, primitive) = IDL4_TYPES.iter().find(|(text, _)| *text == name.first.text)?;
        let key = key(&name.first.text);
        let mut scopes = std::iter::successors(Some(self.current), |id| self.scopes[id.0].parent);
        let declared = scopes.any(|scope| !matches!(self.search(scope, &key), Found::Nothing));
        (!declared).then_some(*primitive)
    }

    /// The operation, attribute or member `key` that the current scope inherits.
    pub(super) fn inherited_export(&self, key: &str) -> Option<&Entry> {
        let ancestors = self.ancestors(&self.scope().bases);
        let mut entries = ancestors.iter().filter_map(|id| self.scopes[id.0].names.get(key));
        entries.find(|entry| {
            matches!(entry.target, Target::Export(..) | Target::State | Target::Member)
        })
    }

    /// `bases` and all their bases, each once.
    pub(super) fn ancestors(&self, bases: &[ScopeId]) -> Vec<ScopeId> {
        let mut seen = HashSet::new();
        let mut ancestors = Vec::new();
        let mut pending: Vec<ScopeId> = bases.iter().rev().copied().collect();
        while let Some(base) = pending.pop() {
            if seen.insert(base) {
                ancestors.push(base);
                pending.extend(self.scopes[base.0].bases.iter().rev());
            }
        }
        ancestors
    }
}
