//! `armilla passwd` and `armilla access`, as an operator uses them.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Runs a command with a line of input. Returns whether it has succeeded, and all it wrote.
fn armilla(arguments: &[&str], input: &str) -> (bool, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_armilla"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails early reads nothing.
    child.stdin.take().unwrap().write_all(input.as_bytes()).ok();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("armilla-cli-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn an_operator_edits_a_file_of_users() {
    let folder = folder("passwd");
    let file = folder.join("users");
    let file = file.to_str().unwrap();
    let added = armilla(&["passwd", "add", file, "ann@bank"], "correct horse\n");
    assert!(added.0 && added.1.starts_with("ann@bank has a new password"), "{}", added.1);
    assert!(armilla(&["passwd", "check", file, "ann@bank"], "correct horse\n").0);
    let wrong = armilla(&["passwd", "check", file, "ann@bank"], "battery\n");
    assert_eq!(wrong, (false, "error: the user or the password is wrong\n".into()));
    assert_eq!(armilla(&["passwd", "list", file], "").1, "ann@bank\n");
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains("ann@bank:$argon2id$v=19$m=19456,t=2,p=1$") && !text.contains("horse"));
    let (_, nobody) = armilla(&["passwd", "add", file, "ann"], "x\n");
    assert!(nobody.contains("NAME@DOMAIN"), "{nobody}");
    assert!(armilla(&["passwd", "rm", file, "ann@bank"], "").0);
    assert!(!armilla(&["passwd", "rm", file, "ann@bank"], "").0);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_operator_asks_what_rules_say() {
    let folder = folder("access");
    let file = folder.join("rules");
    let rules = "[[rule]]\nallow = \"*@bank\"\noperation = \"deposit\"\nnetwork = \"10.0.0.0/8\"\n\n\
                 [[rule]]\nallow = \"ann@bank\"\noperation = \"deposit\"\nnetwork = \"10.1.0.0/16\"\n";
    fs::write(&file, rules).unwrap();
    let file = file.to_str().unwrap();
    let explain = |caller, address| {
        let arguments = ["access", "explain", file, "--operation", "deposit"];
        armilla(&[&arguments[..], &["--caller", caller, "--address", address]].concat(), "")
    };
    let (allowed, text) = explain("ann@bank", "10.1.2.3");
    assert!(allowed && text.starts_with("allowed by line 1 of "), "{text}");
    assert!(text.ends_with("  network = \"10.0.0.0/8\"\n"), "{text}");
    assert_eq!(explain("ann@bank", "192.0.2.1"), (false, "denied: no rule fits\n".into()));
    let found = armilla(&["access", "check", file], "");
    let expected = "line 6: it never applies: the rule in line 1 decides before\n";
    assert_eq!(found, (false, expected.into()));
    fs::write(file, "[[rule]]\nallow = 7\n").unwrap();
    let (_, wrong) = armilla(&["access", "check", file], "");
    assert!(wrong.contains(":2:9: a text in quotes is needed here"), "{wrong}");
    fs::write(file, "").unwrap();
    let nothing = armilla(&["access", "check", file], "");
    assert_eq!(nothing, (true, "no rule: everything is denied\n".into()));
    // Who has a role of any operation may ask what every object answers, as a server has it.
    fs::write(file, "[roles]\noperator = \"ann@bank\"\n").unwrap();
    let idl = folder.join("door.idl");
    fs::write(&idl, "interface Door { @roles(\"operator\") void open(); void knock(); };").unwrap();
    for (operation, allowed) in [("open", true), ("_is_a", true), ("knock", false)] {
        let question = ["--caller", "ann@bank", "--operation", operation];
        let of = ["--interface", "IDL:Door:1.0", "--idl", idl.to_str().unwrap()];
        let explained = armilla(&[&["access", "explain", file], &question[..], &of].concat(), "");
        assert_eq!(explained.0, allowed, "{operation}: {}", explained.1);
    }
    // The role counts if an operation names it, and one that the file does not have gives nobody a right.
    let check = || armilla(&["access", "check", file, "--idl", idl.to_str().unwrap()], "");
    assert!(check().0, "{}", check().1);
    fs::write(&idl, "interface Door { @roles(\"owner\") void open(); };").unwrap();
    let (fine, found) = check();
    let what = "open of IDL:Door:1.0 names the role owner, which `[roles]` gives nobody\n";
    assert!(!fine && found.starts_with("line 2: no rule names role:operator"), "{found}");
    assert!(found.ends_with(what), "{found}");
    fs::remove_dir_all(&folder).unwrap();
}
