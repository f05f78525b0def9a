//! The schedule of the flight: from the annotations in the IDL to priorities. Both processes
//! compute it, and come to the same.

use crate::avionics::{hud, navigation, recorder, sensors};
use armilla_rt::{Priority, RtError, tasks_of};
use armilla_schedule::{
    AnalysisOptions, InvalidTasks, PriorityRange, Report, Strategy, System, analyse,
};
use std::error::Error;
use std::time::Duration;

/// The lowest CORBA priority of the flight, of what has no operation in the schedule.
pub const LOWEST: i16 = 10;

/// The schedule, proven before anything runs.
pub struct Plan {
    /// The operations.
    pub system: System,
    /// The verdict and the priorities.
    pub report: Report,
}

impl Plan {
    /// Analyses the operations of both processes with rate-monotonic priorities.
    ///
    /// # Errors
    /// What is wrong with the annotations.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let tasks = tasks_of([
            ("sensors", sensors::RT_INFO),
            ("avionics", navigation::RT_INFO),
            ("avionics", hud::RT_INFO),
            ("avionics", recorder::RT_INFO),
        ])
        .map_err(|error: RtError| error.to_string())?;
        let invalid = |invalid: InvalidTasks| format!("{invalid}");
        let system = System::new(tasks).map_err(invalid)?;
        let mut question = AnalysisOptions::of(Strategy::RateMonotonic);
        question.range = PriorityRange::new(i32::from(LOWEST) + 1, 60)?;
        let report = analyse(&system, question).map_err(invalid)?;
        Ok(Self { system, report })
    }

    /// The CORBA priority of an operation. The direct mapping makes the same number of
    /// `SCHED_FIFO` of it.
    pub fn priority(&self, operation: &str) -> Priority {
        let found = self.report.operations.iter().find(|one| one.name == operation);
        let number = found.and_then(|one| i16::try_from(one.priority?).ok());
        number.and_then(Priority::new).unwrap_or_default()
    }

    /// The deadline of an operation, from the release of what begins its chain.
    pub fn deadline(&self, operation: &str) -> Duration {
        let found = self.system.tasks().iter().find(|task| task.name == operation);
        let deadline = found.and_then(|task| task.deadline.or(task.period));
        deadline.map_or(Duration::MAX, Duration::from)
    }
}
