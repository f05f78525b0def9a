//! What the platform grants of real time: a table of what was asked for, what was granted, why not,
//! and how to get it.
//!
//! ```
//! use armilla_rt::Platform;
//! use armilla_rt::Scheduling;
//!
//! let report = Platform::new().scheduling(Scheduling::Fifo { priority: 90 }).report();
//! println!("{report}");
//! # let _ = report;
//! ```

mod checks;
mod facts;
mod report;

pub use report::{Finding, Grant, PlatformReport};

use crate::error::{RtError, RtErrorKind};
use armilla_ipc::affinity;
use armilla_ipc::real_time::{
    Scheduling, lock_memory, reserve_heap, reserve_stack, set_timer_slack,
};
use std::time::Duration;
use tracing::{info, warn};

/// What a program asks of the platform. [`report`](Self::report) only looks,
/// [`prepare`](Self::prepare) does what can be done.
#[derive(Clone, Debug, Default)]
pub struct Platform {
    pub(crate) scheduling: Vec<Scheduling>,
    pub(crate) lock_memory: bool,
    pub(crate) reserve_heap: usize,
    pub(crate) reserve_stack: usize,
    pub(crate) cpus: Vec<usize>,
    pub(crate) exclusive: bool,
    pub(crate) busy_poll: bool,
    pub(crate) timer_slack: Option<Duration>,
    pub(crate) strict: bool,
}

impl Platform {
    /// Asks for nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for everything that a real-time process usually needs: `SCHED_FIFO` up to 90, locked
    /// memory, and a timer slack of 1 ns.
    pub fn real_time() -> Self {
        Self::new()
            .scheduling(Scheduling::Fifo { priority: 90 })
            .lock_memory()
            .timer_slack(Duration::from_nanos(1))
    }

    /// Threads will have this class and priority. May be called several times.
    #[must_use]
    pub fn scheduling(mut self, scheduling: Scheduling) -> Self {
        if !self.scheduling.contains(&scheduling) {
            self.scheduling.push(scheduling);
        }
        self
    }

    /// Memory is to be locked, so that no page is ever written out or mapped late.
    #[must_use]
    pub const fn lock_memory(mut self) -> Self {
        self.lock_memory = true;
        self
    }

    /// The allocator is to have this many octets in stock.
    #[must_use]
    pub const fn reserve_heap(mut self, octets: usize) -> Self {
        self.reserve_heap = octets;
        self
    }

    /// The stack of the calling thread is to have this many octets mapped.
    #[must_use]
    pub const fn reserve_stack(mut self, octets: usize) -> Self {
        self.reserve_stack = octets;
        self
    }

    /// The process is to run on these CPUs only.
    #[must_use]
    pub fn cpus(mut self, cpus: impl IntoIterator<Item = usize>) -> Self {
        self.cpus = cpus.into_iter().collect();
        self
    }

    /// The [CPUs](Self::cpus) are to run nothing else: isolated from the scheduler (`isolcpus`, or
    /// an isolated partition of `cpuset`).
    #[must_use]
    pub const fn exclusive_cpus(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Threads are to poll instead of sleeping. A real-time thread that polls on a CPU that others
    /// need stops them, so this is granted on [exclusive](Self::exclusive_cpus) CPUs only.
    #[must_use]
    pub const fn busy_poll(mut self) -> Self {
        self.busy_poll = true;
        self
    }

    /// The timer slack of the calling thread and of those that it starts.
    #[must_use]
    pub const fn timer_slack(mut self, slack: Duration) -> Self {
        self.timer_slack = Some(slack);
        self
    }

    /// [`prepare`](Self::prepare) fails if anything that was asked for is not granted.
    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Looks what of this the platform grants. Nothing is changed: a thread that ends at once tries
    /// the classes out.
    pub fn report(&self) -> PlatformReport {
        checks::report(self)
    }

    /// Does what was asked for, for the process and the calling thread, and reports it. What is
    /// not granted is logged as a warning.
    ///
    /// # Errors
    /// If the request is [`strict`](Self::strict) and something was not granted: the first of
    /// these, with its remedy.
    pub fn prepare(&self) -> Result<PlatformReport, RtError> {
        let mut report = self.report();
        self.apply(&mut report);
        for finding in report.refused() {
            warn!(
                asked = finding.asked,
                why = finding.found,
                "{}: {}",
                finding.topic,
                finding.remedy
            );
        }
        if let (true, Some(finding)) = (self.strict, report.refused().next()) {
            return Err(refusal(finding));
        }
        for finding in report.findings().iter().filter(|finding| finding.grant == Grant::Granted) {
            info!(asked = finding.asked, found = finding.found, "{}", finding.topic);
        }
        Ok(report)
    }

    fn apply(&self, report: &mut PlatformReport) {
        if self.lock_memory {
            match lock_memory() {
                Ok(locked) if !locked.heap_is_kept => report.note(
                    checks::MEMORY,
                    Grant::Partly,
                    "locked, but the allocator of this C library returns freed memory",
                ),
                Ok(_) => {
                    report.note(checks::MEMORY, Grant::Granted, "locked, freed memory is kept")
                }
                Err(error) => report.note(checks::MEMORY, Grant::Refused, &error.to_string()),
            }
        }
        if self.reserve_heap > 0 {
            reserve_heap(self.reserve_heap);
        }
        if self.reserve_stack > 0 {
            reserve_stack(self.reserve_stack);
        }
        if let Some(Err(error)) = self.timer_slack.map(set_timer_slack) {
            report.note(checks::SLACK, Grant::Refused, &error.to_string());
        }
        if !self.cpus.is_empty()
            && let Err(error) = affinity::pin_process(&self.cpus)
        {
            report.note(checks::CPUS, Grant::Refused, &error.to_string());
        }
    }
}

fn refusal(finding: &Finding) -> RtError {
    RtError::new(
        RtErrorKind::Permission,
        "platform (strict)",
        finding.topic,
        &finding.asked,
        &finding.found,
        &finding.remedy,
    )
}
