//! `armilla idl diff` as a user meets it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The files to compare, in a directory of the test's own: tests run at the same time.
fn directory(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diff").join(test);
    fs::create_dir_all(directory.join("common")).unwrap();
    let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
    write("common/tune.idl", "typedef string Tune;\n");
    let include = "#include \"tune.idl\"\n";
    write("old.idl", &format!("{include}interface Bell {{ void play(in Tune t); }};\n"));
    write(
        "more.idl",
        &format!("{include}interface Bell {{ void play(in Tune t); void stop(); }};\n"),
    );
    write("other.idl", &format!("{include}interface Bell {{\n  void play(in long t);\n}};\n"));
    write("wrong.idl", "interface Bell { void play(in Tune t); };\n");
    directory
}

fn diff(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_armilla"))
        .args(["idl", "diff"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn the_exit_status_reports_breaking_changes() {
    let directory = directory("status");
    let (status, printed, _) = diff(&directory, &["old.idl", "old.idl", "-I", "common"]);
    assert_eq!((status, printed.as_str()), (Some(0), "0 breaking, 0 compatible\n"));
    let (status, printed, _) = diff(&directory, &["old.idl", "more.idl", "-I", "common"]);
    assert_eq!(status, Some(0));
    assert!(printed.starts_with("compatible: Bell::stop: the operation is new\n"), "{printed}");
    let (status, printed, _) = diff(&directory, &["old.idl", "other.idl", "-I", "common"]);
    assert_eq!(status, Some(1));
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "breaking: Bell::play: the type of parameter `t` is `long` and was `Tune`",
            "  was at old.idl:2:36",
            "  is at other.idl:3:21",
        ]
    );
}

#[test]
fn incomparable_files_and_breaking_changes_have_different_exit_statuses() {
    let directory = directory("errors");
    let (status, _, printed) = diff(&directory, &["old.idl", "wrong.idl", "-I", "common"]);
    assert_eq!(status, Some(2));
    assert!(
        printed.contains("error[E0401]") && printed.contains("wrong.idl cannot be compared"),
        "{printed}"
    );
    assert_eq!(diff(&directory, &["old.idl"]).0, Some(2));
}

#[test]
fn json_is_one_object_per_line_and_change() {
    let directory = directory("json");
    let arguments = ["old.idl", "other.idl", "-I", "common", "--format", "json"];
    let (status, printed, _) = diff(&directory, &arguments);
    assert_eq!((status, printed.lines().count()), (Some(1), 1));
    let finding: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(finding["impact"], "breaking");
    assert_eq!(finding["change"], "parameter-type-changed");
    assert_eq!(finding["name"], "Bell::play");
    assert_eq!(finding["new"]["file"], "other.idl");
    assert_eq!(finding["new"]["line"], 3);
}
