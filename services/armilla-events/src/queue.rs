//! The bounded queue of a consumer: what is delivered next, and what is lost when it is full.

use crate::corba::OrderPolicy;
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
}

impl Delivery {
    pub(crate) fn new(matched: Matched, queued: u64) -> Self {
        let (mut priority, mut expires) = (i16::MIN, u64::MAX);
        let events = match &matched {
            Matched::One(event) => std::slice::from_ref(event),
            Matched::Several(events) => events,
        };
        for event in events {
            priority = priority.max(event.header.priority);
            expires = expires.min(event.header.expires());
        }
        Self { matched, priority, expires, queued }
    }
}

/// Deliveries that wait, in the order in which they are made.
#[derive(Debug)]
pub(crate) struct Queue {
    order: OrderPolicy,
    length: usize,
    /// By rank and arrival.
    waiting: BTreeMap<(i128, u64), Delivery>,
    /// The rank of each arrival, unless the order is that of arrivals.
    ranks: BTreeMap<u64, i128>,
    /// When each delivery expires that does, and its arrival.
    expiries: BTreeSet<(u64, u64)>,
    arrivals: u64,
}

impl Queue {
    /// A queue for at most `length` deliveries, at least one.
    pub(crate) fn new(order: OrderPolicy, length: usize) -> Self {
        let (waiting, ranks, expiries) = Default::default();
        Self { order, length: length.max(1), waiting, ranks, expiries, arrivals: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.waiting.len() >= self.length
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
        self.waiting.insert((rank, self.arrivals), delivery);
    }

    /// Takes the first delivery.
    pub(crate) fn pop(&mut self) -> Option<Delivery> {
        let ((_, arrival), delivery) = self.waiting.pop_first()?;
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
            self.waiting.remove(&(rank, arrival));
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
            self.expiries.remove(&(delivery.expires, arrival));
        }
    }

    /// Discards everything. Returns how much that was.
    pub(crate) fn clear(&mut self) -> usize {
        self.ranks.clear();
        self.expiries.clear();
        std::mem::take(&mut self.waiting).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corba::Event;
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
        let mut queue = Queue::new(order, 4);
        for (event_type, priority, lives) in [(20, 5, 9), (21, 9, 0), (22, 9, 3), (23, 1, 6)] {
            assert!(!queue.is_full());
            queue.push(delivery(event_type, priority, lives));
        }
        assert!(queue.is_full());
        queue
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
            assert!(!queue.is_full());
            assert_eq!(drain(queue), left, "{order:?}");
        }
    }
}
