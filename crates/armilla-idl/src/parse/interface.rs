//! The rules of interfaces, their operations and their attributes.

use super::ast::{DefinitionKind, ForwardKind, Operation, Parameter, ScopedName};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::TokenKind;
use crate::model::Direction;

impl Parser<'_, '_, '_> {
    pub(super) fn interface(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the interface")?;
        if self.eat(";").is_some() {
            return Ok(DefinitionKind::Forward { kind: ForwardKind::Interface, name });
        }
        let bases = match self.eat(":") {
            Some(_) => self.names("the name of a base interface")?,
            None => Vec::new(),
        };
        if !self.at("{") {
            let expected = if bases.is_empty() { "`{`, `:` or `;`" } else { "`{`" };
            return Err(self.unexpected(expected));
        }
        self.bump();
        let mut items = Vec::new();
        self.nested(|parser| parser.items(&mut items, Self::export))?;
        self.expect("}")?;
        self.expect_semicolon("the interface")?;
        Ok(DefinitionKind::Interface { name, bases, items })
    }

    /// Scoped names with commas between.
    fn names(&mut self, what: &str) -> Parsed<Vec<ScopedName>> {
        let mut names = vec![self.scoped_name(what)?];
        while self.eat(",").is_some() {
            names.push(self.scoped_name(what)?);
        }
        Ok(names)
    }

    /// What may stand in an interface.
    fn export(&mut self) -> Parsed<DefinitionKind> {
        let token = self.peek();
        match &*token.text {
            "attribute" | "readonly" => self.attribute(),
            "module" | "interface" if token.kind == TokenKind::Identifier => {
                let message = format!("`{}` cannot stand in an interface", token.text);
                let diagnostic = Diagnostic::error(Code::Syntax, token.span, message);
                Err(self.fail(diagnostic.help("is the `}` of the interface missing?")))
            }
            _ => match self.data_definition()? {
                Some(kind) => Ok(kind),
                None => self.operation(),
            },
        }
    }

    fn attribute(&mut self) -> Parsed<DefinitionKind> {
        let readonly = self.eat_word("readonly").is_some();
        if self.eat_word("attribute").is_none() {
            return Err(self.unexpected("`attribute`"));
        }
        let ty = self.parameter_type("an attribute")?;
        let mut names = vec![self.name("the name of the attribute")?];
        while self.eat(",").is_some() {
            names.push(self.name("the name of the attribute")?);
        }
        if self.at("[") {
            return Err(self.no_array("an attribute"));
        }
        self.unsupported_attribute_raises();
        self.expect_semicolon("the attribute")?;
        Ok(DefinitionKind::Attribute { readonly, ty, names })
    }

    fn operation(&mut self) -> Parsed<DefinitionKind> {
        let oneway = self.eat_word("oneway");
        let result = match self.eat_word("void") {
            Some(_) => None,
            None => Some(self.parameter_type("a result")?),
        };
        let name = self.name("the name of the operation")?;
        self.expect("(")?;
        let (parameters, parameter_docs) = self.parameters()?;
        let raises = self.raises()?;
        self.unsupported_context();
        self.expect_semicolon("the operation")?;
        let operation = Operation { oneway, result, name, parameters, raises, parameter_docs };
        Ok(DefinitionKind::Operation(operation))
    }

    /// The parameters behind the `(`, and the comments on them.
    fn parameters(&mut self) -> Parsed<(Vec<Parameter>, Vec<String>)> {
        let mut parameters = Vec::new();
        let mut all_docs = Vec::new();
        while !self.at(")") {
            let mut docs = self.docs();
            let parameter = self.parameter()?;
            docs.append(&mut self.trailing);
            let more = self.eat(",").is_some();
            docs.append(&mut self.trailing);
            if !docs.is_empty() {
                all_docs.push(format!("- `{}`: {}", parameter.name.text, docs.join(" ")));
            }
            parameters.push(parameter);
            if more && self.at(")") {
                return Err(self.unexpected("another parameter"));
            } else if !more {
                break;
            }
        }
        self.expect(")")?;
        Ok((parameters, all_docs))
    }

    fn raises(&mut self) -> Parsed<Vec<ScopedName>> {
        if self.eat_word("raises").is_none() {
            return Ok(Vec::new());
        }
        self.expect("(")?;
        let names = self.names("the name of an exception")?;
        self.expect(")")?;
        Ok(names)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        self.unsupported_annotations();
        let token = self.peek();
        let direction = match &*token.text {
            "in" => Direction::In,
            "out" => Direction::Out,
            "inout" => Direction::InOut,
            _ => return Err(self.unexpected("`in`, `out` or `inout`")),
        };
        let direction_span = self.bump().span;
        let ty = self.parameter_type("a parameter")?;
        let name = self.name("the name of the parameter")?;
        if self.at("[") {
            return Err(self.no_array("a parameter"));
        }
        Ok(Parameter { direction, direction_span, ty, name })
    }

    fn no_array(&mut self, what: &str) -> super::Failed {
        let message = format!("the type of {what} must have a name");
        let diagnostic = Diagnostic::error(Code::AnonymousType, self.peek().span, message);
        self.fail(diagnostic.help("declare the array with `typedef` and use that name"))
    }
}
