//! The CPUs on which a thread may run (`sched_setaffinity`).

use crate::error::context;
use rustix::io::Errno;
use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};
use std::{fs, io};

/// The numbers of the CPUs that the calling thread may run on, in ascending order.
///
/// # Errors
/// Whatever the operating system reports; none is known.
pub fn allowed_cpus() -> io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
}

/// Binds the calling thread to one CPU. Threads that it starts afterwards inherit this.
///
/// ```
/// use armilla_ipc::affinity::{allowed_cpus, pin_thread};
///
/// let cpu = allowed_cpus()?[0];
/// std::thread::spawn(move || pin_thread(cpu)).join().unwrap()?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if there is no such CPU or the process may not use it.
pub fn pin_thread(cpu: usize) -> io::Result<()> {
    pin(None, &[cpu])
}

/// Binds every thread of the process to these CPUs, and with them those that they will start.
///
/// # Errors
/// As [`pin_thread`], if any of the CPUs is missing or none is given; or if `/proc` cannot be read.
pub fn pin_process(cpus: &[usize]) -> io::Result<()> {
    // A thread not yet bound may start another during a pass; a pass that finds the same threads as
    // the one before has found only bound ones.
    let mut bound = Vec::new();
    loop {
        let threads = threads()?;
        if threads == bound {
            return Ok(());
        }
        for &thread in &threads {
            pin(Some(thread), cpus)?;
        }
        bound = threads;
    }
}

/// Whether the calling thread and the main thread of `process` may both run on one CPU only, and on
/// the same.
pub(crate) fn shares_only_cpu(process: u32) -> bool {
    let set = |process| sched_getaffinity(process).ok();
    let peer = i32::try_from(process).ok().and_then(Pid::from_raw);
    let (Some(ours), Some(peer)) = (set(None), peer) else { return false };
    ours.count() == 1 && set(Some(peer)).is_some_and(|theirs| theirs == ours)
}

/// The threads of this process.
fn threads() -> io::Result<Vec<Pid>> {
    let mut threads = Vec::new();
    for entry in fs::read_dir("/proc/self/task").map_err(|e| context("cannot list threads", e))? {
        let name = entry?.file_name();
        threads.extend(name.to_str().and_then(|id| Pid::from_raw(id.parse().ok()?)));
    }
    Ok(threads)
}

/// Binds one thread, the calling one if `None`; a thread that has ended meanwhile is no error.
fn pin(thread: Option<Pid>, cpus: &[usize]) -> io::Result<()> {
    let refused = |errno| Err(context(format_args!("cannot run on CPUs {cpus:?}"), errno));
    let mut set = CpuSet::new();
    cpus.iter().filter(|cpu| **cpu < CpuSet::MAX_CPU).for_each(|cpu| set.set(*cpu));
    // The kernel leaves out CPUs that it does not have, and refuses what is empty then.
    match sched_setaffinity(thread, &set) {
        Err(Errno::SRCH) => return Ok(()),
        Err(errno) => return refused(errno),
        Ok(()) => {}
    }
    let granted = sched_getaffinity(thread).unwrap_or(set);
    match cpus.iter().all(|cpu| *cpu < CpuSet::MAX_CPU && granted.is_set(*cpu)) {
        true => Ok(()),
        false => refused(Errno::INVAL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_is_allowed_exactly_that_cpu() {
        let allowed = std::thread::spawn(|| {
            let cpu = *allowed_cpus().unwrap().last().unwrap();
            pin_thread(cpu).unwrap();
            (cpu, allowed_cpus().unwrap())
        });
        let (cpu, allowed) = allowed.join().unwrap();
        assert_eq!(allowed, [cpu]);
    }

    #[test]
    fn a_cpu_that_does_not_exist_is_refused_by_name() {
        for cpu in [CpuSet::MAX_CPU - 1, CpuSet::MAX_CPU, usize::MAX] {
            let error = pin_thread(cpu).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(error.to_string().contains(&cpu.to_string()), "{error}");
        }
    }

    #[test]
    fn of_several_cpus_none_may_be_missing() {
        let bound = std::thread::spawn(|| {
            let allowed = allowed_cpus().unwrap();
            pin(None, &allowed).unwrap();
            assert_eq!(allowed_cpus().unwrap(), allowed);
            let error = pin(None, &[allowed[0], CpuSet::MAX_CPU - 1]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(pin(None, &[]).is_err());
        });
        bound.join().unwrap();
    }
}
