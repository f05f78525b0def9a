//! The run-time scheduler: which request runs next, by deadlines or by criticality.
//!
//! The rules are those of `armilla_schedule::dispatch`, which knows neither threads nor a clock.
//! Here a thread with a request waits until the rules let it run, and runs at the native priority
//! of its level. What is shared by the threads is behind one mutex with priority inheritance, held
//! for a few microseconds.

mod operations;
mod options;

pub(crate) use operations::Operation;
pub use operations::OperationStatistics;
pub use options::SchedulerOptions;

use crate::current::{ThreadPriority, set_priority, try_out};
use crate::error::{RtError, RtErrorKind};
use crate::priority::{Mapper, Priority};
use armilla::{Completion, ExceptionKind, Minor, SystemException, blocking};
use armilla_ipc::affinity::allowed_cpus;
use armilla_ipc::real_time::{PiMutex, Scheduling, Semaphore, monotonic_now};
use armilla_schedule::dispatch::{Admission, Decision, Executive, JobNumber, Refusal};
use armilla_schedule::{
    AnalysisOptions, InvalidTasks, Nanos, Report, Strategy, System, Task, TaskSet, Verdict, analyse,
};
use operations::{Operations, count};
use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tracing::warn;

/// Decides which request runs next: by fixed priorities, the earliest deadline, or maximum urgency
/// first. Clones are the same scheduler; any thread may use it.
///
/// A thread pool that is [scheduled by](crate::ThreadpoolOptions::scheduled_by) it asks it about
/// each request; a program's own threads do the same with [`execute`](Self::execute). Times count
/// from the arrival of a request. Operations that are not in the tables run when nothing else wants
/// to.
///
/// Under maximum urgency first a request that can no longer end in time and is not critical is
/// cancelled: its client gets `TIMEOUT` with `COMPLETED_NO`. What finds no room in the queue gets
/// `TRANSIENT`, the least urgent first.
#[derive(Clone)]
pub struct Scheduler(Arc<Inner>);

struct Inner {
    name: String,
    strategy: Strategy,
    capacity: usize,
    threads: usize,
    strict: bool,
    /// What operations run at, the least urgent level first.
    levels: Vec<Level>,
    executive: PiMutex<Executive<Arc<Waiter>>>,
    operations: PiMutex<Arc<Operations>>,
    /// The tasks as they were described, and what the analysis says of them.
    plan: Mutex<(TaskSet, Report)>,
    /// Whether the log says already that a native priority was refused.
    reported: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    priority: Priority,
    native: Scheduling,
}

/// A thread with a request, which waits for a decision.
#[derive(Default)]
struct Waiter {
    decision: PiMutex<Option<RequestDecision>>,
    wakes: Semaphore,
}

/// A decision on the request of a thread.
#[derive(Clone, Copy)]
enum RequestDecision {
    Start { number: JobNumber, level: usize },
    Cancelled,
    Refused,
}

impl Waiter {
    fn decide(&self, decision: RequestDecision) {
        *self.decision.lock() = Some(decision);
        self.wakes.signal_all();
    }

    fn take(&self) -> Option<RequestDecision> {
        self.decision.lock().take()
    }
}

thread_local! {
    /// A thread has one request at a time that waits.
    static WAITER: Arc<Waiter> = Arc::default();
    /// The schedulers whose right to run the thread has, as the addresses of their states.
    static HELD: RefCell<Vec<usize>> = RefCell::new(Vec::with_capacity(4));
}

/// The time on the scheduler's clock.
fn now() -> Nanos {
    Nanos(u64::try_from(monotonic_now().as_nanos()).unwrap_or(u64::MAX))
}

