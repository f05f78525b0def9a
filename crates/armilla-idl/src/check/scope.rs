//! Scopes and symbols (IDL 4.2, 7.5.2).

use super::Checker;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{ComDefinition, DeclId, DeclKind, Role};
use crate::parse::ast::Name;
use crate::source::Span;
use std::collections::HashMap;

/// The index of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(pub(super) usize);

impl ScopeId {
    /// The outermost scope, which all files share.
    pub(super) const FILE: ScopeId = ScopeId(0);
    /// The module `CORBA`, which has built-in names even if no source declares it.
    pub(super) const CORBA: ScopeId = ScopeId(1);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    File,
    Module,
    /// An interface or a valuetype.
    Interface,
    /// A struct, an exception or a union.
    Body,
    Operation,
}

pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    pub(super) parent: Option<ScopeId>,
    /// The name in its declaration.
    pub(super) name: Option<Name>,
    /// Its declaration; for an operation, the enclosing one.
    pub(super) decl: Option<DeclId>,
    /// Its own symbols, by [`key`].
    pub(super) names: HashMap<String, Entry>,
    /// Names of other scopes that were used in it, by [`key`]: it can no longer declare them.
    pub(super) used: HashMap<String, Name>,
    /// The scopes of the base interfaces.
    pub(super) bases: Vec<ScopeId>,
    /// The declarations in it, in the order of the source.
    pub(super) members: Vec<DeclId>,
}

impl Scope {
    pub(super) fn new(kind: ScopeKind, parent: Option<ScopeId>, name: Option<Name>) -> Self {
        Scope {
            kind,
            parent,
            name,
            decl: None,
            names: HashMap::new(),
            used: HashMap::new(),
            bases: Vec::new(),
            members: Vec::new(),
        }
    }
}

/// A symbol: a name in a scope with its target.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: Name,
    pub(super) target: Target,
}

/// The target of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Target {
    Decl(DeclId),
    /// The forward declaration with this index, which nothing has referred to.
    Forward(usize),
    Enumerator(DeclId, u32),
    /// The operation or attribute of an interface or valuetype with this index.
    Export(DeclId, usize),
    Member,
    /// A state member of a valuetype.
    State,
    /// An initializer of a valuetype.
    Initializer,
    /// The module `CORBA` before a source declares it.
    CorbaModule,
    /// A type of the module `CORBA` that is not written in IDL.
    Builtin(Builtin),
    Parameter,
    /// The port type with this index.
    PortType(usize),
    /// The template module with this index.
    Template(usize),
    /// The binding of a template parameter, by index.
    Binding(usize),
    /// An invalid declaration, which was reported. Uses of it are not reported.
    Error,
}

/// A built-in type of the module `CORBA`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Builtin {
    TypeCode,
    Principal,
}

/// The predefined scopes, in the order of their ids.
pub(super) fn initial_scopes(nowhere: Span) -> Vec<Scope> {
    let name = |text: &str| Name { text: text.to_owned(), span: nowhere };
    let add = |scope: &mut Scope, text: &str, target: Target| {
        scope.names.insert(key(text), Entry { name: name(text), target });
    };
    let mut file = Scope::new(ScopeKind::File, None, None);
    add(&mut file, "CORBA", Target::CorbaModule);
    let mut corba = Scope::new(ScopeKind::Module, Some(ScopeId::FILE), Some(name("CORBA")));
    add(&mut corba, "TypeCode", Target::Builtin(Builtin::TypeCode));
    add(&mut corba, "Principal", Target::Builtin(Builtin::Principal));
    vec![file, corba]
}

/// The key of a name: names that differ only in case collide.
pub(super) fn key(name: &str) -> String {
    name.to_ascii_lowercase()
}

impl Checker<'_, '_> {
    /// Declares `name` in the current scope, or reports a collision.
    pub(super) fn declare(&mut self, name: &Name, target: Target) {
        let key = key(&name.text);
        if self.is_included_twice(&key, name) {
            return;
        }
        if let Some(error) = self.collision(&key, name) {
            if target != Target::Error {
                self.session.report(error);
            }
            return;
        }
        self.scope_mut().names.insert(key, Entry { name: name.clone(), target });
    }

    /// Whether `name` is declared a second time because its file is included a second time.
    /// Reports that once for each file.
    fn is_included_twice(&mut self, key: &str, name: &Name) -> bool {
        let sources = self.session.sources();
        let known = self.scope().names.get(key).filter(|known| known.name.span == name.span);
        let again = sources.included_again(name.span.file);
        let (Some(_), Some(again)) = (known, again) else { return false };
        if !self.included_twice.insert(name.span.file) {
            return true;
        }
        let file = sources.path(name.span.file).display();
        let message = format!("`{file}` is included twice and declares `{}` twice", name.text);
        let error = Diagnostic::error(Code::Redeclared, again, message);
        let error = error.help(
            "begin the file with `#ifndef NAME` and `#define NAME`, and end it with `#endif`; or \
             write `#pragma once` in it",
        );
        let first = sources.included_at(name.span.file);
        let error = match first {
            Some(first) => error.secondary(first, "first included here"),
            None => error,
        };
        self.session.report(error);
        true
    }

