//! What rustix lacks for real-time threads: scheduling attributes, counts of page faults, and what
//! is done after a fork.

use super::{POLICY_CHANGES, counted, last_errno};
use rustix::io::Errno;
use std::mem;
use std::sync::atomic::Ordering::Relaxed;

/// `struct sched_attr` of Linux, in its first version.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SchedulingAttributes {
    pub(crate) size: u32,
    pub(crate) policy: u32,
    pub(crate) flags: u64,
    pub(crate) nice: i32,
    pub(crate) priority: u32,
    pub(crate) runtime: u64,
    pub(crate) deadline: u64,
    pub(crate) period: u64,
}

/// The attributes of a thread by its number, 0 for the calling one (`sched_getattr`).
pub(crate) fn scheduling_attributes(thread: i32) -> Result<SchedulingAttributes, Errno> {
    let mut attributes = SchedulingAttributes::default();
    let size = mem::size_of::<SchedulingAttributes>();
    let target = &raw mut attributes;
    // SAFETY: rules 2 to 4; 0 stands for no flags.
    let result = unsafe { libc::syscall(libc::SYS_sched_getattr, thread, target, size, 0) };
    counted(result as isize).map(|_| attributes)
}

/// Sets the attributes of a thread by its number, 0 for the calling one (`sched_setattr`).
pub(crate) fn set_scheduling_attributes(
    thread: i32,
    attributes: &SchedulingAttributes,
) -> Result<(), Errno> {
    let size = mem::size_of::<SchedulingAttributes>() as u32;
    let attributes = SchedulingAttributes { size, ..*attributes };
    let source = &raw const attributes;
    // SAFETY: rules 2 and 3; 0 stands for no flags.
    let result = unsafe { libc::syscall(libc::SYS_sched_setattr, thread, source, 0) };
    POLICY_CHANGES.fetch_add(1, Relaxed);
    counted(result as isize).map(drop)
}

/// Has `child` called in every process that is forked from now on, by its one thread, before `fork`
/// returns there (`pthread_atfork`). It may call async-signal-safe functions only.
pub(crate) fn after_fork(child: extern "C" fn()) -> Result<(), Errno> {
    // SAFETY: takes nothing but a function, which is safe to call and exists for ever.
    match unsafe { libc::pthread_atfork(None, None, Some(child)) } {
        0 => Ok(()),
        number => Err(Errno::from_raw_os_error(number)),
    }
}

/// The page faults of the calling thread since it started, minor and major.
pub(crate) fn page_faults() -> Result<(u64, u64), Errno> {
    // SAFETY: rule 4.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: rule 2.
    if unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut usage) } != 0 {
        return Err(last_errno());
    }
    let count = |number: libc::c_long| u64::try_from(number).unwrap_or(0);
    Ok((count(usage.ru_minflt), count(usage.ru_majflt)))
}
