//! The rule of constant expressions (IDL 4.2, 7.4.1.4.3): the shunting-yard algorithm converts an
//! expression to postfix order without recursion.

use super::ast::{Binary, Expr, Literal, Step, StepKind, Unary};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{Token, TokenKind, literal};
use crate::source::Span;

/// An operator on the stack, whose right operand is not complete.
enum PendingOperator {
    Parenthesis,
    Unary(Unary, Span),
    Binary(Binary, Span),
}

impl Parser<'_, '_, '_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.operators(false)
    }

    /// An expression in angle brackets, where `>` and `>>` outside of parentheses end it.
    pub(super) fn bound_expression(&mut self) -> Parsed<Expr> {
        self.operators(true)
    }

    fn operators(&mut self, in_angles: bool) -> Parsed<Expr> {
        let start = self.peek().span;
        let mut yard = ShuntingYard { steps: Vec::new(), operators: Vec::new(), open: 0 };
        loop {
            self.operand(&mut yard)?;
            // After an operand: closing parentheses, then a binary operator or the end.
            while yard.open > 0 && self.eat(")").is_some() {
                yard.close();
            }
            let token = self.peek();
            let ends = in_angles && yard.open == 0 && token.is(">>");
            let Some(operator) = binary(token).filter(|_| !ends) else { break };
            self.bump();
            yard.binary(operator, token.span);
        }
        if yard.open > 0 {
            return Err(self.unexpected("an operator or `)`"));
        }
        Ok(Expr { steps: yard.finish(), span: start.to(self.previous()) })
    }

    /// Unary operators and opening parentheses, then a literal or a name.
    fn operand(&mut self, yard: &mut ShuntingYard) -> Parsed<()> {
        loop {
            self.pass_cast();
            let token = self.peek();
            let operator = match &*token.text {
                _ if token.kind != TokenKind::Punctuation => break,
                "(" => {
                    yard.open += 1;
                    PendingOperator::Parenthesis
                }
                "+" => PendingOperator::Unary(Unary::Plus, token.span),
                "-" => PendingOperator::Unary(Unary::Minus, token.span),
                "~" => PendingOperator::Unary(Unary::Not, token.span),
                _ => break,
            };
            let follows_sign = matches!(yard.operators.last(), Some(PendingOperator::Unary(..)));
            if follows_sign && !matches!(operator, PendingOperator::Parenthesis) {
                return Err(self.unexpected("a value: at most one sign can precede it"));
            }
            yard.operators.push(operator);
            self.bump();
        }
        let token = self.peek();
        let kind = match self.literal(token)? {
            Some(literal) => StepKind::Literal(literal),
            None if token.kind == TokenKind::Identifier || token.is("::") => {
                StepKind::Name(self.scoped_name("a value")?)
            }
            None => return Err(self.unexpected("a value")),
        };
        yard.steps.push(Step { kind, span: token.span.to(self.previous()) });
        Ok(())
    }

    fn literal(&mut self, token: &Token) -> Parsed<Option<Literal>> {
        let value = match token.kind {
            TokenKind::Number => self.number(token),
            TokenKind::Char => self.character(token),
            TokenKind::String => return Ok(Some(self.string())),
            TokenKind::WideChar => self.wide_character(token),
            TokenKind::WideString => return Ok(Some(self.wide_string())),
            _ if token.is_word("TRUE") => Literal::Boolean(true),
            _ if token.is_word("FALSE") => Literal::Boolean(false),
            _ => return Ok(None),
        };
        self.bump();
        Ok(Some(value))
    }

    fn number(&mut self, token: &Token) -> Literal {
        let text = match self.session.midl.contains(&token.span.file) {
            // C says with letters of which type a number is.
            true => token.text.trim_end_matches(['u', 'U', 'l', 'L']),
            false => &*token.text,
        };
        match literal::number(text) {
            Ok(literal::Number::Integer(value)) => Literal::Integer(value),
            Ok(literal::Number::Float) => Literal::Float((*token.text).into()),
            Ok(literal::Number::Fixed(value)) => Literal::Fixed(value),
            Err(message) => {
                let error = Diagnostic::error(Code::BadNumber, token.span, message);
                self.session.report(match super::hint::of_number(&token.text) {
                    Some(help) => error.help(help),
                    None => error,
                });
                Literal::Invalid
            }
        }
    }

    fn character(&mut self, token: &Token) -> Literal {
        let text = match self.unquoted(token, literal::unquote(&token.text)) {
            Some(text) => text,
            None => return Literal::Invalid,
        };
        let mut characters = text.chars();
        match (characters.next().map(u8::try_from), characters.next()) {
            (Some(Ok(octet)), None) => Literal::Char(octet),
            (Some(Err(_)), None) => {
                let message = "a `char` holds a character of ISO 8859-1 only".to_owned();
                self.invalid_literal(Code::BadLiteral, token.span, message)
            }
            _ => self.not_one_character(token),
        }
    }

    fn wide_character(&mut self, token: &Token) -> Literal {
        match self.unquoted(token, literal::unquote_wide(&token.text)).as_deref() {
            Some([unit]) => Literal::WChar(*unit),
            Some(_) => self.not_one_character(token),
            None => Literal::Invalid,
        }
    }

    fn not_one_character(&mut self, token: &Token) -> Literal {
        let message = "a character literal holds exactly one character";
        let error = Diagnostic::error(Code::BadLiteral, token.span, message);
        self.session.report(error.help("write a string in double quotes"));
        Literal::Invalid
    }

    /// One or more adjacent strings, which are concatenated.
    fn string(&mut self) -> Literal {
        let mut value = String::new();
        let mut bad = false;
        while self.peek().kind == TokenKind::String {
            let token = self.bump();
            let text = self.unquoted(token, literal::unquote(&token.text));
            match text {
                Some(text) if !text.contains('\0') => value.push_str(&text),
                other => bad |= self.no_string(token, other.is_some()),
            }
        }
        if bad { Literal::Invalid } else { Literal::String(value) }
    }

    fn wide_string(&mut self) -> Literal {
        let mut value = Vec::new();
        let mut bad = false;
        while self.peek().kind == TokenKind::WideString {
            let token = self.bump();
            let text = self.unquoted(token, literal::unquote_wide(&token.text));
            match text {
                Some(mut text) if !text.contains(&0) => value.append(&mut text),
                other => bad |= self.no_string(token, other.is_some()),
            }
        }
        if bad { Literal::Invalid } else { Literal::WString(value) }
    }

    /// Reports a NUL in a string; returns whether there is one.
    fn no_string(&mut self, token: &Token, holds_nul: bool) -> bool {
        if holds_nul {
            let message = "a string cannot hold the character NUL".to_owned();
            self.invalid_literal(Code::BadLiteral, token.span, message);
        }
        true
    }

    /// The content of a literal; `None` if it is not well formed, which is reported.
    fn unquoted<T>(
        &mut self,
        token: &Token,
        unquoted: Result<literal::Unquoted<T>, String>,
    ) -> Option<T> {
        match unquoted {
            Ok(literal::Unquoted { value, undefined }) => {
                if let Some(c) = undefined {
                    let c = c.escape_default();
                    let message = format!("`\\{c}` is not an escape sequence of IDL");
                    let warning = Diagnostic::warning(Code::UndefinedEscape, token.span, message);
                    let help = format!("it is read as `{c}`; write that, or `\\\\{c}`");
                    self.session.report(warning.help(help));
                }
                Some(value)
            }
            Err(message) => {
                self.invalid_literal(Code::BadLiteral, token.span, message);
                None
            }
        }
    }

    fn invalid_literal(&mut self, code: Code, span: Span, message: String) -> Literal {
        self.session.report(Diagnostic::error(code, span, message));
        Literal::Invalid
    }
}

