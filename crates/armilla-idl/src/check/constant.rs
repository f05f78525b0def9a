//! Constants and their expressions (IDL 4.2, 7.4.1.4.3).

use super::Checker;
use super::scope::Target;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{Const, ConstValue, DeclId, DeclKind, Primitive, Type};
use crate::parse::ast::{Binary, Expr, Literal, Name, Step, StepKind, TypeSpec, Unary};
use crate::source::Span;

/// How large the values of all string constants may be together.
const MAX_CONSTANT_TEXT: usize = 32 << 20;

/// What a constant expression must evaluate to.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    /// An integer of so many bits.
    Integer {
        name: &'static str,
        bits: u32,
        signed: bool,
    },
    Float,
    Double,
    Boolean,
    Char,
    String(Option<u32>),
    Enum(DeclId),
}

/// The bound of a string, a sequence or an array.
const BOUND: Wanted = Wanted::Integer { name: "unsigned long", bits: 32, signed: false };

impl Wanted {
    fn integer(name: &'static str, bits: u32, signed: bool) -> Option<Self> {
        Some(Wanted::Integer { name, bits, signed })
    }
}

/// The smallest and the greatest integer of so many bits.
fn range(bits: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

impl Checker<'_, '_> {
    pub(super) fn constant(&mut self, ty: &TypeSpec, name: &Name, value: &Expr, docs: &[String]) {
        let checked = self.ty(ty).and_then(|checked| match self.wanted(&checked) {
            Some(wanted) => {
                let value = self.evaluate(value, &wanted)?;
                Some(Const { ty: checked, value })
            }
            None => {
                let message = "a constant cannot be of this type";
                let error = Diagnostic::error(Code::BadType, ty.span, message);
                let help = "constants are numbers, characters, strings, booleans and enumerators";
                self.session.report(error.help(help));
                None
            }
        });
        match checked {
            Some(constant) => {
                if self.count_text(&constant.value, value.span) {
                    self.add(name, docs, DeclKind::Const(constant));
                } else {
                    self.declare(name, Target::Poisoned);
                }
            }
            None => self.declare(name, Target::Poisoned),
        }
    }

    /// Counts the text of a constant: constants that copy one another could make much of little.
    /// Returns whether there is room for it.
    fn count_text(&mut self, value: &ConstValue, span: Span) -> bool {
        let ConstValue::String(text) = value else { return true };
        self.constant_text += text.len();
        if self.constant_text <= MAX_CONSTANT_TEXT {
            return true;
        }
        let limit = MAX_CONSTANT_TEXT >> 20;
        let message = format!("the string constants are larger than {limit} MiB together");
        self.error(Code::TooLarge, span, message);
        false
    }

    /// What a constant of the type `ty` must be; `None` if there is no such constant.
    pub(super) fn wanted(&self, ty: &Type) -> Option<Wanted> {
        match self.model.resolve(ty) {
            Type::Primitive(primitive) => match primitive {
                Primitive::Short => Wanted::integer("short", 16, true),
                Primitive::UShort => Wanted::integer("unsigned short", 16, false),
                Primitive::Long => Wanted::integer("long", 32, true),
                Primitive::ULong => Wanted::integer("unsigned long", 32, false),
                Primitive::LongLong => Wanted::integer("long long", 64, true),
                Primitive::ULongLong => Wanted::integer("unsigned long long", 64, false),
                Primitive::Octet => Wanted::integer("octet", 8, false),
                Primitive::Float => Some(Wanted::Float),
                Primitive::Double => Some(Wanted::Double),
                Primitive::Char => Some(Wanted::Char),
                Primitive::Boolean => Some(Wanted::Boolean),
            },
            Type::String(bound) => Some(Wanted::String(*bound)),
            Type::Named(id) => match self.model.get(*id).kind {
                DeclKind::Enum(_) => Some(Wanted::Enum(*id)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of `expr` as a positive number of 32 bits.
    pub(super) fn positive(&mut self, expr: &Expr, what: &str) -> Option<u32> {
        match self.evaluate_steps(expr, &BOUND)? {
            ConstValue::Integer(value) => match u32::try_from(value) {
                Ok(value) if value > 0 => Some(value),
                Ok(_) => self.fail(Code::BadBound, expr.span, format!("{what} cannot be zero")),
                Err(_) if value < 0 => {
                    self.fail(Code::BadBound, expr.span, format!("{what} cannot be negative"))
                }
                Err(_) => {
                    let message = format!("{what} must fit into 32 bits, this is {value}");
                    self.fail(Code::BadBound, expr.span, message)
                }
            },
            other => {
                let message = format!("{what} must be an integer, this is {}", kind_of(&other));
                self.fail(Code::BadBound, expr.span, message)
            }
        }
    }

    /// The value of `expr`, which is what is wanted. `None` if something was reported.
    pub(super) fn evaluate(&mut self, expr: &Expr, wanted: &Wanted) -> Option<ConstValue> {
        let value = self.evaluate_steps(expr, wanted)?;
        let out_of_range = match (wanted, &value) {
            (Wanted::Integer { name, bits, signed }, ConstValue::Integer(integer)) => {
                let (least, greatest) = range(*bits, *signed);
                let fits = (least..=greatest).contains(integer);
                (!fits).then(|| {
                    format!("{integer} does not fit into `{name}` ({least} to {greatest})")
                })
            }
            (Wanted::Float, ConstValue::Float(float)) => {
                let fits = (*float as f32).is_finite();
                (!fits).then(|| format!("{float:e} does not fit into `float`"))
            }
            (Wanted::String(Some(bound)), ConstValue::String(string)) => {
                let length = string.chars().count();
                let fits = length <= *bound as usize;
                (!fits).then(|| format!("{length} characters do not fit into `string<{bound}>`"))
            }
            (Wanted::Double, ConstValue::Float(_))
            | (Wanted::Boolean, ConstValue::Boolean(_))
            | (Wanted::Char, ConstValue::Char(_))
            | (Wanted::String(None), ConstValue::String(_)) => None,
            (Wanted::Enum(id), ConstValue::Enumerator(other, _)) if id == other => None,
            _ => return self.wrong_type(expr, wanted, &value),
        };
        match out_of_range {
            None => Some(value),
            Some(message) => self.fail(Code::ConstantRange, expr.span, message),
        }
    }

    fn wrong_type<T>(&mut self, expr: &Expr, wanted: &Wanted, found: &ConstValue) -> Option<T> {
        let expected = match wanted {
            Wanted::Integer { name, .. } => format!("an integer of the type `{name}`"),
            Wanted::Float => "a floating-point number of the type `float`".to_owned(),
            Wanted::Double => "a floating-point number of the type `double`".to_owned(),
            Wanted::Boolean => "`TRUE` or `FALSE`".to_owned(),
            Wanted::Char => "a character".to_owned(),
            Wanted::String(_) => "a string".to_owned(),
            Wanted::Enum(id) => format!("an enumerator of `{}`", self.model.scoped_name(*id)),
        };
        let found_kind = match found {
            ConstValue::Enumerator(id, _) => {
                format!("an enumerator of `{}`", self.model.scoped_name(*id))
            }
            other => kind_of(other).to_owned(),
        };
        let message = format!("expected {expected}, found {found_kind}");
        let mut error = Diagnostic::error(Code::ConstantType, expr.span, message);
        match (wanted, found) {
            (Wanted::Float | Wanted::Double, ConstValue::Integer(integer)) => {
                error = error.help(format!("write `{integer}.0`"));
            }
            (Wanted::Boolean, ConstValue::Integer(integer @ 0..=1)) => {
                error = error.help(if *integer == 1 { "write `TRUE`" } else { "write `FALSE`" });
            }
            _ => {}
        }
        self.session.report(error);
        None
    }

    fn evaluate_steps(&mut self, expr: &Expr, wanted: &Wanted) -> Option<ConstValue> {
        let mut stack: Vec<ConstValue> = Vec::new();
        for step in &expr.steps {
            let value = match &step.kind {
                StepKind::Literal(literal) => literal_value(literal)?,
                StepKind::Name(_) => self.named_value(step)?,
                StepKind::Unary(operator) => {
                    let operand = stack.pop()?;
                    let result = unary(*operator, &operand, wanted);
                    self.computed(result, step.span)?
                }
                StepKind::Binary(operator) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    let result = binary(*operator, &left, &right);
                    self.computed(result, step.span)?
                }
            };
            stack.push(value);
        }
        stack.pop()
    }

    fn computed(&mut self, result: Result<ConstValue, String>, span: Span) -> Option<ConstValue> {
        match result {
            Ok(value) => Some(value),
            Err(message) => self.fail(Code::ConstantEvaluation, span, message),
        }
    }

    fn named_value(&mut self, step: &Step) -> Option<ConstValue> {
        let StepKind::Name(name) = &step.kind else { return None };
        let target = self.resolve(name)?;
        match target {
            Target::Enumerator(id, index) => return Some(ConstValue::Enumerator(id, index)),
            Target::Decl(id) => {
                if let DeclKind::Const(constant) = &self.model.get(id).kind {
                    return Some(constant.value.clone());
                }
            }
            _ => {}
        }
        let last = name.rest.last().unwrap_or(&name.first);
        let message = format!("`{}` is {}, not a constant", last.text, self.describe(target));
        self.fail(Code::WrongKind, name.span(), message)
    }

    fn fail<T>(&mut self, code: Code, span: Span, message: String) -> Option<T> {
        self.error(code, span, message);
        None
    }
}

fn literal_value(literal: &Literal) -> Option<ConstValue> {
    Some(match literal {
        Literal::Integer(value) => ConstValue::Integer(i128::from(*value)),
        Literal::Float(value) => ConstValue::Float(*value),
        Literal::Boolean(value) => ConstValue::Boolean(*value),
        Literal::Char(value) => ConstValue::Char(*value),
        Literal::String(value) => ConstValue::String(value.clone()),
        Literal::Bad => return None,
    })
}

/// The kind of a value, with its article.
fn kind_of(value: &ConstValue) -> &'static str {
    match value {
        ConstValue::Integer(_) => "an integer",
        ConstValue::Float(_) => "a floating-point number",
        ConstValue::Boolean(_) => "a boolean",
        ConstValue::Char(_) => "a character",
        ConstValue::String(_) => "a string",
        ConstValue::Enumerator(..) => "an enumerator",
    }
}

fn unary(operator: Unary, operand: &ConstValue, wanted: &Wanted) -> Result<ConstValue, String> {
    match (operator, operand) {
        (Unary::Plus, ConstValue::Integer(_) | ConstValue::Float(_)) => Ok(operand.clone()),
        (Unary::Minus, ConstValue::Integer(value)) => integer(value.checked_neg()),
        (Unary::Minus, ConstValue::Float(value)) => Ok(ConstValue::Float(-value)),
        (Unary::Not, ConstValue::Integer(value)) => match wanted {
            // The complement within the bits of an unsigned type.
            Wanted::Integer { bits, signed: false, .. } if *value >= 0 => {
                integer(range(*bits, false).1.checked_sub(*value))
            }
            _ => integer(Some(!value)),
        },
        _ => Err(format!("this operator cannot be used on {}", kind_of(operand))),
    }
}

fn binary(operator: Binary, left: &ConstValue, right: &ConstValue) -> Result<ConstValue, String> {
    match (left, right) {
        (ConstValue::Integer(left), ConstValue::Integer(right)) => {
            integer_binary(operator, *left, *right)
        }
        (ConstValue::Float(left), ConstValue::Float(right)) => {
            float_binary(operator, *left, *right)
        }
        (ConstValue::Integer(_), ConstValue::Float(_))
        | (ConstValue::Float(_), ConstValue::Integer(_)) => {
            Err("integers and floating-point numbers cannot be mixed".to_owned())
        }
        _ => {
            let (left, right) = (kind_of(left), kind_of(right));
            Err(format!("this operator cannot be used on {left} and {right}"))
        }
    }
}

fn integer_binary(operator: Binary, left: i128, right: i128) -> Result<ConstValue, String> {
    let by = u32::try_from(right).ok().filter(|by| *by < 64);
    integer(match operator {
        Binary::Or => Some(left | right),
        Binary::Xor => Some(left ^ right),
        Binary::And => Some(left & right),
        Binary::Add => left.checked_add(right),
        Binary::Subtract => left.checked_sub(right),
        Binary::Multiply => left.checked_mul(right),
        Binary::Divide | Binary::Remainder if right == 0 => {
            return Err("this divides by zero".to_owned());
        }
        Binary::Divide => left.checked_div(right),
        Binary::Remainder => left.checked_rem(right),
        Binary::ShiftLeft | Binary::ShiftRight => match by {
            None => return Err(format!("a shift is by 0 to 63 bits, this is {right}")),
            Some(by) if operator == Binary::ShiftLeft => left.checked_shl(by),
            Some(by) => left.checked_shr(by),
        },
    })
}

fn float_binary(operator: Binary, left: f64, right: f64) -> Result<ConstValue, String> {
    let value = match operator {
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Multiply => left * right,
        Binary::Divide if right == 0.0 => return Err("this divides by zero".to_owned()),
        Binary::Divide => left / right,
        _ => return Err("this operator cannot be used on floating-point numbers".to_owned()),
    };
    if value.is_finite() {
        Ok(ConstValue::Float(value))
    } else {
        Err("the result does not fit into `double`".to_owned())
    }
}

/// Every intermediate result must fit into 64 bits, signed or unsigned.
fn integer(value: Option<i128>) -> Result<ConstValue, String> {
    let fits = |value: &i128| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(value);
    match value.filter(fits) {
        Some(value) => Ok(ConstValue::Integer(value)),
        None => Err("the result does not fit into 64 bits".to_owned()),
    }
}