impl Scheduler {
    pub(crate) fn create(
        mapper: &Mapper,
        strict: bool,
        options: SchedulerOptions,
    ) -> Result<Self, SystemException> {
        options.check()?;
        let object = format!("scheduler {:?}", options.name);
        let natives = mapper.distinct(&object, &options.priorities)?;
        let levels = options.priorities.iter().zip(natives);
        let levels: Vec<_> =
            levels.map(|(priority, native)| Level { priority: *priority, native }).collect();
        if strict {
            let try_level =
                |level: &Level| try_out(&object, "priorities", level.priority, level.native, 1);
            levels.iter().try_for_each(try_level)?;
        }
        let SchedulerOptions { name, strategy, tasks, threads, capacity, dynamic, .. } = options;
        let invalid = |invalid: InvalidTasks| wrong_tasks(&object, &invalid);
        let system = System::new(described(&tasks, levels.len())).map_err(invalid)?;
        let report = analysed(&system, strategy, threads).map_err(invalid)?;
        report_late(&object, &report);
        let executive = match levels.len() {
            1 => Executive::new(strategy, threads, capacity),
            levels => Executive::preemptive(strategy, levels, capacity),
        };
        Ok(Self(Arc::new(Inner {
            name,
            strategy,
            capacity,
            threads,
            strict,
            levels,
            executive: PiMutex::new(executive.ordered_by(dynamic)),
            operations: PiMutex::new(Arc::new(Operations::new(&system, &report, None))),
            plan: Mutex::new((tasks, report)),
            reported: AtomicBool::new(false),
        })))
    }

    /// The name that the program gave it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What decides.
    pub fn strategy(&self) -> Strategy {
        self.0.strategy
    }

    /// Whether the operations meet their deadlines, as analysed: on one processor, or with several
    /// [threads](SchedulerOptions::threads) on as many CPUs. Where there are fewer priorities than
    /// operations, each counts as one that nothing preempts.
    pub fn report(&self) -> Report {
        self.0.plan.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    /// What became of all requests so far: each operation in the order of the tables, then what is
    /// not in them.
    pub fn statistics(&self) -> Vec<OperationStatistics> {
        self.operations().statistics()
    }

    /// Admits a further operation, if its deadline is met and all those that were met before. From
    /// then on its requests are scheduled by its timing.
    ///
    /// It analyses the whole system, which takes milliseconds for dozens of operations and at most
    /// about two seconds: call it from a thread that has no deadline. Requests are served meanwhile.
    ///
    /// # Errors
    /// The refusal names the operations that could miss their deadlines, each with the reason.
    pub fn admit(&self, task: Task) -> Result<(), Refusal> {
        let mut plan = self.0.plan.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tasks = plan.0.clone();
        tasks.tasks.push(task);
        let mut described = described(&tasks, self.0.levels.len());
        let name = tasks.tasks.last().map(|task| task.name.clone()).unwrap_or_default();
        let refused = |invalid: InvalidTasks| Refusal {
            task: name,
            reasons: vec![("the tasks".to_owned(), invalid.to_string())],
        };
        let Some(task) = described.tasks.pop() else { return Ok(()) };
        let system = System::new(described).map_err(refused)?;
        if let Some(reason) = too_few_cpus(self.0.threads) {
            return Err(Refusal { task: task.name.clone(), reasons: vec![(task.name, reason)] });
        }
        let mut admission = Admission::new(system, self.0.strategy).threads(self.0.threads);
        let report = admission.admit(task)?;
        self.adopt(admission.system(), &report);
        *plan = (tasks, report);
        Ok(())
    }

    /// Takes an operation out of the tables. Whether it was there; one that others call stays, and
    /// so does the last one.
    pub fn leave(&self, operation: &str) -> bool {
        let mut plan = self.0.plan.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tasks = plan.0.clone();
        tasks.tasks.retain(|task| task.name != operation);
        if tasks.tasks.len() == plan.0.tasks.len() {
            return false;
        }
        let Ok(system) = System::new(described(&tasks, self.0.levels.len())) else { return false };
        let found = analysed(&system, self.0.strategy, self.0.threads);
        let Ok(report) = found else { return false };
        self.adopt(&system, &report);
        *plan = (tasks, report);
        true
    }

    fn adopt(&self, system: &System, report: &Report) {
        let operations = Operations::new(system, report, Some(&self.operations()));
        *self.0.operations.lock() = Arc::new(operations);
    }

    /// Does `work` in the calling thread as an execution of the operation with this scoped name,
    /// when it is its turn, at the priority of its level. A thread that runs something of this
    /// scheduler already does it at once.
    ///
    /// # Errors
    /// `TIMEOUT` when it is not critical and can no longer end in time, under maximum urgency
    /// first; `TRANSIENT` when too much that is more urgent waits; `NO_PERMISSION` when the system
    /// refuses the native priority, and the ORB is [strict](crate::RtOrb::strict). The work was not
    /// begun then.
    pub fn execute<T>(
        &self,
        operation: &str,
        work: impl FnOnce() -> T,
    ) -> Result<T, SystemException> {
        let operation = self.operations().named(operation);
        let Some(permit) = self.begin(&operation)? else { return Ok(work()) };
        let before = ThreadPriority::current();
        let _restored = Restore(before);
        permit.raise()?;
        let done = work();
        drop(permit);
        Ok(done)
    }

    /// The operation of a request.
    pub(crate) fn of_request<'i>(
        &self,
        name: &str,
        interfaces: impl Iterator<Item = &'i str> + Clone,
    ) -> Arc<Operation> {
        self.operations().of_request(name, interfaces)
    }

