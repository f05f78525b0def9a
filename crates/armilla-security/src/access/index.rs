//! Which rules may be about a question, without a look at all of them.
//!
//! A rule names some of the parts of a question in full: who, which operation, which object or how its
//! id begins, and so on. Which parts these are is its shape. The rules of a shape stand in one table,
//! by a hash of what they name, so a question costs a look into the table of each shape, and a file
//! has few of them: a thousand users, a thousand operations or a thousand users with ten operations
//! each are one shape.
//!
//! What is found by a hash is still asked whether it fits, so that two texts with one hash are no
//! harm. The hash has no secret: the tables have what the file says, and no caller adds to them.

use super::{Question, Rule};
use crate::principal::{Pattern, Principal};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// In how many places a rule stands at most, but for one that names nothing else than more of one
/// part: what has more combinations is found by fewer of its parts.
const MOST_PLACES: usize = 256;

/// Which parts of a question a rule names. More of them come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Shape {
    /// A bit for each part.
    parts: u8,
    /// Of how many octets at its beginning an object's id is named; 0 if it is not, or in full.
    begin: usize,
}

/// The parts, each with what keeps its hash apart from those of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Principal,
    Operation,
    Object,
    Begin,
    Interface,
    Adapter,
}

impl Part {
    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The hash of a text as this part.
    fn hash(self, text: &[u8]) -> u64 {
        hash(text, 1 + self as u64)
    }
}

/// One of the alternatives that a rule has for a part: where it leads, if it is named.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    shape: Shape,
    hash: u64,
}

impl Place {
    fn of(part: Part, text: &str) -> Self {
        let shape = Shape { parts: part.bit(), begin: 0 };
        Self { shape, hash: part.hash(text.as_bytes()) }
    }

    fn beginning(text: &str) -> Self {
        let shape = Shape { parts: Part::Begin.bit(), begin: text.len() };
        Self { shape, hash: Part::Begin.hash(text.as_bytes()) }
    }

    const fn with(self, other: Self) -> Self {
        let parts = self.shape.parts | other.shape.parts;
        let shape = Shape { parts, begin: self.shape.begin + other.shape.begin };
        Self { shape, hash: self.hash ^ other.hash }
    }
}

/// The rules of a file, by what they name.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    tables: Vec<(Shape, Table)>,
    /// All parts that some shape has.
    parts: u8,
}

/// The rules of a shape, each list in the order of the file.
type Table = HashMap<u64, Vec<u32>, BuildHasherDefault<AsItIs>>;

impl Index {
    /// An index of these rules; without `operations`, which may then be any.
    pub(super) fn new(rules: &[Rule], operations: bool) -> Self {
        let mut index = Self::default();
        for (at, rule) in rules.iter().enumerate() {
            for place in places(rule, operations) {
                index.add(place, at as u32);
            }
        }
        index.tables.sort_by_key(|(shape, _)| std::cmp::Reverse(shape.parts.count_ones()));
        index
    }

    fn add(&mut self, Place { shape, hash }: Place, at: u32) {
        self.parts |= shape.parts;
        let known = self.tables.iter().position(|(other, _)| *other == shape);
        let table = known.unwrap_or_else(|| {
            self.tables.push((shape, Table::default()));
            self.tables.len() - 1
        });
        let list = self.tables[table].1.entry(hash).or_default();
        if list.last() != Some(&at) {
            list.push(at);
        }
    }

    /// The first rule in the file, of those that may be about the question, which fits.
    pub(super) fn first(&self, question: &Question<'_>, fits: impl Fn(u32) -> bool) -> Option<u32> {
        let hashes = Hashes::of(question, self.parts);
        let mut first = None;
        for (shape, table) in &self.tables {
            let Some(hash) = hashes.of_shape(*shape, question) else { continue };
            let Some(list) = table.get(&hash) else { continue };
            let before = first.unwrap_or(u32::MAX);
            let mut earlier = list.iter().copied().take_while(|at| *at < before);
            first = earlier.find(|at| fits(*at)).or(first);
        }
        first
    }
}

