//! What is valid IDL but cannot become Rust: names that meet after conversion, and arrays too
//! large for the stack.

use super::bitsets;
use super::facts::Facts;
use super::interface::all_bases;
use super::names;
use super::operation::{self, Callable};
use super::scope::{self, Scope};
use super::structs;
use super::type_codes;
use super::unions;
use super::value_operations;
use super::values;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    DeclId, DeclKind, Declaration, Flavour, Interface, Member, Model, Type, Union, Value,
};
use crate::source::Span;
use std::collections::{HashMap, HashSet};

/// The largest array in memory, in octets.
const MAX_ARRAY: u64 = 64 << 10;

/// Everything that keeps `model` from becoming Rust.
pub(super) fn check(scope: &Scope<'_>) -> Vec<Diagnostic> {
    let Scope { model, facts, .. } = *scope;
    let mut checker = Checker { scope, model, facts, taken: HashMap::new(), found: Vec::new() };
    for (id, declaration) in model.iter().filter(|(id, _)| scope.makes(*id)) {
        checker.declaration(id, declaration);
    }
    checker.found
}

struct Checker<'m> {
    scope: &'m Scope<'m>,
    model: &'m Model,
    facts: &'m Facts,
    /// Who has which name: (Rust scope, name) to what it is in IDL and where.
    taken: HashMap<(String, String), (String, Span)>,
    found: Vec<Diagnostic>,
}

impl<'m> Checker<'m> {
    /// Notes that the IDL thing `what` at `span` is called `name` in the Rust scope `place`.
    fn claim(&mut self, place: &str, name: &str, what: String, span: Span) {
        let key = (place.to_owned(), name.to_owned());
        let Some((other, other_span)) = self.taken.get(&key) else {
            self.taken.insert(key, (what, span));
            return;
        };
        let message = format!("{other} and {what} would both be called `{name}` in Rust");
        let diagnostic = Diagnostic::error(Code::RustCollision, span, message)
            .also(*other_span, "the name is taken here")
            .help("rename one of the two");
        self.found.push(diagnostic);
    }

    fn declaration(&mut self, id: DeclId, declaration: &'m Declaration) {
        let home = scope::home(self.model, id).join("::");
        let what = format!("`{}`", self.model.scoped_name(id));
        let name = scope::name(declaration);
        let span = declaration.span;
        let own = format!("{home}::{name}");
        // Types, traits and modules share one namespace; constants have another, and so have
        // fields, variants and methods within their type.
        match &declaration.kind {
            DeclKind::Const(_) => self.claim(&format!("{home} values"), &name, what.clone(), span),
            _ => self.claim(&home, &name, what.clone(), span),
        }
        match &declaration.kind {
            DeclKind::Module(_) => {}
            DeclKind::Interface(data) => {
                self.reference(&home, declaration);
                self.module_of(&home, declaration);
                self.interface(id, data, &home, declaration);
            }
            DeclKind::Struct(data) | DeclKind::Exception(data) => {
                if !data.nested.is_empty() {
                    self.module_of(&home, declaration);
                }
                self.members(&own, structs::members(self.model, data).into_iter());
                self.type_code(id, span);
            }
            DeclKind::Union(data) => {
                if !data.nested.is_empty() {
                    self.module_of(&home, declaration);
                }
                self.union(&own, declaration, data);
                self.type_code(id, span);
            }
            DeclKind::Enum(data) => {
                for variant in &data.enumerators {
                    let name = names::variant(&variant.name);
                    self.claim(&own, &name, format!("`{}`", variant.name), variant.span);
                }
            }
            DeclKind::Value(data) => {
                self.reference(&home, declaration);
                self.value_operations(&home, id, data, declaration);
                if values::concrete_base(self.model, data).is_some() {
                    let base = values::base_field(data);
                    self.claim(&own, &base, format!("the state of the base of {what}"), span);
                }
                self.members(&own, data.state.iter().map(|state| &state.member));
                self.type_code(id, span);
            }
            DeclKind::ValueBox(boxed) => {
                self.reference(&home, declaration);
                self.ty(boxed, span);
                self.type_code(id, span);
            }
            DeclKind::Native => {}
            DeclKind::Bitset(data) => {
                let fields = bitsets::fields(self.model, data);
                for name in fields.iter().filter_map(|(_, field)| field.name.as_ref()) {
                    self.claim(&own, &names::snake(name), format!("`{name}`"), span);
                    let setter = format!("the setter of `{name}`");
                    self.claim(&own, &bitsets::setter(name), setter, span);
                }
            }
            DeclKind::Bitmask(data) => {
                for flag in &data.flags {
                    let name = names::upper(&flag.name);
                    self.claim(&own, &name, format!("`{}`", flag.name), flag.span);
                }
            }
            DeclKind::Typedef(ty) => self.ty(ty, span),
            DeclKind::Const(constant) => self.ty(&constant.ty, span),
        }
    }

