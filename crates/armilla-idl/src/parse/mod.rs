//! The parser: from tokens to a syntax tree, by recursive descent (the grammar of IDL 4.2, 7.4).
//!
//! After an error it skips to the start of the next declaration, so that one run reports several
//! errors. Too deep nesting ends the run. This file has the parser's primitives; each other file
//! has a group of grammar rules.

pub(crate) mod annotation;
pub(crate) mod ast;
mod bits;
mod body;
mod com;
pub(crate) mod com_ast;
mod com_definition;
mod com_type;
mod com_union;
mod component;
mod definition;
mod expression;
mod hint;
mod identity;
mod interface;
mod midl;
mod template;
mod types;
mod unsupported;
mod value;

use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{Token, TokenKind, keyword};
use crate::session::Session;
use crate::source::Span;
pub(crate) use com_type::plain;

use ast::{Definition, Item, Name, ScopedName};
use std::collections::HashSet;

/// The maximum nesting of modules, types and sequences.
const MAX_DEPTH: usize = 64;

/// Parses the tokens of the preprocessor.
pub(crate) fn parse(session: &mut Session<'_>, tokens: &[Token]) -> Vec<Item> {
    let Some((end, tokens)) = tokens.split_last() else { return Vec::new() };
    session.midl.extend(midl::files(tokens));
    let mut parser = Parser {
        session,
        tokens,
        end,
        next: 0,
        marks: Vec::new(),
        depth: 0,
        half_angle: false,
        ended: false,
        in_template: false,
        trailing: Vec::new(),
        reported_annotations: HashSet::new(),
        pending: Vec::new(),
    };
    parser.specification()
}

/// A syntax error was reported; the current rule cannot continue.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'t, 's, 'o> {
    session: &'s mut Session<'o>,
    tokens: &'t [Token],
    /// The end token, which is returned after all others.
    end: &'t Token,
    next: usize,
    /// Pragmas and file markers that were passed. They are inserted before the next item.
    marks: Vec<Item>,
    depth: usize,
    /// Whether the first `>` of the next token, a `>>`, is consumed.
    half_angle: bool,
    /// Whether an unexpected end was reported or the rest was skipped. Then no further rule reports
    /// that its input ended.
    ended: bool,
    /// Whether the current item is in a template module.
    in_template: bool,
    /// The trailing comment of the last consumed token.
    trailing: Vec<String>,
    /// The annotations that were reported as without effect.
    reported_annotations: HashSet<String>,
    /// Definitions that stand within another one of COM, for the scope around it.
    pending: Vec<Definition>,
}

