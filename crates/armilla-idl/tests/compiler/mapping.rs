//! The examples of `docs/mapping.md` are true: each block of IDL becomes the lines of the block of
//! Rust behind it, in their order, with others between them.

use armilla_idl::{Options, parse_str, rust};

const MAPPING: &str = include_str!("../../../../docs/mapping.md");

#[test]
fn the_examples_of_the_mapping_are_what_the_compiler_does() {
    let mut examples = 0;
    for example in MAPPING.split("```idl\n").skip(1) {
        let (idl, rest) = example.split_once("```\n").expect("the block ends");
        let rust = rest.strip_prefix("```rust\n").expect("Rust follows");
        let (rust, _) = rust.split_once("```").expect("the block ends");
        check(idl, rust);
        examples += 1;
    }
    assert!(examples > 10);
}

fn check(idl: &str, expected: &str) {
    let compilation =
        parse_str("mapping.md", idl, &Options::new()).unwrap_or_else(|errors| panic!("{errors}"));
    let generated = rust::generate(&compilation.model, &rust::Options::of(&compilation))
        .unwrap_or_else(|errors| panic!("{errors}"))
        .text;
    let mut lines = generated.lines();
    for wanted in expected.lines() {
        let is_there = lines.any(|line| line == wanted);
        assert!(is_there, "no {wanted:?}, or not in this place, in\n{generated}");
    }
}
