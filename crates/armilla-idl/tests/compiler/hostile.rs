//! Sources that nobody would write: whatever they hold, the front end ends soon, with a model or
//! with errors that can be shown, and never panics.
//!
//! The corpus is that of the fuzz target `idl_source`; what fuzzing finds is added there. Tests run
//! on threads with 2 MiB of stack, so recursion without a limit would be found here too.
//! `HOSTILE_ROUNDS=1000` mutates each file so often, and otherwise than in a plain run.

use armilla_idl::{Compilation, Options, parse_str, rust};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Far more processor time than any input here needs. Other work on the machine does not count.
const TIME_LIMIT: Duration = Duration::from_secs(60);

#[test]
fn the_fuzz_corpus_ends_in_bounded_time() {
    for path in files("../../lab/fuzz/corpus/idl_source") {
        compile(&path, &read(&path));
    }
}

#[test]
fn mutations_of_valid_and_wrong_files_end_in_bounded_time() {
    let seeds: Vec<(PathBuf, Vec<u8>)> = ["tests/data/ok", "tests/data/err"]
        .into_iter()
        .flat_map(files)
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    let rounds = std::env::var("HOSTILE_ROUNDS").map_or(6, |rounds| rounds.parse().unwrap());
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ rounds);
    for (path, seed) in &seeds {
        for _ in 0..rounds {
            let mut text = seed.clone();
            for _ in 0..=random.below(4) {
                let donor = &seeds[random.below(seeds.len())].1;
                mutate(&mut text, donor, &mut random);
            }
            compile(path, &String::from_utf8_lossy(&text));
        }
    }
}

#[test]
fn repetitive_input_ends_in_bounded_time() {
    let numbered = |line: fn(usize) -> String| (1..4000).map(line).collect::<String>();
    let sources = [
        format!("#define A(x) B\n#define B(x) A\nA{}\n", "(1)".repeat(50_000)),
        format!("#define F(x) x\n{}", "F(\n".repeat(50_000)),
        format!("#define F(x) x x\nconst string s = {}\"\"{};", "F(".repeat(50), ")".repeat(50)),
        format!("const long a = {}1{};", "(".repeat(50_000), ")".repeat(50_000)),
        format!("@a{} typedef long T;", "(".repeat(50_000)),
        format!("const fixed a = {}1d;", "3.7d / ".repeat(20_000)),
        "local interface L {};\ntypedef L M0;\n".to_owned()
            + &numbered(|i| format!("typedef map<M{0}, M{0}> M{i};\n", i - 1)),
        "valuetype V0 {};\n".to_owned()
            + &numbered(|i| format!("valuetype V{i} : V{} {{}};\n", i - 1)),
        "module M {\n".to_owned()
            + &numbered(|i| format!("interface I{i} {{}};\ntypeprefix I{i} \"a\";\n"))
            + "};",
        numbered(|i| format!("# {i} \"x\" 1\ntypedef long T{i};\n")),
        "module T0<typename X> { typedef X Y; };\n".to_owned()
            + &numbered(|i| {
                let before = i - 1;
                format!(
                    "module T{i}<typename X> {{ alias T{before}<X> A; alias T{before}<X> B; }};"
                )
            })
            + "module T25<long> M; module T3999<long> N;",
        "#include <Components.idl>\ninterface A {};\nporttype P {".to_owned()
            + &numbered(|i| format!("provides A a{i};"))
            + "};\ncomponent C {"
            + &numbered(|i| format!("port P p{i};"))
            + "};",
    ];
    for source in sources {
        let start = processor_time();
        let _ = parse_str("repeats.idl", &source, &Options::new());
        let taken = processor_time() - start;
        assert!(taken < TIME_LIMIT, "{taken:?} for {}", &source[..60]);
    }
}

