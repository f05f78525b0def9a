//! The record of who has done what: JSON, a line for each request.

use crate::caller::Caller;
use armilla_ipc::{Address, Credentials};
use rustix::fs::OFlags;
use std::fmt::{self, Write as _};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest text of a caller that a record has, in characters; the rest is cut.
const MAX_TEXT: usize = 1024;

/// What a server does while its record cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFailure {
    /// It goes on, and counts what is lost.
    #[default]
    GoOn,
    /// It refuses requests with `TRANSIENT`, until the record can be written again. What a request
    /// has ended with before that was noticed is lost, and counted.
    Refuse,
}

/// Which requests are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recorded {
    /// All.
    #[default]
    All,
    /// Those that are refused or denied.
    Refused,
}

/// How a record is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditOptions {
    /// Which requests are recorded.
    pub recorded: Recorded,
    /// What happens while it cannot be written.
    pub on_failure: OnFailure,
    /// The size in octets at which a file is put aside. Default: 16 MiB.
    pub size: u64,
    /// How many files are kept beside the current one, as `NAME.1`, the newest, `NAME.2` and so on.
    /// Default: 8.
    pub files: usize,
}

impl Default for AuditOptions {
    fn default() -> Self {
        let (recorded, on_failure) = (Recorded::default(), OnFailure::default());
        Self { recorded, on_failure, size: 16 << 20, files: 8 }
    }
}

/// A record of who has done what. Clones are the same record; several servers may share it.
///
/// A line has the time, the caller with its proof, who acts for it and its address, the object, the
/// operation, the outcome, and the duration in microseconds; never an argument or a result. The
/// line of a refused request has the reason, which the client is not told.
#[derive(Clone)]
pub struct Audit(Arc<Inner>);

struct Inner {
    path: PathBuf,
    options: AuditOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    file: Option<File>,
    /// The device and the number of the file: others may move it away, remove or shorten it.
    identity: (u64, u64),
    size: u64,
    lost: u64,
    is_failing: bool,
}

/// How a record fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditHealth {
    /// Whether the last line was not written.
    pub is_failing: bool,
    /// How many lines were lost.
    pub lost: u64,
}

/// What is recorded of a request, or of what else a server is asked for, as by a web page.
#[derive(Debug)]
pub struct Record<'r> {
    /// Who calls, as far as that is known.
    pub caller: Option<&'r Caller>,
    /// The address of the client.
    pub address: &'r Address,
    /// The POA, or what stands in its place: `page`.
    pub adapter: &'r str,
    /// The id of the object as text.
    pub object: &'r str,
    /// What was to be done.
    pub operation: &'r str,
    /// What came of it.
    pub outcome: Outcome<'r>,
    /// How long it took.
    pub duration: Duration,
}

