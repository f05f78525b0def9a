//! What clients leave behind: contexts that no name leads to, iterators, watches; and copies of many
//! names.

use crate::served;
use armilla::{ExceptionKind, Orb};
use armilla_cos_naming::administration::{
    Administration, AdministrationRef, ChangeKind, Watch as _,
};
use armilla_cos_naming::{NamingContext, NamingContextExtRef, NamingContextRef};
use armilla_naming::access::Rules;
use armilla_naming::client::{Held, export, held, import};
use armilla_naming::{NamingService, Store};
use served::{Directory, name, object};

type Served = (Orb, NamingService, AdministrationRef, NamingContextExtRef);

fn serve(store: Store) -> Served {
    serve_by(store, Rules::default())
}

fn serve_by(store: Store, rules: Rules) -> Served {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let service = NamingService::builder().store(store).rules(rules).serve(&orb).unwrap();
    orb.perform_work().unwrap();
    let client = Orb::new().unwrap();
    let url = service.url().replace("NameService", "ArmillaNaming");
    let administration = client.string_to_object(&url).unwrap().narrow().unwrap();
    let root = client.resolve(service.url()).unwrap();
    (orb, service, administration, root)
}

#[test]
fn contexts_that_no_name_leads_to_are_listed_and_removed_and_no_others() {
    let (orb, service, administration, root) = serve(Store::in_memory());
    let vega = object(&orb, "vega");
    for text in ["a", "a/b", "c"] {
        root.bind_new_context(&name(text)).unwrap();
    }
    root.bind(&name("a/b/vega"), &vega).unwrap();
    root.bind(&name("c/vega"), &vega).unwrap();
    let unbound = root.new_context().unwrap();
    let inner: NamingContextRef = root.resolve(&name("a/b")).unwrap().narrow().unwrap();
    root.bind_context(&name("again"), &inner).unwrap();
    root.unbind(&name("a")).unwrap();
    root.unbind(&name("c")).unwrap();

    let orphans = administration.list_orphans(0, 100).unwrap();
    let mut found: Vec<u32> = orphans.iter().map(|one| one.bindings).collect();
    found.sort_unstable();
    // The new one, that of `c`, and that of `a`, which still leads to `b` as `again` does.
    assert_eq!(found, [0, 1, 1]);
    assert_eq!(administration.list_orphans(2, 100).unwrap().len(), 1);
    assert_eq!(administration.collect(3600).unwrap(), (0, 0), "they are new");
    assert_eq!(service.store().read().orphans().len(), 3);
    assert_eq!(administration.collect(0).unwrap(), (3, 2));
    assert!(unbound.object().non_existent().unwrap());
    assert!(root.resolve(&name("again/vega")).is_ok());
    assert_eq!(service.store().read().contexts(), 2);
    orb.shutdown();
}

#[test]
fn a_client_sees_what_only_a_name_leads_to() {
    let (orb, service, _, root) = serve(Store::in_memory());
    let client = Orb::new().unwrap();
    for text in ["a", "a/b", "a/b/c"] {
        root.bind_new_context(&name(text)).unwrap();
    }
    for number in 0..30 {
        root.bind(&name(&format!("a/b/o{number}")), &object(&orb, "o")).unwrap();
    }
    let plain: NamingContextRef = root.upcast();
    let context =
        |text| -> NamingContextRef { root.resolve(&name(text)).unwrap().narrow().unwrap() };
    // A circle, and a second name for the innermost one.
    context("a/b").bind_context(&name("up"), &context("a")).unwrap();
    root.bind_context(&name("other"), &context("a/b/c")).unwrap();
    let look = |text| held(&client, &plain, &name(text), &context(text)).unwrap();
    assert!(matches!(look("a/b/c"), Held::Otherwise(other) if other == "other"));
    let Held::Alone(alone) = look("a") else { panic!("nothing else leads to it") };
    assert_eq!((alone.contexts(), alone.names()), (2, 33));
    alone.remove(&|_| ()).unwrap();
    root.unbind(&name("a")).unwrap();
    assert_eq!(service.store().read().contexts(), 2);
    assert!(service.store().read().orphans().is_empty());
    orb.shutdown();
}

