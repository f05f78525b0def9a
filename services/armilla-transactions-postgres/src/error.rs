//! Why a database does not do its part.

use armilla::{ExceptionKind, SystemException};
use postgres::error::{Severity, SqlState};
use std::fmt;

/// Why work in a database has failed. As a [`SystemException`] it is what the servant's client gets.
#[derive(Debug)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The database has refused a statement, or cannot be reached.
    Postgres(postgres::Error),
    /// The transaction takes no more participants.
    Transaction(SystemException),
    /// The work of this transaction in the database is rolled back.
    RolledBack,
    /// All connections are lent, or another thread works in this transaction, for too long.
    Busy,
    /// The server of the database has `max_prepared_transactions = 0`.
    Disabled,
    /// Another process has opened the database by the same name.
    Held,
    /// The name is empty, longer than 64 characters, or has others than ASCII letters, digits, `-`,
    /// `_` and `.` in it.
    Name,
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // It says "db error" alone, and the rest in its source.
            Self::Postgres(error) => match error.as_db_error() {
                Some(error) => write!(f, "the database says: {error}"),
                None => write!(f, "the database cannot be reached: {error}"),
            },
            Self::Transaction(exception) => exception.fmt(f),
            Self::RolledBack => f.write_str("the transaction is rolled back in the database"),
            Self::Busy => f.write_str(
                "no connection to the database became free in time; see \
                 `DatabaseBuilder::connections`",
            ),
            Self::Disabled => f.write_str(
                "the database prepares no transactions: set `max_prepared_transactions` in \
                 postgresql.conf to at least `max_connections`, and restart its server",
            ),
            Self::Held => f.write_str(
                "another process has the database open by the same name; each needs a name of its \
                 own",
            ),
            Self::Name => f.write_str(
                "the name of a database has 1 to 64 ASCII letters, digits, and - _ . in it",
            ),
        }
    }
}

impl std::error::Error for DatabaseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Postgres(error) => Some(error),
            Self::Transaction(exception) => Some(exception),
            _ => None,
        }
    }
}

impl From<postgres::Error> for DatabaseError {
    fn from(error: postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

impl From<DatabaseError> for SystemException {
    /// `TRANSACTION_ROLLEDBACK` where trying the whole transaction again may help: after a deadlock, a
    /// serialization failure, a statement that took too long. `TRANSIENT` if the database cannot be
    /// reached, `PERSIST_STORE` for other refusals of the database.
    fn from(error: DatabaseError) -> Self {
        let kind = match &error {
            DatabaseError::Transaction(exception) => return exception.clone(),
            DatabaseError::Postgres(error) => match error.code() {
                None => ExceptionKind::Transient,
                Some(_) if !is_refusal(error) => ExceptionKind::Transient,
                Some(code) if is_conflict(code) => ExceptionKind::TransactionRolledback,
                Some(_) => ExceptionKind::PersistStore,
            },
            DatabaseError::RolledBack => ExceptionKind::TransactionRolledback,
            DatabaseError::Busy => ExceptionKind::NoResources,
            DatabaseError::Disabled | DatabaseError::Held | DatabaseError::Name => {
                ExceptionKind::Initialize
            }
        };
        kind.because(error.to_string())
    }
}

/// Whether the database has refused a statement. Otherwise the connection has ended, because the server was
/// stopped or the network failed, and nobody knows whether the statement was executed.
pub(crate) fn is_refusal(error: &postgres::Error) -> bool {
    let ends = |severity| matches!(severity, Some(Severity::Fatal | Severity::Panic));
    error.as_db_error().is_some_and(|error| !ends(error.parsed_severity()))
}

/// Whether a transaction like this one may go through when it is tried again.
fn is_conflict(code: &SqlState) -> bool {
    [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::IN_FAILED_SQL_TRANSACTION,
        SqlState::QUERY_CANCELED,
        SqlState::LOCK_NOT_AVAILABLE,
    ]
    .contains(code)
}