    /// The type of references to an interface or of handles of a value.
    fn reference(&mut self, home: &str, declaration: &Declaration) {
        let what = format!("the reference type of `{}`", declaration.name);
        self.claim(home, &scope::reference_name(declaration), what, declaration.span);
    }

    /// The module for what is declared within something that is not a module in IDL.
    fn module_of(&mut self, home: &str, declaration: &Declaration) {
        let what = format!("the module of `{}`", declaration.name);
        self.claim(home, &names::module(&declaration.name), what, declaration.span);
    }

    fn members(&mut self, own: &str, members: impl Iterator<Item = &'m Member>) {
        for member in members {
            let name = names::snake(&member.name);
            self.claim(own, &name, format!("`{}`", member.name), member.span);
            self.ty(&member.ty, member.span);
        }
    }

    fn union(&mut self, own: &str, declaration: &Declaration, data: &'m Union) {
        for case in &data.cases {
            let member = &case.member;
            let name = names::variant(&member.name);
            self.claim(own, &name, format!("`{}`", member.name), member.span);
            self.ty(&member.ty, member.span);
        }
        if unions::has_unlisted(self.model, data) {
            let what = format!("the variant of `{}` for other discriminators", declaration.name);
            self.claim(own, unions::UNLISTED, what, declaration.span);
        }
    }

    /// Refuses a native type in an interface that is called from elsewhere. The front end has
    /// refused local interfaces there.
    fn travels(&mut self, callable: &Callable<'m>) {
        let parameters = callable.parameters.iter().map(|p| (p.ty, p.span));
        let result = callable.result.map(|ty| (ty, callable.span));
        let raised = callable.raises.iter().map(|id| (Type::Named(*id), callable.span));
        let types = parameters.chain(result).map(|(ty, span)| (ty.clone(), span)).chain(raised);
        let mut kept = types.filter(|(ty, _)| self.facts.of_type(ty).local);
        if let Some((_, span)) = kept.next() {
            let message = "a native type cannot become Rust in an interface that is not local";
            self.found.push(Diagnostic::error(Code::Unsupported, span, message));
        }
    }

    /// Refuses a type whose TypeCode would be too large.
    fn type_code(&mut self, id: DeclId, span: Span) {
        if type_codes::is_too_large(self.scope, id) {
            let message = "the type is too entangled with others for a TypeCode";
            self.found.push(Diagnostic::error(Code::Unsupported, span, message));
        }
    }

