//! The scheduling class and priority of a thread (`sched(7)`).

use crate::error::context;
use crate::sys::{SchedulingAttributes, scheduling_attributes, set_scheduling_attributes};
use rustix::io::Errno;
use std::fmt;
use std::io;
use std::str::FromStr;
use std::time::Duration;

/// The class in which the kernel schedules a thread, with its priority there.
///
/// A thread of the class `Deadline` runs before all of `Fifo` and `RoundRobin`, and these run
/// before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheduling {
    /// Ordinary threads share a CPU (`SCHED_OTHER`).
    Other {
        /// −20 to 19; a lower one gets a larger share.
        nice: i8,
    },
    /// As `Other`, for threads that compute for long (`SCHED_BATCH`).
    Batch {
        /// −20 to 19.
        nice: i8,
    },
    /// Runs only when nothing else does (`SCHED_IDLE`).
    Idle,
    /// The highest priority runs until it waits (`SCHED_FIFO`).
    Fifo {
        /// 1 to 99; a higher one runs first.
        priority: u8,
    },
    /// As `Fifo`, with time slices among threads of one priority (`SCHED_RR`).
    RoundRobin {
        /// 1 to 99; a higher one runs first.
        priority: u8,
    },
    /// The earliest deadline runs first (`SCHED_DEADLINE`). The kernel guarantees `runtime` in each
    /// `period`, before `deadline`, and stops the thread when it has used it.
    Deadline {
        /// At least 1,024 ns.
        runtime: Duration,
        /// At least `runtime`.
        deadline: Duration,
        /// At least `deadline`.
        period: Duration,
    },
}

impl Scheduling {
    /// The class of threads that ask for nothing.
    pub const DEFAULT: Self = Self::Other { nice: 0 };

    /// The priorities of `Fifo` and `RoundRobin`.
    pub const PRIORITIES: std::ops::RangeInclusive<u8> = 1..=99;

    /// The class and priority of the calling thread.
    ///
    /// # Errors
    /// For a class that this type does not know; none of the kernel is known.
    pub fn current() -> io::Result<Self> {
        Self::of(0)
    }

    /// The class and priority of a thread by its [number](thread_id); 0 is the calling one.
    ///
    /// # Errors
    /// If there is no such thread.
    pub fn of(thread: i32) -> io::Result<Self> {
        let found = scheduling_attributes(thread)
            .map_err(|errno| context(format_args!("cannot read the class of {thread}"), errno))?;
        let nice = found.nice as i8;
        let priority = found.priority as u8;
        Ok(match found.policy as i32 {
            libc::SCHED_OTHER => Self::Other { nice },
            libc::SCHED_BATCH => Self::Batch { nice },
            libc::SCHED_IDLE => Self::Idle,
            libc::SCHED_FIFO => Self::Fifo { priority },
            libc::SCHED_RR => Self::RoundRobin { priority },
            libc::SCHED_DEADLINE => Self::Deadline {
                runtime: Duration::from_nanos(found.runtime),
                deadline: Duration::from_nanos(found.deadline),
                period: Duration::from_nanos(found.period),
            },
            other => {
                return Err(io::Error::other(format!("the scheduling class {other} is not known")));
            }
        })
    }

    /// Whether threads of this class run before all ordinary ones.
    pub const fn is_real_time(&self) -> bool {
        matches!(self, Self::Fifo { .. } | Self::RoundRobin { .. } | Self::Deadline { .. })
    }

    /// Gives the calling thread this class and priority. Threads that it starts afterwards inherit
    /// them, but for `Deadline`: they are ordinary threads.
    ///
    /// # Errors
    /// [`io::ErrorKind::PermissionDenied`] without the privilege, with the limit or capability that
    /// is missing; [`io::ErrorKind::InvalidInput`] for values out of range, and
    /// [`io::ErrorKind::ResourceBusy`] if the CPUs have no room for the runtime of `Deadline`.
    pub fn apply(self) -> io::Result<()> {
        self.apply_to(0)
    }

