//! What the front end knows and this back end does not: each is refused by its name and at its
//! place, before anything is generated. Whoever implements one takes it out here.
//!
//! Declarations of included files that cannot become Rust are left out, with what is made of them,
//! as long as the compiled file does not use them: it cannot help what `orb.idl` holds.

use super::bitsets;
use super::externs::Externs;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    Attribute, ConstValue, DeclId, DeclKind, Declaration, Export, Interface, Member, Model,
    Operation, Parameter, Struct, Type, Union, Value,
};
use crate::source::Span;
use std::collections::HashSet;

/// What of a model stays out of the generated code.
#[derive(Debug, Default)]
pub(super) struct Omitted {
    declarations: HashSet<DeclId>,
}

impl Omitted {
    /// Whether nothing is generated for a declaration.
    pub(super) fn contains(&self, id: DeclId) -> bool {
        self.declarations.contains(&id)
    }

    /// The declarations, in the order of the source.
    pub(super) fn iter(&self) -> impl Iterator<Item = DeclId> {
        let mut sorted: Vec<DeclId> = self.declarations.iter().copied().collect();
        sorted.sort();
        sorted.into_iter()
    }
}

/// What of `model` can be left out because it cannot become Rust.
///
/// # Errors
/// What cannot become Rust and cannot be left out either.
pub(super) fn check(model: &Model, externs: &Externs) -> Result<Omitted, Vec<Diagnostic>> {
    let mut checker = Checker { model, externs, omitted: Omitted::default(), found: Vec::new() };
    // Declarations stand behind what they are made of, so mostly the second round changes nothing.
    while checker.omit_more() {}
    checker.found.clear();
    for (id, declaration) in model.iter() {
        if !checker.omitted.contains(id) && !externs.contains(id) {
            checker.declaration(declaration);
        }
    }
    if checker.found.is_empty() { Ok(checker.omitted) } else { Err(checker.found) }
}

struct Checker<'m> {
    model: &'m Model,
    externs: &'m Externs,
    omitted: Omitted,
    found: Vec<Diagnostic>,
}

