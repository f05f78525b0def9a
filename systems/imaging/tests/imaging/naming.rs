//! Servers and locators by their names.

use crate::common::Scratch;
use crate::programs::{Program, in_both, run};
use armilla::Orb;
use armilla_naming::NamingService;

#[test]
fn a_reader_finds_images_through_names_alone() {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let names = NamingService::builder().serve(&orb).unwrap();
    orb.perform_work().unwrap();
    let initial = format!("NameService={}", names.url());
    let by_name = |name: &str| names.url().replace("corbaloc:", "corbaname:") + "#" + name;
    let scratch = Scratch::new();
    let uid = in_both(&scratch, &["one", "two"], 16, 1).remove(0);
    let bound = |arguments: &[&str], name: &str| {
        let naming = ["--bind", name, "-ORBInitRef", &initial];
        Program::start(&[arguments, naming.as_slice()].concat())
    };
    let serve = |name: &str| {
        let store = scratch.file(name);
        bound(&["serve", "--store", store.to_str().unwrap()], &format!("radiology/{name}"))
    };
    let _one = serve("one");
    let mut two = serve("two");
    let servers = [by_name("radiology/one"), by_name("radiology/two")];
    let _locator = bound(&["locate", &servers[0], &servers[1]], "radiology/all");
    let find = || run(&["find", &by_name("radiology/all")]);
    let found = find();
    assert!(String::from_utf8_lossy(&found.stdout).contains(&uid), "{found:?}");
    assert!(found.stderr.is_empty(), "{found:?}");
    // At another address it takes the name over.
    two.kill();
    assert!(String::from_utf8_lossy(&find().stderr).contains("is missing"));
    let _two = serve("two");
    let found = find();
    assert!(found.stderr.is_empty() && !found.stdout.is_empty(), "{found:?}");
}

#[test]
fn a_name_that_cannot_be_bound_ends_the_server_with_the_reason() {
    let scratch = Scratch::new();
    let store = scratch.file("one");
    let nobody = "NameService=corbaloc::127.0.0.1:1/NameService";
    let arguments = ["serve", "--store", store.to_str().unwrap(), "--bind", "radiology/one"];
    let ended = run(&[arguments.as_slice(), &["-ORBInitRef", nobody]].concat());
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && said.contains("radiology/one"), "{said}");
}