/// Where a rule stands.
fn places(rule: &Rule, operations: bool) -> Vec<Place> {
    let text = |part| move |pattern: &Pattern| pattern.plain().map(|text| Place::of(part, text));
    let mut parts = [
        alternatives(&rule.who, |who| Some(principal(&who.only()?))),
        match operations {
            true => alternatives(&rule.operations, text(Part::Operation)),
            false => None,
        },
        alternatives(&rule.objects, |pattern| match pattern.plain() {
            Some(text) => Some(Place::of(Part::Object, text)),
            None => pattern.beginning().map(Place::beginning),
        }),
        alternatives(&rule.interfaces, text(Part::Interface)),
        alternatives(&rule.adapters, text(Part::Adapter)),
    ];
    // Those with the fewest tell the most.
    parts.sort_by_key(|part| part.as_ref().map_or(0, Vec::len));
    let mut places = vec![Place::default()];
    for part in parts.into_iter().flatten() {
        let names_nothing_else = places[0].shape == Shape::default();
        if names_nothing_else || places.len() * part.len() <= MOST_PLACES {
            let both = |place: &Place| part.iter().map(|other| place.with(*other)).collect();
            places = places.iter().flat_map(|place| -> Vec<_> { both(place) }).collect();
        }
    }
    places
}

/// What a rule has for a part, if each of that leads somewhere.
fn alternatives<T>(all: &[T], place: impl Fn(&T) -> Option<Place>) -> Option<Vec<Place>> {
    match all {
        [] => None,
        all => all.iter().map(place).collect(),
    }
}

fn principal(principal: &Principal) -> Place {
    let shape = Shape { parts: Part::Principal.bit(), begin: 0 };
    Place { shape, hash: hash_of_principal(principal) }
}

/// A hash of who somebody is. That of one whom no rule names alone does not matter.
pub(super) fn hash_of_principal(principal: &Principal) -> u64 {
    let of = |text: &str| Part::Principal.hash(text.as_bytes());
    match principal {
        Principal::User(name) => match &name.domain {
            Some(domain) => of(&name.user) ^ of(domain).rotate_left(1),
            None => of(&name.user),
        },
        Principal::DistinguishedName(name) => of(name).rotate_left(2),
        // No rule names these as the only ones.
        Principal::Anonymous | Principal::LocalUser(_) => 0,
    }
}

/// The hashes of the parts of a question, as far as they are asked for.
struct Hashes([u64; 6]);

impl Hashes {
    fn of(question: &Question<'_>, parts: u8) -> Self {
        let mut hashes = [0; 6];
        if parts & Part::Principal.bit() != 0 {
            hashes[Part::Principal as usize] = hash_of_principal(question.caller.principal());
        }
        for (part, text) in [
            (Part::Operation, question.operation),
            (Part::Object, question.object),
            (Part::Interface, question.interface),
            (Part::Adapter, question.adapter),
        ] {
            if parts & part.bit() != 0 {
                hashes[part as usize] = part.hash(text.as_bytes());
            }
        }
        Self(hashes)
    }

    /// Where the rules of a shape stand; `None` if the object's id is too short for it.
    fn of_shape(&self, shape: Shape, question: &Question<'_>) -> Option<u64> {
        let mut all = 0;
        for part in [Part::Principal, Part::Operation, Part::Object, Part::Interface, Part::Adapter]
        {
            if shape.parts & part.bit() != 0 {
                all ^= self.0[part as usize];
            }
        }
        if shape.parts & Part::Begin.bit() != 0 {
            all ^= Part::Begin.hash(question.object.as_bytes().get(..shape.begin)?);
        }
        Some(all)
    }
}

