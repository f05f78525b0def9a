//! The mapping by a table.

use super::{Priority, PriorityMapping};
use armilla_ipc::real_time::Scheduling;
use std::fmt;
use std::sync::Arc;

/// Maps single CORBA priorities to native ones of any class, and all others as another mapping
/// does, if there is one. It is the mapping for `SCHED_DEADLINE`, whose threads have a runtime, a
/// deadline and a period instead of a number.
///
/// ```
/// use armilla_rt::{
///     DirectMapping, NativeRange, Priority, PriorityMapping, Scheduling, TableMapping,
/// };
/// use std::time::Duration;
///
/// let [control, log] = [30_000, 5].map(|number| Priority::new(number).unwrap());
/// let [runtime, deadline, period] = [1, 5, 10].map(Duration::from_millis);
/// let mapping = TableMapping::new()
///     .with(control, Scheduling::Deadline { runtime, deadline, period })
///     .or(DirectMapping(NativeRange::ROUND_ROBIN));
/// assert!(mapping.to_native(control).unwrap().is_real_time());
/// assert_eq!(mapping.to_native(log), Some(Scheduling::RoundRobin { priority: 5 }));
/// ```
#[derive(Clone, Default)]
pub struct TableMapping {
    rows: Vec<(Priority, Scheduling)>,
    rest: Option<Arc<dyn PriorityMapping>>,
}

impl TableMapping {
    /// Maps nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Maps this CORBA priority to this native one, and back. It replaces what was mapped before.
    #[must_use]
    pub fn with(mut self, priority: Priority, native: Scheduling) -> Self {
        self.rows.retain(|(other, _)| *other != priority);
        self.rows.push((priority, native));
        self
    }

    /// Maps all other priorities as `rest` does.
    #[must_use]
    pub fn or(mut self, rest: impl PriorityMapping + 'static) -> Self {
        self.rest = Some(Arc::new(rest));
        self
    }
}

impl PriorityMapping for TableMapping {
    fn to_native(&self, priority: Priority) -> Option<Scheduling> {
        let row = self.rows.iter().find(|(of_row, _)| *of_row == priority);
        row.map(|(_, native)| *native).or_else(|| self.rest.as_ref()?.to_native(priority))
    }

    fn to_corba(&self, native: Scheduling) -> Option<Priority> {
        let row = self.rows.iter().find(|(_, of_row)| *of_row == native);
        row.map(|(priority, _)| *priority).or_else(|| self.rest.as_ref()?.to_corba(native))
    }

    fn describe(&self) -> String {
        let rows = self.rows.iter().map(|(priority, native)| format!("{priority} is {native}"));
        let rest = self.rest.as_ref().map(|rest| format!("others {}", rest.describe()));
        format!("a table: {}", rows.chain(rest).collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Debug for TableMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableMapping({})", self.describe())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DirectMapping, NativeRange};
    use super::*;

    #[test]
    fn rows_come_before_the_rest_in_both_directions() {
        let [five, six] = [5, 6].map(|number| Priority::new(number).unwrap());
        let round_robin = Scheduling::RoundRobin { priority: 40 };
        let mapping = TableMapping::new().with(five, Scheduling::Idle).with(five, round_robin);
        assert_eq!(mapping.to_native(five), Some(round_robin));
        assert_eq!(mapping.to_corba(round_robin), Some(five));
        assert_eq!((mapping.to_native(six), mapping.to_corba(Scheduling::Idle)), (None, None));
        let mapping = mapping.or(DirectMapping(NativeRange::FIFO));
        assert_eq!(mapping.to_native(six), Some(Scheduling::Fifo { priority: 6 }));
        assert_eq!(mapping.to_corba(Scheduling::Fifo { priority: 6 }), Some(six));
        let text = mapping.describe();
        assert!(text.contains("5 is SCHED_RR 40") && text.contains("others direct"), "{text}");
    }
}
