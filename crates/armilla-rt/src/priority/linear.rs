//! The linear mapping.

use super::{NativeRange, Priority, PriorityMapping};
use armilla_ipc::real_time::Scheduling;

/// Spreads all CORBA priorities evenly over a native range: 0 becomes its lowest priority and
/// 32,767 its highest. CORBA priorities that are close share a native one.
#[derive(Clone, Copy, Debug)]
pub struct LinearMapping(pub NativeRange);

/// How many CORBA priorities there are.
const PRIORITIES: i32 = 1 << 15;

impl PriorityMapping for LinearMapping {
    fn to_native(&self, priority: Priority) -> Option<Scheduling> {
        let above = i32::from(priority.get()) * self.0.size() / PRIORITIES;
        self.0.get(i32::from(self.0.lowest) + above)
    }

    /// The lowest CORBA priority that becomes this native one.
    fn to_corba(&self, native: Scheduling) -> Option<Priority> {
        let above = self.0.number(native)? - i32::from(self.0.lowest);
        let lowest = (above * PRIORITIES + self.0.size() - 1) / self.0.size();
        i16::try_from(lowest).ok().and_then(Priority::new)
    }

    fn describe(&self) -> String {
        format!("linear, 0 to 32767 over {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_and_every_native_priority_are_reached() {
        for range in [NativeRange::FIFO, NativeRange::OTHER, NativeRange::ROUND_ROBIN] {
            let mapping = LinearMapping(range);
            assert_eq!(mapping.to_native(Priority::MIN), range.get(range.lowest.into()));
            assert_eq!(mapping.to_native(Priority::MAX), range.get(range.highest.into()));
            for number in range.lowest..=range.highest {
                let native = range.get(number.into()).unwrap();
                let corba = mapping.to_corba(native).unwrap();
                assert_eq!(mapping.to_native(corba), Some(native), "{corba} of {native}");
            }
        }
    }

    #[test]
    fn a_more_urgent_corba_priority_is_never_less_urgent_natively() {
        let range = NativeRange::FIFO;
        let numbers = (0..=i16::MAX).map(|number| {
            let native = LinearMapping(range).to_native(Priority::new(number).unwrap()).unwrap();
            range.number(native).unwrap()
        });
        assert!(numbers.is_sorted());
    }

    #[test]
    fn a_native_priority_outside_the_range_has_no_corba_priority() {
        let mapping = LinearMapping(NativeRange::FIFO);
        assert_eq!(mapping.to_corba(Scheduling::Fifo { priority: 99 }), None);
        assert_eq!(mapping.to_corba(Scheduling::DEFAULT), None);
    }
}
