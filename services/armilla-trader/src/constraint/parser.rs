//! Tokens to expressions: the grammar of the languages (Trading Object Service 1.0, annex B.2).

use super::error::ConstraintError;
use super::lexer::{Token, TokenKind, tokens};
use super::syntax::{Arithmetic, Comparison, Expression, Step, StepKind};
use super::value::Value;
use std::collections::HashMap;
use std::ops::Range;

/// The longest text, in octets.
pub const MAX_TEXT: usize = 64 * 1024;

/// How deep parentheses nest at most.
pub const MAX_NESTING: usize = 64;

/// How the offers that match are ordered, with the expression that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Max,
    Min,
    With,
    Random,
    First,
}

/// Parses a constraint. `None` stands for an empty one, which every offer fulfils.
pub(super) fn constraint(text: &str) -> Result<Option<Expression>, ConstraintError> {
    let parser = Parser::new(text)?;
    match parser.tokens.is_empty() {
        true => Ok(None),
        false => parser.expression().map(Some),
    }
}

/// Parses a preference.
pub(super) fn preference(text: &str) -> Result<(Order, Option<Expression>), ConstraintError> {
    let mut parser = Parser::new(text)?;
    let Some(first) = parser.tokens.first().cloned() else { return Ok((Order::First, None)) };
    let order = match &first.kind {
        TokenKind::Name(name) => match name.as_ref() {
            "max" => Order::Max,
            "min" => Order::Min,
            "with" => Order::With,
            "random" => Order::Random,
            "first" => Order::First,
            _ => return Err(parser.no_preference(&first)),
        },
        _ => return Err(parser.no_preference(&first)),
    };
    parser.at = 1;
    match order {
        Order::Random | Order::First => parser.end().map(|()| (order, None)),
        _ => Ok((order, Some(parser.expression()?))),
    }
}

/// Where the expression begins: after the name of the language, if the text has one
/// (`<<OMG 1.0>>`; annex B.1).
fn after_language(text: &str) -> Result<usize, ConstraintError> {
    let start = text.len() - text.trim_start().len();
    let Some(named) = text.get(start..).and_then(|text| text.strip_prefix("<<")) else {
        return Ok(start);
    };
    let whole = start..text.len();
    let Some((language, _)) = named.split_once(">>") else {
        return Err(ConstraintError::new(text, whole, "the name of the language has no end")
            .with_hint("<<OMG 1.0>> names the standard language; no name is needed for it"));
    };
    let end = start + language.len() + 4;
    let words: Vec<&str> = language.split_whitespace().collect();
    match words.as_slice() {
        ["OMG"] | ["OMG", "1.0"] => Ok(end),
        _ => Err(ConstraintError::new(text, start..end, "this language is unknown")
            .with_hint("only the standard language is known, <<OMG 1.0>>")),
    }
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    nesting: usize,
    expression: Expression,
    /// The indices of the names in the expression.
    indices: HashMap<Box<str>, usize>,
}

