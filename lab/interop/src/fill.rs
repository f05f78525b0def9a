//! Values of every IDL type of the suite: zero, extreme, or pseudo-random from a seed.

use crate::interop::*;

/// The alphabet of strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alphabet {
    /// The characters that every code set of the suite has.
    #[default]
    Latin1,
    /// Characters of one to four octets each, for UTF-8. Single characters and bounded strings are
    /// ASCII.
    Utf8,
}

impl Alphabet {
    /// A string with every character of Latin-1, or with the extremes of each length in UTF-8.
    pub fn everything(self) -> String {
        match self {
            Self::Latin1 => (1..=255).map(char::from).collect(),
            Self::Utf8 => "~\u{7f} \u{e9}\u{df}\u{7ff} \u{800}\u{20ac}\u{ffee} \
                           \u{10348}\u{1f600}\u{10fffd}"
                .to_owned(),
        }
    }

    /// The last character of one octet.
    pub const fn highest_char(self) -> u8 {
        match self {
            Self::Latin1 => 255,
            Self::Utf8 => 127,
        }
    }
}

/// The choice of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Zero, false, empty, the first enumerator.
    Zero,
    /// The lowest number of the type; empty.
    Lowest,
    /// The highest number of the type; strings and sequences of the maximum length.
    Highest,
    /// Pseudo-random, from this seed.
    Random(u64),
}

/// Creates values.
#[derive(Debug, Clone)]
pub struct Filler {
    mode: Mode,
    alphabet: Alphabet,
    state: u64,
    /// The number of folders around the one that is being created.
    depth: u32,
}

/// A type whose values a [`Filler`] can create.
pub trait Fill: Sized {
    /// The next value.
    fn fill(filler: &mut Filler) -> Self;
}

impl Filler {
    /// A filler that creates the same values each time.
    pub const fn new(mode: Mode, alphabet: Alphabet) -> Self {
        let seed = if let Mode::Random(seed) = mode { seed } else { 1 };
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        Self { mode, alphabet, state, depth: 0 }
    }

    /// The next value.
    pub fn make<T: Fill>(&mut self) -> T {
        T::fill(self)
    }

    /// A string of at most `limit` characters.
    pub fn text(&mut self, limit: usize) -> String {
        let random = self.below(limit as u64 + 1) as usize;
        let length = self.pick(0, 0, limit, random);
        let highest = u64::from(self.alphabet.highest_char());
        let mut one = || {
            let random = 1 + self.below(highest) as u8;
            char::from(self.pick(1, 1, highest as u8, random))
        };
        (0..length).map(|_| one()).collect()
    }

    /// `count` values.
    pub fn elements<T: Fill>(&mut self, count: usize) -> Vec<T> {
        (0..count).map(|_| self.make()).collect()
    }

    /// The length of a sequence within another value.
    fn small_count(&mut self) -> usize {
        let random = self.below(5) as usize;
        self.pick(0, 0, 3, random)
    }

    fn pick<T>(&self, zero: T, lowest: T, highest: T, random: T) -> T {
        match self.mode {
            Mode::Zero => zero,
            Mode::Lowest => lowest,
            Mode::Highest => highest,
            Mode::Random(_) => random,
        }
    }

    /// xorshift64.
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

// ---- Basic types -------------------------------------------------------------------------------

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Fill for $ty {
            fn fill(filler: &mut Filler) -> Self {
                let random = filler.next() as $ty;
                filler.pick(0, <$ty>::MIN, <$ty>::MAX, random)
            }
        }
    )*};
}

integers!(i16 u16 i32 u32 i64 u64);

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl Fill for $ty {
            fn fill(filler: &mut Filler) -> Self {
                let (kind, exponent) = (filler.next(), filler.below(60) as i32);
                let specials = [
                    -0.0,
                    <$ty>::INFINITY,
                    <$ty>::NEG_INFINITY,
                    <$ty>::NAN,
                    <$ty>::from_bits(1),
                    <$ty>::MIN_POSITIVE,
                ];
                let random = match specials.get((kind % 24) as usize) {
                    Some(special) => *special,
                    None => (filler.next() as i64) as $ty * (2.0 as $ty).powi(exponent),
                };
                filler.pick(0.0, <$ty>::MIN, <$ty>::MAX, random)
            }
        }
    )*};
}

floats!(f32 f64);

/// A character, or an octet, which is the same Rust type and so is limited to the alphabet too.
impl Fill for u8 {
    fn fill(filler: &mut Filler) -> Self {
        let highest = filler.alphabet.highest_char();
        let random = filler.below(u64::from(highest) + 1) as Self;
        filler.pick(0, 1, highest, random)
    }
}

