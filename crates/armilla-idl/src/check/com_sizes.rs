//! What `size_is`, `max_is`, `first_is`, `length_is` and `last_is` say of arrays: expressions of C over
//! parameters or members. One whose number depends on the machine (`sizeof` of a pointer) says nothing.

use super::Checker;
use super::com_pointers::parts;
use super::scope::Target;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{ComBound, ComBounds, ComCount, ComOperator, ComType, ConstValue, DeclKind};
use crate::parse::com_ast::MidlAttribute;
use crate::parse::plain;

/// The attributes that say something of arrays.
const ATTRIBUTES: [&str; 5] = ["size_is", "max_is", "first_is", "length_is", "last_is"];

/// How deep an expression nests, and how many operators it has at most.
const DEEPEST: usize = 16;
const MOST: usize = 64;

/// Operators that bind alike, the weakest first. Of two that begin alike, the longer one stands first.
const OPERATORS: &[&[(&str, ComOperator)]] = &[
    &[("||", ComOperator::Either)],
    &[("&&", ComOperator::Both)],
    &[("|", ComOperator::Or)],
    &[("^", ComOperator::Xor)],
    &[("&", ComOperator::And)],
    &[("==", ComOperator::Equal), ("!=", ComOperator::Unequal)],
    &[
        ("<=", ComOperator::LessOrEqual),
        (">=", ComOperator::GreaterOrEqual),
        ("<", ComOperator::Less),
        (">", ComOperator::Greater),
    ],
    &[("<<", ComOperator::ShiftLeft), (">>", ComOperator::ShiftRight)],
    &[("+", ComOperator::Add), ("-", ComOperator::Subtract)],
    &[("*", ComOperator::Multiply), ("/", ComOperator::Divide), ("%", ComOperator::Remainder)],
];

