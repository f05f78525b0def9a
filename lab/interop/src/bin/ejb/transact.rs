//! A process with transactions: as root over a bean, or as a server that beans call in transactions of
//! theirs. What its resources are told, it notes in files, so it may die at any time.

use super::Outcome;
use super::generated::ejb::{self, Account, AccountHome, AccountHomeRef, Text, TextRef};
use armilla::{ExceptionKind, Orb, SystemException, Value};
use armilla_transactions::model::{Backoff, Key, Kind, Options, Record, Vote};
use armilla_transactions::{
    CommitError, ContextId, DiskJournal, Journal, OtsPolicy, Resource, ResourceError,
    ResourceManager, Transactions,
};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Notes in a file what it is told. Where a file with `.die-prepare` or `.die-commit` behind its name
/// exists, it ends the process at that word, once: at the first behind the note, at the other before it.
struct Noting(PathBuf);

impl Noting {
    fn beside(&self, suffix: &str) -> PathBuf {
        PathBuf::from(format!("{}{suffix}", self.0.display()))
    }

    fn note(&self, word: &str) -> Result<(), ResourceError> {
        let file = File::options().append(true).create(true).open(&self.0);
        let noted = file.and_then(|mut file| writeln!(file, "{word}"));
        noted.map_err(|error| ResourceError::Failed(error.to_string()))
    }

    fn die(&self, word: &str) {
        if fs::remove_file(self.beside(&format!(".die-{word}"))).is_ok() {
            std::process::abort();
        }
    }
}

impl Resource for Noting {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        self.note("prepare")?;
        self.die("prepare");
        let refuses = self.beside(".refuse").exists();
        Ok(if refuses { Vote::Rollback } else { Vote::Commit })
    }

    fn commit(&self) -> Result<(), ResourceError> {
        self.die("commit");
        self.note("commit")
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        self.note("rollback")
    }
}

/// The notes of a directory.
struct Notes(PathBuf);

impl ResourceManager for Notes {
    fn prepared(&self) -> io::Result<Vec<String>> {
        let text = fs::read_to_string(self.0.join("ours")).unwrap_or_default();
        let is_prepared = text.lines().next_back() == Some("prepare");
        Ok(if is_prepared { vec!["ours".into()] } else { Vec::new() })
    }

    fn resource(&self, token: &str) -> io::Result<Option<Arc<dyn Resource>>> {
        Ok(Some(Arc::new(Noting(self.0.join(token)))))
    }
}

/// A log that ends its process before a decision to commit is in it, or after.
struct Dying {
    records: DiskJournal,
    when: Option<&'static str>,
}

