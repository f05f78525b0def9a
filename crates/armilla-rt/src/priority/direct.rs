//! The direct mapping.

use super::{NativeRange, Priority, PriorityMapping};
use armilla_ipc::real_time::Scheduling;

/// Takes the number of a CORBA priority as the native priority. Those outside the native range have
/// no native priority: nothing is cut off.
#[derive(Clone, Copy, Debug)]
pub struct DirectMapping(pub NativeRange);

impl PriorityMapping for DirectMapping {
    fn to_native(&self, priority: Priority) -> Option<Scheduling> {
        self.0.get(priority.get().into())
    }

    fn to_corba(&self, native: Scheduling) -> Option<Priority> {
        i16::try_from(self.0.number(native)?).ok().and_then(Priority::new)
    }

    fn describe(&self) -> String {
        format!("direct, onto {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_and_what_is_out_of_range_is_not_cut_off() {
        let mapping = DirectMapping(NativeRange::FIFO);
        let native = Scheduling::Fifo { priority: 50 };
        assert_eq!(mapping.to_native(Priority::new(50).unwrap()), Some(native));
        assert_eq!(mapping.to_corba(native), Priority::new(50));
        for number in [0, 99, 100, i16::MAX] {
            assert_eq!(mapping.to_native(Priority::new(number).unwrap()), None);
        }
    }
}
