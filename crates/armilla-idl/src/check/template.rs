//! Template modules (IDL 4.2, 7.4.12): each instance is checked as if it were written out, in a
//! scope with the parameters.

use super::Checker;
use super::expected::kind_of;
use super::scope::{Entry, Scope, ScopeId, ScopeKind, Target, key};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{ConstValue, DeclKind, Type};
use crate::parse::ast;
use crate::parse::ast::{
    Expr, Instance, Name, ParameterKind, ScopedName, Step, StepKind, TemplateArgument,
    TemplateParameter,
};
use crate::source::Span;
use std::rc::Rc;

/// The maximum number of tokens of all instances of templates and port types.
const MAX_SIZE: usize = 1_000_000;
/// The maximum nesting of instantiations.
const MAX_DEPTH: usize = 32;

/// A template module and the scope of its declaration.
pub(super) struct Template {
    ast: Rc<ast::Template>,
    scope: ScopeId,
}

/// The binding of a template parameter that is not a declaration.
#[derive(Debug, Clone)]
pub(super) enum Binding {
    Type(Type),
    Value(ConstValue),
}

impl Checker<'_, '_> {
    pub(super) fn template(&mut self, template: &Rc<ast::Template>) {
        let index = self.templates.len();
        self.templates.push(Template { ast: template.clone(), scope: self.current });
        self.declare(&template.name, Target::Template(index));
    }

    /// Declares the module of an instance.
    pub(super) fn instance(&mut self, instance: &Instance, docs: &[String]) {
        let Some((template, scope)) = self.instantiated(instance) else {
            return self.declare(&instance.name, Target::Error);
        };
        if !self.grow(template.size, instance.name.span) {
            return self.declare(&instance.name, Target::Error);
        }
        let Some(parameters) = self.parameter_scope(&template.parameters, instance, scope) else {
            return self.declare(&instance.name, Target::Error);
        };
        let id = match self.opened(&instance.name) {
            Some(id) => {
                self.reopen(id, instance.name.span, docs);
                id
            }
            None => self.add(&instance.name, docs, DeclKind::Module(Vec::new())),
        };
        let known = self.session.diagnostics.iter().count();
        self.instantiation_stack.push(template.name.span);
        let outer = std::mem::replace(&mut self.current, parameters);
        self.enter(ScopeKind::Module, Some(id), &instance.name);
        // A reopened module has the instance's scope as its parent for this time.
        let around = self.scope_mut().parent.replace(parameters);
        self.items(&template.items);
        self.scope_mut().parent = around;
        let members = self.scope().members.clone();
        self.model.declarations[id.index()].kind = DeclKind::Module(members);
        self.leave(outer);
        self.instantiation_stack.pop();
        self.session.diagnostics.explain_since(known, instance.name.span, "instantiated here");
    }

    /// Counts expanded tokens against the limit. Returns whether the limit holds.
    pub(super) fn grow(&mut self, size: usize, span: Span) -> bool {
        self.expanded_tokens = self.expanded_tokens.saturating_add(size);
        if self.expanded_tokens > MAX_SIZE {
            let message =
                format!("template modules and port types become more than {MAX_SIZE} tokens");
            self.error(Code::TooLarge, span, message);
        }
        self.expanded_tokens <= MAX_SIZE
    }

    /// Resolves the template of `instance`.
    fn instantiated(&mut self, instance: &Instance) -> Option<(Rc<ast::Template>, ScopeId)> {
        let name = &instance.template;
        let last = name.rest.last().unwrap_or(&name.first);
        let index = match self.resolve(name)? {
            Target::Template(index) => index,
            other => {
                self.wrong_kind(Code::BadTemplate, name, other, "a template module");
                return None;
            }
        };
        let Template { ast, scope } = &self.templates[index];
        let (ast, scope) = (ast.clone(), *scope);
        let (expected, given) = (ast.parameters.len(), instance.arguments.len());
        if expected != given {
            let message = format!("`{}` has {expected} parameters, not {given}", last.text);
            let error = Diagnostic::error(Code::BadTemplate, name.span(), message);
            self.session.report(error.secondary(ast.name.span, "declared here"));
            return None;
        }
        if self.instantiation_stack.contains(&ast.name.span) {
            let message = format!("the template module `{}` contains itself", last.text);
            self.error(Code::BadTemplate, name.span(), message);
            return None;
        }
        if self.instantiation_stack.len() >= MAX_DEPTH {
            let message = format!("template modules are nested more than {MAX_DEPTH} deep");
            self.error(Code::NestingDepth, name.span(), message);
            return None;
        }
        Some((ast, scope))
    }

    /// A scope in `around` that binds the parameters of a template. `None` if an argument does not
    /// match.
    fn parameter_scope(
        &mut self,
        parameters: &[TemplateParameter],
        instance: &Instance,
        around: ScopeId,
    ) -> Option<ScopeId> {
        let scope = ScopeId(self.scopes.len());
        let mut inner = Scope::new(ScopeKind::Module, Some(around), None);
        inner.decl = self.scopes[around.0].decl;
        self.scopes.push(inner);
        let mut fits = true;
        for (parameter, argument) in parameters.iter().zip(&instance.arguments) {
            let target = self.bind(parameter, argument, scope);
            fits &= target.is_some();
            let name = parameter.name.clone();
            let target = target.unwrap_or(Target::Error);
            self.scopes[scope.0].names.insert(key(&name.text), Entry { name, target });
        }
        fits.then_some(scope)
    }

