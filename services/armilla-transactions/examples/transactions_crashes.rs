//! Our transactions with Narayana. Its process is killed between the votes and the decision, or
//! between the decision and its delivery, and comes back; then the same is done to our root.
//!
//! ```text
//! transactions_crashes DIRECTORY CLASSPATH
//! transactions_crashes root DIRECTORY ADDRESS WHEN FACTORY RESOURCE RESOURCE RESOURCE
//! transactions_crashes root DIRECTORY ADDRESS
//! ```
//!
//! Prints a line for each case: what the client is told, and what each resource.

use armilla::{Error, Orb, SystemException};
use armilla_transactions::corba::resource::{
    CommitOnePhaseRaises, CommitRaises, PrepareRaises, RollbackRaises,
};
use armilla_transactions::corba::{
    self, Control, ControlRef, Coordinator, CoordinatorRef, ResourceRef, Terminator,
    TransactionFactory, TransactionFactoryRef, resource,
};
use armilla_transactions::model::{Backoff, Key, Kind, Options, Record, Vote};
use armilla_transactions::{
    DiskJournal, Journal, MemoryJournal, Resource, ResourceError, Transactions,
};
use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

/// For how long something may take that is to happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// Narayana's transaction service, in a process that can be killed, and its recovery manager in
/// another: only so does the service write down how the recovery manager asks whether it is alive.
struct Narayana {
    directory: PathBuf,
    classpath: String,
    ports: [u16; 2],
    service: Mutex<Option<Child>>,
    recovery: Mutex<Option<Child>>,
}

impl Narayana {
    fn new(directory: PathBuf, classpath: String) -> Result<Self, Failure> {
        let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0"));
        let mut ports = [0; 2];
        for (port, listener) in ports.iter_mut().zip(listeners) {
            *port = listener?.local_addr()?.port();
        }
        let (service, recovery) = (Mutex::default(), Mutex::default());
        let narayana = Self { directory, classpath, ports, service, recovery };
        let manager = narayana.run("com.arjuna.ats.arjuna.recovery.RecoveryManager")?;
        *narayana.recovery.lock().unwrap() = Some(manager);
        Ok(narayana)
    }

    /// Starts a program of Narayana, and waits until it is ready.
    fn run(&self, class: &str) -> Result<Child, Failure> {
        let log = self.directory.join(class);
        let property = |name: &str, value: &str| format!("-D{name}={value}");
        let store = self.directory.join("store").display().to_string();
        let [recovery, listener] = self.ports.map(|port| port.to_string());
        let process = Command::new("java")
            .current_dir(&self.directory)
            .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"])
            .arg(property("ObjectStoreEnvironmentBean.objectStoreDir", &store))
            .arg(property("CoreEnvironmentBean.nodeIdentifier", "check"))
            .arg(property("JTSEnvironmentBean.transactionServiceId", "0"))
            .arg(property("JTSEnvironmentBean.recoveryManagerPort", &recovery))
            .arg(property("RecoveryEnvironmentBean.recoveryPort", &listener))
            .arg(property("RecoveryEnvironmentBean.periodicRecoveryPeriod", "2"))
            .arg(property("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1"))
            .args(["-cp", &self.classpath, class, "-test"])
            .stdin(Stdio::null())
            .stdout(fs::File::create(&log)?)
            .stderr(fs::File::options().append(true).create(true).open(self.directory.join("err"))?)
            .spawn()?;
        let is_ready = || {
            let text = fs::read_to_string(&log).unwrap_or_default();
            text.contains("Ready") || text.contains("ready")
        };
        await_that("Narayana is ready", is_ready)?;
        Ok(process)
    }

    /// Starts the service, and returns the reference of its factory.
    fn start(&self) -> Result<String, Failure> {
        let references = self.directory.join("CosServices.cfg");
        fs::remove_file(&references).ok();
        *self.service.lock().unwrap() = Some(self.run("com.arjuna.ats.jts.TransactionServer")?);
        let text = fs::read_to_string(references)?;
        let reference = text.split_whitespace().find(|word| word.starts_with("IOR:"));
        Ok(reference.ok_or("no reference of a factory")?.to_owned())
    }

