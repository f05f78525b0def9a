//! Correlation: which events complete what a consumer wants. No thread, no clock: time, in
//! nanoseconds of any clock, is an argument.

use crate::corba::{Event, EventHeader, TIMEOUT_TYPE, TIMER_TYPE, Term, TermKind};
use crate::subscription::Subscription;
use std::sync::Arc;

/// Events that are delivered together.
#[derive(Debug, Clone)]
pub(crate) enum Matched {
    One(Arc<Event>),
    Several(Vec<Arc<Event>>),
}

impl Matched {
    fn append(self, to: &mut Vec<Arc<Event>>) {
        let events = match self {
            Self::One(event) => vec![event],
            Self::Several(events) => events,
        };
        for event in events {
            // One event may have completed several parts.
            if !to.iter().any(|other| Arc::ptr_eq(other, &event)) {
                to.push(event);
            }
        }
    }

    /// All of these together.
    fn join(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut all = all.into_iter();
        let first = all.next()?;
        let Some(second) = all.next() else { return Some(first) };
        let mut events = Vec::new();
        [first, second].into_iter().chain(all).for_each(|one| one.append(&mut events));
        Some(match <[_; 1]>::try_from(events) {
            Ok([event]) => Self::One(event),
            Err(events) => Self::Several(events),
        })
    }
}

/// The state of a subscription.
#[derive(Debug)]
pub(crate) struct Correlator(Node);

#[derive(Debug)]
enum Node {
    Match { source: u32, event_type: u32 },
    AnyOf(Vec<Node>),
    AllOf(Vec<(Node, Option<Matched>)>),
    Every { period: u64, next: u64, made: (u32, u32) },
    After { at: Option<u64>, made: (u32, u32) },
    Within { limit: u64, end: u64, made: (u32, u32), part: Box<Node> },
}

impl Correlator {
    /// The state of a subscription that has been checked, and begins at `now`.
    pub(crate) fn new(subscription: &Subscription, now: u64) -> Self {
        Self(Node::new(subscription.term(), now))
    }

    /// Takes an event. Returns what is to be delivered.
    pub(crate) fn offer(&mut self, event: &Arc<Event>, now: u64) -> Option<Matched> {
        self.0.step(Some(event), now)
    }

    /// Lets time pass. Returns what is to be delivered.
    pub(crate) fn tick(&mut self, now: u64) -> Option<Matched> {
        self.0.step(None, now)
    }

    /// When [`tick`](Self::tick) is to be called next.
    pub(crate) fn next_tick(&self) -> Option<u64> {
        self.0.next_tick()
    }
}

impl Node {
    fn new(term: &Term, now: u64) -> Self {
        let Term { kind, source, event_type, time, ref parts } = *term;
        let own = |usual| if event_type == 0 { (source, usual) } else { (source, event_type) };
        let mut nodes = parts.iter().map(|part| Self::new(part, now));
        match kind {
            TermKind::Match => Self::Match { source, event_type },
            TermKind::AnyOf => Self::AnyOf(nodes.collect()),
            TermKind::AllOf => Self::AllOf(nodes.map(|node| (node, None)).collect()),
            TermKind::Every => {
                let next = now.saturating_add(time);
                Self::Every { period: time.max(1), next, made: own(TIMER_TYPE) }
            }
            TermKind::After => {
                Self::After { at: Some(now.saturating_add(time)), made: own(TIMER_TYPE) }
            }
            TermKind::Within => {
                // A checked term has exactly one part.
                let part = nodes.next().unwrap_or(Self::AnyOf(Vec::new()));
                let (end, made) = (now.saturating_add(time), own(TIMEOUT_TYPE));
                Self::Within { limit: time, end, made, part: Box::new(part) }
            }
        }
    }

    /// Takes an event, or lets time pass.
    fn step(&mut self, event: Option<&Arc<Event>>, now: u64) -> Option<Matched> {
        match self {
            Self::Match { source, event_type } => {
                let event = event?;
                let matches = covers((*source, *event_type), &event.header);
                matches.then(|| Matched::One(event.clone()))
            }
            // Each part sees the event, although the first may have wanted it.
            Self::AnyOf(parts) => {
                Matched::join(parts.iter_mut().filter_map(|p| p.step(event, now)))
            }
            Self::AllOf(parts) => {
                for (part, gathered) in parts.iter_mut() {
                    if let Some(matched) = part.step(event, now) {
                        *gathered = Some(matched);
                    }
                }
                match parts.iter().all(|(_, gathered)| gathered.is_some()) {
                    true => Matched::join(parts.iter_mut().filter_map(|(_, all)| all.take())),
                    false => None,
                }
            }
            Self::Every { period, next, made } => {
                if event.is_some() || now < *next {
                    return None;
                }
                // Periods that nobody saw pass are left out, and the phase stays.
                *next = next.saturating_add(((now - *next) / *period + 1).saturating_mul(*period));
                Some(own_event(*made))
            }
            Self::After { at, made } => {
                at.take_if(|at| event.is_none() && now >= *at)?;
                Some(own_event(*made))
            }
            Self::Within { limit, end, made, part } => {
                let matched = part.step(event, now);
                if matched.is_some() {
                    *end = now.saturating_add(*limit);
                    return matched;
                }
                if event.is_some() || now < *end {
                    return None;
                }
                *end = now.saturating_add(*limit);
                part.discard();
                Some(own_event(*made))
            }
        }
    }

