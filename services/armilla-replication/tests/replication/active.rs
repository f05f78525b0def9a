//! Groups all of whose members execute each request.

use crate::members::{HEARTBEAT, PATIENCE, Server, client, eventually, group, repeating};
use armilla::{Error, Orb, SystemException};
use armilla_replication::{
    Checkpointable, GroupName, MemoryRegistry, Replica, ReplicaBuilder, StateError, Style,
    ViewRegistry,
};
use bank::bank::account::WithdrawRaises;
use bank::bank::{Account, AccountRef};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

fn executed(servers: &[Server]) -> Vec<u32> {
    servers.iter().map(|it| it.savings.executed.load(Ordering::SeqCst)).collect()
}

#[test]
fn every_member_executes_each_request_once_and_answers_from_its_own_log() {
    let (registry, mut servers) = group(Style::Active);
    {
        let (_orb, account) = client(&servers[0]);
        (0..10).for_each(|_| account.deposit(1.0).unwrap());
        account.withdraw(100.0).unwrap_err();
        assert_eq!(executed(&servers), [11; 3]);
        let (_orb, account) = repeating(&servers[0], u64::MAX);
        (0..3).for_each(|_| account.deposit(1.0).unwrap());
        assert_eq!(executed(&servers), [12; 3]);
    }
    servers.remove(0).kill();
    eventually("b leads", || servers[0].replica.view().primary().map(|it| &*it.name) == Some("b"));
    let (_orb, account) = repeating(&servers[0], u64::MAX);
    account.deposit(1.0).unwrap();
    assert_eq!(executed(&servers), [12; 2], "it was answered from the log");
    // A newcomer takes the state, and executes what follows.
    servers.push(Server::start(&registry, "d", Style::Active));
    let (_orb, account) = client(&servers[0]);
    account.withdraw(1.0).unwrap();
    assert_eq!(executed(&servers), [13, 13, 1]);
    let balances = servers.iter().map(|it| *it.savings.balance.lock().unwrap());
    assert_eq!(balances.collect::<Vec<_>>(), [10.0; 3]);
}

#[test]
fn with_disks_requests_are_executed_again_after_all_have_died() {
    let directory = std::env::temp_dir().join(format!("armilla-active-{}", std::process::id()));
    std::fs::remove_dir_all(&directory).ok();
    let registry = Arc::<MemoryRegistry>::default();
    let on_disk = |name: &str| {
        let path = directory.join(name);
        Server::start_with(&registry, 1, name, Style::Active, |it| it.disk(path))
    };
    let mut servers = vec![on_disk("a"), on_disk("b")];
    let (orb, account) = repeating(&servers[0], u64::MAX);
    account.deposit(5.0).unwrap();
    orb.shutdown();
    let members = || registry.read(&GroupName::new("bank", 1)).unwrap().unwrap().members.len();
    eventually("both are members", || members() == 2);
    servers.drain(..).for_each(Server::kill);
    let b = on_disk("b");
    assert_eq!(*b.savings.balance.lock().unwrap(), 5.0);
    let (_orb, account) = repeating(&b, u64::MAX);
    account.deposit(5.0).unwrap();
    assert_eq!(*b.savings.balance.lock().unwrap(), 5.0, "it was answered from the log");
    b.kill();
    std::fs::remove_dir_all(&directory).ok();
}

/// An account that passes deposits on to another one, and that may be in a mood.
struct Passing {
    to: AccountRef,
    passed: AtomicU32,
    mood: f64,
}

impl Account for Passing {
    fn balance(&self) -> Result<f64, SystemException> {
        Ok(f64::from(self.passed.load(Ordering::SeqCst)) + self.mood)
    }

    fn deposit(&self, amount: f64) -> Result<(), SystemException> {
        self.passed.fetch_add(1, Ordering::SeqCst);
        self.to.deposit(amount)?;
        self.to.deposit(amount)
    }

