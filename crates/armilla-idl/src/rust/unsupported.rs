//! Constructs that the front end supports and this back end does not. Constants, operations and
//! attributes are omitted with a warning. Declarations of included files are omitted, with the
//! declarations that depend on them, unless the compiled file uses them: its author cannot change a
//! file such as `orb.idl`. Everything else is an error, which is reported before code is generated.

use super::externs::Externs;
use super::properties::TypeProperties;
use super::queries;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    Attribute, ConstValue, DeclId, DeclKind, Declaration, Export, Flavour, Interface, Member,
    Model, Operation, Parameter, Struct, Type, Union, Value,
};
use crate::source::Span;
use std::collections::{BTreeSet, HashSet};

/// The parts of a model that are omitted from the generated code.
#[derive(Debug, Default)]
pub(super) struct Omitted {
    declarations: HashSet<DeclId>,
    /// Operations and attributes, by their declaration and name.
    exports: BTreeSet<(DeclId, String)>,
    warnings: Vec<Diagnostic>,
}

impl Omitted {
    /// Whether nothing is generated for a declaration.
    pub(super) fn contains(&self, id: DeclId) -> bool {
        self.declarations.contains(&id)
    }

    /// Whether nothing is generated for an operation or attribute that `id` declares.
    pub(super) fn contains_export(&self, id: DeclId, name: &str) -> bool {
        !self.exports.is_empty() && self.exports.contains(&(id, name.to_owned()))
    }

    /// The warnings. Omissions in included files cause none.
    pub(super) fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The scoped names of all omissions, in the order of the source.
    pub(super) fn names(&self, model: &Model) -> Vec<String> {
        let whole = self.declarations.iter().map(|id| (*id, ""));
        let parts = self.exports.iter().map(|(id, name)| (*id, name.as_str()));
        let mut sorted: Vec<(DeclId, &str)> =
            whole.chain(parts.filter(|(id, _)| !self.contains(*id))).collect();
        sorted.sort();
        let name = |(id, part): &(DeclId, &str)| match *part {
            "" => model.scoped_name(*id),
            part => format!("{}::{part}", model.scoped_name(*id)),
        };
        sorted.iter().map(name).collect()
    }

    fn warn(&mut self, span: Span, what: &str, why: &str) {
        let message = format!("{what} is left out of the Rust");
        self.warnings.push(Diagnostic::warning(Code::LeftOut, span, message).note(why));
    }
}

/// Finds the parts of `model` that must and can be omitted.
///
/// # Errors
/// If an unsupported construct cannot be omitted.
pub(super) fn check(
    model: &Model,
    properties: &TypeProperties,
    externs: &Externs,
) -> Result<Omitted, Vec<Diagnostic>> {
    let omitted = Omitted::default();
    let mut checker = Checker { model, properties, externs, omitted, found: Vec::new() };
    for (id, declaration) in model.iter() {
        checker.omit_parts(id, declaration);
    }
    // A declaration follows those that it depends on, so the second pass rarely changes anything.
    while checker.omit_more() {}
    checker.found.clear();
    for (id, declaration) in model.iter() {
        if !checker.omitted.contains(id) && !externs.contains(id) {
            checker.declaration(id, declaration);
        }
    }
    if checker.found.is_empty() { Ok(checker.omitted) } else { Err(checker.found) }
}

struct Checker<'m> {
    model: &'m Model,
    properties: &'m TypeProperties,
    externs: &'m Externs,
    omitted: Omitted,
    found: Vec<Diagnostic>,
}

