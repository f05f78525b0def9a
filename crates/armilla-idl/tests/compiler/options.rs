//! What the options of a compilation do, and what it says about the files that it read.

use armilla_idl::diagnostics::{Code, MAX_ERRORS, Severity};
use armilla_idl::model::DeclKind;
use armilla_idl::{Diagnostics, Options, parse, parse_str};
use std::io;
use std::path::Path;

/// Options that read from a few files in memory.
fn files(files: &'static [(&'static str, &'static str)]) -> Options {
    Options::new().read_with(move |path| {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or(io::ErrorKind::NotFound.into())
    })
}

fn codes(errors: &Diagnostics) -> Vec<Code> {
    errors.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn macros_of_the_options_are_defined_until_undefined() {
    let source =
        "#ifdef A\nconst long a = A;\n#endif\n#ifdef __ARMILLA_IDL__\nconst long b = 1;\n#endif";
    let names = |options: &Options| {
        let model = parse_str("a.idl", source, options).unwrap().model;
        model.iter().map(|(_, declaration)| declaration.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&Options::new()), ["b"]);
    assert_eq!(names(&Options::new().define("A", "6 * 7")), ["a", "b"]);
    let undefined = Options::new().define("A", "1").undefine("A").undefine("__ARMILLA_IDL__");
    assert!(names(&undefined).is_empty());
}

#[test]
fn quotes_search_beside_the_including_file_and_angle_brackets_do_not() {
    let options = files(&[
        ("dir/main.idl", "#include \"part.idl\"\n#include <part.idl>\n"),
        ("dir/part.idl", "const long beside = 1;"),
        ("lib/part.idl", "const long on_the_path = 1;"),
    ])
    .include("empty")
    .include("lib");
    let compilation = parse("dir/main.idl", &options).unwrap();
    let names: Vec<_> = compilation.model.iter().map(|(_, d)| d.name.as_str()).collect();
    assert_eq!(names, ["beside", "on_the_path"]);
    let expected = ["dir/main.idl", "dir/part.idl", "lib/part.idl"].map(Path::new);
    assert_eq!(compilation.dependencies(), expected);
}

#[test]
fn the_next_file_of_a_name_is_one_further_down_the_path() {
    let options = files(&[
        ("main.idl", "#include <part.idl>\n"),
        ("ours/part.idl", "const long ours = 1;\n#include_next <part.idl>\n"),
        ("theirs/part.idl", "const long theirs = 1;\n"),
    ])
    .include("ours")
    .include("theirs");
    let compilation = parse("main.idl", &options).unwrap();
    let names: Vec<_> = compilation.model.iter().map(|(_, d)| d.name.as_str()).collect();
    assert_eq!(names, ["ours", "theirs"]);
}

#[test]
fn a_file_with_pragma_once_is_read_once_under_all_its_names() {
    let options = files(&[
        ("dir/main.idl", "#include \"part.idl\"\n#include \"../dir/./part.idl\"\n"),
        ("dir/part.idl", "#pragma once\nconst long part = 1;"),
        ("dir/../dir/./part.idl", "#pragma once\nconst long part = 1;"),
    ]);
    assert!(parse("dir/main.idl", &options).is_ok());
}

#[test]
fn macros_with_arguments_can_be_given_and_a_warning_left_out() {
    let options = Options::new().define("LIST(T, N)", "typedef sequence<T> N");
    let source = "LIST(long, Longs);\nstruct S { Longs home; };";
    let compilation = parse_str("list.idl", source, &options).unwrap();
    assert_eq!(codes(&compilation.warnings), [Code::Corba3Keyword]);
    let compilation = parse_str("list.idl", source, &options.allow(Code::Corba3Keyword)).unwrap();
    assert!(compilation.warnings.is_empty());
}

#[test]
fn an_orb_idl_is_there_unless_another_is_found() {
    let source = "#include <orb.idl>\ntypedef CORBA::StringSeq Names;";
    let compilation = parse_str("a.idl", source, &files(&[])).unwrap();
    assert_eq!(compilation.dependencies(), [Path::new("a.idl")], "it is no file on disk");
    let other = files(&[("lib/orb.idl", "module CORBA { typedef long StringSeq; };")]);
    let compilation = parse_str("a.idl", source, &other.include("lib")).unwrap();
    assert_eq!(compilation.dependencies().len(), 2);
}

#[test]
fn a_declaration_knows_whether_it_was_included() {
    let options = files(&[("types.idl", "module M { typedef long A; };")]);
    let source = "#include \"types.idl\"\nmodule M { typedef A B; };";
    let model = parse_str("main.idl", source, &options).unwrap().model;
    let included = |name| model.iter().find(|(_, d)| d.name == name).unwrap().1.included;
    assert!(included("A"));
    assert!(!included("B"));
    assert!(!included("M"), "the compiled file has a part of the module");
}

#[test]
fn a_file_that_is_missing_or_unreadable_is_an_error_without_a_place() {
    let missing = parse("none.idl", &files(&[])).unwrap_err();
    assert_eq!(codes(&missing), [Code::CannotRead]);
    assert!(missing.render().starts_with("error[E0101]: cannot find the file `none.idl`"));

    let denied = Options::new().read_with(|_| Err(io::ErrorKind::PermissionDenied.into()));
    let denied = parse("secret.idl", &denied).unwrap_err();
    assert!(denied.render().contains("cannot read `secret.idl`: permission denied"));
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let large = " ".repeat((16 << 20) + 1);
    let errors = parse_str("large.idl", &large, &Options::new()).unwrap_err();
    assert_eq!(codes(&errors), [Code::TooLarge]);
}

#[test]
fn string_constants_cannot_grow_by_copying_one_another() {
    let mut source = format!("const string s0 = \"{}\";\n", "x".repeat(1 << 20));
    for i in 1..64 {
        source += &format!("const string s{i} = s{};\n", i - 1);
    }
    let errors = parse_str("strings.idl", &source, &Options::new()).unwrap_err();
    assert_eq!(codes(&errors), [Code::TooLarge]);
}

#[test]
fn errors_beyond_the_limit_are_counted_and_warnings_are_no_errors() {
    let source = "typedef X Y;\n".repeat(MAX_ERRORS + 7);
    let errors = parse_str("many.idl", &source, &Options::new()).unwrap_err();
    assert_eq!(errors.iter().count(), MAX_ERRORS);
    assert_eq!(errors.error_count(), MAX_ERRORS + 7);
    assert!(errors.render().ends_with("57 errors, the first 50 are shown\n"));

    let compilation = parse_str("warn.idl", "#warning look here", &Options::new()).unwrap();
    assert_eq!(compilation.warnings.error_count(), 0);
    assert!(compilation.warnings.iter().all(|d| d.severity == Severity::Warning));
    assert!(!compilation.warnings.is_empty());
}

#[test]
fn the_code_table_has_no_number_twice() {
    let mut numbers: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), Code::ALL.len());
    assert!(Code::ALL.iter().all(|code| !code.summary().is_empty()));
}

