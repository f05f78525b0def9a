//! Ctrl-C, for subcommands that keep their results when they end early.

use crate::{Context, Failure, Outcome};
use armilla_ipc::Termination;
use std::thread;

/// On the first SIGINT or SIGTERM, calls `end` and prints `what`, the consequence for the user. A
/// second signal ends the process at once.
///
/// # Errors
/// The operating system refuses the signal handler.
pub fn on_interrupt(what: &'static str, end: impl FnOnce() + Send + 'static) -> Outcome {
    let mut termination = Termination::install().context("cannot wait for signals")?;
    thread::spawn(move || {
        termination.wait();
        end();
        eprintln!("\nending; {what}");
    });
    Ok(())
}

/// Fails if the run was interrupted, so that a script does not take partial results for complete
/// ones.
pub fn unless_interrupted(interrupted: bool) -> Outcome {
    if interrupted { Err(Failure::Interrupted) } else { Ok(()) }
}