impl Journal for Dying {
    fn force(&self, record: &Record) -> io::Result<()> {
        let decides = matches!(record.kind, Kind::Committed { .. });
        if decides && self.when == Some("before") {
            std::process::abort();
        }
        self.records.force(record)?;
        if decides && self.when == Some("after") {
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

struct Teller {
    transactions: Transactions,
    directory: PathBuf,
}

impl Account for Teller {
    fn caller(&self) -> Result<TextRef, SystemException> {
        Ok(None)
    }

    fn relay(&self, _: &TextRef) -> Result<TextRef, SystemException> {
        Err(ExceptionKind::NoImplement.because("this account asks nobody"))
    }

    fn work(&self, what: &TextRef) -> Result<TextRef, SystemException> {
        let what = what.as_ref().map(|text| text.get().0.clone()).unwrap_or_default().to_string();
        let Some(transaction) = self.transactions.current() else {
            return Ok(text("no transaction"));
        };
        let noting = Noting(self.directory.join("ours"));
        transaction.enlist_durable("notes", "ours", Arc::new(noting))?;
        if what.starts_with("rollback-only") {
            transaction.rollback_only();
        }
        Ok(text("done"))
    }
}

fn text(text: &str) -> TextRef {
    Some(Value::new(Text(text.into())))
}

/// The process with its log and its port.
pub(crate) struct Node {
    orb: Orb,
    transactions: Transactions,
    directory: PathBuf,
}

impl Node {
    pub(crate) fn new(words: &[&str], when: Option<&'static str>) -> Outcome<Self> {
        let [directory, address, context] = *words else {
            return Err("see src/bin/ejb/main.rs".into());
        };
        let context = match context {
            "arjuna" => ContextId::Arjuna,
            "both" => ContextId::Both,
            _ => ContextId::Omg,
        };
        let directory = Path::new(directory).to_owned();
        let records = DiskJournal::open(directory.join("log"))?;
        let (first, most) = (Duration::from_millis(250), Duration::from_secs(1));
        let options =
            Options { backoff: Backoff { first, most }, patience: most, ..Options::default() };
        let transactions = Transactions::builder()
            .journal(Arc::new(Dying { records, when }))
            .options(options)
            .context(context)
            .resource_manager("notes", Arc::new(Notes(directory.clone())))
            .build();
        let orb = Orb::builder().listen(&format!("iiop://{address}"))?;
        let orb = orb.initializer(transactions.clone()).build()?;
        transactions.start(&orb)?;
        Ok(Self { orb, transactions, directory })
    }

    /// Serves an account, until it is killed.
    pub(crate) fn serve(&self) -> Outcome {
        let poa = self.orb.root_poa().create_poa("accounts").policy(OtsPolicy::Adapts).build()?;
        let (transactions, directory) = (self.transactions.clone(), self.directory.clone());
        let account: ejb::AccountRef =
            poa.activate(ejb::account::tie(Teller { transactions, directory }))?;
        let unfinished = self.directory.join("unfinished");
        fs::write(&unfinished, self.orb.object_to_string(&account)?)?;
        fs::rename(unfinished, self.directory.join("ior"))?;
        Ok(self.orb.run()?)
    }

    /// Ends a transaction in which a bean takes part, and prints what the client is told.
    pub(crate) fn root(&self, url: &str, case: &str) -> Outcome {
        let home: AccountHomeRef = self.orb.resolve(url)?;
        let account = home.create()?;
        let timeout = Duration::from_secs(if case == "timeout" { 2 } else { 60 });
        let transaction = self.transactions.begin_within(Some(timeout))?;
        let noting = Noting(self.directory.join("ours"));
        transaction.enlist_durable("notes", "ours", Arc::new(noting))?;
        let word = if case == "rollback-only" { "rollback-only" } else { "enlist" };
        let work = format!("{word} {}", self.directory.join("theirs").display());
        let entered = transaction.enter()?;
        let answer = account.work(&text(&work));
        drop(entered);
        match answer {
            Ok(Some(answer)) if answer.get().0.to_string() == "done" => {}
            Ok(answer) => println!("{:?}", answer.map(|answer| answer.get().0.clone())),
            Err(error) => println!("{error}"),
        }
        if case == "timeout" {
            thread::sleep(Duration::from_secs(4));
        }
        let told = match case {
            "rollback" => {
                transaction.rollback();
                "done".to_owned()
            }
            _ => match transaction.commit() {
                Ok(()) => "done".to_owned(),
                Err(CommitError::RolledBack { timed_out: true }) => {
                    "rolled back, time is up".into()
                }
                Err(CommitError::RolledBack { .. }) => "rolled back".to_owned(),
                Err(error) => error.to_string(),
            },
        };
        // Until everybody has heard of it.
        let end = Instant::now() + Duration::from_secs(90);
        while !self.transactions.list().is_empty() && Instant::now() < end {
            thread::sleep(Duration::from_millis(50));
        }
        let left = self.transactions.list().len();
        println!("{told}{}", if left > 0 { ", not finished" } else { "" });
        self.transactions.stop();
        self.orb.shutdown();
        Ok(())
    }
}
