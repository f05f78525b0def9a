//! The integer expressions of `#if` and `#elif`.

use super::expansion;
use super::macros::Macros;
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{Token, TokenKind, literal};
use crate::source::{Sources, Span};

/// How deep parentheses, signs and `?:` may be nested.
const MAX_DEPTH: usize = 64;

/// Whether the expression on a line is true.
pub(super) fn evaluate(
    macros: &Macros,
    sources: &Sources,
    budget: &mut usize,
    directive: &Token,
    line: &[Token],
) -> Result<bool, Box<Diagnostic>> {
    let line = without_defined(macros, line)?;
    let tokens = expansion::expand(macros, sources, budget, directive, &line)?;
    let end = line.last().map_or(directive.span, |token| token.span);
    let mut expression = Expression { tokens: &tokens, end, depth: 0 };
    let value = expression.conditional(true)?;
    match expression.tokens.first() {
        None => Ok(value != 0),
        Some(token) => bad(token.span, format!("`{}` does not belong here", token.text)),
    }
}

/// Replaces `defined X` by 0 or 1.
fn without_defined(macros: &Macros, line: &[Token]) -> Result<Vec<Token>, Box<Diagnostic>> {
    let mut output = Vec::new();
    let mut rest = line;
    while let Some((token, behind)) = rest.split_first() {
        rest = behind;
        if token.is_word("defined") {
            let (name, behind) = match behind {
                [open, name, close, behind @ ..] if open.is("(") && close.is(")") => (name, behind),
                [name, behind @ ..] => (name, behind),
                [] => return bad(token.span, "`defined` needs the name of a macro"),
            };
            if name.kind != TokenKind::Identifier {
                return bad(name.span, "`defined` needs the name of a macro");
            }
            let text = if macros.is_defined(&name.text) { "1" } else { "0" };
            let kind = TokenKind::Number;
            output.push(Token { kind, text: text.into(), ..token.clone() });
            rest = behind;
        } else {
            output.push(token.clone());
        }
    }
    Ok(output)
}

/// The binary operators from the weakest to the strongest.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

type Value = Result<i64, Box<Diagnostic>>;

struct Expression<'t> {
    tokens: &'t [Token],
    /// Where the line ends.
    end: Span,
    depth: usize,
}

/// In all of these, `counts` tells whether the value matters: behind `0 &&` a division by zero is
/// none.
impl<'t> Expression<'t> {
    fn conditional(&mut self, counts: bool) -> Value {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("this expression is nested more than {MAX_DEPTH} deep");
            return bad(self.end, message);
        }
        let condition = self.binary(0, counts)?;
        let value = if self.eat("?").is_some() {
            let yes = self.conditional(counts && condition != 0)?;
            if self.eat(":").is_none() {
                return bad(self.here(), "`:` is missing here");
            }
            let no = self.conditional(counts && condition == 0)?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    /// An expression of operators of `level` and stronger ones.
    fn binary(&mut self, level: usize, counts: bool) -> Value {
        let Some(operators) = LEVELS.get(level) else { return self.unary(counts) };
        let mut left = self.binary(level + 1, counts)?;
        while let Some(operator) = operators.iter().find_map(|sign| self.eat(sign)) {
            let decided = match &*operator.text {
                "&&" => left == 0,
                "||" => left != 0,
                _ => false,
            };
            let counts = counts && !decided;
            let right = self.binary(level + 1, counts)?;
            left = apply(operator, left, right, counts)?;
        }
        Ok(left)
    }

    fn unary(&mut self, counts: bool) -> Value {
        let mut signs = Vec::new();
        while let Some(sign) = ["!", "~", "-", "+"].iter().find_map(|sign| self.eat(sign)) {
            signs.push(sign);
        }
        let mut value = self.primary(counts)?;
        for sign in signs.iter().rev() {
            value = match &*sign.text {
                "!" => i64::from(value == 0),
                "~" => !value,
                "-" => value.wrapping_neg(),
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self, counts: bool) -> Value {
        let here = self.here();
        if self.eat("(").is_some() {
            let value = self.conditional(counts)?;
            return match self.eat(")") {
                Some(_) => Ok(value),
                None => bad(self.here(), "`)` is missing here"),
            };
        }
        let Some((token, rest)) = self.tokens.split_first() else {
            return bad(here, "a value is missing here");
        };
        self.tokens = rest;
        match token.kind {
            // A name that is not a macro counts as 0.
            TokenKind::Identifier => Ok(0),
            TokenKind::Number => {
                let digits = token.text.trim_end_matches(['u', 'U', 'l', 'L']);
                match literal::number(digits) {
                    Ok(literal::Number::Integer(value)) => Ok(value as i64),
                    _ => bad(here, format!("`{}` is not an integer", token.text)),
                }
            }
            TokenKind::Char => match literal::unquote(&token.text) {
                Ok(text) => Ok(text.value.chars().next().map_or(0, |c| i64::from(u32::from(c)))),
                Err(message) => bad(here, message),
            },
            _ => bad(here, format!("`{}` is not a value", token.text)),
        }
    }

    fn eat(&mut self, sign: &str) -> Option<&'t Token> {
        let (first, rest) = self.tokens.split_first()?;
        first.is(sign).then(|| {
            self.tokens = rest;
            first
        })
    }

    fn here(&self) -> Span {
        self.tokens.first().map_or(self.end.after(), |token| token.span)
    }
}

fn apply(operator: &Token, left: i64, right: i64, counts: bool) -> Value {
    let shift = u32::try_from(right).unwrap_or(u32::MAX);
    Ok(match &*operator.text {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<<" => left.checked_shl(shift).unwrap_or(0),
        ">>" => left.checked_shr(shift).unwrap_or(0),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        _ if right == 0 && counts => return bad(operator.span, "this divides by zero"),
        _ if right == 0 => 0,
        "/" => left.wrapping_div(right),
        _ => left.wrapping_rem(right),
    })
}

fn bad<T>(span: Span, message: impl Into<String>) -> Result<T, Box<Diagnostic>> {
    Err(Box::new(Diagnostic::error(Code::BadCondition, span, message)))
}