    fn kill(&self) {
        kill(&self.service);
    }
}

fn kill(process: &Mutex<Option<Child>>) {
    if let Some(mut process) = process.lock().unwrap().take() {
        process.kill().ok();
        process.wait().ok();
    }
}

impl Drop for Narayana {
    fn drop(&mut self) {
        kill(&self.service);
        kill(&self.recovery);
    }
}

fn await_that(what: &str, mut holds: impl FnMut() -> bool) -> Result<(), Failure> {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        if Instant::now() > end {
            return Err(format!("{what}: not within {PATIENCE:?}").into());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// What is done when a word is heard.
type Deed = Arc<dyn Fn() + Send + Sync>;

/// Notes what it is told.
#[derive(Clone)]
struct Noting {
    told: Arc<Mutex<Vec<&'static str>>>,
    /// Kills Narayana at this word, if it is the time.
    kills: Option<(&'static str, Deed)>,
}

impl Noting {
    fn new() -> Self {
        Self { told: Arc::default(), kills: None }
    }

    fn note(&self, what: &'static str) {
        self.told.lock().unwrap().push(what);
        if let Some((_, kill)) = self.kills.as_ref().filter(|(word, _)| *word == what) {
            kill();
        }
    }

    fn was_told(&self, what: &str) -> bool {
        self.told.lock().unwrap().contains(&what)
    }

    /// What it was told; twice the same is once.
    fn shown(&self) -> String {
        let mut told = self.told.lock().unwrap().clone();
        told.dedup();
        format!(" [{}]", told.join(" "))
    }
}

/// As one of a program, below a coordinator of ours.
impl Resource for Noting {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        self.note("prepare");
        Ok(Vote::Commit)
    }

    fn commit(&self) -> Result<(), ResourceError> {
        self.note("commit");
        Ok(())
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        self.note("rollback");
        Ok(())
    }
}

/// As one that a coordinator of Narayana calls.
struct Called(Noting);

impl corba::Resource for Called {
    fn prepare(&self) -> Result<corba::Vote, Error<PrepareRaises>> {
        self.0.note("prepare");
        Ok(corba::Vote::VoteCommit)
    }

    fn rollback(&self) -> Result<(), Error<RollbackRaises>> {
        self.0.note("rollback");
        Ok(())
    }

    fn commit(&self) -> Result<(), Error<CommitRaises>> {
        self.0.note("commit");
        Ok(())
    }

    fn commit_one_phase(&self) -> Result<(), Error<CommitOnePhaseRaises>> {
        self.0.note("commit_one_phase");
        Ok(())
    }

    fn forget(&self) -> Result<(), SystemException> {
        self.0.note("forget");
        Ok(())
    }
}

/// A log that kills Narayana once a decision to commit is in it.
struct Deadly {
    records: MemoryJournal,
    armed: AtomicBool,
    narayana: Arc<Narayana>,
}

impl Journal for Deadly {
    fn force(&self, record: &Record) -> io::Result<()> {
        self.records.force(record)?;
        if matches!(record.kind, Kind::Committed { .. })
            && self.armed.swap(false, Ordering::Relaxed)
        {
            self.narayana.kill();
        }
        Ok(())
    }

    fn append(&self, record: &Record) -> io::Result<()> {
        self.records.append(record)
    }

    fn read(&self) -> io::Result<Vec<Record>> {
        self.records.read()
    }

    fn forget(&self, key: Key) {
        self.records.forget(key);
    }
}

/// A log that kills its process before a decision to commit is in it, or after.
struct Dying {
    records: DiskJournal,
    when: String,
}

impl Journal for Dying {
    fn force(&self, record: &Record) -> io::Result<()> {
        if self.when == "before" {
            std::process::abort();
        }
        self.records.force(record)?;
        if self.when == "after" {
            std::process::abort();
        }
        Ok(())
    }

    fn append(&self, record: &Record) -> io::Result<()> {
        self.records.append(record)
    }

    fn read(&self) -> io::Result<Vec<Record>> {
        self.records.read()
    }

    fn forget(&self, key: Key) {
        self.records.forget(key);
    }
}

/// A process with a root that decides over Narayana's subordinate, and dies. Without more words it only
/// finishes what the log tells of, until it is killed.
fn root(words: &[&str]) -> Result<(), Failure> {
    let [directory, address, ref rest @ ..] = *words else { return Err("see above".into()) };
    let when = rest.first().copied().unwrap_or_default().to_owned();
    let journal = Dying { records: DiskJournal::open(directory)?, when };
    let transactions =
        Transactions::builder().journal(Arc::new(journal)).options(options()).build();
    let orb = Orb::builder().listen(&format!("iiop://{address}"))?;
    let orb = orb.initializer(transactions.clone()).build()?;
    transactions.start(&orb)?;
    let [_, factory, own, below @ ..] = rest else { return Ok(orb.run()?) };
    let transaction = transactions.begin()?;
    let coordinator = transaction.coordinator()?;
    let factory: TransactionFactoryRef = orb.string_to_object(factory)?.assume();
    let theirs = factory.recreate(&coordinator.get_txcontext()?)?.get_coordinator()?;
    let resource = |text: &str| -> Result<ResourceRef, SystemException> {
        Ok(orb.string_to_object(text)?.assume())
    };
    coordinator.register_resource(&resource(own)?)?;
    for below in below {
        theirs.register_resource(&resource(below)?)?;
    }
    transaction.commit()?;
    Err("it should have died".into())
}

/// How our coordinators try again.
fn options() -> Options {
    let (first, most) = (Duration::from_millis(250), Duration::from_secs(1));
    Options { backoff: Backoff { first, most }, patience: most, ..Options::default() }
}

struct World {
    orb: Orb,
    transactions: Transactions,
    journal: Arc<Deadly>,
    narayana: Arc<Narayana>,
}

impl World {
    fn register(&self, coordinator: &CoordinatorRef, noting: &Noting) -> Result<(), Failure> {
        let called = resource::tie(Called(noting.clone()));
        let resource: ResourceRef = self.orb.root_poa().activate(called)?;
        coordinator.register_resource(&resource)?;
        Ok(())
    }

    fn factory(&self, reference: &str) -> Result<TransactionFactoryRef, Failure> {
        Ok(self.orb.string_to_object(reference)?.assume())
    }

    /// Narayana decides, and is killed at `word`: one of the two resources around our subordinate
    /// hears it while the subordinate is in doubt.
    fn their_root(&self, factory: &str, word: &'static str) -> Result<String, Failure> {
        let control = self.factory(factory)?.create(60)?;
        let (coordinator, terminator) = (control.get_coordinator()?, control.get_terminator()?);
        let ours = Noting::new();
        let (narayana, seen) = (self.narayana.clone(), ours.clone());
        let kill: Deed = Arc::new(move || {
            if seen.was_told("prepare") && !seen.was_told("commit") {
                narayana.kill();
            }
        });
        let around =
            [(); 2].map(|()| Noting { kills: Some((word, kill.clone())), ..Noting::new() });
        self.register(&coordinator, &around[0])?;
        let joined = self.transactions.join(&control)?;
        joined.enlist(Arc::new(ours.clone()))?;
        self.register(&coordinator, &around[1])?;
        let told = match terminator.commit(true) {
            Ok(()) => "done",
            Err(Error::System(_)) => "its connection is lost",
            Err(Error::User(_)) => "heuristic",
        };
        self.narayana.start()?;
        await_that("our subordinate has ended", || self.transactions.list().is_empty())?;
        if word == "commit" {
            let all = || around.iter().all(|it| it.was_told("commit"));
            await_that("Narayana has told its other resources", all)?;
            return Ok(format!(
                "{told};{}{}{}",
                around[0].shown(),
                ours.shown(),
                around[1].shown()
            ));
        }
        Ok(format!("{told};{}", ours.shown()))
    }

    /// We decide; Narayana's subordinate is killed between its vote and our word.
    fn their_subordinate(&self, factory: &str) -> Result<String, Failure> {
        let transaction = self.transactions.begin()?;
        let coordinator = transaction.coordinator()?;
        let context = coordinator.get_txcontext()?;
        let theirs: ControlRef = self.factory(factory)?.recreate(&context)?;
        let subordinate = theirs.get_coordinator()?;
        let all = [(); 3].map(|()| Noting::new());
        transaction.enlist(Arc::new(all[0].clone()))?;
        self.register(&subordinate, &all[1])?;
        self.register(&subordinate, &all[2])?;
        self.journal.armed.store(true, Ordering::Relaxed);
        let told = match transaction.commit() {
            Ok(()) => "done".to_owned(),
            Err(error) => error.to_string(),
        };
        let early = all[1..].iter().filter(|it| it.was_told("commit")).count();
        self.narayana.start()?;
        let committed = || all.iter().all(|it| it.was_told("commit"));
        await_that("everybody has committed", committed)?;
        await_that("our coordinator has reached it", || self.transactions.list().is_empty())?;
        let [own, first, second] = all.each_ref().map(Noting::shown);
        Ok(format!("{told};{own}{first}{second}; {early} before the kill"))
    }

    /// A root of ours in another process dies before or after its decision, and comes back; Narayana
    /// is its subordinate, and stays.
    fn our_root(&self, factory: &str, when: &str, word: &'static str) -> Result<String, Failure> {
        let directory = self.narayana.directory.join(format!("root-{when}"));
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let start = |more: &[&str]| {
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("root").arg(&directory).arg(&address).args(more);
            command.stdin(Stdio::null()).stderr(Stdio::null()).spawn()
        };
        let all = [(); 3].map(|()| Noting::new());
        let mut references = Vec::new();
        for noting in &all {
            let called = resource::tie(Called(noting.clone()));
            let reference: ResourceRef = self.orb.root_poa().activate(called)?;
            references.push(self.orb.object_to_string(&reference)?);
        }
        let mut words = vec![when, factory];
        words.extend(references.iter().map(String::as_str));
        let died = !start(&words)?.wait()?.success();
        if !died || !all.iter().all(|it| it.was_told("prepare")) {
            return Err("the root has not died between votes and end".into());
        }
        let root = Mutex::new(Some(start(&[])?));
        // What is registered with the root itself would have to ask after a rollback.
        let below = || all[1..].iter().all(|it| it.was_told(word));
        let ended = await_that("everybody below Narayana has ended", below);
        kill(&root);
        ended?;
        let [own, first, second] = all.each_ref().map(Noting::shown);
        Ok(format!("{own}{first}{second}").trim_start().to_owned())
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (directory, classpath) = match words[..] {
        ["root", ref rest @ ..] => return root(rest),
        [directory, classpath] => (directory, classpath.to_owned()),
        _ => return Err("see the head of examples/transactions_crashes.rs".into()),
    };
    let narayana = Arc::new(Narayana::new(directory.into(), classpath)?);
    let journal = Deadly {
        records: MemoryJournal::new(),
        armed: AtomicBool::new(false),
        narayana: narayana.clone(),
    };
    let journal = Arc::new(journal);
    let transactions = Transactions::builder().journal(journal.clone()).options(options()).build();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?;
    let orb = orb.initializer(transactions.clone()).build()?;
    transactions.start(&orb)?;
    let world = World { orb, transactions, journal, narayana };
    type Case = fn(&World, &str) -> Result<String, Failure>;
    let cases: [(&str, Case); 5] = [
        ("their root dies after it has decided", |world, it| world.their_root(it, "commit")),
        ("their root dies before it decides", |world, it| world.their_root(it, "prepare")),
        ("their subordinate dies in doubt", |world, it| world.their_subordinate(it)),
        ("our root dies after it has decided", |world, it| world.our_root(it, "after", "commit")),
        ("our root dies before it decides", |world, it| world.our_root(it, "before", "rollback")),
    ];
    for (name, case) in cases {
        world.narayana.kill();
        let factory = world.narayana.start()?;
        let shown = case(&world, &factory).unwrap_or_else(|error| format!("failed: {error}"));
        println!("{name}: {shown}");
    }
    // Resources that hold it outlive the ORB.
    kill(&world.narayana.service);
    kill(&world.narayana.recovery);
    world.transactions.stop();
    world.orb.shutdown();
    Ok(())
}
