//! The proactor of a kernel with submission and completion rings (`io_uring`).
//!
//! # Safety contract
//! This file alone of the proactor is `unsafe`. It upholds:
//! - *What the kernel was given stays where it is until the kernel is done.* The buffer and the
//!   socket of an operation belong to its [`AttachedSocket`], which the table keeps until the
//!   completion has been seen; nobody touches the buffer meanwhile, because the operation is taken
//!   out of the source only then. When the proactor is dropped it cancels everything and waits;
//!   what the kernel still holds after that is leaked.
//! - *One thread at a time touches each end of the rings*: the submission queue under the lock
//!   `queue`, the completion queue under the lock `driver`.
//! - *A descriptor that the kernel returns is ours alone*, and becomes an [`OwnedFd`] once.

#![allow(unsafe_code)]

use super::Proactor;
use super::sockets::SocketTable;
use super::source::{AttachedSocket, Direction, Operation, PendingOperation, cancelled};
use crate::reactor::Reactor;
use io_uring::types::{Fd, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};
use rustix::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{SendFlags, SocketFlags};
use std::fmt;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// How many operations can be submitted by one system call; more cost another one.
const ENTRIES: u32 = 256;
/// What comes instead of an operation when the reactor has something to do.
const REACTOR: u64 = u64::MAX;
/// What comes when a cancellation is done.
const CANCEL: u64 = u64::MAX - 1;
/// How long a proactor that is dropped waits for the kernel to let go.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) struct Uring {
    reactor: Reactor,
    ring: IoUring,
    queue: Mutex<()>,
    /// Whether the kernel watches the reactor.
    driver: Mutex<bool>,
    /// Whether the running thread waits, or is about to, and so will not submit anything itself.
    asleep: AtomicBool,
    sockets: SocketTable,
}