type Parsed<T = ()> = Result<T, ConstraintError>;

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parsed<Self> {
        if text.len() > MAX_TEXT {
            let what = format!("a text has {MAX_TEXT} octets at most, not {}", text.len());
            return Err(ConstraintError::new("", 0..0, what));
        }
        let tokens = tokens(text, after_language(text)?)?;
        let expression = Expression { steps: Vec::new(), names: Vec::new() };
        Ok(Self { text, tokens, at: 0, nesting: 0, expression, indices: HashMap::new() })
    }

    fn expression(mut self) -> Parsed<Expression> {
        self.or()?;
        self.end()?;
        Ok(self.expression)
    }

    /// Fails unless all tokens are taken.
    fn end(&self) -> Parsed {
        let Some(token) = self.tokens.get(self.at) else { return Ok(()) };
        let error = self.error(&token.place, "an operator is missing before this");
        Err(match &token.kind {
            TokenKind::Symbol(")") => self.error(&token.place, "this parenthesis closes nothing"),
            TokenKind::Symbol(operator) if is_relational(operator) => self
                .error(&token.place, "this operator cannot follow another one of its kind")
                .with_hint("join comparisons by and, or put the first one in parentheses"),
            TokenKind::Symbol(_) => self.error(&token.place, "this cannot stand here"),
            _ if self.at == 0 => self.error(&token.place, "this cannot stand here"),
            _ => error.with_hint("and, or, a comparison such as ==, or an arithmetic operator"),
        })
    }

    fn no_preference(&self, token: &Token) -> ConstraintError {
        self.error(&token.place, "this is no preference")
            .with_hint("max EXPRESSION, min EXPRESSION, with CONSTRAINT, random, first")
    }

    fn error(&self, place: &Range<usize>, what: impl Into<String>) -> ConstraintError {
        ConstraintError::new(self.text, place.clone(), what)
    }

    fn push(&mut self, kind: StepKind, place: Range<usize>) {
        self.expression.steps.push(Step { kind, place });
    }

    /// Takes the next token if it is one of these symbols.
    fn symbol(&mut self, wanted: &[&str]) -> Option<(&'static str, Range<usize>)> {
        match self.tokens.get(self.at)? {
            Token { kind: TokenKind::Symbol(symbol), place } if wanted.contains(symbol) => {
                self.at += 1;
                Some((symbol, place.clone()))
            }
            _ => None,
        }
    }

    /// The place of the end of the text, for what is missing there.
    fn after_all(&self) -> Range<usize> {
        let end = self.text.trim_end().len();
        end..end
    }

    fn or(&mut self) -> Parsed {
        self.and()?;
        while let Some((_, place)) = self.symbol(&["or"]) {
            let jump = self.expression.steps.len();
            self.push(StepKind::OrElse(0), place.clone());
            self.and()?;
            self.push(StepKind::Or, place);
            let target = self.expression.steps.len();
            self.expression.steps[jump].kind = StepKind::OrElse(target);
        }
        Ok(())
    }

    fn and(&mut self) -> Parsed {
        self.compare()?;
        while let Some((_, place)) = self.symbol(&["and"]) {
            let jump = self.expression.steps.len();
            self.push(StepKind::AndThen(0), place.clone());
            self.compare()?;
            self.push(StepKind::And, place);
            let target = self.expression.steps.len();
            self.expression.steps[jump].kind = StepKind::AndThen(target);
        }
        Ok(())
    }

    fn compare(&mut self) -> Parsed {
        self.contained()?;
        let Some((operator, place)) = self.symbol(&["==", "!=", "<", "<=", ">", ">="]) else {
            return Ok(());
        };
        self.contained()?;
        let comparison = match operator {
            "==" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            _ => Comparison::GreaterOrEqual,
        };
        self.push(StepKind::Compare(comparison), place);
        Ok(())
    }

    fn contained(&mut self) -> Parsed {
        self.substring()?;
        if self.symbol(&["in"]).is_some() {
            let (name, place) = self.name("in")?;
            self.push(StepKind::In(name), place);
        }
        Ok(())
    }

    fn substring(&mut self) -> Parsed {
        self.sum()?;
        if let Some((_, place)) = self.symbol(&["~"]) {
            self.sum()?;
            self.push(StepKind::Substring, place);
        }
        Ok(())
    }

    fn sum(&mut self) -> Parsed {
        self.product()?;
        while let Some((operator, place)) = self.symbol(&["+", "-"]) {
            self.product()?;
            let operator = if operator == "+" { Arithmetic::Add } else { Arithmetic::Subtract };
            self.push(StepKind::Arithmetic(operator), place);
        }
        Ok(())
    }

    fn product(&mut self) -> Parsed {
        self.negation()?;
        while let Some((operator, place)) = self.symbol(&["*", "/"]) {
            self.negation()?;
            let operator = if operator == "*" { Arithmetic::Multiply } else { Arithmetic::Divide };
            self.push(StepKind::Arithmetic(operator), place);
        }
        Ok(())
    }

    fn negation(&mut self) -> Parsed {
        let not = self.symbol(&["not"]);
        self.factor()?;
        if let Some((_, place)) = not {
            self.push(StepKind::Not, place);
        }
        Ok(())
    }

    fn factor(&mut self) -> Parsed {
        let Some(Token { kind, place }) = self.tokens.get(self.at).cloned() else {
            return Err(self.error(&self.after_all(), "the text ends where an operand must follow"));
        };
        self.at += 1;
        match kind {
            TokenKind::Literal(value) => self.push(StepKind::Literal(value), place),
            TokenKind::Name(name) => {
                let name = self.intern(name);
                self.push(StepKind::Property(name), place);
            }
            TokenKind::Symbol("exist") => {
                let (name, name_place) = self.name("exist")?;
                self.push(StepKind::Exist(name), place.start..name_place.end);
            }
            TokenKind::Symbol("-") => return self.negative(place),
            TokenKind::Symbol("(") => return self.parentheses(place),
            TokenKind::Symbol("not") => {
                let error = self.error(&place, "not cannot follow not");
                return Err(error.with_hint("not (not …)"));
            }
            TokenKind::Symbol(_) => return Err(self.error(&place, "an operand must stand here")),
        }
        Ok(())
    }

    /// A number after a minus sign.
    fn negative(&mut self, minus: Range<usize>) -> Parsed {
        let token = self.tokens.get(self.at).cloned();
        let (value, end) = match token {
            Some(Token { kind: TokenKind::Literal(Value::Integer(integer)), place }) => {
                (Value::Integer(-integer), place.end)
            }
            Some(Token { kind: TokenKind::Literal(Value::Float(float)), place }) => {
                (Value::Float(-float), place.end)
            }
            _ => {
                let error = self.error(&minus, "only a number can follow a minus sign");
                return Err(error.with_hint("0 - … negates any other operand"));
            }
        };
        self.at += 1;
        self.push(StepKind::Literal(value), minus.start..end);
        Ok(())
    }

    fn parentheses(&mut self, open: Range<usize>) -> Parsed {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let what = format!("parentheses nest {MAX_NESTING} levels at most");
            return Err(self.error(&open, what));
        }
        self.or()?;
        self.nesting -= 1;
        match self.symbol(&[")"]) {
            Some(_) => Ok(()),
            None if self.at < self.tokens.len() => self.end(),
            None => Err(self.error(&open, "this parenthesis is not closed")),
        }
    }

    /// The name of a property after `operator`.
    fn name(&mut self, operator: &str) -> Parsed<(usize, Range<usize>)> {
        let what = format!("the name of a property must follow {operator}");
        match self.tokens.get(self.at).cloned() {
            Some(Token { kind: TokenKind::Name(name), place }) => {
                self.at += 1;
                Ok((self.intern(name), place))
            }
            Some(token) => Err(self.error(&token.place, what)),
            None => Err(self.error(&self.after_all(), what)),
        }
    }

    fn intern(&mut self, name: Box<str>) -> usize {
        let names = &mut self.expression.names;
        *self.indices.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() - 1
        })
    }
}

fn is_relational(operator: &str) -> bool {
    matches!(operator, "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "~")
}
