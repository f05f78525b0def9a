//! A database whose changes commit with transactions.

use crate::branch::Branch;
use crate::endings::Endings;
use crate::error::DatabaseError;
use crate::sessions::{Connect, Guard, Sessions, hold_name, lock};
use armilla_transactions::{Resource, ResourceManager, Transaction};
use postgres::Client;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// A database of PostgreSQL whose changes commit and roll back with transactions. Clones are the same;
/// any thread may use it. It is also the [`ResourceManager`] that finds after a restart what is
/// prepared.
///
/// The calls block, and must not be made from within an asynchronous runtime.
///
/// ```no_run
/// use armilla::Orb;
/// use armilla_transactions::{DiskJournal, Transactions};
/// use armilla_transactions_postgres::Database;
/// use armilla_transactions_postgres::postgres::{Client, NoTls};
/// use std::sync::Arc;
///
/// let url = "postgresql://bank@localhost/accounts";
/// let accounts = Database::builder("accounts", move || Client::connect(url, NoTls)).open()?;
/// let transactions = Transactions::builder()
///     .journal(Arc::new(DiskJournal::open("/var/lib/bank/transactions")?))
///     .resource_manager("accounts", Arc::new(accounts.clone()))
///     .build();
/// let orb = Orb::builder().listen("iiop://:2901")?.initializer(transactions.clone()).build()?;
/// transactions.start(&orb)?;
///
/// transactions.run(|transaction| {
///     accounts.within(transaction, |client| {
///         client.execute("UPDATE account SET balance = balance - 10 WHERE id = 1", &[])
///     })
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Database(Arc<Inner>);

struct Inner {
    name: String,
    endings: Arc<Endings>,
    /// Where transactions of this process work, by their numbers.
    branches: Mutex<HashMap<String, Weak<Branch>>>,
    /// The next branch: two threads may begin one of the same transaction.
    next: AtomicU64,
}

/// A database to be opened. See [`Database::builder`].
#[must_use = "only `open` opens the database"]
pub struct DatabaseBuilder {
    name: String,
    connect: Connect,
    connections: usize,
    patience: Duration,
    statement_timeout: Option<Duration>,
}

impl DatabaseBuilder {
    /// How many connections there are at most, beside one that holds the name. Default: 32.
    pub const fn connections(mut self, most: usize) -> Self {
        self.connections = most;
        self
    }

    /// For how long work waits for a connection, and the opening for another process to go away that
    /// has the name: a day at most. Default: 5 s.
    pub const fn patience(mut self, patience: Duration) -> Self {
        const LONGEST: Duration = Duration::from_secs(24 * 3600);
        self.patience = if patience.as_secs() < LONGEST.as_secs() { patience } else { LONGEST };
        self
    }

    /// After which time a statement fails, and so its transaction; `None` for never. It also ends
    /// deadlocks between databases. Default: 30 s.
    pub const fn statement_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.statement_timeout = timeout;
        self
    }

    /// Connects, and makes sure that the server prepares transactions and no other process uses the
    /// name.
    ///
    /// # Errors
    /// The name is none, the database cannot be reached, it prepares no transactions, or another
    /// process has opened it by this name.
    pub fn open(self) -> Result<Database, DatabaseError> {
        let allowed = |octet: u8| octet.is_ascii_alphanumeric() || b"-_.".contains(&octet);
        if self.name.is_empty() || self.name.len() > 64 || !self.name.bytes().all(allowed) {
            return Err(DatabaseError::Name);
        }
        let mut guard = (self.connect)()?;
        let most: String = guard.query_one("SHOW max_prepared_transactions", &[])?.get(0);
        if most == "0" {
            return Err(DatabaseError::Disabled);
        }
        let name = prefix(&self.name);
        hold_name(&mut guard, &name, self.patience)?;
        let timeout = self.statement_timeout.map_or(0, |timeout| timeout.as_millis().max(1));
        // What the setting holds.
        let timeout = timeout.min(i32::MAX as u128);
        let begin = format!("BEGIN; SET LOCAL statement_timeout = {timeout}");
        let most = self.connections.max(1);
        let guard = Guard { name, client: guard };
        let sessions = Sessions::new(self.connect, begin, most, self.patience, guard);
        Ok(Database(Arc::new(Inner {
            name: self.name,
            endings: Arc::new(Endings::new(sessions)),
            branches: Mutex::default(),
            next: AtomicU64::new(0),
        })))
    }
}