    /// The target of a parameter. Names in its kind are resolved in the scope `inner`.
    fn bind(
        &mut self,
        parameter: &TemplateParameter,
        argument: &TemplateArgument,
        inner: ScopeId,
    ) -> Option<Target> {
        if let ParameterKind::Const(ty) = &parameter.kind {
            let outer = std::mem::replace(&mut self.current, inner);
            let ty = self.ty(ty);
            self.current = outer;
            return self.bind_constant(&ty?, argument);
        }
        let (ty, span) = match argument {
            TemplateArgument::Type(spec) => (self.ty(spec)?, spec.span),
            TemplateArgument::Name(name) => (self.argument_type(name, parameter)?, name.span()),
            TemplateArgument::Value(expr) => {
                return self.misfit(parameter, expr.span, "a constant");
            }
        };
        if !self.fits(&parameter.kind, &ty, inner) {
            let found = self.model.type_text(&ty);
            return self.misfit(parameter, span, &format!("`{found}`"));
        }
        Some(match ty {
            Type::Named(id) => Target::Decl(id),
            ty => self.bound(Binding::Type(ty)),
        })
    }

    /// The type that an argument names, or the exception if the parameter is one.
    fn argument_type(&mut self, name: &ScopedName, parameter: &TemplateParameter) -> Option<Type> {
        if !matches!(parameter.kind, ParameterKind::Exception) {
            return self.named_type(name);
        }
        match self.resolve(name)? {
            Target::Decl(id) => Some(Type::Named(id)),
            other => {
                let what = self.describe(other);
                self.misfit(parameter, name.span(), what)
            }
        }
    }

    fn bind_constant(&mut self, ty: &Type, argument: &TemplateArgument) -> Option<Target> {
        let expr = match argument {
            TemplateArgument::Value(expr) => expr.clone(),
            TemplateArgument::Name(name) => {
                let span = name.span();
                Expr { steps: vec![Step { kind: StepKind::Name(name.clone()), span }], span }
            }
            TemplateArgument::Type(spec) => {
                let message = "a constant is needed here, not a type";
                self.error(Code::BadTemplate, spec.span, message);
                return None;
            }
        };
        let expected = self.expected(ty)?;
        let value = self.evaluate(&expr, &expected)?;
        Some(match value {
            ConstValue::Enumerator(id, index) => Target::Enumerator(id, index),
            value => self.bound(Binding::Value(value)),
        })
    }

    fn bound(&mut self, bound: Binding) -> Target {
        self.bindings.push(bound);
        Target::Binding(self.bindings.len() - 1)
    }

    /// The binding of an argument that is not a declaration.
    pub(super) fn describe_binding(&self, index: usize) -> &'static str {
        match &self.bindings[index] {
            Binding::Type(_) => "a type",
            Binding::Value(value) => kind_of(value),
        }
    }

    /// Whether a type matches a parameter.
    fn fits(&mut self, kind: &ParameterKind, ty: &Type, inner: ScopeId) -> bool {
        if let ParameterKind::Sequence(Some(spec)) = kind {
            let outer = std::mem::replace(&mut self.current, inner);
            let expected = self.ty(spec);
            self.current = outer;
            return expected.is_some_and(|expected| self.model.resolve(ty) == &expected);
        }
        let resolved = self.model.resolve(ty);
        let declaration = match resolved {
            Type::Named(id) => Some(&self.model.get(*id).kind),
            _ => None,
        };
        match (kind, declaration) {
            (ParameterKind::Typename, _) => true,
            (ParameterKind::Sequence(_), _) => matches!(resolved, Type::Sequence(..)),
            (ParameterKind::Interface, Some(DeclKind::Interface(_)))
            | (ParameterKind::Value, Some(DeclKind::Value(_) | DeclKind::ValueBox(_)))
            | (ParameterKind::Struct, Some(DeclKind::Struct(_)))
            | (ParameterKind::Union, Some(DeclKind::Union(_)))
            | (ParameterKind::Exception, Some(DeclKind::Exception(_)))
            | (ParameterKind::Enum, Some(DeclKind::Enum(_))) => true,
            (ParameterKind::Event, Some(DeclKind::Value(value))) => value.event,
            _ => false,
        }
    }

    fn misfit<T>(&mut self, parameter: &TemplateParameter, span: Span, found: &str) -> Option<T> {
        let Name { text, span: declared } = &parameter.name;
        let message =
            format!("the parameter `{text}` must be {}, not {found}", expected(&parameter.kind));
        let error = Diagnostic::error(Code::BadTemplate, span, message);
        self.session.report(error.secondary(*declared, "declared here"));
        None
    }
}

/// The kind of argument that a parameter expects, with an article.
fn expected(kind: &ParameterKind) -> &'static str {
    match kind {
        ParameterKind::Typename => "a type",
        ParameterKind::Interface => "an interface",
        ParameterKind::Value => "a valuetype",
        ParameterKind::Event => "an event type",
        ParameterKind::Struct => "a struct",
        ParameterKind::Union => "a union",
        ParameterKind::Exception => "an exception",
        ParameterKind::Enum => "an enum",
        ParameterKind::Sequence(None) => "a sequence",
        ParameterKind::Sequence(Some(_)) => "that sequence",
        ParameterKind::Const(_) => "a constant",
    }
}
