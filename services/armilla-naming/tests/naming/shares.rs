//! How many names one user may have.

use crate::etcd::Cluster;
use crate::served::{Directory, Served, name, object, system};
use armilla::{Completion, Error, ExceptionKind, Minor, Orb};
use armilla_cos_naming::*;
use armilla_naming::model::{ROOT, parse_name};
use armilla_naming::{NamingService, Store};
use armilla_security::{ClientSecurity, Limits, ScopedName, ServerSecurity};

/// A service whose users have the password `secret`, and its limits.
fn served(limits: &str) -> (Served, Limits) {
    served_from(Store::in_memory(), limits)
}

fn served_from(store: Store, limits: &str) -> (Served, Limits) {
    let limits = Limits::new(limits.parse().unwrap());
    let security = ServerSecurity::builder()
        .realm("sky")
        .passwords(|_: &ScopedName, password: &[u8]| password == b"secret")
        .limits(limits.clone());
    let security = security.build().unwrap();
    let orb = Orb::builder().initializer(security.clone());
    (Served::with(orb, NamingService::builder().store(store).security(security)), limits)
}

/// The root context as a user sees it.
fn user(served: &Served, name: &str) -> (Orb, NamingContextExtRef) {
    let security = ClientSecurity::builder().user(name.parse().unwrap(), "secret").build();
    let orb = Orb::builder().initializer(security).build().unwrap();
    let reference = served.client.object_to_string(&served.root).unwrap();
    let root = orb.resolve(&reference).unwrap();
    (orb, root)
}

fn used_up<T: std::fmt::Debug, E: std::fmt::Debug>(outcome: Result<T, Error<E>>) {
    let Err(Error::System(refused)) = outcome else { panic!("{outcome:?}") };
    assert_eq!((refused.kind(), refused.completed()), (ExceptionKind::NoResources, Completion::No));
    assert_eq!(refused.minor(), Minor::SHARE_USED_UP);
}

#[test]
fn a_user_has_so_many_names_and_others_have_theirs() {
    let (served, limits) = served("user-bindings=2");
    let ((_ann_orb, ann), (_zoe_orb, zoe)) = (user(&served, "ann"), user(&served, "zoe"));
    let vega = object(&served.client, "vega");
    ann.bind(&name("a"), &vega).unwrap();
    ann.bind_new_context(&name("b")).unwrap();
    used_up(ann.bind(&name("c"), &vega));
    used_up(ann.bind_new_context(&name("c")));
    ann.rebind(&name("a"), &vega).unwrap();
    zoe.bind(&name("c"), &vega).unwrap();
    // Nobody in particular has no share.
    served.root.bind(&name("d"), &vega).unwrap();
    assert_eq!(limits.counts().user_bindings, 2);
    assert!(limits.to_prometheus().contains("armilla_limits_held{what=\"bindings\"} 3\n"));
    // What is unbound is given back, whoever does it.
    zoe.unbind(&name("a")).unwrap();
    ann.bind(&name("e"), &vega).unwrap();
    used_up(ann.bind(&name("f"), &vega));
    // Who binds a name anew has it.
    zoe.rebind(&name("e"), &vega).unwrap();
    ann.bind(&name("f"), &vega).unwrap();
    used_up(zoe.bind(&name("g"), &vega));
}

#[test]
fn names_that_go_by_themselves_are_given_back() {
    let (served, _) = served("user-bindings=1");
    let (_orb, ann) = user(&served, "ann");
    let vega = object(&served.client, "vega");
    ann.bind(&name("a"), &vega).unwrap();
    // As a rule about dead objects does, or another instance.
    let a = parse_name("a").unwrap();
    served.service.store().change(|tree| tree.unbind(ROOT, &a)).unwrap();
    ann.bind(&name("b"), &vega).unwrap();
    used_up(ann.bind(&name("c"), &vega));
}

#[test]
fn a_host_has_a_share_whoever_calls_from_it() {
    let (served, _) = served("bindings=2");
    let vega = object(&served.client, "vega");
    // Calls at the same-host endpoint are of no host: these go over TCP.
    let tcp = Orb::builder().settings(|it| it.same_host = armilla::SameHost::Off);
    let tcp = tcp.build().unwrap();
    let reference = served.client.object_to_string(&served.root).unwrap();
    let root: NamingContextExtRef = tcp.resolve(&reference).unwrap();
    root.bind(&name("a"), &vega).unwrap();
    root.bind(&name("b"), &vega).unwrap();
    used_up(root.bind(&name("c"), &vega));
    served.root.bind(&name("c"), &vega).unwrap();
    root.unbind(&name("a")).unwrap();
    root.bind(&name("d"), &vega).unwrap();
    assert_eq!(system(root.bind(&name("e"), &vega)), ExceptionKind::NoResources);
}

#[test]
fn whose_a_name_is_outlives_a_restart() {
    let directory = Directory::new("shares");
    let open = || served_from(Store::open(directory.path()).unwrap(), "user-bindings=3");
    {
        let (served, _) = open();
        let ((_ann_orb, ann), (_zoe_orb, zoe)) = (user(&served, "ann"), user(&served, "zoe"));
        let vega = object(&served.client, "vega");
        ann.bind(&name("a"), &vega).unwrap();
        ann.bind_new_context(&name("b")).unwrap();
        ann.bind(&name("b/c"), &vega).unwrap();
        zoe.bind(&name("z"), &vega).unwrap();
    }
    let (served, limits) = open();
    let ((_ann_orb, ann), (_zoe_orb, zoe)) = (user(&served, "ann"), user(&served, "zoe"));
    let vega = object(&served.client, "vega");
    assert!(limits.to_prometheus().contains("armilla_limits_held{what=\"bindings\"} 4\n"));
    used_up(ann.bind(&name("d"), &vega));
    ann.rebind(&name("a"), &vega).unwrap();
    zoe.bind(&name("d"), &vega).unwrap();
    ann.unbind(&name("b/c")).unwrap();
    ann.bind(&name("e"), &vega).unwrap();
    used_up(ann.bind(&name("f"), &vega));
    drop((served, ann, zoe));
    // A smaller limit takes nothing away.
    let (served, _) = served_from(Store::open(directory.path()).unwrap(), "user-bindings=1");
    let (_orb, ann) = user(&served, "ann");
    ann.rebind(&name("a"), &vega).unwrap();
    ann.unbind(&name("a")).unwrap();
    used_up(ann.bind(&name("a"), &vega));
}

#[test]
fn instances_that_share_names_share_what_is_bound() {
    let Some(cluster) = Cluster::start("shares") else { return };
    let start = || served_from(Store::shared(&cluster.address()).unwrap(), "user-bindings=2");
    let ((here, _), (there, _)) = (start(), start());
    let ((_a_orb, a), (_b_orb, b)) = (user(&here, "ann"), user(&there, "ann"));
    let vega = object(&here.client, "vega");
    a.bind(&name("a"), &vega).unwrap();
    b.bind(&name("b"), &vega).unwrap();
    // What is refused is decided by the tree of all, which an instance reads first.
    used_up(a.bind(&name("c"), &vega));
    used_up(b.bind(&name("c"), &vega));
    let (later, _) = start();
    let (_c_orb, c) = user(&later, "ann");
    used_up(c.bind(&name("c"), &vega));
    b.unbind(&name("a")).unwrap();
    c.bind(&name("c"), &vega).unwrap();
    used_up(a.bind(&name("d"), &vega));
}