/// Why an expression gives no number.
enum Why<'t> {
    /// It does on each machine, but not the same one.
    Machine,
    /// A word that is no name of a parameter, a member, or a constant.
    Name(&'t str),
    /// One whose value is no number.
    NoNumber(&'t str),
    /// Not the name of a type, behind `sizeof`.
    Type(&'t str),
    /// It has no such form, or is too long.
    Form,
}

impl Checker<'_, '_> {
    /// What attributes say of the arrays of a parameter or a member, the outermost first. `known` has the
    /// parameters or members that they may name: each is a `what`.
    pub(super) fn com_bounds(
        &mut self,
        attributes: &[MidlAttribute],
        known: &[(&str, &ComType)],
        what: &str,
    ) -> Vec<ComBounds> {
        let mut counts: [Vec<Option<ComBound>>; 5] = Default::default();
        let mut depths = 0;
        for (counts, name) in counts.iter_mut().zip(ATTRIBUTES) {
            let Some(attribute) = attributes.iter().find(|it| it.name == name) else { continue };
            let text = attribute.text.as_deref().unwrap_or_default();
            *counts = self.com_counts(attribute, text, known, what);
            depths = depths.max(counts.len());
        }
        let says = |which: usize, depth: usize| {
            let attribute = attributes.iter().find(|it| it.name == ATTRIBUTES[which]);
            let text = attribute.and_then(|it| it.text.as_deref()).unwrap_or_default();
            parts(text).get(depth).is_some_and(|it| !it.is_empty())
        };
        // Pointers of which nothing is said are none to arrays.
        let levels = (0..depths).filter(|depth| (0..5).any(|which| says(which, *depth)));
        let levels = levels.map(|depth| {
            let [size, max, first, length, last] =
                counts.each_ref().map(|it| it.get(depth).cloned().flatten());
            let with = |bound: ComBound, operator, other: ComCount| ComBound {
                text: bound.text,
                count: both(bound.count, operator, other),
            };
            let size =
                size.or_else(|| max.map(|it| with(it, ComOperator::Add, ComCount::Number(1))));
            let from = |first: &Option<ComBound>| match first {
                Some(first) => first.count.clone(),
                None => ComCount::Number(0),
            };
            let unknown = says(2, depth) && first.is_none();
            let last = last.filter(|_| !unknown).map(|it| match from(&first) {
                ComCount::Number(first) => {
                    with(it, ComOperator::Add, ComCount::Number(1i64.saturating_sub(first)))
                }
                first => {
                    let end = with(it, ComOperator::Add, ComCount::Number(1));
                    with(end, ComOperator::Subtract, first)
                }
            });
            // What says nothing of its end has all elements from the first on.
            let rest = match (&first, &size) {
                (Some(first), Some(size)) if !says(3, depth) && !says(4, depth) => Some(ComBound {
                    text: first.text.clone(),
                    count: both(size.count.clone(), ComOperator::Subtract, first.count.clone()),
                }),
                _ => None,
            };
            ComBounds { size, first, length: length.or(last).or(rest) }
        });
        levels.collect()
    }

    /// The numbers in an attribute, one for each level, and reports those that are none.
    fn com_counts(
        &mut self,
        attribute: &MidlAttribute,
        text: &str,
        known: &[(&str, &ComType)],
        what: &str,
    ) -> Vec<Option<ComBound>> {
        let name = &attribute.name;
        let all = parts(text);
        if all.iter().all(|it| it.is_empty()) {
            self.com_no_count(attribute, format!("`{name}({text})` names no {what}"));
        }
        let mut counts = Vec::new();
        for part in all {
            if part.is_empty() {
                counts.push(None);
                continue;
            }
            let whole = format!("{name}({part})");
            let in_whole = |word: &str| match word.len() == part.len() {
                true => format!("`{whole}`"),
                false => format!("`{word}` in `{whole}`"),
            };
            let why = match self.com_count(part, known) {
                Ok(count) => {
                    counts.push(Some(ComBound { text: whole, count }));
                    continue;
                }
                Err(Why::Machine) => None,
                Err(Why::Name(word)) => Some(format!("{} names no {what}", in_whole(word))),
                Err(Why::NoNumber(word)) => Some(format!("{} holds no number", in_whole(word))),
                Err(Why::Type(word)) => Some(format!("{} names no type", in_whole(word))),
                Err(Why::Form) => Some(format!("`{whole}` is no expression over integers")),
            };
            if let Some(why) = why {
                self.com_no_count(attribute, why);
            }
            counts.push(None);
        }
        counts
    }

    fn com_no_count(&mut self, attribute: &MidlAttribute, message: String) {
        let error = Diagnostic::error(Code::BadCom, attribute.span, message);
        let help = "the names of some can stand there, `*name` for one that is a pointer, \
                    numbers and constants";
        self.session.report(error.help(help));
    }

    fn com_count<'t>(
        &self,
        text: &'t str,
        known: &[(&str, &ComType)],
    ) -> Result<ComCount, Why<'t>> {
        let mut reader = Reader { rest: text, known, checker: self, operators: 0 };
        let count = reader.expression(0)?;
        if reader.rest.is_empty() { Ok(count) } else { Err(Why::Form) }
    }

    /// The value of a constant.
    fn com_constant(&self, name: &str) -> Option<i64> {
        if let Some(number) = self.com_numbers.get(name) {
            return Some(i64::from(number.value));
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

struct Reader<'r, 't, 'a, 'c> {
    rest: &'t str,
    known: &'r [(&'r str, &'r ComType)],
    checker: &'r Checker<'a, 'c>,
    operators: usize,
}

impl<'t> Reader<'_, 't, '_, '_> {
    fn eat(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign);
        rest.inspect(|rest| self.rest = rest.trim_start()).is_some()
    }

    /// Notes that there is one operator more.
    fn operator(&mut self) -> Result<(), Why<'t>> {
        self.operators += 1;
        if self.operators > MOST { Err(Why::Form) } else { Ok(()) }
    }

    fn expression(&mut self, depth: usize) -> Result<ComCount, Why<'t>> {
        if depth > DEEPEST {
            return Err(Why::Form);
        }
        let condition = self.binary(0, depth)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        self.operator()?;
        let one = self.expression(depth + 1)?;
        if !self.eat(":") {
            return Err(Why::Form);
        }
        let other = self.expression(depth + 1)?;
        Ok(ComCount::Choice(Box::new(condition), Box::new(one), Box::new(other)))
    }

    fn binary(&mut self, level: usize, depth: usize) -> Result<ComCount, Why<'t>> {
        let Some(operators) = OPERATORS.get(level) else { return self.operand(depth) };
        let mut left = self.binary(level + 1, depth)?;
        'more: loop {
            for (sign, operator) in *operators {
                // `&&` and `||` are other operators.
                let twice = sign.len() == 1 && self.rest.starts_with(&sign.repeat(2));
                if !(twice && matches!(*sign, "&" | "|")) && self.eat(sign) {
                    self.operator()?;
                    left = both(left, *operator, self.binary(level + 1, depth)?);
                    continue 'more;
                }
            }
            return Ok(left);
        }
    }

    /// A number, a name, what stands in parentheses, and what signs and casts make of them.
    fn operand(&mut self, depth: usize) -> Result<ComCount, Why<'t>> {
        if depth > DEEPEST {
            return Err(Why::Form);
        }
        if self.eat("(") {
            // A cast: the number stays.
            if self.cast() {
                return self.operand(depth + 1);
            }
            let count = self.expression(depth + 1)?;
            return if self.eat(")") { Ok(count) } else { Err(Why::Form) };
        }
        // What a pointer leads to is what it says.
        if self.eat("*") || self.eat("+") {
            return self.operand(depth + 1);
        }
        let signs = [
            ("-", ComOperator::Subtract, 0),
            ("~", ComOperator::Xor, -1),
            ("!", ComOperator::Equal, 0),
        ];
        for (sign, operator, other) in signs {
            if self.eat(sign) {
                self.operator()?;
                return Ok(both(ComCount::Number(other), operator, self.operand(depth + 1)?));
            }
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number();
        }
        match self.word() {
            Some("sizeof") => self.size(),
            Some(word) => self.value(word),
            None => Err(Why::Form),
        }
    }

    fn word(&mut self) -> Option<&'t str> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }

    /// Passes over `unsigned long)`; over nothing if values stand there.
    fn cast(&mut self) -> bool {
        let before = self.rest;
        let words: Vec<_> = std::iter::from_fn(|| self.word()).collect();
        let values = words.iter().any(|word| self.is_value(word));
        let ty = !words.is_empty() && !values && self.checker.com_size_of(&words).is_some();
        if ty && self.eat(")") {
            return true;
        }
        self.rest = before;
        false
    }

    /// What stands behind `sizeof`: a type in parentheses.
    fn size(&mut self) -> Result<ComCount, Why<'t>> {
        if !self.eat("(") {
            return Err(Why::Form);
        }
        let within = self.rest;
        let words: Vec<_> = std::iter::from_fn(|| self.word()).collect();
        let named = within[..within.len() - self.rest.len()].trim_end();
        let pointer = self.eat("*");
        while self.eat("*") {}
        if !self.eat(")") || words.is_empty() {
            return Err(Why::Form);
        }
        let size = match pointer {
            true => None,
            false => self.checker.com_size_of(&words).ok_or(Why::Type(named))?,
        };
        size.map(ComCount::Number).ok_or(Why::Machine)
    }

    fn number(&mut self) -> Result<ComCount, Why<'t>> {
        let word = self.word().ok_or(Why::Form)?.trim_end_matches(['u', 'U', 'l', 'L']);
        let hex = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        let number = match (hex, word.strip_prefix('0')) {
            (Some(digits), _) => i64::from_str_radix(digits, 16),
            (None, Some(digits)) if !digits.is_empty() => i64::from_str_radix(digits, 8),
            _ => word.parse(),
        };
        number.map(ComCount::Number).map_err(|_| Why::Form)
    }

    fn is_value(&self, word: &str) -> bool {
        let name = plain(word);
        self.known.iter().any(|(known, _)| *known == &*name) || self.checker.is_number(&name)
    }

    fn value(&self, word: &'t str) -> Result<ComCount, Why<'t>> {
        let name = plain(word);
        match self.known.iter().find(|(known, _)| *known == &*name) {
            Some((known, ty)) if counts(ty) => Ok(ComCount::Name((*known).to_owned())),
            Some(_) => Err(Why::NoNumber(word)),
            None if self.checker.is_number(&name) => {
                let number = self.checker.com_constant(&name);
                number.map(ComCount::Number).ok_or(Why::NoNumber(word))
            }
            None => Err(Why::Name(word)),
        }
    }
}
