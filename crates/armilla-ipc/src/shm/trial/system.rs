//! The system as a trial plays it: the same functions as in `kernel`, which answer for the peer of
//! the calling thread's trial, or ask the kernel where there is none.

use super::peer::Peer;
use crate::shm::kernel;
use crate::shm::region::Region;
use rustix::event::PollFlags;
use rustix::fd::BorrowedFd;
use std::cell::RefCell;
use std::io;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

thread_local! {
    static PEER: RefCell<Option<Peer>> = const { RefCell::new(None) };
}

/// From here on this peer answers the calling thread.
pub(super) fn play(peer: Peer) {
    PEER.set(Some(peer));
}

/// Ends that.
pub(super) fn end() -> Option<Peer> {
    PEER.take()
}

/// Asks the peer of the calling thread's trial; `None` if there is no trial.
pub(super) fn in_trial<R>(ask: impl FnOnce(&mut Peer) -> R) -> Option<R> {
    PEER.with_borrow_mut(|peer| peer.as_mut().map(ask))
}

pub(in crate::shm) fn poll_socket(
    socket: BorrowedFd<'_>,
    interest: PollFlags,
    limit: Option<Duration>,
) -> io::Result<PollFlags> {
    let played = match limit {
        Some(Duration::ZERO) => in_trial(|peer| Ok(peer.events(interest))),
        _ => in_trial(|peer| peer.sleep_at_socket(interest)),
    };
    played.unwrap_or_else(|| kernel::poll_socket(socket, interest, limit))
}

pub(in crate::shm) fn drain_doorbell(socket: BorrowedFd<'_>) -> io::Result<bool> {
    let played = in_trial(|peer| Ok(peer.drain_doorbell()));
    played.unwrap_or_else(|| kernel::drain_doorbell(socket))
}

pub(in crate::shm) fn ring_doorbell(socket: BorrowedFd<'_>) {
    in_trial(Peer::is_rung).unwrap_or_else(|| kernel::ring_doorbell(socket));
}

pub(in crate::shm) fn sleep_on(
    word: &AtomicU32,
    expected: u32,
    slice: Duration,
) -> io::Result<bool> {
    let played = in_trial(|peer| peer.sleep_on(word, expected));
    played.unwrap_or_else(|| kernel::sleep_on(word, expected, slice))
}

pub(in crate::shm) fn wake_at(word: &AtomicU32) {
    in_trial(Peer::is_woken).unwrap_or_else(|| kernel::wake_at(word));
}

pub(in crate::shm) fn shut_down_reading(socket: BorrowedFd<'_>) {
    in_trial(Peer::is_not_read).unwrap_or_else(|| kernel::shut_down_reading(socket));
}

/// In a trial the memory stays, but its bytes are lost, too.
pub(in crate::shm) fn give_back(region: &Region, which: usize) {
    static ZEROS: [u8; super::CAPACITIES[1]] = [0; super::CAPACITIES[1]];
    use crate::shm::ring::Area::Large;
    let length = region.capacities(which).large as usize;
    let played = in_trial(|_| region.write((which, Large), 0, &ZEROS[..length]));
    played.unwrap_or_else(|| kernel::give_back(region, which));
}
