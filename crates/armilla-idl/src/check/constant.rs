//! Constants and their expressions (IDL 4.2, 7.4.1.4.3).

use super::Checker;
use super::arithmetic::{binary, unary};
use super::expected::{Expected, kind_of, range};
use super::floating;
use super::scope::Target;
use super::template::Binding;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{Const, ConstValue, DeclKind, Fixed, Primitive, Type};
use crate::parse::ast::{Expr, Literal, Name, Step, StepKind, TypeKind, TypeSpec};
use crate::source::Span;

/// The maximum size of all string constants together, in octets.
const MAX_CONSTANT_TEXT: usize = 32 << 20;

/// The bound of a string, a sequence or an array.
const BOUND: Expected = Expected::Integer { name: "unsigned long", bits: 32, signed: false };

impl Checker<'_, '_> {
    pub(super) fn constant(&mut self, ty: &TypeSpec, name: &Name, value: &Expr, docs: &[String]) {
        let checked = match ty.kind {
            TypeKind::FixedConstant => self.fixed_constant(value),
            _ => self.ty(ty).and_then(|checked| match self.expected(&checked) {
                Some(expected) => {
                    let value = self.evaluate(value, &expected)?;
                    Some(Const { ty: checked, value })
                }
                None => {
                    let message = "a constant cannot be of this type";
                    let error = Diagnostic::error(Code::BadType, ty.span, message);
                    let help = "constants are numbers, characters, strings, booleans and \
                                enumerators";
                    self.session.report(error.help(help));
                    None
                }
            }),
        };
        match checked {
            Some(constant) => {
                if self.com_constant_again(name, &constant) {
                    return;
                }
                if self.count_text(&constant.value, value.span) {
                    self.add(name, docs, DeclKind::Const(constant));
                } else {
                    self.declare(name, Target::Error);
                }
            }
            None => self.declare(name, Target::Error),
        }
    }

    /// A constant of the type `fixed`. Its value determines the digits of its type.
    fn fixed_constant(&mut self, value: &Expr) -> Option<Const> {
        let value = self.evaluate(value, &Expected::Fixed(None))?;
        let ConstValue::Fixed(number) = &value else { return None };
        Some(Const { ty: Type::Fixed(number.digits(), number.scale()), value })
    }

    /// Counts the text of a constant against the limit: constants that concatenate one another grow
    /// exponentially. Returns whether the limit holds.
    fn count_text(&mut self, value: &ConstValue, span: Span) -> bool {
        self.constant_text += match value {
            ConstValue::String(text) => text.len(),
            ConstValue::WString(units) => 2 * units.len(),
            _ => return true,
        };
        if self.constant_text <= MAX_CONSTANT_TEXT {
            return true;
        }
        let limit = MAX_CONSTANT_TEXT >> 20;
        let message = format!("the string constants are larger than {limit} MiB together");
        self.error(Code::TooLarge, span, message);
        false
    }

