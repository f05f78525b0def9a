//! The memory that large messages take while they arrive and while they are in use, over all
//! connections of a server, or of a client.
//!
//! A limit on each message does not bound the memory of a process with many peers. The budget does:
//! a connection reserves memory as its message grows. A peer may hold as much as is free, so there
//! is always some left for others: one greedy peer gets half of the budget, two get a third each
//! (dynamic thresholds, Choudhury and Hahne 1998). A message that gets no memory is refused, and its
//! octets are discarded as they arrive.

use super::peer::Peer;
use crate::sync::lock;
use armilla_ipc::Address;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

/// The share of the machine's memory that is the budget unless the program sets one.
const DEFAULT_SHARE: usize = 4;

/// The budget where the machine does not tell its memory.
const DEFAULT_LIMIT: usize = 256 << 20;

/// The budget of a server or a client. Any thread may use it.
#[derive(Debug)]
pub struct MessageMemory {
    limit: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    total: usize,
    by_peer: HashMap<Peer, usize>,
}

impl Held {
    fn release(&mut self, peer: &Peer, octets: usize) {
        self.total -= octets;
        if let Some(by_peer) = self.by_peer.get_mut(peer) {
            *by_peer -= octets;
            if *by_peer == 0 {
                self.by_peer.remove(peer);
            }
        }
    }
}

impl MessageMemory {
    /// A budget of `limit` octets, or of a part of the machine's memory.
    pub fn new(limit: Option<usize>) -> Arc<Self> {
        static DEFAULT: LazyLock<usize> =
            LazyLock::new(|| machine_memory().map_or(DEFAULT_LIMIT, |all| all / DEFAULT_SHARE));
        Arc::new(Self { limit: limit.unwrap_or_else(|| *DEFAULT), held: Mutex::default() })
    }

    /// The budget in octets.
    pub const fn limit(&self) -> usize {
        self.limit
    }
}

/// The memory that the messages of one connection have reserved; free again when dropped.
#[derive(Debug)]
pub struct Reservation {
    memory: Arc<MessageMemory>,
    peer: Peer,
    octets: usize,
}

impl Reservation {
    /// No memory yet, for a connection of `peer`.
    pub fn new(memory: &Arc<MessageMemory>, peer: &Address) -> Self {
        Self { memory: memory.clone(), peer: Peer::of(peer), octets: 0 }
    }

    /// Reserves `octets` in all, more or less than before; `false` if the peer cannot have them. What
    /// it has beyond `kept` is free then, so that of several messages that grow at the same time not
    /// all are refused.
    pub fn resize(&mut self, octets: usize, kept: usize) -> bool {
        if octets == self.octets {
            return true;
        }
        let held = &mut *lock(&self.memory.held);
        let Some(more) = octets.checked_sub(self.octets) else {
            held.release(&self.peer, self.octets - octets);
            self.octets = octets;
            return true;
        };
        let by_peer = held.by_peer.get(&self.peer).copied().unwrap_or_default();
        let free = self.memory.limit.saturating_sub(held.total).saturating_sub(more);
        let grows = by_peer.saturating_add(more) <= free;
        if grows {
            held.total += more;
            held.by_peer.insert(self.peer.clone(), by_peer + more);
            self.octets = octets;
        } else {
            held.release(&self.peer, self.octets.saturating_sub(kept));
            self.octets = self.octets.min(kept);
        }
        grows
    }

    /// Takes the reservation out, for as long as a complete message is in use.
    pub fn take(&mut self) -> Option<Self> {
        let octets = std::mem::take(&mut self.octets);
        let Self { memory, peer, .. } = self;
        (octets > 0).then(|| Self { memory: memory.clone(), peer: peer.clone(), octets })
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.octets == 0 {
            return;
        }
        lock(&self.memory.held).release(&self.peer, self.octets);
    }
}

/// The memory of the machine, or of the container if that has less.
fn machine_memory() -> Option<usize> {
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limit =
        limits.iter().find_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok());
    let all = std::fs::read_to_string("/proc/meminfo").ok()?;
    let all = all.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: usize = all.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib.saturating_mul(1024).min(limit.unwrap_or(usize::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(memory: &Arc<MessageMemory>, host: &str) -> Reservation {
        Reservation::new(memory, &Address::Tcp { host: host.into(), port: 1 })
    }

    #[test]
    fn a_peer_holds_at_most_what_is_free() {
        let memory = MessageMemory::new(Some(600));
        let [mut greedy, mut modest] = ["10.0.0.1", "10.0.0.2"].map(|host| peer(&memory, host));
        assert!(greedy.resize(300, 0), "half of the budget");
        let mut again = peer(&memory, "10.0.0.1");
        assert!(!again.resize(1, 0), "connections of one host share");
        assert!(!modest.resize(151, 0) && modest.resize(150, 0), "half of the rest");
        assert!(!greedy.resize(301, 0), "nothing is left");
        assert!(!again.resize(226, 0) && again.resize(225, 0), "what was refused is free");
        assert!(!again.resize(500, 100) && again.octets == 100, "but for what is kept");
        assert!(again.resize(0, 0) && again.octets == 0, "less is always possible");
    }

    #[test]
    fn memory_is_free_again_when_the_last_message_was_used() {
        let memory = MessageMemory::new(Some(600));
        let mut connection = peer(&memory, "10.0.0.1");
        assert!(connection.resize(200, 0));
        let message = connection.take();
        assert!(connection.take().is_none());
        assert!(!connection.resize(101, 0) && connection.resize(100, 0), "the message counts");
        drop(message);
        assert!(connection.resize(300, 0));
        drop(connection);
        let held = lock(&memory.held);
        assert!(held.total == 0 && held.by_peer.is_empty());
    }

    #[test]
    fn the_machine_tells_its_memory() {
        assert!(machine_memory().is_some_and(|all| all > 64 << 20));
    }
}