fn compile(path: &Path, text: &str) {
    let directory = path.parent().unwrap().to_owned();
    // Only what stands beside the file is read, whatever path a mutation makes.
    let options = Options::new().read_with(move |path| match path.file_name() {
        Some(name) => fs::read(directory.join(name)),
        None => Err(io::ErrorKind::NotFound.into()),
    });
    let name = path.file_name().unwrap().to_str().unwrap();
    let start = processor_time();
    let rendered = match parse_str(name, text, &options) {
        Ok(compilation) => generate(&compilation),
        Err(errors) => errors.render(),
    };
    let taken = processor_time() - start;
    assert!(taken < TIME_LIMIT, "{name} took {taken:?}:\n{text}");
    assert!(rendered.len() < 1 << 20, "{name} is answered with {} bytes", rendered.len());
}

/// The processor time of this thread so far; without Linux, the test shows only that all ends.
fn processor_time() -> Duration {
    let Ok(told) = fs::read_to_string("/proc/thread-self/schedstat") else { return Duration::ZERO };
    let nanoseconds = told.split(' ').next().unwrap();
    Duration::from_nanos(nanoseconds.parse().unwrap())
}

/// The Rust back end ends too; what it says, if anything.
fn generate(compilation: &Compilation) -> String {
    match rust::generate(&compilation.model, &rust::Options::of(compilation)) {
        Ok(_) => compilation.warnings.render(),
        Err(errors) => errors.render(),
    }
}

/// Deletes, repeats, replaces or moves in a piece of text.
fn mutate(text: &mut Vec<u8>, donor: &[u8], random: &mut Random) {
    const WORDS: &[&str] = &[
        "module",
        "interface",
        "struct",
        "union",
        "enum",
        "sequence<",
        "{",
        "}",
        "(",
        ")",
        ";",
        "::",
        "<",
        ">>",
        "\"",
        "'",
        "\\\n",
        "/*",
        "//",
        "\n#if 1\n",
        "\n#endif\n",
        "\n#define X X X\n",
        "X",
        "-",
        "0x",
        "1e",
        "case",
        "default:",
        "@",
        "_",
        "\u{20ac}",
        "valuetype",
        "abstract ",
        "local ",
        "custom ",
        "truncatable ",
        "supports ",
        "public ",
        "factory ",
        "eventtype",
        "native ",
        "typeprefix ",
        "typeid ",
        "import ",
        "component ",
        "home H manages C {};",
        "provides A b;",
        "uses multiple A c;",
        "porttype ",
        "mirrorport P p;",
        "connector ",
        "module T<typename X> {",
        "module T<long> Y;",
        "alias T<X> Z;",
        "\n#include <Components.idl>\n",
        "bitmask ",
        "bitset ",
        "bitfield<",
        "fixed<",
        "map<",
        "any ",
        "wstring<",
        "L'",
        "L\"",
        "1.5d",
        "@position(",
        "struct S;",
        "union U;",
        "\n#define F(a, ...) a##a #a F(a)\n",
        "F(",
        "\n#line 7 \"x\"\n",
        "\n# 1 \"x\" 1\n",
        "__LINE__",
        "\n#pragma prefix \"x\"\n",
        "raises",
        "context (\"a\")",
    ];
    let start = random.below(text.len() + 1);
    let end = start + random.below((text.len() - start).min(40) + 1);
    match random.below(4) {
        0 => drop(text.drain(start..end)),
        1 => {
            let piece = text[start..end].to_vec();
            text.splice(start..start, piece);
        }
        2 => {
            let word = WORDS[random.below(WORDS.len())].bytes();
            text.splice(start..end.min(start + 3), word);
        }
        _ => {
            let from = random.below(donor.len() + 1);
            let to = from + random.below((donor.len() - from).min(60) + 1);
            text.splice(start..end, donor[from..to].iter().copied());
        }
    }
}

/// A xorshift generator: the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "idl")).collect();
    files.sort();
    assert!(!files.is_empty(), "no files in {}", folder.display());
    files
}

fn read(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    String::from_utf8(bytes)
        .unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect())
}
