//! Tokens.

use crate::source::Span;
use std::rc::Rc;

/// The lines of the comments that document something, without delimiters.
pub(crate) type Docs = Rc<[String]>;

/// One token, or a marker that the preprocessor inserts between tokens.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Its span. The span of a token from a macro is that of the macro's use.
    pub(crate) span: Span,
    /// Its spelling, line continuations removed; literals with their quotes.
    pub(crate) text: Rc<str>,
    /// Whether it is the first token of its line.
    pub(crate) starts_line: bool,
    /// The comment right before it.
    pub(crate) leading: Option<Docs>,
    /// The comment after it on the same line.
    pub(crate) trailing: Option<Docs>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier or a keyword; the parser distinguishes them.
    Identifier,
    /// Anything that starts like a number.
    Number,
    Char,
    String,
    /// `L'x'`
    WideChar,
    /// `L"x"`
    WideString,
    /// Punctuation of IDL or of `#if`.
    Punctuation,
    /// A character that is not part of IDL.
    Unknown,
    /// A string or character literal without a closing quote on its line.
    Unterminated,
    Pragma(Rc<Pragma>),
    /// An included file begins.
    EnterFile,
    /// An included file has ended.
    LeaveFile,
    End,
}

impl Token {
    pub(crate) fn is(&self, sign: &str) -> bool {
        self.kind == TokenKind::Punctuation && &*self.text == sign
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Identifier && &*self.text == word
    }
}

/// A pragma of CORBA 3.4 Part 1, 14.7.5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pragma {
    /// `#pragma prefix "omg.org"`
    Prefix(String),
    /// `#pragma ID A::B "IDL:…:1.0"`
    Id { name: PragmaName, id: String },
    /// `#pragma version A::B 2.1`
    Version { name: PragmaName, version: String },
}

/// The scoped name in a pragma.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PragmaName {
    pub(crate) absolute: bool,
    /// Its span.
    pub(crate) span: Span,
    pub(crate) parts: Vec<(String, Span)>,
}