impl<'t> Parser<'t, '_, '_> {
    /// The next token. Markers before it are collected.
    fn peek(&mut self) -> &'t Token {
        while let Some(token) = self.tokens.get(self.next) {
            let marker = match &token.kind {
                TokenKind::Pragma(pragma) => Item::Pragma(pragma.clone(), token.span),
                TokenKind::EnterFile => Item::EnterFile,
                TokenKind::LeaveFile => Item::LeaveFile,
                _ => return token,
            };
            self.marks.push(marker);
            self.next += 1;
        }
        self.end
    }

    /// The token after the next one, not counting markers.
    fn peek_second(&mut self) -> &'t Token {
        self.peek_nth(0)
    }

    fn peek_third(&mut self) -> &'t Token {
        self.peek_nth(1)
    }

    /// The token `distance` after the second one.
    fn peek_nth(&mut self, distance: usize) -> &'t Token {
        self.peek();
        let is_marker = |token: &Token| {
            matches!(token.kind, TokenKind::Pragma(_) | TokenKind::EnterFile | TokenKind::LeaveFile)
        };
        let after = self.tokens.iter().skip(self.next + 1);
        after.filter(|token| !is_marker(token)).nth(distance).unwrap_or(self.end)
    }

    fn bump(&mut self) -> &'t Token {
        let token = self.peek();
        self.next = (self.next + 1).min(self.tokens.len());
        self.trailing = token.trailing.as_deref().unwrap_or_default().to_vec();
        token
    }

    fn at_end(&mut self) -> bool {
        self.peek().kind == TokenKind::End
    }

    fn at(&mut self, sign: &str) -> bool {
        self.peek().is(sign)
    }

    fn at_word(&mut self, word: &str) -> bool {
        self.peek().is_word(word)
    }

    fn eat(&mut self, sign: &str) -> Option<Span> {
        self.at(sign).then(|| self.bump().span)
    }

    fn eat_word(&mut self, word: &str) -> Option<Span> {
        self.at_word(word).then(|| self.bump().span)
    }

    /// Consumes `sign` or reports that it is missing.
    fn expect(&mut self, sign: &str) -> Parsed<Span> {
        match self.eat(sign) {
            Some(span) => Ok(span),
            None => Err(self.unexpected(&format!("`{sign}`"))),
        }
    }

    /// Consumes the `}` of the body that the `{` at `opened` begins, or reports that it is missing.
    fn expect_end_of(&mut self, opened: Span) -> Parsed<()> {
        if self.eat("}").is_some() {
            return Ok(());
        }
        if !self.at_end() {
            return Err(self.unexpected("`}`"));
        }
        let message = "expected `}`, found the end of the file";
        let error = Diagnostic::error(Code::Syntax, self.peek().span, message);
        Err(self.fail(error.secondary(opened, "this is not closed")))
    }

    /// Consumes the `;` after a complete construct. If only that is missing, parsing continues as
    /// if it were there.
    fn expect_semicolon(&mut self, after: &str) -> Parsed<()> {
        if self.eat(";").is_some() {
            return Ok(());
        }
        let next = self.peek();
        let previous = self.previous();
        if self.at_end() || !next.starts_line && !self.at("}") {
            return Err(self.unexpected(&format!("`;` after {after}")));
        }
        let message = format!("`;` is missing after {after}");
        self.session.report(Diagnostic::error(Code::Syntax, previous.after(), message));
        Ok(())
    }

    /// The span of the last consumed token.
    fn previous(&mut self) -> Span {
        self.peek();
        let before = self.tokens[..self.next].iter().rev();
        let mut real = before.filter(|token| !token.text.is_empty());
        real.next().map_or(self.end.span, |token| token.span)
    }

    /// Reports that something other than the next token was expected.
    fn unexpected(&mut self, expected: &str) -> Failed {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end of the file".to_owned(),
            TokenKind::Unknown => {
                let message = format!("IDL has no character `{}`", token.text);
                let error = Diagnostic::error(Code::BadCharacter, token.span, message);
                return self.fail(match hint::of_character(&token.text) {
                    Some(help) => error.help(help),
                    None => error,
                });
            }
            TokenKind::Unterminated => {
                let message = "this literal is not closed on its line";
                return self.fail(Diagnostic::error(Code::Unterminated, token.span, message));
            }
            TokenKind::Identifier if keyword::reserved(&token.text) == Some(&*token.text) => {
                format!("the keyword `{}`", token.text)
            }
            _ => format!("`{}`", token.text),
        };
        let message = format!("expected {expected}, found {found}");
        let error = Diagnostic::error(Code::Syntax, token.span, message);
        let error = match self.hint(expected) {
            Some(help) => error.help(help),
            None => error,
        };
        self.fail(error)
    }

    /// A fix for the next token.
    fn hint(&mut self, expected: &str) -> Option<String> {
        let (found, after) = (self.peek(), self.peek_second());
        hint::hint(expected, self.before(), found, after)
    }

    fn before(&self) -> Option<&'t Token> {
        self.next.checked_sub(1).and_then(|index| self.tokens.get(index))
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> Failed {
        if !self.ended {
            self.session.report(diagnostic);
        }
        self.ended |= self.at_end();
        Failed
    }

    /// Consumes the identifier of a declaration.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        let is_word = token.kind == TokenKind::Identifier;
        if is_word && keyword::reserved(&token.text) == Some(&*token.text) {
            return Err(self.keyword_as_name(token, what));
        }
        // In a use of a name only the checker knows whether an escaped identifier of that spelling
        // is declared.
        if let Some(keyword) = keyword::reserved(&token.text).filter(|_| is_word) {
            let error = keyword_collision(&token.text, keyword, token.span);
            self.session.report(error);
        }
        self.identifier(what)
    }

    /// Consumes the identifier of a declaration or of a reference.
    fn identifier(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != TokenKind::Identifier {
            return Err(self.unexpected(what));
        }
        let span = token.span;
        if let Some(escaped) = token.text.strip_prefix('_') {
            let text = escaped.to_owned();
            if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
                let message = format!("`{}` is not an identifier", token.text);
                let diagnostic = Diagnostic::error(Code::BadCharacter, span, message);
                return Err(self.fail(diagnostic.help("an identifier begins with a letter")));
            }
            self.bump();
            return Ok(Name { text, span });
        }
        if let Some(keyword) = keyword::reserved(&token.text) {
            if keyword == &*token.text {
                return Err(self.unexpected(what));
            }
        } else if keyword::is_corba3(&token.text) {
            let message = format!("`{}` is a keyword in CORBA 3", token.text);
            let warning = Diagnostic::warning(Code::Corba3Keyword, span, message);
            self.session.report(warning.help(format!("write `_{}`", token.text)));
        }
        self.bump();
        Ok(Name { text: token.text.to_string(), span })
    }

    fn keyword_as_name(&mut self, token: &Token, what: &str) -> Failed {
        let text = &token.text;
        let message = format!("expected {what}, found the keyword `{text}`");
        let diagnostic = Diagnostic::error(Code::Syntax, token.span, message);
        let help = hint::keyword_after(self.before(), token, what)
            .unwrap_or_else(|| format!("`_{text}` is the name `{text}`"));
        self.fail(diagnostic.help(help))
    }

    fn scoped_name(&mut self, what: &str) -> Parsed<ScopedName> {
        let absolute = self.eat("::").is_some();
        let first = self.identifier(what)?;
        let mut rest = Vec::new();
        while self.eat("::").is_some() {
            rest.push(self.identifier("a name after `::`")?);
        }
        Ok(ScopedName { absolute, first, rest })
    }

    /// Runs `rule` one level deeper. Beyond the limit the rest of the source is skipped.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.peek().span;
            let message = format!("declarations and types are nested more than {MAX_DEPTH} deep");
            let failed = self.fail(Diagnostic::error(Code::NestingDepth, span, message));
            self.next = self.tokens.len();
            self.ended = true;
            return Err(failed);
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// The number of braces that are open since the token `start`.
    fn open_braces(&self, start: usize) -> usize {
        let passed = self.tokens.get(start..self.next).unwrap_or_default();
        passed.iter().fold(0_usize, |depth, token| match &*token.text {
            "{" => depth + 1,
            "}" => depth.saturating_sub(1),
            _ => depth,
        })
    }

    /// The leading comment of the next token.
    fn docs(&mut self) -> Vec<String> {
        self.peek().leading.as_deref().unwrap_or_default().to_vec()
    }

    /// Skips past the next `;`, to the `}` that closes the scope, or to a keyword that can only
    /// begin a declaration. The rule that began at the token `start` failed; unless the scope ends
    /// there, that token is skipped, so that parsing makes progress.
    fn recover(&mut self, start: usize) {
        self.half_angle = false;
        if self.next > start && begins_line(self.peek()) {
            return;
        }
        let mut depth = self.open_braces(start);
        while !self.at_end() {
            let token = self.peek();
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                if depth == 0 {
                    return;
                }
                depth -= 1;
            } else if depth == 0 && token.is(";") {
                self.bump();
                return;
            } else if depth == 0 && self.next > start && begins_line(token) {
                return;
            }
            self.bump();
        }
    }
}

/// An identifier that equals a keyword except for its case.
pub(crate) fn keyword_collision(text: &str, keyword: &str, span: Span) -> Diagnostic {
    let message = format!("`{text}` differs from the keyword `{keyword}` only in case");
    let diagnostic = Diagnostic::error(Code::KeywordCollision, span, message);
    diagnostic.help(format!("write `{keyword}` for the keyword, or `_{text}` for a name"))
}

/// Whether `token` begins a line and can only begin a declaration.
fn begins_line(token: &Token) -> bool {
    const WORDS: &[&str] = &[
        "module",
        "interface",
        "typedef",
        "const",
        "exception",
        "attribute",
        "readonly",
        "oneway",
        "case",
        "valuetype",
        "native",
    ];
    token.starts_line && WORDS.iter().any(|word| token.is_word(word))
}
