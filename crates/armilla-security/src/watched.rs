//! A file that is read again when it has changed.

use std::fmt::{self, Display};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

/// How often a file is looked at for changes.
const LOOK: Duration = Duration::from_secs(1);

/// How long nobody has written to a file before it is read: half of one may say what none says.
const SETTLED: Duration = Duration::from_millis(100);

/// What a file holds, which is read again when it has changed: within a second of the next look at
/// it, or at once by [`reload`](Self::reload). One that is just being written is left until that is
/// over; better is to put a new file in its place. What cannot be read leaves what was read before in
/// use; the log says so once, and [`fault`](Self::fault) for as long as it is so. Clones share it.
///
/// ```
/// use armilla_security::Watched;
///
/// # let path = std::env::temp_dir().join(format!("armilla-watched-{}", std::process::id()));
/// std::fs::write(&path, "7")?;
/// let number = Watched::open("number", &path, |path| -> Result<u32, String> {
///     let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
///     text.parse().map_err(|error| format!("{}: {error}", path.display()))
/// })?;
/// std::fs::write(&path, "seven")?;
/// assert!(number.reload().is_err());
/// assert_eq!(*number.current(), 7);
/// assert!(number.fault().unwrap().contains("invalid digit"));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Watched<T, E = String>(Arc<File<T, E>>);

struct File<T, E> {
    what: &'static str,
    /// `None` for what does not change.
    source: Option<Source<T, E>>,
    value: RwLock<Arc<T>>,
    generation: AtomicU64,
    opened: Instant,
    /// When the file was looked at last, in nanoseconds since it was opened.
    looked: AtomicU64,
    seen: Mutex<Seen>,
}

struct Source<T, E> {
    path: PathBuf,
    read: fn(&Path) -> Result<T, E>,
}

/// What was seen at the last look.
struct Seen {
    stamp: Option<Stamp>,
    fault: Option<String>,
}

/// What tells whether a file was changed.
type Stamp = (SystemTime, u64, u64);

impl<T, E: Display> Watched<T, E> {
    /// Reads a file, of which the log speaks as `what`.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn open(
        what: &'static str,
        path: impl Into<PathBuf>,
        read: fn(&Path) -> Result<T, E>,
    ) -> Result<Self, E> {
        let path = path.into();
        // Looked at first: what changes while it is read is read once more.
        let stamp = stamp(&path);
        let value = read(&path)?;
        Ok(Self::new(what, Some(Source { path, read }), value, stamp))
    }

    /// What does not change.
    pub fn fixed(value: T) -> Self {
        Self::new("", None, value, None)
    }

    fn new(
        what: &'static str,
        source: Option<Source<T, E>>,
        value: T,
        stamp: Option<Stamp>,
    ) -> Self {
        let seen = Mutex::new(Seen { stamp, fault: None });
        let (generation, looked) = Default::default();
        let (value, opened) = (RwLock::new(Arc::new(value)), Instant::now());
        Self(Arc::new(File { what, source, value, generation, opened, looked, seen }))
    }

    /// The file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.0.source.as_ref().map(|source| &*source.path)
    }

    /// What the file holds now.
    pub fn current(&self) -> Arc<T> {
        self.look_if_due();
        self.0.value.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the file again now, whatever its times say.
    ///
    /// # Errors
    /// Those of `read`: what was read before stays.
    pub fn reload(&self) -> Result<(), E> {
        let Some(source) = &self.0.source else { return Ok(()) };
        self.read(source, &mut self.seen())
    }

    /// Looks at the file now, and reads it if it was changed.
    pub fn look(&self) {
        let Some(source) = &self.0.source else { return };
        let mut seen = self.seen();
        let found = stamp(&source.path);
        if is_being_written(seen.stamp, found, SystemTime::now()) {
            return self.note_look(SETTLED);
        }
        self.note_look(LOOK);
        if found == seen.stamp {
            return;
        }
        if let Err(error) = self.read(source, &mut seen) {
            let what = self.0.what;
            tracing::error!(%error, "the {what} stay as they were read before");
        }
    }

    /// What is wrong with the file now, if something is: what was read before is in use.
    pub fn fault(&self) -> Option<String> {
        self.look_if_due();
        self.seen().fault.clone()
    }

    /// How often the file was read again.
    pub fn generation(&self) -> u64 {
        self.look_if_due();
        self.0.generation.load(Ordering::Acquire)
    }

    /// Each call asks this, so it takes no lock.
    fn look_if_due(&self) {
        let looked = Duration::from_nanos(self.0.looked.load(Ordering::Relaxed));
        if self.0.source.is_some() && self.0.opened.elapsed().saturating_sub(looked) >= LOOK {
            self.look();
        }
    }

    /// Has the next look follow in a while, of [`LOOK`] at most.
    fn note_look(&self, next: Duration) {
        let looked = (self.0.opened.elapsed() + next).saturating_sub(LOOK).as_nanos();
        self.0.looked.store(u64::try_from(looked).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn read(&self, source: &Source<T, E>, seen: &mut Seen) -> Result<(), E> {
        seen.stamp = stamp(&source.path);
        self.note_look(LOOK);
        let read = (source.read)(&source.path);
        seen.fault = read.as_ref().err().map(E::to_string);
        *self.0.value.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(read?);
        self.0.generation.fetch_add(1, Ordering::Release);
        let what = self.0.what;
        tracing::info!(file = %source.path.display(), "the {what} were read again");
        Ok(())
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T, E> Clone for Watched<T, E> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T, E> fmt::Debug for Watched<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.source.as_ref().map(|source| &source.path);
        f.debug_struct("Watched").field("path", &path).finish_non_exhaustive()
    }
}

/// Whether the file of before has other content, and perhaps not all of it yet. One that has taken its
/// place is whole.
fn is_being_written(before: Option<Stamp>, found: Option<Stamp>, now: SystemTime) -> bool {
    let Some(((_, _, before), (written, _, file))) = before.zip(found) else { return false };
    before == file && now.duration_since(written).is_ok_and(|since| since < SETTLED)
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_once_nobody_writes_to_it() {
        let at = |millis| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        let (before, other) = ((at(0), 7, 1), (at(0), 7, 2));
        let waits = |found, now| is_being_written(Some(before), Some(found), at(now));
        assert!(waits((at(5000), 0, 1), 5000) && waits((at(5000), 3, 1), 5099));
        assert!(!waits((at(5000), 3, 1), 5100), "it is written");
        assert!(!waits((at(5000), 3, 1), 4000), "a clock is wrong");
        assert!(!waits((at(5000), 3, 2), 5000), "another file has taken its place");
        assert!(!is_being_written(None, Some(other), at(0)), "there was none");
        assert!(!is_being_written(Some(before), None, at(0)), "it is gone");
    }
}