/// The state of the shunting-yard algorithm.
struct ShuntingYard {
    steps: Vec<Step>,
    operators: Vec<PendingOperator>,
    /// The number of open parentheses.
    open: usize,
}

impl ShuntingYard {
    /// Closes the innermost parenthesis.
    fn close(&mut self) {
        self.open -= 1;
        while let Some(step) = self.operators.pop().and_then(step) {
            self.steps.push(step);
        }
    }

    fn binary(&mut self, operator: Binary, span: Span) {
        while let Some(last) = self.operators.pop_if(|last| binds_before(last, operator)) {
            self.steps.extend(step(last));
        }
        self.operators.push(PendingOperator::Binary(operator, span));
    }

    fn finish(mut self) -> Vec<Step> {
        self.steps.extend(self.operators.into_iter().rev().filter_map(step));
        self.steps
    }
}

fn step(operator: PendingOperator) -> Option<Step> {
    match operator {
        PendingOperator::Parenthesis => None,
        PendingOperator::Unary(unary, span) => Some(Step { kind: StepKind::Unary(unary), span }),
        PendingOperator::Binary(binary, span) => {
            Some(Step { kind: StepKind::Binary(binary), span })
        }
    }
}

/// Whether `pending` binds its right operand before `next` does.
fn binds_before(pending: &PendingOperator, next: Binary) -> bool {
    match pending {
        PendingOperator::Parenthesis => false,
        PendingOperator::Unary(..) => true,
        PendingOperator::Binary(operator, _) => precedence(*operator) >= precedence(next),
    }
}

fn precedence(operator: Binary) -> u8 {
    match operator {
        Binary::Or => 0,
        Binary::Xor => 1,
        Binary::And => 2,
        Binary::ShiftLeft | Binary::ShiftRight => 3,
        Binary::Add | Binary::Subtract => 4,
        Binary::Multiply | Binary::Divide | Binary::Remainder => 5,
    }
}

fn binary(token: &Token) -> Option<Binary> {
    if token.kind != TokenKind::Punctuation {
        return None;
    }
    Some(match &*token.text {
        "|" => Binary::Or,
        "^" => Binary::Xor,
        "&" => Binary::And,
        "<<" => Binary::ShiftLeft,
        ">>" => Binary::ShiftRight,
        "+" => Binary::Add,
        "-" => Binary::Subtract,
        "*" => Binary::Multiply,
        "/" => Binary::Divide,
        "%" => Binary::Remainder,
        _ => return None,
    })
}
