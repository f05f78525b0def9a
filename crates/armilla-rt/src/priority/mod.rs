//! CORBA priorities, and the native priorities that they become (RT CORBA 1.2,
//! *Native Thread Priorities*, *CORBA Priority*, *CORBA Priority Mappings*).

mod continuous;
mod direct;
mod linear;
mod mapper;
mod table;
mod transform;

pub use continuous::ContinuousMapping;
pub use direct::DirectMapping;
pub use linear::LinearMapping;
pub(crate) use mapper::Mapper;
pub use table::TableMapping;
pub use transform::PriorityTransform;

use armilla_ipc::real_time::Scheduling;
use std::fmt;

/// A CORBA priority: 0 to 32,767, the higher the more urgent, the same on every host
/// (`RTCORBA::Priority`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(i16);

impl Priority {
    /// The lowest priority (`RTCORBA::minPriority`).
    pub const MIN: Self = Self(0);
    /// The highest priority (`RTCORBA::maxPriority`).
    pub const MAX: Self = Self(i16::MAX);

    /// The priority with this number; `None` if it is negative.
    pub const fn new(number: i16) -> Option<Self> {
        if number >= 0 { Some(Self(number)) } else { None }
    }

    /// The number.
    pub const fn get(self) -> i16 {
        self.0
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Maps CORBA priorities to native ones and back (`RTCORBA::PriorityMapping`). A native priority is
/// a scheduling class of the operating system with a priority in it.
///
/// A program installs a mapping of its own by implementing this trait. The ORB calls it from any
/// thread before it gives a thread a priority: also for a call, where that has to run at another
/// priority than the thread that received it. It must be quick and must not block.
pub trait PriorityMapping: Send + Sync {
    /// The native priority of a CORBA priority; `None` if it has none (`to_native`).
    fn to_native(&self, priority: Priority) -> Option<Scheduling>;

    /// The CORBA priority of a native one; `None` if it has none (`to_CORBA`).
    #[doc(alias = "to_CORBA")]
    fn to_corba(&self, native: Scheduling) -> Option<Priority>;

    /// The mapping in a few words, for reports.
    fn describe(&self) -> String {
        "a mapping of the program's own".to_owned()
    }
}

/// The native class of a mapping that the ORB offers, and the priorities that it uses there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NativeRange {
    class: NativeClass,
    lowest: i16,
    highest: i16,
}

/// The native class of a [`NativeRange`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NativeClass {
    Other,
    Fifo,
    RoundRobin,
}

impl NativeRange {
    /// `SCHED_FIFO`, priorities 1 to 98. 99 is left to the kernel's own threads.
    pub const FIFO: Self = Self { class: NativeClass::Fifo, lowest: 1, highest: 98 };
    /// `SCHED_RR`, priorities 1 to 98.
    pub const ROUND_ROBIN: Self = Self { class: NativeClass::RoundRobin, lowest: 1, highest: 98 };
    /// `SCHED_OTHER` with nice values from 19 to −20. More than its share needs a privilege.
    pub const OTHER: Self = Self { class: NativeClass::Other, lowest: -19, highest: 20 };

    /// The part of the range from `lowest` to `highest`. For `SCHED_OTHER` the numbers are nice
    /// values with the opposite sign. `None` if it is no part of this range, or empty.
    pub fn within(self, lowest: i16, highest: i16) -> Option<Self> {
        let widest = match self.class {
            NativeClass::Other => -19..=20,
            NativeClass::Fifo | NativeClass::RoundRobin => 1..=99,
        };
        let inside = widest.contains(&lowest) && widest.contains(&highest) && lowest <= highest;
        inside.then_some(Self { lowest, highest, ..self })
    }

    /// How many native priorities there are.
    fn size(self) -> i32 {
        i32::from(self.highest) - i32::from(self.lowest) + 1
    }

    /// The native priority with this number, if the range has it.
    fn get(self, number: i32) -> Option<Scheduling> {
        let number = i16::try_from(number).ok()?;
        if !(self.lowest..=self.highest).contains(&number) {
            return None;
        }
        // The range holds no numbers that do not fit.
        Some(match self.class {
            NativeClass::Other => Scheduling::Other { nice: -number as i8 },
            NativeClass::Fifo => Scheduling::Fifo { priority: number as u8 },
            NativeClass::RoundRobin => Scheduling::RoundRobin { priority: number as u8 },
        })
    }

    /// The number of a native priority of this range.
    fn number(self, native: Scheduling) -> Option<i32> {
        let number = match (self.class, native) {
            (NativeClass::Other, Scheduling::Other { nice }) => -i16::from(nice),
            (NativeClass::Fifo, Scheduling::Fifo { priority }) => priority.into(),
            (NativeClass::RoundRobin, Scheduling::RoundRobin { priority }) => priority.into(),
            _ => return None,
        };
        (self.lowest..=self.highest).contains(&number).then_some(number.into())
    }
}

/// How urgent a native priority is: of two threads the kernel runs the one with the greater value.
/// `SCHED_FIFO` and `SCHED_RR` have their priorities in common, and `SCHED_DEADLINE` runs before
/// them.
pub(crate) fn native_urgency(native: Scheduling) -> (u8, i128) {
    match native {
        Scheduling::Deadline { deadline, .. } => {
            (3, -i128::try_from(deadline.as_nanos()).unwrap_or(i128::MAX))
        }
        Scheduling::Fifo { priority } | Scheduling::RoundRobin { priority } => (2, priority.into()),
        Scheduling::Other { nice } | Scheduling::Batch { nice } => (1, -i128::from(nice)),
        // `SCHED_IDLE`, and what is not known yet.
        _ => (0, 0),
    }
}

impl fmt::Display for NativeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lowest, highest) = (self.lowest, self.highest);
        match self.class {
            NativeClass::Other => write!(f, "SCHED_OTHER nice {} to {}", -lowest, -highest),
            NativeClass::Fifo => write!(f, "SCHED_FIFO {lowest} to {highest}"),
            NativeClass::RoundRobin => write!(f, "SCHED_RR {lowest} to {highest}"),
        }
    }
}
