//! The committed generated code is up to date with the compiler and the IDL.

use std::fs;
use std::path::Path;

/// The names of the methods in `source` that have a receiver.
fn methods(source: &str) -> Vec<&str> {
    let functions = source.lines().filter(|line| line.starts_with("    pub "));
    let functions = functions.filter_map(|line| line.split_once("fn "));
    functions.filter_map(|(_, rest)| rest.split(['(', '<']).next()).collect()
}

#[test]
fn no_operation_is_hidden_by_a_method_that_every_reference_or_value_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/armilla/src");
    let methods_of = |file: &str| fs::read_to_string(root.join(file)).unwrap();
    let (reference, value) = (methods_of("object/typed.rs"), methods_of("value/handle.rs"));
    let mut checked = 0;
    for (declared, text) in [("interface I", &reference), ("valuetype I", &value)] {
        for method in methods(text).into_iter().filter(|name| *name != "nil") {
            let idl = format!("{declared} {{ void _{method}(); }};");
            let made = armilla_idl::parse_str("hidden.idl", &idl, &armilla_idl::Options::new())
                .unwrap_or_else(|errors| panic!("{}", errors.render()));
            let made =
                armilla_idl::rust::generate(&made.model, &armilla_idl::rust::Options::of(&made))
                    .unwrap_or_else(|errors| panic!("{}", errors.render()));
            assert!(made.text.contains(&format!("fn {method}_(")), "{method} is hidden");
            checked += 1;
        }
    }
    assert!(checked > 10);
}
