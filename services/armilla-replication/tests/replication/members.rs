//! Members in this process, each with an ORB of its own, and a client that calls their group.

use crate::savings::Savings;
use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption};
use armilla::{ExceptionKind, Orb};
use armilla_giop::FtRequest;
use armilla_log::{Log, Options};
use armilla_replication::model::{Failure, Limits, Role, View};
use armilla_replication::{
    GroupName, MemoryRegistry, Replica, ReplicaBuilder, Saved, Style, ViewRegistry,
};
use bank::bank::account::WithdrawRaises;
use bank::bank::{Account, AccountRef, InsufficientFunds};
use std::net::TcpListener;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// So long that no busy machine keeps a member from speaking for two of them.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);

/// Longer than anything takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Server {
    pub(crate) savings: Arc<Savings>,
    pub(crate) replica: Replica,
    pub(crate) orb: Orb,
}

impl Server {
    pub(crate) fn start(registry: &Arc<MemoryRegistry>, name: &str, style: Style) -> Self {
        Self::start_with(registry, 1, name, style, |it| it)
    }

    pub(crate) fn start_with(
        registry: &Arc<MemoryRegistry>,
        group: u64,
        name: &str,
        style: Style,
        more: impl FnOnce(ReplicaBuilder) -> ReplicaBuilder,
    ) -> Self {
        Self::start_as(registry, group, name, style, Arc::default(), more)
    }

    pub(crate) fn start_as(
        registry: &Arc<impl ViewRegistry + 'static>,
        group: u64,
        name: &str,
        style: Style,
        savings: Arc<Savings>,
        more: impl FnOnce(ReplicaBuilder) -> ReplicaBuilder,
    ) -> Self {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let servant: Arc<dyn Account> = savings.clone();
        let replica = Replica::builder(GroupName::new("bank", group), name)
            .registry(registry.clone())
            .style(style)
            .heartbeat(HEARTBEAT)
            .reply_log(Limits { entries: 1_000, ..Limits::default() });
        let replica = more(replica).start(&orb, savings.clone(), servant).unwrap();
        assert!(replica.wait_ready(PATIENCE));
        Self { savings, replica, orb }
    }

    /// Ends it without a word to the others.
    pub(crate) fn kill(self) {
        self.orb.shutdown();
        drop(self.replica);
    }
}

pub(crate) fn group(style: Style) -> (Arc<MemoryRegistry>, Vec<Server>) {
    let registry = Arc::<MemoryRegistry>::default();
    let servers = ["a", "b", "c"].map(|name| Server::start(&registry, name, style));
    (registry, servers.into())
}

pub(crate) fn client(server: &Server) -> (Orb, AccountRef) {
    let orb = Orb::new().unwrap();
    let account = orb.string_to_object(&server.replica.reference().unwrap()).unwrap().assume();
    (orb, account)
}

pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_account_outlives_two_of_its_three_servers_and_a_newcomer_gets_its_state() {
    for style in [Style::WarmPassive, Style::ColdPassive] {
        let (registry, mut servers) = group(style);
        let (_orb, account) = client(&servers[0]);
        for _ in 0..10 {
            account.deposit(1.0).unwrap();
        }
        assert_eq!(servers[0].savings.executed.load(Ordering::SeqCst), 10);
        assert_eq!(servers[1].savings.executed.load(Ordering::SeqCst), 0);
        servers.remove(0).kill();
        account.deposit(5.0).unwrap();
        assert_eq!(account.balance().unwrap(), 15.0);
        servers.push(Server::start(&registry, "d", style));
        servers.remove(0).kill();
        let error = account.withdraw(100.0).unwrap_err();
        assert!(matches!(
            error,
            armilla::Error::User(WithdrawRaises::InsufficientFunds(InsufficientFunds { missing }))
                if missing == 85.0
        ));
        servers.remove(0).kill();
        account.withdraw(5.0).unwrap();
        assert_eq!(account.balance().unwrap(), 10.0);
        let view = registry.read(&GroupName::new("bank", 1)).unwrap().unwrap();
        let names: Vec<_> = view.members.iter().map(|member| &*member.name).collect();
        assert_eq!(names, ["d"]);
        assert_eq!(servers[0].replica.role(), Role::Primary);
    }
}

