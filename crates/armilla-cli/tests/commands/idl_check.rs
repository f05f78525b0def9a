//! `armilla idl check` says what `armilla idl compile` says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The exit status and the standard error of `armilla idl COMMAND FILE OPTIONS…`.
fn run(command: &[&str], file: &Path, options: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_armilla"))
        .arg("idl")
        .args(command)
        .arg(file)
        .args(options)
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Runs both on `file`, which must agree. Returns the exit status and the standard error.
fn both(file: &Path, options: &[&str]) -> (Option<i32>, String) {
    let compiled = run(&["compile", "-o", "-"], file, options);
    let checked = run(&["check"], file, options);
    assert_eq!(checked, compiled, "{}", file.display());
    checked
}

fn written(name: &str, idl: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, idl).unwrap();
    file
}

#[test]
fn they_agree_on_every_valid_file_of_the_compilers_tests() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../armilla-idl/tests");
    let include = tests.join("data/ok/include");
    let options = ["-I", include.to_str().unwrap(), "-D", "LIMIT=10"];
    let mut files = Vec::new();
    for folder in ["data/ok", "rust"] {
        let entries = fs::read_dir(tests.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|e| e == "idl")));
    }
    assert!(files.len() > 150);
    for file in files {
        both(&file, &options);
    }
    for invalid in ["syntax.idl", "redeclared.idl", "pp_include_not_found.idl"] {
        both(&tests.join("data/err").join(invalid), &options);
    }
}

#[test]
fn what_has_no_rust_mapping_is_an_error_of_both() {
    let file = written("native.idl", "native N; valuetype V { factory make() raises (N); };\n");
    let (status, said) = both(&file, &[]);
    assert_eq!(status, Some(1));
    assert!(said.contains("error[E0901]"), "{said}");
}

#[test]
fn both_take_the_options_of_the_rust_mapping() {
    let idl = "interface Tap { attribute long flow; void set_flow(in long flow); };\n";
    let file = written("renamed.idl", idl);
    let rename = ["--rename", "Tap::set_flow=force_flow"];
    assert_eq!(both(&file, &rename), (Some(0), String::new()));
    let (status, said) = both(&file, &["--rename", "Tap::missing=found"]);
    assert_eq!(status, Some(1));
    assert!(said.contains("error[E0702]"), "{said}");
    for option in [["--derive", "Nothing=Ord"], ["--shared", "Nothing"]] {
        assert_eq!(both(&file, &option).0, Some(1), "{option:?}");
    }
}