impl Uring {
    pub(super) fn new() -> io::Result<Self> {
        let ring = IoUring::builder()
            .setup_coop_taskrun()
            .build(ENTRIES)
            .or_else(|_| IoUring::new(ENTRIES))?;
        let able = ring.params();
        if !(able.is_feature_ext_arg() && able.is_feature_nodrop() && able.is_feature_fast_poll()) {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "this kernel's io_uring is old",
            ));
        }
        Ok(Self {
            reactor: Reactor::new()?,
            ring,
            queue: Mutex::new(()),
            driver: Mutex::new(false),
            asleep: AtomicBool::new(false),
            sockets: SocketTable::default(),
        })
    }

    pub(super) fn reactor(&self) -> &Reactor {
        &self.reactor
    }

    pub(super) fn attach(&self, socket: Arc<dyn AsFd + Send + Sync>) -> io::Result<AttachedSocket> {
        Ok(self.sockets.insert(socket))
    }

    pub(super) fn submit(&self, source: &AttachedSocket, direction: Direction) -> io::Result<()> {
        let Some(user_data) = self.sockets.user_data(source, direction) else { return Ok(()) };
        if let Some(pending) = &mut *source.direction(direction) {
            let entry = entry(source, pending).user_data(user_data);
            // SAFETY: buffer and socket stay until the completion is seen, see the contract.
            unsafe { self.push(&entry) };
        }
        if source.is_detached() {
            self.cancel(user_data);
        }
        self.flush()
    }

    pub(super) fn detach(&self, source: &AttachedSocket) {
        if !source.mark_detached() {
            return;
        }
        for direction in Direction::BOTH {
            if let Some(user_data) = self.sockets.user_data(source, direction) {
                self.cancel(user_data);
            }
        }
        // If it fails, the thread that runs the proactor submits it with the next.
        let _ = self.flush();
        self.sockets.remove(source);
    }

    pub(super) fn handle_events(
        &self,
        proactor: &Proactor,
        timeout: Option<Duration>,
    ) -> io::Result<usize> {
        let mut watched = match self.driver.try_lock() {
            Ok(driver) => driver,
            Err(TryLockError::Poisoned(driver)) => driver.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let reason = "another thread already runs this proactor";
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, reason));
            }
        };
        if !*watched {
            self.watch_reactor();
            *watched = true;
        }
        self.sleep(timeout)?;
        // SAFETY: under the lock `driver`.
        let count = unsafe { self.ring.completion_shared() }.len();
        let mut completed = 0;
        for _ in 0..count {
            // SAFETY: as above. Looked up anew each time, because a completion may panic.
            let Some(entry) = (unsafe { self.ring.completion_shared() }).next() else { break };
            match entry.user_data() {
                REACTOR => {
                    self.watch_reactor();
                    self.reactor.handle_events(Some(Duration::ZERO))?;
                }
                CANCEL => {}
                _ => completed += usize::from(self.complete_entry(&entry, Some(proactor))),
            }
        }
        Ok(completed)
    }

    /// Submits what there is and waits for a completion.
    fn sleep(&self, timeout: Option<Duration>) -> io::Result<()> {
        let limit = timeout.map(Timespec::from);
        let mut args = SubmitArgs::new();
        if let Some(limit) = &limit {
            args = args.timespec(limit);
        }
        self.asleep.store(true, Ordering::Relaxed);
        // Either what another thread has pushed is submitted here, or it sees that it must do so.
        fence(Ordering::SeqCst);
        let result = self.ring.submitter().submit_with_args(1, &args);
        self.asleep.store(false, Ordering::Relaxed);
        match result.map_err(|error| error.raw_os_error().map(Errno::from_raw_os_error)) {
            Ok(_) | Err(Some(Errno::TIME | Errno::INTR | Errno::BUSY | Errno::AGAIN)) => Ok(()),
            Err(Some(errno)) => Err(errno.into()),
            Err(None) => Err(io::Error::other("io_uring failed without a reason")),
        }
    }

    /// Submits what was pushed, unless the running thread will. The counterpart of `sleep`.
    fn flush(&self) -> io::Result<()> {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed) {
            self.ring.submit()?;
        }
        Ok(())
    }

    /// Queues an entry for the kernel.
    ///
    /// # Safety
    /// What the entry points to stays valid until its completion has been seen.
    unsafe fn push(&self, entry: &squeue::Entry) {
        let _queue = lock(&self.queue);
        loop {
            // SAFETY: under the lock `queue`; the entry is the caller's responsibility.
            if unsafe { self.ring.submission_shared().push(entry) }.is_ok() {
                return;
            }
            // The queue is full. A failure (an overcrowded completion queue) passes.
            let _ = self.ring.submit();
        }
    }

    fn cancel(&self, user_data: u64) {
        let entry = opcode::AsyncCancel::new(user_data).build().user_data(CANCEL);
        // SAFETY: it points to nothing.
        unsafe { self.push(&entry) };
    }

    /// Lets a completion come when the reactor has something to do.
    fn watch_reactor(&self) {
        let fd = Fd(self.reactor.as_fd().as_raw_fd());
        let entry = opcode::PollAdd::new(fd, POLL_IN).build().user_data(REACTOR);
        // SAFETY: it points to nothing, and the descriptor lives as long as the ring.
        unsafe { self.push(&entry) };
    }

    /// Handles a completion; false if the operation goes on. Without a proactor no handler is
    /// called.
    fn complete_entry(&self, entry: &cqueue::Entry, proactor: Option<&Proactor>) -> bool {
        let Some((source, direction)) = self.sockets.find(entry.user_data()) else { return false };
        let Some(mut pending) = source.direction(direction).take() else { return false };
        let mut peer = None;
        let result = match usize::try_from(entry.result()) {
            Ok(_) if pending.operation == Operation::Accept => {
                // SAFETY: a new descriptor, see the contract.
                peer = Some(unsafe { OwnedFd::from_raw_fd(entry.result()) });
                Ok(0)
            }
            Ok(count) => {
                pending.moved += count;
                Ok(pending.moved)
            }
            Err(_) => Err(Errno::from_raw_os_error(-entry.result())),
        };
        let unfinished = match result {
            Ok(_) => pending.operation == Operation::Send && !pending.rest().is_empty(),
            Err(errno) => matches!(errno, Errno::INTR | Errno::AGAIN),
        };
        if unfinished && proactor.is_some() && !source.is_detached() {
            *source.direction(direction) = Some(pending);
            let _ = self.submit(&source, direction);
            return false;
        }
        if source.is_detached() {
            self.sockets.remove(&source);
        }
        if let Some(proactor) = proactor {
            let result = if unfinished { Err(cancelled()) } else { result.map_err(Into::into) };
            pending.complete(proactor, source, result, peer);
        }
        true
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        let sources = self.sockets.entries();
        for source in &sources {
            self.detach(source);
        }
        let busy = |source: &AttachedSocket| {
            Direction::BOTH.iter().any(|&direction| source.direction(direction).is_some())
        };
        let start = Instant::now();
        while sources.iter().any(busy) && start.elapsed() < CANCEL_TIMEOUT {
            let _ = self.sleep(Some(Duration::from_millis(10)));
            // SAFETY: no other thread has access any more.
            while let Some(entry) = (unsafe { self.ring.completion_shared() }).next() {
                self.complete_entry(&entry, None);
            }
        }
        for source in &sources {
            // The kernel may still write to the buffer.
            for direction in Direction::BOTH {
                if let Some(pending) = source.direction(direction).take() {
                    std::mem::forget(pending);
                }
            }
        }
    }
}

impl fmt::Debug for Uring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Uring").field("reactor", &self.reactor).finish_non_exhaustive()
    }
}

/// `POLLIN` as the kernel counts it.
const POLL_IN: u32 = 1;

/// What the kernel is to do. The entry points into the buffer of `pending`.
fn entry(source: &AttachedSocket, pending: &mut PendingOperation) -> squeue::Entry {
    let fd = Fd(source.socket().as_raw_fd());
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    match pending.operation {
        Operation::Accept => {
            let flags = SocketFlags::CLOEXEC.bits().cast_signed();
            opcode::Accept::new(fd, ptr::null_mut(), ptr::null_mut()).flags(flags).build()
        }
        Operation::Receive => {
            let length = length(&pending.buffer);
            opcode::Recv::new(fd, pending.buffer.as_mut_ptr(), length).build()
        }
        Operation::Send => {
            let flags = SendFlags::NOSIGNAL.bits().cast_signed();
            let rest = pending.rest();
            opcode::Send::new(fd, rest.as_ptr(), length(rest)).flags(flags).build()
        }
    }
}

/// Nothing that can panic runs under these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