    fn withdraw(&self, _: f64) -> Result<(), Error<WithdrawRaises>> {
        Ok(())
    }
}

impl Checkpointable for Passing {
    fn state(&self) -> Result<Vec<u8>, StateError> {
        Ok(self.passed.load(Ordering::SeqCst).to_le_bytes().into())
    }

    fn set_state(&self, state: &[u8]) -> Result<(), StateError> {
        let octets = state.try_into().map_err(|_| StateError::new("not four octets"))?;
        self.passed.store(u32::from_le_bytes(octets), Ordering::SeqCst);
        Ok(())
    }
}

/// A member of group 2, whose accounts pass deposits on.
fn passing(
    registry: &Arc<MemoryRegistry>,
    to: &str,
    name: &str,
    mood: f64,
) -> (Orb, Arc<Passing>, Replica) {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let (object, replica) = passing_in(&orb, registry, to, name, mood, |it| it);
    (orb, object, replica)
}

/// The same in an ORB that has other objects, too.
fn passing_in(
    orb: &Orb,
    registry: &Arc<MemoryRegistry>,
    to: &str,
    name: &str,
    mood: f64,
    more: impl FnOnce(ReplicaBuilder) -> ReplicaBuilder,
) -> (Arc<Passing>, Replica) {
    let to = orb.string_to_object(to).unwrap().assume();
    let object = Arc::new(Passing { to, passed: AtomicU32::new(0), mood });
    let servant: Arc<dyn Account> = object.clone();
    let replica = Replica::builder(GroupName::new("bank", 2), name)
        .registry(registry.clone())
        .style(Style::Active)
        .heartbeat(HEARTBEAT);
    let replica = more(replica).start(orb, object.clone(), servant).unwrap();
    assert!(replica.wait_ready(PATIENCE));
    (object, replica)
}

#[test]
fn what_all_members_ask_of_another_group_is_done_once() {
    let (registry, servers) = group(Style::WarmPassive);
    let to = servers[0].replica.reference().unwrap();
    let members = ["x", "y", "z"].map(|name| passing(&registry, &to, name, 0.0));
    let client = Orb::new().unwrap();
    let account: AccountRef =
        client.string_to_object(&members[0].2.reference().unwrap()).unwrap().assume();
    (0..5).for_each(|_| account.deposit(1.0).unwrap());
    let passed = members.each_ref().map(|(_, object, _)| object.passed.load(Ordering::SeqCst));
    assert_eq!(passed, [5; 3], "each member has executed each");
    assert_eq!(executed(&servers), [10, 0, 0]);
    assert_eq!(servers[0].replica.logged().1, 20, "the others were answered from the log");
}

/// An account that takes its time, and counts who is at work in all members.
struct Slow {
    at_work: Arc<AtomicU32>,
    most: Arc<AtomicU32>,
}

impl Account for Slow {
    fn balance(&self) -> Result<f64, SystemException> {
        Ok(0.0)
    }

    fn deposit(&self, _: f64) -> Result<(), SystemException> {
        let at_work = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(at_work, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(10));
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }

    fn withdraw(&self, _: f64) -> Result<(), Error<WithdrawRaises>> {
        Ok(())
    }
}

impl Checkpointable for Slow {
    fn state(&self) -> Result<Vec<u8>, StateError> {
        Ok(Vec::new())
    }

    fn set_state(&self, _: &[u8]) -> Result<(), StateError> {
        Ok(())
    }
}

#[test]
fn backups_that_take_long_work_side_by_side() {
    let registry = Arc::<MemoryRegistry>::default();
    let (at_work, most) = <(Arc<AtomicU32>, Arc<AtomicU32>)>::default();
    let members = ["x", "y", "z"].map(|name| {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let object = Arc::new(Slow { at_work: at_work.clone(), most: most.clone() });
        let servant: Arc<dyn Account> = object.clone();
        let replica = Replica::builder(GroupName::new("bank", 3), name)
            .registry(registry.clone())
            .style(Style::Active)
            .heartbeat(HEARTBEAT);
        let replica = replica.start(&orb, object, servant).unwrap();
        assert!(replica.wait_ready(PATIENCE));
        (orb, replica)
    });
    let client = Orb::new().unwrap();
    let account: AccountRef =
        client.string_to_object(&members[0].1.reference().unwrap()).unwrap().assume();
    eventually("two are at work at once", || {
        account.deposit(1.0).unwrap();
        most.load(Ordering::SeqCst) == 2
    });
}

