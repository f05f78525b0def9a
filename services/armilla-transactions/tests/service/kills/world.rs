//! The processes, where they listen, and where their files are.

use armilla::Orb;
use armilla_ipc::random;
use armilla_transactions::model::{Options, recover};
use armilla_transactions::server::Server;
use armilla_transactions::{DiskJournal, Journal, Transactions};
use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A process. Those of the desk are two ORBs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Service,
    Bank(usize),
    Desk,
}

impl Place {
    pub(super) const ALL: [Self; 4] = [Self::Service, Self::Bank(0), Self::Bank(1), Self::Desk];

    fn name(self) -> &'static str {
        ["service", "bank0", "bank1", "desk"][self.number()]
    }

    fn number(self) -> usize {
        Self::ALL.iter().position(|it| *it == self).expect("it is one of them")
    }
}

/// The names of the logs: one for each ORB, in the order of the addresses.
const LOGS: [&str; 5] = ["service", "bank0", "bank1", "desk", "other"];

/// What a process is told by its environment.
pub(super) struct Role {
    pub(super) place: Place,
    directory: PathBuf,
    round: usize,
    addresses: Vec<String>,
    /// Whether the clients of the desk work.
    pub(super) works: bool,
    /// The number of the first transfer of this process.
    pub(super) first: i64,
}

impl Role {
    /// The role of this process; `None` for one that nobody has started for this.
    pub(super) fn of_environment() -> Option<Self> {
        let words = env::var("ARMILLA_KILLS_ROLE").ok()?;
        let words: Vec<_> = words.split(' ').map(str::to_owned).collect();
        let [place, directory, round, works, first, addresses @ ..] = &words[..] else {
            panic!("{words:?}")
        };
        Some(Self {
            place: Place::ALL[place.parse::<usize>().unwrap()],
            directory: directory.into(),
            round: round.parse().unwrap(),
            addresses: addresses.to_vec(),
            works: works == "true",
            first: first.parse().unwrap(),
        })
    }

    pub(super) fn endpoint(&self, place: usize) -> String {
        format!("iiop://{}", self.addresses[place])
    }

    pub(super) fn url(&self, place: usize, key: &str) -> String {
        format!("corbaloc::{}/{key}", self.addresses[place])
    }

    pub(super) fn log(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    pub(super) fn books(&self, bank: usize) -> PathBuf {
        books(&self.directory, self.round, bank)
    }

    pub(super) fn told(&self, what: &str) -> PathBuf {
        told(&self.directory, self.round, what)
    }
}

/// Serves until it is killed, or the test closes the input: what was only appended to logs is
/// written then.
pub(super) fn run(orb: &Orb, until: impl FnOnce()) {
    let ends = orb.clone();
    std::thread::spawn(move || {
        std::io::stdin().read_to_end(&mut Vec::new()).ok();
        ends.shutdown();
        // The test may have failed while clients work.
        std::thread::sleep(Duration::from_secs(10));
        std::process::exit(1);
    });
    until();
}

fn books(directory: &Path, round: usize, bank: usize) -> PathBuf {
    directory.join(format!("books-{round}-{bank}"))
}

/// The file of the transfers of which clients were told this.
fn told(directory: &Path, round: usize, what: &str) -> PathBuf {
    directory.join(format!("{what}-{round}"))
}

/// The service of its own, as `armilla transactions serve` runs it.
pub(super) fn serve(role: &Role) {
    let server = Server::builder(Transactions::builder()).log(role.log("service"));
    let server = server.start(|orb| orb.listen(&role.endpoint(0))).unwrap();
    run(&server.orb().clone(), || server.run().unwrap());
}

/// The processes, as the test sees them.
pub(super) struct World {
    directory: PathBuf,
    round: usize,
    addresses: Vec<String>,
    children: [Option<Child>; 4],
    starts: i64,
    seed: u64,
}

impl World {
    pub(super) fn new() -> Self {
        let directory =
            env::var_os("ARMILLA_KILLS_DIRECTORY").map_or_else(env::temp_dir, Into::into);
        let directory = directory.join(format!("armilla-kills-{}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        // Nobody connects from this address, so the ports stay free while their processes are away.
        let host =
            format!("127.77.{}.{}", std::process::id() % 250, std::process::id() / 250 % 250);
        let listeners: Vec<_> =
            LOGS.iter().map(|_| TcpListener::bind((&*host, 0)).unwrap()).collect();
        let addresses = listeners.iter().map(|it| it.local_addr().unwrap().to_string()).collect();
        let seed = number("ARMILLA_SEED", random::number().unwrap().get() as usize) as u64 | 1;
        println!("ARMILLA_SEED={seed} in {}", directory.display());
        Self { directory, round: 0, addresses, children: Default::default(), starts: 0, seed }
    }

    /// A number below this one.
    pub(super) fn random(&mut self, below: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 16) % below
    }

    /// Starts everybody, with new books.
    pub(super) fn begin(&mut self, round: usize) {
        for bank in [0, 1] {
            fs::remove_dir_all(books(&self.directory, self.round, bank)).ok();
        }
        for what in ["committed", "rolled back"] {
            fs::remove_file(told(&self.directory, self.round, what)).ok();
        }
        self.round = round;
        Place::ALL.into_iter().for_each(|place| self.start(place, true));
    }

    pub(super) fn start(&mut self, place: Place, works: bool) {
        self.starts += 1;
        let first = 1 + self.starts * 1_000_000;
        let (directory, round) = (self.directory.display(), self.round);
        let addresses = self.addresses.join(" ");
        let role = format!("{} {directory} {round} {works} {first} {addresses}", place.number());
        let errors = self.directory.join(place.name().to_owned() + ".err");
        let errors = File::options().append(true).create(true).open(errors).unwrap();
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "kills::role", "--nocapture"])
            .env("ARMILLA_KILLS_ROLE", role)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn();
        self.children[place.number()] = Some(child.unwrap());
    }

