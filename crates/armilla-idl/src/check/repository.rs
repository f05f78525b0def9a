//! Repository ids and the pragmas that set them (CORBA 3.4 Part 1, 14.7).

use super::Checker;
use super::scope::Target;
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{Pragma, PragmaName};
use crate::model::{DeclId, DeclKind, Export, Interface, Value};
use crate::parse::ast::{Name, ScopedName};
use crate::source::Span;
use std::collections::HashMap;

/// The prefix of repository ids, between `IDL:` and the name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Prefix(String);

impl Prefix {
    /// Enters the scope `name`.
    pub(super) fn enter(&mut self, name: &str) {
        self.0.push_str(name);
        self.0.push('/');
    }

    /// The repository id of `name`.
    pub(super) fn id(&self, name: &str) -> String {
        format!("IDL:{}{name}:1.0", self.0)
    }

    /// The prefix of the scope `path` under `typeprefix`.
    pub(super) fn of(prefix: &str, path: &[&str]) -> Self {
        let mut new = Prefix::default();
        new.set(prefix);
        path.iter().for_each(|name| new.enter(name));
        new
    }

    /// Applies `#pragma prefix`. Within a scope it replaces the names of the enclosing scopes too:
    /// omniORB and TAO interpret the specification in this way.
    fn set(&mut self, prefix: &str) {
        self.0 = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
    }
}

/// The prefix of a scope to which the checker will return.
#[derive(Debug)]
pub(super) struct Saved {
    /// The declaration of the scope; `None` for the outermost one.
    pub(super) scope: Option<DeclId>,
    pub(super) prefix: Prefix,
}

/// The repository ids that pragmas have set: the part and the span.
#[derive(Debug, Default)]
pub(super) struct Ids(HashMap<Target, (Span, Part)>);

/// The part of a repository id that is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    Version,
}

impl Ids {
    /// Whether the whole repository id of `target` was set, so that no prefix changes it.
    pub(super) fn is_whole(&self, target: Target) -> bool {
        self.0.get(&target).is_some_and(|(_, part)| *part == Part::Whole)
    }
}

impl Checker<'_, '_> {
    /// The prefix of the current scope.
    pub(super) fn saved_prefix(&self) -> Saved {
        Saved { scope: self.scope().decl, prefix: self.prefix.clone() }
    }

    /// The repository id of `name` in the current scope.
    pub(super) fn repository_id(&self, name: &str) -> String {
        self.prefix.id(name)
    }

    pub(super) fn pragma(&mut self, pragma: &Pragma, span: Span) {
        match pragma {
            Pragma::Prefix(prefix) => {
                if !good_prefix(prefix) {
                    let message = format!("`{prefix}` cannot begin a repository id");
                    self.session.report(Diagnostic::warning(Code::OddRepositoryId, span, message));
                }
                self.prefix.set(prefix);
            }
            Pragma::Id { name, id } => {
                if !well_formed(id) {
                    let message = format!("`{id}` is not a repository id");
                    let found = Diagnostic::warning(Code::OddRepositoryId, span, message);
                    self.session.report(found.help("a repository id is of the form `IDL:A/B:1.0`"));
                }
                self.set_id(&scoped_name(name), Part::Whole, span, |_| id.clone());
            }
            Pragma::Version { name, version } => {
                let change = |old: &str| match old.rsplit_once(':') {
                    Some((base, _)) => format!("{base}:{version}"),
                    None => old.to_owned(),
                };
                self.set_id(&scoped_name(name), Part::Version, span, change);
            }
        }
    }

    /// Sets `part` of the repository id of the declaration `scoped` to the result of `change`.
    pub(super) fn set_id(
        &mut self,
        scoped: &ScopedName,
        part: Part,
        span: Span,
        change: impl Fn(&str) -> String,
    ) {
        let known = self.session.diagnostics.iter().count();
        let Some(target) = self.resolve(scoped) else {
            let help = "write this after the declaration that it names";
            return self.session.diagnostics.help_since(known, help);
        };
        let Some(id) = self.id_mut(target) else {
            let what = self.describe(target);
            let message = format!("{what} has no repository id");
            return self.error(Code::BadPragma, scoped.span(), message);
        };
        let new = change(id);
        if *id == new {
            self.ids.0.entry(target).or_insert((span, part));
            return;
        }
        *id = new;
        if let Some((first, _)) = self.ids.0.insert(target, (span, part)) {
            let message = "the repository id is set twice";
            let error = Diagnostic::error(Code::RepositoryId, span, message);
            self.session.report(error.secondary(first, "first set here"));
        }
    }

    fn id_mut(&mut self, target: Target) -> Option<&mut String> {
        let declaration = match target {
            Target::Decl(id) | Target::Enumerator(id, _) | Target::Export(id, _) => {
                &mut self.model.declarations[id.index()]
            }
            _ => return None,
        };
        match (target, &mut declaration.kind) {
            (Target::Enumerator(_, index), DeclKind::Enum(body)) => {
                body.enumerators.get_mut(index as usize).map(|e| &mut e.repository_id)
            }
            (Target::Export(_, index), DeclKind::Interface(Interface { exports, .. }))
            | (Target::Export(_, index), DeclKind::Value(Value { exports, .. })) => {
                exports.get_mut(index).map(|export| match export {
                    Export::Operation(operation) => &mut operation.repository_id,
                    Export::Attribute(attribute) => &mut attribute.repository_id,
                })
            }
            (Target::Decl(_), _) => Some(&mut declaration.repository_id),
            _ => None,
        }
    }
}

/// The name in a pragma. The preprocessor guarantees at least one part.
fn scoped_name(name: &PragmaName) -> ScopedName {
    let mut parts = name.parts.iter().map(|(text, span)| Name { text: text.clone(), span: *span });
    let first = parts.next().unwrap_or(Name { text: String::new(), span: name.span });
    ScopedName { absolute: name.absolute, first, rest: parts.collect() }
}

/// Whether `prefix` is valid between `IDL:` and a name.
pub(super) fn good_prefix(prefix: &str) -> bool {
    !(prefix.starts_with('/') || prefix.ends_with('/') || prefix.contains([' ', ':']))
}

/// Whether an id has the form `FORMAT:…` without blanks; the format `IDL` also needs a name and a
/// version.
pub(super) fn well_formed(id: &str) -> bool {
    let Some((format, rest)) = id.split_once(':') else { return false };
    let printable = id.bytes().all(|b| b.is_ascii_graphic());
    printable && !format.is_empty() && !rest.is_empty() && (format != "IDL" || rest.contains(':'))
}
