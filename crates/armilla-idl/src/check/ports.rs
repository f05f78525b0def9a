//! Ports: the operations of their equivalent IDL (CORBA 3.4 Part 3, 6.5 and 6.6), and port types,
//! which group ports under one name (IDL 4.2, 7.4.11).

use super::Checker;
use super::component::{component_name, suffixed};
use super::scope::{Target, key};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Flavour, Interface, Port, PortKind, Role, Type};
use crate::parse::ast::{
    self, Attribute, BodyItem, Declarator, DefinitionKind, Item, Member, Name, TypeKind, TypeSpec,
};

/// A declared port type.
pub(super) struct PortType {
    ports: Vec<(Port, Vec<String>)>,
    attributes: Vec<(Attribute, Vec<String>)>,
}

impl Checker<'_, '_> {
    pub(super) fn port_type(&mut self, name: &Name, items: &[Item]) {
        let mut port_type = PortType { ports: Vec::new(), attributes: Vec::new() };
        for item in items {
            let definition = match item {
                Item::Definition(definition) => definition,
                marker => {
                    self.items(std::slice::from_ref(marker));
                    continue;
                }
            };
            let docs = definition.docs.clone();
            match &definition.kind {
                DefinitionKind::Port(port) => {
                    let Some(port) = self.plain_port(port) else { continue };
                    port_type.ports.push((port, docs));
                }
                DefinitionKind::Attribute(attribute) => {
                    let attribute = self.known_attribute(attribute);
                    port_type.attributes.extend(attribute.map(|known| (known, docs)));
                }
                _ => {}
            }
        }
        let index = self.port_types.len();
        self.port_types.push(port_type);
        self.declare(name, Target::PortType(index));
    }

    /// `attribute` with all its names resolved, so that it means the same in another scope.
    fn known_attribute(&mut self, attribute: &Attribute) -> Option<Attribute> {
        let ty = self.ty(&attribute.ty);
        let mut known = |names| {
            let ids = self.raises(names);
            ids.into_iter().map(|id| self.absolute_name(id, attribute.ty.span)).collect()
        };
        let (get_raises, set_raises) = (known(&attribute.get_raises), known(&attribute.set_raises));
        let ty = TypeSpec { kind: TypeKind::Known(ty?), span: attribute.ty.span };
        Some(Attribute { ty, get_raises, set_raises, ..attribute.clone() })
    }

    /// A port of the component that is the current scope.
    pub(super) fn port(&mut self, port: &ast::Port, docs: &[String]) {
        let mirror = match port.kind {
            ast::PortKind::Plain(_) => {
                if let Some(port) = self.plain_port(port) {
                    self.add_port(port, docs);
                }
                return;
            }
            ast::PortKind::Extended => false,
            ast::PortKind::Mirror => true,
        };
        let TypeKind::Named(named) = &port.ty.kind else {
            return self.error(Code::BadPort, port.ty.span, "the name of a port type is needed");
        };
        let index = match self.resolve(named) {
            Some(Target::PortType(index)) => index,
            Some(other) => {
                return self.wrong_kind(Code::BadPort, named, other, "a port type");
            }
            None => return,
        };
        let size = self.port_types[index].ports.len() + self.port_types[index].attributes.len();
        if !self.grow(size, port.name.span) {
            return;
        }
        let prefixed =
            |text: &str| Name { text: format!("{}_{text}", port.name.text), span: port.name.span };
        for (part, docs) in self.port_types[index].ports.clone() {
            let Name { text: name, span } = prefixed(&part.name);
            let kind = if mirror { mirrored(part.kind) } else { part.kind };
            self.add_port(Port { name, kind, span, ..part }, &docs);
        }
        for (attribute, docs) in self.port_types[index].attributes.clone() {
            let names = attribute.names.iter().map(|name| prefixed(&name.text)).collect();
            self.attribute(&Attribute { names, ..attribute }, &docs);
        }
    }

    /// A port, whose type must be valid for its kind.
    fn plain_port(&mut self, port: &ast::Port) -> Option<Port> {
        let ast::PortKind::Plain(kind) = port.kind else {
            self.error(Code::BadPort, port.name.span, "a port type holds no ports of port types");
            return None;
        };
        let ty = self.ty(&port.ty)?;
        let declaration = match self.model.resolve(&ty) {
            Type::Named(id) => Some(&self.model.get(*id).kind),
            _ => None,
        };
        let is_object = matches!(ty, Type::Object);
        let (fits, what) = match kind {
            PortKind::Provides | PortKind::Uses | PortKind::UsesMultiple => {
                (is_object || matches!(declaration, Some(DeclKind::Interface(_))), "an interface")
            }
            PortKind::Emits | PortKind::Publishes | PortKind::Consumes => {
                let event = matches!(declaration, Some(DeclKind::Value(value)) if value.event);
                (event, "an event type")
            }
        };
        if !fits {
            let message = format!("what a port `{}` must be {what}", kind.keyword());
            let found = format!("`{}` is not", self.model.type_text(&ty));
            let error = Diagnostic::error(Code::BadPort, port.ty.span, message).label(found);
            self.session.report(error);
            return None;
        }
        let ty = self.model.resolve(&ty).clone();
        Some(Port { name: port.name.text.clone(), kind, ty, span: port.name.span })
    }

