//! `armilla ifr serve` as an operator runs it: with a state that outlives it, with IDL, with its
//! reference in a file.

use armilla::{Orb, Ref};
use armilla_ifr::corba::*;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A directory of the test's own, which goes when the test does.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("armilla-cli-{name}-{}", std::process::id()));
        fs::remove_dir_all(&path).ok();
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.0.join(name), text).unwrap();
        self.file(name)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn serving(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
    command.args([&["ifr", "serve"], arguments].concat());
    command
}

/// A repository in another process, which can be killed.
struct Running {
    process: Child,
    reference: String,
}

impl Running {
    fn new(arguments: &[&str]) -> Self {
        let mut process = serving(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut reference = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut reference).unwrap();
        assert!(reference.starts_with("IOR:"), "{reference:?}");
        Self { process, reference: reference.trim().to_owned() }
    }

    /// SIGKILL: nothing can be written any more.
    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

fn failed(arguments: &[&str]) -> String {
    let Output { status, stderr, .. } = serving(arguments).output().unwrap();
    assert!(!status.success());
    String::from_utf8(stderr).unwrap()
}

/// The same object, named in a client that knows nothing of who made it.
fn again<I: armilla::codegen::Interface + ?Sized>(reference: &str) -> (Orb, Ref<I>) {
    let orb = Orb::builder().build().unwrap();
    let object = orb.resolve(reference).unwrap();
    (orb, object)
}

#[test]
fn acknowledged_changes_and_references_survive_a_kill() {
    let directory = Directory::new("state");
    let (state, socket) = (directory.file("state"), format!("uiop://{}", directory.file("socket")));
    let idl = directory.write("bank.idl", "module Bank { interface Account { void close(); }; };");
    let arguments = [idl.as_str(), "--store", &state, "-ORBEndpoint", &socket];
    let first = Running::new(&arguments);
    let (orb, repository) = again::<dyn Repository>(&first.reference);
    let module: ModuleDefRef = repository.lookup("Bank").unwrap().object().narrow().unwrap();
    let text = repository.create_string(9).unwrap();
    let names = repository.create_sequence(0, &text.clone().upcast()).unwrap();
    let alias =
        module.create_alias("IDL:Names:1.0", "Names", "1.0", &names.clone().upcast()).unwrap();
    alias.set_id("IDL:Renamed:1.0").unwrap();
    let close = repository.lookup("Bank::Account::close").unwrap();
    close.set_name("shut").unwrap();
    let kept = [repository.object(), alias.object(), names.object(), text.object(), close.object()]
        .map(|object| orb.object_to_string(object).unwrap());
    first.kill();

    let second = Running::new(&arguments);
    let [repository, alias, names, text, close] = &kept;
    assert_eq!(again::<dyn AliasDef>(alias).1.absolute_name().unwrap(), "::Bank::Names");
    assert_eq!(again::<dyn SequenceDef>(names).1.bound().unwrap(), 0);
    assert_eq!(again::<dyn StringDef>(text).1.bound().unwrap(), 9);
    assert_eq!(again::<dyn Contained>(close).1.name().unwrap(), "shut", "the IDL says close");
    let (_orb, repository) = again::<dyn Repository>(repository);
    assert!(!repository.lookup_id("IDL:Renamed:1.0").unwrap().is_nil());
    let held = failed(&["--store", &state]);
    assert!(held.contains("held by another repository"), "{held}");
    let listed = Command::new(env!("CARGO_BIN_EXE_armilla"))
        .args(["ifr", "list", "Bank", "-ORBInitRef"])
        .arg(format!("InterfaceRepository={}", second.reference))
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed, "Interface          ::Bank::Account\nAlias              ::Bank::Names\n");
}

#[test]
fn many_files_with_common_declarations_load_at_once() {
    let shipped = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../idl")).unwrap();
    let files: Vec<_> = shipped.map(|file| file.unwrap().path().display().to_string()).collect();
    let mut arguments: Vec<&str> = files.iter().map(String::as_str).collect();
    let fed = Running::new(&[&arguments, &["-ORBEndpoint", "iiop://127.0.0.1:0"][..]].concat());
    let (_orb, repository) = again::<dyn Repository>(&fed.reference);
    for name in ["CORBA::Identifier", "CORBA::Container", "CosNaming::NamingContext"] {
        assert!(!repository.lookup(name).unwrap().is_nil(), "{name}");
    }
    let directory = Directory::new("contradiction");
    let other = directory.write("other.idl", "module CORBA { typedef long Identifier; };");
    arguments.push(&other);
    let printed = failed(&arguments);
    let ids = "the repository id of ::CORBA: IDL:omg.org/CORBA:1.0, IDL:CORBA:1.0";
    assert!(printed.contains("/idl/"), "{printed}");
    assert!(printed.contains(&format!("other.idl contradict each other in {ids}")), "{printed}");
}

#[test]
fn an_unreadable_state_is_reported_with_a_hint() {
    let directory = Directory::new("damaged");
    let state = directory.file("state");
    fs::create_dir(&state).unwrap();
    fs::write(Path::new(&state).join("definitions"), "something else\n").unwrap();
    let printed = failed(&["--store", &state]);
    assert!(
        printed.contains("state/definitions is not a state of an interface repository"),
        "{printed}"
    );
    let idl = directory.write("wrong.idl", "interface {");
    assert!(failed(&[&idl]).contains("wrong.idl"));
    assert!(failed(&["--reference", "/none/there"]).contains("cannot write /none/there"));
}

#[test]
fn the_reference_is_written_and_differing_idl_is_reported() {
    let directory = Directory::new("reference");
    let (state, file) = (directory.file("state"), directory.file("ifr.ior"));
    let old = directory.write("old.idl", "struct Point { long x; };");
    let new =
        directory.write("new.idl", "struct Point { long x; long y; }; struct Line { Point at; };");
    Running::new(&[&old, "--store", &state]).kill();
    let mut process = serving(&[&new, "--store", &state, "--reference", &file])
        .args(["-ORBEndpoint", "iiop://127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut printed = BufReader::new(process.stderr.take().unwrap());
    printed.read_line(&mut line).unwrap();
    let mut reference = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut reference).unwrap();
    let _running = Running { process, reference };
    assert!(line.contains("the repository keeps its IDL:Point:1.0"), "{line}");
    let (_orb, repository) = again::<dyn Repository>(&format!("file://{file}"));
    let point: StructDefRef = repository.lookup("Point").unwrap().object().narrow().unwrap();
    assert_eq!(StructDef::members(&point).unwrap().len(), 1);
    assert!(!repository.lookup("Line").unwrap().is_nil());
}