/// What a request has ended with.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Outcome<'o> {
    /// It was done.
    Ok,
    /// It failed, with this exception.
    Exception(&'o str),
    /// Forwarded.
    Elsewhere,
    /// Denied by the rule in this line, or by none.
    Denied(Option<usize>),
    /// The client has not shown who it is, or something wrong.
    Refused(&'o str),
}

impl Audit {
    /// A record in a file, to which lines are appended, and which only its owner may read.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: impl Into<PathBuf>, options: AuditOptions) -> io::Result<Self> {
        let path = path.into();
        let mut state = State::default();
        state.reopen(&path)?;
        Ok(Self(Arc::new(Inner { path, options, state: Mutex::new(state) })))
    }

    /// How the record fares, for a page of health.
    pub fn health(&self) -> AuditHealth {
        let State { is_failing, lost, .. } = *self.state();
        AuditHealth { is_failing, lost }
    }

    /// Whether requests are refused, because the record cannot be written. Tries to write again.
    pub fn refuses(&self) -> bool {
        if self.0.options.on_failure == OnFailure::GoOn {
            return false;
        }
        let mut state = self.state();
        if state.is_failing {
            let mut line = String::new();
            // A string takes every character.
            let _ = write!(line, "{{\"time\":\"{}\"", Utc(SystemTime::now()));
            let _ = writeln!(line, ",\"event\":\"recording again\",\"lost\":{}}}", state.lost);
            self.append(&mut state, &line);
        }
        state.is_failing
    }

    /// Records a request.
    pub fn note(&self, record: &Record<'_>) {
        let is_refused = matches!(record.outcome, Outcome::Denied(_) | Outcome::Refused(_));
        if self.0.options.recorded == Recorded::Refused && !is_refused {
            return;
        }
        let line = record.to_line(SystemTime::now());
        let mut state = self.state();
        self.append(&mut state, &line);
        if state.is_failing {
            state.lost += 1;
        }
    }

    fn append(&self, state: &mut State, line: &str) {
        let was_failing = state.is_failing;
        let written = state.append(&self.0.path, &self.0.options, line);
        state.is_failing = written.is_err();
        match (written, was_failing) {
            (Err(error), false) => {
                let file = self.0.path.display();
                tracing::error!(%file, %error, "the audit record cannot be written");
            }
            (Ok(()), true) => {
                tracing::warn!(lost = state.lost, "the audit record is written again")
            }
            _ => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit").field("path", &self.0.path).finish_non_exhaustive()
    }
}

impl State {
    fn reopen(&mut self, path: &Path) -> io::Result<()> {
        self.file = None;
        let mut options = OpenOptions::new();
        options.create(true).append(true).mode(0o600);
        // No call waits for whoever reads a pipe.
        options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
        let file = options.open(path)?;
        let metadata = file.metadata()?;
        (self.size, self.identity) = (metadata.len(), identity(&metadata));
        self.file = Some(file);
        Ok(())
    }

    /// Looks at the file by its name. One that was moved away or removed is not written any more.
    fn look(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(found) if identity(&found) == self.identity => self.size = found.len(),
            _ => self.file = None,
        }
    }

    fn append(&mut self, path: &Path, options: &AuditOptions, line: &str) -> io::Result<()> {
        if self.file.is_some() {
            self.look(path);
        }
        if self.size >= options.size && self.size > 0 {
            self.file = None;
            rotate(path, options.files)?;
        }
        if self.file.is_none() {
            self.reopen(path)?;
        }
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::NotFound.into()) };
        match file.write_all(line.as_bytes()) {
            Ok(()) => {
                self.size += line.len() as u64;
                Ok(())
            }
            Err(error) => {
                // A part of the line would stand before the next one.
                file.set_len(self.size).ok();
                self.file = None;
                Err(error)
            }
        }
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Puts a file aside: `NAME` becomes `NAME.1`, `NAME.1` becomes `NAME.2`, and the last one goes.
fn rotate(path: &Path, files: usize) -> io::Result<()> {
    let numbered = |number: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    let gone = |result: io::Result<()>| match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    };
    if files == 0 {
        return gone(fs::remove_file(path));
    }
    for number in (1..files).rev() {
        gone(fs::rename(numbered(number), numbered(number + 1)))?;
    }
    gone(fs::rename(path, numbered(1)))
}

impl Record<'_> {
    fn to_line(&self, now: SystemTime) -> String {
        let mut line = String::with_capacity(256);
        // A string takes every character.
        let _ = write!(line, "{{\"time\":\"{}\"", Utc(now));
        if let Some(caller) = self.caller {
            text(&mut line, "caller", &caller.principal().to_string());
            text(&mut line, "proof", caller.proof().name());
            if let Some((through, proof)) = caller.through() {
                text(&mut line, "through", &through.to_string());
                text(&mut line, "through_proof", proof.name());
            }
            if let Some(Credentials { process, user, group }) = caller.credentials() {
                let _ = write!(line, ",\"process\":{process},\"uid\":{user},\"gid\":{group}");
            }
        }
        text(&mut line, "address", &self.address.to_string());
        text(&mut line, "poa", self.adapter);
        text(&mut line, "object", self.object);
        text(&mut line, "operation", self.operation);
        match self.outcome {
            Outcome::Ok => text(&mut line, "outcome", "ok"),
            Outcome::Exception(id) => {
                text(&mut line, "outcome", "exception");
                text(&mut line, "exception", id);
            }
            Outcome::Elsewhere => text(&mut line, "outcome", "elsewhere"),
            Outcome::Denied(rule) => {
                text(&mut line, "outcome", "denied");
                let _ = match rule {
                    Some(rule) => write!(line, ",\"rule\":{rule}"),
                    None => write!(line, ",\"rule\":null"),
                };
            }
            Outcome::Refused(why) => {
                text(&mut line, "outcome", "refused");
                text(&mut line, "why", why);
            }
        }
        let _ = writeln!(line, ",\"us\":{}}}", self.duration.as_micros());
        line
    }
}

/// Writes a member, if it has a value.
fn text(line: &mut String, name: &str, value: &str) {
    if value.is_empty() {
        return;
    }
    // A string takes every character.
    let _ = write!(line, ",\"{name}\":\"");
    for character in value.chars().take(MAX_TEXT) {
        let _ = match character {
            '"' | '\\' => write!(line, "\\{character}"),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                write!(line, "\\u{:04x}", character as u32)
            }
            character => line.write_char(character),
        };
    }
    line.push('"');
}

