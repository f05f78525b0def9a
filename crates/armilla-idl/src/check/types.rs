//! Uses of types.

use super::Checker;
use super::scope::{Builtin, Target};
use super::template::Binding;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Type};
use crate::parse::ast::{Declarator, Expr, ScopedName, TypeKind, TypeSpec};
use crate::source::Span;

/// The most digits of a fixed-point number (CORBA 3.4 Part 1, 7.11.3.4).
const MAX_FIXED_DIGITS: u32 = 31;

impl Checker<'_, '_> {
    /// Resolves `spec` to a type, which must be complete, or a sequence of an incomplete type.
    /// `None` if an error was reported.
    pub(super) fn ty(&mut self, spec: &TypeSpec) -> Option<Type> {
        let ty = self.element_type(spec)?;
        if let Some(id) = self.incomplete_part(&ty) {
            self.report_incomplete(id, spec.span);
            return None;
        }
        Some(ty)
    }

    /// The incomplete struct or union that `ty` contains. The elements of a sequence may be
    /// incomplete, wherever the sequence is used: without values of that type it is empty.
    fn incomplete_part(&self, ty: &Type) -> Option<DeclId> {
        match ty {
            Type::Named(id) => {
                let is_body =
                    matches!(self.model.get(*id).kind, DeclKind::Struct(_) | DeclKind::Union(_));
                (is_body && self.incomplete.contains_key(id)).then_some(*id)
            }
            Type::Array(element, _) => self.incomplete_part(element),
            _ => None,
        }
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
        let error = error.secondary(declaration.span, "declared here");
        let help = format!("until its definition ends, only `sequence<{name}>` can be used");
        self.session.report(error.help(help));
    }

    pub(super) fn encloses(&self, outer: DeclId, inner: DeclId) -> bool {
        let scopes = std::iter::successors(Some(inner), |id| self.model.get(*id).scope);
        scopes.into_iter().any(|id| id == outer)
    }

    /// Resolves `spec` to a type, which may be incomplete.
    fn element_type(&mut self, spec: &TypeSpec) -> Option<Type> {
        Some(match &spec.kind {
            TypeKind::Primitive(primitive) => Type::Primitive(*primitive),
            TypeKind::Object => Type::Object,
            TypeKind::Any => Type::Any,
            TypeKind::ValueBase => Type::ValueBase,
            TypeKind::WString(None) => Type::WString(None),
            TypeKind::WString(Some(bound)) => Type::WString(Some(self.positive(bound, "a bound")?)),
            TypeKind::Fixed(digits, scale) => self.fixed_type(digits, scale)?,
            TypeKind::FixedConstant => {
                let message = "`fixed` without its digits is only for constants";
                let error = Diagnostic::error(Code::BadType, spec.span, message);
                self.session.report(error.help("write `fixed<digits, scale>`"));
                return None;
            }
            TypeKind::Map(key, value, bound) => {
                let (key, value) = (self.element_type(key), self.element_type(value));
                let bound = match bound {
                    Some(bound) => Some(self.positive(bound, "a bound")?),
                    None => None,
                };
                Type::Map(Box::new(key?), Box::new(value?), bound)
            }
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
            TypeKind::Known(ty) => ty.clone(),
            TypeKind::Constructed(definition) => Type::Named(self.definition(definition)?),
            TypeKind::Unsupported => return None,
        })
    }

    fn fixed_type(&mut self, digits: &Expr, scale: &Expr) -> Option<Type> {
        let count = self.positive(digits, "a number of digits");
        let scale_digits = self.natural(scale, "a scale");
        let (count, scale_digits) = (count?, scale_digits?);
        if count > MAX_FIXED_DIGITS {
            let message = format!("a fixed-point number has at most {MAX_FIXED_DIGITS} digits");
            self.error(Code::BadFixed, digits.span, message);
            return None;
        }
        if scale_digits > count {
            let message =
                format!("{scale_digits} digits after the point are more than {count} in all");
            self.error(Code::BadFixed, scale.span, message);
            return None;
        }
        Some(Type::Fixed(count as u16, scale_digits as u16))
    }

    pub(super) fn named_type(&mut self, name: &ScopedName) -> Option<Type> {
        if let Some(primitive) = self.idl4_type(name) {
            return Some(Type::Primitive(primitive));
        }
        let target = self.resolve(name)?;
        match target {
            Target::Builtin(Builtin::TypeCode) => return Some(Type::TypeCode),
            Target::Builtin(Builtin::Principal) => return Some(Type::Principal),
            Target::Binding(index) => {
                if let Binding::Type(ty) = &self.bindings[index] {
                    return Some(ty.clone());
                }
            }
            _ => {}
        }
        if let Target::Decl(id) = target {
            match self.model.get(id).kind {
                DeclKind::Module(_)
                | DeclKind::Exception(_)
                | DeclKind::Const(_)
                | DeclKind::Com(_)
                | DeclKind::ComType(_) => {}
                _ => return Some(Type::Named(id)),
            }
        }
        self.wrong_kind(Code::WrongKind, name, target, "a type");
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
