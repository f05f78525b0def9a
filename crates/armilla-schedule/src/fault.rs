//! What is wrong with a set of tasks.

use std::fmt;

/// One thing that is wrong with a set of tasks: which task, what, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The task, file or key that it is about.
    pub subject: String,
    /// What is wrong, with the values.
    pub problem: String,
    /// What to do.
    pub remedy: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.problem)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", self.remedy) }
    }
}

/// Everything that is wrong with a set of tasks, which therefore cannot be analysed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidTasks {
    /// At least one fault, at most 100.
    pub faults: Vec<Fault>,
}

impl fmt::Display for InvalidTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.faults.iter().enumerate() {
            let end = if at == 0 { "" } else { "\n" };
            write!(f, "{end}{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidTasks {}

/// Collects faults.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

/// More faults than these help nobody.
const MOST: usize = 100;

impl Faults {
    pub(crate) fn add(
        &mut self,
        subject: impl Into<String>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        if self.0.len() < MOST {
            let (subject, problem, remedy) = (subject.into(), problem.into(), remedy.into());
            self.0.push(Fault { subject, problem, remedy });
        }
    }

    /// `value` if there was no fault.
    pub(crate) fn none<T>(self, value: T) -> Result<T, InvalidTasks> {
        if self.0.is_empty() { Ok(value) } else { Err(self.all()) }
    }

    /// The faults that were added.
    pub(crate) fn all(self) -> InvalidTasks {
        InvalidTasks { faults: self.0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
