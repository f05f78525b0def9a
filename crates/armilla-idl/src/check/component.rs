//! Components and event types: their equivalent IDL (CORBA 3.4 Part 3, 6.4 to 6.6) becomes part of
//! the model. `ports` has the operations of ports.

use super::scope::{Entry, ScopeId, Target, key};
use super::{Checker, bases};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{Component, DeclId, DeclKind, Direction, Interface, Role, Type};
use crate::parse::ast::{
    self, Definition, DefinitionKind, Item, Name, Operation, Parameter, ScopedName, TypeKind,
    TypeSpec,
};
use crate::source::Span;

/// The module on which equivalent IDL is based.
const MODULE: &str = "Components";

impl Checker<'_, '_> {
    pub(super) fn component(&mut self, component: &ast::Component, docs: &[String]) {
        let name = &component.name;
        let what = if component.connector { "a connector" } else { "a component" };
        let base = component.base.as_ref().and_then(|base| {
            self.base(base, what, |kind| {
                matches!(kind, DeclKind::Interface(Interface { role: Role::Component(other), .. })
                    if other.connector == component.connector)
            })
        });
        let supports = self.base_interfaces(&component.supports);
        let first = match &component.base {
            Some(named) => base.map(|base| (base, named.span())),
            None => self.component_base("CCMObject", name.span),
        };
        let role = Role::Component(Component {
            connector: component.connector,
            base,
            supports: bases::ids(&supports),
            ports: Vec::new(),
        });
        let bases: Vec<bases::Base> = first.into_iter().chain(supports).collect();
        let interface = Interface { role, ..Interface::default() };
        self.define_interface(interface, name, docs, &bases, |checker| {
            for item in &component.items {
                match item {
                    Item::Definition(definition) => checker.port_or_attribute(definition),
                    marker => checker.items(std::slice::from_ref(marker)),
                }
            }
        });
    }

    fn port_or_attribute(&mut self, definition: &Definition) {
        match &definition.kind {
            DefinitionKind::Port(port) => self.port(port, &definition.docs),
            _ => {
                self.definition(definition);
            }
        }
    }

    /// The consumer interface of the event type `event` (6.6.1).
    pub(super) fn consumer(&mut self, event: DeclId, name: &Name) {
        let DeclKind::Value(value) = &self.model.get(event).kind else { return };
        let is_event = |id: &&DeclId| match &self.model.get(**id).kind {
            DeclKind::Value(value) => value.event,
            _ => false,
        };
        let base = value.bases.iter().find(is_event).copied();
        let base = match base {
            Some(base) => {
                let consumer = self.consumer_name(base, name.span);
                self.base_interfaces(&[consumer]).pop()
            }
            None => self.component_base("EventConsumerBase", name.span),
        };
        let bases: Vec<bases::Base> = base.into_iter().collect();
        let consumer = suffixed(name, "Consumer");
        let interface = Interface::default();
        self.define_interface(interface, &consumer, &[], &bases, |checker| {
            let parameter = format!("the_{}", name.text.to_ascii_lowercase());
            let event = TypeKind::Known(Type::Named(event));
            let given = vec![(parameter, event)];
            checker.implied(name, format!("push_{}", name.text), None, given, &[], &[]);
        });
    }

    /// The name of the consumer interface of the event type `event`.
    pub(super) fn consumer_name(&self, event: DeclId, span: Span) -> ScopedName {
        let mut name = self.absolute_name(event, span);
        let last = name.rest.last_mut().unwrap_or(&mut name.first);
        last.text.push_str("Consumer");
        name
    }

    /// The absolute name of a declaration.
    pub(super) fn absolute_name(&self, id: DeclId, span: Span) -> ScopedName {
        let mut path = self.model.path(id).into_iter();
        let name = |text: &str| Name { text: text.to_owned(), span };
        let first = name(path.next().unwrap_or_default());
        ScopedName { absolute: true, first, rest: path.map(name).collect() }
    }

    /// An interface or valuetype of the module `Components`, as a base of the declaration at
    /// `span`.
    pub(super) fn component_base(&mut self, name: &str, span: Span) -> Option<bases::Base> {
        let Target::Decl(id) = self.component_part(name, span)? else { return None };
        self.scope_of.contains_key(&id).then_some((id, span))
    }

    /// Resolves `name` in the module `Components`. Reports once that the module is missing.
    pub(super) fn component_part(&mut self, name: &str, span: Span) -> Option<Target> {
        let module = self.scopes[ScopeId::FILE.0].names.get(&key(MODULE));
        let part = module.and_then(|entry| match entry.target {
            Target::Decl(id) => {
                let scope = self.scope_of.get(&id)?;
                self.scopes[scope.0].names.get(&key(name))
            }
            _ => None,
        });
        if let Some(Entry { target, .. }) = part {
            return Some(*target);
        }
        if !std::mem::replace(&mut self.components_missing, true) {
            let message = format!("this needs `{MODULE}::{name}`, which is not declared");
            let error = Diagnostic::error(Code::NoComponents, span, message);
            let help = "write `#include <Components.idl>` before it; where no such file is found, \
                        the one of this compiler is used";
            self.session.report(error.help(help));
        }
        None
    }

    /// Declares an operation of equivalent IDL, with the span and docs of `owner`.
    pub(super) fn implied(
        &mut self,
        owner: &Name,
        name: String,
        result: Option<TypeKind>,
        parameters: Vec<(String, TypeKind)>,
        raises: &[&str],
        docs: &[String],
    ) {
        let raises = self.component_exceptions(raises, owner.span);
        let parameters = parameters.into_iter().map(|(name, kind)| Parameter {
            direction: Direction::In,
            direction_span: owner.span,
            ty: TypeSpec { kind, span: owner.span },
            name: Name { text: name, span: owner.span },
        });
        let operation = Operation {
            oneway: None,
            result: result.map(|kind| TypeSpec { kind, span: owner.span }),
            name: Name { text: name, span: owner.span },
            parameters: parameters.collect(),
            raises,
            context: Vec::new(),
            parameter_docs: Vec::new(),
            timing: Vec::new(),
        };
        self.operation(&operation, docs);
    }

    /// The names of exceptions of the module `Components`.
    pub(super) fn component_exceptions(&mut self, names: &[&str], span: Span) -> Vec<ScopedName> {
        let mut known = Vec::new();
        for name in names {
            if self.component_part(name, span).is_some() {
                known.push(component_name(name, span));
            }
        }
        known
    }
}

/// `::Components::X`
pub(super) fn component_name(name: &str, span: Span) -> ScopedName {
    let part = |text: &str| Name { text: text.to_owned(), span };
    ScopedName { absolute: true, first: part(MODULE), rest: vec![part(name)] }
}

/// `name` with a suffix.
pub(super) fn suffixed(name: &Name, suffix: &str) -> Name {
    Name { text: format!("{}{suffix}", name.text), span: name.span }
}
