//! Types where they are used.

use super::Checker;
use super::scope::Target;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Type};
use crate::parse::ast::{Declarator, ScopedName, TypeKind, TypeSpec};
use crate::source::Span;

impl Checker<'_, '_> {
    /// The type that `spec` spells, which must be complete. `None` if something was reported.
    pub(super) fn ty(&mut self, spec: &TypeSpec) -> Option<Type> {
        let ty = self.element_type(spec)?;
        if let Type::Named(id) = ty
            && self.incomplete.contains_key(&id)
            && !matches!(self.model.get(id).kind, DeclKind::Interface(_))
        {
            self.report_incomplete(id, spec.span);
            return None;
        }
        Some(ty)
    }

    fn report_incomplete(&mut self, id: DeclId, span: Span) {
        let declaration = self.model.get(id);
        let name = &declaration.name;
        let within = self.scope().decl.is_some_and(|inner| self.encloses(id, inner));
        let message = if within {
            format!("`{name}` cannot contain itself")
        } else {
            format!("`{name}` is not defined yet")
        };
        let error = Diagnostic::error(Code::Incomplete, span, message);
        let error = error.also(declaration.span, "declared here");
        let help = format!("until its definition ends, only `sequence<{name}>` can be used");
        self.session.report(error.help(help));
    }

    fn encloses(&self, outer: DeclId, inner: DeclId) -> bool {
        let scopes = std::iter::successors(Some(inner), |id| self.model.get(*id).scope);
        scopes.into_iter().any(|id| id == outer)
    }

    /// The type that `spec` spells, which may be incomplete.
    fn element_type(&mut self, spec: &TypeSpec) -> Option<Type> {
        Some(match &spec.kind {
            TypeKind::Primitive(primitive) => Type::Primitive(*primitive),
            TypeKind::Object => Type::Object,
            TypeKind::String(None) => Type::String(None),
            TypeKind::String(Some(bound)) => Type::String(Some(self.positive(bound, "a bound")?)),
            TypeKind::Sequence(element, bound) => {
                let element = self.element_type(element);
                let bound = match bound {
                    Some(bound) => Some(self.positive(bound, "a bound")?),
                    None => None,
                };
                Type::Sequence(Box::new(element?), bound)
            }
            TypeKind::Named(name) => self.named_type(name)?,
            TypeKind::Constructed(definition) => Type::Named(self.definition(definition)?),
            TypeKind::Unsupported => return None,
        })
    }

    fn named_type(&mut self, name: &ScopedName) -> Option<Type> {
        let target = self.resolve(name)?;
        if let Target::Decl(id) = target {
            match self.model.get(id).kind {
                DeclKind::Module(_) | DeclKind::Exception(_) | DeclKind::Const(_) => {}
                _ => return Some(Type::Named(id)),
            }
        }
        let last = name.rest.last().unwrap_or(&name.first);
        let message = format!("`{}` is {}, not a type", last.text, self.describe(target));
        self.error(Code::WrongKind, name.span(), message);
        None
    }

    /// `ty` with the array dimensions of a declarator.
    pub(super) fn declarator_type(
        &mut self,
        ty: Option<&Type>,
        declarator: &Declarator,
    ) -> Option<Type> {
        let mut dimensions = Vec::new();
        for dimension in &declarator.dimensions {
            dimensions.push(self.positive(dimension, "an array dimension"));
        }
        let dimensions: Vec<u32> = dimensions.into_iter().collect::<Option<_>>()?;
        let ty = ty?.clone();
        Some(if dimensions.is_empty() { ty } else { Type::Array(Box::new(ty), dimensions) })
    }
}
