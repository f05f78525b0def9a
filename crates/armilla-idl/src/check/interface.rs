//! Interfaces, their operations and attributes (IDL 4.2, 7.4.3; CORBA 3.4 Part 1).

use super::bases::Base;
use super::scope::{ScopeKind, Target};
use super::{Checker, bases};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    Attribute, DeclId, DeclKind, Direction, Export, Flavour, Interface, Operation, Parameter,
};
use crate::parse::ast::{self, Item, Name, ScopedName};

impl Checker<'_, '_> {
    pub(super) fn interface(
        &mut self,
        flavour: Flavour,
        name: &Name,
        docs: &[String],
        bases: &[ScopedName],
        items: &[Item],
    ) {
        let bases = self.base_interfaces(bases);
        self.check_flavours(flavour, &bases);
        let interface = Interface { flavour, ..Interface::default() };
        self.define_interface(interface, name, docs, &bases, |checker| checker.items(items));
    }

    /// Defines `interface` with these bases. `body` declares its contents.
    pub(super) fn define_interface(
        &mut self,
        interface: Interface,
        name: &Name,
        docs: &[String],
        bases: &[Base],
        body: impl FnOnce(&mut Self),
    ) -> DeclId {
        let interface = Interface { defined: true, bases: bases::ids(bases), ..interface };
        let id = self.define(name, docs, DeclKind::Interface(interface));
        let scopes = self.base_scopes(bases);
        let fits = self.check_bases(name, &scopes);
        let outer = self.enter(ScopeKind::Interface, Some(id), name);
        if fits {
            self.scope_mut().bases = scopes;
        }
        body(self);
        let nested = std::mem::take(&mut self.scope_mut().members);
        if let DeclKind::Interface(interface) = &mut self.model.declarations[id.index()].kind {
            interface.nested = nested;
        }
        self.leave(outer);
        id
    }

    pub(super) fn operation(&mut self, operation: &ast::Operation, docs: &[String]) {
        let name = &operation.name;
        self.check_oneway(operation);
        let result = operation.result.as_ref().map(|ty| self.remote_ty(ty, "a result"));
        self.declare_export(name);
        let outer = self.enter(ScopeKind::Operation, None, name);
        let parameters = self.parameters(&operation.parameters);
        let raises = self.raises(&operation.raises);
        self.leave(outer);
        let timing = self.timing(operation);
        let roles = self.roles(&operation.timing);
        self.export(Export::Operation(Operation {
            name: name.text.clone(),
            repository_id: self.repository_id(&name.text),
            span: name.span,
            docs: operation_docs(docs, &operation.parameter_docs),
            oneway: operation.oneway.is_some(),
            result: result.flatten(),
            parameters,
            raises,
            context: operation.context.clone(),
            timing,
            roles,
        }));
    }

    pub(super) fn parameters(&mut self, parameters: &[ast::Parameter]) -> Vec<Parameter> {
        let mut checked = Vec::new();
        for parameter in parameters {
            let ty = self.remote_ty(&parameter.ty, "a parameter");
            self.declare(&parameter.name, Target::Parameter);
            let Name { text, span } = parameter.name.clone();
            let direction = parameter.direction;
            checked.extend(ty.map(|ty| Parameter { name: text, direction, ty, span }));
        }
        checked
    }

    fn check_oneway(&mut self, operation: &ast::Operation) {
        let Some(oneway) = operation.oneway else { return };
        let result = operation.result.as_ref().map(|ty| (ty.span, "returns nothing"));
        let raises = operation.raises.first().map(|name| (name.span(), "raises nothing"));
        let outs = operation.parameters.iter().filter(|p| p.direction != Direction::In);
        let outs = outs.map(|p| (p.direction_span, "has `in` parameters only"));
        for (span, rule) in result.into_iter().chain(raises).chain(outs) {
            let message = format!("a `oneway` operation {rule}");
            let error = Diagnostic::error(Code::Oneway, span, message);
            self.session.report(error.secondary(oneway, "`oneway` here"));
        }
    }

    pub(super) fn raises(&mut self, names: &[ScopedName]) -> Vec<DeclId> {
        let mut raises = Vec::new();
        for name in names {
            self.in_raises = true;
            let target = self.resolve(name);
            self.in_raises = false;
            let Some(target) = target else { continue };
            let last = name.rest.last().unwrap_or(&name.first);
            match target {
                // A native type may denote an exception of a language (CORBA 3.4 Part 1, 7.11.5).
                Target::Decl(id)
                    if matches!(
                        self.model.get(id).kind,
                        DeclKind::Exception(_) | DeclKind::Native
                    ) =>
                {
                    if raises.contains(&id) {
                        let message = format!("`{}` is named twice", last.text);
                        let code = Code::NamedTwice;
                        self.session.report(Diagnostic::warning(code, name.span(), message));
                        continue;
                    }
                    if self.local.contains(&id) {
                        self.check_local(id, name.span(), "an exception");
                    }
                    raises.push(id);
                }
                _ => self.wrong_kind(Code::WrongKind, name, target, "an exception"),
            }
        }
        raises
    }

    pub(super) fn attribute(&mut self, attribute: &ast::Attribute, docs: &[String]) {
        let ty = self.remote_ty(&attribute.ty, "an attribute");
        let get_raises = self.raises(&attribute.get_raises);
        let set_raises = self.raises(&attribute.set_raises);
        let (get_roles, set_roles) = self.attribute_roles(&attribute.roles, attribute.readonly);
        for name in &attribute.names {
            self.declare_export(name);
            let Some(ty) = ty.clone() else { continue };
            self.export(Export::Attribute(Attribute {
                name: name.text.clone(),
                repository_id: self.repository_id(&name.text),
                span: name.span,
                docs: docs.to_vec(),
                readonly: attribute.readonly,
                ty,
                get_raises: get_raises.clone(),
                set_raises: set_raises.clone(),
                get_roles: get_roles.clone(),
                set_roles: set_roles.clone(),
            }));
        }
    }

    fn declare_export(&mut self, name: &Name) {
        let Some(id) = self.scope().decl else { return };
        if let Some(exports) = self.exports_mut(id) {
            let index = exports.len();
            self.declare(name, Target::Export(id, index));
        }
    }

    fn export(&mut self, export: Export) {
        let Some(id) = self.scope().decl else { return };
        if let Some(exports) = self.exports_mut(id) {
            exports.push(export);
        }
    }

    /// The operations and attributes of an interface or a valuetype.
    pub(super) fn exports_mut(&mut self, id: DeclId) -> Option<&mut Vec<Export>> {
        match &mut self.model.declarations[id.index()].kind {
            DeclKind::Interface(interface) => Some(&mut interface.exports),
            DeclKind::Value(value) => Some(&mut value.exports),
            _ => None,
        }
    }
}

/// The comment on an operation, followed by those on its parameters.
fn operation_docs(docs: &[String], parameters: &[String]) -> Vec<String> {
    let gap = (!docs.is_empty() && !parameters.is_empty()).then(String::new);
    docs.iter().cloned().chain(gap).chain(parameters.iter().cloned()).collect()
}