    pub(super) fn kill(&mut self, place: Place) {
        let Some(mut child) = self.children[place.number()].take() else { return };
        // A process that has ended by itself has failed.
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "{place:?} has ended: {}", self.said(place));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn said(&self, place: Place) -> String {
        let said = fs::read_to_string(self.directory.join(place.name().to_owned() + ".err"));
        said.unwrap_or_default()
    }

    /// Ends everybody in good order.
    pub(super) fn end(&mut self) {
        let mut children = std::mem::take(&mut self.children);
        children.iter_mut().flatten().for_each(|child| drop(child.stdin.take()));
        for (place, child) in Place::ALL.into_iter().zip(&mut children) {
            let ended = child.as_mut().map(|child| child.wait().unwrap());
            assert!(ended.is_none_or(|it| it.success()), "{place:?}: {}", self.said(place));
        }
    }

    /// What operators call, of each ORB.
    pub(super) fn operators(&self) -> Vec<String> {
        let url = |address| format!("corbaloc::{address}/TransactionOperator");
        self.addresses.iter().map(url).collect()
    }

    pub(super) fn books(&self, bank: usize) -> PathBuf {
        books(&self.directory, self.round, bank)
    }

    pub(super) fn told(&self, what: &str) -> PathBuf {
        told(&self.directory, self.round, what)
    }

    /// The transfers of which clients were told this.
    pub(super) fn numbers(&self, what: &str) -> BTreeSet<i64> {
        // Nobody may have been told so.
        let lines = fs::read_to_string(self.told(what)).unwrap_or_default();
        lines.lines().map(|line| line.parse().expect("a line is written at once")).collect()
    }

    /// Sees that no log has anything left. Returns the octets of the longest.
    pub(super) fn check_logs(&self) -> u64 {
        let octets = LOGS.map(|name| {
            let journal = DiskJournal::open(self.directory.join(name)).unwrap();
            let left = recover(&journal.read().unwrap(), Duration::ZERO, Options::default());
            let left: Vec<_> = left.iter().map(|it| (it.key(), it.status())).collect();
            assert!(left.is_empty(), "left in the log of {name}: {left:?}");
            journal.log().health().octets
        });
        octets.into_iter().max().unwrap_or(0)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for child in self.children.iter_mut().flatten() {
            child.kill().ok();
            child.wait().ok();
        }
        if !std::thread::panicking() {
            fs::remove_dir_all(&self.directory).ok();
        }
    }
}

pub(super) fn number(variable: &str, otherwise: usize) -> usize {
    env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}
