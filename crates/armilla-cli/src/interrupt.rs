//! Ctrl-C, for what keeps what it has when it is ended before its time.

use crate::failure::{Doing, Failure, Outcome};
use armilla_ipc::Termination;
use std::thread;

/// Has `end` called, and the user told `what` follows, when the process is asked to end, by Ctrl-C or
/// SIGTERM. Asked once more it ends at once.
///
/// # Errors
/// When the operating system does not give what this needs.
pub(crate) fn on_interrupt(what: &'static str, end: impl FnOnce() + Send + 'static) -> Outcome {
    let mut termination = Termination::install().doing("cannot wait for signals")?;
    thread::spawn(move || {
        termination.wait();
        end();
        eprintln!("\nending; {what}");
    });
    Ok(())
}

/// Who asks for all of it shall not take a part for it.
pub(crate) fn unless_interrupted(interrupted: bool) -> Outcome {
    if interrupted { Err(Failure::Interrupted) } else { Ok(()) }
}