/// A time in UTC, to the millisecond (RFC 3339).
struct Utc(SystemTime);

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.0.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (seconds, millis) = (since.as_secs(), since.subsec_millis());
        // Days from the first of March of the year 0, so that leap days end years.
        let days = seconds / 86_400 + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        let year = year + era * 400 + next;
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record<'r>(address: &'r Address, operation: &'r str, outcome: Outcome<'r>) -> Record<'r> {
        let duration = Duration::from_micros(12);
        let (adapter, object) = ("RootPOA", "acc");
        Record { caller: None, address, adapter, object, operation, outcome, duration }
    }

    #[test]
    fn a_line_is_json_whatever_names_have() {
        let address = Address::tcp("192.0.2.1", 4000);
        let at = UNIX_EPOCH + Duration::from_millis(1_795_797_000_123);
        let line = record(&address, "a\"b\\c\n\u{9b}", Outcome::Denied(Some(7))).to_line(at);
        assert_eq!(
            line,
            "{\"time\":\"2026-11-27T16:30:00.123Z\",\"address\":\"tcp://192.0.2.1:4000\",\
             \"poa\":\"RootPOA\",\"object\":\"acc\",\"operation\":\"a\\\"b\\\\c\\u000a\\u009b\",\
             \"outcome\":\"denied\",\"rule\":7,\"us\":12}\n"
        );
        let leap = UNIX_EPOCH + Duration::from_secs(1_709_164_800);
        assert_eq!(Utc(leap).to_string(), "2024-02-29T00:00:00.000Z");
    }

    #[test]
    fn files_are_put_aside_and_bounded() {
        let folder = std::env::temp_dir().join(format!("armilla-audit-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("audit");
        let options = AuditOptions { size: 200, files: 2, ..AuditOptions::default() };
        let audit = Audit::open(&path, options).unwrap();
        let address = Address::tcp("192.0.2.1", 4000);
        for _ in 0..50 {
            audit.note(&record(&address, "balance", Outcome::Ok));
        }
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["audit", "audit.1", "audit.2"]);
        assert!(fs::metadata(&path).unwrap().len() < 500);
        assert_eq!(audit.health(), AuditHealth::default());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_counted_and_refused_where_that_is_set() {
        let folder = std::env::temp_dir().join(format!("armilla-full-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("audit");
        let options =
            AuditOptions { on_failure: OnFailure::Refuse, size: 1, ..AuditOptions::default() };
        let audit = Audit::open(&path, options).unwrap();
        let address = Address::tcp("192.0.2.1", 4000);
        audit.note(&record(&address, "balance", Outcome::Ok));
        fs::remove_dir_all(&folder).unwrap();
        audit.note(&record(&address, "balance", Outcome::Ok));
        assert_eq!(audit.health(), AuditHealth { is_failing: true, lost: 1 });
        assert!(audit.refuses());
        fs::create_dir_all(&folder).unwrap();
        assert!(!audit.refuses());
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("\"event\":\"recording again\",\"lost\":1"), "{text}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_that_others_move_remove_or_shorten_is_begun_anew() {
        let folder = std::env::temp_dir().join(format!("armilla-moved-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, aside) = (folder.join("audit"), folder.join("aside"));
        let options = AuditOptions { size: 500, files: 1, ..AuditOptions::default() };
        let audit = Audit::open(&path, options).unwrap();
        let address = Address::tcp("192.0.2.1", 4000);
        let lines = |path: &Path| fs::read_to_string(path).unwrap().lines().count();
        let note = || audit.note(&record(&address, "balance", Outcome::Ok));
        note();
        fs::rename(&path, &aside).unwrap();
        (0..2).for_each(|_| note());
        assert_eq!((lines(&aside), lines(&path)), (1, 2));
        fs::remove_file(&path).unwrap();
        note();
        assert_eq!(lines(&path), 1);
        // As a program does that copies it first: the size is that of now.
        (0..2).for_each(|_| note());
        fs::write(&path, "").unwrap();
        (0..3).for_each(|_| note());
        assert_eq!((lines(&path), folder.join("audit.1").exists()), (3, false));
        assert_eq!(audit.health(), AuditHealth::default());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_pipe_that_nobody_reads_stops_no_call() {
        let folder = std::env::temp_dir().join(format!("armilla-pipe-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("audit");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).unwrap();
        assert!(Audit::open(&path, AuditOptions::default()).is_err(), "nobody has opened it");
        let reader = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let audit = Audit::open(&path, AuditOptions::default()).unwrap();
        let address = Address::tcp("192.0.2.1", 4000);
        // More than a pipe holds.
        (0..20_000).for_each(|_| audit.note(&record(&address, "balance", Outcome::Ok)));
        let AuditHealth { is_failing, lost } = audit.health();
        assert!(is_failing && (1..20_000).contains(&lost), "{lost}");
        drop(reader);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_full_disk_is_seen() {
        let audit = Audit::open("/dev/full", AuditOptions::default()).unwrap();
        let address = Address::tcp("192.0.2.1", 4000);
        (0..2).for_each(|_| audit.note(&record(&address, "balance", Outcome::Ok)));
        assert_eq!(audit.health(), AuditHealth { is_failing: true, lost: 2 });
    }
}
