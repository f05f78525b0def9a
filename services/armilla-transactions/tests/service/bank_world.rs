//! Banks whose accounts work in transactions, and a client.

use armilla::{Error, ExceptionKind, Orb, OrbBuilder, Poa, SystemException};
use armilla_transactions::model::{Status, Vote};
use armilla_transactions::{
    Journal, OtsPolicy, Resource, ResourceError, ResourceManager, Synchronization, Transactions,
    TransactionsBuilder,
};
use bank::bank::account::WithdrawRaises;
use bank::bank::{self as idl, Account, AccountRef};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a bank knows, also after a restart: balances, and changes that are prepared, by a token.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) balance: f64,
    prepared: BTreeMap<String, f64>,
    next: u32,
    /// What the accounts of this bank answer to `prepare`.
    pub(crate) vote: Option<Vote>,
    pub(crate) commits: u32,
    pub(crate) rollbacks: u32,
    pub(crate) ended: Vec<Status>,
    /// Whether commits fail as if the disk were away.
    pub(crate) stuck: bool,
}

pub(crate) type Books = Arc<Mutex<Ledger>>;

/// A change of the balance.
struct Change {
    books: Books,
    token: String,
    amount: Mutex<f64>,
}

impl Resource for Change {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        let mut books = self.books.lock().unwrap();
        let vote = books.vote.unwrap_or(Vote::Commit);
        let amount = *self.amount.lock().unwrap();
        if vote == Vote::Commit {
            books.prepared.insert(self.token.clone(), amount);
        }
        Ok(vote)
    }

    fn commit(&self) -> Result<(), ResourceError> {
        let mut books = self.books.lock().unwrap();
        if books.stuck {
            return Err(ResourceError::Failed("the disk is away".to_owned()));
        }
        if let Some(amount) = books.prepared.remove(&self.token) {
            books.balance += amount;
            books.commits += 1;
        }
        Ok(())
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        let mut books = self.books.lock().unwrap();
        books.prepared.remove(&self.token);
        books.rollbacks += 1;
        Ok(())
    }
}

impl Synchronization for Change {
    fn after_completion(&self, status: Status) {
        self.books.lock().unwrap().ended.push(status);
    }
}

/// Finds changes after a restart.
pub(crate) struct Manager(pub(crate) Books);

impl ResourceManager for Manager {
    fn prepared(&self) -> io::Result<Vec<String>> {
        Ok(self.0.lock().unwrap().prepared.keys().cloned().collect())
    }

    fn resource(&self, token: &str) -> io::Result<Option<Arc<dyn Resource>>> {
        let amount = self.0.lock().unwrap().prepared.get(token).copied();
        Ok(amount.map(|amount| {
            let (books, token, amount) = (self.0.clone(), token.to_owned(), Mutex::new(amount));
            Arc::new(Change { books, token, amount }) as Arc<dyn Resource>
        }))
    }
}

/// An account that takes part in the transaction of each call.
struct Saved {
    books: Books,
    transactions: Transactions,
}

impl Saved {
    fn change(&self, by: f64) -> Result<(), SystemException> {
        let transaction = self.transactions.current().ok_or_else(|| {
            ExceptionKind::TransactionRequired.because("an account changes in a transaction")
        })?;
        let token = {
            let mut books = self.books.lock().unwrap();
            books.next += 1;
            books.next.to_string()
        };
        let change = Change { books: self.books.clone(), token, amount: Mutex::new(by) };
        let change = Arc::new(change);
        transaction.enlist_durable("bank", &change.token, change.clone())?;
        transaction.synchronize(change.clone())?;
        Ok(())
    }
}

impl Account for Saved {
    fn balance(&self) -> Result<f64, SystemException> {
        Ok(self.books.lock().unwrap().balance)
    }

    fn deposit(&self, amount: f64) -> Result<(), SystemException> {
        self.change(amount)
    }

    fn withdraw(&self, amount: f64) -> Result<(), Error<WithdrawRaises>> {
        let balance = self.balance()?;
        if balance < amount {
            return Err(idl::InsufficientFunds { missing: amount - balance }.into());
        }
        Ok(self.change(-amount)?)
    }
}

/// A process with transactions.
pub(crate) struct Process {
    pub(crate) orb: Orb,
    pub(crate) transactions: Transactions,
}

impl Process {
    pub(crate) fn new(
        builder: OrbBuilder,
        change: impl FnOnce(TransactionsBuilder) -> TransactionsBuilder,
    ) -> Self {
        let transactions = change(Transactions::builder()).build();
        let orb = builder.initializer(transactions.clone()).build().unwrap();
        transactions.start(&orb).unwrap();
        Self { orb, transactions }
    }

    /// A client, which listens for what its coordinator is asked.
    pub(crate) fn client() -> Self {
        Self::new(Orb::builder().listen("iiop://127.0.0.1:0").unwrap(), |it| it)
    }

    pub(crate) fn poa(&self, policy: Option<OtsPolicy>) -> Poa {
        let poa = self.orb.root_poa().create_poa("accounts").persistent().user_ids();
        match policy {
            Some(policy) => poa.policy(policy).build().unwrap(),
            None => poa.build().unwrap(),
        }
    }

    pub(crate) fn account(&self, text: &str) -> AccountRef {
        self.orb.resolve(text).unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.transactions.stop();
        self.orb.shutdown();
    }
}

/// A bank with one account.
pub(crate) struct Bank {
    pub(crate) process: Process,
    pub(crate) books: Books,
    pub(crate) account: String,
}

impl Bank {
    pub(crate) fn new(balance: f64) -> Self {
        Self::with(balance, Some(OtsPolicy::Requires))
    }

    pub(crate) fn with(balance: f64, policy: Option<OtsPolicy>) -> Self {
        let books = Books::default();
        books.lock().unwrap().balance = balance;
        Self::over(books, "iiop://127.0.0.1:0", policy, |it| it)
    }

    /// One over books and a log that were there before.
    pub(crate) fn over(
        books: Books,
        endpoint: &str,
        policy: Option<OtsPolicy>,
        change: impl FnOnce(TransactionsBuilder) -> TransactionsBuilder,
    ) -> Self {
        Self::in_orb(Orb::builder().listen(endpoint).unwrap(), books, policy, change)
    }

    /// One in an ORB of this kind, which listens.
    pub(crate) fn on(builder: OrbBuilder, policy: Option<OtsPolicy>) -> Self {
        Self::in_orb(builder, Books::default(), policy, |it| it)
    }

    fn in_orb(
        builder: OrbBuilder,
        books: Books,
        policy: Option<OtsPolicy>,
        change: impl FnOnce(TransactionsBuilder) -> TransactionsBuilder,
    ) -> Self {
        let manager = Arc::new(Manager(books.clone()));
        let change = |it: TransactionsBuilder| change(it.resource_manager("bank", manager));
        let process = Process::new(builder, change);
        let transactions = process.transactions.clone();
        let saved = Saved { books: books.clone(), transactions };
        let poa = process.poa(policy);
        let account: AccountRef = poa.activate_with_id("1", idl::account::tie(saved)).unwrap();
        let account = process.orb.object_to_string(&account).unwrap();
        Self { process, books, account }
    }

    pub(crate) fn balance(&self) -> f64 {
        self.books.lock().unwrap().balance
    }
}

/// Waits for something, for a minute at most.
pub(crate) fn await_that(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what} was not so within a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn shared(journal: &Arc<armilla_transactions::MemoryJournal>) -> Arc<dyn Journal> {
    journal.clone()
}
