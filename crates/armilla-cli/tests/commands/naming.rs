//! `armilla naming` against a naming service of one context.

use armilla::{Error, Object, Orb, SystemException};
use armilla_cos_naming::naming_context::*;
use armilla_cos_naming::*;
use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::sync::Mutex;

/// A context of objects only, which lists no more than one binding at a time.
struct Shelf {
    orb: Orb,
    bindings: Mutex<BTreeMap<String, Object>>,
}

fn not_found(n: &[NameComponent]) -> NotFound {
    NotFound { why: NotFoundReason::MissingNode, rest_of_name: n.to_vec() }
}

fn binding(id: &str) -> Binding {
    let step = NameComponent { id: id.to_owned(), kind: String::new() };
    Binding { binding_name: vec![step], binding_type: BindingType::Nobject }
}

impl NamingContext for Shelf {
    fn rebind(&self, n: &[NameComponent], obj: &Object) -> Result<(), Error<RebindRaises>> {
        self.bindings.lock().unwrap().insert(n[0].id.clone(), obj.clone());
        Ok(())
    }

    fn resolve(&self, n: &[NameComponent]) -> Result<Object, Error<ResolveRaises>> {
        let found = self.bindings.lock().unwrap().get(&n[0].id).cloned();
        found.ok_or_else(|| not_found(n).into())
    }

    fn unbind(&self, n: &[NameComponent]) -> Result<(), Error<UnbindRaises>> {
        let removed = self.bindings.lock().unwrap().remove(&n[0].id);
        removed.map(drop).ok_or_else(|| not_found(n).into())
    }

    fn list(&self, how_many: u32) -> Result<(BindingList, BindingIteratorRef), SystemException> {
        assert!(how_many > 0);
        let mut all: Vec<_> = self.bindings.lock().unwrap().keys().map(|id| binding(id)).collect();
        let rest = all.split_off(all.len().min(1));
        let rest = Rest(Mutex::new(rest));
        Ok((all, self.orb.root_poa().activate(binding_iterator::tie(rest))?))
    }

    fn bind(&self, _: &[NameComponent], _: &Object) -> Result<(), Error<BindRaises>> {
        unimplemented!()
    }

    fn bind_context(
        &self,
        _: &[NameComponent],
        _: &NamingContextRef,
    ) -> Result<(), Error<BindContextRaises>> {
        unimplemented!()
    }

    fn rebind_context(
        &self,
        _: &[NameComponent],
        _: &NamingContextRef,
    ) -> Result<(), Error<RebindContextRaises>> {
        unimplemented!()
    }

    fn new_context(&self) -> Result<NamingContextRef, SystemException> {
        unimplemented!()
    }

    fn bind_new_context(
        &self,
        _: &[NameComponent],
    ) -> Result<NamingContextRef, Error<BindNewContextRaises>> {
        unimplemented!()
    }

    fn destroy(&self) -> Result<(), Error<DestroyRaises>> {
        unimplemented!()
    }
}

/// The bindings that a listing left over.
struct Rest(Mutex<Vec<Binding>>);

impl BindingIterator for Rest {
    fn next_n(&self, _: u32) -> Result<(bool, BindingList), SystemException> {
        let mut bindings = self.0.lock().unwrap();
        match bindings.is_empty() {
            true => Ok((false, Vec::new())),
            false => Ok((true, vec![bindings.remove(0)])),
        }
    }

    fn next_one(&self) -> Result<(bool, Binding), SystemException> {
        unimplemented!()
    }

    fn destroy(&self) -> Result<(), SystemException> {
        Ok(())
    }
}

/// Runs `armilla naming` with the service at `url`.
fn naming(url: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_armilla"))
        .args(["-ORBInitRef", &format!("NameService={url}"), "naming"])
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn names_are_bound_listed_resolved_and_removed() {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let shelf = Shelf { orb: orb.clone(), bindings: Mutex::default() };
    let shelf = orb.root_poa().activate(naming_context::tie(shelf)).unwrap();
    let url = orb.publish("NameService", shelf.object()).unwrap();
    let printed = |arguments: &[&str]| {
        let output = naming(&url, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };

    for name in ["sun", "moon", "star"] {
        assert_eq!(printed(&["bind", name, &format!("corbaloc::sky.invalid/{name}")]), "");
    }
    assert_eq!(printed(&["list"]), "moon\nstar\nsun\n");
    let moon = printed(&["resolve", "moon"]);
    let moon = orb.string_to_object(moon.trim()).unwrap();
    assert_eq!(moon, orb.string_to_object("corbaloc::sky.invalid/moon").unwrap());
    printed(&["unbind", "moon"]);
    assert_eq!(printed(&["list"]), "star\nsun\n");

    for gone in ["resolve", "unbind"] {
        let output = naming(&url, &[gone, "moon"]);
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains("\"moon\" is not there"), "{error}");
    }

    // A reference says where the service is, in place of an initial reference.
    let elsewhere = "corbaloc::nowhere.invalid/NameService";
    let output = naming(elsewhere, &["list", &url]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "star\nsun\n");
    let sun = format!("{}#sun", url.replace("corbaloc:", "corbaname:"));
    assert!(naming(elsewhere, &["resolve", &sun]).status.success());
}

#[test]
fn without_a_naming_service_the_error_says_where_it_was_looked_for() {
    let output = Command::new(env!("CARGO_BIN_EXE_armilla"))
        .args(["naming", "list"])
        .env("ARMILLA_NAMES", "127.0.0.1:1")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("127.0.0.1:1:") && error.contains("is the server running"), "{error}");
}
