//! What a consumer wants: a tree of terms, checked when it is made from what a client sends.

use crate::corba::{InvalidSubscription, Term, TermKind};
use crate::event::nanos;
use std::time::Duration;

/// What a consumer wants, as [`Term`]s: events by source and type, combinations of them, and timers.
///
/// ```
/// use armilla_events::Subscription;
/// use std::time::Duration;
///
/// // Both an altitude and a speed; or word that they have not come for 100 ms.
/// let both = Subscription::all_of([Subscription::of_type(20), Subscription::of_type(21)]);
/// let watched = both.within(Duration::from_millis(100));
/// assert!(watched.check().is_ok());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Subscription(Term);

impl Subscription {
    /// Every event.
    pub fn everything() -> Self {
        Self::event(0, 0)
    }

    /// Events of this source and type; 0 stands for all sources and all types.
    pub fn event(source: u32, event_type: u32) -> Self {
        Self(Term { kind: TermKind::Match, source, event_type, ..Term::default() })
    }

    /// Events of this type, of any source.
    pub fn of_type(event_type: u32) -> Self {
        Self::event(0, event_type)
    }

    /// Events of this source, of any type.
    pub fn of_source(source: u32) -> Self {
        Self::event(source, 0)
    }

    /// What any of the parts wants (disjunction).
    pub fn any_of(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::combined(TermKind::AnyOf, parts)
    }

    /// What all parts want, delivered together once each has come (conjunction): the latest of
    /// each, in the order of the parts.
    pub fn all_of(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::combined(TermKind::AllOf, parts)
    }

    /// An event of the channel after each period.
    pub fn every(period: Duration) -> Self {
        Self(Term { kind: TermKind::Every, time: nanos(period), ..Term::default() })
    }

    /// An event of the channel after this time, once.
    pub fn after(time: Duration) -> Self {
        Self(Term { kind: TermKind::After, time: nanos(time), ..Term::default() })
    }

    /// The same, and an event of the channel whenever it has brought nothing for this time. What a
    /// conjunction has gathered until then is discarded.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        let parts = vec![self.0];
        Self(Term { kind: TermKind::Within, time: nanos(time), parts, ..Term::default() })
    }

    /// The same, where the event of the channel ([`every`](Self::every), [`after`](Self::after),
    /// [`within`](Self::within)) has this source and type.
    #[must_use]
    pub fn as_event(mut self, source: u32, event_type: u32) -> Self {
        (self.0.source, self.0.event_type) = (source, event_type);
        self
    }

    /// Checks the terms.
    ///
    /// # Errors
    /// A combination without parts, a time of zero, or too many or too deeply nested terms.
    pub fn check(&self) -> Result<(), InvalidSubscription> {
        let mut count = 0;
        check(&self.0, 0, &mut count).map_err(|reason| InvalidSubscription { reason })
    }

    /// The terms as they are sent.
    pub const fn term(&self) -> &Term {
        &self.0
    }

    /// The sources and types of the events that matter to it.
    pub(crate) fn interests(&self) -> Box<[(u32, u32)]> {
        let (mut open, mut found) = (vec![&self.0], Vec::new());
        while let Some(term) = open.pop() {
            if term.kind == TermKind::Match {
                found.push((term.source, term.event_type));
            }
            open.extend(&term.parts);
        }
        found.sort_unstable();
        found.dedup();
        found.into()
    }

    fn combined(kind: TermKind, parts: impl IntoIterator<Item = Self>) -> Self {
        let parts = parts.into_iter().map(|Self(term)| term).collect();
        Self(Term { kind, parts, ..Term::default() })
    }
}

impl From<Term> for Subscription {
    fn from(term: Term) -> Self {
        Self(term)
    }
}

/// The most terms of a subscription, and how deeply they nest at most.
const MOST_TERMS: usize = 256;
const MOST_DEPTH: usize = 8;
/// The shortest period of a timer, and the longest.
const SHORTEST: u64 = 100_000;
const LONGEST: u64 = 365 * 24 * 3_600 * 1_000_000_000;

fn check(term: &Term, depth: usize, count: &mut usize) -> Result<(), String> {
    *count += 1;
    if *count > MOST_TERMS {
        return Err(format!("a subscription has at most {MOST_TERMS} terms"));
    }
    if depth >= MOST_DEPTH {
        return Err(format!("the terms of a subscription nest at most {MOST_DEPTH} deep"));
    }
    let (kind, parts) = (term.kind, term.parts.len());
    let wrong = match kind {
        TermKind::Match | TermKind::Every | TermKind::After => parts != 0,
        TermKind::AnyOf | TermKind::AllOf => parts == 0,
        TermKind::Within => parts != 1,
    };
    if wrong {
        let right = match kind {
            TermKind::Match | TermKind::Every | TermKind::After => "no parts",
            TermKind::AnyOf | TermKind::AllOf => "at least one part",
            TermKind::Within => "exactly one part",
        };
        return Err(format!("a term {kind:?} has {right}, and not {parts}"));
    }
    let timed = matches!(kind, TermKind::Every | TermKind::After | TermKind::Within);
    if timed && !(SHORTEST..=LONGEST).contains(&term.time) {
        let time = term.time;
        return Err(format!("{kind:?} takes a time of 100 us to 365 days, and not {time} ns"));
    }
    term.parts.iter().try_for_each(|part| check(part, depth + 1, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused_with_its_reason() {
        let reason = |it: Subscription| it.check().unwrap_err().reason;
        assert!(reason(Subscription::any_of([])).contains("at least one part"));
        assert!(reason(Subscription::every(Duration::ZERO)).contains("100 us"));
        let deep = (0..9).fold(Subscription::everything(), |it, _| Subscription::any_of([it]));
        assert!(reason(deep).contains("nest"));
        let wide = Subscription::any_of((0..256).map(Subscription::of_type));
        assert!(reason(wide).contains("256 terms"));
        let mut two = Subscription::everything().within(Duration::from_secs(1));
        two.0.parts.push(Term::default());
        assert!(reason(two).contains("exactly one part"));
    }
}
