//! Resolution of a name in a text. The text may be newer than the model: the enclosing scopes are
//! read from the text, the declarations from the model.

use super::{Symbol, outline, range, tokens};
use crate::lex::{Token, TokenKind};
use crate::model::{DeclId, DeclKind, Declaration, Export, Member, Model};
use crate::source::Span;
use std::collections::HashSet;

/// A named entity of a model.
#[derive(Debug, Clone)]
pub struct Entity<'m> {
    /// Its scoped name: `Bank::Account::withdraw`.
    pub scoped_name: String,
    /// Its repository id; members have none.
    pub repository_id: Option<&'m str>,
    /// The comment before it.
    pub docs: &'m [String],
    /// The span of its name.
    pub span: Span,
    /// The declaration, if it is one.
    declaration: Option<DeclId>,
}

impl Model {
    /// The entity that the name at `offset` of `text` denotes. `text` is the source of this model
    /// or a newer version of it.
    ///
    /// ```
    /// use armilla_idl::{Options, parse_str};
    ///
    /// let text = "struct Price { long cents; }; struct Item { Price cost; };";
    /// let model = parse_str("shop.idl", text, &Options::new()).unwrap().model;
    /// let entity = model.entity_at(text, text.find("Price cost").unwrap()).unwrap();
    /// assert_eq!(entity.repository_id, Some("IDL:Price:1.0"));
    /// ```
    pub fn entity_at(&self, text: &str, offset: usize) -> Option<Entity<'_>> {
        let tokens = tokens(text);
        let at = tokens.iter().position(|token| {
            token.kind == TokenKind::Identifier
                && (range(token).contains(&offset) || range(token).end == offset)
        })?;
        let symbols = outline(text);
        let mut scope = Vec::new();
        if declares(&symbols, range(&tokens[at]).start, &mut scope) {
            return self.member_of(None, &scope);
        }
        let (absolute, name) = scoped_name(&tokens, at);
        let mut scope = enclosing(&symbols, offset);
        if absolute {
            scope.clear();
        }
        loop {
            let path: Vec<&str> = scope.iter().copied().chain(name.iter().copied()).collect();
            // Outer scopes are not searched once the first part is found.
            let first = &path[..scope.len() + 1];
            if self.member_of(None, first).is_some() {
                return self.member_of(None, &path);
            }
            scope.pop()?;
        }
    }

    /// The direct and indirect bases and supported interfaces of `id`, each once.
    pub fn ancestors(&self, id: DeclId) -> Vec<DeclId> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut next = vec![id];
        while let Some(id) = next.pop() {
            let (bases, supports): (&[DeclId], &[DeclId]) = match &self.get(id).kind {
                DeclKind::Interface(interface) => (&interface.bases, &[]),
                DeclKind::Value(value) => (&value.bases, &value.supports),
                _ => (&[], &[]),
            };
            for base in bases.iter().chain(supports) {
                if seen.insert(*base) {
                    found.push(*base);
                    next.push(*base);
                }
            }
        }
        found
    }

    /// The entity that `path` denotes, resolved from `scope`.
    fn member_of(&self, scope: Option<DeclId>, path: &[&str]) -> Option<Entity<'_>> {
        let (name, rest) = path.split_first()?;
        let inherited = scope.map(|scope| self.ancestors(scope)).unwrap_or_default();
        let scopes = std::iter::once(scope).chain(inherited.into_iter().map(Some));
        let entity = scopes.filter_map(|scope| self.named(scope, name)).next()?;
        match (rest, entity.declaration) {
            ([], _) => Some(entity),
            (rest, Some(declaration)) => self.member_of(Some(declaration), rest),
            _ => None,
        }
    }

    /// The entity `name` in `scope` itself.
    fn named(&self, scope: Option<DeclId>, name: &str) -> Option<Entity<'_>> {
        let siblings = || self.iter().filter(|(_, declaration)| declaration.scope == scope);
        if let Some((id, declaration)) = siblings().find(|(_, d)| d.name == name) {
            return Some(Entity {
                scoped_name: self.scoped_name(id),
                repository_id: Some(&declaration.repository_id),
                docs: &declaration.docs,
                span: declaration.span,
                declaration: Some(id),
            });
        }
        // Enumerators are in the scope of their enum. The outline nests them in the enum, so both
        // are searched.
        let within = scope.and_then(|id| in_declaration(self.get(id), name));
        let part = within.or_else(|| siblings().find_map(|(_, d)| enumerator(d, name)))?;
        let outer = match scope.map(|id| (id, &self.get(id).kind)) {
            Some((id, DeclKind::Enum(_))) => self.get(id).scope,
            other => other.map(|(id, _)| id),
        };
        let scoped_name = match outer {
            Some(outer) => format!("{}::{name}", self.scoped_name(outer)),
            None => name.to_owned(),
        };
        Some(Entity { scoped_name, ..part })
    }
}

