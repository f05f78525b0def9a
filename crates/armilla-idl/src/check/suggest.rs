//! What is said of names that are not declared, or that denote something else than is needed.

use super::Checker;
use super::scope::{ScopeId, Target};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::keyword;
use crate::lex::similar::{is_similar, nearest};
use crate::model::{DeclId, DeclKind, Declaration, Export, Flavour, Role, ValueModifier};
use crate::parse::ast::{Name, ScopedName};
use crate::parse::keyword_collision;
use crate::source::Span;

/// A name that was not found.
#[derive(Debug)]
pub(super) struct Unresolved {
    /// The number of its error.
    diagnostic: usize,
    /// The suggestion in its error.
    suggestion: Option<String>,
    name: String,
    span: Span,
    /// The scope in which it was searched.
    scope: ScopeId,
    /// Whether it was searched in that scope only, not around it.
    is_qualified: bool,
    /// The number of declarations before the use.
    known: usize,
}

impl Checker<'_, '_> {
    /// Reports that `name` is not declared: in `scope`, or in the current scope and around it.
    pub(super) fn not_found(&mut self, name: &Name, scope: Option<ScopeId>, whole: &ScopedName) {
        if self.session.diagnostics.error_count() >= crate::diagnostics::MAX_ERRORS {
            return self.error(Code::NotDeclared, name.span, "a name is not declared");
        }
        let text = &name.text;
        let escaped = self.session.sources().snippet(name.span).starts_with('_');
        if let Some(keyword) = keyword::reserved(text).filter(|_| !escaped) {
            let error = keyword_collision(text, keyword, name.span);
            return self.session.report(error);
        }
        let within = scope.and_then(|scope| self.scopes[scope.0].decl);
        let place = match (within, scope) {
            (Some(id), _) => format!(" in `{}`", self.model.scoped_name(id)),
            (None, Some(ScopeId::CORBA)) => " in `CORBA`".to_owned(),
            _ => String::new(),
        };
        let message = format!("`{text}` is not declared{place}");
        let mut error = Diagnostic::error(Code::NotDeclared, name.span, message);
        let of_corba = whole.first.text == "CORBA" && scope == Some(ScopeId::CORBA);
        if of_corba && keyword::is_system_exception(text) {
            error = error.help("every operation may raise system exceptions; IDL lists none");
        } else if of_corba {
            error = error.help("the names of `CORBA` come with `#include <orb.idl>`");
        } else if let Some(suggestion) = self.suggestion(text, scope) {
            error = error.help(suggestion);
        }
        if self.session.keeps(name.span.file) {
            return self.session.report(error);
        }
        self.unresolved.push(Unresolved {
            diagnostic: self.session.diagnostics.iter().count(),
            suggestion: error.help.clone(),
            name: text.clone(),
            span: name.span,
            scope: scope.unwrap_or(self.current),
            is_qualified: scope.is_some(),
            known: self.model.declarations.len(),
        });
        self.session.report(error);
    }

    /// A suggestion: the same name in another scope, or a similar one here.
    fn suggestion(&self, name: &str, scope: Option<ScopeId>) -> Option<String> {
        if ["TypeCode", "Principal"].contains(&name) {
            return Some(format!("write `CORBA::{name}`"));
        }
        let elsewhere = self.model.iter().find(|(_, declaration)| declaration.name == name);
        if let Some((id, _)) = elsewhere {
            return Some(format!("there is `::{}`", self.model.scoped_name(id)));
        }
        if let Some(idl) = keyword::of_foreign_type(name) {
            return Some(format!("in IDL, write `{idl}`"));
        }
        let mut others = self.model.iter().map(|(id, declaration)| (id, &declaration.name));
        if let Some((id, _)) = others.find(|(_, other)| other.eq_ignore_ascii_case(name)) {
            return Some(format!("there is `::{}`: case matters", self.model.scoped_name(id)));
        }
        let mut next = scope.or(Some(self.current));
        while let Some(current) = next.map(|id| &self.scopes[id.0]) {
            let mut names: Vec<&str> =
                current.names.values().map(|entry| entry.name.text.as_str()).collect();
            names.sort_unstable();
            let similar = names.into_iter().find(|other| is_similar(name, other));
            if let Some(similar) = similar {
                return Some(format!("there is `{similar}`"));
            }
            next = if scope.is_some() { None } else { current.parent };
        }
        let meant = nearest(name, keyword::TYPES).filter(|_| scope.is_none())?;
        Some(format!("did you mean `{meant}`?"))
    }

