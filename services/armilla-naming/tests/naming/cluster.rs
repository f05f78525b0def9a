//! Several instances that share one tree in an etcd cluster: they agree, and survive the loss of any
//! member and of any instance. The members are real.
//!
//! `services/armilla-naming/cluster-rounds` runs the last test longer.

use crate::etcd;
use crate::killing;
use crate::served;
use armilla::Orb;
use armilla_cos_naming::{NamingContext, NamingContextExtRef};
use armilla_naming::model::{Bind, Decision, NamingError, ROOT, Target, parse_name};
use armilla_naming::{ChangeError, ClusterUser, NamingService, Store};
use etcd::Cluster;
use killing::{Binder, CLIENTS, number, open, start, stored};
use served::{name, object};
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

fn bind(store: &Store, text: &str) -> Result<Decision, ChangeError> {
    let target = Target::Object(text.as_bytes().into());
    let name = parse_name(text).unwrap();
    store.change(|tree| tree.bind(ROOT, &name, target.clone(), Bind::New, 7))
}

fn unbind(store: &Store, text: &str) -> Result<Decision, ChangeError> {
    let name = parse_name(text).unwrap();
    store.change(|tree| tree.unbind(ROOT, &name))
}

fn bind_context(store: &Store, text: &str) -> Result<Decision, ChangeError> {
    let name = parse_name(text).unwrap();
    store.change(|tree| tree.bind_new_context(ROOT, &name, 7))
}

const ALREADY_BOUND: ChangeError = ChangeError::Naming(NamingError::AlreadyBound);

#[test]
fn a_cluster_that_asks_for_a_user_gets_one() {
    let Some(mut cluster) = Cluster::start("user") else { return };
    for arguments in [
        &["user", "add", "root:main"][..],
        &["user", "grant-role", "root", "root"],
        &["role", "add", "names"],
        &["role", "grant-permission", "names", "--prefix=true", "readwrite", "test/"],
        &["user", "add", "names:secret"],
        &["user", "grant-role", "names", "names"],
        &["auth", "enable"],
    ] {
        cluster.control(arguments);
    }
    let address = cluster.address();
    assert!(Store::shared(&address).unwrap_err().to_string().contains("user name"));
    let wrong = Store::shared_as(&address, ClusterUser::new("names", "wrong")).unwrap_err();
    assert!(wrong.to_string().contains("invalid user ID or password"), "{wrong}");
    let user = || ClusterUser::new("names", "secret");
    assert!(!format!("{:?}", user()).contains("secret"));
    let open = || Store::shared_as(&address, user()).unwrap();
    let (a, b) = (open(), open());
    bind(&a, "vega").unwrap();
    assert_eq!(bind(&b, "vega"), Err(ALREADY_BOUND));
    // With the members goes what they know of users that have said their password.
    (0..3).for_each(|member| cluster.kill_member(member));
    (0..3).for_each(|member| cluster.start_member(member));
    bind(&a, "deneb").unwrap();
    assert_eq!(bind(&b, "deneb"), Err(ALREADY_BOUND));
    bind(&b, "altair").unwrap();
    assert_eq!(bind(&a, "altair"), Err(ALREADY_BOUND));
}

#[test]
fn a_password_is_read_from_a_file_that_not_everybody_can_read() {
    let directory = served::Directory::new("password");
    fs::create_dir_all(directory.path()).unwrap();
    let file = directory.path().join("user");
    let read = |text: &str, mode| {
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        ClusterUser::read(&file).map_err(|error| error.to_string())
    };
    assert!(read("names:se:cret\n", 0o600).is_ok());
    assert!(read("names:secret", 0o644).unwrap_err().contains("every user can read"));
    assert!(read("secret\n", 0o600).unwrap_err().contains("NAME:PASSWORD"));
    assert!(ClusterUser::read(directory.path().join("absent")).is_err());
}

#[test]
fn a_cluster_that_says_nothing_is_not_waited_for_without_end() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("etcd://{}", silent.local_addr().unwrap());
    for user in [None, Some(ClusterUser::new("names", "secret"))] {
        let refused = Store::shared_as(&address, user).unwrap_err().to_string();
        assert!(refused.contains("no member of the etcd cluster has answered"), "{refused}");
    }
}