impl Checker<'_> {
    /// Omits unsupported constants, operations and attributes. Nothing else depends on them.
    fn omit_parts(&mut self, id: DeclId, declaration: &Declaration) {
        let (exports, travel) = match &declaration.kind {
            DeclKind::Const(constant) if is_half(&constant.value) => {
                let what = format!("`{}`", self.model.scoped_name(id));
                let why = "characters of Rust are whole ones, and this has half of a UTF-16 \
                           surrogate pair";
                if !declaration.included {
                    self.omitted.warn(declaration.span, &what, why);
                }
                self.omitted.declarations.insert(id);
                return;
            }
            DeclKind::Interface(data) => (&data.exports, data.flavour != Flavour::Local),
            DeclKind::Value(data) => (&data.exports, false),
            _ => return,
        };
        for export in exports {
            let (name, span) = match export {
                Export::Operation(operation) => (&operation.name, operation.span),
                Export::Attribute(attribute) => (&attribute.name, attribute.span),
            };
            let Some(why) = self.omission_reason(export, travel) else { continue };
            if !declaration.included {
                let what = format!("`{}::{name}`", self.model.scoped_name(id));
                self.omitted.warn(span, &what, why);
            }
            self.omitted.exports.insert((id, name.clone()));
        }
    }

    /// The reason to omit an operation or attribute, if there is one. `travel` is whether requests
    /// marshal its types; the front end has rejected local interfaces there.
    fn omission_reason(&self, export: &Export, travel: bool) -> Option<&'static str> {
        let (raised, types): (Vec<DeclId>, Vec<&Type>) = match export {
            Export::Operation(operation) => {
                let parameters = operation.parameters.iter().map(|parameter| &parameter.ty);
                (operation.raises.clone(), parameters.chain(&operation.result).collect())
            }
            Export::Attribute(attribute) => {
                let raised = attribute.get_raises.iter().chain(&attribute.set_raises);
                (raised.copied().collect(), vec![&attribute.ty])
            }
        };
        if raised.iter().any(|id| matches!(self.model.get(*id).kind, DeclKind::Native)) {
            return Some("it raises a native type, and Rust has no exceptions of its own");
        }
        let is_local = |ty: &Type| self.properties.of_type(ty).local;
        let keeps =
            types.into_iter().any(is_local) || raised.iter().any(|id| is_local(&Type::Named(*id)));
        (travel && keeps)
            .then_some("a native value cannot leave its process; in a `local interface` it may")
    }

    /// Omits every unsupported included declaration. Returns whether there was one.
    fn omit_more(&mut self) -> bool {
        let before = self.omitted.declarations.len();
        for (id, declaration) in self.model.iter() {
            if !declaration.included || self.omitted.contains(id) || self.externs.contains(id) {
                continue;
            }
            self.found.clear();
            self.declaration(id, declaration);
            let enclosing = declaration.scope.is_some_and(|scope| self.omitted.contains(scope));
            if enclosing || !self.found.is_empty() {
                self.omitted.declarations.insert(id);
            }
        }
        self.omitted.declarations.len() > before
    }

    /// Reports a reference to an omitted declaration.
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

    fn declaration(&mut self, id: DeclId, declaration: &Declaration) {
        let span = declaration.span;
        match &declaration.kind {
            DeclKind::Module(_)
            | DeclKind::Enum(_)
            | DeclKind::Native
            | DeclKind::Bitmask(_)
            | DeclKind::Com(_)
            | DeclKind::ComType(_) => {}
            DeclKind::Interface(interface) => self.interface(id, interface, span),
            DeclKind::Exception(body) => self.structure(body, span),
            DeclKind::Struct(body) => {
                self.structure(body, span);
            }
            DeclKind::Union(union) => self.union(union, span),
            DeclKind::Typedef(ty) => self.ty(ty, span),
            DeclKind::Const(constant) => self.ty(&constant.ty, span),
            DeclKind::Value(value) => self.valuetype(id, value, span),
            DeclKind::ValueBox(ty) => self.ty(ty, span),
            DeclKind::Bitset(data) => {
                data.base.iter().for_each(|base| self.used(*base, span));
                if queries::bitset_width(self.model, data) > queries::MAX_BITSET_BITS {
                    let instead =
                        "it is marshalled as one integer of at most 64 bits: split it into two";
                    self.refuse(span, "a bitset of more than 64 bits", instead);
                }
            }
        }
    }

    fn valuetype(&mut self, id: DeclId, value: &Value, span: Span) {
        value.bases.iter().chain(&value.supports).for_each(|base| self.used(*base, span));
        value.state.iter().for_each(|state| self.member(&state.member));
        self.exports(id, &value.exports);
        for initializer in &value.initializers {
            self.parameters(&initializer.parameters);
            self.raised(&initializer.raises, initializer.span);
        }
    }

    fn interface(&mut self, id: DeclId, interface: &Interface, span: Span) {
        interface.bases.iter().for_each(|base| self.used(*base, span));
        self.exports(id, &interface.exports);
    }

    fn exports(&mut self, id: DeclId, exports: &[Export]) {
        for export in exports {
            match export {
                Export::Operation(Operation { name, .. })
                | Export::Attribute(Attribute { name, .. })
                    if self.omitted.contains_export(id, name) => {}
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
            if case.labels.iter().any(is_half) {
                let instead = "a `char` of Rust is a whole character: switch on `unsigned short`";
                self.refuse(case.member.span, "half of a UTF-16 surrogate pair", instead);
            }
        }
    }

    fn member(&mut self, member: &Member) {
        self.ty(&member.ty, member.span);
    }

    fn ty(&mut self, ty: &Type, span: Span) {
        match ty {
            Type::Map(key, value, _) => {
                self.ty(key, span);
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
            | Type::Principal
            | Type::ValueBase
            | Type::TypeCode => {}
        }
    }
}

/// Whether the value contains half of a surrogate pair, which is not a `char`.
fn is_half(value: &ConstValue) -> bool {
    match value {
        ConstValue::WChar(unit) => char::from_u32(u32::from(*unit)).is_none(),
        ConstValue::WString(units) => String::from_utf16(units).is_err(),
        _ => false,
    }
}