#[test]
fn clients_that_know_an_old_group_are_told_of_the_new_one() {
    let (registry, mut servers) = group(Style::WarmPassive);
    let (_orb, account) = client(&servers[0]);
    // It knows the three of now; all of them go, one after the other.
    for name in ["d", "e", "f"] {
        servers.push(Server::start(&registry, name, Style::WarmPassive));
        servers.remove(0).kill();
        eventually("there is a new primary", || servers[0].replica.role() == Role::Primary);
        account.deposit(1.0).unwrap();
    }
    assert_eq!(account.balance().unwrap(), 3.0);
}

#[test]
fn a_request_may_take_longer_than_backups_are_patient() {
    let registry = Arc::<MemoryRegistry>::default();
    let servers = ["a", "b", "c"].map(|name| Server::start(&registry, name, Style::WarmPassive));
    let latest = || registry.read(&GroupName::new("bank", 1)).unwrap().unwrap();
    eventually("all are members", || latest().members.len() == 3);
    let before = latest();
    let (_orb, account) = client(&servers[0]);
    for server in &servers {
        *server.savings.work.lock().unwrap() = HEARTBEAT * 5;
    }
    account.deposit(1.0).unwrap();
    let executed = servers.each_ref().map(|it| it.savings.executed.load(Ordering::SeqCst));
    assert_eq!((latest(), executed), (before, [1, 0, 0]));
}

#[test]
fn a_group_goes_on_while_a_newcomer_takes_the_state_and_tells_it_what_it_has_missed() {
    let registry = Arc::<MemoryRegistry>::default();
    let style = Style::WarmPassive;
    let a = Server::start(&registry, "a", style);
    let b = Server::start(&registry, "b", style);
    let (_orb, account) = client(&a);
    account.deposit(1.0).unwrap();
    let latest = || registry.read(&GroupName::new("bank", 1)).unwrap().unwrap();
    let before = latest();
    let slow = Arc::<Savings>::default();
    // Longer than the primary waits for a backup, and than a backup may be silent.
    *slow.taking.lock().unwrap() = HEARTBEAT * 6;
    let ends = AtomicBool::new(false);
    let c = thread::scope(|scope| {
        let paying = scope.spawn(|| {
            while !ends.load(Ordering::SeqCst) {
                account.deposit(1.0).unwrap();
                thread::sleep(Duration::from_millis(20));
            }
        });
        let c = panic::catch_unwind(|| Server::start_as(&registry, 1, "c", style, slow, |it| it));
        ends.store(true, Ordering::SeqCst);
        paying.join().unwrap();
        c.unwrap()
    });
    let after = latest();
    assert_eq!((after.version, after.members.len()), (before.version + 1, 3));
    let balances = [&a, &b, &c].map(|server| *server.savings.balance.lock().unwrap());
    assert!(balances[0] > 20.0 && balances.iter().all(|it| *it == balances[0]), "{balances:?}");
}

/// Gives all requests the same identity.
struct SameRequest {
    expiration_time: u64,
}

impl ClientInterceptor for SameRequest {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        if request.operation() == "deposit" {
            let identity = FtRequest {
                client_id: "teller".into(),
                retention_id: 7,
                expiration_time: self.expiration_time,
            };
            let data = identity.to_data().unwrap();
            request.add_request_service_context(FtRequest::ID, &data, true)?;
        }
        Ok(())
    }
}

/// A client that sends the same request again and again, to a member and not to the group.
pub(crate) fn repeating(server: &Server, expiration_time: u64) -> (Orb, AccountRef) {
    let interceptor = SameRequest { expiration_time };
    let orb = Orb::builder().client_interceptor(interceptor).build().unwrap();
    let view = server.replica.view();
    let primary = view.primary().unwrap();
    let account = orb.string_to_object(&primary.object).unwrap().assume();
    (orb, account)
}

#[test]
fn a_request_that_is_sent_again_is_answered_from_the_log_also_by_the_next_primary() {
    let (_registry, mut servers) = group(Style::WarmPassive);
    {
        let (_orb, account) = repeating(&servers[0], u64::MAX);
        (0..3).for_each(|_| account.deposit(1.0).unwrap());
        assert_eq!(servers[0].savings.executed.load(Ordering::SeqCst), 1);
        assert_eq!(servers[0].replica.logged().1, 2);
    }
    servers.remove(0).kill();
    eventually("b is the primary", || servers[0].replica.role() == Role::Primary);
    let (_orb, account) = repeating(&servers[0], u64::MAX);
    account.deposit(1.0).unwrap();
    assert_eq!(servers[0].savings.executed.load(Ordering::SeqCst), 0);
    assert_eq!(account.balance().unwrap(), 1.0);
}