impl Checker<'_> {
    /// Leaves out every included declaration that must be; says whether there was one.
    fn omit_more(&mut self) -> bool {
        let before = self.omitted.declarations.len();
        for (id, declaration) in self.model.iter() {
            if !declaration.included || self.omitted.contains(id) || self.externs.contains(id) {
                continue;
            }
            self.found.clear();
            self.declaration(declaration);
            let enclosing = declaration.scope.is_some_and(|scope| self.omitted.contains(scope));
            if enclosing || !self.found.is_empty() {
                self.omitted.declarations.insert(id);
            }
        }
        self.omitted.declarations.len() > before
    }

    /// Refuses a reference to a declaration that is left out.
    fn used(&mut self, id: DeclId, span: Span) {
        if self.omitted.contains(id) {
            let message = format!("`{}` cannot become Rust", self.model.scoped_name(id));
            self.found.push(Diagnostic::error(Code::Unsupported, span, message));
        }
    }

    fn refuse(&mut self, span: Span, what: &str, instead: &str) {
        let message = format!("{what} cannot become Rust");
        let refused = Diagnostic::error(Code::Unsupported, span, message);
        self.found.push(refused.help(instead));
    }

    fn declaration(&mut self, declaration: &Declaration) {
        let span = declaration.span;
        match &declaration.kind {
            DeclKind::Module(_) | DeclKind::Enum(_) | DeclKind::Native | DeclKind::Bitmask(_) => {}
            DeclKind::Interface(interface) => self.interface(interface, span),
            DeclKind::Exception(body) => self.structure(body, span),
            DeclKind::Struct(body) => {
                self.structure(body, span);
                if body.members.is_empty() && body.base.is_none() {
                    let instead = "millions of them would travel without an octet, which no limit \
                                   can catch: give it a member";
                    self.refuse(span, "an empty struct", instead);
                }
            }
            DeclKind::Union(union) => self.union(union, span),
            DeclKind::Typedef(ty) => self.ty(ty, span),
            DeclKind::Const(constant) => {
                self.ty(&constant.ty, span);
                self.value(&constant.value, span);
            }
            DeclKind::Value(value) => self.valuetype(value, span),
            DeclKind::ValueBox(ty) => self.ty(ty, span),
            DeclKind::Bitset(data) => {
                data.base.iter().for_each(|base| self.used(*base, span));
                if bitsets::width(self.model, data) > bitsets::MAX_BITS {
                    let instead = "it travels as one integer, and the largest has 64 bits: make \
                                   two bitsets of it";
                    self.refuse(span, "a bitset of more than 64 bits", instead);
                }
            }
        }
    }

    fn valuetype(&mut self, value: &Value, span: Span) {
        value.bases.iter().chain(&value.supports).for_each(|base| self.used(*base, span));
        value.state.iter().for_each(|state| self.member(&state.member));
        self.exports(&value.exports);
        for initializer in &value.initializers {
            self.parameters(&initializer.parameters);
            self.raised(&initializer.raises, initializer.span);
        }
    }

    fn interface(&mut self, interface: &Interface, span: Span) {
        interface.bases.iter().for_each(|base| self.used(*base, span));
        self.exports(&interface.exports);
    }

    fn exports(&mut self, exports: &[Export]) {
        for export in exports {
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
        self.parameters(&operation.parameters);
        self.raised(&operation.raises, operation.span);
    }

    fn raised(&mut self, raised: &[DeclId], span: Span) {
        for id in raised {
            self.used(*id, span);
            if let DeclKind::Native = self.model.get(*id).kind {
                let what = format!("`{}` in `raises`", self.model.scoped_name(*id));
                self.refuse(span, &what, "Rust has no exceptions of its own: raise one of IDL");
            }
        }
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        parameters.iter().for_each(|parameter| self.ty(&parameter.ty, parameter.span));
    }

    fn attribute(&mut self, attribute: &Attribute) {
        self.ty(&attribute.ty, attribute.span);
        self.raised(&attribute.get_raises, attribute.span);
        self.raised(&attribute.set_raises, attribute.span);
    }

    fn structure(&mut self, body: &Struct, span: Span) {
        body.base.iter().for_each(|base| self.used(*base, span));
        body.members.iter().for_each(|member| self.member(member));
    }

    fn union(&mut self, union: &Union, span: Span) {
        self.ty(&union.discriminator, span);
        for case in &union.cases {
            self.member(&case.member);
            case.labels.iter().for_each(|label| self.value(label, case.member.span));
        }
    }

    /// Rust has characters, not units of UTF-16.
    fn value(&mut self, value: &ConstValue, span: Span) {
        let units: &[u16] = match value {
            ConstValue::WChar(unit) => &[*unit],
            ConstValue::WString(units) => units,
            _ => return,
        };
        if String::from_utf16(units).is_err() {
            let instead = "characters of Rust are whole ones: write the number as a constant of \
                           the type `unsigned short`";
            self.refuse(span, "half of a UTF-16 surrogate pair", instead);
        }
    }

    fn member(&mut self, member: &Member) {
        self.ty(&member.ty, member.span);
    }

    fn ty(&mut self, ty: &Type, span: Span) {
        match ty {
            Type::Principal => {
                let instead = "CORBA 2.3 took it out of use; what it held is a `sequence<octet>`";
                self.refuse(span, "`CORBA::Principal`", instead);
            }
            Type::Map(key, value, _) => {
                self.ty(key, span);
                if !is_ordered(self.model, key) {
                    let instead = "it would be a `BTreeMap`, whose keys are ordered: use a \
                                   sequence of structs with a key and a value";
                    self.refuse(span, "a `map` with a key that has no order", instead);
                }
                self.ty(value, span);
            }
            Type::Named(id) => self.used(*id, span),
            Type::Sequence(element, _) | Type::Array(element, _) => self.ty(element, span),
            Type::Primitive(_)
            | Type::String(_)
            | Type::WString(_)
            | Type::SharedOctets(_)
            | Type::SharedStrings
            | Type::Fixed(..)
            | Type::Object
            | Type::Any
            | Type::ValueBase
            | Type::TypeCode => {}
        }
    }
}

/// Whether values of the type have an order in Rust, as the keys of a map must.
fn is_ordered(model: &Model, key: &Type) -> bool {
    match model.resolve(key) {
        Type::Primitive(kind) => !kind.is_float(),
        Type::String(_) | Type::WString(_) | Type::Fixed(..) => true,
        Type::Named(id) => matches!(
            model.get(*id).kind,
            DeclKind::Enum(_) | DeclKind::Bitmask(_) | DeclKind::Bitset(_)
        ),
        _ => false,
    }
}