#[test]
fn groups_that_share_their_processes_are_called_once() {
    let (registry, servers) = group(Style::WarmPassive);
    let to = servers[0].replica.reference().unwrap();
    let members: Vec<_> = servers
        .iter()
        .zip(["x", "y", "z"])
        .map(|(server, name)| passing_in(&server.orb, &registry, &to, name, 0.0, |it| it))
        .collect();
    let client = Orb::new().unwrap();
    let account: AccountRef =
        client.string_to_object(&members[0].1.reference().unwrap()).unwrap().assume();
    (0..5).for_each(|_| account.deposit(1.0).unwrap());
    assert_eq!(executed(&servers), [10, 0, 0]);
}

#[test]
fn with_disks_the_calls_that_requests_have_made_are_not_made_again() {
    let directory =
        std::env::temp_dir().join(format!("armilla-active-calls-{}", std::process::id()));
    std::fs::remove_dir_all(&directory).ok();
    let (registry, others) = (Arc::<MemoryRegistry>::default(), Arc::<MemoryRegistry>::default());
    let called = Server::start(&others, "a", Style::WarmPassive);
    let start = |to: &Server, name: &str| {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let (to, path) = (to.replica.reference().unwrap(), directory.join(name));
        let (object, replica) = passing_in(&orb, &registry, &to, name, 0.0, |it| it.disk(path));
        (orb, object, replica)
    };
    let members = ["x", "y"].map(|name| start(&called, name));
    let latest = || registry.read(&GroupName::new("bank", 2)).unwrap().unwrap().members.len();
    eventually("both are members", || latest() == 2);
    let client = Orb::new().unwrap();
    let account: AccountRef =
        client.string_to_object(&members[0].2.reference().unwrap()).unwrap().assume();
    (0..3).for_each(|_| account.deposit(1.0).unwrap());
    // What calls nobody is executed again, and comes between.
    account.withdraw(1.0).unwrap();
    account.deposit(1.0).unwrap();
    assert_eq!(executed(&[called]), [8]);
    for (orb, _, replica) in members {
        orb.shutdown();
        drop(replica);
    }
    // Whoever would be called now has never heard of it.
    let called = Server::start(&Arc::default(), "a", Style::WarmPassive);
    let back = ["y", "x"].map(|name| start(&called, name));
    let passed = back.each_ref().map(|(_, object, _)| object.passed.load(Ordering::SeqCst));
    assert_eq!((passed, executed(&[called])), ([4; 2], vec![0]));
    std::fs::remove_dir_all(&directory).ok();
}

#[test]
fn a_member_that_replies_something_else_leaves_and_begins_anew() {
    let (registry, servers) = group(Style::WarmPassive);
    let to = servers[0].replica.reference().unwrap();
    let members = [("x", 0.0), ("y", 0.0), ("z", 0.5)]
        .map(|(name, mood)| passing(&registry, &to, name, mood));
    let latest = || registry.read(&GroupName::new("bank", 2)).unwrap().unwrap();
    let before = latest();
    let client = Orb::new().unwrap();
    let account: AccountRef =
        client.string_to_object(&members[0].2.reference().unwrap()).unwrap().assume();
    account.deposit(1.0).unwrap();
    assert_eq!(latest(), before);
    assert_eq!(account.balance().unwrap(), 1.0);
    assert!(latest().version > before.version, "z was taken out");
    eventually("z is back", || latest().member("z").is_some());
}
