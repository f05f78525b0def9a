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
    pin(None, cpu)
}

/// Binds every thread of the process to one CPU, and with them those that they will start.
///
/// # Errors
/// As [`pin_thread`]; or if `/proc` cannot be read.
pub fn pin_process(cpu: usize) -> io::Result<()> {
    // A thread not yet bound may start another during a pass; a pass that finds the same threads as
    // the one before has found only bound ones.
    let mut bound = Vec::new();
    loop {
        let threads = threads()?;
        if threads == bound {
            return Ok(());
        }
        for &thread in &threads {
            pin(Some(thread), cpu)?;
        }
        bound = threads;
    }
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
fn pin(thread: Option<Pid>, cpu: usize) -> io::Result<()> {
    let mut set = CpuSet::new();
    if cpu < CpuSet::MAX_CPU {
        set.set(cpu);
    }
    // An empty set is refused by the kernel like one of CPUs that it does not have.
    match sched_setaffinity(thread, &set) {
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(errno) => Err(context(format_args!("cannot run on CPU {cpu}"), errno)),
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
}
