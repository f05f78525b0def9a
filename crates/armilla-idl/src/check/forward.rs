//! Forward declarations: until something refers to one, it is not in the model.

use super::scope::{Entry, ScopeId, Target, key};
use super::{Checker, DeclKind, Prefix};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, Declaration, Interface, Primitive, Struct, Type, Union};
use crate::parse::ast::{ForwardKind, Name};
use crate::source::Span;

pub(super) struct Forward {
    kind: ForwardKind,
    name: Name,
    scope: ScopeId,
    repository_id: String,
    /// The prefix in force where it stands.
    prefix: Prefix,
    /// The declaration, if it is defined or something refers to it.
    decl: Option<DeclId>,
    /// The first place that refers to it.
    reference: Option<Span>,
    defined: bool,
}

impl Checker<'_, '_> {
    pub(super) fn forward(&mut self, kind: ForwardKind, name: &Name) {
        let known = self.scope().names.get(&key(&name.text)).filter(|e| e.name.text == name.text);
        let again = match known.map(|entry| entry.target) {
            Some(Target::Forward(index)) => self.forwards[index].kind == kind,
            Some(Target::Decl(id)) => kind_of(&self.model.get(id).kind) == Some(kind),
            _ => false,
        };
        if again {
            return;
        }
        let index = self.forwards.len();
        self.forwards.push(Forward {
            kind,
            name: name.clone(),
            scope: self.current,
            repository_id: self.repository_id(&name.text),
            prefix: self.prefix.clone(),
            decl: None,
            reference: None,
            defined: false,
        });
        self.declare(name, Target::Forward(index));
    }

    /// The declaration of the forward declaration `index`, to which `span` refers.
    pub(super) fn refer_to(&mut self, index: usize, span: Span) -> DeclId {
        let id = self.materialize(index);
        self.forwards[index].reference.get_or_insert(span);
        id
    }

    /// Remembers a place that refers to `id`, should that be declared forward only.
    pub(super) fn note_reference(&mut self, id: DeclId, span: Span) {
        if let Some(Some(index)) = self.incomplete.get(&id) {
            self.forwards[*index].reference.get_or_insert(span);
        }
    }

    /// Puts a forward declaration into the model.
    fn materialize(&mut self, index: usize) -> DeclId {
        let forward = &mut self.forwards[index];
        let id = self.model.next_id();
        forward.decl = Some(id);
        let kind = match forward.kind {
            ForwardKind::Interface => DeclKind::Interface(Interface::default()),
            ForwardKind::Struct => DeclKind::Struct(Struct::default()),
            ForwardKind::Union => DeclKind::Union(empty_union()),
        };
        self.model.declarations.push(Declaration {
            name: forward.name.text.clone(),
            scope: self.scopes[forward.scope.0].decl,
            repository_id: forward.repository_id.clone(),
            span: forward.name.span,
            docs: Vec::new(),
            included: forward.name.span.file != self.main,
            kind,
        });
        let (scope, name) = (forward.scope, forward.name.clone());
        self.incomplete.insert(id, Some(index));
        let entry = Entry { name: name.clone(), target: Target::Decl(id) };
        self.scopes[scope.0].names.insert(key(&name.text), entry);
        id
    }

    /// Declares what may have been declared forward: an interface, a struct or a union.
    pub(super) fn define(&mut self, name: &Name, docs: &[String], kind: DeclKind) -> DeclId {
        let entry = self.scope().names.get(&key(&name.text)).filter(|e| e.name.text == name.text);
        let index = match entry.map(|entry| entry.target) {
            Some(Target::Forward(index)) => Some(index),
            Some(Target::Decl(id)) => self.incomplete.get(&id).copied().flatten(),
            _ => None,
        };
        let index = index.filter(|&index| Some(self.forwards[index].kind) == kind_of(&kind));
        let Some(index) = index else { return self.add(name, docs, kind) };
        let id = match self.forwards[index].decl {
            Some(id) => id,
            None => self.materialize(index),
        };
        self.forwards[index].defined = true;
        self.incomplete.remove(&id);
        if self.forwards[index].prefix != self.prefix {
            let message =
                format!("the prefix differs from that at the declaration of `{}`", name.text);
            let error = Diagnostic::error(Code::RepositoryId, name.span, message);
            self.session.report(error.also(self.forwards[index].name.span, "declared here"));
        }
        let included = name.span.file != self.main;
        let declaration = &mut self.model.declarations[id.index()];
        *declaration = Declaration {
            span: name.span,
            docs: docs.to_vec(),
            included,
            kind,
            ..declaration.clone()
        };
        let entry = Entry { name: name.clone(), target: Target::Decl(id) };
        self.scope_mut().names.insert(key(&name.text), entry);
        self.scope_mut().members.push(id);
        id
    }

    /// Reports what was declared and never defined.
    pub(super) fn check_forwards(&mut self) {
        for forward in &self.forwards {
            let unused = forward.reference.is_none() && forward.kind == ForwardKind::Interface;
            if forward.defined || unused {
                continue;
            }
            let what = match forward.kind {
                ForwardKind::Interface => "interface",
                ForwardKind::Struct => "struct",
                ForwardKind::Union => "union",
            };
            let message = format!("the {what} `{}` is never defined", forward.name.text);
            let span = forward.reference.unwrap_or(forward.name.span);
            let mut error = Diagnostic::error(Code::NeverDefined, span, message);
            if forward.reference.is_some() {
                error = error.also(forward.name.span, "declared here");
            }
            let help = "define it, or include the file that does";
            self.session.report(error.help(help));
        }
    }
}

fn kind_of(kind: &DeclKind) -> Option<ForwardKind> {
    match kind {
        DeclKind::Interface(_) => Some(ForwardKind::Interface),
        DeclKind::Struct(_) => Some(ForwardKind::Struct),
        DeclKind::Union(_) => Some(ForwardKind::Union),
        _ => None,
    }
}

/// A union before its definition is read.
pub(super) fn empty_union() -> Union {
    let discriminator = Type::Primitive(Primitive::Boolean);
    Union { nested: Vec::new(), discriminator, cases: Vec::new() }
}
