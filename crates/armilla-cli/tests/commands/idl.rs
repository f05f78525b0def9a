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
fn a_valid_file_compiles_to_a_file_a_directory_or_standard_output() {
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
fn a_directory_that_is_not_there_is_made_if_its_name_ends_with_a_slash() {
    let directory = directory("made");
    let output = armilla(&directory, &["idl", "compile", "good.idl", "-o", "src/generated/"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(directory.join("src/generated/good.rs")).unwrap();
    assert!(text.contains("pub trait Bell"));
    let output = armilla(&directory, &["idl", "compile", "good.idl", "-o", "good.idl/x/"]);
    assert!(stderr(&output).contains("cannot make good.idl/x/"), "{}", stderr(&output));
}

#[test]
fn several_files_compile_to_one_with_the_options_of_build_scripts() {
    let directory = directory("several");
    fs::write(directory.join("score.idl"), "#include \"tune.idl\"\nstruct Score { Tune main; };\n")
        .unwrap();
    let arguments = ["idl", "compile", "song.idl", "score.idl", "-I", "common", "-DNOTE=octet"];
    let options = ["--client-only", "--derive", "Score=Ord", "-o", "-"];
    let output = armilla(&directory, &[&arguments[..], &options].concat());
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    for wanted in ["pub type Tune = Vec<u8>;", "pub trait Song", "#[derive(Ord)]"] {
        assert_eq!(text.matches(wanted).count(), 1, "{wanted} in\n{text}");
    }
    assert!(!text.contains("pub fn tie"), "{text}");

    let options = ["--extern", "tune.idl=::tunes", "--shared", "Tune", "-o", "-"];
    let output = armilla(&directory, &[&arguments[..], &options].concat());
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.contains("pub main: ::tunes::Tune,"), "{text}\n{}", stderr(&output));

    let output =
        armilla(&directory, &[&arguments[..], &["--extern", "Tunes=t", "-o", "-"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("error[E0702]: `Tunes` is neither"), "{}", stderr(&output));
}

#[test]
fn an_invalid_file_is_reported_and_writes_nothing() {
    let directory = directory("bad");
    let output = armilla(&directory, &["idl", "compile", "bad.idl", "-o", "bad.rs"]);
    assert_eq!(output.status.code(), Some(1));
    let printed = stderr(&output);
    assert!(printed.contains("--> bad.idl:2:16") && printed.contains("^^^^"), "{printed}");
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
fn wrong_usage_and_failure_have_different_exit_statuses() {
    let directory = directory("usage");
    assert_eq!(armilla(&directory, &["idl", "compile", "good.idl"]).status.code(), Some(2));
    assert_eq!(armilla(&directory, &["idl", "check"]).status.code(), Some(2));
    assert_eq!(armilla(&directory, &["idl", "check", "none.idl"]).status.code(), Some(1));
    let output = armilla(&directory, &["idl", "compile", "good.idl", "-o", "no/such/place.rs"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: cannot write no/such/place.rs: "));
}

#[test]
fn a_dump_has_a_line_for_each_declaration_with_its_place() {
    let directory = directory("dump");
    let idl = "module Bank {\n  enum Kind { giro, savings };\n  const Kind usual = giro;\n  \
               interface Account {\n    readonly attribute double balance;\n  };\n};\n";
    fs::write(directory.join("bank.idl"), idl).unwrap();
    let output = armilla(&directory, &["idl", "dump", "bank.idl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 7, "{text}");
    assert_eq!(
        lines[3],
        r#"{"name":"Bank::savings","kind":"enumerator","repository_id":"IDL:Bank/savings:1.0","file":"bank.idl","line":2,"type":"Bank::Kind","value":1}"#
    );
    assert!(lines[4].contains(r#""type":"Bank::Kind","value":"Bank::giro""#), "{text}");
    assert!(
        lines[6].contains(r#""kind":"attribute""#) && lines[6].contains(r#""line":5"#),
        "{text}"
    );

    assert_eq!(armilla(&directory, &["idl", "dump", "bad.idl"]).status.code(), Some(1));
    assert_eq!(armilla(&directory, &["idl", "dump"]).status.code(), Some(2));
}

#[test]
fn editors_get_diagnostics_as_json() {
    let directory = directory("json");
    let output = armilla(&directory, &["idl", "check", "--format", "json", "bad.idl"]);
    assert_eq!(output.status.code(), Some(1));
    let printed = stderr(&output);
    assert_eq!(printed.lines().count(), 1, "{printed}");
    for part in [
        r#""severity":"error","code":"E0401","message":"`Tune` is not declared""#,
        r#""file":"bad.idl","line":2,"column":16,"end_line":2,"end_column":20"#,
    ] {
        assert!(printed.contains(part), "{printed}");
    }
}

#[test]
fn a_warning_can_be_suppressed_and_an_error_cannot() {
    let directory = directory("allow");
    fs::write(directory.join("old.idl"), "struct S { long component; long home; };\n").unwrap();
    let check = |more: &[&str]| armilla(&directory, &[&["idl", "check", "old.idl"], more].concat());
    assert!(stderr(&check(&[])).contains("warning[W0001]"));
    assert_eq!(stderr(&check(&["--allow", "w0001"])), "");
    assert_eq!(check(&["--allow", "E0401"]).status.code(), Some(2));
}

#[test]
fn a_code_is_explained_with_an_example() {
    let directory = directory("explain");
    let output = armilla(&directory, &["idl", "explain", "e0505"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("E0505: ") && text.contains("oneway void f();"), "{text}");
    assert_eq!(armilla(&directory, &["idl", "explain", "E9999"]).status.code(), Some(2));
}

#[test]
fn the_output_never_overwrites_its_input() {
    let directory = directory("onto_itself");
    let before = fs::read_to_string(directory.join("good.idl")).unwrap();
    let output = armilla(&directory, &["idl", "compile", "good.idl", "-o", "common/../good.idl"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("is one of the IDL files"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(directory.join("good.idl")).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn a_failed_write_leaves_no_partial_file() {
    let directory = directory("half");
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" idl compile good.idl -o bell.rs"])
        .arg(env!("CARGO_BIN_EXE_armilla"))
        .current_dir(&directory)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot write bell.rs"), "{}", stderr(&output));
    assert!(!directory.join("bell.rs").exists());
}

#[test]
fn a_macro_with_an_invalid_name_is_wrong_usage() {
    let directory = directory("define");
    let check = |define: &str| armilla(&directory, &["idl", "check", "good.idl", "-D", define]);
    for define in ["X", "X=", "_x1=a=b"] {
        assert_eq!(check(define).status.code(), Some(0), "{define}");
    }
    for define in ["", "=1", "1X", "a-b=2", "F(x)=x", "defined=1"] {
        let output = check(define);
        assert_eq!(output.status.code(), Some(2), "{define}");
        assert!(stderr(&output).contains("cannot be the name of a macro"), "{}", stderr(&output));
    }
}
