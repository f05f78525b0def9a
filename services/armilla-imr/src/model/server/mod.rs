//! The state machine of one server.
//!
//! `clients` has the requests, `operators` the commands, `processes` what processes report, `time`
//! what is due and the checks.

mod clients;
mod operators;
mod processes;
mod time;

use super::{
    Action, Activation, Definition, Endpoint, Run, RunId, RunStage, ServerStage, Status, Time,
    WaiterId,
};
use serde::{Deserialize, Serialize};
use std::collections::{HashSet, VecDeque};
use std::mem;
use std::sync::Arc;

/// How the process of a run has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Whether the exit status was 0.
    pub success: bool,
    /// The exit status or the signal, and the last lines of standard error.
    pub what: String,
}

/// What is kept of a run while the repository does not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its number in the repository.
    pub id: RunId,
    /// The number of the process.
    pub process: Option<u32>,
    /// When that was started, in ticks since its host was; 0 if that is not known.
    pub started: u64,
    /// The host that it runs on.
    pub host: String,
    /// Where it listens, once that is known.
    pub endpoint: Option<String>,
    /// The client that it is for.
    pub client: Option<String>,
    /// Whether it has begun to serve.
    pub serves: bool,
    /// Whether it was told to end, or is to be told.
    pub ends: bool,
}

/// What else is kept of a server while the repository does not run: a server that has failed stays
/// failed, and one that an operator has stopped stays stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StateRecord {
    /// Whether it has failed too often, and is not started until an operator does so.
    pub failed: bool,
    /// Whether an operator has stopped it.
    pub stopped: bool,
    /// How many starts and runs have failed.
    pub failures: u64,
    /// Why it has failed last.
    pub reason: Option<String>,
}

/// A run, with what only the state machine needs to know.
#[derive(Debug)]
struct Process {
    run: Run,
    /// Whether an activator reports the end of the process.
    watched: bool,
    /// Whether it has registered with the number of its run.
    proven: bool,
    /// When something is done unless it happens first: a start times out, a run that drains is told
    /// to end, one that ends is killed.
    deadline: Option<Time>,
    next_check: Option<Time>,
    /// Whether the outcome of a check is to come.
    checking: bool,
    /// How many checks in a row it has failed.
    unanswered: u32,
    /// Why it ends, if that is a failure.
    failure: Option<String>,
    /// The clients that were sent to it.
    clients: HashSet<String>,
}

/// How many clients of a process are remembered. One that is forgotten is not asked for.
const MAX_CLIENTS: usize = 4096;

/// A request that waits for a run.
#[derive(Debug)]
struct Waiter {
    id: WaiterId,
    client: String,
    until: Time,
}

/// Why no process is started at present.
#[derive(Debug, PartialEq, Eq)]
enum Hold {
    None,
    BackOff(Time),
    Failed,
    Operator,
}

/// A server: its definition, its processes, and the requests that wait for it.
#[derive(Debug)]
pub struct Server {
    definition: Arc<Definition>,
    processes: Vec<Process>,
    waiters: Vec<Waiter>,
    hold: Hold,
    /// Whether a process is to be started when the last one has ended.
    start_after_end: bool,
    /// Whether the operator has asked for a process in place of the present one.
    replacing: bool,
    /// When it has failed, as far as that counts.
    recent_failures: VecDeque<Time>,
    reason: Option<String>,
    starts: u64,
    failures: u64,
    forwards: u64,
    actions: Vec<Action>,
    /// The number of the next run.
    next_run: fn() -> RunId,
}

impl Server {
    /// A server that does not run.
    pub fn new(definition: Definition, next_run: fn() -> RunId) -> Self {
        let (processes, waiters, recent_failures, actions) = Default::default();
        let (hold, start_after_end, replacing) = (Hold::None, false, false);
        let (starts, failures, forwards, reason) = Default::default();
        let definition = Arc::new(definition);
        Self {
            definition,
            processes,
            waiters,
            hold,
            start_after_end,
            replacing,
            recent_failures,
            reason,
            starts,
            failures,
            forwards,
            actions,
            next_run,
        }
    }

    /// What the repository knows of the server.
    pub fn definition(&self) -> &Arc<Definition> {
        &self.definition
    }

    /// Changes the definition. Processes that run keep what they were started with.
    pub fn set_definition(&mut self, definition: Definition) {
        self.definition = Arc::new(definition);
        if self.hold == Hold::Failed {
            self.forgive();
        }
    }

    /// Takes what is to be done, in this order.
    pub fn take_actions(&mut self) -> Vec<Action> {
        mem::take(&mut self.actions)
    }

    /// Whether there is something to be done.
    pub fn has_actions(&self) -> bool {
        !self.actions.is_empty()
    }

    /// The repository serves: starts the server if it is one to be started with it.
    pub fn open(&mut self, now: Time) {
        let is_held = matches!(self.hold, Hold::Failed | Hold::Operator);
        let at_start = self.definition.activation == Activation::AtStart;
        if at_start && !is_held && self.processes.is_empty() {
            self.begin(now, None);
        }
    }