    /// Adds a port and its operations to the component that is the current scope.
    fn add_port(&mut self, port: Port, docs: &[String]) {
        let Some(id) = self.scope().decl else { return };
        let DeclKind::Interface(Interface { role: Role::Component(component), .. }) =
            &mut self.model.declarations[id.index()].kind
        else {
            return;
        };
        if let Some(known) = self.ports.insert((id, key(&port.name)), port.span) {
            let message = format!("there are two ports `{}`", port.name);
            let error = Diagnostic::error(Code::BadPort, port.span, message);
            return self.session.report(error.secondary(known, "first declared here"));
        }
        component.ports.push(port.clone());
        // A local interface cannot be used from another process.
        if !self.is_local_interface(&port.ty) {
            self.port_operations(&port, docs);
        }
    }

    fn is_local_interface(&self, ty: &Type) -> bool {
        let Type::Named(id) = ty else { return false };
        matches!(&self.model.get(*id).kind,
            DeclKind::Interface(interface) if interface.flavour == Flavour::Local)
    }

    fn port_operations(&mut self, port: &Port, docs: &[String]) {
        let name = &Name { text: port.name.clone(), span: port.span };
        let object = || TypeKind::Known(port.ty.clone());
        let cookie =
            |name: &str| (name.to_owned(), TypeKind::Named(component_name("Cookie", port.span)));
        let called = |verb: &str| format!("{verb}_{}", port.name);
        match port.kind {
            PortKind::Provides => {
                self.implied(name, called("provide"), Some(object()), Vec::new(), &[], docs);
            }
            PortKind::Uses => {
                let given = vec![("conxn".to_owned(), object())];
                let raises = ["AlreadyConnected", "InvalidConnection"];
                self.implied(name, called("connect"), None, given, &raises, docs);
                let raises = ["NoConnection"];
                self.implied(name, called("disconnect"), Some(object()), Vec::new(), &raises, &[]);
                self.implied(name, called("get_connection"), Some(object()), Vec::new(), &[], &[]);
            }
            PortKind::UsesMultiple => {
                let Some(all) = self.connections(name, &port.ty) else { return };
                let given = vec![("connection".to_owned(), object())];
                let raises = ["ExceededConnectionLimit", "InvalidConnection"];
                let (_, kind) = cookie("");
                self.implied(name, called("connect"), Some(kind), given, &raises, docs);
                let (raises, given) = (["InvalidConnection"], vec![cookie("ck")]);
                self.implied(name, called("disconnect"), Some(object()), given, &raises, &[]);
                let all = TypeKind::Known(Type::Named(all));
                self.implied(name, called("get_connections"), Some(all), Vec::new(), &[], &[]);
            }
            PortKind::Emits | PortKind::Publishes | PortKind::Consumes => {
                self.event_operations(name, port, docs);
            }
        }
    }

    fn event_operations(&mut self, name: &Name, port: &Port, docs: &[String]) {
        let Type::Named(event) = port.ty else { return };
        let consumer = || TypeKind::Named(self.consumer_name(event, port.span));
        let (taken, given) = (consumer(), vec![("consumer".to_owned(), consumer())]);
        let cookie = || TypeKind::Named(component_name("Cookie", port.span));
        let called = |verb: &str| format!("{verb}_{}", port.name);
        match port.kind {
            PortKind::Emits => {
                let raises = ["AlreadyConnected"];
                self.implied(name, called("connect"), None, given, &raises, docs);
                let raises = ["NoConnection"];
                self.implied(name, called("disconnect"), Some(taken), Vec::new(), &raises, &[]);
            }
            PortKind::Publishes => {
                if self.component_part("Cookie", port.span).is_none() {
                    return;
                }
                let raises = ["ExceededConnectionLimit"];
                self.implied(name, called("subscribe"), Some(cookie()), given, &raises, docs);
                let (raises, given) = (["InvalidConnection"], vec![("ck".to_owned(), cookie())]);
                self.implied(name, called("unsubscribe"), Some(taken), given, &raises, &[]);
            }
            _ => {
                self.implied(name, called("get_consumer"), Some(taken), Vec::new(), &[], docs);
            }
        }
    }

    /// The sequence of all connections of a receptacle for many objects.
    fn connections(&mut self, port: &Name, ty: &Type) -> Option<DeclId> {
        self.component_part("Cookie", port.span)?;
        let member = |name: &str, kind: TypeKind| {
            let name = Name { text: name.to_owned(), span: port.span };
            BodyItem::Member(Member {
                docs: Vec::new(),
                ty: TypeSpec { kind, span: port.span },
                declarators: vec![Declarator { name, dimensions: Vec::new() }],
                labels: Vec::new(),
            })
        };
        let connection = self.structure(
            &ast::Struct {
                name: suffixed(port, "Connection"),
                base: None,
                body: vec![
                    member("objref", TypeKind::Known(ty.clone())),
                    member("ck", TypeKind::Named(component_name("Cookie", port.span))),
                ],
            },
            &[],
        );
        let element = TypeKind::Known(Type::Named(connection));
        let element = Box::new(TypeSpec { kind: element, span: port.span });
        let all = TypeSpec { kind: TypeKind::Sequence(element, None), span: port.span };
        let name = suffixed(port, "Connections");
        self.typedef(&all, &[Declarator { name, dimensions: Vec::new() }], &[]);
        self.scope().members.last().copied()
    }
}

/// The opposite kind of a port.
fn mirrored(kind: PortKind) -> PortKind {
    match kind {
        PortKind::Provides => PortKind::Uses,
        PortKind::Uses | PortKind::UsesMultiple => PortKind::Provides,
        PortKind::Emits | PortKind::Publishes => PortKind::Consumes,
        PortKind::Consumes => PortKind::Publishes,
    }
}
