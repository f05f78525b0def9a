//! The compiler as a `build.rs` uses it.

use armilla_idl::Build;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn a_file_and_what_it_includes_become_one_rust_file() {
    let folder = Folder::new("includes");
    folder.write("shared/types.idl", "module Shared { typedef long Id; };");
    folder.write("bank.idl", "#include <types.idl>\nmodule Bank { LONG_ID Shared::Id Key; };");
    let build = Build::new()
        .include(folder.path("shared"))
        .define("LONG_ID", "typedef")
        .out_dir(folder.path("."));
    build.compile(folder.path("bank.idl")).unwrap_or_else(|errors| panic!("{errors}"));
    let generated = fs::read_to_string(folder.path("bank.rs")).unwrap();
    assert!(generated.starts_with("// Made from bank.idl by the Armilla IDL compiler."));
    assert!(generated.contains("pub type Id = i32;"));
    assert!(generated.contains("pub type Key = super::shared::Id;"));
}

#[test]
fn a_file_that_would_not_change_is_not_written() {
    let folder = Folder::new("unchanged");
    folder.write("a.idl", "typedef long A;");
    let build = Build::new().out_dir(folder.path("."));
    build.compile(folder.path("a.idl")).unwrap();
    let mut permissions = fs::metadata(folder.path("a.rs")).unwrap().permissions();
    let before = fs::metadata(folder.path("a.rs")).unwrap().modified().unwrap();
    permissions.set_readonly(true);
    fs::set_permissions(folder.path("a.rs"), permissions).unwrap();
    build.compile(folder.path("a.idl")).unwrap();
    assert_eq!(fs::metadata(folder.path("a.rs")).unwrap().modified().unwrap(), before);
}

#[test]
fn what_is_wrong_comes_back_as_diagnostics() {
    let folder = Folder::new("wrong");
    folder.write("a.idl", "typedef Missing A;");
    let build = Build::new().out_dir(folder.path("."));
    let errors = build.compile(folder.path("a.idl")).unwrap_err();
    assert!(errors.render().contains("`Missing` is not declared"), "{errors}");
    assert!(!folder.path("a.rs").exists());

    let errors = build.compile(folder.path("nowhere.idl")).unwrap_err();
    assert!(errors.render().contains("nowhere.idl"), "{errors}");

    folder.write("b.idl", "typedef long B;");
    let nowhere = Build::new().out_dir(folder.path("nowhere"));
    let errors = nowhere.compile(folder.path("b.idl")).unwrap_err();
    assert!(errors.render().contains("cannot write"), "{errors}");
}

#[test]
fn several_files_become_one_rust_file_with_each_declaration_once() {
    let folder = Folder::new("several");
    // No guards: each of the two would be valid alone.
    folder.write("common.idl", "module Common { typedef long Id; };");
    folder.write("members.inc", "const long SIZE = 3;");
    folder.write(
        "a.idl",
        "#pragma prefix \"acme.com\"\n#include \"common.idl\"\n\
         module A {\n#include \"members.inc\"\n};",
    );
    folder.write(
        "b.idl",
        "#include \"common.idl\"\n\
         module B { struct S { Common::Id i; };\n#include \"members.inc\"\n};",
    );
    folder.write("all.idl", "#include \"a.idl\"\nstruct All { Common::Id i; };");
    let build = Build::new().out_dir(folder.path("."));
    let files = ["a.idl", "b.idl", "./all.idl", "common.idl"].map(|name| folder.path(name));
    build.compile_all("whole", files).unwrap_or_else(|errors| panic!("{errors}"));
    let generated = fs::read_to_string(folder.path("whole.rs")).unwrap();
    assert!(generated.starts_with("// Made from a.idl, b.idl, all.idl, common.idl by the"));
    for (once, times) in [("pub type Id = i32;", 1), ("pub const SIZE", 2), ("pub mod common", 1)] {
        assert_eq!(generated.matches(once).count(), times, "{once} in\n{generated}");
    }
    assert!(generated.contains("\"IDL:B/S:1.0\"") && generated.contains("\"IDL:All:1.0\""));
}

/// A folder of one test, removed behind it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("build-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
