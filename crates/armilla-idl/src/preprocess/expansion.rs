//! Macro expansion.

use super::macros::{Macro, Macros, is_built_in, is_paste};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{self, Token, TokenKind};
use crate::source::{FileId, Sources};
use std::rc::Rc;

/// The maximum nesting of expansions.
const MAX_MACRO_DEPTH: usize = 64;
/// The maximum number of tokens of one expansion.
const MAX_EXPANSION: usize = 100_000;

type Expanded<T> = Result<T, Box<Diagnostic>>;

/// Expands the macros in `tokens`; errors point at `token`. `budget` is the number of tokens that
/// may still be produced in this compilation.
///
/// # Errors
///
/// If the arguments of a macro do not match its parameters, or a limit is exceeded.
pub(super) fn expand(
    macros: &Macros,
    sources: &Sources,
    budget: &mut usize,
    token: &Token,
    tokens: &[Token],
) -> Expanded<Vec<Token>> {
    let mut output = Expansion::new(macros, sources, token, budget).list(tokens)?;
    output.iter_mut().for_each(|token| token.starts_line = false);
    if let (Some(first), Some(from)) = (output.first_mut(), tokens.first()) {
        first.leading = from.leading.clone();
    }
    if let (Some(last), Some(from)) = (output.last_mut(), tokens.last()) {
        last.trailing = from.trailing.clone();
    }
    Ok(output)
}

/// Expands the macros in the condition of `directive`; the operand of `defined` is not expanded.
///
/// # Errors
///
/// As for [`expand`].
pub(super) fn expand_condition(
    macros: &Macros,
    sources: &Sources,
    budget: &mut usize,
    directive: &Token,
    line: &[Token],
) -> Expanded<Vec<Token>> {
    let expansion = Expansion::new(macros, sources, directive, budget);
    Expansion { keeps_defined: true, ..expansion }.list(line)
}

/// The number of tokens of the parenthesized arguments that begin `tokens`; `None` if the closing
/// parenthesis is missing or a directive precedes it.
pub(super) fn arguments_length(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth = depth.checked_sub(1)?;
        } else if token.starts_line && token.is("#") {
            return None;
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

/// One use of a macro.
struct Expansion<'a> {
    macros: &'a Macros,
    sources: &'a Sources,
    /// The token that is expanded.
    token: &'a Token,
    /// The macros that are being expanded: within its own expansion a name is not a macro.
    active: Vec<Rc<str>>,
    depth: usize,
    /// Whether the name after `defined` is not expanded.
    keeps_defined: bool,
    budget: &'a mut usize,
}

impl<'a> Expansion<'a> {
    fn new(
        macros: &'a Macros,
        sources: &'a Sources,
        token: &'a Token,
        budget: &'a mut usize,
    ) -> Self {
        let active = Vec::new();
        Expansion { macros, sources, token, active, depth: 0, keeps_defined: false, budget }
    }