    /// How many threads may wait or run at once.
    pub(crate) fn most_threads(&self) -> usize {
        self.0.capacity + self.0.levels.len()
    }

    /// The priorities at which operations run.
    pub(crate) fn priorities(&self) -> impl Iterator<Item = Priority> + '_ {
        self.0.levels.iter().map(|level| level.priority)
    }

    fn operations(&self) -> Arc<Operations> {
        self.0.operations.lock().clone()
    }

    fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Waits until a request of `operation` that arrives now may run. `None` if the
    /// calling thread has a permit already.
    ///
    /// # Errors
    /// `TIMEOUT` or `TRANSIENT` if there will be none.
    pub(crate) fn begin(
        &self,
        operation: &Arc<Operation>,
    ) -> Result<Option<RunPermit>, SystemException> {
        let held = HELD.with_borrow(|held| held.contains(&self.address()));
        if held {
            return Ok(None);
        }
        count(&operation.counts.arrived);
        let waiter = WAITER.with(Arc::clone);
        waiter.take();
        let arrived = now();
        let job = operation.job(waiter.clone(), arrived);
        let deadline = job.deadline;
        let late_after = {
            let mut executive = self.0.executive.lock();
            let late_after = executive.cancelled_after(&job);
            executive.arrive(job, arrived);
            tell_all(&mut executive);
            late_after
        };
        let decision = match waiter.take() {
            Some(decision) => decision,
            // Other threads read further requests meanwhile.
            None => blocking(|| self.wait(&waiter, late_after)),
        };
        match decision {
            RequestDecision::Start { number, level } => {
                HELD.with_borrow_mut(|held| held.push(self.address()));
                let (scheduler, operation) = (self.clone(), operation.clone());
                Ok(Some(RunPermit { scheduler, operation, number, level, deadline }))
            }
            RequestDecision::Cancelled => Err(self.cancelled(operation, deadline)),
            RequestDecision::Refused => Err(self.refused(operation)),
        }
    }

    /// Waits for a decision. Whoever becomes late meanwhile has itself cancelled.
    fn wait(&self, waiter: &Waiter, late_after: Option<Nanos>) -> RequestDecision {
        loop {
            let left = late_after.map(|late| {
                let left = late.0.saturating_add(1).saturating_sub(now().0);
                Duration::from_nanos(left)
            });
            if let Some(decision) = waiter.wakes.wait_for(left, || waiter.take()) {
                return decision;
            }
            let mut executive = self.0.executive.lock();
            executive.cancel_late(now());
            tell_all(&mut executive);
        }
    }

    #[cold]
    fn cancelled(&self, operation: &Operation, deadline: Nanos) -> SystemException {
        count(&operation.counts.cancelled);
        let left = deadline.0.saturating_sub(now().0);
        let what = format!(
            "scheduler {:?}: {} takes up to {}, and its deadline is in {}; it is not critical, so \
             that it was cancelled",
            self.0.name,
            operation.name,
            operation.wcet,
            Nanos(left)
        );
        let minor = Minor::DEADLINE_CANNOT_BE_MET;
        SystemException::new(ExceptionKind::Timeout, minor, Completion::No)
            .with_reason(what)
            .with_hint("the server is overloaded: call less often, or raise its criticality")
    }

    #[cold]
    fn refused(&self, operation: &Operation) -> SystemException {
        count(&operation.counts.refused);
        let what = format!(
            "scheduler {:?}: {} requests that are more urgent than {} wait already (capacity)",
            self.0.name, self.0.capacity, operation.name
        );
        let (kind, minor) = (ExceptionKind::Transient, Minor::TOO_MANY_REQUESTS_IN_PROGRESS);
        SystemException::new(kind, minor, Completion::No).with_reason(what)
    }
}

