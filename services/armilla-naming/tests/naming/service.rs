//! The naming service as a client in another process sees it.

use crate::served;
use armilla::{ByteOrder, Encode, Encoder, Error, ExceptionKind, Orb};
use armilla_cos_naming::naming_context::*;
use armilla_cos_naming::naming_context_ext::*;
use armilla_cos_naming::*;
use armilla_naming::model::{Bind, NameTree, ROOT, ReferenceOctets, Target, parse_name};
use armilla_naming::{ForeignLimits, NamingService, Store};
use served::{Served, name, object, system};

#[test]
fn every_operation_works_from_another_process() {
    let served = Served::new();
    let root = &served.root;
    let a = root.bind_new_context(&name("a")).unwrap();
    let vega = object(&served.client, "vega");
    root.bind(&name("a/Vega.star"), &vega).unwrap();
    assert_eq!(a.resolve(&name("Vega.star")).unwrap(), vega);
    assert_eq!(root.resolve_str("a/Vega.star").unwrap(), vega);
    let other = object(&served.client, "other");
    root.rebind(&name("a/Vega.star"), &other).unwrap();
    assert_eq!(root.resolve(&name("a/Vega.star")).unwrap(), other);
    let free = a.new_context().unwrap();
    root.bind_context(&name("b"), &free).unwrap();
    root.rebind_context(&name("b"), &a).unwrap();
    assert_eq!(root.resolve_str("b/Vega.star").unwrap(), other);
    free.destroy().unwrap();
    root.unbind(&name("b/Vega.star")).unwrap();
    root.unbind(&name("b")).unwrap();
    root.unbind(&name("a")).unwrap();
    a.destroy().unwrap();
    assert!(a.object().non_existent().unwrap() && free.object().non_existent().unwrap());
    assert!(!root.object().non_existent().unwrap());
}

