//! Small IDL files and what the front end makes of them.
//!
//! Each file in `data/ok` must compile, and the dump of its model must equal the `.txt` file beside
//! it. Each file in `data/err` must not, and its rendered errors must equal the `.txt` file beside
//! it. `UPDATE_GOLDEN=1` writes these files anew; then read the difference before committing it.

#[path = "../support/dump.rs"]
mod dump;

use armilla_idl::diagnostics::{Code, Diagnostics};
use armilla_idl::{Options, parse};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_valid_file_becomes_its_model() {
    for path in idl_files("ok") {
        let result = compile(&path);
        let compilation = result.unwrap_or_else(|errors| panic!("{}", errors.render()));
        let warnings = compilation.warnings.render();
        check_golden(&path, &(warnings + &dump::dump(&compilation.model)));
    }
}

#[test]
fn every_wrong_file_says_what_is_wrong() {
    for path in idl_files("err") {
        match compile(&path) {
            Ok(_) => panic!("{} compiles", path.display()),
            Err(errors) => check_golden(&path, &errors.render()),
        }
    }
}

#[test]
fn every_code_has_a_file_that_shows_it() {
    // These need a file that cannot be read or is too large to commit, or are a back end's.
    let mut missing: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let others = [Code::CannotRead, Code::CannotWrite, Code::TooLarge];
    let of_back_ends = [Code::RustCollision, Code::BadOption, Code::LeftOut];
    for code in others.into_iter().chain(of_back_ends) {
        missing.remove(code.as_str());
    }
    for path in idl_files("err").into_iter().chain(idl_files("ok")) {
        let codes = |found: &Diagnostics| found.iter().map(|d| d.code.as_str()).collect::<Vec<_>>();
        let found = match compile(&path) {
            Ok(compilation) => codes(&compilation.warnings),
            Err(errors) => codes(&errors),
        };
        missing.retain(|code| !found.contains(code));
    }
    assert!(missing.is_empty(), "no file in tests/data shows {missing:?}");
}

/// Compiles a file under its bare name, so that messages do not depend on where this crate lies.
fn compile(path: &Path) -> Result<armilla_idl::Compilation, Diagnostics> {
    let directory = path.parent().unwrap().to_owned();
    let options = Options::new().include("include").define("LIMIT", "10");
    let options = options.read_with(move |path| fs::read(directory.join(path)));
    parse(path.file_name().unwrap(), &options)
}

fn idl_files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder);
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "idl")).collect();
    files.sort();
    assert!(!files.is_empty(), "no IDL files in {}", folder.display());
    files
}

fn check_golden(idl: &Path, actual: &str) {
    let path = idl.with_extension("txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, actual).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == actual,
        "{} differs; UPDATE_GOLDEN=1 accepts this:\n{actual}",
        path.display()
    );
}
