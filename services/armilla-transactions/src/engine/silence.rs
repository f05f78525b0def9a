//! Hosts that do not answer. One call at a time finds out when such a host is back, with pauses, however
//! many transactions wait for it.

use super::entry::{Host, lock};
use crate::model::{Backoff, Key, Time};
use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The calls at once that find out whether silent hosts answer. Each may take as long as a call does.
pub(super) const PROBES: usize = 3;

/// How soon a host is looked at again for which there was no call left.
const SOON: Time = Time::from_millis(100);

/// The hosts that do not answer.
pub(super) struct SilentHosts {
    backoff: Backoff,
    /// How many there are: as a rule none.
    count: AtomicUsize,
    hosts: Mutex<Hosts>,
}

#[derive(Default)]
struct Hosts {
    silent: HashMap<Host, Silence>,
    probes: usize,
}

#[derive(Default)]
struct Silence {
    attempts: u32,
    /// When it is asked again, unless somebody asks now.
    next: Time,
    asked: bool,
    /// The transactions that wait for it, and the one that has asked last.
    waiting: BTreeSet<Key>,
    last: Option<Key>,
}

impl Silence {
    fn is_due(&self, now: Time) -> bool {
        !self.asked && self.next <= now
    }

    /// The next one that waits: each in turn.
    fn take_next(&mut self) -> Option<Key> {
        let behind = self.last.map_or(Bound::Unbounded, Bound::Excluded);
        let next = self.waiting.range((behind, Bound::Unbounded)).next();
        let next = next.or_else(|| self.waiting.first()).copied()?;
        self.last = Some(next);
        self.waiting.take(&next)
    }
}

/// Whether a transaction may call somebody again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Open,
    /// It finds out whether the host answers, and says so by [`SilentHosts::answers`] or
    /// [`SilentHosts::is_silent`].
    Probes,
    /// It is told once the host answers.
    Waits,
}

/// Who asks a silent host now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Of(Key),
    /// It is looked at again at this time.
    Later(Time),
    Nobody,
}

impl SilentHosts {
    pub(super) fn new(backoff: Backoff) -> Self {
        Self { backoff, count: AtomicUsize::new(0), hosts: Mutex::default() }
    }

