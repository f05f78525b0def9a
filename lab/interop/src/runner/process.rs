//! Child processes that do not outlive the runner, temporary directories, free ports.

use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often a condition is looked at that cannot be waited for.
const PERIOD: Duration = Duration::from_millis(5);

/// A running program, killed when it is dropped: also when a check panics.
#[derive(Debug)]
pub struct Process {
    child: Child,
    name: String,
    log: PathBuf,
}

impl Process {
    /// Starts `command`, with its output in a file in `directory`.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command, directory: &Path) -> Result<Self, Box<dyn Error>> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let program = PathBuf::from(command.get_program());
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let log = directory.join(format!("{number}-{name}.log"));
        let output = File::create(&log)?;
        let child = command
            .stdin(Stdio::null())
            .stderr(output.try_clone()?)
            .stdout(output)
            .spawn()
            .map_err(|error| format!("{} cannot be started: {error}", program.display()))?;
        Ok(Self { child, name, log })
    }

    /// What it has written so far, to standard output and standard error.
    pub fn output(&self) -> String {
        let octets = fs::read(&self.log).unwrap_or_default();
        String::from_utf8_lossy(&octets).into_owned()
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// When it does not end in time; it is killed then.
    pub fn wait(&mut self, limit: Duration) -> Result<ExitStatus, Box<dyn Error>> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() >= deadline {
                self.kill();
                return Err(self.describe(&format!("did not end within {limit:?}")).into());
            }
            thread::sleep(PERIOD);
        }
    }

    /// Waits until `found` finds something, as long as the program runs.
    ///
    /// # Errors
    /// When the program ends or the time does.
    pub fn wait_for<T>(
        &mut self,
        what: &str,
        limit: Duration,
        mut found: impl FnMut() -> Option<T>,
    ) -> Result<T, Box<dyn Error>> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(found) = found() {
                return Ok(found);
            }
            if let Some(status) = self.child.try_wait()? {
                return Err(self.describe(&format!("ended with {status} before {what}")).into());
            }
            if Instant::now() >= deadline {
                return Err(self.describe(&format!("{limit:?} passed before {what}")).into());
            }
            thread::sleep(PERIOD);
        }
    }

    /// Asks it to end, with SIGTERM, and waits until it has.
    ///
    /// # Errors
    /// When it cannot be asked, or does not end in time.
    pub fn terminate(&mut self, limit: Duration) -> Result<ExitStatus, Box<dyn Error>> {
        let id = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status()?;
        if !asked.success() {
            return Err(self.describe("could not be signalled").into());
        }
        self.wait(limit)
    }

    fn kill(&mut self) {
        // It has ended already, or there is nothing more to be done.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn describe(&self, what: &str) -> String {
        let output = self.output();
        let last = output.lines().rev().take(3).collect::<Vec<_>>();
        let last: Vec<_> = last.into_iter().rev().collect();
        format!("{} {what}; it wrote: {}", self.name, last.join(" | "))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A directory that is removed, with all that is in it, when it is dropped.
#[derive(Debug)]
pub struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    /// Makes one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> io::Result<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("armilla-interop-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("{} could not be removed: {error}", self.0.display());
        }
    }
}

/// A port of the loopback that nobody listens at, for a program that must be told one. Somebody
/// else may take it before that program does, though hardly ever does.
///
/// # Errors
/// When there is none.
pub fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    fn shell(script: &str, directory: &TemporaryDirectory) -> Process {
        Process::start(Command::new("sh").args(["-c", script]), directory.path()).unwrap()
    }

    #[test]
    fn output_and_status_of_a_program_are_kept() {
        let directory = TemporaryDirectory::new().unwrap();
        let mut process = shell("echo out; echo err >&2; exit 3", &directory);
        assert_eq!(process.wait(LIMIT).unwrap().code(), Some(3));
        assert_eq!(process.output(), "out\nerr\n");
    }

    #[test]
    fn a_program_that_hangs_is_killed_and_named() {
        let directory = TemporaryDirectory::new().unwrap();
        let mut process = shell("echo busy; exec sleep 60", &directory);
        process.wait_for("it said so", LIMIT, || Some(())).unwrap();
        let error = process.wait(Duration::from_millis(50)).unwrap_err().to_string();
        assert!(error.starts_with("sh did not end within 50ms"), "{error}");
    }

    #[test]
    fn waiting_ends_with_the_program() {
        let directory = TemporaryDirectory::new().unwrap();
        let mut process = shell("echo reason; exit 1", &directory);
        let error = process.wait_for("a wonder", LIMIT, || None::<()>).unwrap_err().to_string();
        assert!(error.contains("before a wonder; it wrote: reason"), "{error}");
    }

    #[test]
    fn a_temporary_directory_disappears_with_what_is_in_it() {
        let directory = TemporaryDirectory::new().unwrap();
        let path = directory.path().to_owned();
        fs::write(path.join("file"), "text").unwrap();
        drop(directory);
        assert!(!path.exists());
    }
}
