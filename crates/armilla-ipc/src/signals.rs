//! Waiting for the signals with which an operator or a supervisor ends a server, or tells it to read
//! its files again.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::{SigId, flag, low_level};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Waits for SIGINT (Ctrl-C), SIGTERM, or a [`Waker`] in another thread.
///
/// While one exists the first signal ends [`wait`](Self::wait), and a second one ends the process
/// on the spot, for an operator who does not want to wait. When the last one is dropped the signals
/// have their usual effect again.
///
/// ```
/// let mut termination = armilla_ipc::Termination::install()?;
/// let waker = termination.waker();
/// std::thread::spawn(move || waker.wake());
/// println!("ended by {}", termination.wait());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Termination {
    signals: Signals,
    arming: [SigId; 2],
}

impl Termination {
    /// Takes over the two signals. From here on none is lost, even before [`wait`](Self::wait).
    ///
    /// # Errors
    /// If the operating system does not give the descriptors that this needs.
    pub fn install() -> io::Result<Self> {
        let mut process = process();
        let second = process.second_signal_ends()?;
        // Registered last, so that a signal is first judged by what came before it.
        let arming = [
            flag::register(SIGINT, Arc::clone(&second))?,
            flag::register(SIGTERM, Arc::clone(&second))?,
        ];
        let signals = Signals::new([SIGINT, SIGTERM])?;
        if process.installed == 0 {
            second.store(false, Ordering::SeqCst);
        }
        process.installed += 1;
        Ok(Self { signals, arming })
    }

    /// Blocks until there is a cause to end, and tells which. Once woken it never blocks again.
    pub fn wait(&mut self) -> Cause {
        match self.signals.forever().next() {
            Some(signal) => cause_of(signal),
            None => Cause::Woken,
        }
    }

    /// The cause to end that has come and that no [`wait`](Self::wait) has returned: one that was woken
    /// may have got a signal at the same moment.
    pub fn pending(&mut self) -> Option<Cause> {
        self.signals.pending().next().map(cause_of)
    }

    /// A handle with which another thread ends the waiting.
    pub fn waker(&self) -> Waker {
        Waker { handle: self.signals.handle() }
    }
}

fn cause_of(signal: i32) -> Cause {
    if signal == SIGINT { Cause::Interrupt } else { Cause::Terminate }
}

impl Drop for Termination {
    fn drop(&mut self) {
        let mut process = process();
        for id in self.arming {
            low_level::unregister(id);
        }
        process.installed -= 1;
        if process.installed == 0 {
            // A handler once installed stays; from now on it does what the system would do.
            if let Some(second) = &process.second {
                second.store(true, Ordering::SeqCst);
            }
        }
    }
}

/// Waits for SIGHUP, by which an operator tells a server to read its files again. From the
/// first one on, SIGHUP does not end the process.
#[derive(Debug)]
pub struct Hangups(Signals);

impl Hangups {
    /// Takes the signal over.
    ///
    /// # Errors
    /// If the operating system does not give the descriptors that this needs.
    pub fn install() -> io::Result<Self> {
        Signals::new([SIGHUP]).map(Self)
    }

    /// Blocks until the signal comes, and says whether it may come again. Signals that come meanwhile
    /// count as one.
    pub fn wait(&mut self) -> bool {
        self.0.forever().next().is_some()
    }
}

/// Lets a write beyond the limit for the sizes of files (`ulimit -f`) fail with
/// [`FileTooLarge`](io::ErrorKind::FileTooLarge), as one to a full disk fails. Otherwise SIGXFSZ ends the
/// process without a word. For a program that has files to lose, at its start.
///
/// # Errors
/// If the operating system refuses to take the signal over.
pub fn outlive_file_limits() -> io::Result<()> {
    // What the signal would end goes on; nobody has to know that it came.
    flag::register(SIGXFSZ, Arc::default()).map(drop)
}

/// What ended [`Termination::wait`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// SIGINT: Ctrl-C at the terminal.
    Interrupt,
    /// SIGTERM: the supervisor or an operator.
    Terminate,
    /// A [`Waker`].
    Woken,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
            Self::Woken => "the program itself",
        })
    }
}

/// Ends [`Termination::wait`] from another thread.
#[derive(Clone, Debug)]
pub struct Waker {
    handle: Handle,
}

impl Waker {
    /// Ends the present wait, or the next one if none is going on. Idempotent.
    pub fn wake(&self) {
        self.handle.close();
    }
}

/// What is common to all [`Termination`]s of the process.
struct Process {
    installed: usize,
    /// While true, a signal has its default effect.
    second: Option<Arc<AtomicBool>>,
}

static PROCESS: Mutex<Process> = Mutex::new(Process { installed: 0, second: None });

fn process() -> std::sync::MutexGuard<'static, Process> {
    PROCESS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Process {
    /// The flag that gives the signals their default effect, registered at its first use.
    fn second_signal_ends(&mut self) -> io::Result<Arc<AtomicBool>> {
        if let Some(second) = &self.second {
            return Ok(Arc::clone(second));
        }
        let second = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            flag::register_conditional_default(signal, Arc::clone(&second))?;
        }
        self.second = Some(Arc::clone(&second));
        Ok(second)
    }
}
