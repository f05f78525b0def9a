//! `armilla naming serve` as an operator runs it, and the commands of a client against it.

use crate::running;
use running::{Directory, Running, Service};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const NAMING: Service = Service { command: "naming", reference: "NameService" };

fn armilla(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_armilla"));
    command.arg("naming").args(arguments);
    command
}

fn serve(arguments: &[&str]) -> Running {
    Running::new(&NAMING, arguments)
}

fn endpoint(service: &Running) -> String {
    let address = service.url.strip_prefix("corbaloc::").unwrap();
    format!("iiop://{}", address.strip_suffix("/NameService").unwrap())
}

const OBJECT: &str = "corbaloc::127.0.0.1:1/vega";

#[test]
fn names_are_bound_shown_and_removed() {
    let service = serve(&["--memory"]);
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
    assert!(error.contains("\"a/vega\": CosNaming::NamingContext::AlreadyBound"), "{error}");
    assert!(error.contains("hint: without --new"), "{error}");
    let error = service.fails(&["unbind", "--destroy", "a"]);
    assert!(error.contains("\"a\": CosNaming::NamingContext::NotEmpty"), "{error}");
    service.ok(&["unbind", "a/vega"]);
    service.ok(&["unbind", "--destroy", "a"]);
    assert_eq!(service.ok(&["ls"]), "again/\nobservatory/\n");
    service.stop();
}

#[test]
fn control_characters_of_names_are_shown_as_escapes() {
    let service = serve(&["--memory"]);
    let name = "tab\t\u{1b}[2J\n\u{9b}x";
    service.ok(&["bind", &format!("{name}/vega"), OBJECT]);
    let shown = r"tab\t\u{1b}[2J\n\u{9b}x";
    assert_eq!(service.ok(&["ls"]), format!("{shown}/\n"));
    assert!(service.ok(&["tree"]).starts_with(&format!("{shown}/\n  vega\t")));
    assert!(service.ok(&["sweep"]).ends_with(&format!("\t{shown}/vega\n")));
    assert!(service.ok(&["ls", "-l", name]).contains("127.0.0.1:1"));
    service.stop();
}

#[test]
fn names_as_long_as_the_service_takes_are_exported() {
    let service = serve(&["--memory"]);
    let name = vec!["x"; 256].join("/");
    service.ok(&["bind", &name, OBJECT]);
    assert!(service.ok(&["export"]).contains(&format!("object\t{name}\t")));
    service.stop();
}