    fn collision(&self, key: &str, name: &Name) -> Option<Diagnostic> {
        let scope = self.scope();
        let Name { text, span } = name;
        if let Some(first) = scope.names.get(key) {
            if matches!(first.target, Target::CorbaModule | Target::Builtin(_)) {
                let message = format!("`{}` is built into IDL", first.name.text);
                return Some(Diagnostic::error(Code::Redeclared, *span, message));
            }
            let message = if first.name.text == *text {
                format!("`{text}` is declared twice")
            } else {
                format!("`{text}` and `{}` differ only in case", first.name.text)
            };
            let error = Diagnostic::error(Code::Redeclared, *span, message);
            let error = error.secondary(first.name.span, "first declared here");
            return Some(match first.name.text == *text {
                true => error,
                false => error.note("names that differ only in case collide in IDL"),
            });
        }
        if let Some(own) = scope.name.as_ref().filter(|own| self::key(&own.text) == key)
            && scope.kind != ScopeKind::Operation
        {
            let message = format!("`{text}` is the name of the enclosing scope");
            let error = Diagnostic::error(Code::ScopeName, *span, message);
            return Some(error.secondary(own.span, "the scope is declared here"));
        }
        if let Some(used) = scope.used.get(key) {
            let message = if used.text == *text {
                format!("`{text}` is used in this scope with another meaning")
            } else {
                let used = &used.text;
                format!("`{text}` and `{used}`, which is used in this scope, differ only in case")
            };
            let error = Diagnostic::error(Code::RedeclaredAfterUse, *span, message);
            let error = error.secondary(used.span, "used here");
            return Some(match self.path_of(key) {
                Some(path) => error.help(format!("use the name as `::{path}` there")),
                None => error,
            });
        }
        self.inherited_export(key).map(|inherited| {
            let message = format!("`{text}` is inherited and cannot be declared again");
            let error = Diagnostic::error(Code::InheritedCollision, *span, message);
            error.secondary(inherited.name.span, "declared here in a base interface")
        })
    }

    /// The scoped name of the declaration `key` in an enclosing scope.
    fn path_of(&self, key: &str) -> Option<String> {
        let mut next = self.scope().parent;
        while let Some(scope) = next.map(|id| &self.scopes[id.0]) {
            if let Some(entry) = scope.names.get(key) {
                // The parameters of a template module have no scoped names.
                if scope.kind == ScopeKind::Module && scope.name.is_none() {
                    return None;
                }
                let outer = scope.decl.map(|decl| self.model.scoped_name(decl) + "::");
                return Some(outer.unwrap_or_default() + &entry.name.text);
            }
            next = scope.parent;
        }
        None
    }

    /// The kind of a target, with an article.
    pub(super) fn describe(&self, target: Target) -> &'static str {
        match target {
            Target::Decl(id) => match &self.model.get(id).kind {
                DeclKind::Module(_) => "a module",
                DeclKind::Interface(interface) => match interface.role {
                    Role::Plain => "an interface",
                    Role::Component(_) => "a component",
                    Role::Home(_) => "a home",
                },
                DeclKind::Com(_) => "an interface of COM",
                DeclKind::ComType(ComDefinition::Struct(_)) => "a struct of COM",
                DeclKind::ComType(ComDefinition::Enum(_)) => "an enum of COM",
                DeclKind::ComType(ComDefinition::Union(_)) => "a union of COM",
                DeclKind::ComType(ComDefinition::Class(_)) => "a class of COM",
                DeclKind::ComType(ComDefinition::Dispatch(_)) => "an interface of COM",
                DeclKind::ComType(ComDefinition::Alias(_)) => "a typedef of COM",
                DeclKind::Struct(_) => "a struct",
                DeclKind::Exception(_) => "an exception",
                DeclKind::Union(_) => "a union",
                DeclKind::Enum(_) => "an enum",
                DeclKind::Typedef(_) => "a typedef",
                DeclKind::Const(_) => "a constant",
                DeclKind::Value(value) if value.event => "an event type",
                DeclKind::Value(_) => "a valuetype",
                DeclKind::ValueBox(_) => "a boxed value",
                DeclKind::Native => "a native type",
                DeclKind::Bitmask(_) => "a bitmask",
                DeclKind::Bitset(_) => "a bitset",
            },
            Target::Forward(_) => "a type declared forward",
            Target::Enumerator(..) => "an enumerator",
            Target::Export(..) => "an operation or attribute",
            Target::Member => "a member",
            Target::State => "a state member",
            Target::Initializer => "an initializer",
            Target::CorbaModule => "a module",
            Target::Builtin(_) => "a built-in type",
            Target::Parameter => "a parameter",
            Target::PortType(_) => "a port type",
            Target::Template(_) => "a template module",
            Target::Binding(index) => self.describe_binding(index),
            Target::Error => "not valid",
        }
    }
}
