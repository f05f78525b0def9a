//! Interfaces, their inheritance, operations and attributes (IDL 4.2, 7.4.3; CORBA 3.4 Part 1).

use super::Checker;
use super::scope::{Entry, ScopeId, ScopeKind, Target};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    Attribute, DeclId, DeclKind, Direction, Export, Interface, Operation, Parameter, Type,
};
use crate::parse::ast::{self, Item, Name, ScopedName, TypeSpec};
use crate::source::Span;
use std::collections::HashMap;

/// From how many interfaces one may inherit, directly and indirectly.
const MAX_ANCESTORS: usize = 256;

impl Checker<'_, '_> {
    pub(super) fn interface(
        &mut self,
        name: &Name,
        docs: &[String],
        bases: &[ScopedName],
        items: &[Item],
    ) {
        let bases = self.bases(bases);
        let interface = Interface { bases: bases.clone(), ..Interface::default() };
        let id = self.define(name, docs, DeclKind::Interface(interface));
        let scopes: Vec<ScopeId> =
            bases.iter().filter_map(|base| self.scope_of.get(base).copied()).collect();
        let fits = self.check_bases(name, &scopes);
        let outer = self.enter(ScopeKind::Interface, Some(id), name);
        if fits {
            self.scope_mut().bases = scopes;
        }
        self.items(items);
        let nested = std::mem::take(&mut self.scope_mut().members);
        if let DeclKind::Interface(interface) = &mut self.model.declarations[id.index()].kind {
            interface.nested = nested;
        }
        self.leave(outer);
    }

    fn bases(&mut self, names: &[ScopedName]) -> Vec<DeclId> {
        let mut bases: Vec<(DeclId, Span)> = Vec::new();
        for name in names {
            let Some(base) = self.base(name) else { continue };
            match bases.iter().find(|(other, _)| *other == base) {
                None => bases.push((base, name.span())),
                Some((_, first)) => {
                    let message = "an interface is named twice as a base";
                    let error = Diagnostic::error(Code::BadBase, name.span(), message);
                    self.session.report(error.also(*first, "first named here"));
                }
            }
        }
        bases.into_iter().map(|(base, _)| base).collect()
    }

    fn base(&mut self, name: &ScopedName) -> Option<DeclId> {
        let target = self.resolve(name)?;
        let last = name.rest.last().unwrap_or(&name.first);
        if let Target::Decl(id) = target
            && let Type::Named(id) = *self.model.resolve(&Type::Named(id))
            && let DeclKind::Interface(_) = self.model.get(id).kind
        {
            if self.scope_of.contains_key(&id) {
                return Some(id);
            }
            let message = format!("`{}` is not defined yet and cannot be a base", last.text);
            let error = Diagnostic::error(Code::BadBase, name.span(), message);
            let error = error.also(self.model.get(id).span, "only declared here");
            self.session.report(error.help("define it before, or include the file that does"));
            return None;
        }
        let message = format!("`{}` is {}, not an interface", last.text, self.describe(target));
        self.error(Code::BadBase, name.span(), message);
        None
    }

    /// Whether an interface can have these bases together.
    fn check_bases(&mut self, name: &Name, bases: &[ScopeId]) -> bool {
        let ancestors = self.ancestors(bases);
        if ancestors.len() > MAX_ANCESTORS {
            let message =
                format!("`{}` inherits from more than {MAX_ANCESTORS} interfaces", name.text);
            self.error(Code::BadBase, name.span, message);
            return false;
        }
        if bases.len() < 2 {
            return true;
        }
        let mut inherited: HashMap<&str, &Entry> = HashMap::new();
        let mut collisions = Vec::new();
        for ancestor in ancestors {
            for (key, entry) in &self.scopes[ancestor.0].names {
                if !matches!(entry.target, Target::Export(..)) {
                    continue;
                }
                if let Some(other) = inherited.insert(key, entry) {
                    collisions.push((entry.name.clone(), other.name.clone()));
                }
            }
        }
        // A hash map has no order of its own.
        collisions.sort_by_key(|(one, _)| (one.span.file, one.span.start));
        for (one, other) in collisions {
            let message =
                format!("`{}` inherits two operations or attributes `{}`", name.text, one.text);
            let error = Diagnostic::error(Code::InheritedCollision, name.span, message);
            let error = error.also(other.span, "declared here");
            self.session.report(error.also(one.span, "and declared here"));
        }
        true
    }

    pub(super) fn operation(&mut self, operation: &ast::Operation, docs: &[String]) {
        let name = &operation.name;
        self.check_oneway(operation);
        let result = operation.result.as_ref().map(|ty| self.ty(ty));
        self.declare_export(name);
        let outer = self.enter(ScopeKind::Operation, None, name);
        let mut parameters = Vec::new();
        for parameter in &operation.parameters {
            let ty = self.ty(&parameter.ty);
            self.declare(&parameter.name, Target::Parameter);
            let Name { text, span } = parameter.name.clone();
            let direction = parameter.direction;
            parameters.extend(ty.map(|ty| Parameter { name: text, direction, ty, span }));
        }
        let raises = self.raises(&operation.raises);
        self.leave(outer);
        self.export(Export::Operation(Operation {
            name: name.text.clone(),
            repository_id: self.repository_id(&name.text),
            span: name.span,
            docs: operation_docs(docs, &operation.parameter_docs),
            oneway: operation.oneway.is_some(),
            result: result.flatten(),
            parameters,
            raises,
        }));
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
            self.session.report(error.also(oneway, "`oneway` here"));
        }
    }

    fn raises(&mut self, names: &[ScopedName]) -> Vec<DeclId> {
        let mut raises = Vec::new();
        for name in names {
            let Some(target) = self.resolve(name) else { continue };
            let last = name.rest.last().unwrap_or(&name.first);
            match target {
                Target::Decl(id) if matches!(self.model.get(id).kind, DeclKind::Exception(_)) => {
                    if raises.contains(&id) {
                        let message = format!("`{}` is named twice", last.text);
                        self.error(Code::Redeclared, name.span(), message);
                    } else {
                        raises.push(id);
                    }
                }
                _ => {
                    let what = self.describe(target);
                    let message = format!("`{}` is {what}, not an exception", last.text);
                    self.error(Code::WrongKind, name.span(), message);
                }
            }
        }
        raises
    }

    pub(super) fn attribute(
        &mut self,
        readonly: bool,
        ty: &TypeSpec,
        names: &[Name],
        docs: &[String],
    ) {
        let ty = self.ty(ty);
        for name in names {
            self.declare_export(name);
            let Some(ty) = ty.clone() else { continue };
            self.export(Export::Attribute(Attribute {
                name: name.text.clone(),
                repository_id: self.repository_id(&name.text),
                span: name.span,
                docs: docs.to_vec(),
                readonly,
                ty,
            }));
        }
    }

    fn declare_export(&mut self, name: &Name) {
        let Some(id) = self.scope().decl else { return };
        if let DeclKind::Interface(interface) = &self.model.get(id).kind {
            self.declare(name, Target::Export(id, interface.exports.len()));
        }
    }

    fn export(&mut self, export: Export) {
        let Some(id) = self.scope().decl else { return };
        if let DeclKind::Interface(interface) = &mut self.model.declarations[id.index()].kind {
            interface.exports.push(export);
        }
    }
}

/// The comment on an operation, behind it those on its parameters.
fn operation_docs(docs: &[String], parameters: &[String]) -> Vec<String> {
    let gap = (!docs.is_empty() && !parameters.is_empty()).then(String::new);
    docs.iter().cloned().chain(gap).chain(parameters.iter().cloned()).collect()
}