    /// A run of before the repository was restarted goes on.
    pub fn restore(&mut self, now: Time, record: RunRecord, watched: bool) {
        let (stage, deadline) = match (record.ends, record.serves) {
            (true, _) => (RunStage::Draining, Some(now)),
            (false, true) => (RunStage::Running, None),
            (false, false) => (RunStage::Starting, Some(now + self.definition.start_timeout)),
        };
        let endpoint = record.endpoint.map(Endpoint::from);
        if stage == RunStage::Starting && endpoint.is_some() {
            self.actions.push(Action::AwaitAnswer(record.id));
        }
        let run = Run {
            id: record.id,
            stage,
            process: record.process,
            started: record.started,
            host: record.host,
            endpoint,
            since: now,
            client: record.client,
        };
        let mut place = Process::new(run, watched, deadline);
        let checks = stage == RunStage::Running && !self.definition.check_period.is_zero();
        place.next_check = checks.then_some(now);
        self.processes.push(place);
    }

    /// What an earlier repository knew of the server.
    pub fn restore_state(&mut self, record: StateRecord) {
        self.hold = match (record.failed, record.stopped) {
            (true, _) => Hold::Failed,
            (false, true) => Hold::Operator,
            (false, false) => Hold::None,
        };
        (self.failures, self.reason) = (record.failures, record.reason);
    }

    /// What is to be kept of the server beside its runs.
    pub fn state(&self) -> StateRecord {
        StateRecord {
            failed: self.hold == Hold::Failed,
            stopped: self.hold == Hold::Operator,
            failures: self.failures,
            reason: self.reason.clone(),
        }
    }

    /// Whether it has this run.
    pub fn has_run(&self, run: RunId) -> bool {
        self.position(run).is_some()
    }

    /// The name of the host of a run that the repository has started; empty while the process is
    /// being made.
    pub fn host_of(&self, run: RunId) -> Option<&str> {
        let place = &self.processes[self.position(run)?];
        place.is_started_here().then_some(place.run.host.as_str())
    }

    /// Whether the repository does not start the server by itself, so that somebody else does.
    pub fn is_started_by_hand(&self) -> bool {
        !self.may_start_by_call()
    }

    fn position(&self, run: RunId) -> Option<usize> {
        self.processes.iter().position(|process| process.run.id == run)
    }

    /// What is to be kept of the runs that have a process.
    pub fn records(&self) -> Vec<RunRecord> {
        let runs = self.processes.iter().filter(|process| process.run.process.is_some());
        let record = |process: &Process| RunRecord {
            id: process.run.id,
            process: process.run.process,
            started: process.run.started,
            host: process.run.host.clone(),
            endpoint: process.run.endpoint.as_deref().map(str::to_owned),
            client: process.run.client.clone(),
            serves: process.run.stage == RunStage::Running,
            ends: process.is_ending(),
        };
        runs.map(record).collect()
    }

    /// The state of the server.
    pub fn status(&self) -> Status {
        let starts = self.processes.iter().any(|process| process.is_starting());
        let serves = self.processes.iter().any(|process| process.run.stage == RunStage::Running);
        let stage = match (serves, starts, &self.hold) {
            (true, true, _) if self.replacing => ServerStage::Replacing,
            (true, ..) => ServerStage::Running,
            (false, true, _) => ServerStage::Starting,
            (false, false, Hold::Failed) => ServerStage::Failed,
            (false, false, Hold::BackOff(_)) => ServerStage::BackingOff,
            (false, false, _) if !self.processes.is_empty() => ServerStage::Ending,
            (false, false, Hold::Operator) => ServerStage::Held,
            (false, false, Hold::None) => ServerStage::Stopped,
        };
        Status {
            stage,
            runs: self.processes.iter().map(|process| process.run.clone()).collect(),
            waiting: self.waiters.len(),
            starts: self.starts,
            failures: self.failures,
            forwards: self.forwards,
            reason: self.reason.clone(),
        }
    }
}

impl Process {
    fn new(run: Run, watched: bool, deadline: Option<Time>) -> Self {
        Self {
            run,
            watched,
            proven: false,
            deadline,
            next_check: None,
            checking: false,
            unanswered: 0,
            failure: None,
            clients: HashSet::new(),
        }
    }

    /// Notes that a client is sent to it. Returns whether that is the first time.
    fn meets(&mut self, client: &str) -> bool {
        if self.clients.len() >= MAX_CLIENTS {
            self.clients.clear();
        }
        self.clients.insert(client.to_owned())
    }

    /// Whether the repository or an activator has started it, so that it knows its run.
    fn is_started_here(&self) -> bool {
        self.watched || self.run.started > 0
    }

    fn is_starting(&self) -> bool {
        matches!(self.run.stage, RunStage::Spawning | RunStage::Starting)
    }

    fn is_ending(&self) -> bool {
        matches!(self.run.stage, RunStage::Draining | RunStage::Ending)
    }

    /// Whether it was started by hand, has been replaced, and its time is over.
    fn is_forgotten(&self) -> bool {
        self.run.stage == RunStage::Draining && self.deadline == Some(Time::MAX)
    }
}