    fn list(&mut self, tokens: &[Token]) -> Expanded<Vec<Token>> {
        if self.depth >= MAX_MACRO_DEPTH {
            return self
                .too_much(format!("expands to macros nested more than {MAX_MACRO_DEPTH} deep"));
        }
        self.depth += 1;
        let mut output = Vec::new();
        let mut rest = tokens;
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            if *self.budget == 0 || output.len() >= MAX_EXPANSION {
                return self.too_much(format!("expands to more than {MAX_EXPANSION} tokens"));
            }
            *self.budget -= 1;
            if self.keeps_defined && token.is_word("defined") {
                let (name, after) = after.split_at(operand_length(after));
                output.push(token.clone());
                output.extend_from_slice(name);
                rest = after;
                continue;
            }
            match self.used(token, after) {
                Some((found, length)) => {
                    let (arguments, after) = after.split_at(length);
                    rest = after;
                    output.append(&mut self.one(token, &found, arguments)?);
                }
                None if token.kind == TokenKind::Identifier && is_built_in(&token.text) => {
                    output.push(self.built_in(token));
                }
                None => output.push(Token { leading: None, trailing: None, ..token.clone() }),
            }
        }
        self.depth -= 1;
        Ok(output)
    }

    /// The macro that `token` names, and the number of tokens of its arguments.
    fn used(&self, token: &Token, after: &[Token]) -> Option<(Macro, usize)> {
        if token.kind != TokenKind::Identifier || self.active.contains(&token.text) {
            return None;
        }
        let found = self.macros.get(&token.text)?;
        match found.parameters {
            None => Some((found.clone(), 0)),
            Some(_) if after.first()?.is("(") => Some((found.clone(), arguments_length(after)?)),
            Some(_) => None,
        }
    }

    /// The expansion of the macro `found` with the parenthesized `arguments`.
    fn one(&mut self, name: &Token, found: &Macro, arguments: &[Token]) -> Expanded<Vec<Token>> {
        let body = match &found.parameters {
            None => self.joined(&found.body)?,
            Some(parameters) => {
                let inner = arguments.get(1..arguments.len().saturating_sub(1));
                let arguments = self.arguments(name, found, inner.unwrap_or_default())?;
                self.substituted(found, parameters, &arguments)?
            }
        };
        self.active.push(name.text.clone());
        let mut expanded = self.list(&body)?;
        self.active.pop();
        // Tokens of an expansion get the span of the macro's use.
        expanded.iter_mut().for_each(|token| token.span = name.span);
        Ok(expanded)
    }

    /// The arguments of the macro `name`, one for each parameter.
    fn arguments(&self, name: &Token, found: &Macro, inner: &[Token]) -> Expanded<Vec<Vec<Token>>> {
        let wanted = found.parameters.as_ref().map_or(0, |parameters| parameters.len());
        let mut arguments: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0_usize;
        for token in inner {
            let all_left = found.variadic && arguments.len() == wanted;
            match &*token.text {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                "," if depth == 0 && token.is(",") && !all_left => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token.clone());
            }
        }
        if wanted == 0 && inner.is_empty() {
            arguments.clear();
        }
        if found.variadic && arguments.len() + 1 == wanted {
            arguments.push(Vec::new());
        }
        if arguments.len() == wanted {
            return Ok(arguments);
        }
        let (name, given) = (&name.text, arguments.len());
        let plural = if wanted == 1 { "" } else { "s" };
        let message =
            format!("the macro `{name}` takes {wanted} argument{plural}, this is {given}");
        let mut error = Diagnostic::error(Code::BadMacroUse, self.token.span, message);
        if let Some(span) = found.span {
            error = error.secondary(span, "defined here");
        }
        Err(Box::new(error))
    }

    /// The body of a macro with its parameters replaced by the arguments.
    fn substituted(
        &mut self,
        found: &Macro,
        parameters: &[Rc<str>],
        arguments: &[Vec<Token>],
    ) -> Expanded<Vec<Token>> {
        let body = &*found.body;
        let argument = |token: &Token| {
            let is_name = token.kind == TokenKind::Identifier;
            let index = parameters.iter().position(|name| is_name && *name == token.text)?;
            arguments.get(index)
        };
        let mut output = Vec::new();
        let mut index = 0;
        while let Some(token) = body.get(index) {
            let next = body.get(index + 1);
            let pastes = |at: Option<usize>| {
                at.and_then(|at| Some((body.get(at)?, body.get(at + 1)?)))
                    .is_some_and(|(one, other)| is_paste(one, other))
            };
            if pastes(Some(index)) {
                output.extend(body.get(index..=index + 1).unwrap_or_default().iter().cloned());
                index += 1;
            } else if token.is("#")
                && let Some(tokens) = next.and_then(argument)
            {
                output.push(stringified(token, tokens));
                index += 1;
            } else if let Some(tokens) = argument(token) {
                // Next to `##` an argument is not expanded.
                if found.variadic
                    && parameters.last() == Some(&token.text)
                    && follows_pasted_comma(body, index)
                {
                    // GNU's `, ## __VA_ARGS__`: without arguments the comma is removed.
                    let comma = output.len().saturating_sub(3);
                    output.truncate(if tokens.is_empty() { comma } else { comma + 1 });
                    output.append(&mut self.list(tokens)?);
                } else if pastes(Some(index + 1)) || pastes(index.checked_sub(2)) {
                    output.extend_from_slice(tokens);
                    if tokens.is_empty() {
                        output.push(Token { text: "".into(), ..token.clone() });
                    }
                } else {
                    output.append(&mut self.list(tokens)?);
                }
            } else {
                output.push(token.clone());
            }
            index += 1;
            if output.len() >= MAX_EXPANSION {
                return self.too_much(format!("expands to more than {MAX_EXPANSION} tokens"));
            }
        }
        self.joined(&output)
    }

    /// The tokens with the operands of each `##` pasted.
    fn joined(&self, tokens: &[Token]) -> Expanded<Vec<Token>> {
        let mut output: Vec<Token> = Vec::new();
        let mut rest = tokens;
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            if let [other, right, after @ ..] = after
                && is_paste(token, other)
                && let Some(left) = output.pop()
            {
                rest = after;
                output.push(self.joined_pair(&left, right)?);
            } else {
                output.push(token.clone());
            }
        }
        output.retain(|token| !token.text.is_empty());
        Ok(output)
    }

    fn joined_pair(&self, left: &Token, right: &Token) -> Expanded<Token> {
        let text = format!("{}{}", left.text, right.text);
        let (mut tokens, _) = lex::lex(&text, FileId(0));
        match (tokens.pop(), tokens.is_empty()) {
            (Some(token), true) => Ok(Token { span: left.span, ..token }),
            (None, _) => Ok(left.clone()),
            _ => {
                let message = format!("`##` makes `{text}`, which is not one token");
                Err(Box::new(Diagnostic::error(Code::BadMacroUse, self.token.span, message)))
            }
        }
    }

    /// The value of `__FILE__`, `__LINE__`, `__DATE__` or `__TIME__`.
    fn built_in(&self, token: &Token) -> Token {
        let (path, line) = self.sources.presumed(self.token.span);
        let (kind, text) = match &*token.text {
            "__LINE__" => (TokenKind::Number, line.to_string()),
            "__FILE__" => (TokenKind::String, format!("\"{}\"", escaped(&path.to_string_lossy()))),
            // A constant, so that the output is reproducible.
            "__DATE__" => (TokenKind::String, "\"Jan  1 1970\"".to_owned()),
            _ => (TokenKind::String, "\"00:00:00\"".to_owned()),
        };
        Token { kind, text: text.into(), ..token.clone() }
    }

    fn too_much<T>(&self, what: String) -> Expanded<T> {
        let message = format!("the macro `{}` {what}", self.token.text);
        Err(Box::new(Diagnostic::error(Code::MacroLimit, self.token.span, message)))
    }
}

/// The number of tokens of the operand of `defined`, including parentheses.
fn operand_length(tokens: &[Token]) -> usize {
    let wanted = if tokens.first().is_some_and(|token| token.is("(")) { 3 } else { 1 };
    wanted.min(tokens.len())
}

/// Whether `, ##` precedes the token at `index`.
fn follows_pasted_comma(body: &[Token], index: usize) -> bool {
    let before = index.checked_sub(3).and_then(|start| body.get(start..index));
    matches!(before, Some([comma, one, other]) if comma.is(",") && is_paste(one, other))
}

/// The spelling of `tokens` as a string literal.
fn stringified(sign: &Token, tokens: &[Token]) -> Token {
    let mut text = String::from("\"");
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| tokens.get(before));
        if before.is_some_and(|before| before.span.end != token.span.start) {
            text.push(' ');
        }
        match token.kind {
            TokenKind::String | TokenKind::Char => text.push_str(&escaped(&token.text)),
            _ => text.push_str(&token.text),
        }
    }
    text.push('"');
    Token { kind: TokenKind::String, text: text.into(), ..sign.clone() }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
