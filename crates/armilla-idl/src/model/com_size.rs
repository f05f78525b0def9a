//! How many elements an array of COM has, as `size_is` and its like say it.

/// What is said of the elements of an array.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComBounds {
    /// How many there may be (`size_is`, `max_is`).
    pub size: Option<ComBound>,
    /// The index of the first that is in use (`first_is`); 0 without one.
    pub first: Option<ComBound>,
    /// How many are in use (`length_is`, `last_is`, or all from the first).
    pub length: Option<ComBound>,
}

/// A number of elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComBound {
    /// As the IDL has it: `size_is(count*2)`.
    pub text: String,
    /// The number.
    pub count: ComCount,
}

/// An expression over the parameters of a method, or over the members of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComCount {
    /// A number.
    Number(i64),
    /// What a parameter or a member holds, or leads to.
    Name(String),
    /// Two numbers, and what is made of them.
    Both(Box<ComCount>, ComOperator, Box<ComCount>),
    /// `condition ? one : other`: one of two numbers. The other one is not asked for.
    Choice(Box<ComCount>, Box<ComCount>, Box<ComCount>),
}

/// What is made of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `&`
    And,
    /// `^`
    Xor,
    /// `|`
    Or,
    /// `==`: 1 if it is so, else 0.
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `&&`: 1 if neither is 0. Where the first says enough, the second is not asked for.
    Both,
    /// `||`: 1 if not both are 0, in the same way.
    Either,
}

impl ComCount {
    /// The number, where `of` says what a name holds; `None` if something of it is no number, or the
    /// arithmetic leaves 64 bits.
    pub fn value(&self, of: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Name(name) => of(name),
            Self::Both(left, operator, right) => {
                let left = left.value(of)?;
                match operator {
                    ComOperator::Both if left == 0 => Some(0),
                    ComOperator::Either if left != 0 => Some(1),
                    _ => operator.apply(left, right.value(of)?),
                }
            }
            Self::Choice(condition, one, other) => match condition.value(of)? {
                0 => other.value(of),
                _ => one.value(of),
            },
        }
    }
}

impl ComOperator {
    fn apply(self, left: i64, right: i64) -> Option<i64> {
        match self {
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Multiply => left.checked_mul(right),
            Self::Divide => left.checked_div(right),
            Self::Remainder => left.checked_rem(right),
            Self::ShiftLeft => left.checked_shl(u32::try_from(right).ok()?),
            Self::ShiftRight => left.checked_shr(u32::try_from(right).ok()?),
            Self::And => Some(left & right),
            Self::Xor => Some(left ^ right),
            Self::Or => Some(left | right),
            Self::Equal => Some((left == right).into()),
            Self::Unequal => Some((left != right).into()),
            Self::Less => Some((left < right).into()),
            Self::LessOrEqual => Some((left <= right).into()),
            Self::Greater => Some((left > right).into()),
            Self::GreaterOrEqual => Some((left >= right).into()),
            Self::Both => Some((left != 0 && right != 0).into()),
            Self::Either => Some((left != 0 || right != 0).into()),
        }
    }
}
