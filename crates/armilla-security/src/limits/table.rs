//! What hosts or users have used, and who is banned. Time is an argument.

use super::options::Resource;
use super::rate::Used;
use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

/// What one of them has used, and how it has behaved.
#[derive(Debug, Default)]
pub(super) struct Share {
    pub(super) calls: Used,
    pub(super) octets: Used,
    pub(super) connections: Used,
    pub(super) events: Used,
    /// How much it holds of what is kept.
    held: [u64; HELD.len()],
    breaches: u32,
    breached: Duration,
    banned_until: Option<Duration>,
    last: Duration,
}

/// What is held, and not used up at once.
const HELD: [Resource; 2] = [Resource::Bindings, Resource::Images];

impl Share {
    fn held(&mut self, resource: Resource) -> Option<&mut u64> {
        self.held.get_mut(HELD.iter().position(|one| *one == resource)?)
    }

    /// Adds to what it holds, if that is at most so much then.
    pub(super) fn hold(&mut self, resource: Resource, amount: u64, most: u64) -> bool {
        let Some(held) = self.held(resource) else { return true };
        let fits = held.saturating_add(amount) <= most;
        *held += if fits { amount } else { 0 };
        fits
    }

    /// The contrary. What was forgotten meanwhile is given back already.
    pub(super) fn give_back(&mut self, resource: Resource, amount: u64) {
        if let Some(held) = self.held(resource) {
            *held = held.saturating_sub(amount);
        }
    }

    /// Who is forgotten last: who is banned, and before that who holds something.
    fn weight(&self, now: Duration) -> (bool, bool, Duration) {
        (self.is_banned(now), self.held.iter().any(|held| *held > 0), self.last)
    }

    /// Notes that it has broken the protocol. Returns whether it is banned for that now: `limit`
    /// breaches within `window` are too many. 0 bans nobody.
    pub(super) fn breach(
        &mut self,
        (limit, window, ban): (u32, Duration, Duration),
        now: Duration,
    ) -> bool {
        if self.breaches == 0 || now.saturating_sub(self.breached) >= window {
            (self.breaches, self.breached) = (0, now);
        }
        self.breaches = self.breaches.saturating_add(1);
        if limit == 0 || self.breaches < limit || self.is_banned(now) {
            return false;
        }
        self.breaches = 0;
        self.banned_until = Some(now.saturating_add(ban));
        true
    }

    pub(super) fn is_banned(&self, now: Duration) -> bool {
        self.banned_until.is_some_and(|until| now < until)
    }

    pub(super) fn lift(&mut self) -> bool {
        self.breaches = 0;
        self.banned_until.take().is_some()
    }
}

/// The shares of all, the most recent of them.
#[derive(Debug)]
pub(super) struct Table<K> {
    shares: HashMap<K, Share>,
    most: usize,
}

impl<K: Hash + Eq + Clone> Table<K> {
    /// One that remembers at most so many.
    pub(super) fn new(most: usize) -> Self {
        Self { shares: HashMap::new(), most: most.max(1) }
    }

    /// The share of this one, if it is remembered.
    pub(super) fn find(&mut self, key: &K) -> Option<&mut Share> {
        self.shares.get_mut(key)
    }

    /// The share of this one. Where there is no room, the one that was not seen for longest is
    /// forgotten, last of all those that are banned, and before them those that hold something.
    pub(super) fn of(&mut self, key: &K, now: Duration) -> &mut Share {
        if !self.shares.contains_key(key) && self.shares.len() >= self.most {
            self.forget(now);
        }
        let share = self.shares.entry(key.clone()).or_default();
        share.last = now;
        share
    }

    /// Makes room for an eighth, so that the look at all of them is rare.
    fn forget(&mut self, now: Duration) {
        let shares = self.shares.values();
        let mut order: Vec<_> = shares.map(|it| it.weight(now)).collect();
        let at = (order.len() / 8).min(order.len().saturating_sub(1));
        let (_, last, _) = order.select_nth_unstable(at);
        let last = *last;
        self.shares.retain(|_, share| share.weight(now) > last);
    }

    /// Those that are banned, and for how long still.
    pub(super) fn banned(&self, now: Duration) -> impl Iterator<Item = (&K, Duration)> {
        self.shares.iter().filter_map(move |(key, share)| {
            let left = share.banned_until?.checked_sub(now)?;
            (!left.is_zero()).then_some((key, left))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAN: (u32, Duration, Duration) = (3, Duration::from_secs(60), Duration::from_secs(600));

    #[test]
    fn who_breaks_the_protocol_too_often_is_banned_for_a_while() {
        let at = Duration::from_secs;
        let mut share = Share::default();
        assert!(!share.breach(BAN, at(0)) && !share.breach(BAN, at(1)));
        assert!(!share.breach(BAN, at(60)), "the first two were long ago");
        assert!(!share.breach(BAN, at(61)) && share.breach(BAN, at(62)));
        assert!(share.is_banned(at(661)) && !share.is_banned(at(662)));
        assert!(share.lift() && !share.is_banned(at(100)));
        let none = (0, BAN.1, BAN.2);
        assert!((0..100).all(|_| !share.breach(none, at(0))), "nobody is banned by 0");
    }

    #[test]
    fn the_number_of_the_remembered_is_bounded_and_bans_stay_longest() {
        let (mut table, at) = (Table::new(16), Duration::from_secs);
        for _ in 0..3 {
            table.of(&0, at(0)).breach(BAN, at(0));
        }
        for host in 1..1000 {
            table.of(&host, at(1) + Duration::from_millis(host));
            assert!(table.shares.len() <= 16);
        }
        assert!(table.find(&999).is_some() && table.find(&1).is_none());
        assert_eq!(
            table.banned(at(100)).map(|(host, left)| (*host, left)).next(),
            Some((0, at(500)))
        );
        assert_eq!(table.banned(at(600)).count(), 0);
    }
}
