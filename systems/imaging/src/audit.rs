//! Who saw what: a line of JSON for each access, in a file that only grows. It has identifiers of
//! studies and images, never names, patients or what was searched for.

use crate::access::{Operation, Place, Rules, Verdict};
pub use crate::shares::Admitted;
use crate::shares::Shares;
use serde_json::json;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The rules of a server, and its record. Clones share the record; any thread may use it.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    rules: Arc<Rules>,
    record: Option<Arc<Mutex<Lines>>>,
    pub(crate) shares: Shares,
}

/// Who asks, and how.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Client {
    /// Where it is.
    pub place: Place,
    /// What it shows, if it shows a token.
    pub token: Option<String>,
    /// Which user it is, if it has logged in or shown a certificate.
    pub user: Option<String>,
    /// Whether nothing but a token of the rules lets it do anything: it should have logged in.
    pub needs_token: bool,
    /// The protocol: `http`, `corba` or `dicom`.
    pub by: &'static str,
}

impl Client {
    /// A client of whom this is known alone.
    pub const fn at(place: Place, by: &'static str) -> Self {
        Self { place, token: None, user: None, needs_token: false, by }
    }
}

/// What an access is about.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subject<'a> {
    /// In a word, such as `search` or `frames`.
    pub what: &'a str,
    /// UIDs, as far as it is about one.
    pub study: &'a str,
    /// Of a series.
    pub series: &'a str,
    /// Of an image.
    pub image: &'a str,
}

/// Why something may not be done.
#[derive(Debug)]
pub enum Denied {
    /// A token is needed, or another one.
    NeedsToken,
    /// The rules forbid it.
    Forbidden(Operation),
    /// It could not be recorded, so it is not done.
    NotRecorded(io::Error),
}

impl std::fmt::Display for Denied {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NeedsToken => f.write_str("a token is needed that the rules of the server know"),
            Self::Forbidden(operation) => {
                write!(f, "the rules of the server do not allow you to {operation}")
            }
            Self::NotRecorded(error) => {
                write!(f, "the server cannot write its record of accesses: {error}")
            }
        }
    }
}

impl Guard {
    /// Rules, and the file of the record, which is made if need be.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(rules: Rules, record: Option<&Path>) -> io::Result<Self> {
        let record = record.map(Lines::open).transpose()?;
        let record = record.map(|lines| Arc::new(Mutex::new(lines)));
        Ok(Self { rules: Arc::new(rules), record, shares: Shares::default() })
    }

    /// For what only this process asks, which needs no record.
    pub fn only_here() -> Self {
        Self { rules: Arc::new(Rules::only_here()), ..Self::default() }
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether a client may do something; it is recorded either way. What this process asks of
    /// itself was recorded before.
    ///
    /// # Errors
    /// The rules forbid it, or it cannot be recorded.
    pub fn check(
        &self,
        client: &Client,
        operation: Operation,
        subject: Subject<'_>,
    ) -> Result<(), Denied> {
        if client.place == Place::Here {
            return Ok(());
        }
        let verdict = self.verdict(client, operation);
        let (allowed, token) = match &verdict {
            Verdict::Allowed(token) => (true, token.as_deref()),
            _ => (false, None),
        };
        let outcome = if allowed { "allowed" } else { "denied" };
        let recorded = self.write(client, token, operation, subject, outcome);
        recorded.map_err(Denied::NotRecorded)?;
        match verdict {
            Verdict::Allowed(_) => Ok(()),
            Verdict::NeedsToken => Err(Denied::NeedsToken),
            Verdict::Forbidden => Err(Denied::Forbidden(operation)),
        }
    }

    pub(crate) fn verdict(&self, client: &Client, operation: Operation) -> Verdict {
        let Client { place, token, user, needs_token, .. } = client;
        match self.rules.decide_of(operation, *place, token.as_deref(), user.as_deref()) {
            Verdict::Allowed(None) if *needs_token => Verdict::NeedsToken,
            verdict => verdict,
        }
    }

    /// The same for what follows on something that was allowed and recorded: only a refusal is.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn check_again(
        &self,
        client: &Client,
        operation: Operation,
        subject: Subject<'_>,
    ) -> Result<(), Denied> {
        match self.verdict(client, operation) {
            Verdict::Allowed(_) => Ok(()),
            _ => self.check(client, operation, subject),
        }
    }

    /// Records what a rule has done, or what came of an access.
    ///
    /// # Errors
    /// It cannot be recorded.
    pub fn note(
        &self,
        client: &Client,
        operation: Operation,
        subject: Subject<'_>,
        outcome: &str,
    ) -> io::Result<()> {
        self.write(client, None, operation, subject, outcome)
    }

    fn write(
        &self,
        client: &Client,
        token: Option<&str>,
        operation: Operation,
        subject: Subject<'_>,
        outcome: &str,
    ) -> io::Result<()> {
        let Some(record) = &self.record else { return Ok(()) };
        let mut line = json!({
            "time": time(SystemTime::now()),
            "client": client.place.to_string(),
            "by": client.by,
            "operation": operation.to_string(),
            "what": subject.what,
            "outcome": outcome,
        });
        let fields = [
            ("token", token.unwrap_or_default()),
            ("user", client.user.as_deref().unwrap_or_default()),
            ("study", subject.study),
            ("series", subject.series),
            ("image", subject.image),
        ];
        for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
            line[name] = json!(value);
        }
        // One call, so that lines of several processes stay whole.
        let line = format!("{line}\n");
        record.lock().unwrap_or_else(PoisonError::into_inner).append(&line)
    }
}

/// A file to which lines are appended.
#[derive(Debug)]
struct Lines {
    path: PathBuf,
    file: File,
    /// Whether the last line may be there in part.
    is_broken_off: bool,
}

impl Lines {
    fn open(path: &Path) -> io::Result<Self> {
        // It tells who has seen which patient's images.
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        Ok(Self { path: path.to_owned(), file, is_broken_off: false })
    }

    fn append(&mut self, line: &str) -> io::Result<()> {
        let own = self.file.metadata()?;
        // Others may move it away or remove it.
        let there = fs::metadata(&self.path);
        if !there.is_ok_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino())) {
            *self = Self::open(&self.path)?;
        }
        // A part of a line may stand there. It stays: another process may have written behind it.
        let begin = if self.is_broken_off { "\n" } else { "" };
        let written = self.file.write_all(format!("{begin}{line}").as_bytes());
        self.is_broken_off = written.is_err();
        written
    }
}

/// A time as RFC 3339 has it, in UTC.
pub(crate) fn time(when: SystemTime) -> String {
    let seconds = when.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days of years that begin in March, in eras of 400 years: a leap day is a year's last.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(time(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn a_record_that_others_move_or_remove_is_begun_anew() {
        let folder = std::env::temp_dir().join(format!("armilla-record-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, aside) = (folder.join("record"), folder.join("aside"));
        let guard = Guard::new(Rules::only_here(), Some(&path)).unwrap();
        let lines = |path: &Path| fs::read_to_string(path).unwrap().lines().count();
        let client = Client::at(Place::Here, "test");
        let note = || guard.note(&client, Operation::Store, Subject::default(), "stored").unwrap();
        note();
        fs::rename(&path, &aside).unwrap();
        (0..2).for_each(|_| note());
        assert_eq!((lines(&aside), lines(&path)), (1, 2));
        fs::remove_file(&path).unwrap();
        note();
        assert_eq!(lines(&path), 1);
        // Where none can be made, nothing is done.
        fs::remove_dir_all(&folder).unwrap();
        assert!(guard.note(&client, Operation::Store, Subject::default(), "stored").is_err());
    }
}
