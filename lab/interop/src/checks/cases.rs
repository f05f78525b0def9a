//! The values that the echo operations are checked with, by type.

use super::encoded;
use crate::fill::{Alphabet, Fill, Filler, Mode};
use crate::interop::*;
use armilla_cdr::Encode;

/// A check's name and the values that it sends.
pub(super) struct Case<T> {
    pub(super) name: &'static str,
    pub(super) values: Vec<T>,
}

/// A type with cases of its own.
pub(super) trait Cases: Sized {
    fn cases(alphabet: Alphabet) -> Vec<Case<Self>>;
}

fn case<T>(name: &'static str, values: impl Into<Vec<T>>) -> Case<T> {
    Case { name, values: values.into() }
}

// ---- Basic types -------------------------------------------------------------------------------

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Cases for $ty {
            fn cases(_: Alphabet) -> Vec<Case<Self>> {
                const BYTES: [u64; 2] = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210];
                vec![
                    case("zero", [0]),
                    case("one", [1]),
                    case("min", [Self::MIN]),
                    case("max", [Self::MAX]),
                    case("all_ones", [!0]),
                    case("bytes", BYTES.map(|bytes| bytes as Self)),
                ]
            }
        }
    )*};
}

integers!(i16 u16 i32 u32 i64 u64);

macro_rules! floats {
    ($($ty:ty, $payload:literal;)*) => {$(
        impl Cases for $ty {
            fn cases(_: Alphabet) -> Vec<Case<Self>> {
                let denormal = Self::from_bits(1);
                vec![
                    case("zero", [0.0]),
                    case("minus_zero", [-0.0]),
                    case("one", [1.0]),
                    case("third", [-1.0 / 3.0]),
                    case("max", [Self::MAX]),
                    case("lowest", [Self::MIN]),
                    case("min_normal", [Self::MIN_POSITIVE]),
                    case("denormal", [denormal, -denormal]),
                    case("infinity", [Self::INFINITY]),
                    case("minus_infinity", [Self::NEG_INFINITY]),
                    case("nan", [Self::NAN, -Self::NAN]),
                    case("nan_payload", [Self::from_bits(Self::NAN.to_bits() | $payload)]),
                ]
            }
        }
    )*};
}

floats! {
    f32, 0x1234;
    f64, 0x0001_2345_6789_abcd;
}

impl Cases for bool {
    fn cases(_: Alphabet) -> Vec<Case<Self>> {
        vec![case("false", [false]), case("true", [true])]
    }
}

/// Characters, and octets, which are the same Rust type.
impl Cases for u8 {
    fn cases(alphabet: Alphabet) -> Vec<Case<Self>> {
        let every: Vec<_> = (0..=alphabet.highest_char()).collect();
        vec![case("zero", [0]), case("letter", [b'A']), case("every", every)]
    }
}

impl Cases for Colour {
    fn cases(_: Alphabet) -> Vec<Case<Self>> {
        let middle = [Self::Green, Self::Blue];
        vec![case("first", [Self::Red]), case("middle", middle), case("last", [Self::Ultraviolet])]
    }
}

impl Cases for String {
    fn cases(alphabet: Alphabet) -> Vec<Case<Self>> {
        let paddings: Vec<_> = (0..10).map(|length| "p".repeat(length)).collect();
        vec![
            case("empty", [Self::new()]),
            case("one_char", ["x".into()]),
            case("lines", ["tab\tand\r\nnewline\n".into()]),
            case("every_char", [alphabet.everything()]),
            case("every_padding", paddings),
            case("8_kb", ["k".repeat(8192), "k".into()]),
            case("100_kb", ["y".repeat(100_000), "z".repeat(100_001)]),
        ]
    }
}

/// Of the type `Nickname`, which is a string with a bound.
pub(super) fn nicknames(alphabet: Alphabet) -> Vec<Case<Nickname>> {
    let widest = char::from(alphabet.highest_char()).to_string().repeat(NAME_LIMIT as usize);
    vec![
        case("empty", [String::new()]),
        case("short", ["Ada".into()]),
        case("full", ["0123456789abcdef".into(), widest]),
    ]
}

// ---- Structs and arrays ------------------------------------------------------------------------

fn extremes<T: Fill>(alphabet: Alphabet) -> Vec<Case<T>> {
    let make = |mode| Filler::new(mode, alphabet).make();
    vec![
        case("zero", [make(Mode::Zero)]),
        case("lowest", [make(Mode::Lowest)]),
        case("highest", [make(Mode::Highest)]),
        case("random", (1..=8).map(|seed| make(Mode::Random(seed))).collect::<Vec<_>>()),
    ]
}

macro_rules! with_extremes {
    ($($ty:ty)*) => {$(
        impl Cases for $ty {
            fn cases(alphabet: Alphabet) -> Vec<Case<Self>> {
                extremes(alphabet)
            }
        }
    )*};
}

with_extremes! {
    BinStruct OctetDoubleOctet LongOctet CharShort Nested EnumBoolean SmallArrays Basics
    geometry::Line Person Keywords
}

impl<T: Fill, const N: usize> Cases for [T; N] {
    fn cases(alphabet: Alphabet) -> Vec<Case<Self>> {
        extremes(alphabet)
    }
}

impl Cases for Folder {
    fn cases(alphabet: Alphabet) -> Vec<Case<Self>> {
        let chain = (1..=40).fold(Self::default(), |inner, level: u8| Self {
            name: level.to_string(),
            children: vec![inner],
            depth: level,
        });
        let mut cases = extremes(alphabet);
        cases.push(case("deep", [chain]));
        cases
    }
}

// ---- Unions ------------------------------------------------------------------------------------

