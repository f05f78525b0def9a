//! The explanations of codes: there is one for each, and their examples are true.

use armilla_idl::diagnostics::Code;
use armilla_idl::{Diagnostics, Options, parse};
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
        let codes: Vec<Code> = found.iter().map(|diagnostic| diagnostic.code).collect();
        assert!(codes.contains(code), "{}: {codes:?} in\n{wrong}", code.as_str());
        assert_eq!(compiles, code.as_str().starts_with('W'), "{}", code.as_str());
        let (compiles, found) = compile(right);
        assert!(compiles && found.is_empty(), "{}: {found}\n{right}", code.as_str());
    }
    assert!(examples > 50);
}

fn compile(text: &str) -> (bool, Diagnostics) {
    let text = text.to_owned();
    let options = Options::new().read_with(move |path| match path == Path::new("explain.idl") {
        true => Ok(text.clone().into_bytes()),
        false => Err(io::ErrorKind::NotFound.into()),
    });
    match parse("explain.idl", &options) {
        Ok(compilation) => (true, compilation.warnings),
        Err(errors) => (false, errors),
    }
}
