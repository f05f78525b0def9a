//! The explanations of codes: there is one for each, and their examples are true.

use armilla_idl::diagnostics::Code;
use armilla_idl::{Diagnostics, Options, parse, rust};
use std::io;
use std::path::Path;

#[test]
fn every_code_is_explained() {
    for code in Code::ALL {
        let text = code.explanation();
        assert!(text.len() > 60, "{}: {text:?}", code.as_str());
        assert!(!text.contains("## "), "{}: {text:?}", code.as_str());
        assert_eq!(Code::find(&code.as_str().to_lowercase()), Some(*code));
    }
    assert_eq!(Code::find("E9999"), None);
}

#[test]
fn wrong_examples_show_the_code_and_right_ones_do_not() {
    let mut examples = 0;
    for code in Code::ALL {
        let blocks: Vec<&str> = code.explanation().split("```idl\n").skip(1).collect();
        let blocks: Vec<&str> = blocks.iter().map(|b| b.split("```").next().unwrap()).collect();
        let [wrong, right] = blocks.as_slice() else {
            assert!(blocks.is_empty(), "{}", code.as_str());
            continue;
        };
        examples += 1;
        let (compiles, found) = compile(wrong);
        assert!(found.contains(code), "{}: {found:?} in\n{wrong}", code.as_str());
        assert_eq!(compiles, code.as_str().starts_with('W'), "{}", code.as_str());
        let (compiles, found) = compile(right);
        assert!(compiles && found.is_empty(), "{}: {found:?}\n{right}", code.as_str());
    }
    assert!(examples > 50);
}

/// Whether the text is valid, and what is said of it, be it as IDL or as Rust.
fn compile(text: &str) -> (bool, Vec<Code>) {
    let text = text.to_owned();
    let options = Options::new().read_with(move |path| match path == Path::new("explain.idl") {
        true => Ok(text.clone().into_bytes()),
        false => Err(io::ErrorKind::NotFound.into()),
    });
    let codes = |found: &Diagnostics| found.iter().map(|d| d.code).collect::<Vec<_>>();
    let compilation = match parse("explain.idl", &options) {
        Ok(compilation) => compilation,
        Err(errors) => return (false, codes(&errors)),
    };
    let found = rust::check(&compilation.model, &rust::Options::of(&compilation));
    let mut all = codes(&compilation.warnings);
    all.extend(found.iter().chain(found.as_ref().err()).flat_map(codes));
    (true, all)
}