#[test]
fn many_names_are_copied_whole_to_a_store_on_the_disk() {
    let directory = Directory::new("bulk");
    let (orb, service, _, root) = serve(Store::open(directory.path()).unwrap());
    let client = Orb::new().unwrap();
    let mut text = "armilla-names 1\n".to_owned();
    let reference = client.object_to_string(object(&orb, "o")).unwrap();
    for context in 0..20 {
        text += &format!("context\tc{context}\n");
        for number in 0..100 {
            text += &format!("object\tc{context}/o{number}\t{reference}\n");
        }
    }
    text += "same\tagain\tc3\n";
    let snapshot = text.parse().unwrap();
    let plain: NamingContextRef = root.upcast();
    let told = std::sync::atomic::AtomicUsize::new(0);
    let count = |_, all| {
        assert_eq!(all, 2021);
        told.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    };
    let done = import(&client, &snapshot, &plain, false, &count).unwrap();
    assert_eq!((done.bound, done.kept.len(), told.into_inner()), (2021, 0, 2021));
    let again = import(&client, &snapshot, &plain, false, &|_, _| ()).unwrap();
    assert_eq!((again.bound, again.kept.len()), (0, 2021));
    assert_eq!(again.kept[..2], ["c0", "c0/o0"]);
    let read = export(&client, &plain, &|_| ()).unwrap();
    assert_eq!(read.entries.len(), 2021);
    assert_eq!(service.store().read().bindings(), 2021);

    // Nothing is bound if the snapshot is malformed.
    let wrong = "armilla-names 1\nobject\tx\tIOR:zz\n".parse().unwrap();
    let error = import(&client, &wrong, &plain, false, &|_, _| ()).unwrap_err();
    assert!(error.to_string().contains("\"x\""), "{error}");
    let nowhere = format!("armilla-names 1\nobject\tno/x\t{reference}\n").parse().unwrap();
    let error = import(&client, &nowhere, &plain, false, &|_, _| ()).unwrap_err();
    assert!(error.to_string().contains("\"no/x\""), "{error}");
    orb.shutdown();
}

#[test]
fn a_watch_misses_nothing_that_comes_and_goes() {
    let (orb, _service, administration, root) = serve(Store::in_memory());
    root.bind_new_context(&name("a")).unwrap();
    let context: NamingContextRef = root.resolve(&name("a")).unwrap().narrow().unwrap();
    let watch = administration.begin_watch(&context).unwrap();
    let vega = object(&orb, "vega");
    root.bind(&name("elsewhere"), &vega).unwrap();
    for number in 0..100 {
        let text = name(&format!("a/o{number}"));
        root.bind(&text, &vega).unwrap();
        root.unbind(&text).unwrap();
    }
    root.bind_new_context(&name("a/b")).unwrap();
    root.bind(&name("a/b/deep"), &vega).unwrap();
    let mut told = Vec::new();
    while told.len() < 202 {
        told.extend(watch.next(5000).unwrap());
    }
    let unbound = |kind| matches!(kind, ChangeKind::NameUnbound);
    for (number, pair) in told[..200].chunks(2).enumerate() {
        let names = [&pair[0].name, &pair[1].name];
        assert_eq!(names, [&format!("o{number}"), &format!("o{number}")]);
        assert!(!unbound(pair[0].kind) && unbound(pair[1].kind));
        assert_eq!(pair[0].target, vega);
    }
    assert!(told[200].name == "b" && told[200].is_context);
    assert_eq!(told[201].name, "b/deep");
    assert!(watch.next(0).unwrap().is_empty());

    // Too many at once: the watch says so, and goes on.
    for _ in 0..3000 {
        root.rebind(&name("a/x"), &vega).unwrap();
        root.unbind(&name("a/x")).unwrap();
    }
    let mut missed = false;
    for _ in 0..20 {
        missed |= watch.next(0).is_err();
    }
    assert!(missed);
    root.bind(&name("a/last"), &vega).unwrap();
    assert!(watch.next(5000).unwrap().iter().any(|change| change.name == "last"));
    watch.destroy().unwrap();
    assert!(watch.next(0).is_err());
    orb.shutdown();
}

#[test]
fn ten_thousand_iterators_and_a_hundred_watches_that_nobody_uses_are_bounded() {
    let (orb, service, administration, root) = serve(Store::in_memory());
    for number in 0..3 {
        root.bind(&name(&format!("o{number}")), &object(&orb, "o")).unwrap();
    }
    for _ in 0..10_000 {
        let (_, rest) = root.list(1).unwrap();
        assert!(!rest.is_nil());
    }
    assert!(service.open_iterators() <= 100, "{}", service.open_iterators());
    let plain: NamingContextRef = root.upcast();
    let first = administration.begin_watch(&plain).unwrap();
    for _ in 0..100 {
        administration.begin_watch(&plain).unwrap();
    }
    assert!(service.open_watches() <= 64, "{}", service.open_watches());
    assert!(first.next(0).is_err(), "it has made room");
    orb.shutdown();
}

#[test]
fn rules_say_who_administers_and_what_a_watch_tells() {
    let rules = "deny any /secret from any".parse().unwrap();
    let (orb, _service, administration, root) = serve_by(Store::in_memory(), rules);
    let denied = |error: armilla::SystemException| error.kind() == ExceptionKind::NoPermission;
    assert!(administration.list_orphans(0, 9).is_err_and(denied));
    assert!(administration.collect(0).is_err_and(denied));
    let plain: NamingContextRef = root.upcast();
    let watch = administration.begin_watch(&plain).unwrap();
    assert!(root.bind(&name("secret"), &object(&orb, "o")).is_err());
    root.bind(&name("open"), &object(&orb, "o")).unwrap();
    let told = watch.next(5000).unwrap();
    assert_eq!(told.iter().map(|change| change.name.as_str()).collect::<Vec<_>>(), ["open"]);
    let rules = "deny read / from any".parse().unwrap();
    let (orb_two, _service, administration, root) = serve_by(Store::in_memory(), rules);
    assert!(administration.begin_watch(&root.upcast()).is_err_and(denied));
    orb.shutdown();
    orb_two.shutdown();
}
