//! The rules of interfaces, their operations and their attributes.

use super::annotation::{Annotations, ROLES};
use super::ast::TimingAnnotation;
use super::ast::{Attribute, DefinitionKind, ForwardKind, Operation, Parameter, ScopedName};
use super::{Parsed, Parser, hint};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::TokenKind;
use crate::model::{Direction, Flavour};
use crate::source::Span;

impl Parser<'_, '_, '_> {
    /// `local interface` or `abstract interface`.
    pub(super) fn flavoured_interface(&mut self, flavour: Flavour) -> Parsed<DefinitionKind> {
        self.bump();
        if !self.at_word("interface") {
            return Err(self.unexpected("`interface`"));
        }
        self.interface(flavour)
    }

    pub(super) fn interface(&mut self, flavour: Flavour) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the interface")?;
        if self.eat(";").is_some() {
            return Ok(DefinitionKind::Forward { kind: ForwardKind::Interface(flavour), name });
        }
        let bases = match self.eat(":") {
            Some(_) => self.names("the name of a base interface")?,
            None => Vec::new(),
        };
        if !self.at("{") {
            let expected = if bases.is_empty() { "`{`, `:` or `;`" } else { "`{`" };
            return Err(self.unexpected(expected));
        }
        let opened = self.bump().span;
        let mut items = Vec::new();
        self.nested(|parser| parser.items(&mut items, Self::export))?;
        self.expect_end_of(opened)?;
        self.expect_semicolon("the interface")?;
        Ok(DefinitionKind::Interface { flavour, name, bases, items })
    }

    /// Scoped names separated by commas.
    pub(super) fn names(&mut self, what: &str) -> Parsed<Vec<ScopedName>> {
        let mut names = vec![self.scoped_name(what)?];
        while self.eat(",").is_some() {
            names.push(self.scoped_name(what)?);
        }
        Ok(names)
    }

    /// An item of an interface.
    pub(super) fn export(&mut self) -> Parsed<DefinitionKind> {
        let Annotations { others: annotations, mut timing } = self.all_annotations();
        let mut timed: Vec<(String, Span)> =
            timing.iter().map(|annotation| (annotation.name.clone(), annotation.span)).collect();
        let token = self.peek();
        let kind = match &*token.text {
            "attribute" | "readonly" => {
                timing.retain(|annotation| annotation.name == ROLES);
                timed.retain(|(name, _)| name != ROLES);
                self.attribute(timing)
            }
            "module" | "interface" | "valuetype" | "abstract" | "local" | "custom"
                if token.kind == TokenKind::Identifier =>
            {
                let message =
                    format!("`{}` cannot be declared in an interface or valuetype", token.text);
                let diagnostic = Diagnostic::error(Code::Syntax, token.span, message);
                Err(self.fail(diagnostic.help("a `}` may be missing before this")))
            }
            _ => match self.data_definition(&annotations)? {
                Some(kind) => Ok(kind),
                None => self.operation(timing),
            },
        }?;
        if !matches!(kind, DefinitionKind::Operation(_)) {
            timed.iter().for_each(|(name, span)| self.misplaced(name, *span));
        }
        Ok(kind)
    }

    /// An attribute, whose roles these annotations name.
    pub(super) fn attribute(&mut self, roles: Vec<TimingAnnotation>) -> Parsed<DefinitionKind> {
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
        let (get_raises, set_raises) = self.attribute_raises(readonly, names.len())?;
        self.expect_semicolon("the attribute")?;
        let attribute = Attribute { readonly, ty, names, get_raises, set_raises, roles };
        Ok(DefinitionKind::Attribute(attribute))
    }

    /// The exceptions of an attribute: `raises` if it is readonly, otherwise `getraises` and
    /// `setraises`.
    fn attribute_raises(
        &mut self,
        readonly: bool,
        names: usize,
    ) -> Parsed<(Vec<ScopedName>, Vec<ScopedName>)> {
        let token = self.peek();
        let wrong = match &*token.text {
            "raises" if !readonly => Some("`getraises` or `setraises`, as it can be written"),
            "getraises" | "setraises" if readonly => Some("`raises`, as it can only be read"),
            _ => None,
        };
        if let Some(instead) = wrong {
            let message = format!("this attribute needs {instead}");
            return Err(self.fail(Diagnostic::error(Code::Syntax, token.span, message)));
        }
        let get = self.raises(if readonly { "raises" } else { "getraises" })?;
        let set = if readonly { Vec::new() } else { self.raises("setraises")? };
        if names > 1 && !(get.is_empty() && set.is_empty()) {
            let message = "only an attribute declared alone can raise exceptions";
            let error = Diagnostic::error(Code::Syntax, token.span, message);
            self.session.report(error.help("declare each of the attributes by itself"));
        }
        Ok((get, set))
    }

    fn operation(&mut self, timing: Vec<TimingAnnotation>) -> Parsed<DefinitionKind> {
        let oneway = self.eat_word("oneway");
        let result = match self.eat_word("void") {
            Some(_) => None,
            None => Some(self.parameter_type("a result")?),
        };
        let name = self.name("the name of the operation")?;
        self.expect("(")?;
        let (parameters, parameter_docs) = self.parameters()?;
        let raises = self.raises("raises")?;
        let context = self.context()?;
        self.expect_semicolon("the operation")?;
        let operation =
            Operation { oneway, result, name, parameters, raises, context, parameter_docs, timing };
        Ok(DefinitionKind::Operation(operation))
    }

    /// The parameters after the `(`, and their comments.
    pub(super) fn parameters(&mut self) -> Parsed<(Vec<Parameter>, Vec<String>)> {
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

    /// Exceptions in parentheses after `keyword`, if that follows.
    pub(super) fn raises(&mut self, keyword: &str) -> Parsed<Vec<ScopedName>> {
        if self.eat_word(keyword).is_none() {
            return Ok(Vec::new());
        }
        self.expect("(")?;
        let names = self.names("the name of an exception")?;
        self.expect(")")?;
        Ok(names)
    }

    /// `context ("a", "b*")` after an operation.
    fn context(&mut self) -> Parsed<Vec<String>> {
        let mut names = Vec::new();
        if self.eat_word("context").is_none() {
            return Ok(names);
        }
        self.expect("(")?;
        loop {
            let token = self.peek();
            if token.kind != TokenKind::String {
                return Err(self.unexpected("a name in quotes"));
            }
            self.bump();
            let name = token.text.trim_matches('"');
            if is_context_name(name) {
                names.push(name.to_owned());
            } else {
                let message = format!("`{name}` is not a name of a context");
                let error = Diagnostic::error(Code::BadContext, token.span, message);
                let help = "a letter comes first, then letters, digits, `_` and `.`, and one `*` \
                            at the end";
                self.session.report(error.help(help));
            }
            if self.eat(",").is_none() {
                break;
            }
        }
        self.expect(")")?;
        Ok(names)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        self.annotations();
        let token = self.peek();
        let direction = match &*token.text {
            "in" => Direction::In,
            "out" => Direction::Out,
            "inout" => Direction::InOut,
            _ => self.wrong_direction()?,
        };
        let direction_span = token.span;
        if token.is_word("in") || token.is_word("out") || token.is_word("inout") {
            self.bump();
        }
        let ty = self.parameter_type("a parameter")?;
        let name = self.name("the name of the parameter")?;
        if self.at("[") {
            return Err(self.no_array("a parameter"));
        }
        Ok(Parameter { direction, direction_span, ty, name })
    }

    /// Reports a parameter that does not begin with its direction. A misspelled one is consumed; if
    /// there is none, the parameter is parsed as an `in` parameter.
    fn wrong_direction(&mut self) -> Parsed<Direction> {
        let (found, after, third) = (self.peek(), self.peek_second(), self.peek_third());
        let has_name = !after.is(",") && !after.is(")");
        if found.kind != TokenKind::Identifier && !found.is("::") || !has_name {
            return Err(self.unexpected("`in`, `out` or `inout`"));
        }
        let meant = hint::direction(found, after, third);
        let message = match meant {
            Some(_) => format!("expected `in`, `out` or `inout`, found `{}`", found.text),
            None => "the direction of this parameter is missing".to_owned(),
        };
        let help = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => hint::no_direction(found),
        };
        self.session.report(Diagnostic::error(Code::Syntax, found.span, message).help(help));
        if meant.is_some() || found.is_word("const") {
            self.bump();
        }
        Ok(match meant {
            Some("out") => Direction::Out,
            Some("inout") => Direction::InOut,
            _ => Direction::In,
        })
    }

    fn no_array(&mut self, what: &str) -> super::Failed {
        let message = format!("the type of {what} must have a name");
        let diagnostic = Diagnostic::error(Code::AnonymousType, self.peek().span, message);
        self.fail(diagnostic.help("declare the array with `typedef` and use that name"))
    }
}

fn is_context_name(name: &str) -> bool {
    let stem = name.strip_suffix('*').unwrap_or(name);
    stem.starts_with(|c: char| c.is_ascii_alphabetic())
        && stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}
