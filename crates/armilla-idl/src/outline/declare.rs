//! The names that one declaration declares.

use super::{Symbol, SymbolKind, range};
use crate::lex::{Token, TokenKind};

/// The keywords that precede the declared name.
const NAMED: &[(&str, SymbolKind)] = &[
    ("module", SymbolKind::Module),
    ("interface", SymbolKind::Interface),
    ("valuetype", SymbolKind::Value),
    ("eventtype", SymbolKind::Value),
    ("component", SymbolKind::Component),
    ("home", SymbolKind::Component),
    ("porttype", SymbolKind::Component),
    ("connector", SymbolKind::Component),
    ("struct", SymbolKind::Struct),
    ("bitset", SymbolKind::Struct),
    ("union", SymbolKind::Union),
    ("exception", SymbolKind::Exception),
    ("enum", SymbolKind::Enum),
    ("bitmask", SymbolKind::Enum),
    ("native", SymbolKind::Typedef),
];

/// Modifiers that may precede those.
const MODIFIERS: &[&str] = &["abstract", "local", "custom", "typedef"];

/// The keywords that end the names of attributes.
const CLAUSES: &[&str] = &["raises", "getraises", "setraises", "context"];

/// The symbols that `header` declares in the body of `owner`. `has_body` is whether a body follows.
pub(super) fn declared(header: &[Token], owner: Option<SymbolKind>, has_body: bool) -> Vec<Symbol> {
    let stray = header.iter().take_while(|token| is_stray(token)).count();
    let header = without_annotations(&header[stray..]);
    if owner == Some(SymbolKind::Enum) {
        let name = header.iter().find(|token| token.kind == TokenKind::Identifier);
        return name.map(|name| symbol(SymbolKind::Enumerator, name, header)).into_iter().collect();
    }
    let header = without_labels(header);
    if let Some(name) = instance(header) {
        return vec![symbol(SymbolKind::Module, name, header)];
    }
    let skipped = header.iter().take_while(|token| is_one_of(token, MODIFIERS)).count();
    let named = header.get(skipped).and_then(|word| {
        let (_, kind) = NAMED.iter().find(|(name, _)| word.is_word(name))?;
        let name = header.get(skipped + 1)?;
        (name.kind == TokenKind::Identifier).then_some((*kind, name))
    });
    if let Some((kind, name)) = named {
        let forward = header.len() == skipped + 2 && kind != SymbolKind::Typedef;
        let declares = has_body || !forward;
        return declares.then(|| symbol(kind, name, header)).into_iter().collect();
    }
    if header.first().is_some_and(|word| word.is_word("const")) {
        let sign = header.iter().position(|token| token.is("="));
        let name = sign.and_then(|sign| header.get(sign.checked_sub(1)?));
        return name.map(|name| symbol(SymbolKind::Constant, name, header)).into_iter().collect();
    }
    let attribute = header.iter().take(2).any(|token| token.is_word("attribute"));
    let clauses = header.iter().position(|token| is_one_of(token, CLAUSES));
    let before_clauses = &header[..clauses.unwrap_or(header.len())];
    if attribute {
        return names(before_clauses, SymbolKind::Attribute, header);
    }
    if let Some(open) = header.iter().position(|token| token.is("(")) {
        let name = open.checked_sub(1).map(|before| &header[before]);
        let name = name.filter(|name| name.kind == TokenKind::Identifier && open > 1);
        return name.map(|name| symbol(SymbolKind::Operation, name, header)).into_iter().collect();
    }
    declarators(header, owner)
}

/// The name of the module that an instance of a template becomes: `module A::B<long> Name;`
fn instance(header: &[Token]) -> Option<&Token> {
    let (word, rest) = header.split_first()?;
    let (last, before) = rest.split_last()?;
    let closed = before.last().is_some_and(|token| token.is(">") || token.is(">>"));
    let fits = is_one_of(word, &["module", "alias"]) && last.kind == TokenKind::Identifier;
    (fits && closed).then_some(last)
}

/// What a typedef, or elsewhere than in a module a member, declares.
fn declarators(header: &[Token], owner: Option<SymbolKind>) -> Vec<Symbol> {
    let typedef = header.first().is_some_and(|word| word.is_word("typedef"));
    match owner {
        // A single word is an incomplete declaration.
        _ if header.len() < 2 => Vec::new(),
        _ if typedef => names(header, SymbolKind::Typedef, header),
        None | Some(SymbolKind::Module) => Vec::new(),
        _ => names(header, SymbolKind::Member, header),
    }
}

/// The symbols that the declarators after the body of a struct, union or enum declare.
pub(super) fn after_body(tokens: &[Token], typedef: bool) -> Vec<Symbol> {
    names(tokens, if typedef { SymbolKind::Typedef } else { SymbolKind::Member }, tokens)
}

/// The last name before each comma, outside of brackets.
fn names(tokens: &[Token], kind: SymbolKind, header: &[Token]) -> Vec<Symbol> {
    let mut found = Vec::new();
    let mut last = None;
    let mut level = 0_isize;
    for token in tokens {
        match &*token.text {
            _ if token.kind == TokenKind::Identifier && level == 0 => last = Some(token),
            "<" | "(" | "[" => level += 1,
            ">" | ")" | "]" => level -= 1,
            ">>" => level -= 2,
            "," if level == 0 => found.extend(last.take()),
            _ => {}
        }
    }
    found.extend(last);
    found.into_iter().map(|name| symbol(kind, name, header)).collect()
}

fn without_annotations(mut header: &[Token]) -> &[Token] {
    while let [at, name, rest @ ..] = header
        && at.is("@")
        && !name.is_word("annotation")
    {
        let scopes = rest.chunks(2).take_while(|pair| pair[0].is("::")).count();
        header = rest.get(2 * scopes..).unwrap_or_default();
        if header.first().is_some_and(|token| token.is("(")) {
            let close = header.iter().position(|token| token.is(")"));
            header =
                header.get(close.map_or(header.len(), |close| close + 1)..).unwrap_or_default();
        }
    }
    header
}

/// The tokens after the labels of a union's member.
fn without_labels(header: &[Token]) -> &[Token] {
    let labelled = header.first().is_some_and(|word| is_one_of(word, &["case", "default"]));
    let colon = header.iter().rposition(|token| token.is(":")).filter(|_| labelled);
    colon.map_or(header, |colon| &header[colon + 1..])
}

/// Whether no declaration begins with the token.
fn is_stray(token: &Token) -> bool {
    token.kind == TokenKind::Punctuation && !token.is("@") && !token.is("::")
}

fn is_one_of(token: &Token, words: &[&str]) -> bool {
    token.kind == TokenKind::Identifier && words.contains(&&*token.text)
}

fn symbol(kind: SymbolKind, name: &Token, header: &[Token]) -> Symbol {
    let start = header.first().unwrap_or(name);
    let last = header.last().unwrap_or(name);
    let header = range(start).start..range(last).end;
    let text = name.text.strip_prefix('_').unwrap_or(&name.text).to_owned();
    let range_of_all = header.clone();
    Symbol {
        kind,
        name: text,
        name_range: range(name),
        header,
        range: range_of_all,
        children: Vec::new(),
    }
}