impl Cases for ByLong {
    fn cases(alphabet: Alphabet) -> Vec<Case<Self>> {
        let numbers = |discriminator, count| {
            let value = Filler::new(Mode::Random(1), alphabet).elements(count);
            Self::Numbers { discriminator, value }
        };
        let record = Filler::new(Mode::Highest, alphabet).make();
        vec![
            case("single_label", [Self::Tiny(255)]),
            case("first_of_two_labels", [Self::Unit { discriminator: 1, value: -0.0 }]),
            case("second_of_two_labels", [Self::Unit { discriminator: -1, value: 1e300 }]),
            case("constant_label", [Self::Text("text".into())]),
            case("extreme_label", [Self::Record(record)]),
            case("default", [numbers(7, 3), numbers(i32::MIN, 0), numbers(i32::MAX, 1000)]),
        ]
    }
}

impl Cases for ByColour {
    fn cases(_: Alphabet) -> Vec<Case<Self>> {
        let warm = |discriminator, value| Self::Warm { discriminator, value };
        let cold = OctetDoubleOctet { first: 1, middle: 2.5, last: 3 };
        vec![
            case("first_of_two_labels", [warm(Colour::Red, i16::MIN)]),
            case("second_of_two_labels", [warm(Colour::Green, i16::MAX)]),
            case("single_label", [Self::Cold(cold)]),
            case("no_member", [Self::Unlisted { discriminator: Colour::Ultraviolet }]),
        ]
    }
}

impl Cases for ByBoolean {
    fn cases(_: Alphabet) -> Vec<Case<Self>> {
        let texts = [Self::Text("yes".into()), Self::Text(String::new())];
        vec![case("true", texts), case("false", [Self::Number(-1)])]
    }
}

impl Cases for ByChar {
    fn cases(alphabet: Alphabet) -> Vec<Case<Self>> {
        let small = |discriminator, value| Self::Small { discriminator, value };
        let other = |discriminator| Self::Other { discriminator, value: "other".into() };
        vec![
            case("two_labels", [small(b'a', 1), small(b'b', 2)]),
            case("escaped_label", [Self::Big(1e-300)]),
            case("label_beside_default", [other(b'z')]),
            case("default", [other(0), other(b'c'), other(alphabet.highest_char())]),
        ]
    }
}

impl Cases for ByLongLong {
    fn cases(_: Alphabet) -> Vec<Case<Self>> {
        let no_member = |discriminator| Self::Unlisted { discriminator };
        vec![
            case("above_32_bits", [Self::Letter(b'L')]),
            case("negative", [Self::Number(u64::MAX)]),
            case("no_member", [no_member(0), no_member(i64::MIN), no_member(i64::MAX)]),
        ]
    }
}

impl Cases for ByKind {
    fn cases(alphabet: Alphabet) -> Vec<Case<Self>> {
        let rest = |discriminator, value| Self::Rest { discriminator, value };
        let colours = ByColour::cases(alphabet).into_iter().flat_map(|case| case.values);
        vec![
            case("one", [Self::Number(-5)]),
            case("union_within", colours.map(Self::Colour).collect::<Vec<_>>()),
            case("default", [rest(0, 9), rest(65534, 8)]),
        ]
    }
}

impl Cases for Expression {
    fn cases(_: Alphabet) -> Vec<Case<Self>> {
        let two = || Self::Value(2.0);
        let deep = || (0..40).fold(two(), |inner, _| Self::Operand(vec![inner]));
        let nested = Self::Terms(vec![two(), Self::Terms(vec![two(), two()]), deep()]);
        vec![
            case("literal", [two()]),
            case("empty_sum", [Self::Terms(Vec::new())]),
            case("nested_sum", [nested]),
            case("deep", [deep()]),
        ]
    }
}

// ---- Sequences ---------------------------------------------------------------------------------

/// Two copies of a value and some more must fit into omniORB's default message limit of 2 MB.
const LARGEST_VALUE: usize = 800_000;

/// Sequences without a bound whose elements `make` makes.
pub(super) fn sequences<T: Encode>(
    alphabet: Alphabet,
    make: impl Fn(&mut Filler) -> T,
) -> Vec<Case<Vec<T>>> {
    let of = |mode, count: usize| -> Vec<T> {
        let mut filler = Filler::new(mode, alphabet);
        (0..count).map(|_| make(&mut filler)).collect()
    };
    let random = |count: usize| of(Mode::Random(count as u64 + 1), count);
    let hundred = random(100);
    let octets = encoded(&hundred).map_or(LARGEST_VALUE, |octets| octets.len());
    let large = (LARGEST_VALUE * 100 / octets).min(10_000);
    vec![
        case("empty", [Vec::new()]),
        case("one", [random(1)]),
        case("few", (2..10).map(random).collect::<Vec<_>>()),
        case("zeroes", [of(Mode::Zero, 5)]),
        case("lowest", [of(Mode::Lowest, 5)]),
        case("highest", [of(Mode::Highest, 5)]),
        case("hundred", [hundred]),
        case(if large == 10_000 { "10000" } else { "large" }, [random(large)]),
    ]
}

/// Sequences of at most `bound` elements that `make` makes.
pub(super) fn bounded_sequences<T>(
    alphabet: Alphabet,
    bound: usize,
    make: impl Fn(&mut Filler) -> T,
) -> Vec<Case<Vec<T>>> {
    let of = |mode, count: usize| -> Vec<T> {
        let mut filler = Filler::new(mode, alphabet);
        (0..count).map(|_| make(&mut filler)).collect()
    };
    vec![
        case("empty", [Vec::new()]),
        case("one", [of(Mode::Random(2), 1)]),
        case("full", [of(Mode::Random(3), bound), of(Mode::Highest, bound)]),
    ]
}
