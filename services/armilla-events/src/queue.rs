//! The bounded queue of a consumer: what is delivered next, and what is lost when it is full.

use crate::corba::{Event, OrderPolicy};
use crate::correlation::Matched;
use std::collections::{BTreeMap, BTreeSet};

/// What is to be delivered in one call of the consumer.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) matched: Matched,
    /// The highest priority of the events.
    priority: i16,
    /// When the first of the events expires, in nanoseconds since 1970.
    pub(crate) expires: u64,
    /// When it was queued, in nanoseconds of the monotonic clock.
    pub(crate) queued: u64,
    /// What it takes in memory, about.
    octets: usize,
}

impl Delivery {
    pub(crate) fn new(matched: Matched, queued: u64) -> Self {
        let (mut priority, mut expires, mut octets) = (i16::MIN, u64::MAX, 0);
        let events = match &matched {
            Matched::One(event) => std::slice::from_ref(event),
            Matched::Several(events) => events,
        };
        for event in events {
            priority = priority.max(event.header.priority);
            expires = expires.min(event.header.expires());
            octets += size_of::<Event>() + event.data.decoder().remaining();
        }
        Self { matched, priority, expires, queued, octets }
    }
}

/// Deliveries that wait, in the order in which they are made.
#[derive(Debug)]
pub(crate) struct Queue {
    order: OrderPolicy,
    length: usize,
    /// What the deliveries take together, and may at most.
    octets: usize,
    most_octets: usize,
    /// By rank and arrival.
    waiting: BTreeMap<(i128, u64), Delivery>,
    /// The rank of each arrival, unless the order is that of arrivals.
    ranks: BTreeMap<u64, i128>,
    /// When each delivery expires that does, and its arrival.
    expiries: BTreeSet<(u64, u64)>,
    arrivals: u64,
}

