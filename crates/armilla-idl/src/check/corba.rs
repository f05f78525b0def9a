//! The module `CORBA`: the names that every compiler knows, and the declarations of the built-in
//! `orb.idl` that other files repeat.
//!
//! TAO declares the names of that file in many small ones (`tao/StringSeq.pidl` and others), which
//! a source may include beside `<orb.idl>`. The first declaration of a name stays, and its
//! repetition is skipped. It must be of the same kind, unless the built-in file repeats it.

use super::scope::{Entry, ScopeId, Target, key};
use super::{Checker, Prefix};
use crate::model::{DeclId, DeclKind, Declaration};
use crate::parse::ast::{DefinitionKind, ForwardKind, Name};
use crate::source::Span;

impl Checker<'_, '_> {
    /// Whether `definition` repeats a declaration of the module `CORBA` and is to be skipped.
    pub(super) fn repeats_corba(&self, definition: &DefinitionKind) -> bool {
        let (name, kind) = match definition {
            DefinitionKind::Interface { name, .. } => {
                return !self.is_predefined(name) && self.repeats(name, "an interface");
            }
            DefinitionKind::Forward { kind: ForwardKind::Interface(_), name } => {
                (name, "an interface")
            }
            DefinitionKind::Forward { kind: ForwardKind::Value(_), name } => (name, "a valuetype"),
            DefinitionKind::Native { name } => (name, "a native type"),
            DefinitionKind::Value(value) => (&value.name, "a valuetype"),
            DefinitionKind::ValueBox { name, .. } => (name, "a boxed value"),
            DefinitionKind::Struct(body) => (&body.name, "a struct"),
            DefinitionKind::Exception(body) => (&body.name, "an exception"),
            DefinitionKind::Union(union) => (&union.name, "a union"),
            DefinitionKind::Enum(body) => (&body.name, "an enum"),
            DefinitionKind::Const { name, .. } => (name, "a constant"),
            _ => return false,
        };
        self.repeats(name, kind)
    }

    /// Whether `name`, a declaration of this kind, repeats one of the module `CORBA`.
    pub(super) fn repeats(&self, name: &Name, kind: &str) -> bool {
        if self.current != ScopeId::CORBA {
            return false;
        }
        let Some(known) = self.scope().names.get(&key(&name.text)) else { return false };
        let is_built_in = |span: Span| self.session.sources().is_built_in(span.file);
        match known.target {
            Target::Forward(_) => false,
            Target::Decl(id) if self.incomplete.contains_key(&id) => false,
            // `interface TypeCode;` and `native TypeCode;` only say that there is such a type.
            Target::Builtin(_) => {
                known.name.text == name.text && ["an interface", "a native type"].contains(&kind)
            }
            _ if is_built_in(name.span) => !is_built_in(known.name.span),
            target => {
                let is_first = is_built_in(known.name.span) || self.abstract_base_is(target);
                is_first && known.name.text == name.text && self.describe(target) == kind
            }
        }
    }

    /// Whether `name` is a type of the module `CORBA` that is not written in IDL.
    fn is_predefined(&self, name: &Name) -> bool {
        let known = self.scope().names.get(&key(&name.text));
        known.is_some_and(|known| matches!(known.target, Target::Builtin(_)))
    }

    fn abstract_base_is(&self, target: Target) -> bool {
        self.abstract_base.is_some_and(|id| target == Target::Decl(id))
    }

    /// `CORBA::AbstractBase` at its first use, if no file declares it: as `native AbstractBase;` in
    /// the module `CORBA` would.
    pub(super) fn abstract_base(&mut self, use_of_it: Span) -> Target {
        let mut prefix = Prefix::of("omg.org", &[]);
        let module = self.scopes[ScopeId::CORBA.0].decl.unwrap_or_else(|| {
            let (name, kind) = ("CORBA", DeclKind::Module(Vec::new()));
            let id = self.declare_known(ScopeId::FILE, name, prefix.id(name), use_of_it, kind);
            self.scopes[ScopeId::CORBA.0].decl = Some(id);
            self.scope_of.insert(id, ScopeId::CORBA);
            id
        });
        prefix.enter("CORBA");
        let (name, kind) = ("AbstractBase", DeclKind::Native);
        let id = self.declare_known(ScopeId::CORBA, name, prefix.id(name), use_of_it, kind);
        if let DeclKind::Module(members) = &mut self.model.declarations[module.index()].kind {
            members.push(id);
        }
        self.abstract_base = Some(id);
        Target::Decl(id)
    }

    /// Adds a declaration that no file contains.
    fn declare_known(
        &mut self,
        scope: ScopeId,
        name: &str,
        repository_id: String,
        span: Span,
        kind: DeclKind,
    ) -> DeclId {
        let id = self.model.next_id();
        self.model.declarations.push(Declaration {
            name: name.to_owned(),
            scope: self.scopes[scope.0].decl,
            repository_id,
            span,
            docs: Vec::new(),
            included: true,
            kind,
        });
        let scope = &mut self.scopes[scope.0];
        scope.members.push(id);
        let known = Name { text: name.to_owned(), span };
        scope.names.insert(key(name), Entry { name: known, target: Target::Decl(id) });
        id
    }
}