/// Tells threads what was decided.
fn tell_all(executive: &mut Executive<Arc<Waiter>>) {
    while let Some(decision) = executive.next_decision() {
        match decision {
            Decision::Start { work, number, level } => {
                work.decide(RequestDecision::Start { number, level })
            }
            Decision::Cancel(work) => work.decide(RequestDecision::Cancelled),
            Decision::Refuse(work) => work.decide(RequestDecision::Refused),
        }
    }
}

/// The right of a thread to run a request, until it is dropped.
pub(crate) struct RunPermit {
    scheduler: Scheduler,
    operation: Arc<Operation>,
    number: JobNumber,
    level: usize,
    deadline: Nanos,
}

impl RunPermit {
    /// Gives the calling thread the priority of its level.
    ///
    /// # Errors
    /// If the system refuses it, and the ORB is strict.
    pub(crate) fn raise(&self) -> Result<(), RtError> {
        let inner = &self.scheduler.0;
        let Level { priority, native } = inner.levels[self.level];
        match set_priority(priority, native) {
            Err(error) if inner.strict => Err(error),
            Err(error) => {
                if !inner.reported.swap(true, Ordering::Relaxed) {
                    warn!("scheduler {:?}: {error}", inner.name);
                }
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }
}

impl Drop for RunPermit {
    fn drop(&mut self) {
        let address = self.scheduler.address();
        HELD.with_borrow_mut(|held| {
            if let Some(at) = held.iter().rposition(|other| *other == address) {
                held.remove(at);
            }
        });
        let ended = now();
        count(&self.operation.counts.executed);
        if ended > self.deadline {
            count(&self.operation.counts.missed);
        }
        let mut executive = self.scheduler.0.executive.lock();
        executive.end(self.number, ended);
        tell_all(&mut executive);
    }
}

/// Gives the thread its priority back.
struct Restore(ThreadPriority);

impl Drop for Restore {
    fn drop(&mut self) {
        self.0.restore();
    }
}

/// What the analysis says of a scheduler with this many threads.
fn analysed(system: &System, strategy: Strategy, threads: usize) -> Result<Report, InvalidTasks> {
    let of = AnalysisOptions::of(strategy);
    let mut report = analyse(system, AnalysisOptions { sensitivity: false, threads, ..of })?;
    if let Some(reason) = too_few_cpus(threads) {
        for one in &mut report.operations {
            (one.verdict, one.reason) = (Verdict::Unproven, Some(reason.clone()));
        }
    }
    Ok(report)
}

/// Why nothing can be proven of several threads on this host.
fn too_few_cpus(threads: usize) -> Option<String> {
    let cpus = allowed_cpus().map_or(1, |cpus| cpus.len());
    (threads > 1 && threads > cpus).then(|| {
        format!(
            "the analysis of {threads} threads needs a CPU for each, and the process may use \
             {cpus}; make a scheduler with fewer threads"
        )
    })
}

/// The tasks as they run: with fewer levels than tasks one may have to wait for another, whole.
fn described(tasks: &TaskSet, levels: usize) -> TaskSet {
    let mut tasks = tasks.clone();
    if levels < tasks.tasks.len() {
        tasks.tasks.iter_mut().for_each(|task| task.non_preemptive = task.wcet);
    }
    tasks
}

fn wrong_tasks(object: &str, invalid: &InvalidTasks) -> RtError {
    let remedy = "correct the annotations or the table; `armilla schedule` checks both";
    RtError::new(RtErrorKind::Value, object, "tasks", "these", invalid, remedy)
}

/// Says in the log what may be late.
fn report_late(object: &str, report: &Report) {
    let late = report.operations.iter().filter(|one| one.verdict != Verdict::Schedulable);
    for one in late {
        let reason = one.reason.as_deref().unwrap_or("its deadline may be missed");
        warn!("{object}: {}: {reason}", one.name);
    }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scheduler({:?}, {})", self.0.name, self.0.strategy)
    }
}
