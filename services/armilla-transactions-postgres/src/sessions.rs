//! Connections to a database, lent one at a time.

use crate::error::{DatabaseError, is_refusal};
use postgres::Client;
use postgres::error::SqlState;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the lock of a name is asked for while another process has it.
const PAUSE: Duration = Duration::from_millis(100);

/// How long the connection that holds the name has to answer.
const ALIVE: Duration = Duration::from_secs(5);

pub(crate) type Connect = Box<dyn Fn() -> Result<Client, postgres::Error> + Send + Sync>;

/// The connections to a database, at most so many.
pub(crate) struct Sessions {
    connect: Connect,
    /// The statements that begin a transaction.
    begin: String,
    most: usize,
    /// How long somebody waits for one that is lent.
    patience: Duration,
    guard: Mutex<Guard>,
    state: Mutex<State>,
    changed: Condvar,
}

/// The connection that holds the name of the database.
pub(crate) struct Guard {
    pub(crate) name: String,
    pub(crate) client: Client,
}

#[derive(Default)]
struct State {
    idle: Vec<Client>,
    lent: usize,
}

/// A connection that is lent. Unless it is given back it is closed, which rolls back what was begun.
pub(crate) struct Session {
    client: Option<Box<Client>>,
    sessions: Arc<Sessions>,
    /// Whether it was idle, and so may have died unseen.
    used_before: bool,
}

impl Sessions {
    pub(crate) fn new(
        connect: Connect,
        begin: String,
        most: usize,
        patience: Duration,
        guard: Guard,
    ) -> Self {
        let (guard, state, changed) = (Mutex::new(guard), Mutex::default(), Condvar::new());
        Self { connect, begin, most, patience, guard, state, changed }
    }

    /// Makes a connection. Where one is needed the server may be another one than before, which has freed
    /// the name: then it is taken again.
    fn connect(&self) -> Result<Client, DatabaseError> {
        let made = (self.connect)()?;
        let mut guard = lock(&self.guard);
        if guard.client.is_valid(ALIVE).is_err() {
            let mut client = (self.connect)()?;
            hold_name(&mut client, &guard.name, self.patience)?;
            guard.client = client;
        }
        Ok(made)
    }

    pub(crate) const fn most(&self) -> usize {
        self.most
    }

    pub(crate) const fn patience(&self) -> Duration {
        self.patience
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn lend(self: &Arc<Self>) -> Result<Session, DatabaseError> {
        let deadline = Instant::now() + self.patience;
        let mut state = self.state();
        while state.lent >= self.most {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(DatabaseError::Busy);
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.lent += 1;
        let idle = state.idle.pop();
        drop(state);
        let used_before = idle.is_some();
        let mut session =
            Session { client: idle.map(Box::new), sessions: self.clone(), used_before };
        if !used_before {
            session.client = Some(Box::new(self.connect()?));
        }
        Ok(session)
    }

    /// A session in which a transaction has begun.
    pub(crate) fn begin(self: &Arc<Self>) -> Result<Session, DatabaseError> {
        self.session(&self.begin)
    }

    /// A session whose first statements are executed; they change nothing if that is done twice.
    /// Connections that have died while they were idle are passed over.
    pub(crate) fn session(self: &Arc<Self>, statements: &str) -> Result<Session, DatabaseError> {
        loop {
            let mut session = self.lend()?;
            match session.batch_execute(statements) {
                Ok(()) => return Ok(session),
                Err(error) if !is_refusal(&error) && session.used_before => {}
                Err(error) => {
                    if is_refusal(&error) {
                        session.give_back();
                    }
                    return Err(error.into());
                }
            }
        }
    }

    /// Commits or rolls back what was prepared under this name. Returns whether there was something.
    pub(crate) fn end_prepared(
        self: &Arc<Self>,
        commit: bool,
        gid: &str,
    ) -> Result<bool, NotEnded> {
        let what = if commit { "COMMIT" } else { "ROLLBACK" };
        // The connection is alive: otherwise nobody knew whether this has ended what is not there any more.
        let mut session = self.session("").map_err(|error| NotEnded { error, may_have: false })?;
        match session.batch_execute(&format!("{what} PREPARED '{gid}'")) {
            Ok(()) => {
                session.give_back();
                Ok(true)
            }
            Err(error) if is_refusal(&error) => {
                session.give_back();
                match error.code() == Some(&SqlState::UNDEFINED_OBJECT) {
                    true => Ok(false),
                    false => Err(NotEnded { error: error.into(), may_have: false }),
                }
            }
            Err(error) => Err(NotEnded { error: error.into(), may_have: true }),
        }
    }
}

/// Takes the lock of a name, which the server frees when the connection ends: another process would
/// take what this one has prepared for left over.
pub(crate) fn hold_name(
    client: &mut Client,
    name: &str,
    patience: Duration,
) -> Result<(), DatabaseError> {
    let deadline = Instant::now() + patience;
    let lock = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))";
    while !client.query_one(lock, &[&name])?.get::<_, bool>(0) {
        if Instant::now() >= deadline {
            return Err(DatabaseError::Held);
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// Why what was prepared is not known to have ended.
#[derive(Debug)]
pub(crate) struct NotEnded {
    pub(crate) error: DatabaseError,
    /// Whether it may have ended all the same.
    pub(crate) may_have: bool,
}

impl Session {
    /// Lets others have the connection: nothing is begun on it.
    pub(crate) fn give_back(mut self) {
        if let Some(client) = self.client.take().filter(|client| !client.is_closed()) {
            self.sessions.state().idle.push(*client);
        }
    }

    /// Rolls back what was begun, and lets others have the connection.
    pub(crate) fn roll_back(mut self) {
        // If it fails, the connection is closed.
        if self.batch_execute("ROLLBACK").is_ok() {
            self.give_back();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.sessions.state().lent -= 1;
        self.sessions.changed.notify_one();
    }
}

impl Deref for Session {
    type Target = Client;

    fn deref(&self) -> &Client {
        self.client.as_ref().expect("it goes only where the session ends")
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut Client {
        self.client.as_mut().expect("it goes only where the session ends")
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
