//! Annotations of IDL 4 (IDL 4.2, 7.4.15 and 8).

use super::ast::{DefinitionKind, Number};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{TokenKind, literal};
use crate::source::Span;

/// An annotation that this compiler supports.
#[derive(Debug)]
pub(super) struct Annotation {
    pub(super) name: String,
    pub(super) span: Span,
    /// Its argument, if that is one number.
    pub(super) number: Option<Number>,
}

/// The annotations that change the wire format.
const SUPPORTED: &[&str] = &["bit_bound", "position"];

impl Parser<'_, '_, '_> {
    /// Parses annotations. Warns of those without an effect, once for each name.
    pub(super) fn annotations(&mut self) -> Vec<Annotation> {
        let mut annotations = Vec::new();
        while let Some(at) = self.eat("@") {
            let Ok(annotation) = self.annotation(at) else { break };
            if SUPPORTED.contains(&annotation.name.as_str()) {
                annotations.push(annotation);
            } else {
                self.ignore(&annotation, "GIOP knows nothing of it");
            }
        }
        if self.at_word("enum") {
            let bounds = annotations.iter().filter(|annotation| annotation.name == "bit_bound");
            bounds.for_each(|bound| self.ignore(bound, "in GIOP every enum has 32 bits"));
        }
        annotations
    }

    /// Warns of an annotation without an effect, once for each name.
    fn ignore(&mut self, annotation: &Annotation, why: &str) {
        let name = &annotation.name;
        if self.reported_annotations.insert(name.clone()) {
            let message = format!("the annotation `@{name}` has no effect");
            let warning = Diagnostic::warning(Code::AnnotationIgnored, annotation.span, message);
            self.session.report(warning.note(why));
        }
    }

    fn annotation(&mut self, at: Span) -> Parsed<Annotation> {
        self.eat("::");
        let name = self.peek();
        if name.kind != TokenKind::Identifier {
            return Err(self.unexpected("the name of an annotation"));
        }
        self.bump();
        let mut path = name.text.to_string();
        while self.eat("::").is_some() {
            let part = self.bump();
            path = format!("{path}::{}", part.text);
        }
        let span = at.to(self.previous());
        let number = self.annotation_arguments();
        Ok(Annotation { name: path, span, number })
    }

    /// Skips `(…)`. Returns the content if it is one number.
    fn annotation_arguments(&mut self) -> Option<Number> {
        if !self.at("(") {
            return None;
        }
        let start = self.next + 1;
        self.skip_parentheses();
        let inner = self.tokens.get(start..self.next.saturating_sub(1))?;
        let [token] = inner else { return None };
        match literal::number(&token.text) {
            Ok(literal::Number::Integer(value)) => Some(Number { value, span: token.span }),
            _ => None,
        }
    }

    /// Skips the declaration of an annotation: `@annotation topic { string name; };`
    pub(super) fn annotation_declaration(&mut self) -> Parsed<Option<DefinitionKind>> {
        if !(self.at("@") && self.peek_second().is_word("annotation")) {
            return Ok(None);
        }
        self.bump();
        self.bump();
        self.name("the name of the annotation")?;
        if self.eat(":").is_some() {
            self.scoped_name("the name of an annotation")?;
        }
        if !self.at("{") {
            return Err(self.unexpected("`{`"));
        }
        self.skip_definition();
        Ok(Some(DefinitionKind::Unsupported { name: None }))
    }

    fn skip_parentheses(&mut self) {
        let mut depth = 0_usize;
        while !self.at_end() && !["{", "}", ";"].iter().any(|sign| self.at(sign)) {
            let token = self.bump();
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                depth = depth.saturating_sub(1);
            }
            if depth == 0 {
                return;
            }
        }
    }
}
