//! What `size_is`, `max_is`, `length_is` and `last_is` say of arrays: expressions over parameters or members.
//! One that is not understood (`sizeof`, `?:`) says nothing.

use super::Checker;
use super::com_pointers::parts;
use super::scope::Target;
use crate::model::{ComBound, ComBounds, ComCount, ComOperator, ComType, ConstValue, DeclKind};
use crate::parse::com_ast::MidlAttribute;
use crate::parse::plain;

/// How deep parentheses nest.
const DEEPEST: usize = 16;

/// Operators that bind alike, the weakest first.
const OPERATORS: &[&[(&str, ComOperator)]] = &[
    &[("|", ComOperator::Or)],
    &[("^", ComOperator::Xor)],
    &[("&", ComOperator::And)],
    &[("<<", ComOperator::ShiftLeft), (">>", ComOperator::ShiftRight)],
    &[("+", ComOperator::Add), ("-", ComOperator::Subtract)],
    &[("*", ComOperator::Multiply), ("/", ComOperator::Divide), ("%", ComOperator::Remainder)],
];

impl Checker<'_, '_> {
    /// What attributes say of the arrays of a parameter or a member, the outermost first. `known` has the
    /// parameters or members that they may name.
    pub(super) fn com_bounds(
        &self,
        attributes: &[MidlAttribute],
        known: &[(&str, &ComType)],
    ) -> Vec<ComBounds> {
        let text = |name: &str| {
            let attribute = attributes.iter().find(|it| it.name == name);
            attribute.and_then(|it| it.text.as_deref()).map(parts).unwrap_or_default()
        };
        let all = ["size_is", "max_is", "length_is", "last_is"].map(text);
        let depth = all.iter().map(Vec::len).max().unwrap_or_default();
        let at = |which: usize, depth: usize| all[which].get(depth).filter(|it| !it.is_empty());
        let levels = (0..depth).filter(|depth| (0..4).any(|which| at(which, *depth).is_some()));
        let levels = levels.map(|depth| {
            let bound = |which: usize, name: &str, more: i64| {
                let text = *at(which, depth)?;
                let count = self.com_count(text, known)?;
                let count = match more {
                    0 => count,
                    _ => both(count, ComOperator::Add, ComCount::Number(more)),
                };
                Some(ComBound { text: format!("{name}({text})"), count })
            };
            ComBounds {
                size: bound(0, "size_is", 0).or_else(|| bound(1, "max_is", 1)),
                length: bound(2, "length_is", 0).or_else(|| bound(3, "last_is", 1)),
            }
        });
        levels.collect()
    }

    fn com_count(&self, text: &str, known: &[(&str, &ComType)]) -> Option<ComCount> {
        let mut reader = Reader { rest: text, known, checker: self };
        let count = reader.expression(0, 0)?;
        reader.rest.is_empty().then_some(count)
    }

    /// The value of a constant.
    fn com_constant(&self, name: &str) -> Option<i64> {
        if let Some(number) = self.com_numbers.get(name) {
            return Some(i64::from(*number));
        }
        match self.declared(name)?.1 {
            Target::Decl(id) => match &self.model.get(id).kind {
                DeclKind::Const(data) => match &data.value {
                    ConstValue::Integer(number) => i64::try_from(*number).ok(),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}

fn both(left: ComCount, operator: ComOperator, right: ComCount) -> ComCount {
    ComCount::Both(Box::new(left), operator, Box::new(right))
}

/// Whether a type holds a number, or leads to one.
fn counts(ty: &ComType) -> bool {
    match ty {
        ComType::Unique(ty) | ComType::Full(ty) | ComType::Reference(ty) => counts(ty),
        ComType::I1 | ComType::I2 | ComType::I4 | ComType::I8 | ComType::Enum(_) => true,
        ComType::U1 | ComType::U2 | ComType::U4 | ComType::U8 => true,
        _ => false,
    }
}

struct Reader<'r, 'a, 'c> {
    rest: &'r str,
    known: &'r [(&'r str, &'r ComType)],
    checker: &'r Checker<'a, 'c>,
}

impl<'r> Reader<'r, '_, '_> {
    fn eat(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign);
        rest.inspect(|rest| self.rest = rest.trim_start()).is_some()
    }

    fn expression(&mut self, level: usize, depth: usize) -> Option<ComCount> {
        let Some(operators) = OPERATORS.get(level) else { return self.operand(depth) };
        let mut left = self.expression(level + 1, depth)?;
        'more: loop {
            for (sign, operator) in *operators {
                // `&&` and `||` are other operators.
                let twice = sign.len() == 1 && self.rest.starts_with(&sign.repeat(2));
                if !(twice && matches!(*sign, "&" | "|")) && self.eat(sign) {
                    left = both(left, *operator, self.expression(level + 1, depth)?);
                    continue 'more;
                }
            }
            return Some(left);
        }
    }

    /// A number, a name, what stands in parentheses, and what signs and casts make of them.
    fn operand(&mut self, depth: usize) -> Option<ComCount> {
        if depth > DEEPEST {
            return None;
        }
        if self.eat("(") {
            let within = self.rest;
            let word = self.word();
            // A cast: the number stays.
            let ty = word.filter(|word| !self.is_value(word) && self.rest.starts_with(')'));
            if ty.is_some() && self.eat(")") {
                return self.operand(depth + 1);
            }
            self.rest = within;
            let count = self.expression(0, depth + 1)?;
            return self.eat(")").then_some(count);
        }
        // What a pointer leads to is what it says.
        if self.eat("*") || self.eat("+") {
            return self.operand(depth + 1);
        }
        if self.eat("-") {
            let count = self.operand(depth + 1)?;
            return Some(both(ComCount::Number(0), ComOperator::Subtract, count));
        }
        match self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            true => self.number(),
            false => {
                let word = self.word()?;
                self.value(word)
            }
        }
    }

    fn word(&mut self) -> Option<&'r str> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }

    fn number(&mut self) -> Option<ComCount> {
        let word = self.word()?.trim_end_matches(['u', 'U', 'l', 'L']);
        let hex = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        let number = match (hex, word.strip_prefix('0')) {
            (Some(digits), _) => i64::from_str_radix(digits, 16),
            (None, Some(digits)) if !digits.is_empty() => i64::from_str_radix(digits, 8),
            _ => word.parse(),
        };
        number.ok().map(ComCount::Number)
    }

    fn is_value(&self, word: &str) -> bool {
        let name = plain(word);
        self.known.iter().any(|(known, _)| *known == &*name) || self.checker.is_number(&name)
    }

    fn value(&self, word: &str) -> Option<ComCount> {
        let name = plain(word);
        match self.known.iter().find(|(known, _)| *known == &*name) {
            Some((known, ty)) => counts(ty).then(|| ComCount::Name((*known).to_owned())),
            None => self.checker.com_constant(&name).map(ComCount::Number),
        }
    }
}