#[test]
fn a_typedef_is_followed_to_what_it_stands_for() {
    let source = "struct S { long x; }; typedef S A; typedef A B; struct T { B member; };";
    let model = parse_str("alias.idl", source, &Options::new()).unwrap().model;
    let (_, declaration) = model.iter().find(|(_, d)| d.name == "T").unwrap();
    let DeclKind::Struct(body) = &declaration.kind else { panic!("T is a struct") };
    let armilla_idl::model::Type::Named(id) = model.resolve(&body.members[0].ty) else {
        panic!("its member is of a named type")
    };
    assert_eq!(model.scoped_name(*id), "S");
}

#[test]
fn a_file_with_the_byte_order_mark_of_utf_16_is_read_as_that() {
    let source = "// Größe\nconst wstring A = L\"€\";\n";
    let little: Vec<u8> = source.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = source.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let read = |mark: [u8; 2], text: &[u8]| {
        let bytes = [&mark, text].concat();
        parse("a.idl", &Options::new().read_with(move |_| Ok(bytes.clone())))
    };
    for (mark, text) in [([0xff, 0xfe], &little), ([0xfe, 0xff], &big)] {
        let compilation = read(mark, text).unwrap();
        let (_, constant) = compilation.model.iter().next().unwrap();
        assert_eq!((&*constant.name, &*constant.docs), ("A", &["Größe".to_owned()][..]));
    }
    // Half a character is no character.
    let half = [&little[..], &[65]].concat();
    assert_eq!(codes(&read([0xff, 0xfe], &half).unwrap_err()), [Code::BadCharacter]);
}

/// A directory of a test, removed with what is in it.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("armilla-idl-{}-{name}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &[u8]) -> std::path::PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// What the compiler says of a file, without waiting for ever.
fn errors_of(path: std::path::PathBuf) -> String {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(parse(path, &Options::new()).unwrap_err().render()));
    receive.recv_timeout(std::time::Duration::from_secs(60)).expect("nothing is waited for")
}

#[test]
fn what_a_source_includes_is_a_file_of_a_size_that_a_source_may_have() {
    let scratch = Scratch::new("includes");
    let pipe = scratch.0.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let socket = scratch.0.join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let large = scratch.write("large.idl", &vec![b' '; (16 << 20) + 1]);
    // A hole that would not fit into any memory.
    let hole = scratch.write("hole.idl", b"");
    std::fs::File::options().write(true).open(&hole).unwrap().set_len(1 << 40).unwrap();
    std::os::unix::fs::symlink(&pipe, scratch.0.join("link")).unwrap();
    for (included, what) in [
        ("/dev/zero", "a source is read from a regular file only"),
        ("pipe", "a source is read from a regular file only"),
        ("link", "a source is read from a regular file only"),
        ("socket", "a source is read from a regular file only"),
        (".", "it is a directory"),
        ("large.idl", "larger than 16 MiB"),
        ("hole.idl", "larger than 16 MiB"),
    ] {
        let source = format!("#include \"{included}\"\n");
        let errors = errors_of(scratch.write("main.idl", source.as_bytes()));
        assert!(errors.contains(what), "{included}: {errors}");
    }
    assert!(armilla_idl::read_file(&pipe).is_err());
    assert_eq!(armilla_idl::read_file(&large).unwrap().len(), (16 << 20) + 1);
}

#[test]
fn a_source_that_never_ends_is_too_large() {
    assert!(errors_of("/dev/zero".into()).contains("`/dev/zero` is larger than 16 MiB"));
}
