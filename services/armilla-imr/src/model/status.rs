//! What operators see of a server.

use super::{Endpoint, RunId, Time};
use std::fmt;

/// What a server does as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServerStage {
    /// It does not run; a call or an operator starts it.
    Stopped,
    /// It does not run, and only an operator starts it.
    Held,
    /// It starts.
    Starting,
    /// It runs.
    Running,
    /// It runs, and another process starts that is to take its place.
    Replacing,
    /// It ends.
    Ending,
    /// It has failed, and is started again after a pause.
    BackingOff,
    /// It has failed too often, and is not started until an operator does so.
    Failed,
}

impl fmt::Display for ServerStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "stopped",
            Self::Held => "held",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Replacing => "replacing",
            Self::Ending => "ending",
            Self::BackingOff => "backing off",
            Self::Failed => "failed",
        })
    }
}

/// What a process of a server does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunStage {
    /// Its process is being made.
    Spawning,
    /// Its process runs, and it does not serve yet.
    Starting,
    /// It serves.
    Running,
    /// It serves those that have found it, and gets no others.
    Draining,
    /// It was told to end.
    Ending,
}

impl fmt::Display for RunStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spawning => "spawning",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Draining => "draining",
            Self::Ending => "ending",
        })
    }
}

/// A process of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its number in the repository.
    pub id: RunId,
    /// What it does.
    pub stage: RunStage,
    /// The number of the process, once it is known.
    pub process: Option<u32>,
    /// When that process was started, in ticks since its host was; 0 if that is not known.
    pub started: u64,
    /// The host that it runs on, if it has said so.
    pub host: String,
    /// Where it listens, once that is known.
    pub endpoint: Option<Endpoint>,
    /// When it was started, or found again.
    pub since: Time,
    /// The client that it is for, if each client has its own.
    pub client: Option<String>,
}

/// The state of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// What it does.
    pub stage: ServerStage,
    /// Its processes, oldest first.
    pub runs: Vec<Run>,
    /// How many clients wait for it.
    pub waiting: usize,
    /// How often it was started.
    pub starts: u64,
    /// How many starts and runs have failed.
    pub failures: u64,
    /// How many requests were forwarded to it.
    pub forwards: u64,
    /// Why it has failed last, if it has.
    pub reason: Option<String>,
}
