//! Three threads of one processor: an urgent one that waits for a mutex, its holder of low
//! priority, and one of middle priority that only computes.

use super::super::{Outcome, Worker};
use super::{number, option, work};
use armilla_ipc::real_time::{PiMutex, Scheduling, Semaphore, lock_memory, monotonic_now};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long the mutex is held, and for how long middle priority computes.
const SECTION: Duration = Duration::from_micros(500);
const MIDDLE: Duration = Duration::from_millis(3);

/// A mutex of either kind.
enum Lock {
    Inheritance(PiMutex<()>),
    Plain(Mutex<()>),
}

impl Lock {
    /// Does `section` while it is held.
    fn hold(&self, section: impl FnOnce()) {
        match self {
            Self::Inheritance(mutex) => {
                let _held = mutex.lock();
                section();
            }
            Self::Plain(mutex) => {
                let _held = mutex.lock().unwrap_or_else(PoisonError::into_inner);
                section();
            }
        }
    }
}

/// What the threads of a round tell one another.
#[derive(Default)]
struct Signals {
    low: Semaphore,
    middle: Semaphore,
    held: Semaphore,
    done: Semaphore,
    over: AtomicBool,
}

/// Ends the threads, however the run ends.
struct Ending<'s>(&'s Signals);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::SeqCst);
        self.0.low.release();
        self.0.middle.release();
    }
}

pub(super) fn run(worker: &Worker) -> Outcome {
    if let Err(error) = lock_memory() {
        eprintln!("the worker: {error}");
    }
    let rounds = number(worker, "rounds")?;
    let lock = match option(worker, "kind") {
        Some("plain") => Lock::Plain(Mutex::new(())),
        _ => Lock::Inheritance(PiMutex::new(())),
    };
    // Threads inherit the class, and lower themselves.
    Scheduling::Fifo { priority: 90 }.apply()?;
    let signals = Signals::default();
    let mut waits = thread::scope(|scope| -> Outcome<Vec<Duration>> {
        let ending = Ending(&signals);
        let low = scope.spawn(|| holder(&lock, &signals));
        let middle = scope.spawn(|| busy(&signals));
        let waits = (0..rounds).map(|_| round(&lock, &signals)).collect();
        drop(ending);
        for thread in [low, middle] {
            thread.join().map_err(|_| "a thread panicked")??;
        }
        Ok(waits)
    })?;
    waits.sort_unstable();
    let micros = |time: Duration| time.as_nanos() as f64 / 1_000.0;
    let quantile = |share: f64| {
        let place = (waits.len() as f64 * share).ceil() as usize;
        waits.get(place.saturating_sub(1)).copied().unwrap_or_default()
    };
    let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| micros(quantile(share)));
    println!("{} {} {p50:.1} {p99:.1} {max:.1}", micros(SECTION), micros(MIDDLE));
    Ok(())
}

/// The urgent thread: waits once for the mutex.
fn round(lock: &Lock, signals: &Signals) -> Duration {
    signals.low.release();
    signals.held.acquire();
    // It runs as soon as this thread waits, unless the holder is raised above it.
    signals.middle.release();
    let begun = monotonic_now();
    let mut waited = Duration::ZERO;
    lock.hold(|| waited = monotonic_now() - begun);
    signals.done.acquire();
    signals.done.acquire();
    waited
}

/// Holds the mutex in each round.
fn holder(lock: &Lock, signals: &Signals) -> std::io::Result<()> {
    Scheduling::Fifo { priority: 10 }.apply()?;
    loop {
        signals.low.acquire();
        if signals.over.load(Ordering::SeqCst) {
            return Ok(());
        }
        lock.hold(|| {
            signals.held.release();
            work(SECTION);
        });
        signals.done.release();
    }
}

/// Computes in each round.
fn busy(signals: &Signals) -> std::io::Result<()> {
    Scheduling::Fifo { priority: 50 }.apply()?;
    loop {
        signals.middle.acquire();
        if signals.over.load(Ordering::SeqCst) {
            return Ok(());
        }
        work(MIDDLE);
        signals.done.release();
    }
}
