//! From text to format tokens: the tokens of the lexer, and comments, directives and skipped text.
//! They cover all of the source except blanks.

use super::role;
use super::token::{FormatToken, Kind, Role};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{self, Token, TokenKind};
use crate::source::FileId;

/// The format tokens of `text`, or the lexical errors.
pub(super) fn scan(text: &str, file: FileId) -> Result<Vec<FormatToken<'_>>, Vec<Diagnostic>> {
    let (lexed, unterminated) = lex::lex(text, file);
    let mut errors: Vec<Diagnostic> = unterminated
        .map(|span| Diagnostic::error(Code::Unterminated, span, "this comment does not end"))
        .into_iter()
        .collect();
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut scanner = Scanner { text, remaining: &lexed, position: bom, tokens: Vec::new() };
    let mut conditionals = 0_usize;
    while let Some(token) = scanner.remaining.first() {
        let start = token.span.start as usize;
        scanner.comments(start);
        if token.starts_line && token.is("#") {
            match scanner.directive(start) {
                Some("if" | "ifdef" | "ifndef") => conditionals += 1,
                Some("endif") => conditionals = conditionals.saturating_sub(1),
                _ => {}
            }
            continue;
        }
        let kind = kind(token);
        if kind == Kind::Invalid && conditionals == 0 {
            errors.push(invalid(token));
        }
        scanner.push(kind, start, token.span.end as usize);
        scanner.remaining = &scanner.remaining[1..];
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    scanner.comments(text.len());
    role::assign(&mut scanner.tokens);
    Ok(scanner.tokens)
}

fn kind(token: &Token) -> Kind {
    match token.kind {
        TokenKind::Identifier => Kind::Word,
        TokenKind::Number => Kind::Number,
        TokenKind::Char | TokenKind::String | TokenKind::WideChar | TokenKind::WideString => {
            Kind::Literal
        }
        TokenKind::Punctuation => Kind::Punctuation,
        _ => Kind::Invalid,
    }
}

fn invalid(token: &Token) -> Diagnostic {
    if token.kind == TokenKind::Unterminated {
        return Diagnostic::error(Code::Unterminated, token.span, "this literal does not end");
    }
    let message = format!("`{}` has no meaning in IDL", token.text.escape_debug());
    Diagnostic::error(Code::BadCharacter, token.span, message)
}

struct Scanner<'t, 'k> {
    text: &'t str,
    /// The remaining tokens of the lexer.
    remaining: &'k [Token],
    /// The end of the last format token.
    position: usize,
    tokens: Vec<FormatToken<'t>>,
}

