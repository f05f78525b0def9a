//! IDL whose names meet in Rust: declarations of every kind with names of few words, in every
//! spelling, among them names that generated code gives to what it adds.

use std::collections::HashSet;
use std::fmt::Write;

/// The words of names. Most are short, so that they meet often; others are those that generated
/// code, the ORB or Rust uses.
const WORDS: &[&str] = &[
    "a",
    "b",
    "x",
    "a",
    "b",
    "x",
    "ref",
    "any",
    "type",
    "code",
    "type_code",
    "raises",
    "get",
    "set",
    "async",
    "amh",
    "operations",
    "factory",
    "with",
    "base",
    "skeleton",
    "tie",
    "unlisted",
    "discriminator",
    "value",
    "servant",
    "call",
    "result",
    "out",
    "input",
    "stub",
    "done",
    "self",
    "super",
    "crate",
    "none",
    "some",
    "ok",
    "err",
    "option",
    "string",
    "vec",
    "codegen",
    "str",
    "bool",
    "i32",
    "std",
    "core",
    "armilla",
    "new",
    "clone",
    "encode",
    "decode",
    "rt_info",
    "output",
    "error",
    "default",
    "drop",
    "send",
    "into",
    "from",
    "s",
    "i",
    "t",
    "2",
    "3",
    "match",
    "mod",
    "contains",
    "bits",
    "item",
    "code",
    "to_owned",
    "is_nil",
    "object",
    "display",
    "debug",
];