/// The operation, attribute, member or enumerator `name` of a declaration.
fn in_declaration<'m>(declaration: &'m Declaration, name: &str) -> Option<Entity<'m>> {
    let export = |exports: &'m [Export]| {
        exports.iter().find_map(|export| match export {
            Export::Operation(o) if o.name == name => part(Some(&o.repository_id), &o.docs, o.span),
            Export::Attribute(a) if a.name == name => part(Some(&a.repository_id), &a.docs, a.span),
            _ => None,
        })
    };
    let member = |member: &'m Member| {
        if member.name == name { part(None, &member.docs, member.span) } else { None }
    };
    match &declaration.kind {
        DeclKind::Interface(interface) => export(&interface.exports),
        DeclKind::Value(value) => export(&value.exports)
            .or_else(|| value.state.iter().find_map(|state| member(&state.member)))
            .or_else(|| {
                let factory = value.initializers.iter().find(|factory| factory.name == name)?;
                part(None, &factory.docs, factory.span)
            }),
        DeclKind::Struct(body) | DeclKind::Exception(body) => body.members.iter().find_map(member),
        DeclKind::Union(union) => union.cases.iter().find_map(|case| member(&case.member)),
        DeclKind::Bitmask(mask) => {
            let flag = mask.flags.iter().find(|flag| flag.name == name)?;
            part(None, &[], flag.span)
        }
        _ => enumerator(declaration, name),
    }
}

fn enumerator<'m>(declaration: &'m Declaration, name: &str) -> Option<Entity<'m>> {
    let DeclKind::Enum(body) = &declaration.kind else { return None };
    let found = body.enumerators.iter().find(|enumerator| enumerator.name == name)?;
    part(Some(&found.repository_id), &found.docs, found.span)
}

fn part<'m>(repository_id: Option<&'m str>, docs: &'m [String], span: Span) -> Option<Entity<'m>> {
    Some(Entity { scoped_name: String::new(), repository_id, docs, span, declaration: None })
}

/// The path to the symbol whose name begins at `start`; false if there is none.
fn declares<'s>(symbols: &'s [Symbol], start: usize, path: &mut Vec<&'s str>) -> bool {
    for symbol in symbols {
        path.push(&symbol.name);
        if symbol.name_range.start == start || declares(&symbol.children, start, path) {
            return true;
        }
        path.pop();
    }
    false
}

/// The names of the scopes around `offset`, the outermost first.
fn enclosing(symbols: &[Symbol], offset: usize) -> Vec<&str> {
    let mut path = Vec::new();
    let mut symbols = symbols;
    let within = |symbol: &&Symbol| symbol.range.contains(&offset) && offset > symbol.header.end;
    while let Some(symbol) = symbols.iter().find(within) {
        path.push(symbol.name.as_str());
        symbols = &symbol.children;
    }
    path
}

/// The scoped name that ends with the token `at`, and whether it begins with `::`.
fn scoped_name(tokens: &[Token], at: usize) -> (bool, Vec<&str>) {
    let mut parts = vec![unescaped(&tokens[at])];
    let mut first = at;
    loop {
        let Some(colons) = first.checked_sub(1).filter(|index| tokens[*index].is("::")) else {
            parts.reverse();
            return (false, parts);
        };
        match colons.checked_sub(1).map(|index| &tokens[index]) {
            Some(outer)
                if outer.kind == TokenKind::Identifier
                    && crate::lex::keyword::reserved(&outer.text) != Some(&*outer.text) =>
            {
                parts.push(unescaped(outer));
                first = colons - 1;
            }
            _ => {
                parts.reverse();
                return (true, parts);
            }
        }
    }
}

fn unescaped(token: &Token) -> &str {
    token.text.strip_prefix('_').unwrap_or(&token.text)
}
