//! What one transaction has done in a database, as a participant of it.

use crate::endings::Endings;
use crate::error::{DatabaseError, is_refusal};
use crate::sessions::{NotEnded, Session, lock};
use armilla::ExceptionKind;
use armilla_transactions::model::{Heuristic, Refusal, Status, Vote};
use armilla_transactions::{
    InTheWay, Resource, ResourceError, Savepoints, Synchronization, Transaction,
};
use postgres::{Client, SimpleQueryMessage};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The part of a transaction that is in a database.
pub(crate) struct Branch {
    endings: Arc<Endings>,
    /// The name under which it is prepared.
    gid: String,
    state: Mutex<State>,
    changed: Condvar,
    /// The parts of the transaction that work in the database, each with a savepoint.
    parts: Mutex<Savepoints<()>>,
}

enum State {
    /// Nothing was done in it.
    Fresh,
    /// Work was done, and more may come.
    Open(Session),
    /// A thread is at work.
    Working,
    /// It was rolled back while a thread was at work, which sees to it.
    Doomed,
    /// It is prepared, or may be. Whether somebody has asked for its end.
    Prepared {
        told: bool,
    },
    Ended,
}

impl Branch {
    pub(crate) fn new(endings: Arc<Endings>, gid: String) -> Self {
        let state = Mutex::new(State::Fresh);
        Self { endings, gid, state, changed: Condvar::new(), parts: Mutex::default() }
    }

    /// One that a process before this one has prepared, and may have told.
    pub(crate) fn prepared(endings: Arc<Endings>, gid: String) -> Self {
        let state = Mutex::new(State::Prepared { told: true });
        Self { endings, gid, state, changed: Condvar::new(), parts: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Works in the transaction of the database, for the last of these parts of it. A second thread waits
    /// for the first.
    pub(crate) fn work<R>(
        self: &Arc<Self>,
        parts: &[Transaction],
        work: impl FnOnce(&mut Client) -> Result<R, postgres::Error>,
    ) -> Result<R, DatabaseError> {
        let mut working = self.begin_work()?;
        let session = match &mut working.session {
            Some(session) => session,
            empty => empty.insert(self.endings.sessions.begin()?),
        };
        let done = match self.enter(parts, session) {
            Ok(()) => work(session).map_err(DatabaseError::from),
            Err(error) => Err(error),
        };
        working.end()?;
        done
    }

    /// Makes savepoints for parts that have not worked here.
    fn enter(
        self: &Arc<Self>,
        parts: &[Transaction],
        session: &mut Session,
    ) -> Result<(), DatabaseError> {
        let ids: Vec<Arc<str>> = parts.iter().map(|part| part.id().into()).collect();
        let begun = lock(&self.parts).enter(&ids).map(<[_]>::len).map_err(|InTheWay| {
            let what = "another part of the transaction works in the database";
            let hint = "let parts that work in it follow one another";
            DatabaseError::Transaction(
                ExceptionKind::InvalidTransaction.because(what).with_hint(hint),
            )
        })?;
        for (part, id) in parts.iter().zip(&ids).skip(ids.len() - begun) {
            session.batch_execute(&format!("SAVEPOINT {}", savepoint(id)))?;
            lock(&self.parts).mark(id.clone(), ());
            let end = Arc::new(PartEnd { branch: self.clone(), part: id.clone() });
            // It has ended meanwhile: nothing was done behind the savepoint, and nothing will be.
            part.synchronize_part(end).map_err(|error| {
                lock(&self.parts).leave(id);
                DatabaseError::Transaction(error)
            })?;
        }
        Ok(())
    }

    /// Undoes what a part has done that has worked here. What cannot be undone alone is undone as a whole.
    fn undo(&self, part: &str) {
        let mut state = self.state();
        match mem::replace(&mut *state, State::Ended) {
            State::Open(mut session) => {
                let name = savepoint(part);
                let undone = session.batch_execute(&format!(
                    "ROLLBACK TO SAVEPOINT {name}; RELEASE SAVEPOINT {name}"
                ));
                match undone {
                    Ok(()) => *state = State::Open(session),
                    Err(error) => {
                        drop(state);
                        self.refuse(error);
                        session.roll_back();
                    }
                }
            }
            State::Working | State::Doomed => *state = State::Doomed,
            other => *state = other,
        }
    }

    fn begin_work(&self) -> Result<Working<'_>, DatabaseError> {
        let deadline = Instant::now() + self.endings.sessions.patience();
        let mut state = self.state();
        loop {
            match mem::replace(&mut *state, State::Working) {
                State::Fresh => return Ok(Working { branch: self, session: None }),
                State::Open(session) => {
                    return Ok(Working { branch: self, session: Some(session) });
                }
                State::Working => {}
                ended => {
                    *state = ended;
                    return Err(DatabaseError::RolledBack);
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(DatabaseError::Busy);
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn prepare_session(&self, mut session: Session) -> Result<Vote, ResourceError> {
        // A statement fails once one before it has failed, where PREPARE TRANSACTION only rolls back.
        let written = session.simple_query("SELECT txid_current_if_assigned() IS NOT NULL");
        let written = match written {
            Ok(rows) => has_row(&rows, "t"),
            Err(error) => return Ok(self.refuse(error)),
        };
        if !written {
            // What was read is consistent if this says so.
            return Ok(match session.batch_execute("COMMIT") {
                Ok(()) => {
                    session.give_back();
                    Vote::ReadOnly
                }
                Err(error) => self.refuse(error),
            });
        }
        match session.batch_execute(&format!("PREPARE TRANSACTION '{}'", self.gid)) {
            Ok(()) => {
                *self.state() = State::Prepared { told: false };
                session.give_back();
                Ok(Vote::Commit)
            }
            Err(error) if is_refusal(&error) => Ok(self.refuse(error)),
            Err(error) => {
                // It may be prepared: the coordinator says that it is to be rolled back.
                *self.state() = State::Prepared { told: false };
                Err(ResourceError::Failed(error.to_string()))
            }
        }
    }

    fn refuse(&self, error: postgres::Error) -> Vote {
        let (gid, error) = (&self.gid, DatabaseError::from(error).to_string());
        tracing::info!(gid, error, "a database does not prepare a transaction");
        Vote::Rollback
    }
}

/// The name of the savepoint of a part.
fn savepoint(part: &str) -> String {
    format!("part_{part}")
}

/// Hears of the end of a part of the transaction.
struct PartEnd {
    branch: Arc<Branch>,
    part: Arc<str>,
}

impl Synchronization for PartEnd {
    fn after_completion(&self, status: Status) {
        let has_worked = lock(&self.branch.parts).leave(&self.part).is_some();
        if has_worked && status == Status::RolledBack {
            self.branch.undo(&self.part);
        }
    }
}

/// Whether a result has a row with this text.
fn has_row(messages: &[SimpleQueryMessage], wanted: &str) -> bool {
    messages.iter().any(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0) == Some(wanted),
        _ => false,
    })
}

/// A thread is at work, until this is dropped.
struct Working<'b> {
    branch: &'b Branch,
    session: Option<Session>,
}

impl Working<'_> {
    /// Puts the session back.
    fn end(mut self) -> Result<(), DatabaseError> {
        let Some(session) = self.session.take() else { return Ok(()) };
        let mut state = self.branch.state();
        if let State::Doomed = *state {
            *state = State::Ended;
            drop(state);
            session.roll_back();
            return Err(DatabaseError::RolledBack);
        }
        *state = State::Open(session);
        Ok(())
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut state = self.branch.state();
        if let State::Working | State::Doomed = *state {
            // The work has panicked, or there was no connection: it can only be rolled back.
            *state = State::Ended;
        }
        self.branch.changed.notify_all();
    }
}

/// Why the database has not committed. While it is away, one transaction finds out for all when it is back.
fn not_ended(error: &DatabaseError, maybe_done: bool) -> ResourceError {
    match error {
        DatabaseError::Postgres(it) if !is_refusal(it) => {
            tracing::info!(%error, "the database is told again");
            ResourceError::Refused(Refusal::Unreachable { maybe_done })
        }
        _ => ResourceError::Failed(error.to_string()),
    }
}

impl Resource for Branch {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        let before = {
            let mut state = self.state();
            match *state {
                State::Working => {
                    let why = "a thread is still at work in the database";
                    return Err(ResourceError::Failed(why.to_owned()));
                }
                // It is asked again.
                State::Prepared { .. } => return Ok(Vote::Commit),
                _ => mem::replace(&mut *state, State::Ended),
            }
        };
        match before {
            State::Fresh => Ok(Vote::ReadOnly),
            State::Open(session) => self.prepare_session(session),
            _ => Ok(Vote::Rollback),
        }
    }