impl Fill for bool {
    fn fill(filler: &mut Filler) -> Self {
        let random = filler.below(2) == 1;
        filler.pick(false, false, true, random)
    }
}

impl Fill for String {
    fn fill(filler: &mut Filler) -> Self {
        filler.text(40)
    }
}

macro_rules! enums {
    ($($ty:ident { $first:ident $($other:ident)* $(,)? } last $last:ident;)*) => {$(
        impl Fill for $ty {
            fn fill(filler: &mut Filler) -> Self {
                let all = [Self::$first, $(Self::$other),*];
                let random = all[filler.below(all.len() as u64) as usize];
                filler.pick(Self::$first, Self::$first, Self::$last, random)
            }
        }
    )*};
}

enums! {
    Colour { Red Green Blue Ultraviolet } last Ultraviolet;
    Reserved { Impl Self_ Enum } last Enum;
}

// ---- Constructed types -------------------------------------------------------------------------

/// A sequence within another value is short.
impl<T: Fill> Fill for Vec<T> {
    fn fill(filler: &mut Filler) -> Self {
        let count = filler.small_count();
        filler.elements(count)
    }
}

impl<T: Fill, const N: usize> Fill for [T; N] {
    fn fill(filler: &mut Filler) -> Self {
        std::array::from_fn(|_| filler.make())
    }
}

macro_rules! structs {
    ($($ty:path { $($member:ident)* })*) => {$(
        impl Fill for $ty {
            fn fill(filler: &mut Filler) -> Self {
                Self { $($member: filler.make(),)* }
            }
        }
    )*};
}

structs! {
    BinStruct { s c l o d }
    OctetDoubleOctet { first middle last }
    LongOctet { number flag }
    CharShort { letter number }
    Nested { lead inner outer tail }
    EnumBoolean { on shade off }
    SmallArrays { key grid pair }
    Basics { o s c us b l o2 ul f ll c2 ull b2 d }
    geometry::Point { x y }
    geometry::Line { from to pen }
    Keywords { r#type self_ crate_ r#dyn r#struct class super_ }
}

impl Fill for Person {
    fn fill(filler: &mut Filler) -> Self {
        Self {
            age: filler.make(),
            name: filler.make(),
            nick: filler.text(NAME_LIMIT as usize),
            favourite: filler.make(),
            height: filler.make(),
            marks: filler.make(),
            lines: filler.make(),
        }
    }
}

impl Fill for Folder {
    fn fill(filler: &mut Filler) -> Self {
        let (name, depth) = (filler.make(), filler.make());
        let mut children = Vec::new();
        if filler.depth < 3 {
            filler.depth += 1;
            children = filler.make();
            filler.depth -= 1;
        }
        Self { name, children, depth }
    }
}

// ---- Unions: one member or another. Their own checks go through all of them. -------------------

impl Fill for ByLong {
    fn fill(filler: &mut Filler) -> Self {
        match filler.below(4) {
            0 => Self::Tiny(filler.make()),
            1 => Self::Unit { discriminator: 1, value: filler.make() },
            2 => Self::Text(filler.make()),
            _ => Self::Record(filler.make()),
        }
    }
}

impl Fill for ByColour {
    fn fill(filler: &mut Filler) -> Self {
        match filler.below(3) {
            0 => Self::Warm { discriminator: Colour::Red, value: filler.make() },
            1 => Self::Cold(filler.make()),
            _ => Self::Unlisted { discriminator: Colour::Ultraviolet },
        }
    }
}

impl Fill for ByKind {
    fn fill(filler: &mut Filler) -> Self {
        match filler.below(3) {
            0 => Self::Number(filler.make()),
            1 => Self::Colour(filler.make()),
            _ => Self::Rest { discriminator: 0, value: filler.make() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_values_and_another_seed_others() {
        let make = |seed| Filler::new(Mode::Random(seed), Alphabet::Latin1).make::<[Person; 4]>();
        assert_eq!(format!("{:?}", make(3)), format!("{:?}", make(3)));
        assert_ne!(format!("{:?}", make(3)), format!("{:?}", make(4)));
    }

    #[test]
    fn modes_reach_the_extremes() {
        let bin = |mode| Filler::new(mode, Alphabet::Latin1).make::<BinStruct>();
        assert_eq!(bin(Mode::Zero), BinStruct::default());
        assert_eq!((bin(Mode::Lowest).l, bin(Mode::Lowest).c), (i32::MIN, 1));
        assert_eq!((bin(Mode::Highest).d, bin(Mode::Highest).c), (f64::MAX, 255));
        let text = Filler::new(Mode::Highest, Alphabet::Utf8).text(16);
        assert_eq!(text, "\u{7f}".repeat(16));
    }
}
