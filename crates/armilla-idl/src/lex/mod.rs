//! The lexer: from text to tokens. It handles comments and line continuations; directives are left
//! to the preprocessor. It never fails: invalid text becomes a token that the parser reports, so
//! that text skipped by `#if` causes no errors.

mod comment;
pub(crate) mod keyword;
pub(crate) mod literal;
pub(crate) mod similar;
mod token;

pub(crate) use token::{Docs, Pragma, PragmaName, Token, TokenKind};

use crate::source::{FileId, Span};
use comment::Comment;

/// The punctuation of more than one character.
const COMPOUND_PUNCTUATION: &[&str] = &["::", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"];

/// The tokens of a file, and the start of a comment that does not end.
pub(crate) fn lex(text: &str, file: FileId) -> (Vec<Token>, Option<Span>) {
    let mut lexer = Lexer {
        text,
        file,
        position: if text.starts_with('\u{feff}') { 3 } else { 0 },
        line: 1,
        tokens: Vec::new(),
        comments: Vec::new(),
        starts_line: true,
        last_line: 0,
        unterminated: None,
    };
    while lexer.token() {}
    lexer.attach_comments(u32::MAX);
    (lexer.tokens, lexer.unterminated)
}

struct Lexer<'t> {
    text: &'t str,
    file: FileId,
    position: usize,
    line: u32,
    tokens: Vec<Token>,
    /// The comments since the last token.
    comments: Vec<Comment>,
    /// Whether the next token is the first of its line.
    starts_line: bool,
    /// The line on which the last token ended.
    last_line: u32,
    unterminated: Option<Span>,
}

impl Lexer<'_> {
    /// Reads one token; `false` at the end.
    fn token(&mut self) -> bool {
        self.skip_blanks();
        let start = self.position;
        let line = self.line;
        let Some(first) = self.bump() else { return false };
        let mut text = String::from(first);
        let kind = match first {
            'L' if matches!(self.peek(), Some('\'' | '"')) => self.wide(&mut text),
            'a'..='z' | 'A'..='Z' | '_' => {
                self.take_while(&mut text, |c| c.is_ascii_alphanumeric() || c == '_');
                TokenKind::Identifier
            }
            '0'..='9' => self.number(&mut text),
            '.' if self.peek().is_some_and(|c| c.is_ascii_digit()) => self.number(&mut text),
            '"' => self.quoted(&mut text, '"', TokenKind::String),
            '\'' => self.quoted(&mut text, '\'', TokenKind::Char),
            _ => self.punctuation(&mut text),
        };
        let leading = self.attach_comments(line);
        let span = Span { file: self.file, start: start as u32, end: self.position as u32 };
        let starts_line = std::mem::take(&mut self.starts_line);
        let text = text.into();
        self.tokens.push(Token { kind, span, text, starts_line, leading, trailing: None });
        self.last_line = self.line;
        true
    }

    /// Attaches the trailing comment to the last token and returns the leading one for the next.
    fn attach_comments(&mut self, next_line: u32) -> Option<Docs> {
        let comments = std::mem::take(&mut self.comments);
        let (trailing, leading) = comment::split(&comments, self.last_line, next_line);
        if let Some(last) = self.tokens.last_mut() {
            last.trailing = trailing;
        }
        leading
    }

    fn skip_blanks(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                '\n' => {
                    self.starts_line = true;
                    self.bump();
                }
                c if c.is_whitespace() || c == '\u{1a}' => {
                    self.bump();
                }
                '/' if self.rest().starts_with("//") => self.line_comment(),
                '/' if self.rest().starts_with("/*") => self.block_comment(),
                _ => break,
            }
        }
    }

    fn line_comment(&mut self) {
        let first_line = self.line;
        let mut text = String::new();
        self.take_while(&mut text, |c| c != '\n');
        self.comments.push(Comment { text, first_line, last_line: self.line });
    }

    fn block_comment(&mut self) {
        let first_line = self.line;
        let start = self.position;
        let length = match self.rest().get(2..).and_then(|rest| rest.find("*/")) {
            Some(length) => length + 4,
            None => {
                let end = (start + 2) as u32;
                self.unterminated = Some(Span { file: self.file, start: start as u32, end });
                self.rest().len()
            }
        };
        let text = self.rest()[..length].to_owned();
        self.line += text.matches('\n').count() as u32;
        self.position += length;
        self.comments.push(Comment { text, first_line, last_line: self.line });
    }

    /// A preprocessing number as in C: errors are found when its value is needed.
    fn number(&mut self, text: &mut String) -> TokenKind {
        while let Some(c) = self.peek() {
            let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
            let exponent = matches!(text.as_bytes().last(), Some(b'e' | b'E')) && !hexadecimal;
            let sign = (c == '+' || c == '-') && exponent;
            if !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || sign) {
                break;
            }
            text.extend(self.bump());
        }
        TokenKind::Number
    }

    fn wide(&mut self, text: &mut String) -> TokenKind {
        match self.bump() {
            Some('"') => {
                text.push('"');
                self.quoted(text, '"', TokenKind::WideString)
            }
            _ => {
                text.push('\'');
                self.quoted(text, '\'', TokenKind::WideChar)
            }
        }
    }

    fn quoted(&mut self, text: &mut String, quote: char, kind: TokenKind) -> TokenKind {
        while let Some(c) = self.peek() {
            if c == '\n' {
                break;
            }
            text.extend(self.bump());
            if c == quote {
                return kind;
            }
            if c == '\\' && self.peek().is_some_and(|c| c != '\n') {
                text.extend(self.bump());
            }
        }
        TokenKind::Unterminated
    }

    fn punctuation(&mut self, text: &mut String) -> TokenKind {
        if let Some(next) = self.peek() {
            text.push(next);
            if COMPOUND_PUNCTUATION.contains(&text.as_str()) {
                self.bump();
            } else {
                text.pop();
            }
        }
        if text.starts_with(|c: char| c.is_ascii_punctuation() && !"`\\$".contains(c)) {
            TokenKind::Punctuation
        } else {
            TokenKind::Unknown
        }
    }

    fn take_while(&mut self, text: &mut String, accept: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&accept) {
            text.extend(self.bump());
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.position..]
    }

    /// The next character after any line continuation.
    fn peek(&mut self) -> Option<char> {
        loop {
            let rest = self.rest();
            let skipped = match rest.strip_prefix('\\') {
                Some(after) if after.starts_with('\n') => 2,
                Some(after) if after.starts_with("\r\n") => 3,
                _ => return rest.chars().next(),
            };
            self.position += skipped;
            self.line += 1;
        }
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.position += c.len_utf8();
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }
}
