//! Local types: local interfaces, and types that contain them (CORBA 3.4 Part 1, 7.8.7).

use super::Checker;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Flavour, Type};
use crate::parse::ast::TypeSpec;
use crate::source::Span;

impl Checker<'_, '_> {
    /// The type of a parameter, a result or an attribute, which must not be local if the interface
    /// is not.
    pub(super) fn remote_ty(&mut self, spec: &TypeSpec, what: &str) -> Option<Type> {
        let ty = self.ty(spec)?;
        if let Some(local) = self.local_part(&ty) {
            self.check_local(local, spec.span, what);
        }
        Some(ty)
    }

    /// Reports the use of `local` as `what`, unless the enclosing interface is local too.
    pub(super) fn check_local(&mut self, local: DeclId, span: Span, what: &str) {
        let interface = self.scope().decl.map(|id| &self.model.get(id).kind);
        if let Some(DeclKind::Interface(interface)) = interface
            && interface.flavour != Flavour::Local
        {
            self.report_local(local, span, &format!("{what} of an interface that is not local"));
        }
    }

    pub(super) fn report_local(&mut self, local: DeclId, span: Span, what: &str) {
        // TAO's files declare types local that are not so in the built-in ones.
        if self.session.sources().is_built_in(span.file) {
            return;
        }
        let declaration = self.model.get(local);
        let message = format!("`{}` is local and cannot be {what}", declaration.name);
        let error = Diagnostic::error(Code::LocalType, span, message);
        self.session.report(error.secondary(declaration.span, "declared here"));
    }

    /// The local declaration that `ty` contains, if there is one.
    pub(super) fn local_part(&self, ty: &Type) -> Option<DeclId> {
        match ty {
            Type::Named(id) => match &self.model.get(*id).kind {
                DeclKind::Interface(interface) => {
                    (interface.flavour == Flavour::Local).then_some(*id)
                }
                _ => self.local.contains(id).then_some(*id),
            },
            Type::Sequence(element, _) | Type::Array(element, _) => self.local_part(element),
            Type::Map(key, value, _) => self.local_part(key).or_else(|| self.local_part(value)),
            _ => None,
        }
    }

    /// Records that `id` is local if one of the types that it contains is. A sequence may contain a
    /// type that is declared forward, and that turns out to be local later.
    pub(super) fn record_local(&mut self, id: DeclId) {
        let mut parts = Vec::new();
        match &self.model.get(id).kind {
            DeclKind::Struct(body) | DeclKind::Exception(body) => {
                parts.extend(body.base);
                body.members.iter().for_each(|member| named_parts(&member.ty, &mut parts));
            }
            DeclKind::Union(union) => {
                union.cases.iter().for_each(|case| named_parts(&case.member.ty, &mut parts));
            }
            DeclKind::Typedef(ty) | DeclKind::ValueBox(ty) => named_parts(ty, &mut parts),
            _ => {}
        }
        let mut is_local = false;
        for part in parts {
            is_local |= self.local_part(&Type::Named(part)).is_some();
            self.wholes.entry(part).or_default().push(id);
        }
        let mut pending: Vec<DeclId> = is_local.then_some(id).into_iter().collect();
        while let Some(next) = pending.pop() {
            if self.local.insert(next) {
                pending.extend(self.wholes.get(&next).into_iter().flatten());
            }
        }
    }
}

/// Adds the declarations of which a value of `ty` contains values.
fn named_parts(ty: &Type, parts: &mut Vec<DeclId>) {
    match ty {
        Type::Named(id) => parts.push(*id),
        Type::Sequence(element, _) | Type::Array(element, _) => named_parts(element, parts),
        Type::Map(key, value, _) => {
            named_parts(key, parts);
            named_parts(value, parts);
        }
        _ => {}
    }
}
