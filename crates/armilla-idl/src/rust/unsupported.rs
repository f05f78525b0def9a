//! What the front end knows and this back end does not: each is refused by its name and at its
//! place, before anything is generated. Whoever implements one takes it out here.

use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    Attribute, DeclKind, Declaration, Export, Interface, Member, Model, Operation, Primitive,
    Struct, Type, Union, ValueModifier,
};
use crate::source::Span;

/// Everything in `model` that cannot become Rust yet.
pub(super) fn check(model: &Model) -> Vec<Diagnostic> {
    let mut checker = Checker { found: Vec::new() };
    for (_, declaration) in model.iter() {
        checker.declaration(declaration);
    }
    checker.found
}

struct Checker {
    found: Vec<Diagnostic>,
}

impl Checker {
    fn refuse(&mut self, span: Span, what: &str) {
        let message = format!("{what} cannot become Rust yet");
        self.found.push(Diagnostic::error(Code::Unsupported, span, message));
    }

    fn declaration(&mut self, declaration: &Declaration) {
        let span = declaration.span;
        match &declaration.kind {
            DeclKind::Module(_) | DeclKind::Enum(_) | DeclKind::Native => {}
            DeclKind::Interface(interface) => self.interface(interface),
            DeclKind::Struct(body) | DeclKind::Exception(body) => self.structure(body),
            DeclKind::Union(union) => self.union(union, span),
            DeclKind::Typedef(ty) => self.ty(ty, span),
            DeclKind::Const(constant) => self.ty(&constant.ty, span),
            DeclKind::Value(value) if value.event => self.refuse(span, "an event type"),
            DeclKind::Value(value) if value.modifier == ValueModifier::Custom => {
                self.refuse(span, "a valuetype that the program marshals");
            }
            DeclKind::Value(value) => {
                value.state.iter().for_each(|state| self.member(&state.member));
            }
            DeclKind::ValueBox(ty) => self.ty(ty, span),
            DeclKind::Bitmask(_) => self.refuse(span, "a bitmask"),
            DeclKind::Bitset(_) => self.refuse(span, "a bitset"),
        }
    }

    fn interface(&mut self, interface: &Interface) {
        for export in &interface.exports {
            match export {
                Export::Operation(operation) => self.operation(operation),
                Export::Attribute(attribute) => self.attribute(attribute),
            }
        }
    }

    fn operation(&mut self, operation: &Operation) {
        if let Some(result) = &operation.result {
            self.ty(result, operation.span);
        }
        for parameter in &operation.parameters {
            self.ty(&parameter.ty, parameter.span);
        }
    }

    fn attribute(&mut self, attribute: &Attribute) {
        self.ty(&attribute.ty, attribute.span);
    }

    fn structure(&mut self, body: &Struct) {
        body.members.iter().for_each(|member| self.member(member));
    }

    fn union(&mut self, union: &Union, span: Span) {
        self.ty(&union.discriminator, span);
        union.cases.iter().for_each(|case| self.member(&case.member));
    }

    fn member(&mut self, member: &Member) {
        self.ty(&member.ty, member.span);
    }

    fn ty(&mut self, ty: &Type, span: Span) {
        let what = match ty {
            Type::Principal => "`CORBA::Principal`",
            Type::WString(_) => "`wstring`",
            Type::Fixed(..) => "`fixed`",
            Type::Map(..) => "`map`",
            Type::Primitive(Primitive::WChar) => "`wchar`",
            Type::Primitive(Primitive::LongDouble) => "`long double`",
            Type::Sequence(element, _) | Type::Array(element, _) => return self.ty(element, span),
            Type::Primitive(_)
            | Type::String(_)
            | Type::Object
            | Type::Any
            | Type::ValueBase
            | Type::TypeCode
            | Type::Named(_) => return,
        };
        self.refuse(span, what);
    }
}
