//! Forward declarations: one is not in the model until something refers to it.

use super::component::suffixed;
use super::scope::{Entry, ScopeId, Target, key};
use super::{Checker, DeclKind, Prefix};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    Component, DeclId, Declaration, Flavour, Interface, Primitive, Role, Struct, Type, Union,
    Value, ValueModifier,
};
use crate::parse::ast::{ForwardKind, Name};
use crate::source::Span;

pub(super) struct Forward {
    kind: ForwardKind,
    name: Name,
    scope: ScopeId,
    repository_id: String,
    /// The prefix in force at the declaration.
    prefix: Prefix,
    /// The declaration, if it is defined or something refers to it.
    decl: Option<DeclId>,
    /// The span of the first reference to it in a compiled file, or else in an included one.
    reference: Option<Span>,
    defined: bool,
}

impl Forward {
    /// The scope of the declaration.
    pub(super) fn scope(&self) -> ScopeId {
        self.scope
    }

    /// Changes the prefix. Returns the declaration if it is in the model and is not defined.
    pub(super) fn set_prefix(&mut self, prefix: Prefix) -> Option<DeclId> {
        self.repository_id = prefix.id(&self.name.text);
        self.prefix = prefix;
        self.decl.filter(|_| !self.defined)
    }
}

impl Checker<'_, '_> {
    pub(super) fn forward(&mut self, kind: ForwardKind, name: &Name) {
        if let ForwardKind::Event(_) = kind {
            let consumer = ForwardKind::Interface(Flavour::Unconstrained);
            self.forward(consumer, &suffixed(name, "Consumer"));
        }
        let known = self.scope().names.get(&key(&name.text)).filter(|e| e.name.text == name.text);
        let known = known.and_then(|entry| match entry.target {
            Target::Forward(index) => Some((self.forwards[index].kind, entry.name.span)),
            Target::Decl(id) => Some((kind_of(&self.model.get(id).kind)?, entry.name.span)),
            _ => None,
        });
        if let Some((known, first)) = known.filter(|(known, _)| known.is_like(kind)) {
            self.check_alike(name, known, kind, first);
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

    /// Resolves a reference at `span` to the forward declaration `index`.
    pub(super) fn refer_to(&mut self, index: usize, span: Span) -> DeclId {
        let id = self.materialize(index);
        self.note_reference(index, span);
        id
    }

    /// Records a reference to `id`, for the case that it is never defined.
    pub(super) fn record_reference(&mut self, id: DeclId, span: Span) {
        if let Some(Some(index)) = self.incomplete.get(&id) {
            self.note_reference(*index, span);
        }
    }

    /// Keeps the first reference, and rather one in a compiled file.
    fn note_reference(&mut self, index: usize, span: Span) {
        let is_main = |span: Span| self.session.sources().is_main(span.file);
        let known = self.forwards[index].reference;
        if known.is_none_or(|known| !is_main(known) && is_main(span)) {
            self.forwards[index].reference = Some(span);
        }
    }

    /// Adds a forward declaration to the model.
    fn materialize(&mut self, index: usize) -> DeclId {
        let forward = &mut self.forwards[index];
        let id = self.model.next_id();
        forward.decl = Some(id);
        let kind = match forward.kind {
            ForwardKind::Interface(flavour) => {
                DeclKind::Interface(Interface { flavour, ..Interface::default() })
            }
            ForwardKind::Component => {
                let role = Role::Component(Component::default());
                DeclKind::Interface(Interface { role, ..Interface::default() })
            }
            ForwardKind::Value(is_abstract) | ForwardKind::Event(is_abstract) => {
                let modifier =
                    if is_abstract { ValueModifier::Abstract } else { ValueModifier::None };
                let event = matches!(forward.kind, ForwardKind::Event(_));
                DeclKind::Value(Value { modifier, event, ..Value::default() })
            }
            ForwardKind::Struct => DeclKind::Struct(Struct::default()),
            ForwardKind::Union => DeclKind::Union(empty_union()),
        };
        self.model.declarations.push(Declaration {
            name: forward.name.text.clone(),
            scope: self.scopes[forward.scope.0].decl,
            repository_id: forward.repository_id.clone(),
            span: forward.name.span,
            docs: Vec::new(),
            included: !self.session.sources().is_main(forward.name.span.file),
            kind,
        });
        let (scope, name) = (forward.scope, forward.name.clone());
        self.incomplete.insert(id, Some(index));
        let entry = Entry { name: name.clone(), target: Target::Decl(id) };
        self.scopes[scope.0].names.insert(key(&name.text), entry);
        id
    }

    /// Defines an interface, a struct, a union or a valuetype, which may have been declared
    /// forward.
    pub(super) fn define(&mut self, name: &Name, docs: &[String], kind: DeclKind) -> DeclId {
        let entry = self.scope().names.get(&key(&name.text)).filter(|e| e.name.text == name.text);
        let index = match entry.map(|entry| entry.target) {
            Some(Target::Forward(index)) => Some(index),
            Some(Target::Decl(id)) => self.incomplete.get(&id).copied().flatten(),
            _ => None,
        };
        let new = kind_of(&kind);
        let index =
            index.filter(|&index| new.is_some_and(|new| self.forwards[index].kind.is_like(new)));
        let (Some(index), Some(new)) = (index, new) else { return self.add(name, docs, kind) };
        let (known, first) = (self.forwards[index].kind, self.forwards[index].name.span);
        self.check_alike(name, known, new, first);
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
            self.session.report(error.secondary(self.forwards[index].name.span, "declared here"));
        }
        let included = !self.session.sources().is_main(name.span.file);
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

    /// Reports a declaration that contradicts an earlier one of the same name.
    fn check_alike(&mut self, name: &Name, known: ForwardKind, new: ForwardKind, first: Span) {
        let is_built_in = |span: Span| self.session.sources().is_built_in(span.file);
        if known != new && !is_built_in(name.span) && !is_built_in(first) {
            let (known, new) = (known.describe(), new.describe());
            let message = format!("`{}` is {new} here and was declared as {known}", name.text);
            let error = Diagnostic::error(Code::ForwardMismatch, name.span, message);
            self.session.report(error.secondary(first, "declared here"));
        }
    }

    /// Reports declarations without a definition: an error for a struct or a union, a warning for
    /// an interface or a valuetype, to which there can be references.
    pub(super) fn check_forwards(&mut self) {
        for forward in &self.forwards {
            let must_be_defined = matches!(forward.kind, ForwardKind::Struct | ForwardKind::Union);
            let unused = forward.reference.is_none() && !must_be_defined;
            if forward.defined || unused {
                continue;
            }
            let what = forward.kind.describe();
            let what = what.split_once(' ').map_or(what, |(_, what)| what);
            let message = format!("the {what} `{}` is never defined", forward.name.text);
            let span = forward.reference.unwrap_or(forward.name.span);
            let mut found = if must_be_defined {
                Diagnostic::error(Code::NeverDefined, span, message)
            } else {
                Diagnostic::warning(Code::ForwardOnly, span, message)
            };
            if forward.reference.is_some() {
                found = found.secondary(forward.name.span, "declared here");
            }
            let help = "define it, or include the file that does";
            // Whoever compiles a file need not define what only an included one refers to.
            if must_be_defined || self.session.sources().is_main(span.file) {
                self.session.report(found.help(help));
            }
            let Some(id) = forward.decl else { continue };
            let scope = &mut self.scopes[forward.scope.0];
            scope.members.push(id);
            if let Some(decl) = scope.decl
                && let DeclKind::Module(members) = &mut self.model.declarations[decl.index()].kind
            {
                members.push(id);
            }
        }
    }
}

impl ForwardKind {
    /// Whether both are interfaces, or both valuetypes, or the same.
    fn is_like(self, other: ForwardKind) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    fn describe(self) -> &'static str {
        match self {
            ForwardKind::Interface(Flavour::Unconstrained) => "an interface",
            ForwardKind::Interface(Flavour::Local) => "a local interface",
            ForwardKind::Interface(Flavour::Abstract) => "an abstract interface",
            ForwardKind::Struct => "a struct",
            ForwardKind::Union => "a union",
            ForwardKind::Value(false) => "a valuetype",
            ForwardKind::Value(true) => "an abstract valuetype",
            ForwardKind::Event(false) => "an event type",
            ForwardKind::Event(true) => "an abstract event type",
            ForwardKind::Component => "a component",
        }
    }
}

fn kind_of(kind: &DeclKind) -> Option<ForwardKind> {
    match kind {
        DeclKind::Interface(Interface { role: Role::Component(_), .. }) => {
            Some(ForwardKind::Component)
        }
        DeclKind::Interface(interface) => Some(ForwardKind::Interface(interface.flavour)),
        DeclKind::Struct(_) => Some(ForwardKind::Struct),
        DeclKind::Union(_) => Some(ForwardKind::Union),
        DeclKind::Value(value) => {
            let is_abstract = value.modifier == ValueModifier::Abstract;
            Some(if value.event {
                ForwardKind::Event(is_abstract)
            } else {
                ForwardKind::Value(is_abstract)
            })
        }
        _ => None,
    }
}

/// A union before its body is checked.
pub(super) fn empty_union() -> Union {
    let discriminator = Type::Primitive(Primitive::Boolean);
    Union { nested: Vec::new(), discriminator, cases: Vec::new() }
}
