//! Work in the background that begins anew again and again, until its owner ends it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A thread that works in rounds. Dropping it ends it, and waits for that.
///
/// ```
/// use armilla_service::Rounds;
/// use std::sync::mpsc;
/// use std::time::Duration;
///
/// let (send, received) = mpsc::channel();
/// let rounds = Rounds::start("checker", Duration::ZERO, move |pause| {
///     send.send("round").ok();
///     pause.wait(Duration::from_millis(1))
/// })?;
/// assert_eq!(received.recv(), received.recv());
/// drop(rounds);
/// assert!(received.iter().count() < 1_000_000, "it has ended");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Rounds {
    pause: Pause,
    thread: Option<JoinHandle<()>>,
}

impl Rounds {
    /// Does `round` in a thread of its own, until it returns `false`: that it was ended, as
    /// [`Pause::wait`] says. `interval` is the time from the beginning of a round to that of the
    /// next one. A panic costs the rest of its round.
    ///
    /// # Errors
    /// The system has no thread.
    pub fn start(
        name: &str,
        interval: Duration,
        mut round: impl FnMut(&Pause) -> bool + Send + 'static,
    ) -> io::Result<Self> {
        let pause = Pause::default();
        let of_thread = pause.clone();
        let work = move || {
            loop {
                let begun = Instant::now();
                let done = catch_unwind(AssertUnwindSafe(|| round(&of_thread)));
                let goes_on = done.unwrap_or_else(|_| {
                    tracing::error!("a round of work in the background panicked");
                    true
                });
                if !goes_on || !of_thread.wait(interval.saturating_sub(begun.elapsed())) {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Self { pause, thread: Some(thread) })
    }
}

impl Rounds {
    pub(crate) const fn pause(&self) -> &Pause {
        &self.pause
    }
}

impl Drop for Rounds {
    fn drop(&mut self) {
        *self.pause.lock() = true;
        self.pause.0.1.notify_all();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// How a round waits.
#[derive(Debug, Clone, Default)]
pub struct Pause(Arc<(Mutex<bool>, Condvar)>);

impl Pause {
    /// Waits, and returns whether the rounds go on: `false` as soon as they are ended.
    pub fn wait(&self, time: Duration) -> bool {
        let waited = self.0.1.wait_timeout_while(self.lock(), time, |ended| !*ended);
        !*waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits until `ready` says so, who is asked again at each [`wake`](Self::wake), and returns whether
    /// the rounds go on.
    pub(crate) fn until(&self, ready: impl Fn() -> bool) -> bool {
        let waited = self.0.1.wait_while(self.lock(), |ended| !*ended && !ready());
        !*waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets who waits [until](Self::until) something is so look. Returns whether the rounds go on.
    pub(crate) fn wake(&self) -> bool {
        let goes_on = !*self.lock();
        self.0.1.notify_all();
        goes_on
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
