//! How a side of a ring waits for the other, and how it is woken.
//!
//! A side first spins on the ring (`spin`). Then it sleeps on its word in the shared memory, a
//! futex. A futex is cheap to wake, but does not report the death of the peer, so that sleep is
//! short. After it, a producer polls the socket, which the kernel hangs up when the peer dies, and
//! sleeps again. A consumer, which may be idle for hours, waits on the socket from then on: the
//! peer wakes it by a byte there, the doorbell, and the peer's death wakes it too.
//!
//! A hostile peer may change the word over and over, at the cost of a store each time. A side that
//! was woken in vain often enough stops sleeping there.

use super::ring::{DOORBELL, FUTEX, Ring, Side};
use super::spin::{Spin, Spun};
use super::system::{drain_doorbell, poll_socket, ring_doorbell, sleep_on, wake_at};
use crate::deadline::{Deadline, timed_out};
use rustix::event::PollFlags;
use rustix::fd::BorrowedFd;
use std::io;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long a side sleeps before it polls the socket: the longest time for which the death of a
/// peer goes unnoticed.
const SLICE: Duration = Duration::from_millis(20);

/// How often one wait is woken in vain before it stops sleeping on the word. Signals that interrupt
/// the thread wake it in vain too, and a correct peer once or twice.
const MAX_FALSE_WAKES: u32 = 64;

/// One side of a ring, for the thread that waits there.
pub(super) struct Waiter<'a> {
    pub(super) ring: &'a Ring,
    pub(super) side: Side,
    pub(super) socket: BorrowedFd<'a>,
    /// Whether the peer was awake when something was sent to it; forgotten by who asks.
    pub(super) found_awake: &'a AtomicBool,
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WakeReason {
    /// The condition may be true.
    Ready,
    /// A [`SLICE`] is over; the caller may accept less.
    SliceOver,
    /// The peer has gone. The bytes that it left in the ring are valid.
    PeerGone,
}

impl Waiter<'_> {
    /// Waits until `ready`, until the peer has gone, or as a producer for a [`SLICE`]. Calls `idle`
    /// before a consumer sleeps longer than that, and when it is woken from that in vain.
    pub(super) fn wait(
        &self,
        limit: &mut WaitLimit<'_>,
        mut ready: impl FnMut() -> bool,
        idle: impl Fn(),
    ) -> io::Result<WakeReason> {
        let peer = (self.socket, self.found_awake);
        let Spun::Sleep(measured) = limit.spin.until(limit.timeout, peer, &mut ready) else {
            return Ok(WakeReason::Ready);
        };
        let reason = self.sleep(limit, ready, idle)?;
        if let (WakeReason::Ready, Some(begun)) = (reason, measured) {
            limit.spin.slept(begun);
        }
        Ok(reason)
    }

    /// As [`wait`](Self::wait), in the kernel.
    fn sleep(
        &self,
        limit: &mut WaitLimit<'_>,
        mut ready: impl FnMut() -> bool,
        idle: impl Fn(),
    ) -> io::Result<WakeReason> {
        let (mut how, mut false_wakes) = (FUTEX, 0);
        loop {
            let left = limit.left()?;
            self.ring.announce_sleep(self.side, how);
            let woken = match ready() {
                true => Ok(WakeReason::Ready),
                false if how == DOORBELL => self.sleep_at_socket(left),
                false if false_wakes >= MAX_FALSE_WAKES => self.sleep_regardless(left),
                false => self.sleep_on_word(left),
            };
            self.ring.clear_sleep(self.side);
            match woken? {
                WakeReason::SliceOver if self.side == Side::Consumer => {
                    idle();
                    how = DOORBELL;
                }
                WakeReason::Ready if !ready() => {
                    false_wakes += 1;
                    if how == DOORBELL {
                        // The peer is idle, too.
                        idle();
                    }
                }
                woken => return Ok(woken),
            }
        }
    }

    /// Sleeps for a [`SLICE`], whatever happens to the word.
    #[cold]
    fn sleep_regardless(&self, left: Option<Duration>) -> io::Result<WakeReason> {
        let slice = left.map_or(SLICE, |left| left.min(SLICE));
        let seen = poll_socket(self.socket, PollFlags::empty(), Some(slice))?;
        Ok(if hung_up(seen) { WakeReason::PeerGone } else { WakeReason::SliceOver })
    }

    /// Sleeps in the kernel until the word changes, a [`SLICE`] at most, then polls the socket.
    fn sleep_on_word(&self, left: Option<Duration>) -> io::Result<WakeReason> {
        let slice = left.map_or(SLICE, |left| left.min(SLICE));
        if sleep_on(self.ring.word(self.side), FUTEX, slice)? {
            return Ok(WakeReason::Ready);
        }
        let seen = poll_socket(self.socket, PollFlags::empty(), Some(Duration::ZERO))?;
        Ok(if hung_up(seen) { WakeReason::PeerGone } else { WakeReason::SliceOver })
    }

    /// Sleeps until the doorbell rings or the peer has gone.
    fn sleep_at_socket(&self, left: Option<Duration>) -> io::Result<WakeReason> {
        let seen = poll_socket(self.socket, PollFlags::IN, left)?;
        if seen.contains(PollFlags::IN) && !drain_doorbell(self.socket)? || hung_up(seen) {
            return Ok(WakeReason::PeerGone);
        }
        Ok(WakeReason::Ready)
    }
}

/// Wakes `side` of a ring if it sleeps; false if it was awake. `socket` leads to the peer. To be
/// called after publishing.
#[inline]
pub(super) fn wake(ring: &Ring, side: Side, socket: BorrowedFd<'_>) -> bool {
    match ring.sleeper(side) {
        super::ring::AWAKE => false,
        how => {
            wake_sleeper(ring, side, how, socket);
            true
        }
    }
}

/// Wakes the producer of a ring if it sleeps until there is no more than this `room`.
#[inline]
pub(super) fn wake_for_room(ring: &Ring, room: u64, socket: BorrowedFd<'_>) {
    match ring.producer_with_room(room) {
        super::ring::AWAKE => {}
        how => wake_sleeper(ring, Side::Producer, how, socket),
    }
}

#[cold]
fn wake_sleeper(ring: &Ring, side: Side, how: u32, socket: BorrowedFd<'_>) {
    match how {
        DOORBELL => ring_doorbell(socket),
        _ => wake_at(ring.word(side)),
    }
}

/// Whether the peer of a socket has gone.
pub(super) fn hung_up(seen: PollFlags) -> bool {
    seen.intersects(PollFlags::HUP | PollFlags::ERR)
}

/// The time limit of one call, and how it spins. The clock is read only when a wait is necessary.
pub(super) struct WaitLimit<'a> {
    timeout: Option<Duration>,
    spin: &'a Spin,
    deadline: Option<Deadline>,
    what: &'static str,
}

impl<'a> WaitLimit<'a> {
    /// Waits for `timeout` in total; the error says that `what` happened. Each wait begins by
    /// spinning as `spin` decides.
    pub(super) fn new(timeout: Option<Duration>, spin: &'a Spin, what: &'static str) -> Self {
        Self { timeout, spin, deadline: None, what }
    }

    /// The time left, `None` for ever.
    pub(super) fn left(&mut self) -> io::Result<Option<Duration>> {
        let deadline = *self.deadline.get_or_insert_with(|| Deadline::after(self.timeout));
        deadline.remaining().map_err(|_| timed_out(self.what, self.timeout))
    }
}