    /// The value that a constant of the type `ty` must have; `None` if there are no constants of
    /// that type.
    pub(super) fn expected(&self, ty: &Type) -> Option<Expected> {
        match self.model.resolve(ty) {
            Type::Primitive(primitive) => match primitive {
                Primitive::Short => Expected::integer("short", 16, true),
                Primitive::UShort => Expected::integer("unsigned short", 16, false),
                Primitive::Long => Expected::integer("long", 32, true),
                Primitive::ULong => Expected::integer("unsigned long", 32, false),
                Primitive::LongLong => Expected::integer("long long", 64, true),
                Primitive::ULongLong => Expected::integer("unsigned long long", 64, false),
                Primitive::Octet => Expected::integer("octet", 8, false),
                Primitive::Int8 => Expected::integer("int8", 8, true),
                Primitive::UInt8 => Expected::integer("uint8", 8, false),
                Primitive::WChar => Some(Expected::WChar),
                Primitive::LongDouble => Some(Expected::LongDouble),
                Primitive::Float => Some(Expected::Float),
                Primitive::Double => Some(Expected::Double),
                Primitive::Char => Some(Expected::Char),
                Primitive::Boolean => Some(Expected::Boolean),
            },
            Type::String(bound) => Some(Expected::String(*bound)),
            Type::WString(bound) => Some(Expected::WString(*bound)),
            Type::Fixed(digits, scale) => Some(Expected::Fixed(Some((*digits, *scale)))),
            Type::Named(id) => match self.model.get(*id).kind {
                DeclKind::Enum(_) => Some(Expected::Enum(*id)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Evaluates `expr` to a positive 32-bit number.
    pub(super) fn positive(&mut self, expr: &Expr, what: &str) -> Option<u32> {
        match self.natural(expr, what)? {
            0 => self.fail(Code::BadBound, expr.span, format!("{what} cannot be zero")),
            value => Some(value),
        }
    }

    /// Evaluates `expr` to a non-negative 32-bit number.
    pub(super) fn natural(&mut self, expr: &Expr, what: &str) -> Option<u32> {
        match self.evaluate_steps(expr, &BOUND)? {
            ConstValue::Integer(value) => match u32::try_from(value) {
                Ok(value) => Some(value),
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

    /// Evaluates `expr` to what is expected. `None` if an error was reported.
    pub(super) fn evaluate(&mut self, expr: &Expr, expected: &Expected) -> Option<ConstValue> {
        let value = self.evaluate_steps(expr, expected)?;
        if let ConstValue::LongDouble(number) = value {
            let narrowed = match expected {
                Expected::Float => floating::single(number),
                Expected::Double => floating::double(number),
                Expected::LongDouble => Ok(value),
                _ => return self.wrong_type(expr, expected, &value),
            };
            return match narrowed {
                Ok(value) => Some(value),
                Err(message) => self.fail(Code::ConstantRange, expr.span, message),
            };
        }
        if let (Expected::Fixed(size), ConstValue::Fixed(number)) = (expected, &value) {
            return self.fit_fixed(expr, *number, *size);
        }
        let out_of_range = match (expected, &value) {
            (Expected::Integer { name, bits, signed }, ConstValue::Integer(integer)) => {
                let (least, greatest) = range(*bits, *signed);
                let fits = (least..=greatest).contains(integer);
                (!fits).then(|| {
                    format!("{integer} does not fit into `{name}` ({least} to {greatest})")
                })
            }
            (Expected::Float, ConstValue::Float(float)) => {
                let fits = (*float as f32).is_finite();
                (!fits).then(|| format!("{float:e} does not fit into `float`"))
            }
            (Expected::String(Some(bound)), ConstValue::String(string)) => {
                let length = string.chars().count();
                let fits = length <= *bound as usize;
                (!fits).then(|| format!("{length} characters do not fit into `string<{bound}>`"))
            }
            (Expected::WString(Some(bound)), ConstValue::WString(units)) => {
                let (length, fits) = (units.len(), units.len() <= *bound as usize);
                (!fits).then(|| format!("{length} characters do not fit into `wstring<{bound}>`"))
            }
            (Expected::Double, ConstValue::Float(_))
            | (Expected::WChar, ConstValue::WChar(_))
            | (Expected::WString(None), ConstValue::WString(_))
            | (Expected::Boolean, ConstValue::Boolean(_))
            | (Expected::Char, ConstValue::Char(_))
            | (Expected::String(None), ConstValue::String(_)) => None,
            (Expected::Enum(id), ConstValue::Enumerator(other, _)) if id == other => None,
            _ => return self.wrong_type(expr, expected, &value),
        };
        match out_of_range {
            None => Some(match (expected, value) {
                // A `float` is rounded to the nearest value of its type.
                (Expected::Float, ConstValue::Float(float)) => {
                    ConstValue::Float(f64::from(float as f32))
                }
                (_, value) => value,
            }),
            Some(message) => self.fail(Code::ConstantRange, expr.span, message),
        }
    }

    /// `number` in a type of so many digits. Surplus digits after the point are truncated, with a
    /// warning.
    fn fit_fixed(
        &mut self,
        expr: &Expr,
        number: Fixed,
        size: Option<(u16, u16)>,
    ) -> Option<ConstValue> {
        let Some((digits, scale)) = size else { return Some(ConstValue::Fixed(number)) };
        let fitting = number.truncated(scale);
        if fitting.digits() - fitting.scale() > digits - scale && fitting.unscaled() != 0 {
            let message = format!("{number} does not fit into `fixed<{digits}, {scale}>`");
            return self.fail(Code::ConstantRange, expr.span, message);
        }
        if fitting != number {
            let message = format!("{number} becomes {fitting} in `fixed<{digits}, {scale}>`");
            let code = Code::FixedTruncated;
            self.session.report(Diagnostic::warning(code, expr.span, message));
        }
        Some(ConstValue::Fixed(fitting))
    }

    fn wrong_type<T>(&mut self, expr: &Expr, expected: &Expected, found: &ConstValue) -> Option<T> {
        let expected_kind = match expected {
            Expected::Integer { name, .. } => format!("an integer of the type `{name}`"),
            Expected::Float => "a floating-point number of the type `float`".to_owned(),
            Expected::Double => "a floating-point number of the type `double`".to_owned(),
            Expected::LongDouble => "a floating-point number of the type `long double`".to_owned(),
            Expected::Boolean => "`TRUE` or `FALSE`".to_owned(),
            Expected::WChar => "a wide character".to_owned(),
            Expected::WString(_) => "a wide string".to_owned(),
            Expected::Fixed(_) => "a fixed-point number".to_owned(),
            Expected::Char => "a character".to_owned(),
            Expected::String(_) => "a string".to_owned(),
            Expected::Enum(id) => format!("an enumerator of `{}`", self.model.scoped_name(*id)),
        };
        let found_kind = match found {
            ConstValue::Enumerator(id, _) => {
                format!("an enumerator of `{}`", self.model.scoped_name(*id))
            }
            other => kind_of(other).to_owned(),
        };
        let message = format!("expected {expected_kind}, found {found_kind}");
        let mut error = Diagnostic::error(Code::ConstantType, expr.span, message);
        match (expected, found) {
            (
                Expected::Float | Expected::Double | Expected::LongDouble,
                ConstValue::Integer(integer),
            ) => {
                error = error.help(format!("write `{integer}.0`"));
            }
            (Expected::Fixed(_), ConstValue::Integer(integer)) => {
                error = error.help(format!("write `{integer}d`"));
            }
            (Expected::Fixed(_), ConstValue::Float(_) | ConstValue::LongDouble(_)) => {
                error = error.help("a fixed-point number ends in `d`, as in `1.5d`");
            }
            (Expected::WChar, ConstValue::Char(_))
            | (Expected::WString(_), ConstValue::String(_)) => {
                error = error.help("put an `L` before the literal");
            }
            (Expected::Char, ConstValue::WChar(_))
            | (Expected::String(_), ConstValue::WString(_)) => {
                error = error.help("remove the `L` before the literal");
            }
            (Expected::Char, ConstValue::String(_)) => {
                error = error.help("write a character in single quotes");
            }
            (Expected::Boolean, ConstValue::Integer(integer @ 0..=1)) => {
                error = error.help(if *integer == 1 { "write `TRUE`" } else { "write `FALSE`" });
            }
            _ => {}
        }
        self.session.report(error);
        None
    }

    fn evaluate_steps(&mut self, expr: &Expr, expected: &Expected) -> Option<ConstValue> {
        let mut stack: Vec<ConstValue> = Vec::new();
        let alone = floating::is_alone(expr);
        for step in &expr.steps {
            let value = match &step.kind {
                StepKind::Literal(Literal::Float(text)) => {
                    match floating::literal(text, expected, alone) {
                        Ok(value) => value,
                        Err(message) => return self.fail(Code::BadNumber, step.span, message),
                    }
                }
                StepKind::Literal(literal) => literal_value(literal)?,
                StepKind::Name(_) => {
                    let value = self.named_value(step)?;
                    let operand = floating::operand(value, expected, alone);
                    self.computed(operand, step.span)?
                }
                StepKind::Unary(operator) => {
                    let operand = stack.pop()?;
                    let result = unary(*operator, &operand, expected);
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
        if let Some(number) = self.com_number(name) {
            return Some(number);
        }
        let target = self.resolve(name)?;
        match target {
            Target::Enumerator(id, index) => return Some(ConstValue::Enumerator(id, index)),
            Target::Binding(index) => {
                if let Binding::Value(value) = &self.bindings[index] {
                    return Some(value.clone());
                }
            }
            Target::Decl(id) => {
                if let DeclKind::Const(constant) = &self.model.get(id).kind {
                    return Some(constant.value.clone());
                }
            }
            _ => {}
        }
        self.wrong_kind(Code::WrongKind, name, target, "a constant");
        None
    }

    fn fail<T>(&mut self, code: Code, span: Span, message: String) -> Option<T> {
        self.error(code, span, message);
        None
    }
}

fn literal_value(literal: &Literal) -> Option<ConstValue> {
    Some(match literal {
        Literal::Integer(value) => ConstValue::Integer(i128::from(*value)),
        Literal::Boolean(value) => ConstValue::Boolean(*value),
        Literal::Char(value) => ConstValue::Char(*value),
        Literal::String(value) => ConstValue::String(value.clone()),
        Literal::WChar(value) => ConstValue::WChar(*value),
        Literal::WString(value) => ConstValue::WString(value.clone()),
        Literal::Fixed(value) => ConstValue::Fixed(*value),
        // The value of a floating-point number depends on what is expected.
        Literal::Float(_) | Literal::Invalid => return None,
    })
}