    /// Whether there is one.
    pub(super) fn any(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    pub(super) fn way(&self, host: &Host, key: Key, now: Time) -> Way {
        let hosts = &mut *lock(&self.hosts);
        let Some(silence) = hosts.silent.get_mut(host) else { return Way::Open };
        if !silence.is_due(now) || hosts.probes >= PROBES {
            silence.waiting.insert(key);
            return Way::Waits;
        }
        (silence.asked, silence.last) = (true, Some(key));
        silence.waiting.remove(&key);
        hosts.probes += 1;
        Way::Probes
    }

    /// Somebody has heard from a host. Returns who waits for that.
    pub(super) fn answers(&self, host: &Host) -> BTreeSet<Key> {
        let hosts = &mut *lock(&self.hosts);
        let Some(silence) = hosts.silent.remove(host) else { return BTreeSet::new() };
        hosts.probes -= usize::from(silence.asked);
        self.count.store(hosts.silent.len(), Ordering::Release);
        silence.waiting
    }

    /// A host has not answered this transaction, which waits for it now. Returns when it is to be asked
    /// again, if that is new.
    pub(super) fn is_silent(&self, host: &Host, key: Key, probed: bool, now: Time) -> Option<Time> {
        let hosts = &mut *lock(&self.hosts);
        let is_new = !hosts.silent.contains_key(host);
        let silence = hosts.silent.entry(host.clone()).or_default();
        silence.waiting.insert(key);
        let ends_probe = probed && silence.asked;
        if ends_probe {
            silence.asked = false;
            hosts.probes -= 1;
        }
        if !is_new && !ends_probe {
            return None;
        }
        silence.attempts = silence.attempts.saturating_add(1);
        silence.next = self.backoff.after(now, silence.attempts);
        let next = silence.next;
        self.count.store(hosts.silent.len(), Ordering::Release);
        Some(next)
    }

    /// Whether a transaction is told once the host answers.
    pub(super) fn holds(&self, host: &Host, key: Key) -> bool {
        lock(&self.hosts).silent.get(host).is_some_and(|it| it.waiting.contains(&key))
    }

    /// Who asks a host whose time may have come. One for which nobody waits any more is forgotten.
    pub(super) fn turn(&self, host: &Host, now: Time) -> Turn {
        let hosts = &mut *lock(&self.hosts);
        let Some(silence) = hosts.silent.get_mut(host) else { return Turn::Nobody };
        if !silence.is_due(now) {
            return Turn::Nobody;
        }
        if hosts.probes >= PROBES {
            return Turn::Later(now + SOON);
        }
        match silence.take_next() {
            Some(key) => Turn::Of(key),
            None => {
                hosts.silent.remove(host);
                self.count.store(hosts.silent.len(), Ordering::Release);
                Turn::Nobody
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const NOW: Time = Duration::from_secs(1);

    fn key(number: u16) -> Key {
        let mut octets = [0; 16];
        octets[..2].copy_from_slice(&number.to_be_bytes());
        Key(octets)
    }

    fn hosts() -> (SilentHosts, Host) {
        (SilentHosts::new(Backoff::default()), "bank:2901".into())
    }

    #[test]
    fn one_at_a_time_asks_a_silent_host_and_all_go_on_when_it_answers() {
        let (hosts, host) = hosts();
        assert_eq!(hosts.way(&host, key(0), NOW), Way::Open);
        let mut next = hosts.is_silent(&host, key(0), false, NOW).unwrap();
        assert_eq!(next, NOW, "at once: only the connection may have been lost");
        let mut pauses = Vec::new();
        for asked in 1..1000 {
            assert_eq!(hosts.turn(&host, next), Turn::Of(key(asked - 1)), "each in turn");
            assert_eq!(hosts.way(&host, key(asked - 1), next), Way::Probes);
            // Nobody else asks meanwhile, nor before the pause is over.
            assert_eq!(hosts.way(&host, key(asked), next), Way::Waits);
            assert_eq!(hosts.turn(&host, next), Turn::Nobody);
            let then = hosts.is_silent(&host, key(asked - 1), true, next).unwrap();
            let early = then.saturating_sub(Duration::from_millis(1));
            assert!(then <= next || hosts.way(&host, key(asked), early) == Way::Waits);
            pauses.push(then - next);
            next = then;
        }
        assert_eq!(pauses[..4], [250, 500, 1000, 2000].map(Duration::from_millis));
        assert!(pauses[4..].iter().all(|it| *it == Duration::from_secs(2)));
        assert!(hosts.holds(&host, key(7)) && hosts.any());
        assert_eq!(hosts.answers(&host).len(), 1000);
        assert!(!hosts.holds(&host, key(7)) && !hosts.any());
        assert_eq!(hosts.way(&host, key(7), next), Way::Open);
    }

    #[test]
    fn one_that_fails_beside_who_asks_changes_no_pause() {
        let (hosts, host) = hosts();
        hosts.is_silent(&host, key(0), false, NOW).unwrap();
        assert_eq!(hosts.is_silent(&host, key(1), false, NOW), None);
        assert_eq!(hosts.way(&host, key(0), NOW), Way::Probes);
        assert_eq!(hosts.is_silent(&host, key(1), false, NOW), None);
        let next = hosts.is_silent(&host, key(0), true, NOW);
        assert_eq!(next, Some(NOW + Duration::from_millis(250)));
    }

    #[test]
    fn a_host_for_which_nobody_waits_is_forgotten() {
        let (hosts, host) = hosts();
        hosts.is_silent(&host, key(0), false, NOW).unwrap();
        // The transaction is over when its turn comes.
        assert_eq!(hosts.turn(&host, NOW), Turn::Of(key(0)));
        assert_eq!(hosts.turn(&host, NOW), Turn::Nobody);
        assert!(!hosts.any());
    }

    #[test]
    fn silent_hosts_leave_a_thread_for_those_that_answer() {
        let (hosts, _) = hosts();
        let silent: Vec<Host> = (0..=PROBES).map(|it| it.to_string().into()).collect();
        for host in &silent {
            hosts.is_silent(host, key(0), false, NOW).unwrap();
        }
        for host in &silent[..PROBES] {
            assert_eq!(hosts.way(host, key(0), NOW), Way::Probes);
        }
        let last = &silent[PROBES];
        assert_eq!(hosts.way(last, key(0), NOW), Way::Waits);
        assert!(matches!(hosts.turn(last, NOW), Turn::Later(_)));
        assert_eq!(hosts.answers(&silent[0]).len(), 0);
        assert_eq!(hosts.turn(last, NOW), Turn::Of(key(0)));
    }
}