    /// Gives a thread this class and priority, by its [number](thread_id); 0 is the calling one.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn apply_to(self, thread: i32) -> io::Result<()> {
        set_scheduling_attributes(thread, &self.attributes()?).map_err(|errno| {
            let why = match (errno, self) {
                (Errno::PERM, Self::Deadline { .. }) => {
                    " (needs CAP_SYS_NICE, and an affinity to all CPUs of its domain)"
                }
                (Errno::PERM, _) => " (needs CAP_SYS_NICE or a sufficient RLIMIT_RTPRIO)",
                (Errno::BUSY, _) => " (the CPUs have no room for its runtime)",
                _ => "",
            };
            context(format_args!("cannot run as {self}{why}"), errno)
        })
    }

    fn attributes(self) -> io::Result<SchedulingAttributes> {
        let of = |policy: i32| SchedulingAttributes { policy: policy as u32, ..Default::default() };
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let attributes = match self {
            Self::Other { nice } => {
                SchedulingAttributes { nice: nice.into(), ..of(libc::SCHED_OTHER) }
            }
            Self::Batch { nice } => {
                SchedulingAttributes { nice: nice.into(), ..of(libc::SCHED_BATCH) }
            }
            Self::Idle => of(libc::SCHED_IDLE),
            Self::Fifo { priority } => {
                SchedulingAttributes { priority: priority.into(), ..of(libc::SCHED_FIFO) }
            }
            Self::RoundRobin { priority } => {
                SchedulingAttributes { priority: priority.into(), ..of(libc::SCHED_RR) }
            }
            Self::Deadline { runtime, deadline, period } => SchedulingAttributes {
                // The kernel lets such a thread start others only if they do not inherit the class.
                flags: RESET_ON_FORK,
                runtime: nanos(runtime),
                deadline: nanos(deadline),
                period: nanos(period),
                ..of(libc::SCHED_DEADLINE)
            },
        };
        match self.is_in_range() {
            true => Ok(attributes),
            false => {
                let what = format!("{self} is out of range: {}", self.range());
                Err(io::Error::new(io::ErrorKind::InvalidInput, what))
            }
        }
    }

    fn is_in_range(&self) -> bool {
        match *self {
            Self::Other { nice } | Self::Batch { nice } => (-20..=19).contains(&nice),
            Self::Idle => true,
            Self::Fifo { priority } | Self::RoundRobin { priority } => {
                Self::PRIORITIES.contains(&priority)
            }
            Self::Deadline { runtime, deadline, period } => {
                runtime >= Duration::from_nanos(1024) && runtime <= deadline && deadline <= period
            }
        }
    }

    const fn range(&self) -> &'static str {
        match self {
            Self::Fifo { .. } | Self::RoundRobin { .. } => "a priority is 1 to 99",
            Self::Deadline { .. } => "1,024 ns <= runtime <= deadline <= period",
            _ => "a nice value is -20 to 19",
        }
    }
}

impl fmt::Display for Scheduling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other { nice: 0 } => f.write_str("SCHED_OTHER"),
            Self::Other { nice } => write!(f, "SCHED_OTHER nice {nice}"),
            Self::Batch { nice } => write!(f, "SCHED_BATCH nice {nice}"),
            Self::Idle => f.write_str("SCHED_IDLE"),
            Self::Fifo { priority } => write!(f, "SCHED_FIFO {priority}"),
            Self::RoundRobin { priority } => write!(f, "SCHED_RR {priority}"),
            Self::Deadline { runtime, deadline, period } => {
                write!(f, "SCHED_DEADLINE {runtime:?}/{deadline:?}/{period:?}")
            }
        }
    }
}

/// `SCHED_FLAG_RESET_ON_FORK`.
const RESET_ON_FORK: u64 = 1;

/// A text that names no scheduling class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseSchedulingError(String);

impl fmt::Display for ParseSchedulingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes = "other, batch, idle, fifo:1-99, rr:1-99, deadline:RUNTIME/DEADLINE/PERIOD";
        write!(
            f,
            "{:?} is no scheduling class: {classes}, with times such as 500us or 10ms",
            self.0
        )
    }
}

impl std::error::Error for ParseSchedulingError {}

impl FromStr for Scheduling {
    type Err = ParseSchedulingError;

