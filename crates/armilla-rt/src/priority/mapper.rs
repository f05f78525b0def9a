//! A mapping in use: it turns what a mapping cannot map into errors.

use super::{LinearMapping, NativeRange, Priority, PriorityMapping};
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

    /// The CORBA priority of a native one, if it has one.
    pub(crate) fn corba(&self, native: Scheduling) -> Option<Priority> {
        self.0.to_corba(native)
    }

    /// The native priorities of several lanes.
    ///
    /// # Errors
    /// If a priority has no native one, or two different ones have the same: the lanes would not
    /// differ.
    pub(crate) fn distinct(
        &self,
        object: &str,
        priorities: &[Priority],
    ) -> Result<Vec<Scheduling>, RtError> {
        let native = priorities.iter().map(|priority| self.native(object, *priority));
        let native = native.collect::<Result<Vec<_>, _>>()?;
        for (index, first) in priorities.iter().enumerate() {
            let twin = (index + 1..priorities.len()).find(|&other| native[other] == native[index]);
            if let Some(other) = twin {
                return Err(RtError::new(
                    RtErrorKind::Mapping,
                    object,
                    "lane priorities",
                    format_args!("{first} and {}", priorities[other]),
                    format_args!(
                        "the priority mapping ({}) makes {} of both, so that neither lane would \
                         run before the other",
                        self.describe(),
                        native[index]
                    ),
                    "choose priorities further apart, or ContinuousMapping or DirectMapping",
                ));
            }
        }
        Ok(native)
    }
}

impl fmt::Debug for Mapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mapper({})", self.describe())
    }
}

#[cfg(test)]
mod tests {
    use super::super::DirectMapping;
    use super::*;

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
    fn a_priority_out_of_range_is_refused_with_its_value() {
        let direct = Mapper::new(Arc::new(DirectMapping(NativeRange::FIFO)));
        let error = direct.native("pool", Priority::new(100).unwrap()).unwrap_err();
        assert!(error.to_string().contains("100"), "{error}");
        assert_eq!(error.kind(), RtErrorKind::Mapping);
    }
}
