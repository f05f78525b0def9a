//! A server of PostgreSQL with two databases.

use armilla::Orb;
use armilla_ipc::PrivateDirectory;
use armilla_transactions::{DiskJournal, Journal, Transaction, Transactions, TransactionsBuilder};
use armilla_transactions_postgres::Database;
use armilla_transactions_postgres::postgres::{Client, Error, NoTls};
use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

pub(super) const NAMES: [&str; 2] = ["first", "second"];

/// A server, its files, and the processes that it consists of.
pub(super) struct Server {
    pub(super) directory: PathBuf,
    process: Option<Child>,
    _kept: PrivateDirectory,
}

/// The newest version that is installed.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").map(|all| all.flatten().collect::<Vec<_>>());
    let number = |bin: &PathBuf| bin.parent()?.file_name()?.to_str()?.parse::<u32>().ok();
    let paths = versions.unwrap_or_default().into_iter().map(|it| it.path());
    paths
        .map(|path| path.join("bin"))
        .filter(|path| path.join("postgres").exists())
        .max_by_key(number)
}

/// The server refuses to run as root. Its user and group are those of the package then.
fn user() -> Option<(u32, u32)> {
    let own = fs::read_to_string("/proc/self/status").unwrap();
    let is_root = own.lines().any(|line| line.starts_with("Uid:\t0\t"));
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let line = users.lines().find(|line| line.starts_with("postgres:"))?;
    let fields: Vec<_> = line.split(':').collect();
    is_root.then(|| (fields[2].parse().unwrap(), fields[3].parse().unwrap()))
}

fn command(program: &str) -> Command {
    let mut command = Command::new(programs().unwrap_or_default().join(program));
    if let Some((user, group)) = user() {
        command.uid(user).gid(group);
    }
    command.current_dir("/").stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl Server {
    /// Starts one with two databases, each with an account of 100. Where PostgreSQL is not installed
    /// the test passes over it, but not where `ARMILLA_ALL_TESTS` is set: there it fails.
    pub(super) fn start() -> Option<Self> {
        if programs().is_none() {
            let all = env::var_os("ARMILLA_ALL_TESTS").is_some();
            assert!(!all, "PostgreSQL is not installed (Debian: postgresql)");
            eprintln!("PostgreSQL is not installed, so nothing is tested");
            return None;
        }
        // One that a killed test has left goes now.
        let kept = PrivateDirectory::new("armilla-postgres-").unwrap();
        let directory = kept.path().join("server");
        fs::create_dir(&directory).unwrap();
        if let Some((user, group)) = user() {
            // The user of the server may only pass through.
            fs::set_permissions(kept.path(), fs::Permissions::from_mode(0o711)).unwrap();
            chown(&directory, Some(user), Some(group)).unwrap();
        }
        let made = command("initdb")
            .args(["-U", "postgres", "-A", "trust", "-N", "-D"])
            .arg(directory.join("data"))
            .status();
        assert!(made.unwrap().success());
        let mut server = Self { directory, process: None, _kept: kept };
        server.run("max_prepared_transactions=20");
        let mut client = server.client("postgres");
        for name in NAMES {
            client.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
            let make = "CREATE TABLE account (balance bigint CHECK (balance >= 0)); \
                        INSERT INTO account VALUES (100)";
            server.client(name).batch_execute(make).unwrap();
        }
        Some(server)
    }

    /// Starts the processes, with a setting.
    pub(super) fn run(&mut self, setting: &str) {
        self.run_in(self.directory.clone(), setting);
    }

    /// The same where programs do not find them.
    pub(super) fn run_aside(&mut self, setting: &str) -> PathBuf {
        let aside = self.directory.join("data");
        self.run_in(aside.clone(), setting);
        aside
    }

    fn run_in(&mut self, sockets: PathBuf, setting: &str) {
        let process = command("postgres")
            .args(["-F", "-c", "listen_addresses=", "-c", setting, "-k"])
            .arg(&sockets)
            .arg("-D")
            .arg(self.directory.join("data"))
            .spawn();
        self.process = Some(process.unwrap());
        let begun = Instant::now();
        while let Err(error) = connect(&sockets, "postgres") {
            assert!(begun.elapsed() < Duration::from_secs(60), "{error}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends them as a crash does.
    pub(super) fn crash(&mut self) {
        self.end("-QUIT");
    }

    /// Ends them in order, and with them all connections.
    pub(super) fn stop(&mut self) {
        self.end("-INT");
    }

    fn end(&mut self, signal: &str) {
        let Some(mut process) = self.process.take() else { return };
        let ended = Command::new("kill").args([signal, &process.id().to_string()]).status();
        assert!(ended.unwrap().success());
        process.wait().unwrap();
    }

    pub(super) fn client(&self, name: &str) -> Client {
        connect(&self.directory, name).unwrap()
    }

    /// The balances of both accounts.
    pub(super) fn balances(&self) -> [i64; 2] {
        let balance = |name| {
            self.client(name)
                .query_one("SELECT balance FROM account", &[])
                .unwrap()
                .get::<_, i64>(0)
        };
        NAMES.map(balance)
    }

    /// How many transactions are prepared.
    pub(super) fn prepared(&self) -> i64 {
        let count = "SELECT count(*) FROM pg_prepared_xacts";
        self.client("postgres").query_one(count, &[]).unwrap().get(0)
    }

    /// Waits until no transaction is prepared any more.
    pub(super) fn await_end(&self) {
        let begun = Instant::now();
        while self.prepared() > 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "a transaction is left prepared");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.crash();
    }
}

pub(super) fn connect(directory: &Path, name: &str) -> Result<Client, Error> {
    Client::connect(&format!("host={} user=postgres dbname={name}", directory.display()), NoTls)
}

pub(super) fn journal(directory: &Path) -> DiskJournal {
    DiskJournal::open(directory.join("log")).unwrap()
}

/// A program with both databases.
pub(super) struct Program {
    pub(super) transactions: Transactions,
    pub(super) databases: [Database; 2],
    orb: Orb,
}

pub(super) fn open(directory: &Path, name: &'static str) -> Database {
    let directory = directory.to_owned();
    Database::builder(name, move || connect(&directory, name)).open().unwrap()
}

impl Program {
    /// One whose log is in the directory of the server.
    pub(super) fn start(directory: &Path) -> Self {
        Self::with_journal(directory, Arc::new(journal(directory)))
    }

    pub(super) fn with_journal(directory: &Path, journal: Arc<dyn Journal>) -> Self {
        let databases = NAMES.map(|name| open(directory, name));
        let transactions = Transactions::builder().journal(journal);
        let add = |builder: TransactionsBuilder, database: &Database| {
            builder.resource_manager(database.name(), Arc::new(database.clone()))
        };
        let transactions = databases.iter().fold(transactions, add).build();
        let orb = Orb::builder().initializer(transactions.clone()).build().unwrap();
        transactions.start(&orb).unwrap();
        Self { transactions, databases, orb }
    }

    /// Moves an amount from the first account to the second.
    pub(super) fn work(&self, transaction: &Transaction, amount: i64) {
        for (database, amount) in self.databases.iter().zip([-amount, amount]) {
            let add = "UPDATE account SET balance = balance + $1";
            database.within(transaction, |client| client.execute(add, &[&amount])).unwrap();
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.transactions.stop();
        self.orb.shutdown();
    }
}
