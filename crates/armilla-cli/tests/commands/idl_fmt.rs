//! `armilla idl fmt` as a user meets it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const UGLY: &str = "interface Bell{void ring();// loud\n};\n";
const PRETTY: &str = "interface Bell {\n  void ring(); // loud\n};\n";

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fmt").join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("ugly.idl"), UGLY).unwrap();
    fs::write(directory.join("pretty.idl"), PRETTY).unwrap();
    directory
}

fn fmt(directory: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_armilla"))
        .args(["idl", "fmt"])
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A process that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn files_are_changed_in_place() {
    let directory = directory("place");
    let output = fmt(&directory, &["ugly.idl", "pretty.idl"], b"");
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(fs::read_to_string(directory.join("ugly.idl")).unwrap(), PRETTY);
}

#[test]
fn a_failed_write_keeps_the_file() {
    let directory = directory("whole");
    // What is in the way stands for a disk that is full.
    fs::create_dir(directory.join("ugly.idl.armilla-new")).unwrap();
    let output = fmt(&directory, &["ugly.idl"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write ugly.idl"));
    assert_eq!(fs::read_to_string(directory.join("ugly.idl")).unwrap(), UGLY);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let directory = directory("links");
    let file = directory.join("ugly.idl");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("ugly.idl", directory.join("link.idl")).unwrap();
    assert!(fmt(&directory, &["link.idl"], b"").status.success());
    assert!(fs::symlink_metadata(directory.join("link.idl")).unwrap().is_symlink());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_to_string(&file).unwrap(), PRETTY);

    fs::write(&file, UGLY).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o440)).unwrap();
    assert_eq!(fmt(&directory, &["ugly.idl"], b"").status.code(), Some(1));
    assert_eq!(fs::read_to_string(&file).unwrap(), UGLY);
}

#[test]
fn check_lists_files_that_would_change() {
    let directory = directory("check");
    let output = fmt(&directory, &["--check", "ugly.idl", "pretty.idl"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ugly.idl\n");
    assert_eq!(fs::read_to_string(directory.join("ugly.idl")).unwrap(), UGLY);
    assert!(fmt(&directory, &["--check", "pretty.idl"], b"").status.success());
}

#[test]
fn standard_input_goes_to_standard_output_in_its_encoding() {
    let directory = directory("input");
    assert_eq!(fmt(&directory, &["-"], UGLY.as_bytes()).stdout, PRETTY.as_bytes());
    assert_eq!(fmt(&directory, &["--stdout", "ugly.idl"], b"").stdout, PRETTY.as_bytes());
    assert_eq!(fmt(&directory, &["-"], b"//  caf\xe9 \n").stdout, b"//  caf\xe9\n");
}

#[test]
fn invalid_files_stay_and_the_others_are_formatted() {
    let directory = directory("broken");
    fs::write(directory.join("broken.idl"), "interface  A { /* ").unwrap();
    let output = fmt(&directory, &["broken.idl", "none.idl", "ugly.idl"], b"");
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        printed.contains("--> broken.idl:1:16") && printed.contains("cannot read none.idl"),
        "{printed}"
    );
    assert_eq!(fs::read_to_string(directory.join("broken.idl")).unwrap(), "interface  A { /* ");
    assert_eq!(fs::read_to_string(directory.join("ugly.idl")).unwrap(), PRETTY);
    assert_eq!(fmt(&directory, &[], b"").status.code(), Some(2));
}