    /// Parses `other`, `other:NICE`, `batch`, `idle`, `fifo:PRIORITY`, `rr:PRIORITY` and
    /// `deadline:RUNTIME/DEADLINE/PERIOD`, with times in `ns`, `us`, `ms` or `s`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (class, number) = text.split_once(':').unwrap_or((text, ""));
        let wrong = || ParseSchedulingError(text.to_owned());
        let nice = || if number.is_empty() { Ok(0) } else { number.parse().map_err(|_| wrong()) };
        let priority = || number.parse().map_err(|_| wrong());
        let parsed = match class {
            "other" => Self::Other { nice: nice()? },
            "batch" => Self::Batch { nice: nice()? },
            "idle" if number.is_empty() => Self::Idle,
            "fifo" => Self::Fifo { priority: priority()? },
            "rr" => Self::RoundRobin { priority: priority()? },
            "deadline" => {
                let times: Option<Vec<Duration>> = number.split('/').map(time).collect();
                let Some([runtime, deadline, period]) = times.as_deref() else {
                    return Err(wrong());
                };
                Self::Deadline { runtime: *runtime, deadline: *deadline, period: *period }
            }
            _ => return Err(wrong()),
        };
        if parsed.is_in_range() { Ok(parsed) } else { Err(wrong()) }
    }
}

/// A time with its unit: `500us`.
fn time(text: &str) -> Option<Duration> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let nanos: u64 = match unit {
        "ns" => 1,
        "us" | "µs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(nanos).map(Duration::from_nanos)
}

/// The number by which the kernel knows the calling thread.
pub fn thread_id() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_thread_has_the_class_that_it_was_given_or_an_error_that_names_the_privilege() {
        thread::spawn(|| {
            assert!(!Scheduling::current().unwrap().is_real_time());
            for asked in [
                Scheduling::Fifo { priority: 7 },
                Scheduling::RoundRobin { priority: 3 },
                Scheduling::Batch { nice: 3 },
                Scheduling::Idle,
            ] {
                match asked.apply() {
                    Ok(()) => assert_eq!(Scheduling::current().unwrap(), asked),
                    Err(error) => {
                        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
                        assert!(error.to_string().contains("CAP_SYS_NICE"), "{error}");
                    }
                }
            }
        })
        .join()
        .unwrap();
    }

    #[test]
    fn the_deadline_class_keeps_its_three_times() {
        thread::spawn(|| {
            let [runtime, deadline, period] = [1, 5, 10].map(Duration::from_millis);
            let asked = Scheduling::Deadline { runtime, deadline, period };
            match asked.apply() {
                Ok(()) => {
                    assert_eq!(Scheduling::current().unwrap(), asked);
                    let started = thread::spawn(|| Scheduling::current().unwrap()).join().unwrap();
                    assert_eq!(started, Scheduling::DEFAULT, "an ordinary thread");
                }
                Err(error) => println!("skipped: {error}"),
            }
        })
        .join()
        .unwrap();
    }

    #[test]
    fn values_out_of_range_are_refused_before_the_kernel_sees_them() {
        let [short, long] = [1, 2].map(Duration::from_millis);
        for asked in [
            Scheduling::Fifo { priority: 0 },
            Scheduling::RoundRobin { priority: 100 },
            Scheduling::Other { nice: 20 },
            Scheduling::Deadline { runtime: long, deadline: short, period: long },
        ] {
            let error = asked.apply().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(error.to_string().contains("out of range"), "{error}");
        }
    }

    #[test]
    fn classes_are_parsed_and_malformed_ones_reported() {
        let cases = [
            ("other", Scheduling::DEFAULT),
            ("other:-5", Scheduling::Other { nice: -5 }),
            ("batch:19", Scheduling::Batch { nice: 19 }),
            ("idle", Scheduling::Idle),
            ("fifo:99", Scheduling::Fifo { priority: 99 }),
            ("rr:1", Scheduling::RoundRobin { priority: 1 }),
            (
                "deadline:500us/5ms/1s",
                Scheduling::Deadline {
                    runtime: Duration::from_micros(500),
                    deadline: Duration::from_millis(5),
                    period: Duration::from_secs(1),
                },
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse(), Ok(expected));
        }
        for text in [
            "",
            "fifo",
            "fifo:0",
            "fifo:100",
            "rr:-1",
            "idle:1",
            "other:20",
            "deadline",
            "deadline:1ms/5ms",
            "deadline:5ms/1ms/10ms",
            "deadline:1/5/10",
            "deadline:1ms/5ms/10ms/20ms",
            "deadline:99999999999999999999ms/5ms/10ms",
        ] {
            assert!(text.parse::<Scheduling>().is_err(), "{text}");
        }
    }
}
