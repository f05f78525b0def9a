//! Where the octets of an object's transfer go, and how far it is.

use crate::Transferred;
use crate::idl::relay::Broken;
use std::io::Write;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How far the transfer is.
pub(crate) struct Progress {
    output: Box<dyn Write + Send>,
    pub(crate) begun: Option<Instant>,
    octets: u64,
    moved: Instant,
    pub(crate) outcome: Option<Result<Transferred, String>>,
}

/// Where the data go.
pub(crate) struct Sink {
    progress: Mutex<Progress>,
    changed: Condvar,
    idle: Duration,
}

impl Sink {
    /// Writes to `output`, for a sender that is never silent for longer than `idle`.
    pub(crate) fn new(output: Box<dyn Write + Send>, idle: Duration) -> Self {
        let moved = Instant::now();
        let progress = Progress { output, begun: None, octets: 0, moved, outcome: None };
        Self { progress: Mutex::new(progress), changed: Condvar::new(), idle }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the transfer without success.
    fn fail(&self, progress: &mut Progress, reason: String) -> Broken {
        progress.outcome = Some(Err(reason.clone()));
        self.changed.notify_all();
        Broken { reason }
    }

    /// Waits until everything before `offset` is written. Calls may overtake each other: while one
    /// waits for a slow writer, the ORB may serve the next in another thread.
    fn at(&self, offset: u64) -> Result<MutexGuard<'_, Progress>, Broken> {
        let missing = |it: &mut Progress| it.octets < offset && it.outcome.is_none();
        let waited = self.changed.wait_timeout_while(self.lock(), self.idle, missing);
        let (mut progress, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &progress.outcome {
            Some(Ok(_)) => return Err(Broken { reason: "the transfer is complete".to_owned() }),
            Some(Err(reason)) => return Err(Broken { reason: reason.clone() }),
            None => {}
        }
        if progress.octets != offset {
            let reason = format!("octet {} was expected, and not {offset}", progress.octets);
            return Err(self.fail(&mut progress, reason));
        }
        Ok(progress)
    }

    /// Writes while the lock is held, so that the order stays.
    pub(crate) fn write(&self, offset: u64, data: &[u8]) -> Result<(), Broken> {
        let mut progress = self.at(offset)?;
        if let Err(error) = progress.output.write_all(data) {
            return Err(self.fail(&mut progress, format!("cannot write: {error}")));
        }
        progress.octets += data.len() as u64;
        progress.moved = Instant::now();
        self.changed.notify_all();
        Ok(())
    }

    /// Begins the one transfer; false if that was done before.
    pub(crate) fn begin(&self) -> bool {
        let mut progress = self.lock();
        let first = progress.begun.is_none();
        if first {
            progress.moved = Instant::now();
            progress.begun = Some(progress.moved);
        }
        first
    }

    /// Waits until everything before `offset` is written.
    pub(crate) fn reached(&self, offset: u64) -> Result<(), Broken> {
        self.at(offset).map(drop)
    }

    /// Ends the transfer after `total` octets.
    pub(crate) fn finish(&self, total: u64) -> Result<(), Broken> {
        let mut progress = self.at(total)?;
        if let Err(error) = progress.output.flush() {
            return Err(self.fail(&mut progress, format!("cannot write: {error}")));
        }
        let begun = progress.begun.unwrap_or_else(Instant::now);
        progress.outcome = Some(Ok(Transferred::since(begun, total)));
        self.changed.notify_all();
        Ok(())
    }

    /// The sender cannot go on.
    pub(crate) fn abandon(&self, reason: &str) {
        let mut progress = self.lock();
        if progress.outcome.is_none() {
            self.fail(&mut progress, format!("the sender gave up: {reason}"));
        }
    }

    /// Waits for the end, or for a sender from which nothing comes any more.
    pub(crate) fn await_end(&self) {
        let mut progress = self.lock();
        while progress.outcome.is_none() {
            let waited = self.changed.wait_timeout(progress, self.idle);
            progress = waited.unwrap_or_else(PoisonError::into_inner).0;
            if progress.begun.is_some() && progress.moved.elapsed() >= self.idle {
                let (octets, idle) = (progress.octets, self.idle);
                self.fail(
                    &mut progress,
                    format!("after {octets} octets nothing came for {idle:?}"),
                );
            }
        }
    }
}