/// A hash of octets, eight at a time.
fn hash(octets: &[u8], seed: u64) -> u64 {
    /// An odd number without a pattern: the fraction of the golden ratio.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |all: u64, word: u64| (all.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let (words, rest) = octets.as_chunks::<8>();
    let mut all = mix(seed, octets.len() as u64);
    for word in words {
        all = mix(all, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    all = mix(all, u64::from_le_bytes(last));
    // A table takes the first and the last bits.
    all ^ all >> 32
}

/// Takes a number that is a hash already as it is.
#[derive(Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, octets: &[u8]) {
        self.0 = hash(octets, self.0);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::super::AccessRules;
    use super::super::place::Origin;
    use super::*;
    use crate::caller::{Caller, Proof};
    use armilla_ipc::Address;
    use std::cell::Cell;
    use std::fmt::Write;
    use std::time::SystemTime;

    fn ask<'q>(caller: &'q Caller, operation: &'q str, object: &'q str) -> Question<'q> {
        let (adapter, interface) = ("RootPOA/a", "IDL:A:1.0");
        Question { caller, adapter, object, interface, operation, at: SystemTime::now() }
    }

    fn caller(name: &str) -> Caller {
        Caller::new(name.parse().unwrap(), Proof::Password, Address::tcp("192.0.2.1", 1))
    }

    /// Numbers that are the same each time.
    struct Numbers(u64);

    impl Numbers {
        fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            texts[(self.0 >> 33) as usize % texts.len()]
        }
    }

    const WHO: [&str; 8] = [
        r#""*""#,
        r#""ann@bank""#,
        r#"["ann@bank", "zoe"]"#,
        r#""*@bank""#,
        r#""a\\@b@bank""#,
        r#""dn:CN=ann""#,
        r#"["dn:CN=*", "uid:7"]"#,
        r#""authenticated""#,
    ];
    const PARTS: [&str; 12] = [
        "",
        "operation = \"a\"",
        "operation = [\"a\", \"b\"]",
        "operation = [\"a\", \"*c\"]",
        "operation = \"_is_a\"",
        "object = \"/x\"",
        "object = [\"/x\", \"/x/*\"]",
        "object = [\"/x/*\", \"/y/*/z\"]",
        "object = \"*z\"",
        "interface = \"IDL:A:1.0\"\npoa = \"RootPOA/a\"",
        "interface = [\"IDL:B:1.0\", \"IDL:*\"]",
        "poa = \"RootPOA\"\noperation = \"a\"",
    ];

    #[test]
    fn what_the_index_finds_is_what_a_look_at_all_rules_finds() {
        let callers = ["ann@bank", "zoe", r"a\@b@bank", "dn:CN=ann", "uid:7", "anonymous"];
        let callers = callers.map(caller);
        let mut numbers = Numbers(1);
        let mut allowed = 0;
        for _ in 0..300 {
            let mut text = String::new();
            for _ in 0..12 {
                let decides = numbers.one_of(&["allow", "deny"]);
                let (who, part) = (numbers.one_of(&WHO), numbers.one_of(&PARTS));
                writeln!(text, "[[rule]]\n{decides} = {who}\n{part}").unwrap();
            }
            let rules: AccessRules = text.parse().unwrap();
            for caller in &callers {
                for operation in ["a", "b", "abc", "_is_a", "_interface"] {
                    for object in ["/x", "/x/", "/x/y/z", "/y//z", "", "/"] {
                        let question = ask(caller, operation, object);
                        let from = Origin::of(caller);
                        let expected = rules.rules.iter().find(|rule| match operation {
                            "_is_a" | "_interface" => rule.fits_every_object(&question, &from),
                            _ => rule.fits(&question, &from),
                        });
                        let found = rules.decide(&question);
                        assert_eq!(
                            (found.line, found.allowed),
                            (expected.map(|rule| rule.line), expected.is_some_and(|it| it.allow)),
                            "{caller} {operation} {object}\n{text}"
                        );
                        allowed += usize::from(found.allowed);
                    }
                }
            }
        }
        assert!((5_000..50_000).contains(&allowed), "{allowed} of 54,000");
    }

    #[test]
    fn of_a_thousand_rules_few_are_looked_at_whatever_tells_them_apart() {
        for rule in [
            "allow = \"user@bank\"\noperation = \"op{}\"",
            "allow = \"user{}@bank\"\noperation = \"op\"",
            "allow = \"user{}@bank\"\noperation = [\"op\", \"op{}\"]\nobject = [\"/a\", \"/a/*\"]",
            "allow = \"*@bank\"\nobject = [\"/o{}\", \"/o{}/*\"]",
            "allow = \"*\"\noperation = \"*\"\ninterface = \"IDL:I{}:1.0\"\npoa = \"P\"",
            "allow = \"*\"\npoa = \"P{}\"",
            "allow = \"group:all\"\noperation = \"op{}\"",
        ] {
            let one = |number: &str| format!("[[rule]]\n{}\n", rule.replace("{}", number));
            let all: Vec<String> = (0..1000).map(|number| format!("user{number}@bank")).collect();
            let mut text = format!("groups.all = {all:?}\n[[rule]]\ndeny = \"*@nowhere\"\n");
            (0..1000).for_each(|number| text += &one(&number.to_string()));
            let rules: AccessRules = (text + &one("")).parse().unwrap();
            let caller = caller("user500@bank");
            for number in ["500", ""] {
                let (operation, object) = (format!("op{number}"), format!("/o{number}/b"));
                let (interface, adapter) = (format!("IDL:I{number}:1.0"), format!("P{number}"));
                let question = Question {
                    interface: &interface,
                    adapter: &adapter,
                    ..ask(&caller, &operation, &object)
                };
                let looked = Cell::new(0);
                rules.index.first(&question, |_| {
                    looked.set(looked.get() + 1);
                    false
                });
                assert!(looked.get() <= 4, "{} rules were looked at: {rule}", looked.get());
            }
        }
    }
}
