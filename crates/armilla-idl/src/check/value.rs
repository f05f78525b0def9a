//! Valuetypes and boxed values (CORBA 3.4 Part 1, 7.9).

use super::scope::{ScopeId, ScopeKind, Target};
use super::{Checker, bases};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclKind, Initializer, StateMember, Type, Value};
use crate::parse::ast::{self, Declarator, Name, TypeSpec};

impl Checker<'_, '_> {
    pub(super) fn value(&mut self, value: &ast::Value, docs: &[String]) {
        let mut bases = self.base_values(&value.bases);
        if value.event && !self.are_events(&bases) {
            bases.extend(self.component_base("EventBase", value.name.span));
        }
        self.check_value_bases(value.modifier, &bases);
        let supports = self.base_interfaces(&value.supports);
        self.check_supports(&bases, &supports);
        if let (Some(span), true) = (value.truncatable, value.bases.is_empty()) {
            self.error(Code::BadValue, span, "what is `truncatable` needs a base");
        }
        let checked = Value {
            modifier: value.modifier,
            event: value.event,
            defined: true,
            truncatable: value.truncatable.is_some(),
            bases: bases::ids(&bases),
            supports: bases::ids(&supports),
            ..Value::default()
        };
        let id = self.define(&value.name, docs, DeclKind::Value(checked));
        let scopes: Vec<ScopeId> =
            self.base_scopes(&bases).into_iter().chain(self.base_scopes(&supports)).collect();
        let fits = self.check_bases(&value.name, &scopes);
        let outer = self.enter(ScopeKind::Interface, Some(id), &value.name);
        if fits {
            self.scope_mut().bases = scopes;
        }
        self.items(&value.items);
        let nested = std::mem::take(&mut self.scope_mut().members);
        if let DeclKind::Value(value) = &mut self.model.declarations[id.index()].kind {
            value.nested = nested;
        }
        self.leave(outer);
        if value.event {
            self.consumer(id, &value.name);
        }
    }

    /// Whether one of `bases` is an event type or `Components::EventBase`.
    fn are_events(&self, bases: &[bases::Base]) -> bool {
        bases.iter().any(|(id, _)| {
            let declaration = self.model.get(*id);
            matches!(&declaration.kind, DeclKind::Value(value) if value.event)
                || self.model.scoped_name(*id) == "Components::EventBase"
        })
    }

    pub(super) fn value_box(&mut self, name: &Name, ty: &TypeSpec, docs: &[String]) {
        let boxed = self.ty(ty);
        let is_value = boxed.as_ref().is_some_and(|ty| match self.model.resolve(ty) {
            Type::ValueBase => true,
            Type::Named(id) => {
                matches!(self.model.get(*id).kind, DeclKind::Value(_) | DeclKind::ValueBox(_))
            }
            _ => false,
        });
        if is_value {
            let error = Diagnostic::error(Code::BadValue, ty.span, "a value cannot be boxed again");
            self.session.report(error.help("use the valuetype itself: it can be null as it is"));
        }
        match boxed {
            Some(boxed) => {
                self.add(name, docs, DeclKind::ValueBox(boxed));
            }
            None => self.declare(name, Target::Error),
        }
    }

    pub(super) fn state_member(
        &mut self,
        public: bool,
        ty: &TypeSpec,
        declarators: &[Declarator],
        docs: &[String],
    ) {
        let span = ty.span;
        let ty = self.ty(ty);
        if let Some(local) = ty.as_ref().and_then(|ty| self.local_part(ty)) {
            self.report_local(local, span, "the state of a valuetype");
        }
        for declarator in declarators {
            let member = self.member(ty.as_ref(), declarator, docs, Target::State);
            let Some(id) = self.scope().decl else { continue };
            if let DeclKind::Value(value) = &mut self.model.declarations[id.index()].kind {
                value.state.extend(member.map(|member| StateMember { public, member }));
            }
        }
    }

    pub(super) fn initializer(&mut self, initializer: &ast::Initializer, docs: &[String]) {
        let name = &initializer.name;
        self.declare(name, Target::Initializer);
        let outer = self.enter(ScopeKind::Operation, None, name);
        let parameters = self.parameters(&initializer.parameters);
        let raises = self.raises(&initializer.raises);
        self.leave(outer);
        let Some(id) = self.scope().decl else { return };
        if let DeclKind::Value(value) = &mut self.model.declarations[id.index()].kind {
            value.initializers.push(Initializer {
                name: name.text.clone(),
                span: name.span,
                docs: docs.to_vec(),
                parameters,
                raises,
            });
        }
    }
}
