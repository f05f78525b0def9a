//! Connections to a database, lent one at a time.

use crate::error::DatabaseError;
use postgres::Client;
use postgres::error::SqlState;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub(crate) type Connect = Box<dyn Fn() -> Result<Client, postgres::Error> + Send + Sync>;

/// The connections to a database, at most so many.
pub(crate) struct Sessions {
    connect: Connect,
    /// The statements that begin a transaction.
    begin: String,
    most: usize,
    /// How long somebody waits for one that is lent.
    patience: Duration,
    state: Mutex<State>,
    changed: Condvar,
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
    pub(crate) fn new(connect: Connect, begin: String, most: usize, patience: Duration) -> Self {
        Self { connect, begin, most, patience, state: Mutex::default(), changed: Condvar::new() }
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
            session.client = Some(Box::new((self.connect)()?));
        }
        Ok(session)
    }

    /// A session in which a transaction has begun.
    pub(crate) fn begin(self: &Arc<Self>) -> Result<Session, DatabaseError> {
        self.session(&self.begin).map(|(session, _)| session).map_err(|(error, _)| error)
    }

    /// A session whose first statements are executed; they change nothing if that is done twice.
    /// Connections that have died while they were idle are passed over. Beside the session or the error
    /// it returns whether there was such a one.
    pub(crate) fn session(
        self: &Arc<Self>,
        statements: &str,
    ) -> Result<(Session, bool), (DatabaseError, bool)> {
        let mut died = false;
        loop {
            let lent = self.lend();
            let mut session = match lent {
                Ok(session) => session,
                Err(error) => return Err((error, died)),
            };
            match session.batch_execute(statements) {
                Ok(()) => return Ok((session, died)),
                Err(error) if error.code().is_none() && session.used_before => died = true,
                Err(error) => {
                    if error.code().is_some() {
                        session.give_back();
                    }
                    return Err((error.into(), died));
                }
            }
        }
    }

    /// Commits or rolls back what was prepared under this name. Returns whether there was something.
    pub(crate) fn end_prepared(
        self: &Arc<Self>,
        commit: bool,
        gid: &str,
    ) -> Result<bool, DatabaseError> {
        let what = if commit { "COMMIT" } else { "ROLLBACK" };
        match self.session(&format!("{what} PREPARED '{gid}'")) {
            Ok((session, _)) => {
                session.give_back();
                Ok(true)
            }
            // It may have been the connection that has died.
            Err((error, died)) if is_unknown(&error) => Ok(died),
            Err((error, _)) => Err(error),
        }
    }
}

fn is_unknown(error: &DatabaseError) -> bool {
    matches!(error, DatabaseError::Postgres(it) if it.code() == Some(&SqlState::UNDEFINED_OBJECT))
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
