//! IDL as a person writes it: the compiler ends with Rust or with errors that can be shown.

use armilla_idl::{Options, parse_str, rust};
use std::io;

pub(crate) fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // No other file can be read.
    let options = Options::new().read_with(|_| Err(io::ErrorKind::NotFound.into()));
    let rendered = match parse_str("fuzz.idl", &text, &options) {
        Ok(compilation) => {
            let options = rust::Options::of(&compilation);
            match rust::generate(&compilation.model, &options) {
                Ok(_) => compilation.warnings.render(),
                Err(errors) => errors.render(),
            }
        }
        Err(errors) => errors.render(),
    };
    assert!(rendered.len() < 1 << 20, "answered with {} bytes", rendered.len());
}
