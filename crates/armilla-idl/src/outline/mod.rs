//! The outline of a text, for editors: the symbols that it declares. It is read from tokens alone,
//! so that incomplete text with errors has an outline too.
//!
//! `declare` finds the symbols of one declaration, `names` resolves a name in the text.

mod declare;
mod names;

pub use names::Entity;

use crate::lex::{self, Token, TokenKind};
use crate::source::FileId;
use std::ops::Range;

/// A declared symbol. Ranges are byte offsets in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// Its kind.
    pub kind: SymbolKind,
    /// Its name, an escaping underscore removed.
    pub name: String,
    /// The range of its name.
    pub name_range: Range<usize>,
    /// The declaration without its body.
    pub header: Range<usize>,
    /// The whole declaration.
    pub range: Range<usize>,
    /// The symbols that its body declares.
    pub children: Vec<Symbol>,
}

/// The kind of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A module.
    Module,
    /// An interface.
    Interface,
    /// A valuetype, a boxed value or an event type.
    Value,
    /// A component, a home, a port type or a connector.
    Component,
    /// A struct or a bitset.
    Struct,
    /// A union.
    Union,
    /// An exception.
    Exception,
    /// An enum or a bitmask.
    Enum,
    /// A value of an enum or a flag of a bitmask.
    Enumerator,
    /// A typedef or a native type.
    Typedef,
    /// A constant.
    Constant,
    /// An operation, a factory or a finder.
    Operation,
    /// An attribute.
    Attribute,
    /// A member, a state member or a port.
    Member,
}

/// The maximum nesting of symbols. Deeper ones are left out.
const MAX_DEPTH: usize = 64;

/// The symbols that `text` declares, in order. Forward declarations are left out.
///
/// ```
/// let symbols = armilla_idl::outline::outline("module M { interface A { void f( }");
/// assert_eq!(symbols[0].children[0].name, "A");
/// ```
///
/// ```
/// use armilla_idl::outline::{SymbolKind, outline};
///
/// // The text need not be complete.
/// let symbols = outline("interface Account { void close();");
/// assert_eq!((symbols[0].kind, &*symbols[0].name), (SymbolKind::Interface, "Account"));
/// assert_eq!(symbols[0].children[0].name, "close");
/// ```
pub fn outline(text: &str) -> Vec<Symbol> {
    let tokens = tokens(text);
    Reader { tokens: &tokens, position: 0 }.body(None, 0)
}

/// The tokens of `text` outside of directives.
fn tokens(text: &str) -> Vec<Token> {
    let (mut tokens, _) = lex::lex(text, FileId(0));
    let mut directive = false;
    tokens.retain(|token| {
        if token.starts_line {
            directive = token.is("#");
        }
        !directive
    });
    tokens
}

fn range(token: &Token) -> Range<usize> {
    token.span.start as usize..token.span.end as usize
}

struct Reader<'k> {
    tokens: &'k [Token],
    position: usize,
}

impl Reader<'_> {
    /// The declarations up to the end of the body of `owner`.
    fn body(&mut self, owner: Option<SymbolKind>, depth: usize) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        while let Some(token) = self.tokens.get(self.position) {
            if token.is("}") && depth > 0 {
                break;
            }
            let before = self.position;
            self.declaration(owner, depth, &mut symbols);
            if self.position == before {
                self.position += 1;
            }
        }
        symbols
    }

    fn declaration(&mut self, owner: Option<SymbolKind>, depth: usize, out: &mut Vec<Symbol>) {
        let tokens = self.tokens;
        let start = self.position;
        let list = owner == Some(SymbolKind::Enum);
        let end = self.header_end(list);
        let header = &tokens[start..end];
        let has_body = tokens.get(end).is_some_and(|token| token.is("{"));
        self.position = end;
        let mut declared = declare::declared(header, owner, has_body);
        if has_body {
            self.position += 1;
            let kind = declared.first().map(|symbol| symbol.kind);
            let children = if depth < MAX_DEPTH {
                self.body(kind, depth + 1)
            } else {
                self.skip_body();
                Vec::new()
            };
            self.position += 1;
            let tail = self.position;
            self.position = self.header_end(list);
            let after = tokens.get(tail..self.position).unwrap_or_default();
            self.separator();
            let last = self.last_range();
            if let Some(symbol) = declared.first_mut() {
                symbol.children = children;
                symbol.range.end = last.end;
            }
            let typedef = header.iter().any(|token| token.is_word("typedef"));
            declared.extend(declare::after_body(after, typedef));
        } else {
            self.separator();
            let last = self.last_range();
            for symbol in &mut declared {
                symbol.range.end = last.end;
            }
        }
        out.append(&mut declared);
    }

    /// The end of the header that begins here: a brace, or the end of the declaration.
    fn header_end(&self, list: bool) -> usize {
        let mut level = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(self.position) {
            match &*token.text {
                _ if token.kind != TokenKind::Punctuation => {}
                "(" => level += 1,
                ")" => level = level.saturating_sub(1),
                ";" => return index,
                "," if list && level == 0 => return index,
                // In parentheses it is the body of an enum in a switch.
                "{" | "}" if level == 0 => return index,
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn skip_body(&mut self) {
        let mut level = 0_usize;
        while let Some(token) = self.tokens.get(self.position) {
            if token.is("{") {
                level += 1;
            } else if token.is("}") {
                if level == 0 {
                    return;
                }
                level -= 1;
            }
            self.position += 1;
        }
    }

    fn separator(&mut self) {
        let next = self.tokens.get(self.position);
        if next.is_some_and(|token| token.is(";") || token.is(",")) {
            self.position += 1;
        }
    }

    /// The range of the token before the position.
    fn last_range(&self) -> Range<usize> {
        let last = self.position.min(self.tokens.len()).checked_sub(1);
        last.map_or(0..0, |last| range(&self.tokens[last]))
    }
}
