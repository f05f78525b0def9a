//! What the grammar of CORBA 3.4 and IDL 4.2 has and this version has not. Each construct is
//! reported by its name and skipped as a whole, so that the rest of the source is still checked.
//! Whoever implements one takes it out here.

use super::ast::{DefinitionKind, TypeKind, TypeSpec};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{Token, TokenKind};
use crate::source::Span;

/// Words that begin a declaration when a name follows them.
const DEFINITIONS: &[&str] = &[
    "abstract",
    "local",
    "custom",
    "valuetype",
    "native",
    "typeid",
    "typeprefix",
    "import",
    "eventtype",
    "component",
    "home",
    "porttype",
    "connector",
    "bitset",
    "bitmask",
];

/// Words that are types by themselves.
const TYPES: &[&str] = &["any", "wchar", "wstring", "fixed", "ValueBase"];

impl Parser<'_, '_, '_> {
    pub(super) fn unsupported(&mut self, span: Span, what: &str) {
        let message = format!("{what} is not supported yet");
        self.session.report(Diagnostic::error(Code::Unsupported, span, message));
    }

    /// A declaration of a kind that is not supported.
    pub(super) fn unsupported_definition(&mut self) -> Parsed<Option<DefinitionKind>> {
        self.unsupported_annotations();
        let token = self.peek();
        let behind = self.peek_second();
        let followed = behind.kind == TokenKind::Identifier || behind.is("::");
        if !followed || !DEFINITIONS.iter().any(|word| token.is_word(word)) {
            return Ok(None);
        }
        let mut construct = token.text.to_string();
        let mut span = token.span;
        self.bump();
        while ["valuetype", "interface", "eventtype"].iter().any(|word| self.at_word(word)) {
            let word = self.bump();
            construct = format!("{construct} {}", word.text);
            span = span.to(word.span);
        }
        self.unsupported(span, &format!("`{construct}`"));
        let declares = !matches!(&*construct, "typeid" | "typeprefix" | "import");
        let name = if declares { Some(self.name("a name")?) } else { None };
        self.skip_definition();
        Ok(Some(DefinitionKind::Unsupported { name }))
    }

    /// Skips to behind the `;` that ends the declaration.
    fn skip_definition(&mut self) {
        let mut depth = 0_usize;
        while !self.at_end() {
            let token = self.peek();
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                let Some(outer) = depth.checked_sub(1) else { return };
                depth = outer;
            }
            self.bump();
            if depth == 0 && token.is(";") {
                return;
            }
        }
    }

    /// A type that is not supported.
    pub(super) fn unsupported_type(&mut self) -> Parsed<Option<TypeSpec>> {
        let token = self.peek();
        let behind = self.peek_second();
        let long_double = token.is_word("long") && behind.is_word("double");
        let map = token.is_word("map") && behind.is("<");
        if !long_double && !map && !TYPES.iter().any(|word| token.is_word(word)) {
            return Ok(None);
        }
        let what = if long_double { "`long double`" } else { &format!("`{}`", token.text) };
        self.bump();
        let span = if long_double { token.span.to(self.bump().span) } else { token.span };
        self.unsupported(span, what);
        if self.at("<") {
            self.skip_angles();
        }
        Ok(Some(TypeSpec { kind: TypeKind::Unsupported, span }))
    }

    /// Skips `<…>`; stops at what cannot stand in it.
    fn skip_angles(&mut self) {
        let mut depth = 0_usize;
        while !self.at_end() && !["{", "}", ";"].iter().any(|sign| self.at(sign)) {
            let token = self.bump();
            match &*token.text {
                "<" => depth += 1,
                ">" => depth = depth.saturating_sub(1),
                ">>" => depth = depth.saturating_sub(2),
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// `context ("a", "b")` behind an operation.
    pub(super) fn unsupported_context(&mut self) {
        if let Some(span) = self.eat_word("context") {
            self.unsupported(span, "`context`");
            self.skip_parentheses();
        }
    }

    /// `raises`, `getraises` and `setraises` behind an attribute.
    pub(super) fn unsupported_attribute_raises(&mut self) {
        while let token = self.peek()
            && ["raises", "getraises", "setraises"].iter().any(|word| token.is_word(word))
        {
            self.bump();
            self.unsupported(token.span, &format!("`{}` of an attribute", token.text));
            self.skip_parentheses();
        }
    }

    /// `@annotation(…)` of IDL 4.
    pub(super) fn unsupported_annotations(&mut self) {
        while let Some(at) = self.eat("@") {
            let name: &Token = self.peek();
            self.unsupported(at.to(name.span), &format!("the annotation `@{}`", name.text));
            if name.kind == TokenKind::Identifier {
                self.bump();
                while self.eat("::").is_some() && self.peek().kind == TokenKind::Identifier {
                    self.bump();
                }
            }
            self.skip_parentheses();
        }
    }

    fn skip_parentheses(&mut self) {
        if !self.at("(") {
            return;
        }
        let mut depth = 0_usize;
        while !self.at_end() && !["{", "}", ";"].iter().any(|sign| self.at(sign)) {
            let token = self.bump();
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                depth -= 1;
            }
            if depth == 0 {
                return;
            }
        }
    }
}
