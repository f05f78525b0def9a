//! Annotations of IDL 4 (IDL 4.2, 7.4.15 and 8).

use super::ast::{Argument, DefinitionKind, Number, TimingAnnotation};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::similar::nearest;
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

/// The annotations before a declaration.
pub(super) struct Annotations {
    /// Those that change the wire format.
    pub(super) others: Vec<Annotation>,
    /// Those of the timing of an operation, and of its roles.
    pub(super) timing: Vec<TimingAnnotation>,
}

/// The annotations that change the wire format.
const SUPPORTED: &[&str] = &["bit_bound", "position"];

/// The annotations of the timing of an operation.
const TIMING: &[&str] = &[
    "period",
    "deadline",
    "wcet",
    "jitter",
    "criticality",
    "importance",
    "threads",
    "calls",
    "holds",
];

/// The annotation of the roles whose members may call an operation, or read and write an attribute.
/// It is parsed like those of timing.
pub(crate) const ROLES: &str = "roles";

impl Parser<'_, '_, '_> {
    /// Parses annotations of what is no operation. Warns of those without an effect, once for each
    /// name.
    pub(super) fn annotations(&mut self) -> Vec<Annotation> {
        let Annotations { others, timing } = self.all_annotations();
        timing.iter().for_each(|annotation| self.misplaced(&annotation.name, annotation.span));
        others
    }

    /// Parses annotations. Warns of those that have no effect anywhere, once for each name.
    pub(super) fn all_annotations(&mut self) -> Annotations {
        let mut annotations = Vec::new();
        let mut timing = Vec::new();
        while let Some(at) = self.eat("@") {
            let Ok((name, span)) = self.annotation_name(at) else { break };
            if TIMING.contains(&name.as_str()) || name == ROLES {
                let Ok(arguments) = self.timing_arguments() else { break };
                timing.push(TimingAnnotation { name, span: span.to(self.previous()), arguments });
                continue;
            }
            let number = self.annotation_arguments();
            let annotation = Annotation { name, span, number };
            if SUPPORTED.contains(&annotation.name.as_str()) {
                annotations.push(annotation);
            } else {
                let why = match nearest(&annotation.name, TIMING) {
                    Some(meant) => format!("did you mean `@{meant}`?"),
                    None => "GIOP knows nothing of it".to_owned(),
                };
                self.ignore(&annotation.name, annotation.span, &why);
            }
        }
        if self.at_word("enum") {
            let bounds = annotations.iter().filter(|annotation| annotation.name == "bit_bound");
            let why = "in GIOP every enum has 32 bits";
            bounds.for_each(|bound| self.ignore(&bound.name, bound.span, why));
        }
        Annotations { others: annotations, timing }
    }

    /// Warns of an annotation of timing, or of roles, that stands before something else than
    /// an operation, and for roles, an attribute.
    pub(super) fn misplaced(&mut self, name: &str, span: Span) {
        let why = match name {
            ROLES => "only an operation or an attribute has roles",
            _ => "only an operation has a timing",
        };
        self.ignore(name, span, why);
    }

    /// The arguments of an annotation of timing: words that need not be IDL otherwise, separated
    /// by commas.
    fn timing_arguments(&mut self) -> Parsed<Vec<Argument>> {
        let mut arguments = Vec::new();
        if self.eat("(").is_none() {
            return Ok(arguments);
        }
        while !self.at(")") {
            let start = self.peek().span;
            let named = self.peek().kind == TokenKind::Identifier && self.peek_second().is("=");
            let name = named.then(|| {
                let name = self.bump().text.to_string();
                self.bump();
                name
            });
            let text = self.argument_text();
            if text.is_empty() {
                return Err(self.unexpected("a value"));
            }
            arguments.push(Argument { name, text, span: start.to(self.previous()) });
            if self.eat(",").is_none() {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    /// Warns of an annotation without an effect, once for each name.
    fn ignore(&mut self, name: &str, span: Span, why: &str) {
        if self.reported_annotations.insert(name.to_owned()) {
            let message = format!("the annotation `@{name}` has no effect");
            let warning = Diagnostic::warning(Code::AnnotationIgnored, span, message);
            self.session.report(warning.note(why));
        }
    }

    /// The name of an annotation, and its span with the `@`.
    fn annotation_name(&mut self, at: Span) -> Parsed<(String, Span)> {
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
        Ok((path, span))
    }

    /// A value: two words such as `10 ms` at most, where a scoped name is one word.
    fn argument_text(&mut self) -> String {
        let ends = [",", ")", "(", "{", "}", ";", "@"];
        let (mut text, mut words) = (String::new(), 0);
        while !self.at_end() && !ends.iter().any(|sign| self.at(sign)) {
            let joined = text.is_empty() || self.at("::") || text.ends_with("::") || text == "-";
            words += usize::from(!joined || text.is_empty() && !self.at("-"));
            if words > 2 {
                break;
            }
            text.push_str(if joined { "" } else { " " });
            text.push_str(&self.bump().text);
        }
        text
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