#[test]
fn stored_names_outlive_the_process_however_it_ends() {
    let directory = Directory::new("naming-store");
    let store = directory.file("names");
    let service = serve(&["--store", &store]);
    let endpoint = endpoint(&service);
    service.ok(&["bind", "a/vega", OBJECT]);
    let reference = service.ok(&["resolve", "a"]);
    service.signal("-KILL");
    drop(service);
    let service = Running::at(&NAMING, &endpoint, &["--store", &store]);
    assert_eq!(service.ok(&["ls", reference.trim()]), "vega\n");
    service.ok(&["unbind", "a/vega"]);
    service.stop();
    let service = serve(&["--store", &store, "--reference", &directory.file("root")]);
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
    let service = serve(&["--store", &store]);
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
    let first = serve(&["--memory"]);
    first.ok(&["bind", "a/b/vega", OBJECT]);
    first.ok(&["bind", "--context", "shared", &format!("corbaname{}#a/b", &first.url[8..])]);
    first.ok(&["bind", "--context", "up/root", &first.url]);
    let export = directory.file("export");
    first.ok(&["export", "--output", &export]);
    let text = fs::read_to_string(&export).unwrap();
    assert!(text.contains("context\ta/b\n") && text.contains("same\tshared\ta/b\n"), "{text}");

    let second = serve(&["--memory", "--import", &first.url]);
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
    let service = serve(&["--memory"]);
    let other = serve(&["--memory"]);
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
fn names_are_completed_in_the_shell() {
    let service = serve(&["--memory"]);
    service.ok(&["bind", "observatory/dome.device", OBJECT]);
    service.ok(&["bind", "observatory/door", OBJECT]);
    let address = endpoint(&service).replace("iiop://", "");
    let complete = |word: &str, place: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_armilla"))
            .envs([("COMPLETE", "bash"), ("_CLAP_COMPLETE_INDEX", "3"), ("_CLAP_IFS", "\n")])
            .env("ARMILLA_NAMES", place)
            .args(["--", "armilla", "naming", "resolve", word])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(complete("obs", &address), "observatory/");
    assert_eq!(complete("observatory/do", &address), "observatory/dome.device\nobservatory/door");
    assert_eq!(complete("observatory/x", &service.url), "");
    // Nobody is there to be told that no service answers.
    assert_eq!(complete("obs", "127.0.0.1:1"), "");
    let listed = armilla(&["ls"]).env("ARMILLA_NAMES", &address).output().unwrap();
    assert_eq!(String::from_utf8(listed.stdout).unwrap(), "observatory/\n");
}

#[test]
fn watching_prints_what_changes() {
    let service = serve(&["--memory"]);
    service.ok(&["bind", "before", OBJECT]);
    let mut watch = service.command(&["watch", "--interval", "10"]);
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

#[test]
fn a_context_goes_only_when_told_what_goes_with_it() {
    let service = serve(&["--memory"]);
    service.ok(&["new-context", "observatory/empty/"]);
    assert_eq!(service.ok(&["ls", "observatory/"]), "empty/\n");
    service.ok(&["unbind", "observatory/empty/"]);
    assert_eq!(service.ok(&["ls", "observatory/"]), "");
    for name in ["dome", "mirror/cell", "mirror/truss"] {
        service.ok(&["bind", &format!("observatory/{name}"), OBJECT]);
    }
    let said = service.fails(&["unbind", "observatory/"]);
    assert!(said.contains("has 4 names in 2 contexts that nothing else leads to"), "{said}");
    assert!(said.contains("--recursive") && said.contains("--orphan"), "{said}");
    service.ok(&["unbind", "observatory/", "--orphan"]);
    assert_eq!(service.ok(&["ls"]), "");
    let orphans = service.ok(&["orphans"]);
    assert_eq!(orphans.lines().count(), 2, "{orphans}");
    let top = orphans.lines().find(|line| line.starts_with("2 names")).unwrap();
    // Both have two names; that of the observatory leads to the other.
    assert!(top.contains("IOR:"), "{orphans}");
    service.ok(&["orphans", "--remove"]);
    assert_eq!(service.ok(&["orphans"]).lines().count(), 2, "they are new");
    service.ok(&["orphans", "--remove", "--age", "0"]);
    assert_eq!(service.ok(&["orphans"]), "");

    service.ok(&["bind", "a/b/c", OBJECT]);
    service.ok(&["unbind", "a", "--recursive"]);
    assert_eq!((service.ok(&["ls"]), service.ok(&["orphans"])), (String::new(), String::new()));
}

#[test]
fn a_damaged_store_is_recovered_as_its_error_says() {
    let directory = Directory::new("naming-recover");
    let store = directory.file("store");
    {
        let service = serve(&["--store", &store]);
        ["a/x", "a/y", "b"].iter().for_each(|name| drop(service.ok(&["bind", name, OBJECT])));
    }
    let file = directory.0.join("store/names.redb");
    let mut octets = std::fs::read(&file).unwrap();
    // A bit of what says where the current state is.
    octets[70] ^= 1;
    octets[200] ^= 1;
    std::fs::write(&file, octets).unwrap();
    let refused = armilla(&["serve", "--store", &store]).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("armilla naming recover") && said.contains("octet"), "{said}");
    let recover = |arguments: &[&str]| {
        let output = armilla(&[&["recover", "--store", &store], arguments].concat()).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(1), "something is lost");
        String::from_utf8(output.stdout).unwrap()
    };
    let said = recover(&["--dry-run"]);
    assert!(
        said.contains("can be saved: 4 names in 2 contexts") && said.contains("losses:"),
        "{said}"
    );
    let said = recover(&[]);
    assert!(said.contains("saved: 4 names in 2 contexts") && said.contains(".damaged-1"), "{said}");
    let service = serve(&["--store", &store]);
    assert_eq!(service.ok(&["ls", "a"]), "x\ny\n");
}