    fn interface(
        &mut self,
        id: DeclId,
        data: &'m Interface,
        home: &str,
        declaration: &'m Declaration,
    ) {
        let companion = match home {
            "" => names::module(&declaration.name),
            home => format!("{home}::{}", names::module(&declaration.name)),
        };
        let skeleton = format!("the skeleton of `{}`", declaration.name);
        self.claim(&companion, "skeleton", skeleton, declaration.span);
        let methods = format!("{home} methods of {}", declaration.name);
        for callable in operation::callables(data) {
            let scoped_name = self.model.scoped_name(id);
            let what = describe(&scoped_name, &callable);
            self.claim(&methods, &callable.method, what.clone(), callable.span);
            if let Some(raises) = callable.raises_name() {
                let what = format!("the exceptions of {what}");
                self.claim(&companion, &raises, what, callable.span);
            }
            self.callable(&methods, &callable);
            if data.flavour != Flavour::Local {
                self.travels(&callable);
            }
        }
        // A method that means two things can be called on neither the trait object nor a
        // reference. Two that meet within one base are reported there.
        for base in all_bases(self.model, id) {
            let DeclKind::Interface(data) = &self.model.get(base).kind else { continue };
            let mut inherited = operation::callables(data);
            let mut seen = HashSet::new();
            inherited.retain(|callable| seen.insert(callable.method.clone()));
            for callable in inherited {
                let what = describe(&self.model.scoped_name(base), &callable);
                self.claim(&methods, &callable.method, what, callable.span);
            }
        }
    }

    /// The traits of a valuetype and what they raise.
    fn value_operations(
        &mut self,
        home: &str,
        id: DeclId,
        data: &'m Value,
        declaration: &'m Declaration,
    ) {
        let callables = value_operations::callables(data);
        let initializers = value_operations::initializers(data);
        let scoped_name = self.model.scoped_name(id);
        let module = names::module(&declaration.name);
        let companion = if home.is_empty() { module } else { format!("{home}::{module}") };
        let traits = [
            (scope::operations_name(declaration), "operations", callables),
            (scope::factory_name(declaration), "initializers", initializers),
        ];
        let mut raises_something = false;
        for (name, kind, callables) in traits {
            if !callables.is_empty() {
                let what = format!("the trait of the {kind} of `{scoped_name}`");
                self.claim(home, &name, what, declaration.span);
            }
            let methods = format!("{home} {kind} of {}", declaration.name);
            for callable in &callables {
                let what = describe(&scoped_name, callable);
                self.claim(&methods, &callable.method, what.clone(), callable.span);
                self.callable(&methods, callable);
                if let Some(raises) = callable.raises_name() {
                    raises_something = true;
                    let what = format!("the exceptions of {what}");
                    self.claim(&companion, &raises, what, callable.span);
                }
            }
        }
        if raises_something || !data.nested.is_empty() {
            self.module_of(home, declaration);
        }
    }

    fn callable(&mut self, methods: &str, callable: &Callable<'m>) {
        let own = format!("{methods}::{}", callable.wire_name);
        for parameter in &callable.parameters {
            let what = format!("`{}`", parameter.idl_name);
            self.claim(&own, &parameter.name, what, parameter.span);
            self.ty(parameter.ty, parameter.span);
        }
        if let Some(ty) = callable.result {
            self.ty(ty, callable.span);
        }
    }

    /// Refuses large arrays within `ty`; those of named types are found where they are declared.
    fn ty(&mut self, ty: &Type, span: Span) {
        match ty {
            Type::Sequence(element, _) => self.ty(element, span),
            Type::Map(key, value, _) => {
                self.ty(key, span);
                self.ty(value, span);
            }
            Type::Array(..) => {
                let size = self.facts.of_type(ty).size;
                if size > MAX_ARRAY {
                    let message = format!(
                        "arrays larger than {} KiB are not supported yet, this one takes {size} \
                         octets",
                        MAX_ARRAY >> 10
                    );
                    let diagnostic = Diagnostic::error(Code::Unsupported, span, message)
                        .help("use a bounded sequence, which is not kept on the stack");
                    self.found.push(diagnostic);
                }
            }
            _ => {}
        }
    }
}

fn describe(scoped_name: &str, callable: &Callable<'_>) -> String {
    let name = format!("`{scoped_name}::{}`", callable.idl_name);
    match callable.wire_name.get(..5) {
        Some("_set_") => format!("the setter of {name}"),
        _ => name,
    }
}