impl fmt::Debug for DatabaseBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What the names of all prepared transactions of this database begin with.
fn prefix(name: &str) -> String {
    format!("armilla:{name}:")
}

impl Database {
    /// Begins to describe a database. The transactions know it by its name, with which
    /// [`resource_manager`](armilla_transactions::TransactionsBuilder::resource_manager) has to name
    /// it, too; `connect` connects to it.
    ///
    /// All connections have to lead to the same database as the same user.
    pub fn builder(
        name: impl Into<String>,
        connect: impl Fn() -> Result<Client, postgres::Error> + Send + Sync + 'static,
    ) -> DatabaseBuilder {
        DatabaseBuilder {
            name: name.into(),
            connect: Box::new(connect),
            connections: 32,
            patience: Duration::from_secs(5),
            statement_timeout: Some(Duration::from_secs(30)),
        }
    }

    /// The name by which transactions know it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Works in the database as a part of the transaction: what `work` changes commits and rolls back
    /// with it. `work` must not end the transaction of the database itself. After an error of a
    /// statement the transaction can only be rolled back, or the subtransaction, which is a savepoint.
    ///
    /// # Errors
    /// Those of `work`; a subtransaction beside this one, or within it, is at work in the database; the
    /// transaction takes no more participants, or is rolled back already; the
    /// database cannot be reached; no connection became free.
    pub fn within<R>(
        &self,
        transaction: &Transaction,
        work: impl FnOnce(&mut Client) -> Result<R, postgres::Error>,
    ) -> Result<R, DatabaseError> {
        self.branch(&transaction.whole())?.work(&transaction.parts(), work)
    }

    fn branch(&self, transaction: &Transaction) -> Result<Arc<Branch>, DatabaseError> {
        let id = transaction.id();
        if let Some(branch) = lock(&self.0.branches).get(&id).and_then(Weak::upgrade) {
            return Ok(branch);
        }
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let gid = format!("{}{id}:{number}", prefix(&self.0.name));
        let made = Arc::new(Branch::new(self.0.endings.clone(), gid.clone()));
        let enlisted = transaction.enlist_durable(&self.0.name, &gid, made.clone());
        enlisted.map_err(DatabaseError::Transaction)?;
        let mut branches = lock(&self.0.branches);
        if let Some(branch) = branches.get(&id).and_then(Weak::upgrade) {
            // Another thread was first. The one that was made takes part, and has nothing to do.
            return Ok(branch);
        }
        if branches.len() > 2 * self.0.endings.sessions.most() {
            branches.retain(|_, branch| branch.strong_count() > 0);
        }
        branches.insert(id, Arc::downgrade(&made));
        Ok(made)
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("name", &self.0.name).finish_non_exhaustive()
    }
}

impl ResourceManager for Database {
    fn prepared(&self) -> io::Result<Vec<String>> {
        let list = || -> Result<Vec<String>, DatabaseError> {
            let mut session = self.0.endings.sessions.session("")?;
            let rows = session.query(
                "SELECT gid FROM pg_prepared_xacts \
                 WHERE database = current_database() AND starts_with(gid, $1)",
                &[&prefix(&self.0.name)],
            )?;
            session.give_back();
            Ok(rows.iter().map(|row| row.get(0)).collect())
        };
        list().map_err(io::Error::other)
    }

    fn resource(&self, token: &str) -> io::Result<Option<Arc<dyn Resource>>> {
        let is_prepared = self.prepared()?.iter().any(|gid| gid == token);
        let branch = || Arc::new(Branch::prepared(self.0.endings.clone(), token.to_owned())) as _;
        Ok(is_prepared.then(branch))
    }
}