/// One compilation unit of IDL: different for each `seed`, the same for the same one.
pub(crate) fn idl(seed: u64) -> String {
    let mut source = Source { random: Random(seed), text: String::new() };
    for _ in 0..2 {
        source.module("", 2);
    }
    source.text
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn one_in(&mut self, odds: usize) -> bool {
        self.below(odds) == 0
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The names of one scope of IDL, which differ in more than case.
#[derive(Default, Clone)]
struct Names(HashSet<String>);

impl Names {
    /// A new name, without the underscore that keeps it from being a keyword.
    fn fresh(&mut self, random: &mut Random) -> String {
        loop {
            let mut name = String::new();
            for _ in 0..=random.below(3) {
                let word = random.pick(WORDS);
                let word = match random.below(3) {
                    0 => (*word).to_owned(),
                    1 => word[..1].to_uppercase() + &word[1..],
                    _ => word.to_uppercase(),
                };
                let gap = ["", "", "_", "__"][random.below(4)];
                name = if name.is_empty() { word } else { format!("{name}{gap}{word}") };
            }
            if random.one_in(6) {
                name.push('_');
            }
            if name.starts_with(|first: char| first.is_ascii_alphabetic())
                && self.0.insert(name.to_lowercase())
            {
                return name;
            }
        }
    }
}

struct Source {
    random: Random,
    text: String,
}

/// What a module declares, by absolute names.
#[derive(Default)]
struct Known {
    /// Types without local parts.
    types: Vec<String>,
    exceptions: Vec<String>,
    interfaces: Vec<String>,
    values: Vec<String>,
}

impl Source {
    /// A module in the scope `outer`, and modules in it, so many deep.
    fn module(&mut self, outer: &str, depth: usize) {
        // Names at file scope differ by a number, for two modules of one name are one.
        let number = self.text.len();
        let name = Names::default().fresh(&mut self.random);
        let name = if depth == 2 || number > 0 { format!("{name}{number}") } else { name };
        let path = format!("{outer}::_{name}");
        writeln!(self.text, "module _{name} {{").unwrap();
        let (mut names, mut known) = (Names::default(), Known::default());
        names.0.insert(name.to_lowercase());
        for _ in 0..10 {
            self.data(&path, &mut names, &mut known);
        }
        for _ in 0..4 {
            self.exception(&path, &mut names, &mut known);
        }
        // Operations of bases may not be declared again.
        let mut members = Names::default();
        for _ in 0..4 {
            self.interface(&path, &mut names, &mut members, &mut known);
        }
        for _ in 0..3 {
            self.value(&path, &mut names, &mut members, &mut known);
        }
        if depth > 1 {
            self.module(&path, depth - 1);
        }
        self.text.push_str("};\n");
    }

    fn a_type(&mut self, known: &Known) -> String {
        let basic = ["long", "string", "double", "boolean", "any", "sequence<octet>"];
        match self.random.below(3) {
            0 => basic[self.random.below(4)].to_owned(),
            _ if known.types.is_empty() => basic[self.random.below(5)].to_owned(),
            _ => self.random.pick(&known.types).clone(),
        }
    }

    /// `count` members of a struct, each as `public` if it is one of a valuetype.
    fn members(&mut self, count: usize, public: &str, names: &mut Names, known: &Known) {
        for _ in 0..count {
            let (ty, name) = (self.a_type(known), names.fresh(&mut self.random));
            write!(self.text, " {public}{ty} _{name};").unwrap();
        }
    }

    /// A type or a constant.
    fn data(&mut self, path: &str, names: &mut Names, known: &mut Known) {
        let name = names.fresh(&mut self.random);
        let kind = self.random.below(9);
        match kind {
            0 | 1 => {
                let ty = self.a_type(known);
                writeln!(self.text, "typedef {ty} _{name};").unwrap();
            }
            2 => {
                let (one, two) = (names.fresh(&mut self.random), names.fresh(&mut self.random));
                writeln!(self.text, "enum _{name} {{ _{one}, _{two} }};").unwrap();
            }
            3 | 4 => {
                write!(self.text, "struct _{name} {{").unwrap();
                let mut own = Names::default();
                own.0.insert(name.to_lowercase());
                self.members(4, "", &mut own, known);
                self.text.push_str(" };\n");
            }
            5 => {
                write!(self.text, "union _{name} switch (long) {{").unwrap();
                let mut own = Names::default();
                own.0.insert(name.to_lowercase());
                for label in 0..4 {
                    write!(self.text, " case {label}:").unwrap();
                    self.members(1, "", &mut own, known);
                }
                self.text.push_str(" };\n");
            }
            6 => {
                let mut own = Names::default();
                own.0.insert(name.to_lowercase());
                let fields: Vec<String> = (0..4)
                    .map(|_| format!("bitfield<5> _{};", own.fresh(&mut self.random)))
                    .collect();
                writeln!(self.text, "bitset _{name} {{ {} }};", fields.join(" ")).unwrap();
            }
            7 => {
                let flags = (0..3).map(|_| format!("_{}", names.fresh(&mut self.random)));
                let flags: Vec<String> = flags.collect();
                writeln!(self.text, "bitmask _{name} {{ {} }};", flags.join(", ")).unwrap();
            }
            _ => {
                writeln!(self.text, "const long _{name} = 1;").unwrap();
                return;
            }
        }
        known.types.push(format!("{path}::_{name}"));
    }

    fn exception(&mut self, path: &str, names: &mut Names, known: &mut Known) {
        let name = names.fresh(&mut self.random);
        write!(self.text, "exception _{name} {{").unwrap();
        let count = self.random.below(3);
        let mut own = Names::default();
        own.0.insert(name.to_lowercase());
        self.members(count, "", &mut own, known);
        self.text.push_str(" };\n");
        known.exceptions.push(format!("{path}::_{name}"));
    }

    fn raises(&mut self, clause: &str, known: &Known) -> String {
        let mut raised: Vec<String> = Vec::new();
        for _ in 0..self.random.below(4) {
            let one = self.random.pick(&known.exceptions).clone();
            if !raised.contains(&one) {
                raised.push(one);
            }
        }
        match raised.is_empty() {
            true => String::new(),
            false => format!(" {clause} ({})", raised.join(", ")),
        }
    }

    fn parameters(&mut self, directions: &[&str], known: &Known) -> String {
        let mut names = Names::default();
        let parameters = (0..self.random.below(4)).map(|_| {
            let direction = self.random.pick(directions);
            let ty = self.a_type(known);
            let ty = if ty.contains('<') { "octet".to_owned() } else { ty };
            format!("{direction} {ty} _{}", names.fresh(&mut self.random))
        });
        parameters.collect::<Vec<_>>().join(", ")
    }

    fn exports(&mut self, members: &mut Names, known: &Known) {
        for _ in 0..5 {
            let name = members.fresh(&mut self.random);
            match self.random.below(4) {
                0 => {
                    let ty = self.a_type(known);
                    let (get, set) =
                        (self.raises("getraises", known), self.raises("setraises", known));
                    let ty = if ty.contains('<') { "octet".to_owned() } else { ty };
                    writeln!(self.text, " attribute {ty} _{name}{get}{set};").unwrap();
                }
                _ => {
                    let parameters = self.parameters(&["in", "out", "inout"], known);
                    let raises = self.raises("raises", known);
                    let result = if self.random.one_in(2) { "void" } else { "long" };
                    writeln!(self.text, " {result} _{name}({parameters}){raises};").unwrap();
                }
            }
        }
    }

    fn interface(&mut self, path: &str, names: &mut Names, members: &mut Names, known: &mut Known) {
        let name = names.fresh(&mut self.random);
        let bases = match (self.random.below(3), known.interfaces.as_slice()) {
            (0, _) | (_, []) => String::new(),
            (1, [.., last]) => format!(" : {last}"),
            (_, [first, .., last]) => format!(" : {first}, {last}"),
            (_, [only]) => format!(" : {only}"),
        };
        writeln!(self.text, "interface _{name}{bases} {{").unwrap();
        let own = format!("{path}::_{name}");
        members.0.insert(name.to_lowercase());
        let mut nested = Known { exceptions: known.exceptions.clone(), ..Known::default() };
        for _ in 0..3 {
            self.data(&own, members, &mut nested);
        }
        self.exception(&own, members, &mut nested);
        self.exports(members, &nested);
        self.text.push_str("};\n");
        known.exceptions.push(nested.exceptions.last().unwrap().clone());
        known.interfaces.push(own);
    }

    fn value(&mut self, path: &str, names: &mut Names, members: &mut Names, known: &mut Known) {
        let name = names.fresh(&mut self.random);
        let base = match known.values.last() {
            Some(base) if self.random.one_in(2) => format!(" : {base}"),
            _ => String::new(),
        };
        write!(self.text, "valuetype _{name}{base} {{").unwrap();
        members.0.insert(name.to_lowercase());
        self.members(3, "public ", members, known);
        for _ in 0..2 {
            let factory = members.fresh(&mut self.random);
            let (parameters, raises) =
                (self.parameters(&["in"], known), self.raises("raises", known));
            write!(self.text, " factory _{factory}({parameters}){raises};").unwrap();
        }
        self.exports(members, known);
        self.text.push_str("};\n");
        known.values.push(format!("{path}::_{name}"));
    }
}
