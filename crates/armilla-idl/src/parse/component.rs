//! The rules of components, connectors, port types and homes (IDL 4.2, 7.4.8 to 7.4.11).

use super::ast::{
    Component, DefinitionKind, ForwardKind, Home, HomeOperation, Port, PortKind, ScopedName,
};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::model;

/// The keywords that begin ports.
const PORTS: &[(&str, PortKind)] = &[
    ("provides", PortKind::Plain(model::PortKind::Provides)),
    ("uses", PortKind::Plain(model::PortKind::Uses)),
    ("emits", PortKind::Plain(model::PortKind::Emits)),
    ("publishes", PortKind::Plain(model::PortKind::Publishes)),
    ("consumes", PortKind::Plain(model::PortKind::Consumes)),
    ("port", PortKind::Extended),
    ("mirrorport", PortKind::Mirror),
];

impl Parser<'_, '_, '_> {
    /// A declaration that begins with a keyword of CORBA 3. `None` if the word is an ordinary name
    /// here.
    pub(super) fn component_definition(&mut self) -> Parsed<Option<DefinitionKind>> {
        if !self.begins_definition() {
            return Ok(None);
        }
        Ok(Some(match &*self.peek().text {
            "component" => self.component(false)?,
            "connector" => self.component(true)?,
            "porttype" => self.port_type()?,
            "home" => self.home()?,
            _ => return Ok(None),
        }))
    }

    fn component(&mut self, connector: bool) -> Parsed<DefinitionKind> {
        let what = if connector { "connector" } else { "component" };
        self.bump();
        let name = self.name(&format!("the name of the {what}"))?;
        if !connector && self.eat(";").is_some() {
            return Ok(DefinitionKind::Forward { kind: ForwardKind::Component, name });
        }
        let base = self.base(what)?;
        let supports = if connector { Vec::new() } else { self.supports()? };
        let mut items = Vec::new();
        let opened = self.expect("{")?;
        self.nested(|parser| parser.items(&mut items, |parser| parser.port_or_attribute(what)))?;
        self.expect_end_of(opened)?;
        self.expect_semicolon(&format!("the {what}"))?;
        Ok(DefinitionKind::Component(Component { connector, name, base, supports, items }))
    }

    fn port_type(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the port type")?;
        // A port type cannot be used before its definition, so a forward declaration has no effect.
        if self.eat(";").is_some() {
            return Ok(DefinitionKind::Unsupported { name: None });
        }
        let mut items = Vec::new();
        let opened = self.expect("{")?;
        self.nested(|parser| parser.items(&mut items, |p| p.port_or_attribute("port type")))?;
        self.expect_end_of(opened)?;
        self.expect_semicolon("the port type")?;
        Ok(DefinitionKind::PortType { name, items: items.into() })
    }

    /// An item of `owner`, a component, a connector or a port type.
    fn port_or_attribute(&mut self, owner: &str) -> Parsed<DefinitionKind> {
        self.annotations();
        let token = self.peek();
        if token.is_word("attribute") || token.is_word("readonly") {
            return self.attribute(Vec::new());
        }
        let Some((word, kind)) = PORTS.iter().find(|(word, _)| token.is_word(word)) else {
            let message = format!("expected a port or an attribute, found `{}`", token.text);
            let error = Diagnostic::error(Code::Syntax, token.span, message);
            let help =
                "declare operations in an interface that the component `supports` or `provides`";
            return Err(self.fail(error.help(help)));
        };
        if owner != "component" && matches!(*word, "emits" | "publishes" | "consumes") {
            let message = format!("a {owner} has no `{word}`");
            let error = Diagnostic::error(Code::BadPort, token.span, message);
            self.session.report(error.help("events go between components"));
        }
        self.bump();
        let multiple = *word == "uses" && self.at_word("multiple") && !self.peek_third().is(";");
        if multiple {
            self.bump();
        }
        let kind = if multiple { PortKind::Plain(model::PortKind::UsesMultiple) } else { *kind };
        let ty = self.parameter_type("a port")?;
        let name = self.name("the name of the port")?;
        self.expect_semicolon("the port")?;
        Ok(DefinitionKind::Port(Port { kind, ty, name }))
    }

    fn home(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the home")?;
        let base = self.base("home")?;
        let supports = self.supports()?;
        if self.eat_word("manages").is_none() {
            return Err(self.unexpected("`manages` and the component"));
        }
        let manages = self.scoped_name("the name of a component")?;
        let primary_key = match self.eat_word("primarykey") {
            Some(_) => Some(self.scoped_name("the name of a valuetype")?),
            None => None,
        };
        let mut items = Vec::new();
        let opened = self.expect("{")?;
        self.nested(|parser| parser.items(&mut items, Self::home_export))?;
        self.expect_end_of(opened)?;
        self.expect_semicolon("the home")?;
        let home = Home { name, base, supports, manages, primary_key, items };
        Ok(DefinitionKind::Home(home))
    }

    /// An item of a home.
    fn home_export(&mut self) -> Parsed<DefinitionKind> {
        self.annotations();
        let kind = if self.at_word("factory") {
            HomeOperation::Factory
        } else if self.at_word("finder") && self.peek_third().is("(") {
            HomeOperation::Finder
        } else {
            return self.export();
        };
        self.bump();
        let initializer = self.initializer()?;
        Ok(DefinitionKind::HomeOperation { kind, initializer })
    }

    /// An optional `: Base`.
    fn base(&mut self, what: &str) -> Parsed<Option<ScopedName>> {
        if self.eat(":").is_none() {
            return Ok(None);
        }
        let names = self.names(&format!("the name of a base {what}"))?;
        let mut names = names.into_iter();
        let first = names.next();
        if let Some(second) = names.next() {
            let message = format!("a {what} has at most one base");
            let error = Diagnostic::error(Code::BadBase, second.span(), message);
            self.session.report(error.help("name interfaces after `supports`"));
        }
        Ok(first)
    }

    pub(super) fn supports(&mut self) -> Parsed<Vec<ScopedName>> {
        match self.eat_word("supports") {
            Some(_) => self.names("the name of a supported interface"),
            None => Ok(Vec::new()),
        }
    }
}
