//! What keeps a server secure while it runs: files that are read again on SIGHUP, the record of
//! calls, and the limits of clients; and what operators are told of them.

use armilla_ipc::Hangups;
use armilla_security::{AccessFile, Audit, AuditHealth, Limits, PasswordFile, Watched};
use armilla_tls::Tls;
use std::fmt::{self, Display, Write as _};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A file, or several, that a server reads again while it runs.
pub trait Reload: Send + Sync + 'static {
    /// Reads it now.
    ///
    /// # Errors
    /// What is wrong, and where; what was read before stays in use.
    fn reload(&self) -> Result<(), String>;

    /// What is wrong with it now, if what was read before is in use instead.
    fn fault(&self) -> Option<String>;
}

/// What a server keeps up, which an operator sees and reloads. Clones share it.
///
/// [`ConsoleOptions::upkeep`](crate::ConsoleOptions::upkeep) shows it: `/healthz` has a line for each
/// file that is wrong, though the server goes on with what it has read before, and one while calls
/// cannot be recorded; `/metrics` has the counts.
#[derive(Clone, Default)]
pub struct Upkeep(Arc<Shared>);

#[derive(Default)]
struct Shared {
    files: Mutex<Vec<(&'static str, Arc<dyn Reload>)>>,
    audit: Mutex<Option<Audit>>,
    limits: Mutex<Option<Limits>>,
    reloads: AtomicU64,
}

impl Upkeep {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, of which operators are told by this name.
    pub fn file(&self, what: &'static str, file: impl Reload) {
        lock(&self.0.files).push((what, Arc::new(file)));
    }

    /// The record of calls.
    pub fn audit(&self, audit: Audit) {
        *lock(&self.0.audit) = Some(audit);
    }

    /// The limits of clients, which hold for a page, too.
    pub fn limits(&self, limits: Limits) {
        *lock(&self.0.limits) = Some(limits);
    }

    /// The limits, if there are any.
    pub(crate) fn its_limits(&self) -> Option<Limits> {
        lock(&self.0.limits).clone()
    }

    /// Reads all files again. What is wrong with one is logged, and keeps no other from being read.
    pub fn reload(&self) {
        for (what, file) in self.files() {
            match file.reload() {
                Ok(()) => tracing::info!("{what}: read again"),
                Err(why) => tracing::error!("{what}: {why}; what was read before stays in use"),
            }
        }
        self.0.reloads.fetch_add(1, Ordering::Relaxed);
    }

    /// Reads all files again at each SIGHUP, in a thread of its own, as long as the process runs.
    ///
    /// # Errors
    /// The system gives no thread, or no descriptors for the signal.
    pub fn reload_on_hangup(&self) -> io::Result<()> {
        let mut hangups = Hangups::install()?;
        let upkeep = self.clone();
        let serve = move || {
            while hangups.wait() {
                upkeep.reload();
            }
        };
        thread::Builder::new().name("armilla-hangup".to_owned()).spawn(serve).map(drop)
    }

    /// What an operator should know though the server does its work.
    pub(crate) fn notes(&self) -> Vec<String> {
        let files = self.files().into_iter();
        let faults = files.filter_map(|(what, file)| Some((what, file.fault()?)));
        let mut notes: Vec<String> = faults
            .map(|(what, why)| {
                let why = why.replace('\n', " ");
                format!("warning: {what}: {why}; what was read before stays in use")
            })
            .collect();
        if let Some((lost, false)) = self.lost() {
            notes.push(format!(
                "warning: calls cannot be recorded, and go on; {lost} are not in the record"
            ));
        }
        notes
    }