    fn next_tick(&self) -> Option<u64> {
        match self {
            Self::Match { .. } => None,
            Self::AnyOf(parts) => parts.iter().filter_map(Self::next_tick).min(),
            Self::AllOf(parts) => parts.iter().filter_map(|(part, _)| part.next_tick()).min(),
            Self::Every { next, .. } => Some(*next),
            Self::After { at, .. } => *at,
            Self::Within { end, part, .. } => Some(part.next_tick().map_or(*end, |t| t.min(*end))),
        }
    }

    /// Discards what conjunctions have gathered.
    fn discard(&mut self) {
        match self {
            Self::AnyOf(parts) => parts.iter_mut().for_each(Self::discard),
            Self::AllOf(parts) => {
                for (part, gathered) in parts {
                    *gathered = None;
                    part.discard();
                }
            }
            Self::Within { part, .. } => part.discard(),
            Self::Match { .. } | Self::Every { .. } | Self::After { .. } => {}
        }
    }
}

/// Whether an event has this source and type, where 0 stands for any.
pub(crate) fn covers((source, event_type): (u32, u32), header: &EventHeader) -> bool {
    (source == 0 || source == header.source) && (event_type == 0 || event_type == header.event_type)
}

/// An event of the channel itself.
fn own_event((source, event_type): (u32, u32)) -> Matched {
    Matched::One(Arc::new(Event::signal(source, event_type).with_hops(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const MS: u64 = 1_000_000;

    fn types(matched: Option<Matched>) -> Vec<u32> {
        match matched {
            None => Vec::new(),
            Some(Matched::One(event)) => vec![event.header.event_type],
            Some(Matched::Several(all)) => all.iter().map(|one| one.header.event_type).collect(),
        }
    }

    fn event(source: u32, event_type: u32) -> Arc<Event> {
        Arc::new(Event::signal(source, event_type))
    }

    #[test]
    fn sources_and_types_match_alone_and_together() {
        let wanted = [((1, 20), true), ((1, 0), true), ((0, 20), true), ((0, 0), true)];
        for ((source, event_type), matches) in
            wanted.into_iter().chain([((2, 20), false), ((1, 21), false)])
        {
            let mut correlator = Correlator::new(&Subscription::event(source, event_type), 0);
            assert_eq!(correlator.offer(&event(1, 20), 0).is_some(), matches);
        }
    }

    #[test]
    fn a_conjunction_delivers_the_latest_of_each_in_order_and_begins_anew() {
        let both = Subscription::all_of([Subscription::of_type(20), Subscription::of_type(21)]);
        let mut correlator = Correlator::new(&both, 0);
        let newer = event(3, 21);
        assert!(correlator.offer(&event(1, 21), 0).is_none());
        assert!(correlator.offer(&newer, 0).is_none());
        let Some(Matched::Several(all)) = correlator.offer(&event(2, 20), 0) else { panic!() };
        assert_eq!(all[0].header.event_type, 20);
        assert!(Arc::ptr_eq(&all[1], &newer));
        assert!(correlator.offer(&event(2, 20), 0).is_none());
    }

    #[test]
    fn an_event_that_completes_several_parts_is_delivered_once() {
        let twice = Subscription::any_of([Subscription::of_type(20), Subscription::of_source(1)]);
        assert_eq!(types(Correlator::new(&twice, 0).offer(&event(1, 20), 0)), [20]);
        let both = Subscription::all_of([Subscription::of_type(20), Subscription::of_source(1)]);
        assert_eq!(types(Correlator::new(&both, 0).offer(&event(1, 20), 0)), [20]);
    }

    #[test]
    fn a_timer_keeps_its_phase_and_leaves_out_what_nobody_saw() {
        let mut timer = Correlator::new(&Subscription::every(Duration::from_millis(10)), 0);
        assert_eq!(timer.next_tick(), Some(10 * MS));
        assert!(timer.tick(9 * MS).is_none());
        assert_eq!(types(timer.tick(10 * MS)), [TIMER_TYPE]);
        assert_eq!(types(timer.tick(47 * MS)), [TIMER_TYPE]);
        assert_eq!(timer.next_tick(), Some(50 * MS));
        let mut once = Correlator::new(&Subscription::after(Duration::from_millis(1)), 0);
        assert_eq!(types(once.tick(MS)), [TIMER_TYPE]);
        assert_eq!((once.next_tick(), once.tick(2 * MS).is_some()), (None, false));
    }

    #[test]
    fn a_conjunction_that_takes_too_long_is_told_and_discarded() {
        let both = Subscription::all_of([Subscription::of_type(20), Subscription::of_type(21)]);
        let watched = both.within(Duration::from_millis(10)).as_event(0, 99);
        let mut correlator = Correlator::new(&watched, 0);
        assert!(correlator.offer(&event(1, 20), MS).is_none());
        assert_eq!(types(correlator.tick(10 * MS)), [99]);
        assert!(correlator.offer(&event(1, 21), 11 * MS).is_none(), "the first was discarded");
        assert_eq!(types(correlator.offer(&event(1, 20), 12 * MS)), [20, 21]);
        assert_eq!(correlator.next_tick(), Some(22 * MS));
    }

    #[test]
    fn a_timer_in_a_conjunction_paces_it() {
        let timer = Subscription::every(Duration::from_millis(10));
        let paced = Subscription::all_of([Subscription::of_type(20), timer]);
        let mut correlator = Correlator::new(&paced, 0);
        assert!(correlator.offer(&event(1, 20), MS).is_none());
        assert!(correlator.offer(&event(1, 20), 2 * MS).is_none());
        assert_eq!(types(correlator.tick(10 * MS)), [20, TIMER_TYPE]);
        assert!(correlator.tick(20 * MS).is_none());
    }
}