#[test]
fn a_request_that_has_expired_is_refused() {
    let (_registry, servers) = group(Style::WarmPassive);
    let (_orb, account) = repeating(&servers[0], 1);
    let error = account.deposit(1.0).unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::BadContext, "{error}");
    assert!(error.to_string().contains(" s ago"), "{error}");
    assert_eq!(servers[0].savings.executed.load(Ordering::SeqCst), 0);
}

#[test]
fn a_group_all_of_whose_members_have_died_comes_back_from_any_disk_of_the_latest_view() {
    let directory = std::env::temp_dir().join(format!("armilla-members-{}", std::process::id()));
    std::fs::remove_dir_all(&directory).ok();
    let registry = Arc::<MemoryRegistry>::default();
    for style in [Style::WarmPassive, Style::ColdPassive] {
        let on_disk = |name: &str| {
            let path = directory.join(format!("{style:?}-{name}"));
            Server::start_with(&registry, 1 + style as u64, name, style, |it| it.disk(path))
        };
        // A disk that others use may be slow: then a backup has to leave, and comes back.
        let both_are_in = || {
            let name = GroupName::new("bank", 1 + style as u64);
            let members = || registry.read(&name).unwrap().unwrap().members.len();
            eventually("both are members", || members() == 2);
        };
        let mut servers = vec![on_disk("a"), on_disk("b")];
        let (orb, account) = client(&servers[0]);
        account.deposit(5.0).unwrap();
        account.deposit(2.0).unwrap();
        both_are_in();
        servers.drain(..).for_each(Server::kill);
        orb.shutdown();
        // The one that was a backup is first.
        let b = on_disk("b");
        assert_eq!((b.replica.role(), *b.savings.balance.lock().unwrap()), (Role::Primary, 7.0));
        let (_orb, account) = client(&b);
        account.deposit(1.0).unwrap();
        // The other one knows less by now, and joins.
        let a = on_disk("a");
        assert_eq!(a.replica.role(), Role::Backup);
        account.deposit(1.0).unwrap();
        both_are_in();
        b.kill();
        account.deposit(1.0).unwrap();
        assert_eq!(account.balance().unwrap(), 10.0);
        a.kill();
        let a = on_disk("a");
        assert_eq!(*a.savings.balance.lock().unwrap(), 10.0);
        a.kill();
    }
    std::fs::remove_dir_all(&directory).ok();
}

#[test]
fn what_is_left_of_the_damaged_disk_of_the_last_member_is_saved() {
    let directory = std::env::temp_dir().join(format!("armilla-damaged-{}", std::process::id()));
    std::fs::remove_dir_all(&directory).ok();
    let registry = Arc::<MemoryRegistry>::default();
    let on_disk =
        || Server::start_with(&registry, 1, "a", Style::WarmPassive, |it| it.disk(&directory));
    let a = on_disk();
    let (orb, account) = client(&a);
    (0..5).for_each(|_| account.deposit(1.0).unwrap());
    a.kill();
    orb.shutdown();
    // The third of five deposits.
    let log = Log::open(&directory, Options::default()).unwrap();
    let records: Vec<_> = log.read_from(log.first()).map(|record| record.unwrap()).collect();
    let third = records[records.len() - 3].position.octets() as usize;
    drop(log);
    let segments = std::fs::read_dir(&directory).unwrap().map(|file| file.unwrap().path());
    let mut segments: Vec<_> =
        segments.filter(|path| path.extension() == Some("segment".as_ref())).collect();
    segments.sort();
    let damaged = segments.pop().unwrap();
    let mut octets = std::fs::read(&damaged).unwrap();
    octets[4096 + third + 40] ^= 1;
    std::fs::write(&damaged, octets).unwrap();

    let start = || {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let savings = Arc::new(Savings::default());
        let servant: Arc<dyn Account> = savings.clone();
        let builder = Replica::builder(GroupName::new("bank", 1), "a").registry(registry.clone());
        builder.disk(&directory).start(&orb, savings, servant).unwrap_err().to_string()
    };
    let said = start();
    assert!(said.contains("`armilla groups recover`") && said.contains("newcomer"), "{said}");
    let trial = armilla_replication::recover(&directory, true).unwrap();
    assert!(!trial.losses.is_empty() && trial.kept.is_none(), "{trial:?}");
    assert_eq!(start(), said, "a trial changes nothing");
    let recovered = armilla_replication::recover(&directory, false).unwrap();
    assert_eq!(recovered.saved, Saved::Requests(2), "{recovered:?}");
    assert!(recovered.losses.last().unwrap().contains("2 records behind request 2"));
    // Once more there is nothing to do.
    let again = armilla_replication::recover(&directory, false).unwrap();
    assert_eq!((again.saved, again.losses.len()), (Saved::Requests(2), 0));
    let a = on_disk();
    assert_eq!((a.replica.role(), *a.savings.balance.lock().unwrap()), (Role::Primary, 2.0));
    let (_orb, account) = client(&a);
    account.deposit(1.0).unwrap();
    a.kill();
    let a = on_disk();
    assert_eq!(*a.savings.balance.lock().unwrap(), 3.0);
    a.kill();
    std::fs::remove_dir_all(&directory).ok();
}