    /// Adds to the errors about names that are not declared where these are declared later.
    pub(super) fn explain_unresolved(&mut self) {
        for unresolved in std::mem::take(&mut self.unresolved) {
            let later = self.model.iter().skip(unresolved.known);
            let mut later = later.filter(|(_, other)| other.name == unresolved.name);
            let Some(first) = later.next() else { continue };
            let visible = std::iter::once(first)
                .chain(later)
                .find(|(_, declaration)| self.would_see(&unresolved, declaration));
            let (id, _) = visible.unwrap_or(first);
            self.explain_later(&unresolved, id, visible.is_some());
        }
    }

    /// Whether a use behind `declaration` would find it.
    fn would_see(&self, unresolved: &Unresolved, declaration: &Declaration) -> bool {
        let scope = self.scopes[unresolved.scope.0].decl;
        if unresolved.is_qualified || declaration.scope == scope {
            return declaration.scope == scope;
        }
        declaration.scope.is_none_or(|outer| scope.is_some_and(|scope| self.encloses(outer, scope)))
    }

    /// Adds to the error that `id` is declared later; if it is not visible, only how it is called.
    fn explain_later(&mut self, unresolved: &Unresolved, id: DeclId, is_visible: bool) {
        let declaration = self.model.get(id);
        let (name, span) = (&declaration.name, declaration.span);
        let is_within = span.file == unresolved.span.file && span.start < unresolved.span.start;
        let (message, help) = match &declaration.kind {
            _ if !is_visible => {
                (None, Some(format!("`::{}` is declared later", self.model.scoped_name(id))))
            }
            _ if is_within => (Some(format!("`{name}` is used in its own declaration")), None),
            kind => {
                let forward = forward_declaration(kind, name);
                let help = format!("move this behind the declaration of `{name}`{forward}");
                (Some(format!("`{name}` is used before it is declared")), Some(help))
            }
        };
        let Some(error) = self.session.diagnostics.get_mut(unresolved.diagnostic) else { return };
        if error.code != Code::NotDeclared {
            return;
        }
        if let Some(message) = message {
            error.message = message;
            error.add_secondary(span, "declared here");
        }
        // The fix of a directive, which is to stand behind the declaration, stays.
        if error.help == unresolved.suggestion {
            error.help = help;
        }
    }

    /// Reports that `name` denotes `target`, and not `wanted`.
    pub(super) fn wrong_kind(
        &mut self,
        code: Code,
        name: &ScopedName,
        target: Target,
        wanted: &str,
    ) {
        let last = name.rest.last().unwrap_or(&name.first);
        let message = format!("`{}` is {}, not {wanted}", last.text, self.describe(target));
        let error = Diagnostic::error(code, name.span(), message);
        self.session.report(match self.place(target) {
            Some(place) => error.secondary(place, "declared here"),
            None => error,
        });
    }

    /// The name in the declaration of `target`.
    fn place(&self, target: Target) -> Option<Span> {
        match target {
            Target::Decl(id) => Some(self.model.get(id).span),
            Target::Enumerator(id, index) => match &self.model.get(id).kind {
                DeclKind::Enum(body) => body.enumerators.get(index as usize).map(|e| e.span),
                _ => None,
            },
            Target::Export(id, index) => {
                let exports = match &self.model.get(id).kind {
                    DeclKind::Interface(interface) => &interface.exports,
                    DeclKind::Value(value) => &value.exports,
                    _ => return None,
                };
                Some(match exports.get(index)? {
                    Export::Operation(operation) => operation.span,
                    Export::Attribute(attribute) => attribute.span,
                })
            }
            _ => None,
        }
    }
}

/// The end of a help text: the forward declaration of `name` that some uses need only.
fn forward_declaration(kind: &DeclKind, name: &str) -> String {
    let (uses, words) = match kind {
        DeclKind::Interface(interface) => match (&interface.role, interface.flavour) {
            (Role::Component(_), _) => ("references", "component"),
            (Role::Home(_), _) => return String::new(),
            (_, Flavour::Unconstrained) => ("references", "interface"),
            (_, Flavour::Local) => ("references", "local interface"),
            (_, Flavour::Abstract) => ("references", "abstract interface"),
        },
        DeclKind::Value(value) => match (value.modifier, value.event) {
            (ValueModifier::Abstract, false) => ("members", "abstract valuetype"),
            (ValueModifier::Abstract, true) => ("members", "abstract eventtype"),
            (_, false) => ("members", "valuetype"),
            (_, true) => ("members", "eventtype"),
        },
        _ => return String::new(),
    };
    format!("; for {uses} `{words} {name};` before this is enough")
}