    /// Whether the server refuses calls because it cannot record them.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.lost() {
            Some((_, true)) => Err("calls cannot be recorded, and are refused until that is so \
                                    (--audit-or-refuse)"
                .to_owned()),
            _ => Ok(()),
        }
    }

    /// While the record cannot be written: how many calls it lacks, and whether they are refused.
    fn lost(&self) -> Option<(u64, bool)> {
        let audit = lock(&self.0.audit).clone()?;
        // Asking whether it refuses tries to write again.
        let refuses = audit.refuses();
        let AuditHealth { is_failing, lost, .. } = audit.health();
        is_failing.then_some((lost, refuses))
    }

    pub(crate) fn metrics(&self) -> String {
        let mut text = String::new();
        let files = self.files();
        let faults = files.iter().filter(|(_, file)| file.fault().is_some()).count();
        let reloads = self.0.reloads.load(Ordering::Relaxed);
        number(&mut text, "reloads_total", "counter", "How often SIGHUP had files read.", reloads);
        let help = "Files that cannot be read as they are now: what was read before is in use.";
        number(&mut text, "files_wrong", "gauge", help, faults);
        if let Some(audit) = lock(&self.0.audit).clone() {
            let AuditHealth { is_failing, lost, .. } = audit.health();
            let help = "Whether calls cannot be recorded now.";
            number(&mut text, "audit_failing", "gauge", help, u8::from(is_failing));
            number(&mut text, "audit_lost_total", "counter", "Calls that are not recorded.", lost);
        }
        text + &self.its_limits().map(|limits| limits.to_prometheus()).unwrap_or_default()
    }

    fn files(&self) -> Vec<(&'static str, Arc<dyn Reload>)> {
        lock(&self.0.files).clone()
    }
}

impl fmt::Debug for Upkeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<_> = self.files().into_iter().map(|(what, _)| what).collect();
        f.debug_struct("Upkeep").field("files", &files).finish_non_exhaustive()
    }
}

/// Adds a metric to a text, which takes everything.
fn number(text: &mut String, name: &str, kind: &str, help: &str, value: impl Display) {
    let name = format!("armilla_{name}");
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reload for Tls {
    fn reload(&self) -> Result<(), String> {
        Self::reload(self)
    }

    fn fault(&self) -> Option<String> {
        Self::fault(self)
    }
}

impl Reload for PasswordFile {
    fn reload(&self) -> Result<(), String> {
        Self::reload(self).map_err(|error| error.to_string())
    }

    fn fault(&self) -> Option<String> {
        Self::fault(self)
    }
}

impl Reload for AccessFile {
    fn reload(&self) -> Result<(), String> {
        Self::reload(self).map_err(|error| error.to_string())
    }

    fn fault(&self) -> Option<String> {
        Self::fault(self)
    }
}

impl<T: Send + Sync + 'static, E: Display + 'static> Reload for Watched<T, E> {
    fn reload(&self) -> Result<(), String> {
        Self::reload(self).map_err(|error| error.to_string())
    }

    fn fault(&self) -> Option<String> {
        Self::fault(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_that_is_wrong_keeps_no_other_from_being_read() {
        struct Wrong;
        impl Reload for Wrong {
            fn reload(&self) -> Result<(), String> {
                Err("line 7:\nnonsense".to_owned())
            }
            fn fault(&self) -> Option<String> {
                self.reload().err()
            }
        }
        struct Counted(Arc<AtomicU64>);
        impl Reload for Counted {
            fn reload(&self) -> Result<(), String> {
                self.0.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            fn fault(&self) -> Option<String> {
                None
            }
        }
        let (upkeep, read) = (Upkeep::new(), Arc::<AtomicU64>::default());
        upkeep.file("rules", Wrong);
        upkeep.file("passwords", Counted(read.clone()));
        upkeep.reload();
        upkeep.reload();
        assert_eq!(read.load(Ordering::Relaxed), 2);
        let notes = upkeep.notes();
        assert_eq!(notes.len(), 1);
        assert!(notes[0].starts_with("warning: rules: line 7: nonsense;"), "{notes:?}");
        let text = upkeep.metrics();
        assert!(text.contains("\narmilla_reloads_total 2\n"), "{text}");
        assert!(text.contains("\narmilla_files_wrong 1\n"), "{text}");
        assert_eq!(upkeep.check(), Ok(()));
    }
}
