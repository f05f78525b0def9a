//! The integer expressions of `#if` and `#elif`.

use super::expansion;
use super::macros::Macros;
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{Token, TokenKind, literal};
use crate::source::{Sources, Span};

/// The maximum nesting of parentheses, unary operators and `?:`.
const MAX_DEPTH: usize = 64;

/// Whether the expression on a line is true.
pub(super) fn evaluate(
    macros: &Macros,
    sources: &Sources,
    budget: &mut usize,
    directive: &Token,
    line: &[Token],
) -> Result<bool, Box<Diagnostic>> {
    let tokens = expansion::expand_condition(macros, sources, budget, directive, line)?;
    let tokens = without_defined(macros, &tokens)?;
    let end = line.last().map_or(directive.span, |token| token.span);
    let mut expression = Expression { tokens: &tokens, end, depth: 0 };
    let value = expression.conditional(true)?;
    match expression.tokens.first() {
        None => Ok(value.is_true()),
        Some(token) => bad(token.span, format!("`{}` does not belong here", token.text)),
    }
}

/// Replaces `defined X` by 0 or 1.
fn without_defined(macros: &Macros, line: &[Token]) -> Result<Vec<Token>, Box<Diagnostic>> {
    let mut output = Vec::new();
    let mut rest = line;
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        if token.is_word("defined") {
            let (name, after) = match after {
                [open, name, close, after @ ..] if open.is("(") && close.is(")") => (name, after),
                [name, after @ ..] => (name, after),
                [] => return bad(token.span, "`defined` needs the name of a macro"),
            };
            if name.kind != TokenKind::Identifier {
                return bad(name.span, "`defined` needs the name of a macro");
            }
            let text = if macros.is_defined(&name.text) { "1" } else { "0" };
            let kind = TokenKind::Number;
            output.push(Token { kind, text: text.into(), ..token.clone() });
            rest = after;
        } else {
            output.push(token.clone());
        }
    }
    Ok(output)
}

/// The binary operators from the lowest precedence to the highest.
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

/// A 64-bit number, as the preprocessor of C uses.
#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn signed(bits: i64) -> Self {
        Value { bits, unsigned: false }
    }

    fn truth(is_true: bool) -> Self {
        Value::signed(i64::from(is_true))
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

type Evaluated = Result<Value, Box<Diagnostic>>;

struct Expression<'t> {
    tokens: &'t [Token],
    /// The span of the end of the line.
    end: Span,
    depth: usize,
}

/// In each method `is_evaluated` is whether the value matters: after `0 &&` a division by zero is
/// not an error.
impl<'t> Expression<'t> {
    fn conditional(&mut self, is_evaluated: bool) -> Evaluated {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("this expression is nested more than {MAX_DEPTH} deep");
            return bad(self.end, message);
        }
        let condition = self.binary(0, is_evaluated)?;
        let value = if self.eat("?").is_some() {
            let yes = self.conditional(is_evaluated && condition.is_true())?;
            if self.eat(":").is_none() {
                return bad(self.here(), "`:` is missing here");
            }
            let no = self.conditional(is_evaluated && !condition.is_true())?;
            let chosen = if condition.is_true() { yes } else { no };
            Value { unsigned: yes.unsigned || no.unsigned, ..chosen }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    /// An expression of operators of `level` and higher precedence.
    fn binary(&mut self, level: usize, is_evaluated: bool) -> Evaluated {
        let Some(operators) = LEVELS.get(level) else { return self.unary(is_evaluated) };
        let mut left = self.binary(level + 1, is_evaluated)?;
        while let Some(operator) = operators.iter().find_map(|sign| self.eat(sign)) {
            let decided = match &*operator.text {
                "&&" => !left.is_true(),
                "||" => left.is_true(),
                _ => false,
            };
            let is_evaluated = is_evaluated && !decided;
            let right = self.binary(level + 1, is_evaluated)?;
            left = apply(operator, left, right, is_evaluated)?;
        }
        Ok(left)
    }

    fn unary(&mut self, is_evaluated: bool) -> Evaluated {
        let mut signs = Vec::new();
        while let Some(sign) = ["!", "~", "-", "+"].iter().find_map(|sign| self.eat(sign)) {
            signs.push(sign);
        }
        let mut value = self.primary(is_evaluated)?;
        for sign in signs.iter().rev() {
            value = match &*sign.text {
                "!" => Value::truth(!value.is_true()),
                "~" => Value { bits: !value.bits, ..value },
                "-" => Value { bits: value.bits.wrapping_neg(), ..value },
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self, is_evaluated: bool) -> Evaluated {
        let here = self.here();
        if self.eat("(").is_some() {
            let value = self.conditional(is_evaluated)?;
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
            TokenKind::Identifier => Ok(Value::signed(0)),
            TokenKind::Number => {
                let digits = token.text.trim_end_matches(['u', 'U', 'l', 'L']);
                let suffix = &token.text[digits.len()..];
                match literal::number(digits) {
                    Ok(literal::Number::Integer(value)) => Ok(Value {
                        bits: value as i64,
                        unsigned: suffix.contains(['u', 'U']) || i64::try_from(value).is_err(),
                    }),
                    _ => bad(here, format!("`{}` is not an integer", token.text)),
                }
            }
            TokenKind::Char => match literal::unquote(&token.text) {
                Ok(text) => {
                    let code = text.value.chars().next().map_or(0, u32::from);
                    Ok(Value::signed(i64::from(code)))
                }
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

fn apply(operator: &Token, left: Value, right: Value, is_evaluated: bool) -> Evaluated {
    let (a, b) = (left.bits, right.bits);
    // If one operand is unsigned, both are converted, except in a shift.
    let unsigned = left.unsigned || right.unsigned;
    let order = if unsigned { (a as u64).cmp(&(b as u64)) } else { a.cmp(&b) };
    let by = u32::try_from(b).unwrap_or(u32::MAX);
    let bits = match &*operator.text {
        "||" => return Ok(Value::truth(left.is_true() || right.is_true())),
        "&&" => return Ok(Value::truth(left.is_true() && right.is_true())),
        "==" => return Ok(Value::truth(a == b)),
        "!=" => return Ok(Value::truth(a != b)),
        "<" => return Ok(Value::truth(order.is_lt())),
        ">" => return Ok(Value::truth(order.is_gt())),
        "<=" => return Ok(Value::truth(order.is_le())),
        ">=" => return Ok(Value::truth(order.is_ge())),
        "<<" => return Ok(Value { bits: a.checked_shl(by).unwrap_or(0), ..left }),
        ">>" if left.unsigned => {
            return Ok(Value { bits: (a as u64).checked_shr(by).unwrap_or(0) as i64, ..left });
        }
        ">>" => return Ok(Value { bits: a.checked_shr(by).unwrap_or(a >> 63), ..left }),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        _ if b == 0 && is_evaluated => return bad(operator.span, "this divides by zero"),
        _ if b == 0 => 0,
        "/" if unsigned => (a as u64 / b as u64) as i64,
        "/" => a.wrapping_div(b),
        _ if unsigned => (a as u64 % b as u64) as i64,
        _ => a.wrapping_rem(b),
    };
    Ok(Value { bits, unsigned })
}

fn bad<T>(span: Span, message: impl Into<String>) -> Result<T, Box<Diagnostic>> {
    Err(Box::new(Diagnostic::error(Code::BadCondition, span, message)))
}
