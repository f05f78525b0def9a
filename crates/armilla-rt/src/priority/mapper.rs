//! A mapping in use: it turns what a mapping cannot map into errors.

use super::{LinearMapping, NativeRange, Priority, PriorityMapping, native_urgency};
use crate::error::{RtError, RtErrorKind};
use armilla_ipc::real_time::Scheduling;
use std::fmt;
use std::sync::Arc;

/// The mapping of an ORB.
#[derive(Clone)]
pub(crate) struct Mapper(Arc<dyn PriorityMapping>);

impl Default for Mapper {
    fn default() -> Self {
        Self(Arc::new(LinearMapping(NativeRange::FIFO)))
    }
}

impl Mapper {
    pub(crate) fn new(mapping: Arc<dyn PriorityMapping>) -> Self {
        Self(mapping)
    }

    pub(crate) fn describe(&self) -> String {
        self.0.describe()
    }

    /// The native priority of `priority`, for `object`.
    ///
    /// # Errors
    /// If it has none.
    pub(crate) fn native(
        &self,
        object: impl fmt::Display,
        priority: Priority,
    ) -> Result<Scheduling, RtError> {
        self.0.to_native(priority).ok_or_else(|| {
            RtError::new(
                RtErrorKind::Mapping,
                object,
                "priority",
                priority,
                format_args!(
                    "the priority mapping ({}) has no native priority for it",
                    self.describe()
                ),
                "choose another priority, or a mapping that covers it, such as LinearMapping",
            )
        })
    }

    /// The highest priority of a band that has a native one, and that.
    pub(crate) fn highest(
        &self,
        (low, high): (Priority, Priority),
    ) -> Option<(Priority, Scheduling)> {
        let numbers = (low.get()..=high.get()).rev();
        let mut priorities = numbers.filter_map(Priority::new);
        priorities.find_map(|priority| Some((priority, self.0.to_native(priority)?)))
    }

    /// The CORBA priority of a native one, if it has one.
    pub(crate) fn corba(&self, native: Scheduling) -> Option<Priority> {
        self.0.to_corba(native)
    }

    /// The native priorities of several lanes.
    ///
    /// # Errors
    /// If a priority has no native one, or two different ones have the same, so that the lanes would
    /// not differ, or the less urgent one has the more urgent native one.
    pub(crate) fn distinct(
        &self,
        object: &str,
        priorities: &[Priority],
    ) -> Result<Vec<Scheduling>, RtError> {
        let native = priorities.iter().map(|priority| self.native(object, *priority));
        let native = native.collect::<Result<Vec<_>, _>>()?;
        let pairs = (0..priorities.len()).flat_map(|at| (0..at).map(move |before| (before, at)));
        for (one, other) in pairs {
            let urgency = |at: usize| (priorities[at], native_urgency(native[at]));
            let ((first, a), (second, b)) = (urgency(one), urgency(other));
            if first.cmp(&second) != a.cmp(&b) {
                let numbers = [(first, native[one]), (second, native[other])];
                return Err(self.no_order(object, numbers, a == b));
            }
        }
        Ok(native)
    }

    #[cold]
    fn no_order(
        &self,
        object: &str,
        [(first, native), (second, other)]: [(Priority, Scheduling); 2],
        same: bool,
    ) -> RtError {
        let mapping = self.describe();
        let reason = match same {
            true if native == other => format!(
                "the priority mapping ({mapping}) makes {native} of both, so that neither lane \
                 would run before the other"
            ),
            true => format!(
                "the priority mapping ({mapping}) makes {native} and {other} of them, which are \
                 equally urgent, so that neither lane would run before the other"
            ),
            false => format!(
                "the priority mapping ({mapping}) makes {native} and {other} of them, so that the \
                 less urgent lane would run before the other"
            ),
        };
        RtError::new(
            RtErrorKind::Mapping,
            object,
            "lane priorities",
            format_args!("{first} and {second}"),
            reason,
            "choose priorities further apart, or ContinuousMapping or DirectMapping",
        )
    }
}

impl fmt::Debug for Mapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mapper({})", self.describe())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DirectMapping, TableMapping};
    use super::*;
    use std::time::Duration;

    fn priorities(numbers: &[i16]) -> Vec<Priority> {
        numbers.iter().map(|number| Priority::new(*number).unwrap()).collect()
    }

    #[test]
    fn lanes_that_would_share_a_native_priority_are_refused_with_both_priorities() {
        let error = Mapper::default().distinct("pool", &priorities(&[10, 90])).unwrap_err();
        let text = error.to_string();
        for part in ["pool", "10 and 90", "SCHED_FIFO 1", "DirectMapping"] {
            assert!(text.contains(part), "{text}");
        }
        let direct = Mapper::new(Arc::new(DirectMapping(NativeRange::FIFO)));
        assert!(direct.distinct("pool", &priorities(&[10, 90])).is_ok());
    }

    #[test]
    fn lanes_in_the_wrong_order_or_equally_urgent_in_two_classes_are_refused() {
        let [low, high] = [10, 90].map(|number| Priority::new(number).unwrap());
        let distinct = |of_low: Scheduling, of_high: Scheduling| {
            let table = TableMapping::new().with(low, of_low).with(high, of_high);
            Mapper::new(Arc::new(table)).distinct("pool", &[high, low])
        };
        let fifo = |priority| Scheduling::Fifo { priority };
        let round_robin = Scheduling::RoundRobin { priority: 7 };
        let deadline = |millis| Scheduling::Deadline {
            runtime: Duration::from_millis(1),
            deadline: Duration::from_millis(millis),
            period: Duration::from_millis(20),
        };
        for (of_low, of_high) in [
            (fifo(6), round_robin),
            (fifo(98), deadline(20)),
            (deadline(10), deadline(5)),
            (Scheduling::Other { nice: 3 }, Scheduling::Other { nice: -3 }),
            (Scheduling::Idle, Scheduling::DEFAULT),
        ] {
            assert_eq!(distinct(of_low, of_high).unwrap(), [of_high, of_low]);
            let text = distinct(of_high, of_low).unwrap_err().to_string();
            assert!(text.contains("90 and 10") && text.contains("less urgent"), "{text}");
        }
        let text = distinct(fifo(7), round_robin).unwrap_err().to_string();
        for part in ["90 and 10", "SCHED_RR 7 and SCHED_FIFO 7", "equally urgent"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(distinct(deadline(5), deadline(5)).is_err());
    }

    #[test]
    fn a_priority_out_of_range_is_refused_with_its_value() {
        let direct = Mapper::new(Arc::new(DirectMapping(NativeRange::FIFO)));
        let error = direct.native("pool", Priority::new(100).unwrap()).unwrap_err();
        assert!(error.to_string().contains("100"), "{error}");
        assert_eq!(error.kind(), RtErrorKind::Mapping);
    }
}