impl Queue {
    /// A queue for at most `length` deliveries, at least one, which take `most_octets` together.
    pub(crate) fn new(order: OrderPolicy, length: usize, most_octets: usize) -> Self {
        let (waiting, ranks, expiries) = Default::default();
        let length = length.max(1);
        Self { order, length, octets: 0, most_octets, waiting, ranks, expiries, arrivals: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether a delivery has room. One that is larger than the queue has it once that is empty.
    pub(crate) fn has_room(&self, delivery: &Delivery) -> bool {
        let fits = self.octets.saturating_add(delivery.octets) <= self.most_octets;
        self.waiting.is_empty() || self.waiting.len() < self.length && fits
    }

    /// Adds a delivery; the caller has seen that there is room.
    pub(crate) fn push(&mut self, delivery: Delivery) {
        let rank = match self.order {
            OrderPolicy::FifoOrder => 0,
            OrderPolicy::PriorityOrder => -i128::from(delivery.priority),
            OrderPolicy::DeadlineOrder => i128::from(delivery.expires),
        };
        self.arrivals += 1;
        if self.order != OrderPolicy::FifoOrder {
            self.ranks.insert(self.arrivals, rank);
        }
        if delivery.expires != u64::MAX {
            self.expiries.insert((delivery.expires, self.arrivals));
        }
        self.octets += delivery.octets;
        self.waiting.insert((rank, self.arrivals), delivery);
    }

    /// Takes the first delivery.
    pub(crate) fn pop(&mut self) -> Option<Delivery> {
        let ((_, arrival), delivery) = self.waiting.pop_first()?;
        self.octets -= delivery.octets;
        self.ranks.remove(&arrival);
        self.expiries.remove(&(delivery.expires, arrival));
        Some(delivery)
    }

    /// Removes what has expired by `now`, in nanoseconds since 1970: it must hold no place that
    /// something of use needs. Returns how much that was.
    pub(crate) fn expire(&mut self, now: u64) -> usize {
        let mut expired = 0;
        while let Some(&(expires, arrival)) = self.expiries.first().filter(|it| it.0 <= now) {
            self.expiries.remove(&(expires, arrival));
            // Without ranks all have the same.
            let rank = self.ranks.remove(&arrival).unwrap_or(0);
            let removed = self.waiting.remove(&(rank, arrival));
            self.octets -= removed.map_or(0, |removed| removed.octets);
            expired += 1;
        }
        expired
    }

    /// When the first of the deliveries expires, in nanoseconds since 1970, if one does.
    pub(crate) fn next_expiry(&self) -> Option<u64> {
        self.expiries.first().map(|(expires, _)| *expires)
    }

    /// Discards the delivery that has waited longest.
    pub(crate) fn discard_oldest(&mut self) {
        let oldest = match self.ranks.pop_first() {
            Some((arrival, rank)) => self.waiting.remove_entry(&(rank, arrival)),
            // The first is the oldest.
            None => self.waiting.pop_first(),
        };
        if let Some(((_, arrival), delivery)) = oldest {
            self.octets -= delivery.octets;
            self.expiries.remove(&(delivery.expires, arrival));
        }
    }

    /// Discards everything. Returns how much that was.
    pub(crate) fn clear(&mut self) -> usize {
        self.ranks.clear();
        self.expiries.clear();
        self.octets = 0;
        std::mem::take(&mut self.waiting).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    fn delivery(event_type: u32, priority: i16, lives: u64) -> Delivery {
        let event = Event::signal(1, event_type).with_priority(priority);
        let mut event = event.with_time_to_live(Duration::from_secs(lives));
        event.header.created = 0;
        Delivery::new(Matched::One(Arc::new(event)), 0)
    }

    fn drain(mut queue: Queue) -> Vec<u32> {
        let mut types = Vec::new();
        while let Some(delivery) = queue.pop() {
            let Matched::One(event) = delivery.matched else { panic!("one event") };
            types.push(event.header.event_type);
        }
        assert!(queue.ranks.is_empty() && queue.expiries.is_empty());
        types
    }

    fn filled(order: OrderPolicy) -> Queue {
        let mut queue = Queue::new(order, 4, usize::MAX);
        for (event_type, priority, lives) in [(20, 5, 9), (21, 9, 0), (22, 9, 3), (23, 1, 6)] {
            let delivery = delivery(event_type, priority, lives);
            assert!(queue.has_room(&delivery));
            queue.push(delivery);
        }
        assert!(!queue.has_room(&delivery(24, 0, 0)));
        queue
    }

    #[test]
    fn a_queue_is_full_by_its_octets_in_every_order() {
        let large = || {
            let data = vec![7_u8; 1_000];
            let event = Event::new(1, 20, &data[..]).unwrap();
            Delivery::new(Matched::One(Arc::new(event)), 0)
        };
        for order in
            [OrderPolicy::FifoOrder, OrderPolicy::PriorityOrder, OrderPolicy::DeadlineOrder]
        {
            let mut queue = Queue::new(order, 100, 2 * large().octets);
            queue.push(large());
            assert!(queue.has_room(&large()));
            queue.push(large());
            assert!(!queue.has_room(&large()) && !queue.has_room(&delivery(20, 0, 0)));
            queue.discard_oldest();
            assert!(queue.has_room(&large()));
            queue.pop().unwrap();
            assert_eq!(queue.octets, 0);
            // One that is larger than the queue passes alone.
            let mut queue = Queue::new(order, 100, 10);
            assert!(queue.has_room(&large()));
            queue.push(large());
            assert!(!queue.has_room(&delivery(20, 0, 0)));
            assert_eq!((queue.clear(), queue.octets), (1, 0));
        }
    }

    #[test]
    fn each_order_delivers_what_it_says_and_equals_as_they_came() {
        assert_eq!(drain(filled(OrderPolicy::FifoOrder)), [20, 21, 22, 23]);
        assert_eq!(drain(filled(OrderPolicy::PriorityOrder)), [21, 22, 20, 23]);
        assert_eq!(drain(filled(OrderPolicy::DeadlineOrder)), [22, 23, 20, 21]);
    }

    #[test]
    fn the_oldest_is_discarded_in_every_order() {
        for (order, left) in [
            (OrderPolicy::FifoOrder, [21, 22, 23]),
            (OrderPolicy::PriorityOrder, [21, 22, 23]),
            (OrderPolicy::DeadlineOrder, [22, 23, 21]),
        ] {
            let mut queue = filled(order);
            queue.discard_oldest();
            assert_eq!(drain(queue), left, "{order:?}");
        }
    }

    #[test]
    fn what_has_expired_leaves_its_place_in_every_order() {
        for (order, left) in [
            (OrderPolicy::FifoOrder, [20, 21]),
            (OrderPolicy::PriorityOrder, [21, 20]),
            (OrderPolicy::DeadlineOrder, [20, 21]),
        ] {
            let mut queue = filled(order);
            assert_eq!(queue.next_expiry(), Some(3_000_000_000));
            assert_eq!(queue.expire(2_999_999_999), 0);
            // Those of 3 and of 6 seconds; one never expires.
            assert_eq!(queue.expire(6_000_000_000), 2);
            assert_eq!(queue.next_expiry(), Some(9_000_000_000));
            assert!(queue.has_room(&delivery(24, 0, 0)));
            assert_eq!(drain(queue), left, "{order:?}");
        }
    }
}