#[test]
fn a_backup_that_hangs_leaves_the_group() {
    let (registry, mut servers) = group(Style::WarmPassive);
    let (_orb, account) = client(&servers[0]);
    let hanging = servers.pop().unwrap();
    hanging.orb.shutdown();
    account.deposit(1.0).unwrap();
    let name = GroupName::new("bank", 1);
    let count = || registry.read(&name).unwrap().unwrap().members.len();
    eventually("two are left", || count() == 2);
}

/// A registry in which a member is elsewhere, once it is said to be lost.
struct Lost {
    registry: Arc<MemoryRegistry>,
    name: &'static str,
    peer: String,
    is_lost: AtomicBool,
}

impl ViewRegistry for Lost {
    fn read(&self, group: &GroupName) -> Result<Option<View>, Failure> {
        let mut view = self.registry.read(group)?;
        let members = view.iter_mut().flat_map(|view| &mut view.members);
        let lost = members.filter(|it| it.name == self.name && self.is_lost.load(Ordering::SeqCst));
        lost.for_each(|member| member.peer.clone_from(&self.peer));
        Ok(view)
    }

    fn replace(&self, group: &GroupName, before: u32, next: &View) -> Result<bool, Failure> {
        self.registry.replace(group, before, next)
    }

    fn groups(&self) -> Result<Vec<(GroupName, View)>, Failure> {
        self.registry.groups()
    }

    fn forget(&self, group: &GroupName, version: u32) -> Result<bool, Failure> {
        self.registry.forget(group, version)
    }
}

#[test]
fn a_primary_that_speaks_and_cannot_be_reached_or_takes_no_call_is_replaced() {
    // The one refuses connections, at the other nothing ever answers.
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = |listener: &TcpListener| listener.local_addr().unwrap();
    let gone = place(&TcpListener::bind("127.0.0.1:0").unwrap());
    for (number, place) in [(1, gone), (2, place(&mute))] {
        let registry = Arc::<MemoryRegistry>::default();
        let (peer, is_lost) = (format!("corbaloc::{place}/peer"), AtomicBool::new(false));
        let lost = Arc::new(Lost { registry: registry.clone(), name: "a", peer, is_lost });
        let style = Style::WarmPassive;
        // Questions that are not answered take a while.
        let soon = |it: ReplicaBuilder| it.heartbeat(Duration::from_millis(200));
        let a = Server::start_with(&registry, number, "a", style, soon);
        let b = Server::start_as(&lost, number, "b", style, Arc::default(), soon);
        let (_orb, account) = client(&a);
        account.deposit(1.0).unwrap();
        lost.is_lost.store(true, Ordering::SeqCst);
        // A backup looks at the registry when it hears of a view.
        drop(Server::start_with(&registry, number, "c", style, |it| it));
        eventually("b leads", || b.replica.role() == Role::Primary);
        eventually("a has heard of it", || a.replica.role() != Role::Primary);
        account.deposit(1.0).unwrap();
        assert_eq!(*b.savings.balance.lock().unwrap(), 2.0);
    }
}
