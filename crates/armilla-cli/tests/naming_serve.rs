//! `armilla naming serve` as an operator runs it, and the commands of a client against it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
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
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn armilla(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
    command.arg("naming").args(arguments);
    command
}

/// A service in another process.
struct Running {
    process: Child,
    url: String,
}

impl Running {
    fn new(arguments: &[&str]) -> Self {
        Self::at("iiop://127.0.0.1:0", arguments)
    }

    fn at(endpoint: &str, arguments: &[&str]) -> Self {
        let arguments = [&["serve", "-ORBEndpoint", endpoint], arguments].concat();
        let mut process = armilla(&arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.strip_prefix("ready ").expect(&line).trim().to_owned();
        Self { process, url }
    }

    fn endpoint(&self) -> String {
        let address = self.url.strip_prefix("corbaloc::").unwrap();
        format!("iiop://{}", address.strip_suffix("/NameService").unwrap())
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = armilla(arguments);
        command.args(["-ORBInitRef", &format!("NameService={}", self.url)]).output().unwrap()
    }

    /// The standard output of a command that succeeds.
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The standard error of a command that fails.
    fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    fn signal(&self, signal: &str) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// SIGTERM, after which the server ends in order.
    fn stop(mut self) {
        self.signal("-TERM");
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

const OBJECT: &str = "corbaloc::127.0.0.1:1/vega";

#[test]
fn names_are_bound_shown_and_removed() {
    let service = Running::new(&["--memory"]);
    service.ok(&["bind", "observatory/dome.device", OBJECT]);
    service.ok(&["bind", "a/vega", OBJECT]);
    service.ok(&["bind", "--context", "again", &format!("corbaname{}#a", &service.url[8..])]);
    assert_eq!(service.ok(&["ls"]), "a/\nagain/\nobservatory/\n");
    assert_eq!(service.ok(&["list", "observatory"]), "dome.device\n");
    assert!(service.ok(&["ls", "-l", "a"]).contains("127.0.0.1:1"));
    let tree = service.ok(&["tree"]);
    assert!(tree.starts_with("a/\n  vega\t") && tree.contains("again/\tsee a/\n"), "{tree}");
    assert!(service.ok(&["resolve", "a/vega"]).starts_with("IOR:"));
    let error = service.fails(&["bind", "--new", "a/vega", OBJECT]);
    assert!(error.contains("AlreadyBound"), "{error}");
    let error = service.fails(&["unbind", "--destroy", "a"]);
    assert!(error.contains("NotEmpty"), "{error}");
    service.ok(&["unbind", "a/vega"]);
    service.ok(&["unbind", "--destroy", "a"]);
    assert_eq!(service.ok(&["ls"]), "again/\nobservatory/\n");
    service.stop();
}

#[test]
fn stored_names_outlive_the_process_however_it_ends() {
    let directory = Directory::new("naming-store");
    let store = directory.file("names");
    let service = Running::new(&["--store", &store]);
    let endpoint = service.endpoint();
    service.ok(&["bind", "a/vega", OBJECT]);
    let reference = service.ok(&["resolve", "a"]);
    service.signal("-KILL");
    drop(service);
    let service = Running::at(&endpoint, &["--store", &store]);
    assert_eq!(service.ok(&["ls", reference.trim()]), "vega\n");
    service.ok(&["unbind", "a/vega"]);
    service.stop();
    let service = Running::new(&["--store", &store, "--reference", &directory.file("root")]);
    assert_eq!(service.ok(&["ls", "a"]), "");
    let root = format!("file://{}", directory.file("root"));
    assert_eq!(service.ok(&["ls", &root]), "a/\n");
    let second = armilla(&["serve", "--store", &store, "-ORBEndpoint", "iiop://127.0.0.1:0"]);
    let second = { second }.output().unwrap();
    let error = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success() && error.contains("is held by another"), "{error}");
}

#[test]
fn a_damaged_store_is_refused_with_its_file_and_a_way_out() {
    let directory = Directory::new("naming-damaged");
    let store = directory.file("names");
    let service = Running::new(&["--store", &store]);
    for name in ["a", "b", "c"] {
        service.ok(&["bind", name, OBJECT]);
    }
    service.stop();
    let file = directory.0.join("names/names.redb");
    let whole = fs::read(&file).unwrap();
    let at = whole.windows(4).rposition(|octets| octets == b"vega").unwrap();
    let mut damaged = whole.clone();
    damaged[at] ^= 1;
    fs::write(&file, &damaged).unwrap();
    let refused = armilla(&["serve", "--store", &store]).output().unwrap();
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success(), "{error}");
    for said in ["names.redb", "damaged", "put a copy"] {
        assert!(error.contains(said), "{said}: {error}");
    }
}

#[test]
fn exports_and_running_services_are_imported() {
    let directory = Directory::new("naming-import");
    let first = Running::new(&["--memory"]);
    first.ok(&["bind", "a/b/vega", OBJECT]);
    first.ok(&["bind", "--context", "shared", &format!("corbaname{}#a/b", &first.url[8..])]);
    first.ok(&["bind", "--context", "up/root", &first.url]);
    let export = directory.file("export");
    first.ok(&["export", "--output", &export]);
    let text = fs::read_to_string(&export).unwrap();
    assert!(text.contains("context\ta/b\n") && text.contains("same\tshared\ta/b\n"), "{text}");

    let second = Running::new(&["--memory", "--import", &first.url]);
    assert!(second.ok(&["tree"]).contains("shared/\tsee a/b/"));
    second.ok(&["unbind", "shared/vega"]);
    assert_eq!(second.ok(&["ls", "a/b"]), "", "the context is shared there, too");
    second.ok(&["import", &export]);
    assert_eq!(second.ok(&["ls", "shared"]), "vega\n");
    let wrong = directory.file("wrong");
    fs::write(&wrong, "armilla-names 1\nobject\n").unwrap();
    assert!(second.fails(&["import", &wrong]).contains("line 2"));
}

#[test]
fn only_objects_that_are_gone_are_swept_on_request() {
    let service = Running::new(&["--memory"]);
    let other = Running::new(&["--memory"]);
    service.ok(&["bind", "alive", &other.url]);
    service.ok(&["bind", "gone", &other.url.replace("NameService", "nobody")]);
    service.ok(&["bind", "unreachable", OBJECT]);
    let shown = service.ok(&["sweep"]);
    for line in ["alive      \talive\n", "gone       \tgone\n", "unreachable\tunreachable\n"] {
        assert!(shown.contains(line), "{shown}");
    }
    assert_eq!(service.ok(&["ls"]), "alive\ngone\nunreachable\n");
    service.ok(&["sweep", "--unbind"]);
    assert_eq!(service.ok(&["ls"]), "alive\nunreachable\n");
    service.ok(&["sweep", "--unbind", "--unreachable"]);
    assert_eq!(service.ok(&["ls"]), "alive\n");
}

#[test]
fn watching_prints_what_changes() {
    let service = Running::new(&["--memory"]);
    service.ok(&["bind", "before", OBJECT]);
    let address = format!("NameService={}", service.url);
    let mut watch = armilla(&["watch", "--interval", "10", "-ORBInitRef", &address]);
    let mut watch = watch.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map(Result::unwrap);
    // Whether the watch looks before or after the first change shows with the first line only.
    let mut number = 0;
    let first = loop {
        service.ok(&["bind", &format!("vega{number}"), OBJECT]);
        number += 1;
        if number == 20 {
            break lines.next().unwrap();
        }
    };
    assert!(first.starts_with("+ vega"), "{first}");
    service.ok(&["unbind", "before"]);
    assert!(lines.any(|line| line == "- before"));
    watch.kill().unwrap();
    watch.wait().unwrap();
}