impl<'t> Scanner<'t, '_> {
    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        let gap = &self.text[self.position..start];
        let text = match kind {
            Kind::Directive | Kind::LineComment => trim_joined_end(&self.text[start..end]),
            _ => self.text[start..end].trim_end_matches(['\r', '\n']),
        };
        self.tokens.push(FormatToken {
            kind,
            role: Role::Other,
            text,
            newlines: gap.matches('\n').count(),
            is_spaced: !gap.is_empty(),
            column: if text.contains('\n') { column(&self.text[..start]) } else { 0 },
        });
        self.position = end;
    }

    /// Scans the comments before `end`.
    fn comments(&mut self, end: usize) {
        while let Some(found) = self.text[self.position..end].find('/') {
            let start = self.position + found;
            let rest = &self.text[start..];
            if rest.starts_with("//") {
                self.push(Kind::LineComment, start, start + line_comment(rest));
            } else {
                self.push(Kind::BlockComment, start, start + block_comment(rest));
            }
        }
    }

    /// Scans the directive at `start` and, if it is `#if 0`, the skipped text. Returns its name.
    fn directive(&mut self, start: usize) -> Option<&'t str> {
        let end = start + directive(&self.text[start..]);
        let name = self.remaining.get(1).filter(|token| (token.span.start as usize) < end);
        let name = name.map(|token| &self.text[token.span.start as usize..token.span.end as usize]);
        let never = name == Some("if")
            && self.remaining.get(2).is_some_and(|token| &*token.text == "0")
            && self.remaining.get(3).is_none_or(|token| token.span.start as usize >= end);
        self.push(Kind::Directive, start, end);
        self.drop_lexed(end);
        if never {
            self.skip_branch();
        }
        name
    }

    /// Scans the text between `#if 0` and the directive that ends it as one token.
    fn skip_branch(&mut self) {
        let mut depth = 0_usize;
        let mut end = self.text.len();
        // The skipped text ends before the line of that directive.
        let line_end =
            |hash: usize| self.text[..hash].rfind('\n').unwrap_or(hash).max(self.position);
        for pair in self.remaining.windows(2).filter(|pair| pair[0].starts_line && pair[0].is("#"))
        {
            match &*pair[1].text {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" | "else" | "elif" if depth == 0 => {
                    end = line_end(pair[0].span.start as usize);
                    break;
                }
                "endif" => depth -= 1,
                _ => {}
            }
        }
        let start = self.text[self.position..end].find('\n').map(|at| self.position + at + 1);
        if let Some(start) = start.filter(|start| !self.text[*start..end].trim().is_empty()) {
            self.push(Kind::Verbatim, start, end);
        }
        self.drop_lexed(end);
    }

    fn drop_lexed(&mut self, end: usize) {
        let after = self.remaining.iter().position(|token| token.span.start as usize >= end);
        self.remaining = &self.remaining[after.unwrap_or(self.remaining.len())..];
    }
}

/// `text` without trailing blanks. A trailing line continuation is removed, so that it does not
/// join the next line; a trailing backslash that is none keeps a blank for the same reason.
fn trim_joined_end(mut text: &str) -> &str {
    loop {
        let trimmed = text.trim_end();
        let cut = &text[trimmed.len()..];
        let Some(joining) = trimmed.strip_suffix('\\').filter(|_| !cut.is_empty()) else {
            return trimmed;
        };
        if !(cut.starts_with('\n') || cut.starts_with("\r\n")) {
            let blank = cut.chars().next().map_or(0, char::len_utf8);
            return &text[..trimmed.len() + blank];
        }
        text = joining;
    }
}

/// The column of the end of `text`.
pub(super) fn column(text: &str) -> usize {
    width(&text[text.rfind('\n').map_or(0, |newline| newline + 1)..])
}

/// The width of a line; a tab extends to the next multiple of eight columns.
pub(super) fn width(text: &str) -> usize {
    text.chars().fold(0, |column, c| if c == '\t' { (column / 8 + 1) * 8 } else { column + 1 })
}

/// The length of the comment `//…` at the start of `text`.
fn line_comment(text: &str) -> usize {
    let mut from = 0;
    while let Some(found) = text[from..].find('\n') {
        let line = &text[..from + found];
        if !line.strip_suffix('\r').unwrap_or(line).ends_with('\\') {
            return from + found;
        }
        from += found + 1;
    }
    text.len()
}

/// The length of the comment `/*…*/` at the start of `text`.
fn block_comment(text: &str) -> usize {
    text.get(2..).and_then(|inner| inner.find("*/")).map_or(text.len(), |length| length + 4)
}

/// The length of the directive at the start of `text`, with comments and continuation lines.
fn directive(text: &str) -> usize {
    let mut end = 0;
    while let Some(c) = text[end..].chars().next() {
        let rest = &text[end..];
        end += match c {
            '\n' => break,
            '\\' if rest.starts_with("\\\r\n") => 3,
            '\\' if rest.starts_with("\\\n") => 2,
            '/' if rest.starts_with("//") => line_comment(rest),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' | '\'' => {
                let line = rest.lines().next().unwrap_or(rest);
                line[1..].find(c).map_or(line.len(), |length| length + 2)
            }
            c => c.len_utf8(),
        };
    }
    end
}