#[test]
fn user_exceptions_arrive_with_their_members() {
    let served = Served::new();
    let root = &served.root;
    root.bind(&name("object"), &object(&served.client, "o")).unwrap();
    root.bind_new_context(&name("context")).unwrap();
    match root.resolve(&name("context/x/y")) {
        Err(Error::User(ResolveRaises::NotFound(error))) => {
            assert_eq!(error.why, NotFoundReason::MissingNode);
            assert_eq!(error.rest_of_name, name("x/y"));
        }
        other => panic!("{other:?}"),
    }
    match root.rebind(&name("context"), &object(&served.client, "o")) {
        Err(Error::User(RebindRaises::NotFound(error))) => {
            assert_eq!(error.why, NotFoundReason::NotObject);
            assert_eq!(error.rest_of_name, name("context"));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(root.resolve(&[]), Err(Error::User(ResolveRaises::InvalidName(_)))));
    assert!(matches!(
        root.bind_new_context(&name("object")),
        Err(Error::User(BindNewContextRaises::AlreadyBound(_)))
    ));
    assert!(matches!(root.destroy(), Err(Error::User(DestroyRaises::NotEmpty(_)))));
    let nil = NamingContextRef::nil();
    let failed = root.bind_context(&name("nil"), &nil);
    assert_eq!(system(failed), ExceptionKind::BadParam);
    let failed = root.bind(&name("nil"), nil.object());
    assert_eq!(system(failed), ExceptionKind::BadParam);
}

#[test]
fn operations_of_a_destroyed_context_find_no_object() {
    let served = Served::new();
    let gone = served.root.new_context().unwrap();
    gone.destroy().unwrap();
    let kind = |error: armilla::SystemException| error.kind();
    assert_eq!(system(gone.destroy()), ExceptionKind::ObjectNotExist);
    let is_a = gone.object().is_a("IDL:omg.org/CosNaming/NamingContext:1.0");
    assert_eq!(kind(is_a.unwrap_err()), ExceptionKind::ObjectNotExist);
    assert_eq!(system(gone.resolve(&name("a"))), ExceptionKind::ObjectNotExist);
    assert_eq!(kind(gone.list(1).unwrap_err()), ExceptionKind::ObjectNotExist);
    assert_eq!(kind(gone.new_context().unwrap_err()), ExceptionKind::ObjectNotExist);
    served.root.bind_context(&name("gone"), &gone).unwrap();
    match served.root.resolve(&name("gone/x/y")) {
        Err(Error::User(ResolveRaises::CannotProceed(error))) => {
            assert_eq!((error.cxt, error.rest_of_name), (gone, name("x/y")));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn names_lead_through_contexts_of_other_services() {
    let (near, far) = (Served::new(), Served::new());
    let there: NamingContextRef = served::travel(far.root.object(), &near.client).assume();
    near.root.bind_new_context(&name("way")).unwrap();
    near.root.bind_context(&name("way/far"), &there).unwrap();
    let vega = object(&near.client, "vega");
    near.root.bind_new_context(&name("way/far/a")).unwrap();
    near.root.bind(&name("way/far/a/vega"), &vega).unwrap();
    assert!(!far.root.resolve_str("a/vega").unwrap().is_nil());
    assert_eq!(near.root.resolve_str("way/far/a/vega").unwrap(), vega);
    match near.root.resolve_str("way/far/a/deneb/x") {
        Err(Error::User(ResolveStrRaises::NotFound(error))) => {
            assert_eq!(error.rest_of_name, name("deneb/x"));
        }
        other => panic!("{other:?}"),
    }
    // And back: a cycle through both services.
    let back: NamingContextRef = served::travel(near.root.object(), &far.client).assume();
    far.root.bind_context(&name("back"), &back).unwrap();
    assert_eq!(near.root.resolve_str("way/far/back/way/far/a/vega").unwrap(), vega);
    near.root.unbind(&name("way/far/a/vega")).unwrap();
    assert!(far.root.resolve_str("a/vega").is_err());
}

#[test]
fn a_client_may_go_on_where_another_service_is_silent() {
    let served = Served::new();
    let absent = served.client.string_to_object("corbaloc::127.0.0.1:1/NameService").unwrap();
    served.root.bind_context(&name("absent"), &absent.clone().assume()).unwrap();
    match served.root.unbind(&name("absent/x")) {
        Err(Error::User(UnbindRaises::CannotProceed(error))) => {
            assert_eq!((error.cxt.object(), error.rest_of_name), (&absent, name("x")));
        }
        other => panic!("{other:?}"),
    }
}

/// A name that goes through the same steps again and again, and at last to `vega`.
fn around(steps: &[&str], times: usize) -> Vec<NameComponent> {
    name(&((steps.join("/") + "/").repeat(times) + "vega"))
}

/// The reference as a store keeps it.
fn octets(object: &armilla::Object) -> ReferenceOctets {
    let mut out = Encoder::new(ByteOrder::Big);
    object.encode(&mut out).unwrap();
    ReferenceOctets::from(&out.to_vec()[..])
}

#[test]
fn every_way_back_to_the_service_is_followed_without_a_call() {
    let served = Served::new();
    let (root, vega) = (&served.root, object(&served.client, "vega"));
    let url = served.service.url();
    let port = url.rsplit_once(':').unwrap().1.split('/').next().unwrap().to_owned();
    let ways = [
        url.to_owned(),
        url.replace("NameService", "StandardNS/NameServer-POA/_root"),
        format!("corbaloc::localhost:{port}/NameService"),
        format!("corbaloc::[::ffff:127.0.0.1]:{port}/NameService"),
        format!("corbaname::127.0.0.1:{port}/NameService"),
    ];
    for (number, way) in ways.iter().enumerate() {
        let step = format!("way-{number}");
        let back = served.client.string_to_object(way).unwrap().assume();
        root.bind_context(&name(&step), &back).unwrap();
        root.bind(&around(&[&step], 254), &vega).unwrap();
        assert_eq!(root.resolve(&around(&[&step], 255)).unwrap(), vega, "{way}");
        root.bind_new_context(&name(&format!("{step}/{step}/new"))).unwrap();
        root.unbind(&name(&format!("{step}/new"))).unwrap();
        root.unbind(&around(&[&step], 3)).unwrap();
    }
    // As a store has it that was written at another address, or by another instance.
    let back = served.client.string_to_object(url).unwrap();
    let foreign = Target::ForeignContext(octets(&back));
    let bound = |tree: &NameTree| {
        tree.bind(ROOT, &parse_name("stored").unwrap(), foreign.clone(), Bind::New, 0)
    };
    served.service.store().change(bound).unwrap();
    root.rebind(&around(&["stored"], 200), &vega).unwrap();
    assert_eq!(root.resolve(&around(&["stored", "way-0"], 127)).unwrap(), vega);
    match root.resolve(&name("stored/stored/absent/x")) {
        Err(Error::User(ResolveRaises::NotFound(error))) => {
            assert_eq!(error.rest_of_name, name("absent/x"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_circle_of_services_ends_with_an_error_and_holds_few_threads() {
    let (near, far) = (Served::new(), Served::new());
    let there: NamingContextRef = served::travel(far.root.object(), &near.client).assume();
    let back: NamingContextRef = served::travel(near.root.object(), &far.client).assume();
    near.root.bind_context(&name("far"), &there).unwrap();
    far.root.bind_context(&name("back"), &back).unwrap();
    near.root.bind(&name("vega"), &object(&near.client, "vega")).unwrap();
    let circle = ["far", "back"];
    match near.root.resolve(&around(&circle, 127)) {
        Err(Error::User(ResolveRaises::CannotProceed(error))) => {
            // Each service has passed it on as often as it does for one client.
            assert_eq!(error.rest_of_name.len(), 255 - 2 * ForeignLimits::default().per_client - 1);
            let (context, rest) = (error.cxt, &error.rest_of_name[..]);
            assert!(matches!(
                context.resolve(rest),
                Err(Error::User(ResolveRaises::CannotProceed(_)))
            ));
        }
        other => panic!("{other:?}"),
    }
    // Nothing of it is left.
    assert!(near.root.resolve(&around(&circle, 8)).is_ok());
    assert!(near.root.resolve(&around(&circle, 14)).is_ok());
}

#[test]
fn names_are_text_in_both_directions() {
    let served = Served::new();
    let root = &served.root;
    let text = r"a\/b.c/d\.e/.kind/.";
    assert_eq!(root.to_string(&root.to_name(text).unwrap()).unwrap(), text);
    assert!(matches!(root.to_string(&[]), Err(Error::User(ToStringRaises::InvalidName(_)))));
    assert!(matches!(root.to_name("a//b"), Err(Error::User(ToNameRaises::InvalidName(_)))));
    assert_eq!(root.to_url(":host", "a b").unwrap(), "corbaname::host#a%20b");
    assert!(matches!(root.to_url("host", "a"), Err(Error::User(ToUrlRaises::InvalidAddress(_)))));
    assert!(matches!(root.to_url(":host", "a//b"), Err(Error::User(ToUrlRaises::InvalidName(_)))));
}

#[test]
fn the_keys_of_other_vendors_lead_to_the_root() {
    let served = Served::new();
    let address = served.service.url().strip_suffix("/NameService").unwrap().to_owned();
    for key in ["NameService", "StandardNS/NameServer-POA/_root"] {
        let root: NamingContextExtRef = served.client.resolve(&format!("{address}/{key}")).unwrap();
        assert!(root.new_context().is_ok(), "{key}");
    }
    served.root.bind(&name("vega"), &object(&served.client, "vega")).unwrap();
    let url = format!("corbaname{}#vega", address.strip_prefix("corbaloc").unwrap());
    let vega = served.client.string_to_object(&url).unwrap();
    assert_eq!(vega, object(&served.client, "vega"));
}

#[test]
fn references_to_contexts_outlive_the_process() {
    let directory = served::Directory::new("references");
    let (mut orb, mut text, mut port) = (None::<Orb>, String::new(), 0);
    for round in 0..2 {
        let endpoint = format!("iiop://127.0.0.1:{port}");
        let server = Orb::builder().listen(&endpoint).unwrap().build().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let service = NamingService::builder().store(store).serve(&server).unwrap();
        let client = Orb::new().unwrap();
        if round == 0 {
            let a = service.root().bind_new_context(&name("a")).unwrap();
            a.bind(&name("vega"), &object(&server, "vega")).unwrap();
            text = server.object_to_string(&a).unwrap();
            port = a.object().ior().iiop_profiles().next().unwrap().unwrap().port;
        }
        let a: NamingContextRef = client.resolve(&text).unwrap();
        assert!(a.resolve(&name("vega")).is_ok(), "round {round}");
        server.shutdown();
        drop(service);
        orb = Some(client);
    }
    drop(orb);
}

#[test]
fn a_destroyed_context_is_not_located() {
    let served = Served::new();
    let a = served.root.bind_new_context(&name("a")).unwrap();
    assert_eq!(a.object().locate(), Ok(true));
    served.root.unbind(&name("a")).unwrap();
    a.destroy().unwrap();
    assert_eq!(a.object().locate(), Ok(false));
    assert_eq!(served.root.object().locate(), Ok(true));
}

#[test]
fn resolve_gives_what_resolve_str_gives() {
    let served = Served::new();
    let root = &served.root;
    let long = "l".repeat(300);
    let texts = ["vega", "a/b/vega.kind", "a/\u{e4}\u{df}", "a/.kind", &format!("a/{long}")];
    for context in ["a", "a/b"] {
        root.bind_new_context(&name(context)).unwrap();
    }
    for (number, text) in texts.iter().enumerate() {
        root.bind(&name(text), &object(&served.client, &format!("object-{number}"))).unwrap();
    }
    for text in texts.into_iter().chain(["a", "a/b", "nothing", "vega/more", "a/nothing/more"]) {
        // `resolve` may copy the stored octets; `resolve_str` decodes and encodes them.
        let (copied, decoded) = (root.resolve(&name(text)), root.resolve_str(text));
        assert_eq!(format!("{copied:?}"), format!("{decoded:?}"), "{text}");
    }
    assert!(matches!(root.resolve(&[]), Err(Error::User(ResolveRaises::InvalidName(_)))));
}
