//! Text to tokens (Trading Object Service 1.0, annex B.2.3).

use super::error::ConstraintError;
use super::value::Value;
use std::ops::Range;

/// A token, and where it stands in the text, in octets.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) place: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// A keyword or an operator, as it is written.
    Symbol(&'static str),
    /// The name of a property.
    Name(Box<str>),
    /// A number, a string, TRUE or FALSE.
    Literal(Value),
}

/// The words that cannot be the name of a property. The first words of preferences are not among
/// them: `min` is a property in a constraint.
const KEYWORDS: &[&str] = &["and", "or", "not", "in", "exist"];

/// Operators, the longer ones first.
const OPERATORS: &[&str] = &["==", "!=", "<=", ">=", "<", ">", "~", "+", "-", "*", "/", "(", ")"];

/// The tokens of `text` from the octet `start` on.
pub(super) fn tokens(text: &str, start: usize) -> Result<Vec<Token>, ConstraintError> {
    let mut lexer = Lexer { text, at: start };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Result<Option<Token>, ConstraintError> {
        self.at = self.text.len() - self.rest().trim_start().len();
        let start = self.at;
        let Some(first) = self.rest().chars().next() else { return Ok(None) };
        let kind = if first.is_alphabetic() {
            self.word()
        } else if first.is_ascii_digit() || self.is_fraction() {
            self.number()
        } else if first == '\'' {
            self.string()?
        } else {
            self.operator(first)?
        };
        Ok(Some(Token { kind, place: start..self.at }))
    }

    fn error(&self, place: Range<usize>, what: impl Into<String>) -> ConstraintError {
        ConstraintError::new(self.text, place, what)
    }

    /// Takes the longest prefix of the rest whose characters fulfil `condition`.
    fn take(&mut self, condition: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !condition(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn word(&mut self) -> TokenKind {
        let word = self.take(|c| c.is_alphanumeric() || c == '_');
        match (word, KEYWORDS.iter().find(|keyword| **keyword == word)) {
            ("TRUE", _) => TokenKind::Literal(Value::Boolean(true)),
            ("FALSE", _) => TokenKind::Literal(Value::Boolean(false)),
            (_, Some(keyword)) => TokenKind::Symbol(keyword),
            (_, None) => TokenKind::Name(word.into()),
        }
    }

    /// Whether the rest is a number that begins with its point, such as `.5`.
    fn is_fraction(&self) -> bool {
        let octets = self.rest().as_bytes();
        octets.first() == Some(&b'.') && octets.get(1).is_some_and(u8::is_ascii_digit)
    }

    /// A number: an integer, or with a point or an exponent a floating-point number. An integer
    /// beyond 128 bits is taken as a floating-point number, too.
    fn number(&mut self) -> TokenKind {
        let start = self.at;
        let digit = |c: char| c.is_ascii_digit();
        self.take(digit);
        if self.rest().starts_with('.') {
            self.at += 1;
            self.take(digit);
        }
        self.exponent();
        let text = self.text.get(start..self.at).unwrap_or_default();
        let value = match text.parse::<i128>() {
            Ok(integer) => Value::Integer(integer),
            // Rust reads every number of this grammar.
            Err(_) => Value::Float(text.parse().unwrap_or(f64::INFINITY)),
        };
        TokenKind::Literal(value)
    }

    /// Takes an exponent if a complete one follows.
    fn exponent(&mut self) {
        let before = self.at;
        if !self.rest().starts_with(['e', 'E']) {
            return;
        }
        self.at += 1;
        if self.rest().starts_with(['+', '-']) {
            self.at += 1;
        }
        if self.take(|c| c.is_ascii_digit()).is_empty() {
            self.at = before;
        }
    }

    /// A string in quotes, in which `\'` is a quote and `\\` a backslash.
    fn string(&mut self) -> Result<TokenKind, ConstraintError> {
        let start = self.at;
        self.at += 1;
        let mut string = String::new();
        let mut characters = self.rest().char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '\'' => {
                    self.at += offset + 1;
                    return Ok(TokenKind::Literal(Value::Text(string.into())));
                }
                '\\' => match characters.next() {
                    Some((_, escaped @ ('\'' | '\\'))) => string.push(escaped),
                    Some((_, other)) => {
                        let place = self.at + offset..self.at + offset + 1 + other.len_utf8();
                        let what = "this escape is unknown";
                        let hint = "\\' is a quote and \\\\ a backslash";
                        return Err(self.error(place, what).with_hint(hint));
                    }
                    None => break,
                },
                other => string.push(other),
            }
        }
        let error = self.error(start..self.text.len(), "the string has no end");
        Err(error.with_hint("a string ends with ', and \\' is a quote in it"))
    }

    fn operator(&mut self, first: char) -> Result<TokenKind, ConstraintError> {
        if let Some(operator) = OPERATORS.iter().find(|o| self.rest().starts_with(**o)) {
            self.at += operator.len();
            return Ok(TokenKind::Symbol(operator));
        }
        let place = self.at..self.at + first.len_utf8();
        let error = self.error(place, format!("{first:?} has no meaning here"));
        Err(match first {
            '=' => error.with_hint("== compares"),
            '"' => error.with_hint("a string stands between single quotes"),
            '&' => error.with_hint("and"),
            '|' => error.with_hint("or"),
            '!' => error.with_hint("not, or != to compare"),
            _ => error,
        })
    }
}