    fn commit(&self) -> Result<(), ResourceError> {
        let told = match *self.state() {
            State::Prepared { told } => told,
            State::Ended => return Ok(()),
            _ => {
                let why = "it is not prepared in the database";
                return Err(ResourceError::Failed(why.to_owned()));
            }
        };
        match self.endings.commit(&self.gid) {
            // Somebody else has ended it.
            Ok(false) if !told => Err(ResourceError::Heuristic(Heuristic::Hazard)),
            Ok(_) => {
                *self.state() = State::Ended;
                Ok(())
            }
            Err(NotEnded { error, may_have }) => {
                *self.state() = State::Prepared { told: told || may_have };
                Err(not_ended(&error, may_have))
            }
        }
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        let before = {
            let mut state = self.state();
            match *state {
                State::Working | State::Doomed => {
                    *state = State::Doomed;
                    return Ok(());
                }
                _ => mem::replace(&mut *state, State::Ended),
            }
        };
        match before {
            State::Open(session) => session.roll_back(),
            State::Prepared { .. } => self.endings.roll_back(&self.gid),
            _ => {}
        }
        Ok(())
    }

    fn commit_one_phase(&self) -> Result<(), ResourceError> {
        let mut session = {
            let mut state = self.state();
            match mem::replace(&mut *state, State::Ended) {
                State::Fresh => return Ok(()),
                State::Open(session) => session,
                State::Working => {
                    *state = State::Doomed;
                    return Err(ResourceError::RolledBack);
                }
                _ => return Err(ResourceError::RolledBack),
            }
        };
        // COMMIT only rolls back once a statement has failed. Then the first of these fails.
        match session.batch_execute("SELECT 1; COMMIT") {
            Ok(()) => {
                session.give_back();
                Ok(())
            }
            Err(error) if is_refusal(&error) => {
                self.refuse(error);
                session.roll_back();
                Err(ResourceError::RolledBack)
            }
            Err(error) => Err(ResourceError::Failed(error.to_string())),
        }
    }
}