#[test]
fn a_cluster_that_goes_away_fails_changes_and_the_check_at_once_and_comes_back() {
    let Some(mut cluster) = Cluster::start("away") else { return };
    let store = open(&cluster.address());
    bind(&store, "vega").unwrap();
    assert_eq!(store.check(), Ok(()));
    (0..3).for_each(|member| cluster.kill_member(member));
    for turn in 0..3 {
        let begun = std::time::Instant::now();
        let error = match bind(&store, &format!("deneb{turn}")) {
            Err(ChangeError::Store(error)) => error.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(error.contains("etcd") && error.contains("listens"), "{error}");
        // It was ten seconds; a loaded machine is slow.
        assert!(begun.elapsed() < std::time::Duration::from_secs(8), "{:?}", begun.elapsed());
        while store.check().is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert!(store.check().unwrap_err().to_string().contains("etcd"));
    }
    assert_eq!(store.read().bindings(), 1, "what was refused is not there");
    (0..3).for_each(|member| cluster.start_member(member));
    while store.check().is_err() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    bind(&store, "altair").unwrap();
}

#[test]
fn an_instance_decides_on_what_all_have_changed() {
    let Some(cluster) = Cluster::start("agree") else { return };
    let (a, b) = (open(&cluster.address()), open(&cluster.address()));
    for turn in 0..20 {
        // Each decision needs what the other instance has just done.
        bind(&a, "vega").unwrap();
        assert_eq!(bind(&b, "vega"), Err(ALREADY_BOUND), "turn {turn}");
        unbind(&b, "vega").unwrap();
        bind(&b, "vega").unwrap();
        unbind(&a, "vega").unwrap();
    }
    bind_context(&a, "a").unwrap();
    bind(&b, "a/altair").unwrap();
    let destroyed = a.change(|tree| tree.destroy(armilla_naming::model::ContextId(1)));
    assert_eq!(destroyed, Err(ChangeError::Naming(NamingError::NotEmpty)));
    // One that begins later has it all.
    let c = open(&cluster.address());
    assert_eq!(bind(&c, "a/altair"), Err(ALREADY_BOUND));
    assert_eq!((c.read().bindings(), c.read().contexts()), (2, 2));
}

#[test]
fn of_instances_that_bind_a_name_at_the_same_time_one_does() {
    let Some(cluster) = Cluster::start("race") else { return };
    let stores = [open(&cluster.address()), open(&cluster.address())];
    let bound = AtomicUsize::new(0);
    let contexts = AtomicUsize::new(0);
    thread::scope(|scope| {
        for client in 0..8 {
            let (store, bound, contexts) = (&stores[client % 2], &bound, &contexts);
            scope.spawn(move || {
                for number in 0..25 {
                    match bind(store, &format!("n{number}")) {
                        Ok(_) => drop(bound.fetch_add(1, Ordering::Relaxed)),
                        Err(error) => assert_eq!(error, ALREADY_BOUND),
                    }
                    match bind_context(store, &format!("c{number}")) {
                        Ok(_) => drop(contexts.fetch_add(1, Ordering::Relaxed)),
                        Err(error) => assert_eq!(error, ALREADY_BOUND),
                    }
                }
            });
        }
    });
    assert_eq!((bound.into_inner(), contexts.into_inner()), (25, 25));
    for store in stores {
        // A refused change has seen everything.
        assert_eq!(bind(&store, "n0"), Err(ALREADY_BOUND));
        assert_eq!((store.read().bindings(), store.read().contexts()), (50, 26));
    }
}

#[test]
fn damage_is_refused_with_its_place() {
    let Some(cluster) = Cluster::start("damage") else { return };
    let store = open(&cluster.address());
    bind(&store, "vega").unwrap();
    drop(store);
    cluster.control(&["put", "test/b/0000000000000000/what", "no binding"]);
    let refused = Store::shared(&cluster.address()).unwrap_err().to_string();
    assert!(refused.contains("test/b/0000000000000000/what"), "{refused}");
    assert!(refused.contains("at revision"), "{refused}");
    cluster.control(&["del", "test/b/0000000000000000/what"]);
    assert_eq!(open(&cluster.address()).read().bindings(), 1);
    cluster.control(&["put", "test/head", "99 1"]);
    let refused = Store::shared(&cluster.address()).unwrap_err().to_string();
    assert!(refused.contains("format 99"), "{refused}");
}

#[test]
fn what_the_cluster_has_forgotten_is_read_again() {
    let Some(cluster) = Cluster::start("compacted") else { return };
    let (a, b) = (open(&cluster.address()), open(&cluster.address()));
    for number in 0..30 {
        bind(&a, &format!("n{number}")).unwrap();
    }
    cluster.control(&["compact", "20"]);
    bind(&a, "last").unwrap();
    assert_eq!(bind(&b, "last"), Err(ALREADY_BOUND));
    assert_eq!(b.read().bindings(), 31);
}

#[test]
fn references_to_contexts_outlive_an_instance() {
    let Some(cluster) = Cluster::start("references") else { return };
    let free = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = free.map(|listener| listener.local_addr().unwrap().to_string());
    let instance = |own: &str, other: &str| {
        let orb = Orb::builder().listen(&format!("iiop://{own}")).unwrap();
        let orb = orb.publish_address(own).unwrap().publish_address(other).unwrap();
        let orb = orb.build().unwrap();
        let store = open(&cluster.address());
        let service = NamingService::builder().store(store).serve(&orb).unwrap();
        orb.perform_work().unwrap();
        (orb, service)
    };
    let [one, two] = &addresses;
    let (first, second) = (instance(one, two), instance(two, one));
    let client = Orb::new().unwrap();
    let url = format!("corbaloc::{one},:{two}/NameService");
    let root: NamingContextExtRef = client.resolve(&url).unwrap();
    let a = root.bind_new_context(&name("a")).unwrap();
    a.bind(&name("vega"), &object(&client, "vega")).unwrap();
    first.0.shutdown();
    a.bind(&name("altair"), &object(&client, "altair")).unwrap();
    assert!(a.resolve(&name("vega")).is_ok());
    assert!(root.resolve(&name("a/altair")).is_ok());
    second.0.shutdown();
}

/// Instances of the service in processes of their own.
struct Instances {
    address: String,
    running: Mutex<Vec<Child>>,
    urls: Mutex<Vec<String>>,
}

impl Instances {
    fn start(address: String, count: usize) -> Self {
        let (running, urls) = (0..count).map(|_| start(&address)).unzip();
        Self { address, running: Mutex::new(running), urls: Mutex::new(urls) }
    }

    fn url(&self, index: usize) -> String {
        let urls = self.urls.lock().unwrap();
        urls[index % urls.len()].clone()
    }

    /// Kills an instance, and starts another one in its place.
    fn replace(&self, index: usize) {
        let mut running = self.running.lock().unwrap();
        running[index].kill().unwrap();
        running[index].wait().unwrap();
        let (child, url) = start(&self.address);
        running[index] = child;
        self.urls.lock().unwrap()[index] = url;
    }
}

impl Drop for Instances {
    fn drop(&mut self) {
        for child in self.running.lock().unwrap().iter_mut() {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// Binds names until told to stop, each by another instance when one is lost.
fn bind_by_all(instances: &Instances, client: usize, stop: &AtomicBool) -> BTreeSet<String> {
    let mut acknowledged = BTreeSet::new();
    let (mut instance, mut number) = (client, 0);
    let mut binder = None;
    while !stop.load(Ordering::Relaxed) {
        binder = binder.or_else(|| Binder::new(&instances.url(instance)));
        let text = format!("c{client}-{number}");
        number += 1;
        if binder.as_ref().is_some_and(|binder| binder.bind(&text)) {
            acknowledged.insert(text);
        } else {
            binder = None;
            instance += 1;
        }
    }
    acknowledged
}

/// Resolves a name until told to stop, by another instance when one is lost. Returns the longest
/// time without an answer.
fn resolve_by_all(instances: &Instances, stop: &AtomicBool) -> Duration {
    let orb = Orb::new().unwrap();
    let (mut instance, mut root, mut longest) = (0, None, Duration::ZERO);
    let mut last = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        root = root.or_else(|| orb.resolve(&instances.url(instance)).ok());
        let here = |root: &NamingContextExtRef| root.resolve(&name("always")).is_ok();
        if root.as_ref().is_some_and(here) {
            longest = longest.max(last.elapsed());
            last = Instant::now();
        } else {
            root = None;
            instance += 1;
        }
    }
    longest.max(last.elapsed())
}

#[test]
fn nothing_acknowledged_is_lost_with_any_member_or_instance() {
    let Some(mut cluster) = Cluster::start("kills") else { return };
    let rounds = number("ARMILLA_CLUSTER_ROUNDS", 3);
    let instances = Instances::start(cluster.address(), 3);
    let stop = AtomicBool::new(false);
    assert!(Binder::new(&instances.url(0)).unwrap().bind("always"));
    let (acknowledged, silence): (BTreeSet<String>, _) = thread::scope(|scope| {
        let (instances, stop) = (&instances, &stop);
        let resolver = scope.spawn(move || resolve_by_all(instances, stop));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| scope.spawn(move || bind_by_all(instances, client, stop)))
            .collect();
        for round in 0..rounds {
            cluster.kill_member(round % 3);
            instances.replace((round + 1) % 3);
            // Two members of three can commit.
            let binder = Binder::new(&instances.url(round + 1)).unwrap();
            let mut turns = (0..).map(|turn| format!("r{round}-{turn}1"));
            assert!(turns.by_ref().take(100).any(|text| binder.bind(&text)), "round {round}");
            cluster.start_member(round % 3);
        }
        stop.store(true, Ordering::Relaxed);
        let acknowledged = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
        (acknowledged, resolver.join().unwrap())
    });
    drop(instances);
    let stored = stored(&open(&cluster.address()));
    let lost: Vec<_> = acknowledged.difference(&stored).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(!acknowledged.is_empty());
    let (kept, all, silent) = (acknowledged.len(), stored.len(), silence.as_millis());
    println!("{rounds} rounds, {kept} acknowledged, {all} stored, {silent} ms without a resolve");
}
