//! The continuous mapping.

use super::{NativeRange, Priority, PriorityMapping};
use armilla_ipc::real_time::Scheduling;

/// Maps CORBA priorities from 0 on to native ones from the lowest on, one to one. CORBA priorities
/// beyond the native range have no native priority.
#[derive(Clone, Copy, Debug)]
pub struct ContinuousMapping(pub NativeRange);

impl PriorityMapping for ContinuousMapping {
    fn to_native(&self, priority: Priority) -> Option<Scheduling> {
        self.0.get(i32::from(self.0.lowest) + i32::from(priority.get()))
    }

    fn to_corba(&self, native: Scheduling) -> Option<Priority> {
        let number = self.0.number(native)? - i32::from(self.0.lowest);
        i16::try_from(number).ok().and_then(Priority::new)
    }

    fn describe(&self) -> String {
        format!("continuous, 0 to {} over {}", self.0.size() - 1, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_stay_neighbours_up_to_the_end_of_the_range() {
        let mapping = ContinuousMapping(NativeRange::FIFO);
        for number in 0..98 {
            let priority = Priority::new(number).unwrap();
            let native = Scheduling::Fifo { priority: number as u8 + 1 };
            assert_eq!(mapping.to_native(priority), Some(native));
            assert_eq!(mapping.to_corba(native), Some(priority));
        }
        assert_eq!(mapping.to_native(Priority::new(98).unwrap()), None);
    }
}
