//! The rules of valuetypes and boxed values (CORBA 3.4 Part 1, 7.9).

use super::ast::{DefinitionKind, ForwardKind, Initializer, Name, ScopedName, Value};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::TokenKind;
use crate::model::{Direction, ValueModifier};
use crate::source::Span;

impl Parser<'_, '_, '_> {
    /// Whether a name and the start of a body follow the next token.
    pub(super) fn begins_definition(&mut self) -> bool {
        let body = ["{", ":", ";"];
        let after = self.peek_third();
        body.iter().any(|sign| after.is(sign))
            || ["supports", "manages"].iter().any(|word| after.is_word(word))
    }

    /// A valuetype, its forward declaration, or a boxed value.
    pub(super) fn value(&mut self) -> Parsed<DefinitionKind> {
        let modifier = if self.eat_word("abstract").is_some() {
            ValueModifier::Abstract
        } else if self.eat_word("custom").is_some() {
            ValueModifier::Custom
        } else {
            ValueModifier::None
        };
        let event = self.at_word("eventtype");
        if !event && !self.at_word("valuetype") {
            let expected = match modifier {
                ValueModifier::Abstract => "`interface` or `valuetype`",
                _ => "`valuetype`",
            };
            return Err(self.unexpected(expected));
        }
        self.bump();
        let name = self.name("the name of the valuetype")?;
        if self.at(";") && modifier != ValueModifier::Custom {
            self.bump();
            let is_abstract = modifier == ValueModifier::Abstract;
            let kind = if event {
                ForwardKind::Event(is_abstract)
            } else {
                ForwardKind::Value(is_abstract)
            };
            return Ok(DefinitionKind::Forward { kind, name });
        }
        let has_body = self.at("{") || self.at(":") || self.at_word("supports");
        if has_body || event || modifier != ValueModifier::None {
            return self.value_body(modifier, event, name);
        }
        let ty = self.type_spec()?;
        self.expect_semicolon("the boxed value")?;
        Ok(DefinitionKind::ValueBox { name, ty })
    }

    fn value_body(
        &mut self,
        modifier: ValueModifier,
        event: bool,
        name: Name,
    ) -> Parsed<DefinitionKind> {
        let (truncatable, bases) = self.value_bases(modifier)?;
        let supports = self.supports()?;
        let opened = self.expect("{")?;
        let mut items = Vec::new();
        self.nested(|parser| parser.items(&mut items, |p| p.value_element(modifier)))?;
        self.expect_end_of(opened)?;
        self.expect_semicolon("the valuetype")?;
        let value = Value { modifier, event, name, truncatable, bases, supports, items };
        Ok(DefinitionKind::Value(value))
    }

    fn value_bases(&mut self, modifier: ValueModifier) -> Parsed<(Option<Span>, Vec<ScopedName>)> {
        if self.eat(":").is_none() {
            return Ok((None, Vec::new()));
        }
        let truncatable = self.eat_word("truncatable");
        if let Some(span) = truncatable.filter(|_| modifier != ValueModifier::None) {
            let what = if modifier == ValueModifier::Custom { "a custom" } else { "an abstract" };
            let message = format!("{what} valuetype cannot be `truncatable`");
            self.session.report(Diagnostic::error(Code::BadValue, span, message));
        }
        Ok((truncatable, self.names("the name of a base valuetype")?))
    }

    /// An item of a valuetype.
    fn value_element(&mut self, modifier: ValueModifier) -> Parsed<DefinitionKind> {
        self.annotations();
        let token = self.peek();
        let is_state = token.is_word("public") || token.is_word("private");
        let is_bare = !is_state && self.begins_bare_member();
        if !is_state && !is_bare && !token.is_word("factory") {
            return self.export();
        }
        let is_state = is_state || is_bare;
        if is_bare && modifier != ValueModifier::Abstract {
            let message = "`public` or `private` is missing before this state member";
            let error = Diagnostic::error(Code::Syntax, token.span, message);
            let help = "what every program may see is `public`; an operation has parentheses: \
                        `long x();`";
            self.session.report(error.help(help));
        }
        if modifier == ValueModifier::Abstract {
            let what = if is_state { "state" } else { "initializers" };
            let message = format!("an abstract valuetype has no {what}");
            self.session.report(Diagnostic::error(Code::BadValue, token.span, message));
        }
        if !is_bare {
            self.bump();
        }
        if !is_state {
            return self.initializer().map(DefinitionKind::Initializer);
        }
        let ty = self.type_spec()?;
        let declarators = self.declarators()?;
        self.expect_semicolon("the state member")?;
        let public = !token.is_word("private");
        Ok(DefinitionKind::StateMember { public, ty, declarators })
    }

    /// Whether a type and a name without parentheses follow: a state member whose `public` or
    /// `private` is missing.
    fn begins_bare_member(&mut self) -> bool {
        const OTHERS: &[&str] = &[
            "attribute",
            "bitmask",
            "bitset",
            "const",
            "enum",
            "exception",
            "factory",
            "import",
            "native",
            "oneway",
            "readonly",
            "struct",
            "typedef",
            "typeid",
            "typeprefix",
            "union",
            "void",
        ];
        let first = self.peek();
        let is_type = first.kind == TokenKind::Identifier || first.is("::");
        let after = self.peek_second();
        if !is_type || after.is(":") || OTHERS.iter().any(|word| first.is_word(word)) {
            return false;
        }
        let rest = self.tokens.get(self.next..).unwrap_or_default();
        let end = rest.iter().find(|token| ["(", ")", ";", "{", "}"].iter().any(|s| token.is(s)));
        end.is_some_and(|end| end.is(";"))
    }

    /// A name, parameters and exceptions.
    pub(super) fn initializer(&mut self) -> Parsed<Initializer> {
        let name = self.name("the name of the initializer")?;
        self.expect("(")?;
        let (parameters, _) = self.parameters()?;
        if let Some(wrong) = parameters.iter().find(|p| p.direction != Direction::In) {
            let message = "an initializer has `in` parameters only";
            self.session.report(Diagnostic::error(Code::BadValue, wrong.direction_span, message));
        }
        let raises = self.raises("raises")?;
        self.expect_semicolon("the initializer")?;
        Ok(Initializer { name, parameters, raises })
    }
}
