//! Processes that outlive the one that starts them: in a session of their own, with resource
//! limits, ended as a group.
//!
//! # Safety
//!
//! The one `unsafe` block hands a closure to the new process, which runs it between `fork` and
//! `exec`. There only async-signal-safe functions may be called, and no memory may be allocated or
//! freed. The closure makes system calls (`setsid`, `setrlimit`) and reads an array that was made
//! before the fork; its errors are numbers, so that no path allocates.

#![allow(unsafe_code)]

use rustix::process::{self, Pid, Resource, Rlimit, Signal};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// Limits of a process; `None` leaves what it inherits. A limit is both the soft and the hard one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResourceLimits {
    /// Open files.
    pub open_files: Option<u64>,
    /// Address space, in octets.
    pub address_space: Option<u64>,
    /// Processor time, in seconds.
    pub cpu_seconds: Option<u64>,
    /// Processes and threads of the user.
    pub processes: Option<u64>,
    /// The size of a core file, in octets.
    pub core: Option<u64>,
}

/// Starts a command in a session of its own, which is also a process group, with these limits. The
/// process and all that it starts have its number as their group.
///
/// ```
/// use armilla_ipc::process::{ResourceLimits, is_alive, spawn};
/// use std::process::Command;
///
/// let limits = ResourceLimits { open_files: Some(100), ..ResourceLimits::default() };
/// let mut command = Command::new("sh");
/// let mut child = spawn(command.args(["-c", "test $(ulimit -n) = 100"]), limits)?;
/// assert!(child.wait()?.success());
/// assert!(!is_alive(child.id(), None));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Those of [`Command::spawn`], and of the system calls that set the limits: an unprivileged
/// process cannot raise a hard limit.
pub fn spawn(command: &mut Command, limits: ResourceLimits) -> io::Result<Child> {
    let limits = [
        (Resource::Nofile, limits.open_files),
        (Resource::As, limits.address_space),
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::Nproc, limits.processes),
        (Resource::Core, limits.core),
    ];
    let prepare = move || {
        process::setsid()?;
        for (resource, limit) in limits {
            if limit.is_some() {
                process::setrlimit(resource, Rlimit { current: limit, maximum: limit })?;
            }
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls and nothing else; see the head of this file.
    unsafe { command.pre_exec(prepare) }.spawn()
}

/// A signal for a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndSignal {
    /// SIGTERM: end in order.
    Terminate,
    /// SIGKILL: end at once.
    Kill,
}

/// Signals all processes of a group, which is named by the number of the process that leads it.
///
/// # Errors
/// No process of the group is left, or they belong to another user. [`io::ErrorKind::InvalidInput`]
/// for a number that names no group: 0, 1, which the kernel takes for every process that there is,
/// and what is beyond the numbers of processes.
pub fn signal_group(leader: u32, signal: EndSignal) -> io::Result<()> {
    let signal = match signal {
        EndSignal::Terminate => Signal::TERM,
        EndSignal::Kill => Signal::KILL,
    };
    Ok(process::kill_process_group(group(leader)?, signal)?)
}

/// Whether a process with this number runs, and is the one that was started at this time, if that
/// is given. A process that has ended and that nobody has waited for does not run.
pub fn is_alive(process: u32, started: Option<u64>) -> bool {
    let Some((state, at)) = stat(process) else { return false };
    !matches!(state, b'Z' | b'X') && started.is_none_or(|started| started == at)
}

/// When a process was started, in ticks since the system was started. With its number this
/// identifies a process, because the system gives numbers again. `None` if there is no such
/// process.
pub fn started_at(process: u32) -> Option<u64> {
    stat(process).map(|(_, at)| at)
}

/// Waits until a process that this one need not have started has ended.
///
/// # Errors
/// The system has no descriptor, or lacks `pidfd_open`.
pub fn await_end(process: u32, started: u64) -> io::Result<()> {
    let pid = number(process)?;
    let descriptor = match process::pidfd_open(pid, process::PidfdFlags::empty()) {
        Ok(descriptor) => descriptor,
        Err(rustix::io::Errno::SRCH) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    // The descriptor may be of a later process with the same number.
    if !is_alive(process, Some(started)) {
        return Ok(());
    }
    let mut wait = [rustix::event::PollFd::new(&descriptor, rustix::event::PollFlags::IN)];
    loop {
        match rustix::event::poll(&mut wait, None) {
            Err(rustix::io::Errno::INTR) => {}
            outcome => return outcome.map(drop).map_err(io::Error::from),
        }
    }
}

fn number(process: u32) -> io::Result<Pid> {
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no number of a process"))
}

/// A number that `kill` takes, negative, for one group and no more.
fn group(leader: u32) -> io::Result<Pid> {
    match number(leader)? {
        Pid::INIT => Err(io::Error::new(io::ErrorKind::InvalidInput, "no number of a group")),
        leader => Ok(leader),
    }
}

/// The state of a process and when it was started, from `/proc/PID/stat`.
fn stat(process: u32) -> Option<(u8, u64)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may contain anything.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_ends_with_all_that_it_has_started() {
        let mut command = Command::new("sh");
        let mut child =
            spawn(command.args(["-c", "sleep 60 & wait"]), ResourceLimits::default()).unwrap();
        let started = started_at(child.id()).unwrap();
        assert!(is_alive(child.id(), Some(started)) && !is_alive(child.id(), Some(started + 1)));
        signal_group(child.id(), EndSignal::Kill).unwrap();
        await_end(child.id(), started).unwrap();
        assert!(!is_alive(child.id(), Some(started)));
        assert!(!child.wait().unwrap().success());
        // The group lasts until the system has collected its last process.
        while signal_group(child.id(), EndSignal::Terminate).is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// `kill(-1)` would signal every process, `kill(0)` our own group, and what is negative as an
    /// `i32` a single process. Nothing is signalled here, lest a failure end the machine.
    #[test]
    fn a_number_that_names_no_group_is_refused() {
        for number in [0, 1, 1 << 31, u32::MAX - 41, u32::MAX - 1, u32::MAX] {
            let error = group(number).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{number}");
        }
        assert_eq!(group(2).unwrap().as_raw_nonzero().get(), 2);
    }

    #[test]
    fn a_command_that_does_not_exist_is_an_error() {
        let mut command = Command::new("/nonexistent/program");
        assert!(spawn(&mut command, ResourceLimits::default()).is_err());
    }
}
