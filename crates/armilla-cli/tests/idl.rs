//! `armilla idl` as a user meets it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn armilla(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_armilla"))
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap()
}

/// A directory with a good file, a bad one, and one that includes another by a search path.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(directory.join("common")).unwrap();
    fs::write(directory.join("good.idl"), "interface Bell { oneway void ring(); };\n").unwrap();
    fs::write(directory.join("bad.idl"), "interface Bell {\n  void ring(in Tune t);\n};\n")
        .unwrap();
    fs::write(directory.join("common/tune.idl"), "typedef sequence<NOTE> Tune;\n").unwrap();
    let song = "#include \"tune.idl\"\ninterface Song { Tune all(); };\n";
    fs::write(directory.join("song.idl"), song).unwrap();
    directory
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_good_file_becomes_rust_in_a_file_a_directory_or_on_standard_output() {
    let directory = directory("good");
    for out in ["bell.rs", "common", "-"] {
        let output = armilla(&directory, &["idl", "compile", "good.idl", "-o", out]);
        assert!(output.status.success(), "{}", stderr(&output));
        let text = match out {
            "-" => String::from_utf8(output.stdout).unwrap(),
            "common" => fs::read_to_string(directory.join("common/good.rs")).unwrap(),
            file => fs::read_to_string(directory.join(file)).unwrap(),
        };
        assert!(text.contains("pub trait Bell"), "{text}");
    }
}

#[test]
fn a_bad_file_is_shown_with_a_caret_and_writes_nothing() {
    let directory = directory("bad");
    let output = armilla(&directory, &["idl", "compile", "bad.idl", "-o", "bad.rs"]);
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.contains("--> bad.idl:2:16") && told.contains("^^^^"), "{told}");
    assert!(!directory.join("bad.rs").exists());
}

#[test]
fn search_paths_and_macros_reach_the_preprocessor() {
    let directory = directory("song");
    let check = |more: &[&str]| {
        let arguments = [&["idl", "check", "song.idl"], more].concat();
        armilla(&directory, &arguments).status.code()
    };
    assert_eq!(check(&["-I", "common", "-D", "NOTE=short"]), Some(0));
    assert_eq!(check(&["-I", "common"]), Some(1), "NOTE is not declared");
    assert_eq!(check(&["-D", "NOTE=short"]), Some(1), "tune.idl is not found");
}

#[test]
fn wrong_usage_is_told_apart_from_failure() {
    let directory = directory("usage");
    assert_eq!(armilla(&directory, &["idl", "compile", "good.idl"]).status.code(), Some(2));
    assert_eq!(armilla(&directory, &["idl", "check"]).status.code(), Some(2));
    assert_eq!(armilla(&directory, &["idl", "check", "none.idl"]).status.code(), Some(1));
    let output = armilla(&directory, &["idl", "compile", "good.idl", "-o", "no/such/place.rs"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: cannot write no/such/place.rs: "));
}
